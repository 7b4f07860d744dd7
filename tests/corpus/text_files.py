"""Text files as people have them, all of which are read."""

from __future__ import annotations

import io
import math

import numpy as np
from tests.corpus.file_case import NAN, ROWS, reads

PLAIN = "a,b\n1.5,2\n2,3\n2.5,5\n"
NUMBERED = "first column"
ROW = "its first line looks like a row"
RISING = "whole numbers that go up"


def plain(old: str, new: str) -> str:
    return PLAIN.replace(old, new)


def saved_text(**options: object) -> bytes:
    file = io.BytesIO()
    np.savetxt(file, np.array(ROWS), **options)
    return file.getvalue()


SEPARATORS = {
    "comma": reads(PLAIN),
    "semicolon": reads(plain(",", ";"), "separator ';'"),
    "tab": reads(plain(",", "\t"), "tabs as separators"),
    "tab in .tsv": reads(plain(",", "\t"), file="x.tsv"),
    "bar": reads(plain(",", "|"), "separator '|'"),
    "one blank": reads(plain(",", " "), "blanks as separators", file="x.txt"),
    "aligned columns": reads(
        "    a     b\n  1.5   2.0\n  2.0   3.0\n  2.5   5.0\n",
        "blanks as separators",
        file="x.dat",
    ),
    "comma and blank": reads(plain(",", ", ")),
    "decimal comma": reads("a;b\n1,5;2\n2;3\n2,5;5\n", "separator ';' and decimal comma"),
    "decimal comma, quoted": reads('a,b\n"1,5",2\n2,3\n"2,5",5\n', "decimal comma"),
    "sep= in the first line": reads("sep=;\n" + plain(",", ";"), "separator ';'"),
}
ENCODINGS = {
    f"{encoding}": reads(plain("a,", "größe,"), *told, encoding=encoding, names=("größe", "b"))
    for encoding, told in {
        "utf-8": (),
        "utf-8-sig": (),
        "utf-16": ("utf-16 text",),
        "utf-16-le": ("utf-16-le text",),
        "utf-16-be": ("utf-16-be text",),
        "utf-32": ("utf-32 text",),
        "latin-1": ("cp1252 text",),
        "cp1252": ("cp1252 text",),
    }.items()
} | {
    "Cyrillic in UTF-16 without a mark": reads(
        plain("a,b", "рост,вес"), "utf-16-le", encoding="utf-16-le", names=("рост", "вес")
    ),
}
LINES = {
    "CRLF": reads(plain("\n", "\r\n")),
    "CR": reads(plain("\n", "\r")),
    "no final newline": reads(PLAIN.rstrip()),
    "blank lines": reads("\n\n" + plain("\n", "\n\n")),
    "lines of blanks": reads(plain("2,3\n", "  \n2,3\n\t\n")),
    "trailing blanks": reads(plain("\n", "  \n")),
    "trailing separators": reads(plain("\n", ",\n"), "last column has no name"),
    "trailing separator of the names only": reads(plain("b\n", "b,\n")),
}
QUOTES = {
    "quoted cells": reads('"a","b"\n"1.5","2"\n"2","3"\n"2.5","5"\n'),
    "single quotes": reads("'a','b'\n'1.5','2'\n'2','3'\n'2.5','5'\n", "single quotes"),
    "separator in a name": reads(plain("a,b", '"a, b",c'), names=("a, b", "c")),
    "newline in a name": reads(plain("a,b", '"a\nb",c'), names=("a\nb", "c")),
    "newline in a text cell": reads(
        'a,t,b\n1.5,"u\nv",2\n2,w,3\n2.5,"x\n\ny",5\n', chosen={"exclude": ["t"]}
    ),
}
HEADERS = {
    "no names": reads("1.5,2\n2,3\n2.5,5\n", ROW, names=("x0", "x1")),
    "no names, NA in the first line": reads(
        "NA,2\n2,3\n2.5,5\n", ROW, names=("x0", "x1"), rows=((NAN, 2), *ROWS[1:])
    ),
    "no names, a column of labels": reads(
        "u,1.5,2\nv,2,3\nw,2.5,5\n", ROW, names=("x1", "x2"), chosen={"exclude": ["x0"]}
    ),
    "names of pandas: 0, 1": reads(plain("a,b", "0,1"), RISING, names=("0", "1")),
    "numbers that rise, said": reads(
        plain("a,b", "0,1"), names=("x0", "x1"), rows=((0, 1), *ROWS), header=False
    ),
    "savetxt": reads(saved_text, "blanks as separators", ROW, names=("x0", "x1"), file="x.txt"),
    "savetxt with names": reads(lambda: saved_text(header="a b"), "blanks", file="x.txt"),
    "remarks": reads("# measured in May, by us\n#\n" + PLAIN),
    "a remark that is not names": reads(
        "# measured in May\n1.5,2\n2,3\n2.5,5\n", ROW, names=("x0", "x1")
    ),
    "no rows": reads("a,b\n", rows=()),
}
INDEXES = {
    "write.csv of R": reads('"","a","b"\n"1",1.5,2\n"2",2,3\n"3",2.5,5\n', NUMBERED),
    "write.csv of R, named rows": reads(
        '"","a","b"\n"Mazda",1.5,2\n"Fiat",2,3\n"Honda",2.5,5\n', "names the rows"
    ),
    "write.table of R": reads(
        '"a" "b"\n"1" 1.5 2\n"2" 2 3\n"3" 2.5 5\n', "blanks", NUMBERED, file="x.txt"
    ),
    "index of pandas": reads(",a,b\n0,1.5,2\n1,2,3\n2,2.5,5\n", NUMBERED),
    "Unnamed: 0": reads("Unnamed: 0,a,b\n0,1.5,2\n1,2,3\n2,2.5,5\n", NUMBERED),
    "id": reads("id,a,b\n1,1.5,2\n2,2,3\n3,2.5,5\n", "'id' numbers the rows"),
    "x that does not count": reads(
        "x,a\n4,1.5\n2,2\n7,1\n", names=("x", "a"), rows=((4, 1.5), (2, 2), (7, 1))
    ),
}
WORDS = {
    "a date": reads(
        "day,a,b\n2020-01-01,1.5,2\n2020-01-02,2,3\n2020-01-03,2.5,5\n", "left out: 'day' (dates)"
    ),
    "labels": reads("a,city,b\n1.5,u,2\n2,v,3\n2.5,w,5\n", "left out: 'city' (text)"),
    "a title and a comma in a name": reads(
        'Measured in May\n"a, mm",b\n1.5,2\n2,3\n2.5,5\n',
        "first line is above",
        names=("a, mm", "b"),
    ),
    "quotes with blanks before": reads(
        'a, "b", c\n1, 2, 3\n2, 3, 4\n', names="abc", rows=((1, 2, 3), (2, 3, 4))
    ),
    "escaped quotes": reads(
        'a,t,b\n1.5,"he said \\"hi\\", ok",2\n2,"x",3\n2.5,"y",5\n', "backslashes", "left out: 't'"
    ),
    "quotes in the body only": reads(
        "a,b,t\n1.5,2,'x, y'\n2,3,'z'\n2.5,5,'w, v'\n", "single quotes", "left out: 't'"
    ),
}
MISSING = {
    "NA and its relatives": reads(
        "a,b\nNA,2\n2,NaN\n#N/A,nan\nnull,<NA>\nNone,5\n",
        rows=((NAN, 2), (2, NAN), (NAN, NAN), (NAN, NAN), (NAN, 5)),
    ),
    "blanks around NA": reads(
        "a, b\n1.5, NA\n 2 , 3\n   , 5\n", rows=((1.5, NAN), (2, 3), (NAN, 5))
    ),
    "na_values of text": reads(
        "a,b\n1.5,?\n.,3\n2.5,5\n", rows=((1.5, NAN), (NAN, 3), (2.5, 5)), na_values=["?", "."]
    ),
    "na_values of a number, spelled otherwise": reads(
        "a,b\n1.5,-999.0\n-999,3\n-9.99e2,5\n",
        rows=((1.5, NAN), (NAN, 3), (NAN, 5)),
        na_values=-999,
    ),
}
NUMBERS = {
    "signs, points and exponents": reads(
        "a,b\n+1.5,2.\n.5,-3E2\n1e-3,5\n", rows=((1.5, 2), (0.5, -300), (0.001, 5))
    ),
    "infinity": reads(
        "a,b\ninf,2\n-Infinity,3\n+Inf,5\n", rows=((math.inf, 2), (-math.inf, 3), (math.inf, 5))
    ),
    "true and false": reads("a,b\nTrue,2\nFalse,3\ntrue,5\n", rows=((1, 2), (0, 3), (1, 5))),
    "whole numbers beyond int64": reads(
        "a,b\n123456789012345678901,2\n2,3\n3,5\n",
        rows=((123456789012345678901.0, 2), (2, 3), (3, 5)),
    ),
}
TEXT_FILES = {
    **SEPARATORS,
    **ENCODINGS,
    **LINES,
    **QUOTES,
    **HEADERS,
    **INDEXES,
    **WORDS,
    **MISSING,
    **NUMBERS,
}
ENDINGS = {
    f"CSV as {file}": reads(PLAIN, file=file)
    for file in ("x.txt", "x.dat", "x.tab", "x.CSV", "x", "x.data", "x y.csv", "ü.csv")
}
TEXT_FILES |= ENDINGS

"""Text files that cannot be right: each is refused with one sentence that says what to do."""

from __future__ import annotations

import numpy as np
from tests.corpus.file_case import FileCase, refused

SPELLED = "na_values"
LONG = "".join(f"{i % 97}.5,{i % 89}\n" for i in range(330_000))  # more than the first block


def late(line: str, *error: str) -> FileCase:
    """A line that is wrong after the first block of 2 MB."""
    return refused(lambda: ("a,b\n" + LONG + line + LONG[:1000]).encode(), *error)


CELLS = {
    "a question mark": refused("a,b\n1.5,?\n2,3\n", "'b'", "'?' in line 2", SPELLED),
    "per cent": refused("a,b\n5%,2\n7,3\n8,1\n", "'a'", "'5%'", "--exclude"),
    "thousands, quoted": refused(
        'a,b\n"1,234",2\n"5,678",3\n', "'1,234'", "thousands", "--decimal ,"
    ),
    "decimal point, comma said": refused("a;b\n1.5;2\n2.5;3\n", "'a'", "'1.5'", decimal=","),
    "labels in the first line, no names": refused(
        "5.5,unknown,3\n4,3,2\n6,1,2\n", "'x1'", "'unknown' in line 1", "--header"
    ),
    "? in the first line, no names": refused(
        "5,?,3\n4,3,2\n6,1,2\n", "'x1'", "'?' in line 1", "--header"
    ),
    "late text": late("1,?\n", "'b'", "'?'", "line 330002", SPELLED),
    "late byte that is not UTF-8": refused(
        lambda: b"a,b\n" + LONG.encode() + b"1\xe9,2\n", "'a'", "line 330002"
    ),
    "a late number among true and false": refused(
        lambda: b"a,b\n" + b"1.5,true\n" * 300_000 + b"1,2\n", "true or false", "'2'", "line 300002"
    ),
}
LINES = {
    "short line": refused("a,b\n1,2\n3\n4,5\n", "line 3", "1 cell", "expected 2", "'3'"),
    "footer": refused("a,b\n1,2\n4,5\nTotal: 2 rows\n", "line 4", "'Total: 2 rows'", "remove"),
    "remark among rows": refused("a,b\n1,2\n# pause\n4,5\n", "line 3", "'# pause'", "remove"),
    "late short line": late("1\n", "line 330002", "1 cell"),
    "late quote": late('1,"2\n', "line 330002", "quote", "not closed"),
    "commas for everything": refused("a,b\n1,5,2,5\n2,5,3,5\n", "line 2", "4 cells", "expected 2"),
    "one column of decimal commas": refused("a\n1,5\n2,5\n3,5\n", "1 name", "2 cells", "--sep"),
    "gaps in aligned columns": refused("a b c\n1   3\n2 3 4\n", "'1   3'", "--sep", file="x.txt"),
    "unknown separator": refused("a§b\n1§2\n3§4\n", "'a§b'", "'1§2'", "--sep"),
}
NAMES = {
    "names twice": refused("a,a\n1,2\n3,4\n", "'a' more than once", "rename"),
    "two columns without names": refused(
        "a,,,b\n1,2,3,4\n3,4,4,4\n", "'' more than once", "rename"
    ),
    "two lines of names": refused(",g,g,h\n,a,b,a\n0,1.5,2,3\n1,2,3,4.5\n", "'g' more than once"),
    "units": refused("a,b\nkg,m\n1,2\n3,4\n", "'a'", "'kg' in line 2"),
    "years": refused("2001,2002,2003\n1.5,2,1\n2,3,0\n", "first line", "years", "--header"),
    "years beside a corner": refused(
        ",2001,2002,2003\nu,1.5,2,1\nv,2,3,0\n", "first line", "years", "--header"
    ),
    "a word and years": refused("dose,2001,2002\n1.5,2,1\n2,3,0\n", "'dose' in line 1", "--header"),
    "index by a name that is not there": refused(
        "a,b\n1,2\n", "index_col", "'id'", "'a', 'b'", index_col="id"
    ),
}
NOTHING = {
    "empty": refused(b"", "is empty"),
    "only blanks": refused(" \n\n   \n", "is empty"),
    "only remarks": refused("# nothing\n# at all\n", "is empty"),
    "random bytes": refused(
        np.random.default_rng(0).integers(0, 256, 4000, dtype=np.uint8).tobytes(), "not text"
    ),
    "another encoding, said": refused(
        "größe,b\n1,2\n".encode("latin-1"), "utf-8", encoding="utf-8"
    ),
    "a page of a web server": refused(
        "<!DOCTYPE html>\n<html><body>404</body></html>\n", "one column", "<html>", "--sep"
    ),
    "70 MB without a newline": refused(lambda: b"1" * 70_000_000, "no end of a line", "2 MB"),
}
TEXT_REFUSED = {**CELLS, **LINES, **NAMES, **NOTHING}

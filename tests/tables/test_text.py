"""Text from its bytes to its cells: compression, encodings, form, and what a cell is taken for."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables import text as module
from edgewise.tables.text import (
    MISSING,
    byte_stream,
    has_thousands,
    in_arrows_memory,
    is_missing,
    is_name,
    is_number,
    missing_numbers,
    missing_texts,
    text_format,
)

TEXT = b"a,b\n1,2\n" * 5000
PIECES = [*"10.,eE+- x_٣", "23", "inf", "nan", "NA", "N/A"]


def zipped(**members):
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]),
        bz2.compress(TEXT),
        lzma.compress(TEXT),
        bytes(pa.compress(TEXT, "zstd", asbytes=True)),
        zipped(x=TEXT),
    ],
    ids=["plain", "gzip", "two members", "bz2", "xz", "zstd", "zip"],
)
def test_compressed_bytes_whatever_the_name(tmp_path, content):
    (path := tmp_path / "x.csv").write_bytes(content)
    with byte_stream(path) as stream:
        assert stream.read() == TEXT


@pytest.mark.parametrize(
    ("content", "said"),
    [(zipped(x=TEXT, y=TEXT), "got 2"), (zipped(x=TEXT)[:60], "not a zip file")],
    ids=["two files", "cut off"],
)
def test_archives_that_are_refused(tmp_path, content, said):
    (path := tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(DataError, match=said):
        byte_stream(path)


def test_arrow_needs_no_python_to_let_go_of_a_head():
    # A buffer around Python's bytes is let go of under Python's lock; if the program is ending, the
    # thread that asks for it aborts the program (one run in 360 on a busy machine).
    buffer = in_arrows_memory(TEXT).read_buffer()
    assert buffer.to_pybytes() == TEXT
    assert buffer.parent is None or buffer.parent.parent is None


@given(
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
    st.sampled_from([".", ","]),
    st.booleans(),
)
@settings(max_examples=120)
def test_a_cell_is_what_arrow_takes_it_for(cell, decimal, padded):
    quoted = '"' + cell.replace('"', '""') + '"'
    try:
        csv.read_csv(
            pa.BufferReader(f"{quoted};1\n".encode()),
            read_options=csv.ReadOptions(column_names=["a", "b"], use_threads=False),
            parse_options=csv.ParseOptions(delimiter=";"),
            convert_options=csv.ConvertOptions(
                column_types={"a": pa.float64()},
                null_values=missing_texts((), padded),
                strings_can_be_null=True,
                decimal_point=decimal,
            ),
        )
        parsed = True
    except pa.ArrowInvalid:
        parsed = False
    assert parsed == (is_number(cell, decimal) or cell in missing_texts((), padded))


def test_missing_values():
    for text in MISSING:
        assert is_missing(f"  {text}\t")
        assert not is_name(text)
    assert not is_missing("?")
    assert is_missing(" ? ", ("?",))
    assert is_missing("-9,99e2", ("-999",), ",")
    assert not is_missing("-999.5", ("-999",))
    assert missing_numbers(("?", "-999", "-9,5"), ",") == {-999.0, -9.5}


def test_one_decimal_comma_makes_a_number_and_two_do_not():
    assert is_number("1,5", ",")
    assert not is_number("1,234,567", ",")
    assert not is_number("1.5", ",")


def test_thousands():
    assert all(map(has_thousands, ("1,234", "-12,345.6", "1.234,56", "1,234,567", "1 234")))
    assert not any(map(has_thousands, ("0,123", "1,23", "1234", "1,2345", "1,234.567,8", "")))


def form_of(text, **reading):
    raw = text if isinstance(text, bytes) else text.encode()
    return text_format(raw, ew.open_table("", **reading).reading, "file 'x'")


@pytest.mark.parametrize(
    ("text", "sep", "decimal", "names"),
    [
        ("a;b\n1,5;2\n3;4\n", ";", ",", "ab"),
        ("a\tb\n1,5\t2\n", "\t", ",", "ab"),
        (" a  b\n 1  2\n", "whitespace", ".", "ab"),
        ("a, b\n1, 2\n", ",", ".", "ab"),
        ("time,b\n12:30,2\n13:30,2\n", ",", ".", ("time", "b")),
        ('"a;b",c\n1,2\n3,4\n', ",", ".", ("a;b", "c")),
        ("date;a\n1. Mai, 12 Uhr;1,5\n2. Mai, 13 Uhr;2,5\n", ";", ",", ("date", "a")),
    ],
)
def test_separators_and_decimals(text, sep, decimal, names):
    form = form_of(text)
    assert (form.sep, form.decimal, form.names) == (sep, decimal, tuple(names))


@pytest.mark.parametrize(
    ("text", "skip", "names"),
    [
        ("# x\n\nsep=;\na;b\n1;2\n", 4, "ab"),
        ('"a\nb",c\n1,2\n', 2, ("a\nb", "c")),
        ("# a,b\n1,2\n", 1, "ab"),
        ("Title\n\na,b\n1,2\n3,4\n", 3, "ab"),
        ("Title,,\nof 2020,,\n,,\na,b,c\n1,2,3\n3,4,2\n", 4, "abc"),
        ("1,,3\n2,3,4\n", 0, ("x0", "x1", "x2")),
    ],
)
def test_lines_before_the_rows(text, skip, names):
    form = form_of(text)
    assert (form.skip, form.names) == (skip, tuple(names))


def test_what_is_said_is_not_guessed():
    assert form_of("a,b\n1,2\nx,y\n3,4\n", skip=2).names == ("x", "y")
    assert form_of("t\na,b\n1,2\n3,4\n", header=True).names != ("a", "b")
    assert form_of("a,b\n'1,2',2\n", quote="'").quote == "'"


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_head_that_is_cut_off_anywhere(cut, monkeypatch):
    """Also within a quoted cell of several lines: the types are those of the rows before."""
    monkeypatch.setattr(module, "CSV_BLOCK", 10)
    form = form_of((b"a,t,b\n" + b'1,"u\nv\n\nw",2.5\n' * 4)[:-cut])
    assert {name: str(kind) for name, kind in form.kinds.items()} == {
        "a": "int64",
        "t": "string",
        "b": "double",
    }
    assert form.n_rows in (1, 2, 3)


@pytest.mark.parametrize("name", ["1,NA", "1, NA", "1,NA "])
def test_blanks_beside_a_gap_only(name, tmp_path):
    (path := tmp_path / "x.csv").write_text(f"a,b\n{name}\n2,3\n4,4\n7,1\n0,2\n")
    assert ew.edge_test(path, missing="drop").n_samples == 4


def test_a_line_of_a_million_cells(tmp_path, refuses):
    (path := tmp_path / "x.csv").write_bytes(b"1," * 1_000_000 + b"1\n" + b"2,3\n" * 9)
    refuses(lambda: ew.edge_test(path), DataError, "1,000,001 columns", "memory")


def test_points_that_may_set_thousands_apart_are_asked_about(tmp_path, refuses):
    lines = ["a;b", *(f"1.{k:03};{k}" for k in range(10, 20))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    refuses(lambda: ew.edge_test(tmp_path / "rows.csv"), DataError, "'1.010'", "--decimal .")

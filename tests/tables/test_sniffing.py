"""The form of a text from its first bytes: what is found out, what is told, what is refused."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise.tables.csv import CSV_BLOCK, csv_schema, head_of
from edgewise.tables.reading import Reading
from edgewise.tables.sniffing import sniffed


def form_of(text, whole=True, **reading):
    raw = text if isinstance(text, bytes) else text.encode()
    return sniffed(raw, whole, Reading.checked(**reading), "file 'x'")


@pytest.mark.parametrize(
    ("text", "sep", "decimal"),
    [
        ("a,b\n1,2\n3,4\n", ",", "."),
        ("a;b\n1,5;2\n3;4\n", ";", ","),
        ("a;b\n1.5;2\n3;4\n", ";", "."),
        ("a\tb\n1,5\t2\n", "\t", ","),
        ("a|b\n1|2\n", "|", "."),
        (" a  b\n 1  2\n", "whitespace", "."),
        ("a, b\n1, 2\n", ",", "."),
        ('"a;b",c\n1,2\n3,4\n', ",", "."),
        ("a\n1\n2\n", ",", "."),
        ("date;a\n1. Mai, 12 Uhr;1,5\n2. Mai, 13 Uhr;2,5\n", ";", ","),
    ],
)
def test_separators_and_decimals(text, sep, decimal):
    form, _ = form_of(text)
    assert (form.sep, form.decimal) == (sep, decimal)


def test_lines_before_the_rows():
    assert form_of("# x\n\nsep=;\na;b\n1;2\n")[0].skip == 4
    assert form_of('"a\nb",c\n1,2\n')[0].skip == 2
    assert form_of("# a,b\n1,2\n")[0].skip == 1
    assert form_of("# a,b\n1,2\n")[0].layout.names == ("a", "b")
    assert form_of("#a,b\n")[0].layout.names == ("#a", "b")


def test_heads():
    class Endless:
        def read(self, size):
            return b"1" * size

    class Lines:
        def read(self, size):
            return (b"1,2\n" * size)[:size]

    with pytest.raises(ew.DataError, match="no end of a line in its first 64 MB"):
        head_of(Endless(), "file 'x'")
    head, whole = head_of(Lines(), "file 'x'")
    assert (len(head), whole) == (CSV_BLOCK, False)


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_head_that_is_cut_off_anywhere(cut):
    """Also within a quoted cell of several lines: the types are those of the rows before."""
    text = b"a,t,b\n" + b'1,"u\nv\n\nw",2.5\n' * 4
    form, _ = form_of(text)
    schema, bytes_a_row = csv_schema(text[:-cut], False, form, "file 'x'")
    assert [str(kind) for kind in schema.types] == ["int64", "string", "double"]
    assert bytes_a_row > 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-le"])
def test_bytes_of_a_row(encoding):
    """About as many as in the file, whatever its encoding."""
    raw = ("a,b\n" + "1.25,2.5\n" * 1000).encode(encoding)
    form, _ = form_of(raw)
    _, bytes_a_row = csv_schema(raw, True, form, "file 'x'")
    assert len(raw) / bytes_a_row == pytest.approx(1000, rel=0.01)

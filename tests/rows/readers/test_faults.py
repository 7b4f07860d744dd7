"""The first thing that is wrong is named by its line, also behind rows known to be good."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.rows.readers.faults import Fault, first_fault, hint, told
from edgewise.rows.readers.sniffing import sniffed
from edgewise.rows.reading import Reading


def form_of(text, **reading):
    return sniffed(text.encode(), True, Reading.checked(**reading), "file 'x'")[0]


def fault_in(text, places=(0, 1), form=None, **options):
    return first_fault(
        io.StringIO(text, newline=""), form or form_of("a,b\n1,2\n"), places, **options
    )


def test_nothing():
    text = "a,b\n1,2\nNA,\n\n3,4.5\n  \n"
    assert fault_in(text, form=form_of(text)) is None
    assert fault_in(text) == Fault(6, "", None, 1)


def test_cells_and_lines():
    assert fault_in("a,b\n1,2\n\n3,x\n") == Fault(4, "x", "b", 2)
    assert fault_in("a,b\n1,2\n3,x\n", [0]) is None
    assert fault_in("a,b\n1,2\n3\n4,x\n") == Fault(3, "3", None, 1)
    assert fault_in("a,b\n1,2\n3\n4,x\n", lengths=False) == Fault(4, "x", "b", 2)
    assert fault_in("a,b\n1,2\n3,4,5\n") == Fault(3, "3,4,5", None, 3)
    assert fault_in("a,b\n1,2\n3," + "y" * 99 + "\n").text == "y" * 59 + "…"


def test_true_and_false():
    assert fault_in("a,b\n1,true\n") == Fault(2, "true", "b", 2)
    assert fault_in("a,b\n1,true\n2,0\n", truths=[1]) is None
    assert fault_in("a,b\n1,true\n2,5\n", truths=[1]) == Fault(3, "5", "b", 2, "true or false")


def test_quotes():
    several = form_of('a,b\n1,"2\n"\n')
    assert fault_in('a,b\n"1\n1",2\n3,4\n', [1], several) is None
    assert fault_in('a,b\n"1\n1",2\n3,x\n', [1], several) == Fault(4, "x", "b", 2)
    assert fault_in('a,b\n3,"x\n\n"\n5,6\n', [1], several) == Fault(2, "x", "b", 2)
    one = fault_in('a,b\n1,2\n3,"4\n5"\n')
    assert (one.line, one.cells) == (3, -1)
    assert "not closed" in one.text


@given(
    st.integers(0, 60),
    st.integers(0, 60),
    st.sets(st.integers(0, 60)),
    st.sets(st.integers(0, 60)),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_rows_that_are_known_to_be_good(at, good, blank, quoted, end):
    """However many of the rows before it are skipped, the line is the same."""
    lines, line = ["a,b"], None
    for k in range(61):
        lines += [""] * (k in blank)
        if k == at:
            line = len(lines) + 1
        lines.append("1,x" if k == at else '"1",2' if k in quoted else "1,2")
    found = fault_in(end.join([*lines, ""]), known_good=min(good, at))
    assert found == Fault(line, "x", "b", 2)


def test_from_a_later_line_on():
    assert fault_in("1,2\n3,x\n", first_line=100) == Fault(101, "x", "b", 2)


def test_blanks_between_cells():
    form = form_of("a  b\n1  2\n3  4\n")
    assert fault_in("a b\n 1   2\n 3\tx \n", form=form) == Fault(3, "x", "b", 2)


@pytest.mark.parametrize(
    ("fault", "error", "fragments"),
    [
        (Fault(3, "x", "b", 2), ew.DataTypeError, ["'b'", "numbers", "'x'", "line 3", "na_values"]),
        (Fault(3, "3", None, 1), ew.DataError, ["line 3", "1 cell", "expected 2", "remove"]),
        (Fault(3, "a quote", None, -1), ew.DataError, ["line 3", "a quote", "correct it"]),
        (None, ew.DataError, ["cannot be read", "what the parser says", "complete"]),
    ],
)
def test_sentences(fault, error, fragments):
    said = told(fault, ValueError("what the parser says"), "file 'x'", form_of("a,b\n1,2\n"))
    assert type(said) is error
    assert all(fragment in str(said) for fragment in ["file 'x'", *fragments])


def test_hints():
    form = form_of("a,b\n1,2\n")
    assert "na_values" in hint(Fault(3, "?", "b", 2), form)
    assert "thousands" in hint(Fault(3, "1,234.5", "b", 2), form)
    assert hint(Fault(3, "red", "b", 2), form) == ""
    assert "--header" in hint(Fault(1, "red", "x1", 2), form_of("1.5,2\n2,3\n"))
    assert "--sep" in hint(Fault(2, "1^2", "a^b", 1), form_of("a^b\n1^2\n"))

"""Which lines hold names: in doubt, a line is a row, because names that are lost are not missed."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise.rows.readers.headers import counts_up, has_header, refuse_second_names
from edgewise.rows.reading import Reading


def cells(text):
    return [line.split(",") for line in text.split()]


NAMES = ["a,b 1,2", "a,b x,y", ",b 1,2", "a,2001,2002 1,2,3", "0,1 5,7", "2001,2002,2003 1.5,2,3"]
NAMES += ["a,b", "0,1,2", ",name,label 1,x,y", "a,?,c 1,?,2 3,4,5", "a,b 1,? ?,2 3,4"]
ROWS = ["1.5,2 1,2", "1,2 3,4", "NA,2 1,2", "NA,NA 1,2", "5,?,3 4,1,2", "5.5,unknown,3 4,1,2"]
ROWS += ["1,2,3 0,4,2 5,0,9", "u,1 v,2", "2020-01-01,1 2020-01-02,2", "5,3 1,2", "1.5,1.5"]


@pytest.mark.parametrize("text", NAMES)
def test_names(text):
    assert has_header(cells(text), Reading())
    assert not has_header(cells(text), Reading(header=False))


@pytest.mark.parametrize("text", ROWS)
def test_rows(text):
    assert not has_header(cells(text), Reading())
    assert has_header(cells(text), Reading(header=True))


def test_decimal_commas():
    rows = [["1,5", "2"], ["2,5", "3"]]
    assert not has_header(rows, Reading(), ",")
    assert has_header(rows, Reading(header=True), ",")


def test_missing_values_that_are_named():
    rows = [["x", "2"], ["1", "3"]]
    assert not has_header(rows, Reading(na_values=("x",)))


@pytest.mark.parametrize("text", ["kg,m 1,2 3,4", ",a,b 0,1,2 1,3,4"])
def test_a_second_line_of_names(text, refuses):
    call = lambda: refuse_second_names(cells(text), Reading(), ".", "file 'x'")  # noqa: E731
    refuses(call, ew.DataError, "file 'x'", "second line", "remove")


@pytest.mark.parametrize(
    "text", ["u,1 v,2", "?,? 1,2", "x,2 1,2", "u,v u,w", "kg,m", "u,v 1,x y,2"]
)
def test_no_second_line_of_names(text):
    """A label, a cell or two that are wrong, columns of text."""
    refuse_second_names(cells(text), Reading(), ".", "file 'x'")


def test_counting():
    assert counts_up(["1", "2", "3.0"])
    assert counts_up(["-1", "0"])
    for wrong in (["1"], ["1", "3"], ["2", "1"], ["1", "x"], ["0.5", "1.5"], []):
        assert not counts_up(wrong)

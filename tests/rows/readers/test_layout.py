"""Columns that number the rows are no variables, and those that measure are."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise.rows.readers.layout import layout_of
from edgewise.rows.reading import Reading


def layout(text, **reading):
    rows = [line.split(",") for line in text.split("/")]
    return layout_of(rows, Reading.checked(**reading), where="file 'x'")


INDEX = {
    ",a,b/1,0.5,2/2,0.1,3": ("",),
    ",a,b/u,0.5,2/v,0.1,3": ("",),
    ",a,b/0.0,0.5,2/0.5,0.1,3": ("",),
    ",a,b/9.5,0.5,2/8.5,0.1,3": ("",),
    ",a,b/0.3,0.5,2/0.1,0.1,3/0.7,1,1": (),
    "Unnamed: 0,a/0,1/1,4": ("Unnamed: 0",),
    "Unnamed: 0.1,Unnamed: 0,a/0,0,1/1,1,4": ("Unnamed: 0.1", "Unnamed: 0"),
    "id,a/1,5/2,6/3,1": ("id",),
    "id,a/1.0,5/2.0,6/3.0,1": ("id",),
    "ID,a/7,5/3,6/9,1": ("ID",),
    "id,a/7,5/7,6/9,1": (),
    "id,a/0.5,5/0.7,6/0.9,1": (),
    "id,a/1,5/2,6": (),
    "x,a/0,5/1,6/2,1": ("x",),
    "x,a/3,5/4,6/5,1": (),
    "index,a/5,5/1,6/2,1": (),
    "subject,a/1,5/2,6/3,1": (),
    "a,id/1,1/5,2/2,3": (),
    "a/1/2/3": (),
    "0,a/1,1/2,5/3,7": (),
}


@pytest.mark.parametrize("text", INDEX)
def test_index(text):
    found = layout(text)
    assert found.index == INDEX[text]
    assert len(found.index) == sum("left out" in note for note in found.index_notes)
    assert not any("numbers the rows" in note for note in found.notes)
    assert layout(text, index_col=False).index == ()


def test_index_that_is_said(refuses):
    assert layout("a,b/1,2/3,4", index_col="b").index == ("b",)
    assert layout("a,b/1,2/3,4", index_col=0).index == ("a",)
    assert layout("1.5,2/3,4", index_col=1).index == ("x1",)
    assert layout("1,0/5,2/3,4", index_col="1", header=True).index == ("1",)  # a name goes first
    refuses(lambda: layout("a,b/1,2", index_col="c"), ew.DataError, "'c'", "file 'x'", "'a', 'b'")
    refuses(lambda: layout("a,b/1,2", index_col=2), ew.DataError, "0 to 1", "file 'x'", "got 2")


def test_two_index_columns_without_names():
    found = layout(",,a/u,0,1.5/u,1,2")
    assert (found.names, found.places, found.n_cells, found.index) == (("a",), (2,), 3, ())
    assert len(found.notes) == 2


def test_names_that_lack_one(refuses):
    """R's names of rows, a separator at the ends of lines, or a mistake."""
    assert layout("a,b/1,5,6/2,7,8").names == ("", "a", "b")
    assert layout("a,b/5,6,/7,8,").names == ("a", "b")
    assert layout("a,b,/5,6/7,8").names == ("a", "b")
    refuses(lambda: layout("a,b/1,5,6/1,7,8"), ew.DataError, "2 names", "3 cells", "--sep")
    refuses(lambda: layout("a/1,5/2,7"), ew.DataError, "1 name ", "2 cells")


def test_empty_columns_at_the_end():
    found = layout("a,b,,/1,2,,/3,4,,")
    assert (found.names, found.n_cells) == (("a", "b"), 4)
    assert "last 2 columns" in found.notes[0]
    assert layout("a,b,/1,2,/3,4,5").names == ("a", "b", "")


def test_default_names():
    found = layout("1.5,2/3,4")
    assert (found.names, found.header) == (("x0", "x1"), False)
    assert "--header" in found.notes[0]
    assert layout("1.5,2/3,4", header=False).notes == ()

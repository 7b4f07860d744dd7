"""What a user says about the form of data is checked, each by its name."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise.rows.reading import CELLS, TEXT, Reading


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"sep": ";"}, ";"),
        ({"sep": "tab"}, "\t"),
        ({"sep": "\\t"}, "\t"),
        ({"sep": " "}, "whitespace"),
        ({"sep": "space"}, "whitespace"),
        ({"sep": r"\s+"}, "whitespace"),
        ({"decimal": ","}, ","),
        ({"encoding": "UTF8"}, "utf-8"),
        ({"encoding": "latin1"}, "iso8859-1"),
        ({"na_values": "?"}, ("?",)),
        ({"na_values": -999}, ("-999",)),
        ({"na_values": ["?", -1.5]}, ("?", "-1.5")),
        ({"header": False}, False),
        ({"index_col": "id"}, "id"),
        ({"index_col": 0}, 0),
        ({"index_col": False}, False),
        ({"sheet": 2}, 2),
    ],
)
def test_options(said, kept):
    (name,) = said
    reading = Reading.checked(**said)
    assert getattr(reading, name) == kept
    assert reading.given() == [name]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sep": ""},
        {"sep": ";;"},
        {"sep": "\n"},
        {"sep": '"'},
        {"sep": "ü"},
        {"sep": 5},
        {"decimal": ";"},
        {"decimal": True},
        {"encoding": "latin-99"},
        {"encoding": 8},
        {"header": "yes"},
        {"index_col": -1},
        {"index_col": 1.5},
        {"index_col": True},
        {"sheet": -1},
    ],
)
def test_options_that_are_refused(wrong, refuses):
    (name,) = wrong
    refuses(lambda: Reading.checked(**wrong), ew.ParameterError, name, "expected", "got")


def test_nothing_said():
    assert Reading.checked(sep=None, na_values=None, header=None) == Reading()
    assert Reading().given() == []


def test_options_that_mean_nothing(refuses):
    Reading(sep=";").refuse_unless(TEXT, "a CSV file")
    Reading(header=False, index_col=False).refuse_unless(CELLS, "a workbook")
    for said in (Reading(sep=";"), Reading(header=False), Reading(na_values=("?",))):
        refuses(
            lambda said=said: said.refuse_unless((), "an array"),
            ew.ParameterError,
            said.given()[0],
            "an array",
            "leave the option out",
        )

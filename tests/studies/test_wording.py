"""Numbers of a study in sentences."""

from __future__ import annotations

import pytest

from edgewise.studies.study import Cell
from edgewise.studies.wording import draws_of, last_size, sizes_of, values_of


def cells(*draws, **parameters):
    return [Cell(parameters, n) for n in draws]


@pytest.mark.parametrize(
    ("draws", "text"), [([100, 100], "100"), ([1000], "1 000"), ([20, 5, 10], "5 to 20")], ids=str
)
def test_draws(draws, text):
    assert draws_of(cells(*draws)) == text


def test_values():
    two = [Cell({"p": p, "n": 10_000}, 1) for p in (14, 6, 6)]
    assert values_of(two, "p") == "6, 14"
    assert values_of(two, "n") == "10 000"


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ([5000], "n = 5 000"),
        ([100_000, 500_000], "n = 100 000 and 500 000"),
        (
            list(range(10_000, 1_010_001, 10_000)),
            "n = 10 000, 20 000, …, 1 010 000 (101 even steps)",
        ),
    ],
    ids=["one", "two", "many"],
)
def test_sizes(sizes, text):
    made = cells(1, sizes=sizes)
    assert sizes_of(made) == text
    assert text.split(" (")[0].endswith(last_size(made))

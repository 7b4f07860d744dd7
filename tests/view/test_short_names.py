"""Short names lose what all share, keep both ends, and are never the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.view.short_names import short_names


@pytest.mark.parametrize(
    ("names", "most", "expected"),
    [
        (["a", "b"], 4, ["a", "b"]),
        (["Adjusted close A", "Adjusted close B"], 16, ["Adjusted close A", "Adjusted close B"]),
        (["Adjusted close A", "Adjusted close B"], 15, ["A", "B"]),
        ([f"probe_channel_{k}_left_side" for k in range(2)], 12, ["channel_0", "channel_1"]),
        (["price in euro", "weight in euro"], 8, ["price", "weight"]),
        (["alphabetical", "alphanumeric"], 7, ["alp…cal", "alp…ric"]),
        # The common words are the whole of one name: nothing would be left of it.
        (["close price ", "close price of gold"], 12, ["close price ", "close … gold"]),
    ],
)
def test_examples(names, most, expected):
    assert short_names(names, most) == expected


def test_names_that_differ_only_in_the_middle():
    names = [f"{'x' * 20}{letter}{'y' * 20}" for letter in "abc"]
    short = short_names(names, 12)
    assert [text for text in short if len(text) > 12] == []
    assert [letter in text for letter, text in zip("abc", short, strict=True)] == [True] * 3


def test_one_name():
    assert short_names(["a very long name of one column"], 9) == ["a ve…lumn"]


@given(
    st.lists(st.text("ab_ \x07…·2", max_size=14), min_size=1, max_size=12, unique=True),
    st.integers(5, 10),
)
def test_never_the_same_and_never_too_long(names, most):
    short = short_names(names, most)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= most
    assert all(text.isprintable() for text in short)

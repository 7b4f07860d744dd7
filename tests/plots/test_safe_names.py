"""Names as text that is safe to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.plots.safe_names import printable, short_names, shortened, shortened_inside


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[31mb", "a\ufffd[31mb"),
        ("line\nbreak", "line\ufffdbreak"),
        ("\ttab\r\x00\x7f", "\ufffdtab\ufffd\ufffd\ufffd"),
        ("\u202etxet", "\ufffdtxet"),  # turns the text that follows around
        ("zero\u200bwidth", "zero\ufffdwidth"),
        ("\ud800", "\ufffd"),  # half a character, which no terminal can encode
    ],
    ids=ascii,
)
def test_what_would_act_on_the_terminal_is_replaced(name, shown):
    assert printable(name) == shown
    assert len(shown) == len(name)


def test_shortened_at_the_end_and_inside():
    for name, most, at_the_end, inside in (
        ("short", 5, "short", "short"),
        ("longer", 6, "longer", "longer"),
        ("longer", 3, "lo…", "l…r"),
        ("longer", 2, "l…", "l…"),
        ("temperature_2023", 9, "temperat…", "temp…2023"),
        ("temperature_2023", 8, "tempera…", "temp…023"),
        ("a\x1bbc", 3, "a\ufffd…", "a…c"),
        ("", 3, "", ""),
    ):
        assert shortened(name, most) == at_the_end
        assert shortened_inside(name, most) == inside
    assert shortened("longer", 1) == "…"


@pytest.mark.parametrize(
    ("names", "most", "expected"),
    [
        (["a", "b"], 4, ["a", "b"]),
        (["Adjusted close A", "Adjusted close B"], 16, ["Adjusted close A", "Adjusted close B"]),
        (["Adjusted close A", "Adjusted close B"], 15, ["A", "B"]),
        ([f"probe_channel_{k}_left_side" for k in range(2)], 12, ["channel_0", "channel_1"]),
        (["price in euro", "weight in euro"], 8, ["price", "weight"]),
        (["alphabetical", "alphanumeric"], 7, ["alp…cal", "alp…ric"]),
        (
            ["Close of A in the year (new)", "Close of B in the year (old)"],
            10,
            ["A in …new)", "B in …old)"],
        ),
        # The common words are the whole of one name: nothing would be left of it.
        (["close price ", "close price of gold"], 12, ["close price ", "close … gold"]),
    ],
)
def test_examples(names, most, expected):
    assert short_names(names, most) == expected


@given(
    st.lists(st.text("ab_ \x07…·2", max_size=14), min_size=1, max_size=12, unique=True),
    st.integers(5, 10),
)
def test_never_the_same_and_never_too_long(names, most):
    short = short_names(names, most)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= most
    assert all(text.isprintable() for text in short)

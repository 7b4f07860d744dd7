"""Names as text that is safe to show."""

from __future__ import annotations

import pytest

from edgewise.view.safe_names import printable, shortened, shortened_inside


@pytest.mark.parametrize(
    "name", ["", "a", "two words", "naïve – ü", "名前", "🙂", "$x^2$", "[red]x"]
)
def test_what_can_be_shown_stays(name):
    assert printable(name) == name


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


@pytest.mark.parametrize(
    ("name", "most", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("longer", 6, "longer"),
        ("longer", 1, "…"),
        ("a\x1bbc", 3, "a\ufffd…"),
        ("", 3, ""),
    ],
)
def test_shortened(name, most, shown):
    assert shortened(name, most) == shown
    assert len(shortened(name, most)) <= most


def test_hostile_names_fit(hostile_names):
    for name in hostile_names:
        text = shortened(name, 20)
        assert len(text) <= 20
        assert text.isprintable()


def test_what_is_kept():
    assert printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb\ufffd"


@pytest.mark.parametrize(
    ("name", "most", "shown"),
    [
        ("short", 5, "short"),
        ("temperature_2023", 9, "temp…2023"),
        ("temperature_2023", 8, "temp…023"),
        ("longer", 3, "l…r"),
        ("longer", 2, "l…"),
        ("a\x1bbc", 3, "a…c"),
        ("", 3, ""),
    ],
)
def test_shortened_inside(name, most, shown):
    assert shortened_inside(name, most) == shown

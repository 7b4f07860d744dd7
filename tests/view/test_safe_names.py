"""Names as text that is safe to show."""

from __future__ import annotations

import pytest

from edgewise.view.safe_names import printable, shortened


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

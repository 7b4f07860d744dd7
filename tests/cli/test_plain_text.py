"""Characters that an encoding lacks are spelled out."""

from __future__ import annotations

import pytest

from edgewise.cli.plain_text import PLAIN, plain, spelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|Θ| ≥ 0.5 – as |ρ|", "|Theta| >= 0.5 - as |rho|"),
        ("Cov(Σ̂_ij)", "Cov(Sigma^_ij)"),
        ("4³ × 10⁻² x₀ ½ …", "4^3 x 10^-^2 x_0 1/2 ..."),
        ("ijkl → 1", "ijkl -> 1"),
        ("┏━┳┃│└─┘╸", "+-+||+-+-"),
        ("⠋ █", "* #"),
        ("naïve 漢 \udcff �", "na\\xefve \\u6f22 \\udcff ?"),
        ("plain", "plain"),
    ],
)
def test_in_ascii(text, expected):
    assert plain(text, "ascii") == expected
    assert text.encode("ascii", PLAIN).decode() == expected


def test_only_what_is_missing_changes():
    assert plain("naïve – Θ", "cp1252") == "naïve – Theta"
    assert plain("naïve – Θ", "latin-1") == "naïve - Theta"
    assert plain("naïve – Θ", "utf-8") == plain("naïve – Θ", None) == "naïve – Θ"
    assert plain("\udcff", "utf-8") == "\\udcff"


def test_every_character_has_a_spelling():
    for code in range(0x11000):
        assert spelled(chr(code)).isascii()


def test_it_does_not_hide_what_cannot_be_read():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", PLAIN)

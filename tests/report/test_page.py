"""What all pages share."""

from __future__ import annotations

import re

from edgewise.report import page
from edgewise.view import style


def test_pages_and_plots_have_the_same_colours_of_communities():
    sheet = page.own_file("style/base.css")
    found = re.findall(r"--c\d: (#\w+);", sheet)
    assert [colour.lower() for colour in style.COMMUNITIES] == found[: len(style.COMMUNITIES)]


def test_what_is_packed_is_unpacked():
    for text in ("", "a", "ab<c>&", "Θ̂ and 漢字" * 50):
        packed = page.packed(text)
        assert page.unpacked(packed) == text
        assert not set("<>&'\"\\\n ") & set(packed)

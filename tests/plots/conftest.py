"""Fixtures of the tests of plots."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _matplotlib(require):
    require("matplotlib")

"""Fixtures of the tests of the command line."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def table_of():
    """The table that a command printed: the cells of each line, by the first of them."""

    def cells(done):
        lines = [line for line in done.stdout.splitlines() if line.startswith("│ ")]
        rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
        return {first: others for first, *others in rows}

    return cells

"""What the tests of studies ask of findings."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def holds():
    """Whether the one claim that says this is found to hold."""

    def ask(findings, *fragments):
        said = [c for c in findings.claims if all(part in c.says for part in fragments)]
        assert len(said) == 1, [claim.says for claim in findings.claims]
        assert said[0].measured
        return said[0].holds

    return ask


@pytest.fixture(scope="session")
def records():
    """The rows of a table that has as many values as columns, by their columns."""

    def read(findings, n_rows):
        columns, rows = findings.table.columns, findings.table.rows
        assert len(rows) == n_rows
        assert len(set(columns)) == len(columns)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    return read


@pytest.fixture(scope="session")
def can_be_drawn():
    """A picture of odd numbers, without a warning; that of ordinary ones is seen in the smoke."""

    def check(findings):
        figure = findings.draw()
        figure.draw_without_rendering()
        return all(ax.get_xlabel() and ax.get_title() for ax in figure.axes)

    return check

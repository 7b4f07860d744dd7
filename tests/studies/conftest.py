"""What the tests of studies ask of findings, and a cluster for them."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def client(require):
    """Of two workers of two threads, all of them in this process."""
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": False}
    cluster = require("distributed").LocalCluster(**options, dashboard_address=":0")
    with cluster, cluster.get_client() as made:
        yield made


@pytest.fixture(scope="session")
def verdict():
    """Of the one claim that says this."""

    def ask(findings, *fragments):
        said = [c for c in findings.claims if all(part in c.says for part in fragments)]
        assert len(said) == 1, [claim.says for claim in findings.claims]
        assert said[0].measured
        return said[0].verdict

    return ask


@pytest.fixture(scope="session")
def records():
    """The rows of a table by their columns."""

    def read(findings, n_rows):
        columns, rows = findings.table.columns, findings.table.rows
        assert len(rows) == n_rows
        return [dict(zip(columns, row, strict=True)) for row in rows]

    return read

"""What the tests of studies ask of findings, and a cluster for them."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def cluster_of(require):
    """A Dask cluster within this process, or of processes; for `with`."""

    def make(*, n_workers, threads_per_worker, processes=False):
        return require("distributed").LocalCluster(
            n_workers=n_workers,
            threads_per_worker=threads_per_worker,
            processes=processes,
            dashboard_address=":0",
        )

    return make


@pytest.fixture(scope="module")
def client(cluster_of):
    """Of two workers of two threads, all of them in this process."""
    with cluster_of(n_workers=2, threads_per_worker=2) as cluster, cluster.get_client() as made:
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
        letters = [f"({letter}) " for letter in "abcdefgh"[: len(figure.axes)]]
        titled = [ax.get_title().startswith(x) for x, ax in zip(letters, figure.axes, strict=True)]
        return all(titled) and all(ax.get_xlabel() for ax in figure.axes)

    return check

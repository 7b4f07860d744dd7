"""The data sets that come with edgewise."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise import datasets


def test_returns():
    table = datasets.load_sp500_returns()
    assert table.shape == (8312, 20)
    assert "Date" not in table.column_names
    assert all(column.null_count == 0 for column in table.columns)


def test_returns_with_dates(require):
    pa = require("pyarrow")
    plain, dated = datasets.load_sp500_returns(), datasets.load_sp500_returns(dates=True)
    assert dated.column_names == ["Date", *plain.column_names]
    assert pa.types.is_temporal(dated.schema.field("Date").type)
    days = dated["Date"].to_pylist()
    assert days == sorted(days)
    assert (days[0].year, days[-1].year) == (1990, 2022)
    assert dated.drop_columns(["Date"]).equals(plain)


def test_sachs():
    table = datasets.load_sachs()
    assert table.shape == (7466, 11)
    assert all(column.null_count == 0 for column in table.columns)
    consensus = datasets.load_sachs_consensus()
    assert len(set(consensus)) == 18
    assert {name for edge in consensus for name in edge} <= set(table.column_names)
    assert all(cause != effect for cause, effect in consensus)


def test_the_files_are_small_and_their_origin_is_told():
    from importlib.resources import files

    folder = files(datasets) / "data"
    sizes = [
        len((folder / name).read_bytes()) for name in ("sp500_prices.parquet", "sachs.parquet")
    ]
    assert sum(sizes) <= 1_000_000
    assert (folder / "README.md").is_file()


@pytest.mark.parametrize(("method", "edges"), [("score", 50), ("fisher", 68)])
def test_edges_among_the_returns(method, edges):
    result = ew.edge_test(
        datasets.load_sp500_returns(), method=method, correction="bonferroni", alpha=0.05
    )
    assert result.n_edges == edges

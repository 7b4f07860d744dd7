"""`transform="diff"` and "log-diff": `numpy.diff` of all rows, whatever holds them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.tables.open import as_table
from edgewise.tables.table import all_rows

CHANGES = {"diff": lambda X: np.diff(X, axis=0), "log-diff": lambda X: np.diff(np.log(X), axis=0)}


@pytest.fixture(scope="module")
def prices(rows):
    return np.exp(0.01 * np.cumsum(rows, axis=0))


def several(kit, ending):
    parts = np.split(kit.prices, [1, 150, 151])
    return [kit.save(f"{k}.{ending}", "abcd", X) for k, X in enumerate(parts)]


CONTAINERS = {
    "array": lambda kit: kit.prices,
    "list": lambda kit: kit.prices.tolist(),
    "pandas": lambda kit: kit.require("pandas").DataFrame(kit.prices, columns=list("abcd")),
    "polars": lambda kit: kit.require("polars").DataFrame(kit.prices, schema=list("abcd")),
    "LazyFrame": lambda kit: kit.require("polars").LazyFrame(kit.prices, schema=list("abcd")),
    "Arrow": lambda kit: pa.table(dict(zip("abcd", kit.prices.T, strict=True))),
    "mapping": lambda kit: dict(zip("abcd", kit.prices.T, strict=True)),
    "iterator": lambda kit: iter(np.split(kit.prices, [0, 1, 130])),
    "CSV": lambda kit: kit.save("r.csv", "abcd", kit.prices),
    "Parquet": lambda kit: kit.save("r.parquet", "abcd", kit.prices),
    "CSV files": lambda kit: several(kit, "csv"),
    "Parquet files": lambda kit: several(kit, "parquet"),
    "partitions": lambda kit: kit.in_parts(kit.prices),
    "partitions of unknown length": lambda kit: kit.in_parts(kit.prices, known=False),
}


@pytest.fixture
def whole(kit, prices, in_parts, block_size):
    kit.prices, kit.in_parts = prices, in_parts
    block_size(37)
    return kit


@pytest.mark.parametrize("transform", CHANGES)
@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container(whole, name, transform):
    expected = CHANGES[transform](whole.prices)
    table = as_table(CONTAINERS[name](whole), transform=transform)
    assert table.n_rows in (399, None)
    np.testing.assert_allclose(all_rows(table), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["score", "batch", "trace", "kendall", "auto"])
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_every_method(whole, prices, method):
    for name in ("array", "CSV files", "partitions"):
        found = ew.edge_test(CONTAINERS[name](whole), method=method, transform="log-diff")
        expected = ew.edge_test(CHANGES["log-diff"](prices), method=method)
        assert found.provenance.transform == "log-diff"
        assert found.n_samples == 399
        for field in ("precision", "statistic", "threshold"):
            mine, theirs = getattr(found, field), getattr(expected, field)
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-7)


def test_rows_of_one_cluster(prices):
    labels = np.repeat(np.arange(40), 10)
    found = ew.edge_test(prices, method="score", transform="diff", clusters=labels)
    expected = np.concatenate([np.diff(part, axis=0) for part in np.split(prices, 40)])
    assert found.n_samples == 360
    np.testing.assert_allclose(found.covariance, np.cov(expected, rowvar=False), rtol=1e-9)


def test_a_missing_value_takes_two_differences(prices):
    X = prices.copy()
    X[200, 1] = np.nan
    assert ew.edge_test(X, transform="diff", missing="drop").n_dropped == 2
    assert ew.edge_test(X, transform="diff", method="score").provenance.n_missing == (0, 2, 0, 0)


def test_what_is_refused(prices, rows, refuses):
    refuses(lambda: ew.edge_test(rows, transform="log-diff"), DataError, "'x0'", "0 or below")
    call = lambda: ew.edge_test(prices, transform="diff", weights=np.ones(400))  # noqa: E731
    refuses(call, ParameterError, "weights")
    refuses(lambda: ew.edge_test(prices, transform="dif"), ParameterError, "did you mean 'diff'")


def test_the_command_line(run_edgewise, save, prices):
    path = save("prices.csv", "abcd", prices)
    done = run_edgewise("test", str(path), "--transform", "diff")
    assert "399 rows" in done.stdout

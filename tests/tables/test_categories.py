"""Columns of categories in `given` become indicators, wherever they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import edgewise as ew
from edgewise.errors import DataError

N = 400
rng = np.random.default_rng(0)
CITY = rng.choice(["Köln", "Lima", "Oslo", "Rome"], N)
SEX = rng.choice(["f", "m"], N)
X = rng.standard_normal((N, 4)) + 2 * (CITY == "Oslo")[:, None] + (SEX == "m")[:, None]
X[:, 1] += 0.5 * X[:, 0]
NAMES = ["a", "b", "c", "d"]
TABLE = pa.table([*X.T, SEX, CITY], names=[*NAMES, "sex", "city"])


def by_hand(table=X, city=CITY, sex=SEX):
    levels = [(sex, "m"), *((city, one) for one in ("Köln", "Lima", "Rome"))]
    return np.column_stack([table, *(column == level for column, level in levels)])


def frame(kind):
    def made(folder):
        module = pytest.importorskip(kind)
        data = {name: TABLE[name].to_pylist() for name in TABLE.column_names}
        return module.DataFrame(data)

    return made


def categorical(folder):
    data = frame("pandas")(folder)
    return data.astype({"city": "category"})


def written(folder, name="rows.csv"):
    csv.write_csv(TABLE, folder / name)
    return folder / name


def in_parts(folder):
    for number, start in enumerate(range(0, N, 100)):
        parquet.write_table(TABLE.slice(start, 100), folder / f"{number}.parquet")
    return folder


SOURCES = {
    "Arrow": lambda folder: TABLE,
    "pandas": frame("pandas"),
    "categories of pandas": categorical,
    "polars": frame("polars"),
    "CSV": written,
    "Parquet": in_parts,
    "a mapping": lambda folder: {name: TABLE[name].to_pylist() for name in TABLE.column_names},
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("method", ["score", "batch"])
def test_the_same_as_indicators_by_hand(source, method, tmp_path):
    found = ew.edge_test(SOURCES[source](tmp_path), method=method, given=["sex", "city"])
    expected = ew.edge_test(by_hand(), method=method, given=["x4", "x5", "x6", "x7"])
    np.testing.assert_allclose(found.log_pvalue[:4, :4], expected.log_pvalue[:4, :4], rtol=1e-8)
    assert [(edge.source, edge.target) for edge in found.edges()] == [("a", "b")]
    assert found.n_features == 8
    assert "'city' (3" in found.notes[-1]
    assert "(3 indicators of 4 categories)" in found.notes[-1]


def test_on_a_cluster(require):
    frame = require("dask.dataframe").from_pandas(SOURCES["pandas"](None), npartitions=3)
    found = ew.edge_test(frame, method="score", given=["sex", "city"])
    expected = ew.edge_test(TABLE, method="score", given=["sex", "city"])
    np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-8)


def test_missing_ones_beside_clusters_and_for_one_pair(tmp_path, run_edgewise):
    cities = [None if k % 50 == 0 else city for k, city in enumerate(CITY.tolist())]
    holes = TABLE.set_column(5, "city", pa.array(cities))
    known = np.array([city is not None for city in cities])
    found = ew.edge_test(holes, method="score", given="city", missing="drop")
    assert found.n_samples == known.sum()
    clustered = TABLE.append_column("who", pa.array(np.arange(N) // 10))
    found = ew.edge_test(clustered, given=["sex", "city"], clusters="who")
    expected = ew.edge_test(by_hand(), given=["x4", "x5", "x6", "x7"], clusters=np.arange(N) // 10)
    np.testing.assert_allclose(found.log_pvalue[:4, :4], expected.log_pvalue[:4, :4], rtol=1e-8)
    pair = ew.partial_test(TABLE, "a", "b", given=["c", "city"])
    assert pair.pvalue < 1e-6
    written(tmp_path)
    done = run_edgewise("test", "rows.csv", "--given", "sex,city", cwd=tmp_path)
    assert "1 of 6 possible edges" in done.stdout
    assert "Adjusted for as categories" in done.stderr


def test_what_is_refused(refuses):
    names = TABLE.append_column("name", pa.array([f"N{k}" for k in range(N)]))
    refuses(lambda: ew.edge_test(names, given="name"), DataError, "'name'", "50 categories")
    refuses(
        lambda: ew.edge_test(iter(TABLE.to_batches()), method="batch", given="city"),
        DataError,
        "'city'",
    )

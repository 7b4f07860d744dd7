"""Every kind of pass gives, of partitions on Dask and Spark, the numbers of one pass here."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, EdgewiseError

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

XS = ["x0", "x1", "x2", "x3"]
# Of x1 some values are missing. x4 numbers 25 subjects; x5 are weights, x6 frequencies.
PLAIN = {"columns": XS, "missing": "drop"}
PAIRWISE = {"columns": XS, "missing": "pairwise"}
PASSES = {
    "sums": {"method": "fisher", **PLAIN},
    "two passes of sums": {"method": "trace", "standardize": True, **PLAIN},
    "score": {"method": "score", **PLAIN},
    "wald": {"method": "wald", **PLAIN},
    "rows in a support": {
        "method": ew.methods.Whitened(radius="bernstein", support=(-9, 9)),
        **PLAIN,
    },
    "products": {"method": "eig", "solver": "matrix-free", **PLAIN},
    "the matrix of products": {"method": "eig", "solver": "full", **PLAIN},
    "batches": {"method": "batch", "n_batches": 20, "correction": "maxt", **PLAIN},
    "batches of every row": {"method": "batch", "n_batches": 20, "exclude": ["x1", "x4"]},
    "concordance": {"method": "kendall", **PLAIN},
    "regressions": {"method": "nodewise", **PLAIN},
    "fourth moments": {"method": "elliptical", **PLAIN},
    "clusters": {"method": "wald", "clusters": "x4", **PLAIN},
    "pairs": {"method": "score", **PAIRWISE},
    "weighted pairs": {"method": "batch", "weights": "x5", **PAIRWISE},
    "weights": {"method": "score", "weights": "x5", **PLAIN},
    "normal scores": {"method": "score", "transform": "normal-scores", "clusters": "x4", **PLAIN},
    "differences": {"method": "score", "transform": "diff", **PLAIN},
    "differences in batches": {
        "method": "batch",
        "n_batches": 20,
        "transform": "diff",
        "columns": ["x0", "x2", "x3"],
    },
}


@pytest.fixture(scope="module")
def table(rows):
    rng = np.random.default_rng(9)
    X = np.array(rows)
    X[rng.random(400) < 0.1, 1] = np.nan
    weights = rng.exponential(size=400) + 0.1
    weights[::40] = 0.0
    return np.column_stack([X, rng.permutation(400) % 25, weights, rng.integers(0, 4, 400)])


@pytest.fixture(scope="module")
def expected(table, tmp_path_factory):
    """Of a file, which is read again for every pass, as a cluster does."""
    path = tmp_path_factory.mktemp("stored") / "rows.npy"
    np.save(path, table)
    return {name: asked_of(path, **asked) for name, asked in PASSES.items()}


def asked_of(data, client=None, **asked):
    return ew.edge_test(ew.open_table(data, client=client), **asked)


@pytest.fixture
def check(expected, same_result):
    def check(data, **more):
        faults = []
        for name, asked in PASSES.items():
            wanted = expected[name]
            try:
                found = asked_of(data, **asked, **more)
                same_result(found, wanted)
                for field in ("n_dropped", "n_missing", "pair_rows", "n_clusters"):
                    np.testing.assert_equal(
                        *(getattr(one.provenance, field) for one in (found, wanted))
                    )
            except (AssertionError, EdgewiseError) as error:
                faults.append(f"{name}: {error}")
        assert not faults, "\n".join(faults)

    return check


@pytest.mark.parametrize("lengths", [(47,) * 8 + (24,), (1, 399)], ids=len)
@pytest.mark.usefixtures("one_after_the_other")
def test_a_dask_array(da, table, check, lengths):
    check(da.from_array(table, chunks=(lengths, 7)))


def test_a_dask_frame(frame_of, client, table, check):
    check(frame_of(table, (0, 0, 150, 0, 250, 0)), client=client)


def test_files_on_dask(files_of, client, table, check):
    check(files_of(table, (100, 1, 299)), client=client)


def test_a_spark_frame(cut, table, check):
    check(cut(table, [0, 0, 5, 5, 400]).cache())


@pytest.mark.usefixtures("one_after_the_other")
def test_labels_of_text(dd, pd, cut, table, same_result):
    frame = pd.DataFrame(table[:, [0, 4, 2, 3]], columns=["x0", "who", "x2", "x3"])
    frame["who"] = [f"subject {number:.0f}" for number in table[:, 4]]
    expected = ew.edge_test(frame, clusters="who")
    parts = dd.from_pandas(frame, npartitions=3)
    there = cut(table, [0, 9, 400]).selectExpr(
        "x0", "concat('subject ', cast(x4 as int)) AS who", "x2", "x3"
    )
    for data in (parts, parts.astype({"who": "category"}), there):
        same_result(ew.edge_test(data, clusters="who"), expected)


def test_chosen_columns(da, frame_of, cut, rows, same_result):
    expected = ew.edge_test(rows[:, [3, 0]])
    fewer = ew.edge_test(rows[:, [0, 2, 3]])
    for data in (da.from_array(rows.copy(), chunks=(90, 4)), frame_of(rows, (400,)),
                 cut(rows, [0, 9, 400])):  # fmt: skip
        same_result(ew.edge_test(data, columns=["x3", "x0"]), expected, names=("x3", "x0"))
        named = ew.edge_test(data, exclude="x1", feature_names=list("pqr"))
        same_result(named, fewer, names="pqr")
        with pytest.raises(DataError, match=r"exclude: .* has no column 'z'"):
            ew.edge_test(data, exclude="z")


@pytest.mark.usefixtures("one_after_the_other")
def test_concordance_of_many_rows(da, same_result):
    """Blocks of 128 rows, as in one stream; rows that fill none are compared at the end."""
    X = np.random.default_rng(3).standard_cauchy((14_000, 3)) @ np.tri(3)
    expected = ew.edge_test(X, method="kendall")
    result = ew.edge_test(da.from_array(X, chunks=(2000, 3)), method="kendall")
    assert result.n_samples == 14_000
    # Other pairs of rows: within a fraction of the standard error, 0.009.
    gap = result.partial_correlation - expected.partial_correlation
    assert np.abs(gap).max() < 0.004
    whole = ew.edge_test(da.from_array(X[: 108 * 128], chunks=(27 * 128, 3)), method="kendall")
    same_result(whole, ew.edge_test(X[: 108 * 128], method="kendall"))


def test_states_and_the_estimator(da, cut, rows, same_result):
    expected = ew.edge_test(np.concatenate([rows, rows]), method="trace")
    for data in (da.from_array(rows.copy(), chunks=(90, 4)), cut(rows, [0, 5, 400])):
        state = ew.accumulate(data) + ew.accumulate(rows + 0.0)
        result = ew.edge_test(state, method="trace")
        same_result(result, expected, names=result.feature_names)
        same_result(ew.EdgeTest().fit(data).result_, ew.edge_test(rows))

"""`lags`: each row beside those before it, wherever the rows are, and the edges from the past."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from scipy.signal import lfilter

import edgewise as ew
from edgewise.errors import ParameterError

N, P = 300, 4
rng = np.random.default_rng(0)
NOISE = rng.standard_t(6, (N, P))
NOISE[:, 2] += 0.6 * NOISE[:, 1]
SERIES = lfilter([1], [1, -0.6], NOISE, axis=0)
SERIES[1:, 0] += 0.5 * SERIES[:-1, 3]
NAMES = ["a", "b", "c", "d"]


def beside(rows, lags):
    n = len(rows)
    return np.hstack([rows[lags - lag : n - lag] for lag in range(lags + 1)])


def past(lags):
    return [f"{name}[t-{lag}]" for lag in range(1, lags + 1) for name in NAMES]


def files(folder):
    for number, part in enumerate(np.array_split(SERIES, [1, 3, 120])):
        pq.write_table(pa.table(list(part.T), names=NAMES), folder / f"{number}.parquet")
    return folder


SOURCES = {
    "an array": lambda folder: ew.open_table(SERIES, feature_names=NAMES),
    "files, some shorter than the lags": files,
    "a frame": lambda folder: pa.table(list(SERIES.T), names=NAMES),
}


@pytest.mark.parametrize("method", ["score", "batch"])
@pytest.mark.parametrize("lags", [1, 3])
@pytest.mark.parametrize("source", SOURCES)
def test_the_same_as_columns_that_are_joined_by_hand(source, lags, method, tmp_path):
    found = ew.edge_test(SOURCES[source](tmp_path), method=method, lags=lags)
    joined = pa.table(list(beside(SERIES, lags).T), names=[*NAMES, *past(lags)])
    expected = ew.edge_test(joined, method=method, given=past(lags))
    assert found.feature_names == expected.feature_names
    assert found.given == tuple(past(lags))
    np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-9)
    assert [(edge.source, edge.target) for edge in found.edges()] == [("b", "c")]


def test_of_differences_and_within_clusters():
    level, subject = np.cumsum(SERIES, axis=0), np.repeat(np.arange(30), 10)
    found = ew.edge_test(level, lags=1, transform="diff", method="score")
    expected = ew.edge_test(SERIES[1:], lags=1, method="score")
    np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-6)
    each = [beside(SERIES[subject == k], 2) for k in range(30)]
    expected = ew.edge_test(
        np.concatenate(each),
        clusters=np.repeat(np.arange(30), 8),
        given=[f"x{k}" for k in range(4, 12)],
        method="score",
    )
    found = ew.edge_test(SERIES, lags=2, clusters=subject, method="score")
    np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-9)


def test_covariates_have_no_past():
    subject, age = np.repeat(np.arange(30), 10), np.repeat(rng.standard_normal(30), 10)
    table = pa.table([*SERIES.T, age], names=[*NAMES, "age"])
    found = ew.edge_test(table, lags=1, given=["age"], clusters=subject)
    assert found.given == ("age", *past(1))
    assert len(found.lagged) == P * P
    assert {(edge.source, edge.target) for edge in found.lagged if edge.reject} >= {("d", "a")}


def test_missing_values():
    holes = np.where(np.random.default_rng(1).random(SERIES.shape) < 0.03, np.nan, SERIES)
    for missing in ("auto", "pairwise", "drop"):
        found = ew.edge_test(holes, lags=1, missing=missing)
        assert len(found.lagged) == P * P
        assert found.lagged[0].pvalue < 1e-6


def test_edges_from_the_past():
    found = ew.edge_test(ew.open_table(SERIES, feature_names=NAMES), lags=1)
    assert len(found.lagged) == P * P
    edges = {(edge.source, edge.target) for edge in found.lagged if edge.reject}
    assert edges == {*zip(NAMES, NAMES, strict=True), ("d", "a")}
    one = next(edge for edge in found.lagged if (edge.source, edge.target) == ("d", "a"))
    # The slow statement: what is left of d before and a now, given the others before.
    rows = beside(SERIES, 1)
    rest = np.column_stack([np.ones(N - 1), rows[:, 4:7]])
    left = rows[:, [7, 0]] - rest @ np.linalg.lstsq(rest, rows[:, [7, 0]])[0]
    assert one.partial_correlation == pytest.approx(stats.pearsonr(*left.T)[0], rel=1e-9)
    log_p = sorted(edge.pvalue for edge in found.lagged)
    assert found.lagged[0].adjusted_pvalue == pytest.approx(log_p[0] * P * P)
    again = ew.EdgeTestResult.from_json(found.to_json())
    assert again.lagged == found.lagged
    assert "From the rows before: 5 of 16 directed edges." in str(found)


def test_what_depends_on_more_rows_before_takes_batch():
    rows = lfilter([1], [1, 0, 0, -0.6], np.random.default_rng(1).standard_normal((600, P)), axis=0)
    assert ew.edge_test(rows, lags=3).method == "score"
    assert ew.edge_test(rows).method == "batch"
    walk = np.cumsum(NOISE, axis=0)
    assert not ew.edge_test(walk, lags=1).cautions  # no level: the row before takes it away


def test_the_estimator_and_the_command_line(run_edgewise, tmp_path):
    fitted = ew.EdgeTest(lags=1).fit(SERIES)
    assert len(fitted.result_.lagged) == P * P
    np.save(tmp_path / "rows.npy", SERIES)
    done = run_edgewise("test", "rows.npy", "--lags", "1", cwd=tmp_path)
    assert "x3[t-1] → x0" in done.stdout


def test_what_is_refused(refuses):
    for options, words in (
        ({"weights": np.ones(N)}, ("`lags` and `weights`",)),
        ({"transform": "normal-scores"}, ("`lags` and transform",)),
        ({"method": "fisher"}, ("lags",)),
    ):
        refuses(
            lambda options=options: ew.edge_test(SERIES, lags=1, **options), ParameterError, *words
        )
    refuses(lambda: ew.edge_test(ew.accumulate(SERIES), lags=1), ParameterError, "lags", "state")
    refuses(
        lambda: ew.compare_groups(SERIES, SERIES[:200] + 1, method="batch", lags=1),
        ParameterError,
        "lags",
    )

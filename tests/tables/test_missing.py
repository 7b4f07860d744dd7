"""`missing=` where rows are opened: refused, left out, or seen as they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.tables.open import as_table
from edgewise.tables.options import options_of

PAIRWISE = {"missing": "pairwise"}


@pytest.fixture(scope="module")
def gaps(rows):
    """`rows` without some values: 10 of x1 alone, 5 of x2 alone, 3 of x0 and x3."""
    X = np.array(rows)
    X[:10, 1] = np.nan
    X[10:15, 2] = np.inf
    X[15:18, [0, 3]] = np.nan
    X.flags.writeable = False
    return X


@pytest.fixture(scope="module")
def expected(gaps):
    return {method: ew.edge_test(gaps, method=method, **PAIRWISE) for method in ("score", "batch")}


def same(result, expected, names="abcd"):
    assert result.feature_names == tuple(names)
    assert result.provenance.n_missing == expected.provenance.n_missing
    np.testing.assert_array_equal(result.provenance.pair_rows, expected.provenance.pair_rows)
    for field in ("covariance", "statistic", "log_pvalue"):
        mine, theirs = getattr(result, field), getattr(expected, field)
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


def test_rows_of_every_kind(save, tmp_path, gaps, expected, require, in_parts, block_size):
    block_size(64)
    pd = require("pandas")
    for number, start in enumerate(range(0, 400, 130)):
        save(f"parts/{number}.parquet", "abcd", gaps[start : start + 130])
    frame = pd.DataFrame(gaps, columns=list("abcd"))
    columns = [[None if not np.isfinite(x) else x for x in column] for column in gaps.T]
    named = dict(zip("abcd", columns, strict=True))
    for data in (
        *(save(name, "abcd", gaps) for name in ("r.csv", "r.csv.gz", "r.parquet", "r.feather")),
        tmp_path / "parts",
        frame,
        frame.replace([np.inf], np.nan).convert_dtypes(),
        pa.table(named),
        require("polars").DataFrame(named),
        *(in_parts(gaps, known=known) for known in (True, False)),
        as_table(gaps, feature_names=list("abcd"), **PAIRWISE),
    ):
        how = {} if options_of(data).missing == "pairwise" else PAIRWISE
        for method in ("score", "batch"):
            result = ew.edge_test(data, method=method, **how)
            same(result, expected[method])
            assert result.options["missing"] == "pairwise"
    blocks = (gaps[start : start + 70] for start in range(0, 400, 70))
    result = ew.edge_test(blocks, method="batch", **PAIRWISE)
    same(result, expected["batch"], ["x0", "x1", "x2", "x3"])


def test_tables(gaps, all_rows):
    table = as_table(gaps, **PAIRWISE)
    np.testing.assert_array_equal(all_rows(table), gaps)
    # How many rows lack every value is not known before.
    assert (table.n_rows, table.feature_names) == (None, ("x0", "x1", "x2", "x3"))
    assert options_of(as_table(table, columns=["x0", "x1"])).missing == "pairwise"
    dropped = as_table(gaps, missing="drop")
    np.testing.assert_array_equal(all_rows(dropped), gaps[18:])
    for other in (gaps, as_table(gaps), dropped, None):
        assert options_of(other).missing != "pairwise"


def test_complete_rows_are_tested_as_ever(rows, same_result):
    for method in ("score", "wald", "batch"):
        result = ew.edge_test(rows, method=method, **PAIRWISE)
        same_result(result, ew.edge_test(rows, method=method))
        assert (result.provenance.n_missing, result.provenance.pair_rows) == ((), None)
        assert "missing" not in result.options
    # A row without any value says nothing: it is left out, and counted.
    X = np.concatenate([rows, np.full((2, 4), np.nan)])
    result = ew.edge_test(X, method="wald", **PAIRWISE)
    assert (result.n_samples, result.n_dropped, result.provenance.pair_rows) == (400, 2, None)
    np.testing.assert_allclose(result.covariance, ew.edge_test(rows).covariance, rtol=1e-12)


def test_dropping(gaps, rows, save, in_parts, block_size, same_result):
    for data in (gaps, save("r.csv", "abcd", gaps), in_parts(gaps)):
        result = ew.edge_test(data, missing="drop")
        same_result(result, ew.edge_test(rows[18:]), names=result.feature_names)
        assert (result.n_dropped, result.provenance.n_missing) == (18, (3, 10, 5, 3))
        assert (result.provenance.n_dropped_alone, result.provenance.pair_rows) == (
            (0, 10, 5, 0),
            None,
        )
        block_size(16)
    result = ew.edge_test(rows, missing="drop")
    assert (result.n_dropped, result.provenance.n_missing, result.provenance.n_dropped_alone) == (
        0,
        (),
        (),
    )


def test_what_is_refused(gaps, rows, refuses):
    for bad in ("dorp", None, True, 0, ["drop"]):
        call = lambda b=bad: ew.edge_test(rows, missing=b)  # noqa: E731
        refuses(call, ParameterError, "missing: expected one of")
    fragments = ["'x1' (10)", "missing='drop' of edge_test, --missing drop", "missing='pairwise'"]
    for call in (ew.edge_test, lambda X, missing: ew.EdgeTest(missing=missing).fit(X)):
        refuses(lambda c=call: c(gaps, missing="raise"), NonFiniteError, *fragments)
    call = lambda: ew.edge_test(iter([gaps]), method="score", **PAIRWISE)  # noqa: E731
    refuses(call, DataError, "'score' reads the rows")
    state = ew.states.PairwiseMoments().update(gaps)
    call = lambda: ew.edge_test(state, method="batch", **PAIRWISE)  # noqa: E731
    refuses(call, ParameterError, "got a state")
    for n in (0, 1, 4):  # too few rows are told in the same words as complete ones
        said = []
        for X, how in ((gaps, PAIRWISE), (np.ones((400, 4)), {})):
            with pytest.raises(DataError) as caught:
                ew.edge_test(X[:n], **how)
            said.append(str(caught.value))
        assert said[0] == said[1]


def test_where_pairs_have_no_meaning(gaps, refuses):
    labels, scores = np.arange(400) // 8, "normal-scores"
    for call, what in (
        (lambda **how: ew.edge_test(gaps, clusters=labels, **how), "clusters"),
        (lambda **how: ew.edge_test(gaps, transform=scores, **how), "transform"),
        (lambda **how: ew.compare_groups(gaps[:200], gaps[200:], **how), "two groups"),
        (lambda **how: ew.compare_groups(gaps, by=labels % 2, **how), "two groups"),
        (lambda **how: ew.ConditionalTest(gaps, **how), "ConditionalTest"),
        (lambda **how: ew.check_null(gaps, **how), "shuffled columns"),
        (lambda **how: ew.partial_test(gaps, "x0", "x1", clusters=labels, **how), "clusters"),
        (lambda **how: ew.partial_test(gaps, "x0", "x1", transform=scores, **how), "transform"),
        (lambda **how: ew.EdgeTest(**how).fit(gaps, clusters=labels), "clusters"),
        (lambda **how: ew.EdgeTest(column_transform=scores, **how).fit(gaps), "transform"),
    ):
        refuses(
            lambda call=call: call(**PAIRWISE),
            ParameterError,
            f"missing: expected 'raise' or 'drop' with {what}, got 'pairwise'",
        )
    for method in ("nodewise", "kendall", "elliptical", "fisher", "entrywise", "trace"):
        for data, how in ((gaps, PAIRWISE), (as_table(gaps, **PAIRWISE), {})):
            refuses(
                lambda d=data, h=how, m=method: ew.edge_test(d, method=m, **h),
                ParameterError,
                "missing: 'pairwise' is not supported by method",
                "use method 'score', 'wald' or 'batch'",
            )

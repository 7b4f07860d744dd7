"""`missing=` where rows are opened: refused, left out, or seen as they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.rows.missing import PartialTable, may_lack_values, missing_of, refuse_pairwise
from edgewise.rows.opening import open_table
from edgewise.rows.views import FiniteRows

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
    return ew.edge_test(gaps, feature_names=list("abcd"), **PAIRWISE)


def same(result, expected, names="abcd"):
    assert result.feature_names == tuple(names)
    assert result.n_missing == expected.n_missing
    np.testing.assert_array_equal(result.pair_rows, expected.pair_rows)
    for field in ("covariance", "statistic", "log_pvalue"):
        mine, theirs = getattr(result, field), getattr(expected, field)
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


class TestChoice:
    def test_what_it_means(self):
        for missing in ("raise", "drop", "pairwise"):
            assert missing_of(missing, False) == missing
        assert missing_of("raise", True) == missing_of("drop", True) == "drop"

    def test_both_ways_at_once(self, refuses):
        refuses(
            lambda: missing_of("pairwise", True),
            ParameterError,
            "drop_missing: expected False with missing='pairwise', got True",
        )

    @pytest.mark.parametrize("bad", ["dorp", None, True, 0, ["drop"]])
    def test_other_words(self, refuses, rows, bad):
        for call in (lambda: missing_of(bad, False), lambda: ew.edge_test(rows, missing=bad)):
            refuses(call, ParameterError, "missing: expected one of")

    @pytest.mark.parametrize("bad", ["yes", None, 2])
    def test_the_flag_is_a_flag(self, refuses, bad):
        refuses(lambda: missing_of("raise", bad), ParameterError, "drop_missing: ")

    def test_refusing(self, refuses):
        refuse_pairwise("drop", "groups")
        refuses(
            lambda: refuse_pairwise("pairwise", "groups"),
            ParameterError,
            "missing: expected 'raise' or 'drop' with groups, got 'pairwise'",
            "edgewise.pool",
        )


class TestTables:
    def test_rows_come_as_they_are(self, gaps, all_rows):
        table = open_table(gaps, **PAIRWISE)
        assert isinstance(table, PartialTable)
        np.testing.assert_array_equal(all_rows(table), gaps)
        # How many rows lack every value is not known before.
        assert (table.n_rows, table.feature_names) == (None, ("x0", "x1", "x2", "x3"))

    def test_which_tables_may_lack_values(self, gaps):
        assert may_lack_values(open_table(gaps, **PAIRWISE))
        again = open_table(open_table(gaps, **PAIRWISE), columns=["x0", "x1"])
        assert may_lack_values(again)
        for other in (gaps, open_table(gaps), open_table(gaps, missing="drop"), None):
            assert not may_lack_values(other)

    def test_dropped(self, gaps, all_rows):
        table = open_table(gaps, missing="drop")
        assert isinstance(table, FiniteRows)
        np.testing.assert_array_equal(all_rows(table), gaps[18:])

    def test_a_table_that_was_opened_so(self, gaps, expected):
        table = open_table(gaps, feature_names=list("abcd"), **PAIRWISE)
        same(ew.edge_test(table), expected)


class TestKindsOfData:
    @pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.parquet", "r.feather"])
    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_files(self, save, gaps, expected, name, method):
        path = save(name, "abcd", gaps)
        result = ew.edge_test(path, method=method, **PAIRWISE)
        if method == "batch":
            expected = ew.edge_test(gaps, method="batch", **PAIRWISE)
        same(result, expected)
        assert result.options["missing"] == "pairwise"

    def test_files_in_blocks(self, save, gaps, expected, block_size):
        block_size(16)
        same(ew.edge_test(save("r.csv", "abcd", gaps), **PAIRWISE), expected)

    @pytest.mark.parametrize("text", ["", "NA", "nan", "NULL"])
    def test_text_for_what_is_missing(self, tmp_path, rows, text):
        X = np.array(rows)
        X[7, 2] = np.nan
        lines = ["a,b,c,d", *(",".join(map(repr, row)) for row in X.tolist())]
        path = tmp_path / "r.csv"
        path.write_text("\n".join(lines).replace("nan", text) + "\n")
        result = ew.edge_test(path, **PAIRWISE)
        assert result.n_missing == (0, 0, 1, 0)
        same(result, ew.edge_test(X, **PAIRWISE))

    def test_several_files(self, save, tmp_path, gaps, expected):
        for number, start in enumerate(range(0, 400, 130)):
            save(f"parts/{number}.parquet", "abcd", gaps[start : start + 130])
        same(ew.edge_test(tmp_path / "parts", **PAIRWISE), expected)

    def test_pandas(self, require, gaps, expected):
        pd = require("pandas")
        frame = pd.DataFrame(gaps, columns=list("abcd"))
        same(ew.edge_test(frame, **PAIRWISE), expected)
        nullable = frame.replace([np.inf], np.nan).convert_dtypes()
        same(ew.edge_test(nullable, **PAIRWISE), expected)

    def test_polars_and_arrow(self, require, gaps, expected):
        columns = [[None if not np.isfinite(x) else x for x in column] for column in gaps.T]
        named = dict(zip("abcd", columns, strict=True))
        same(ew.edge_test(pa.table(named), **PAIRWISE), expected)
        same(ew.edge_test(require("polars").DataFrame(named), **PAIRWISE), expected)

    @pytest.mark.parametrize("method", ["batch"])
    def test_iterators(self, gaps, method):
        """Rows that come once are enough for `batch`."""
        blocks = (gaps[start : start + 70] for start in range(0, 400, 70))
        result = ew.edge_test(blocks, method=method, **PAIRWISE)
        same(result, ew.edge_test(gaps, method=method, **PAIRWISE), ["x0", "x1", "x2", "x3"])

    def test_an_iterator_is_not_read_twice(self, gaps, refuses):
        refuses(lambda: ew.edge_test(iter([gaps]), **PAIRWISE), DataError, "'score' reads the rows")

    def test_several_parts(self, gaps, expected, in_parts):
        for known in (True, False):
            for method in ("score", "batch"):
                result = ew.edge_test(in_parts(gaps, known=known), method=method, **PAIRWISE)
                same(result, ew.edge_test(gaps, method=method, **PAIRWISE))


class TestChoosing:
    def test_columns_and_names(self, gaps):
        how = {"columns": ["x2", "x0", "x1"], "feature_names": list("cab"), **PAIRWISE}
        result = ew.edge_test(gaps, **how)
        assert result.feature_names == ("c", "a", "b")
        assert result.n_missing == (5, 3, 10)
        same(result, ew.edge_test(gaps[:, [2, 0, 1]], **PAIRWISE), "cab")
        left = ew.edge_test(gaps, exclude="x3", **PAIRWISE)
        assert left.n_missing == (3, 10, 5)

    @pytest.mark.parametrize("method", ["score", "wald", "batch"])
    def test_complete_rows_are_tested_as_ever(self, rows, same_result, method):
        result = ew.edge_test(rows, method=method, **PAIRWISE)
        same_result(result, ew.edge_test(rows, method=method))
        assert (result.n_missing, result.pair_rows) == ((), None)
        assert "missing" not in result.options

    def test_a_row_without_any_value(self, rows):
        """It says nothing: it is left out, and counted."""
        X = np.concatenate([rows, np.full((2, 4), np.nan)])
        result, plain = ew.edge_test(X, method="wald", **PAIRWISE), ew.edge_test(rows)
        assert (result.n_samples, result.n_dropped, result.pair_rows) == (400, 2, None)
        np.testing.assert_allclose(result.covariance, plain.covariance, rtol=1e-12)


class TestTooFewRows:
    @pytest.mark.parametrize("n", [0, 1, 4])
    def test_are_told_as_ever(self, gaps, n):
        """In the same words as of complete rows."""
        told = []
        for X, how in ((gaps, PAIRWISE), (np.ones((400, 4)), {})):
            with pytest.raises(DataError) as caught:
                ew.edge_test(X[:n], **how)
            told.append(str(caught.value))
        assert told[0] == told[1]


class TestDropping:
    def test_both_ways_say_the_same(self, gaps, rows, same_result):
        """And so does the result about what was dropped, and why."""
        results = [
            ew.edge_test(gaps, missing="drop"),
            ew.edge_test(gaps, drop_missing=True),
            ew.edge_test(gaps, missing="drop", drop_missing=True),
        ]
        for result in results:
            same_result(result, ew.edge_test(rows[18:]))
            assert result.n_dropped == 18
            assert result.n_missing == (3, 10, 5, 3)
            assert result.n_dropped_alone == (0, 10, 5, 0)
            assert result.pair_rows is None

    def test_nothing_to_drop(self, rows):
        result = ew.edge_test(rows, missing="drop")
        assert (result.n_dropped, result.n_missing, result.n_dropped_alone) == (0, (), ())

    def test_in_files_and_parts(self, save, gaps, in_parts, block_size):
        block_size(16)
        for data in (save("r.csv", "abcd", gaps), in_parts(gaps)):
            result = ew.edge_test(data, missing="drop")
            assert result.n_missing == (3, 10, 5, 3)
            assert result.n_dropped_alone == (0, 10, 5, 0)

    def test_refused_by_default(self, gaps, refuses):
        refuses(
            lambda: ew.edge_test(gaps),
            NonFiniteError,
            "'x1' (10)",
            "missing='drop' of edge_test, --missing drop",
            "missing='pairwise'",
        )


class TestRefuses:
    @pytest.mark.parametrize(
        ("call", "what"),
        [
            (lambda X, **how: ew.edge_test(X, groups=np.arange(400) // 8, **how), "groups"),
            (lambda X, **how: ew.edge_test(X, transform="normal-scores", **how), "transform"),
            (lambda X, **how: ew.plan_sample_size(X, effect=0.1, **how), "a plan"),
            (lambda X, **how: ew.compare_groups(X[:200], X[200:], **how), "two groups"),
            (lambda X, **how: ew.compare_groups(X, by=np.arange(400) % 2, **how), "two groups"),
            (lambda X, **how: ew.ConditionalTest(X, **how), "ConditionalTest"),
            (lambda X, **how: ew.compare_null(X, **how), "shuffled columns"),
            (
                lambda X, **how: ew.partial_test(X, "x0", "x1", groups=np.arange(400) // 8, **how),
                "groups",
            ),
            (
                lambda X, **how: ew.partial_test(X, "x0", "x1", transform="normal-scores", **how),
                "transform",
            ),
            (lambda X, **how: ew.EdgeTest(**how).fit(X, groups=np.arange(400) // 8), "groups"),
            (
                lambda X, **how: ew.EdgeTest(column_transform="normal-scores", **how).fit(X),
                "transform",
            ),
        ],
    )
    def test_where_it_has_no_meaning(self, gaps, refuses, call, what):
        refuses(
            lambda: call(gaps, **PAIRWISE),
            ParameterError,
            f"missing: expected 'raise' or 'drop' with {what}, got 'pairwise'",
        )

    def test_a_budget(self, gaps, refuses):
        for data in (gaps, open_table(gaps, **PAIRWISE)):
            how = PAIRWISE if data is gaps else {}
            refuses(
                lambda data=data, how=how: ew.edge_test(data, budget=1, **how),
                ParameterError,
                "budget: expected without missing='pairwise', got both",
            )

    @pytest.mark.parametrize(
        "method",
        ["nodewise", "kendall", "elliptical", "fisher", "entrywise", "trace"],
    )
    def test_other_methods(self, gaps, refuses, method):
        for data, how in ((gaps, PAIRWISE), (open_table(gaps, **PAIRWISE), {})):
            refuses(
                lambda data=data, how=how: ew.edge_test(data, method=method, **how),
                ParameterError,
                "missing: expected 'raise' or 'drop' with this method, which needs complete rows",
                "use method 'score', 'wald' or 'batch'",
            )

    def test_with_the_former_flag(self, gaps, refuses):
        calls = [
            lambda **how: ew.edge_test(gaps, **how),
            lambda **how: ew.accumulate(gaps, **how),
            lambda **how: ew.partial_test(gaps, "x0", "x1", **how),
        ]
        for call in calls:
            refuses(
                lambda call=call: call(drop_missing=True, **PAIRWISE),
                ParameterError,
                "drop_missing: expected False with missing='pairwise'",
            )

    def test_with_a_state(self, gaps, refuses):
        state = ew.PairwiseMoments().update(gaps)
        refuses(
            lambda: ew.edge_test(state, method="batch", **PAIRWISE), ParameterError, "got a state"
        )

"""What every engine does with partitions; here they are arrays, and nobody is far away."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError
from edgewise.rows.clusters.partitioned import PartitionedTable
from edgewise.rows.merging import in_tree
from edgewise.rows.passes import SameRows
from edgewise.states.accumulate import read_into

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

CUTS = [[], [1, 3, 350], [0, 0, 5, 5, 250, 400], range(1, 400, 7)]


class Parts(PartitionedTable):
    """Arrays as partitions; each pass is noted, and may be given other rows."""

    def __init__(self, parts, *, names=None, known=True):
        width = np.shape(parts[0])[1]
        super().__init__(names or [f"x{j}" for j in range(width)], named=names is not None)
        self.parts, self.known, self.passes = list(parts), known, 0

    def part_rows(self):
        return [len(part) for part in self.parts] if self.known else [None] * len(self.parts)

    def _reduced(self, task, merge):
        self.passes += 1
        made = [
            task(number, f"part {number}", lambda part=part: self._table(part))
            for number, part in enumerate(self.parts)
        ]
        return in_tree(made, merge)

    def _table(self, part):
        if not self.named:
            return part
        return pa.table(dict(zip(self.feature_names, np.ascontiguousarray(part.T), strict=True)))


def cut(X, cuts, **options):
    bounds = [0, *cuts, len(X)]
    return Parts([X[start:stop] for start, stop in pairwise(bounds)], **options)


@pytest.mark.parametrize("cuts", CUTS, ids=len)
@pytest.mark.parametrize("order", [2, 4])
def test_a_state_of_all_rows(rows, cuts, order):
    source = cut(rows, cuts)
    state, expected = (ew.accumulate(data, order=order) for data in (source, rows))
    assert source.passes == 1
    assert (state.n_samples, state.order, state.feature_names) == (400, order, None)
    np.testing.assert_allclose(state.mean(), expected.mean(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(state.covariance(), expected.covariance(), rtol=1e-12)
    if order == 4:
        found, wanted = (ew.edge_test(one, method="trace").pvalue for one in (state, expected))
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@given(st.data())
@settings(max_examples=15)
def test_batches_run_over_the_ends_of_partitions(data):
    n = data.draw(st.integers(2, 200))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=8)))
    n_batches = data.draw(st.integers(2, 30))
    X = np.random.default_rng(5).standard_normal((n, 2))
    for known in (True, False):
        source = cut(X, cuts, known=known)
        state = ew.accumulate(source, n_batches=n_batches)
        # A single partition is a stream, whose rows need not be counted.
        assert source.passes == (1 if known or not cuts else 2)
        stream = ew.accumulate(X, n_batches=n_batches)
        assert state.batch_counts().tolist() == stream.batch_counts().tolist()
        np.testing.assert_allclose(
            state._closed().mean(), stream._closed().mean(), rtol=1e-11, atol=1e-12
        )


def test_more_rows_that_follow(rows):
    for state in (ew.Moments(order=2), ew.Moments(), ew.BatchMoments(10)):
        first = state.copy().update(rows[:150])
        added, _ = read_into(first, cut(rows[150:], [3, 100]))
        assert type(added) is type(state)
        assert (added.n_samples, first.n_samples) == (400, 150)
        np.testing.assert_allclose(added.covariance(), np.cov(rows, rowvar=False), rtol=1e-12)
        fresh, _ = read_into(state, cut(rows, [3, 100]))
        assert fresh.n_samples == 400


def test_names_come_with_the_state(rows):
    source = cut(rows, [100], names=("a", "b", "c", "d"))
    for options in ({}, {"n_batches": 5}):
        assert ew.accumulate(source, **options).feature_names == ("a", "b", "c", "d")


class TestRowsAgain:
    def test_a_pass_over_all_of_them(self, rows):
        again = SameRows(cut(rows, [0, 7, 7, 250]), 400)
        assert not again.in_memory

        def total(batches):
            made = np.zeros(4), np.zeros(())
            for batch in batches:
                made = made[0] + np.asarray(batch).sum(axis=0), made[1] + len(batch)
            return made

        sums, count = again.sums(total)
        np.testing.assert_allclose(sums, rows.sum(axis=0), rtol=1e-12)
        assert count == 400

    def test_others_than_the_first_time(self, rows, refuses):
        again = SameRows(cut(rows, [100]), 401)
        fragments = ["the first pass read 401 rows, a later one 400", "changed", "persisted"]
        one_pass = lambda batches: (sum(map(len, batches)),)  # noqa: E731
        refuses(lambda: again.sums(one_pass), DataError, *fragments)
        assert again.sums(one_pass, whole=False) == (400,)

    @pytest.mark.parametrize("method", ["score", "wald", "elliptical", "whitened", "eig"])
    def test_a_test_notices(self, rows, refuses, method):
        class Changing(Parts):
            def _reduced(self, task, merge):
                made = super()._reduced(task, merge)
                self.parts[1] = rows[100:399]
                return made

        source = Changing([rows[:100], rows[100:]])
        call = lambda: ew.edge_test(source, method=method)  # noqa: E731
        refuses(call, DataError, "the first pass read 400 rows, a later one 399")

    def test_batches_notice_where(self, rows, refuses):
        source = cut(rows, [100, 200])
        source.part_rows = lambda: [100, 101, 199]
        fragments = ["part 1: expected 101 rows, got 100", "changed while they were read"]
        refuses(lambda: ew.accumulate(source, n_batches=5), DataError, *fragments)


class TestMissing:
    @pytest.fixture
    def holed(self, rows):
        X = rows.copy()
        X[[0, 150, 151, 399], [0, 1, 1, 3]] = np.nan, np.inf, -np.inf, np.nan
        return X

    @pytest.mark.parametrize("options", [{}, {"n_batches": 20}], ids=str)
    def test_is_refused_by_part_and_column(self, holed, refuses, options):
        source = cut(holed, [100, 200, 300], names=("a", "b", "c", "d"))
        call = lambda: ew.accumulate(source, **options)  # noqa: E731
        told = ("part 0, part 1, part 3: X: ", "'a' (1), 'b' (2), 'd' (1)")
        assert refuses(call, NonFiniteError, *told).counts.tolist() == [1, 2, 0, 1]
        source.parts[0] = source.parts[3] = holed[1:100]
        error = refuses(call, NonFiniteError, "part 1: X: ", "'b' (2)")
        assert error.counts.tolist() == [0, 2, 0, 0]

    @pytest.mark.parametrize("known", [True, False])
    @pytest.mark.parametrize("options", [{}, {"order": 2}, {"n_batches": 20}], ids=str)
    def test_is_left_out_and_counted(self, holed, options, known):
        source = cut(holed, [0, 100, 200, 300], known=known)
        state = ew.accumulate(source, drop_missing=True, **options)
        expected = ew.accumulate(holed[np.isfinite(holed).all(axis=1)], **options)
        assert state.n_samples == 396
        np.testing.assert_allclose(state.covariance(), expected.covariance(), rtol=1e-12)
        if "n_batches" in options:
            assert state.batch_counts().tolist() == expected.batch_counts().tolist()

    @pytest.mark.parametrize("method", ["score", "batch", "fisher", "eig"])
    def test_in_a_test(self, holed, same_result, method):
        options = {"n_batches": 20} if method == "batch" else {}
        result = ew.edge_test(cut(holed, [9, 200]), method=method, drop_missing=True, **options)
        local = ew.edge_test(holed, method=method, drop_missing=True, **options)
        same_result(result, local)
        assert result.n_dropped == local.n_dropped == 4


@pytest.mark.parametrize(
    "spoil",
    [
        lambda X: np.column_stack([X, np.ones(len(X))]),
        lambda X: np.column_stack([X, X[:, 0] - 2 * X[:, 1]]),
        lambda X: X[:4],
        lambda X: X[:0],
        lambda X: X[:, :1],
    ],
    ids=["constant", "collinear", "too few rows", "no rows", "one column"],
)
@pytest.mark.parametrize("method", ["score", "fisher", "trace"])
def test_what_cannot_be_tested_is_told_as_it_is_here(rows, spoil, method):
    X = spoil(rows)
    with pytest.raises(DataError) as here:
        ew.edge_test(X, method=method)
    with pytest.raises(DataError) as there:
        ew.edge_test(cut(X, [len(X) // 2]), method=method)
    assert str(there.value) == str(here.value)
    assert type(there.value) is type(here.value)


def test_a_budget_is_for_rows_that_are_here(rows, refuses):
    call = lambda: ew.edge_test(cut(rows, [7]), method="trace", budget=1.0)  # noqa: E731
    refuses(call, ew.ParameterError, "budget", "rows on a cluster")


def test_other_names(rows, refuses):
    source = cut(rows, [7], names=("a", "b", "c", "d"))
    assert ew.edge_test(source, feature_names=list("wxyz")).feature_names == tuple("wxyz")
    refuses(lambda: ew.edge_test(source, feature_names=["w"]), ew.ParameterError, "4")


def test_a_wrong_number_of_batches(rows, refuses):
    for n_batches in (1, "20"):
        call = lambda n=n_batches: ew.accumulate(cut(rows, [7]), n_batches=n)  # noqa: E731
        refuses(call, ew.ParameterError, "n_batches: expected a whole number from 2 on")


class TestColumns:
    """`columns=`, `exclude=` and `feature_names` of a table that lies elsewhere."""

    @pytest.mark.parametrize("method", ["score", "batch", "fisher"])
    def test_are_chosen(self, rows, same_result, method):
        source = cut(rows, [7, 200], names=("a", "b", "c", "d"))
        result = ew.edge_test(source, columns=["d", "a"], method=method)
        same_result(result, ew.edge_test(rows[:, [3, 0]], method=method), names="da")
        result = ew.edge_test(source, exclude="b", feature_names=list("xyz"), method=method)
        same_result(result, ew.edge_test(rows[:, [0, 2, 3]], method=method), names="xyz")

    def test_that_are_not_there(self, rows, refuses):
        source = cut(rows, [7], names=("a", "b", "c", "d"))
        refuses(lambda: ew.edge_test(source, columns=["a", "z"]), DataError, "'z'", "'a', 'b'")

    def test_missing_values_of_others_do_not_matter(self, rows, refuses):
        X = rows.copy()
        X[5, 1] = np.nan
        source = cut(X, [7, 200])
        assert ew.edge_test(source, exclude=["x1"]).n_samples == 400
        assert ew.edge_test(source, columns=["x0", "x2"], drop_missing=True).n_dropped == 0
        call = lambda: ew.edge_test(source, columns=["x1", "x3"], feature_names=list("pq"))  # noqa: E731
        refuses(call, NonFiniteError, "part 0: X: ", "'p' (1)")

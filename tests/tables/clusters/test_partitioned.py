"""What is done to partitions on any cluster; here they are arrays, and nobody is far away."""

from __future__ import annotations

import pickle
import threading
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import edgewise as ew
from edgewise._parallel import one_blas_thread
from edgewise._version import __version__
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.sums.accumulate import read_into
from edgewise.tables.dask import PartitionedTable, PartTask
from edgewise.tables.table import in_tree

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


class Parts(PartitionedTable):
    """Arrays as partitions; each pass is noted, with the size of what it sends."""

    def __init__(self, parts, *, names=None, known=True):
        width = np.shape(parts[0])[1]
        super().__init__(names or [f"x{j}" for j in range(width)], named=names is not None)
        self.parts, self.known, self.passes = list(parts), known, []

    def partition_rows(self):
        return [len(part) for part in self.parts] if self.known else [None] * len(self.parts)

    def _reduced(self, task, merge):
        task = pickle.loads(pickle.dumps(task))
        made = [
            task.run(number, f"part {number}", lambda part=part: self._table(part))
            for number, part in enumerate(self.parts)
        ]
        self.passes.append(max(len(pickle.dumps(one)) for one in made))
        return in_tree(made, merge)

    def _table(self, part):
        if not self.named:
            return part
        return pa.table(dict(zip(self.feature_names, np.ascontiguousarray(part.T), strict=True)))


def cut(X, cuts, **options):
    bounds = [0, *cuts, len(X)]
    return Parts([X[start:stop] for start, stop in pairwise(bounds)], **options)


@given(st.integers(1, 70))
def test_the_tree_keeps_the_order_and_is_as_deep_as_it_must_be(count):
    assert in_tree([(i,) for i in range(count)], lambda a, b: a + b) == tuple(range(count))
    depth = in_tree([0] * count, lambda left, right: 1 + max(left, right))
    assert 2 ** (depth - 1) < count <= 2**depth


@given(st.data())
@settings(max_examples=15)
def test_batches_run_over_the_ends_of_partitions(data):
    n = data.draw(st.integers(2, 200))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=8)))
    n_batches = data.draw(st.integers(2, 30))
    X = np.random.default_rng(5).standard_normal((n, 2))
    stream = ew.accumulate(X, n_batches=n_batches)
    for known in (True, False):
        table = cut(X, cuts, known=known)
        state = ew.accumulate(table, n_batches=n_batches)
        # A single partition is a stream, whose rows need not be counted.
        assert len(table.passes) == (1 if known or not cuts else 2)
        assert state.batch_counts().tolist() == stream.batch_counts().tolist()
        np.testing.assert_allclose(
            state._closed().mean(), stream._closed().mean(), rtol=1e-11, atol=1e-12
        )


def test_as_many_passes_as_the_documentation_says_and_sums_alone(rows):
    """What a pass sends does not grow with the rows, but for the first ones and some others, for a look."""
    many = np.random.default_rng(1).standard_normal((16_000, 4))
    for method, passes, options in (
        ("fisher", 1, {}),
        ("trace", 1, {}),
        ("batch", 1, {"n_batches": 20}),
        ("score", 2, {}),
        ("wald", 2, {}),
        ("elliptical", 2, {}),
        ("whitened", 2, {}),
        ("eig", None, {"solver": "matrix-free"}),
    ):
        few, more = cut(rows, [150]), cut(many, [8000])
        for table in (few, more):
            result = ew.edge_test(table, method=method, **options)
            wanted = passes or 1 + result.options["iterations"]
            assert len(table.passes) == wanted, method
        first_rows = 8 * 4 * (1024 + 500)
        assert more.passes[0] < 20 * 4 * 4 * 8 + 4000 + first_rows, method
        if method != "score":  # which gathers the rows of so few columns
            assert max(more.passes[1:], default=0) < 8 * 10 * 4 * 4 + 2500, method


def test_more_rows_that_follow(rows):
    for state in (ew.states.Moments(order=2), ew.states.Moments(), ew.states.BatchMoments(10)):
        first = state.copy().update(rows[:150])
        added, _ = read_into(first, cut(rows[150:], [3, 100]))
        assert type(added) is type(state)
        assert (added.n_samples, first.n_samples) == (400, 150)
        np.testing.assert_allclose(added.covariance(), np.cov(rows, rowvar=False), rtol=1e-12)


@pytest.mark.parametrize("method", ["score", "wald", "elliptical", "whitened", "eig"])
def test_rows_that_change_between_passes(rows, refuses, method):
    class Changing(Parts):
        def _reduced(self, task, merge):
            made = super()._reduced(task, merge)
            self.parts[1] = rows[100:399]
            return made

    table = Changing([rows[:100], rows[100:]])
    call = lambda: ew.edge_test(table, method=method)  # noqa: E731
    fragments = ["the first pass read 400 rows, a later one 399", "changed", "persisted"]
    refuses(call, DataError, *fragments)


def test_missing_values_are_refused_by_part_and_column(rows, refuses):
    X = rows.copy()
    X[[0, 150, 151, 399], [0, 1, 1, 3]] = np.nan, np.inf, -np.inf, np.nan
    table = cut(X, [100, 200, 300], names=("a", "b", "c", "d"))
    for options in ({}, {"n_batches": 20}):
        call = lambda o=options: ew.accumulate(table, **o)  # noqa: E731
        parts = ("part 0, part 1, part 3: X: ", "'a' (1), 'b' (2), 'd' (1)")
        assert refuses(call, NonFiniteError, *parts).counts.tolist() == [1, 2, 0, 1]
    how = {"columns": ["b", "d"], "feature_names": ["p", "q"], "missing": "raise"}
    refuses(lambda: ew.edge_test(table, **how), NonFiniteError, "part 1, part 3: X: ", "'p' (2)")
    assert ew.edge_test(table, columns=["c", "d"], missing="drop").n_dropped == 1


class TestPartTask:
    @pytest.fixture
    def run(self):
        def run(one_pass, make, *, names=None, **others):
            return PartTask(one_pass, 4, names, **others).run(2, "chunk 2", make)

        return run

    def test_errors_say_where(self, run, rows, refuses):
        def fails(error):
            def fail(_=None):
                raise error

            return fail

        for kind in (DataError, DataTypeError, ParameterError):
            call = lambda k=kind: run(fails(k("x: expected y.")), lambda: rows)  # noqa: E731
            assert type(refuses(call, kind, "chunk 2: x: expected y.")) is kind
        error = refuses(
            lambda: run(fails(DataError("data: chunk 2 is damaged.")), lambda: rows), DataError
        )
        assert str(error) == "data: chunk 2 is damaged."
        missing = NonFiniteError("two", np.array([0, 2, 0, 0]))
        found = refuses(lambda: run(fails(missing), lambda: rows), NonFiniteError, "chunk 2: two")
        again = pickle.loads(pickle.dumps(found))
        assert (str(again), again.counts.tolist()) == (str(found), [0, 2, 0, 0])
        for other in (RuntimeError("disk\nfull."), KeyError("a"), MemoryError()):
            for arguments in ((fails(other), lambda: rows), (None, fails(other))):
                found = refuses(lambda a=arguments: run(*a), DataError, "chunk 2 cannot be read")
                assert f"{type(other).__name__}: " in str(found)
        with pytest.raises(KeyboardInterrupt):
            run(fails(KeyboardInterrupt()), lambda: rows)

    def test_partitions_that_do_not_fit(self, run, rows, refuses, require):
        frame = require("pandas").DataFrame(rows, columns=list("abdc"))
        for part, options, error, fragment in (
            (rows, {"version": "0.0.1"}, DataError, f"0.0.1 on the workers, got {__version__}"),
            (frame, {"names": tuple("abcd")}, DataError, "'d'), got ('a', 'b', 'd', 'c')"),
            (rows[:, :3], {}, DataError, "expected 4 columns, got 3"),
            (np.zeros(3), {}, DataError, "2D"),
            (None, {}, DataTypeError, "NoneType"),
        ):
            call = lambda p=part, o=options: run(None, lambda: p, **o)  # noqa: E731
            refuses(call, error, "chunk 2", fragment)


def blas_threads():
    """How many threads each BLAS of this process may use."""
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture
def three_threads():
    """A limit of someone else's, which must be there again afterwards."""
    np.zeros((2, 2)) @ np.zeros((2, 2))
    with threadpool_limits(limits=3, user_api="blas"):
        if blas_threads() != {3}:
            pytest.skip("this BLAS has no more than one thread")
        yield


@pytest.mark.usefixtures("three_threads")
class TestOneBlasThread:
    def test_while_a_partition_is_made_and_worked_on(self, rows):
        seen = []

        def make():
            seen.append(blas_threads())
            return rows

        task = PartTask(lambda part: seen.append(blas_threads()), 4, None)
        task.run(0, "chunk 0", make)
        assert seen == [{1}, {1}]
        with pytest.raises(ZeroDivisionError), one_blas_thread(), one_blas_thread():
            raise ZeroDivisionError
        assert blas_threads() == {3}

    @pytest.mark.parametrize("first_out", [0, 1])
    def test_threads_that_come_and_go(self, first_out):
        """The second comes before the first one goes; whoever goes last lifts the limit."""
        stay, seen = [threading.Event(), threading.Event()], {}

        def work(number, entered):
            with one_blas_thread():
                entered.set()
                assert stay[number].wait(30)
                seen[number] = blas_threads()

        threads = []
        for number in range(2):
            entered = threading.Event()
            threads.append(threading.Thread(target=work, args=(number, entered)))
            threads[-1].start()
            assert entered.wait(30)
            assert blas_threads() == {1}
        for number in (first_out, 1 - first_out):
            stay[number].set()
            threads[number].join(30)
            assert blas_threads() == ({1} if number == first_out else {3})
        assert seen == {0: {1}, 1: {1}}

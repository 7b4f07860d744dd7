"""What is done to one partition, the tree of merges, and the one BLAS thread."""

from __future__ import annotations

import pickle
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import edgewise as ew
from edgewise._base.blas import one_blas_thread
from edgewise._version import __version__
from edgewise.errors import DataError, DataTypeError, NonFiniteError, StateFileError
from edgewise.rows.clusters.partition_task import PartTask
from edgewise.rows.merging import in_tree


def whole(part):
    """A pass: everything that it is given."""
    return part


def failing(error, part):
    raise error


def work_of(do=whole, n_features=4, names=None, **others):
    return PartTask(do, n_features, names, **others)


class TestTree:
    @given(st.integers(1, 70))
    def test_keeps_the_order_and_merges_each_once(self, count):
        merges = []

        def merge(left, right):
            merges.append((left, right))
            return left + right

        assert in_tree([(i,) for i in range(count)], merge) == tuple(range(count))
        assert len(merges) == count - 1

    @given(st.integers(1, 70))
    def test_is_as_deep_as_it_must_be(self, count):
        depth = in_tree([0] * count, lambda left, right: 1 + max(left, right))
        assert 2 ** (depth - 1) < count <= 2**depth

    def test_of_one_is_it(self):
        one = object()
        assert in_tree([one], None) is one


class TestPartWork:
    def test_gives_the_work_its_place_its_name_and_its_rows(self, rows):
        part = work_of()(3, "chunk 3", lambda: rows)
        assert (part.number, part.where) == (3, "chunk 3")
        np.testing.assert_array_equal(np.concatenate(list(part.blocks())), rows)

    def test_travels(self, rows):
        again = pickle.loads(pickle.dumps(work_of(partial(failing, DataError("no")))))
        assert (again.n_features, again.names, again.version) == (4, None, __version__)
        with pytest.raises(DataError, match="chunk 0: no"):
            again(0, "chunk 0", lambda: rows)

    @pytest.mark.parametrize("kind", [DataError, DataTypeError, StateFileError, ew.ParameterError])
    def test_our_errors_stay_what_they_are_and_say_where(self, refuses, rows, kind):
        work = work_of(partial(failing, kind("x: expected y.")))
        error = refuses(lambda: work(2, "chunk 2", lambda: rows), kind, "chunk 2: x: expected y.")
        assert type(error) is kind

    def test_where_is_said_once(self, refuses, rows):
        work = work_of(partial(failing, DataError("data: file 'a.csv' is damaged.")))
        error = refuses(lambda: work(0, "file 'a.csv'", lambda: rows), DataError)
        assert str(error) == "data: file 'a.csv' is damaged."

    def test_missing_values_keep_their_counts(self, refuses, rows):
        error = NonFiniteError("two", np.array([0, 2, 0, 0]))
        work = work_of(partial(failing, error))
        told = refuses(lambda: work(1, "chunk 1", lambda: rows), NonFiniteError, "chunk 1: two")
        assert told.counts.tolist() == [0, 2, 0, 0]
        again = pickle.loads(pickle.dumps(told))
        assert str(again) == str(told)
        assert again.counts.tolist() == [0, 2, 0, 0]

    @pytest.mark.parametrize("error", [RuntimeError("disk\nfull."), KeyError("a"), MemoryError()])
    def test_errors_of_others_are_told_in_one_line(self, refuses, rows, error):
        def make():
            raise error

        told = refuses(lambda: work_of()(2, "chunk 2", make), DataError, "chunk 2 cannot be read")
        assert f"{type(error).__name__}: " in str(told)
        assert told.__cause__ is error
        work = work_of(partial(failing, error))
        refuses(lambda: work(2, "chunk 2", lambda: rows), DataError, "chunk 2 cannot be read")

    def test_whoever_is_stopped_is_stopped(self, rows):
        with pytest.raises(KeyboardInterrupt):
            work_of(partial(failing, KeyboardInterrupt()))(0, "chunk 0", lambda: rows)

    def test_of_another_version(self, refuses, rows):
        work = work_of(version="0.0.1")
        fragments = ["chunk 5", "edgewise 0.0.1", f"got {__version__}", "same version"]
        refuses(lambda: work(5, "chunk 5", lambda: rows), DataError, *fragments)

    def test_of_other_columns(self, refuses, rows, require):
        frame = require("pandas").DataFrame(rows, columns=list("abdc"))
        fragments = ["partition 1", "'a', 'b', 'c', 'd'", "got 'a', 'b', 'd', 'c'", "same order"]
        work = work_of(names=("a", "b", "c", "d"))
        refuses(lambda: work(1, "partition 1", lambda: frame), DataError, *fragments)
        fragments = ["chunk 1", "expected 4 columns, got 3"]
        refuses(lambda: work_of()(1, "chunk 1", lambda: rows[:, :3]), DataError, *fragments)

    def test_a_few_of_many_columns_are_named(self, refuses, rows):
        names = tuple(f"v{i}" for i in range(40))
        work = work_of(n_features=40, names=names)
        error = refuses(lambda: work(0, "chunk 0", lambda: rows), DataError, "and 35 more")
        assert len(str(error)) < 250

    def test_what_is_no_table(self, refuses):
        call = partial(work_of(), 4, "chunk 4")
        refuses(lambda: call(lambda: np.array(["a"])), DataError, "chunk 4")
        refuses(lambda: call(lambda: np.zeros(3)), DataError, "chunk 4", "2D")
        refuses(lambda: call(lambda: None), DataTypeError, "chunk 4")


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
    def test_inside_and_after(self):
        with one_blas_thread():
            assert blas_threads() == {1}
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {3}

    def test_after_an_error(self):
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            raise ZeroDivisionError
        assert blas_threads() == {3}

    def test_while_a_partition_is_made_and_worked_on(self, rows):
        seen = []

        def make():
            seen.append(blas_threads())
            return rows

        work_of(lambda part: seen.append(blas_threads()))(0, "chunk 0", make)
        assert seen == [{1}, {1}]
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

    def test_again_and_again_by_ever_new_threads(self):
        """Also where the first one that ever set a limit is still there, and idle."""
        done, seen = threading.Event(), []

        def idle(entered):
            with one_blas_thread():
                pass
            entered.set()
            assert done.wait(30)

        def work():
            with one_blas_thread():
                seen.append(blas_threads())

        entered = threading.Event()
        idler = threading.Thread(target=idle, args=(entered,))
        idler.start()
        assert entered.wait(30)
        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join(30)
            assert blas_threads() == {3}
        done.set()
        idler.join(30)
        assert seen == [{1}] * 3

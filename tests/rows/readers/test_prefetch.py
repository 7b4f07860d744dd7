"""Reading ahead changes when items are made, and nothing else."""

from __future__ import annotations

import threading
import time
from itertools import count, islice

import pytest

from edgewise._base.blas import blas_threads
from edgewise.rows.readers.prefetch import prefetched


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "edgewise-reader"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    assert not readers()
    yield
    assert not readers()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 500])
def test_the_same_items_in_the_same_order(n):
    assert list(prefetched(lambda: iter(range(n)))) == list(range(n))


def test_items_are_made_in_one_other_thread():
    makers = set(prefetched(lambda: (threading.get_ident() for _ in range(20))))
    assert len(makers) == 1
    assert makers != {threading.get_ident()}


def test_none_and_exceptions_are_items_like_any_other():
    items = [None, ValueError("an item"), (), None]
    assert list(prefetched(lambda: iter(items))) == items


def test_nothing_is_read_before_the_first_item_is_wanted():
    made = []
    items = prefetched(lambda: (made.append(i) or i for i in range(5)))
    assert not made
    assert not readers()
    items.close()


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), MemoryError()])
def test_errors_reach_the_reader_after_the_items_before_them(error):
    def make():
        yield from range(7)
        raise error

    seen = []
    with pytest.raises(type(error)) as caught:
        seen.extend(iter_into(seen, prefetched(make)))
    assert caught.value is error
    assert seen == list(range(7))
    assert "make" in [entry.name for entry in caught.traceback]


def iter_into(seen, items):
    """Keep what came before an error."""
    for item in items:
        seen.append(item)
    return ()


def test_an_error_before_the_first_item():
    def make():
        raise OSError("no such thing")

    with pytest.raises(OSError, match="no such thing"):
        list(prefetched(make))


def test_stopping_early_ends_the_thread_and_closes_what_it_read():
    closed = threading.Event()

    def make():
        try:
            yield from count()
        finally:
            closed.set()

    items = prefetched(make)
    assert list(islice(items, 3)) == [0, 1, 2]
    assert len(readers()) == 1
    items.close()
    assert not readers()
    assert closed.wait(5)


def test_a_forgotten_iterator_ends_the_thread():
    items = prefetched(count)
    next(items)
    assert len(readers()) == 1
    del items
    assert not readers()


def test_an_error_of_the_reader_ends_the_thread():
    def use():
        for item in prefetched(count):
            if item == 5:
                raise RuntimeError("the reader has had enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        use()
    del caught  # its traceback holds the iterator


def test_never_more_than_a_few_items_ahead():
    made = []
    items = prefetched(lambda: (made.append(i) or i for i in range(100)))
    for i in range(30):
        assert next(items) == i
        if i % 10 == 0:
            time.sleep(0.05)  # all the time that the thread could want
        # Two wait, and one more is in the thread's hand.
        assert len(made) <= i + 1 + 3
    items.close()


def test_it_does_read_ahead():
    ahead = threading.Event()

    def make():
        yield 0
        ahead.set()
        yield 1

    items = prefetched(make)
    assert next(items) == 0
    assert ahead.wait(5)
    assert list(items) == [1]


def test_several_at_once():
    one, two = prefetched(lambda: iter("abc")), prefetched(lambda: iter("xyz"))
    assert list(zip(one, two, strict=True)) == [("a", "x"), ("b", "y"), ("c", "z")]


@pytest.mark.parametrize("few", [True, False])
def test_few_columns_leave_the_cores_to_the_reader(few):
    before = blas_threads()
    seen = [blas_threads() for _ in prefetched(lambda: iter(range(3)), few_columns=few)]
    assert set(seen) == {1 if few else before}
    assert blas_threads() == before

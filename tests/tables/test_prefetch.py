"""Reading ahead changes when items are made, and nothing else."""

from __future__ import annotations

import threading
from itertools import count, islice

import pytest

from edgewise.tables.files import prefetched


def readers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("edgewise-reader")]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    assert not readers()
    yield
    assert not readers()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 500])
def test_the_same_items_in_the_same_order(n):
    assert list(prefetched(item for item in range(n))) == list(range(n))


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), MemoryError()])
def test_errors_reach_the_reader_after_the_items_before_them(error):
    def make():
        yield from range(7)
        raise error

    seen = []
    with pytest.raises(type(error)) as caught:
        seen.extend(iter_into(seen, prefetched(make())))
    assert caught.value is error
    assert seen == list(range(7))
    assert "make" in [entry.name for entry in caught.traceback]


def iter_into(seen, items):
    """Keep what came before an error."""
    for item in items:
        seen.append(item)
    return ()


def test_stopping_early_ends_the_thread_and_closes_what_it_read():
    closed = threading.Event()

    def make():
        try:
            yield from count()
        finally:
            closed.set()

    items = prefetched(make())
    assert list(islice(items, 3)) == [0, 1, 2]
    assert len(readers()) == 1
    items.close()
    assert not readers()
    assert closed.wait(5)


def test_a_forgotten_iterator_ends_the_thread():
    items = prefetched(item for item in count())
    next(items)
    assert len(readers()) == 1
    del items
    assert not readers()

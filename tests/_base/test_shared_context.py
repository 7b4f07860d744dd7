"""A setting of the process that several threads want at once."""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager

import pytest

from edgewise._parallel import SharedContext
from edgewise.errors import quiet


@pytest.fixture
def noted():
    """A shared context, and what happened to what it holds."""
    happened = []

    @contextmanager
    def make():
        happened.append("in")
        yield
        happened.append("out")

    return SharedContext(make), happened


def test_the_first_one_enters_and_the_last_one_exits(noted):
    shared, happened = noted
    with shared:
        with shared:
            assert happened == ["in"]
        assert happened == ["in"]
    assert happened == ["in", "out"]
    with shared:
        assert happened == ["in", "out", "in"]


def test_whoever_cannot_make_it_is_not_inside():
    def make():
        raise OSError("no")

    shared = SharedContext(make)
    for _ in range(2):
        with pytest.raises(OSError, match="no"), shared:
            pass


@pytest.mark.parametrize("first_out", [0, 1])
def test_silence_of_two_threads(first_out):
    """Filters are as before when both have gone, whoever goes first."""
    before = list(warnings.filters)
    stay, kinds = [threading.Event(), threading.Event()], (UserWarning, FutureWarning)

    def work(number, entered):
        with quiet(kinds[number], "silent"):
            entered.set()
            assert stay[number].wait(30)
            warnings.warn("silent now", kinds[number], stacklevel=1)

    threads = []
    for number in range(2):
        entered = threading.Event()
        threads.append(threading.Thread(target=work, args=(number, entered)))
        threads[-1].start()
        assert entered.wait(30)
    for number in (first_out, 1 - first_out):
        stay[number].set()
        threads[number].join(30)
    assert list(warnings.filters) == before

"""Long work in many steps: on all cores, and shown where somebody watches."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from edgewise._base.steps import in_parallel, steps, watched_by


class Watcher:
    def __init__(self):
        self.told = []

    @contextmanager
    def bar(self, total, what, unit):
        done = []
        yield done.append
        self.told.append((total, what, unit, sum(done)))


def test_steps_are_told_to_who_watches():
    watcher = Watcher()
    with watched_by(watcher.bar), steps(3, "counting", "things") as tell:
        tell(1)
        tell(2)
    assert watcher.told == [(3, "counting", "things", 3)]
    with steps(3, "counting", "things") as tell:
        tell(3)
    assert len(watcher.told) == 1


def test_watching_ends_with_an_error():
    watcher = Watcher()
    with pytest.raises(ZeroDivisionError), watched_by(watcher.bar):
        raise ZeroDivisionError
    with steps(1, "counting", "things") as tell:
        tell(1)
    assert watcher.told == []


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_the_function_of_each_in_order(cores, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: cores)
    assert list(in_parallel(lambda k: k * k, range(20))) == [k * k for k in range(20)]
    assert list(in_parallel(str, [])) == []


@pytest.mark.parametrize("cores", [1, 3])
def test_errors_come_out(cores, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: cores)
    with pytest.raises(ZeroDivisionError):
        list(in_parallel(lambda k: 1 / k, [1, 0]))

"""Work on each item, on all cores: in order, with one BLAS thread, and without losing an error."""

import threading
import time

import numpy as np
import pytest

from edgewise._parallel import blas_threads, on_each, one_blas_thread


@pytest.fixture(params=[1, 2])
def threads(request, monkeypatch):
    monkeypatch.setattr("edgewise._parallel.blas_threads", lambda: request.param)
    return request.param


def test_in_order(threads):
    def slow_first(k):
        time.sleep(0.002 * (5 - k))
        return k

    assert list(on_each(slow_first, range(6))) == list(range(6))


def test_on_so_many_threads(threads):
    here = threading.get_ident()
    both = threading.Barrier(threads)

    def who(_):
        both.wait()
        return threading.get_ident(), blas_threads()

    found = list(on_each(who, range(4)))
    assert len({ident for ident, _ in found}) == threads
    if threads == 2:
        assert here not in {ident for ident, _ in found}
        assert {limit for _, limit in found} == {1}


def test_an_error_arrives(threads):
    def work(k):
        if k == 2:
            raise ValueError("the third")
        return k

    done = []
    with pytest.raises(ValueError, match="the third"):
        done.extend(on_each(work, range(100)))
    assert blas_threads() >= 1


def test_what_numpy_was_told_holds(threads):
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        list(on_each(lambda x: np.float64(1.0) / x, [np.float64(0.0)]))


def test_the_limit_goes_with_the_last_thread_inside():
    before, inside = blas_threads(), []
    with one_blas_thread():
        with one_blas_thread():
            inside.append(blas_threads())
        inside.append(blas_threads())
    assert inside == [1, 1]
    assert blas_threads() == before

"""A process that measures: what it is told, what it says, whose code it ran."""

import numpy as np
import pytest
from benchmarks import worker
from benchmarks.machine import ROOT
from benchmarks.worker import XTX, Ask, Call, WorkerError, answer

pytestmark = pytest.mark.validity


def test_a_process_of_its_own_on_one_core():
    found = answer(Ask((Call(XTX), Call("fisher")), (300, 4), repeats=2))
    unit, method = found.seconds
    assert 0 < unit < method
    assert found.ratio() == method / unit
    assert found.home.startswith(str(ROOT / "src"))
    assert found.peak > 20


def test_what_fails_says_why():
    with pytest.raises(WorkerError, match=r"nothing on array of .*: .*method: expected"):
        answer(Ask((Call("nothing"),), (300, 4)))


def test_every_named_call_runs():
    X = np.random.default_rng(0).standard_normal((100, 3))
    for name, call in worker._CALLS.items():
        if name != worker.SCAN:
            call(X)

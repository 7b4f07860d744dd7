"""A process that measures: what it is told, what it says, whose code it ran."""

import json
import os
from dataclasses import asdict

import numpy as np
import pytest
from benchmarks import worker
from benchmarks.machine import ROOT
from benchmarks.worker import COV, KENDALLTAU, XTX, Ask, Call, WorkerError, answer, environment

import edgewise as ew


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


def test_code_of_another_folder_is_refused_if_it_does_not_come_from_there(tmp_path):
    # Nothing there, so the installed one is found.
    with pytest.raises(WorkerError, match=f"edgewise was to come from {tmp_path}"):
        answer(Ask((Call(COV),), (30, 4), repeats=1), tmp_path)


@pytest.mark.parametrize("kind", ["array", "missing", "pandas"])
def test_kinds_of_data(kind, require):
    require("pandas")
    X = worker._array(kind, (200, 3))
    assert X.shape == (200, 3)
    assert np.isnan(np.asarray(X)).any() == (kind == "missing")


def test_threads_are_one_or_not_said(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert environment(1)["OMP_NUM_THREADS"] == "1"
    assert "OMP_NUM_THREADS" not in environment(None)
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_questions_survive_the_command_line():
    for ask in (
        Ask((Call("score", {"missing": "pairwise"}),), (3, 2), "missing", None, 1),
        Ask((Call(worker.SCAN),), data=("a.csv", "b.csv")),
    ):
        assert worker._asked(json.dumps(asdict(ask))) == ask


def test_a_short_call_is_repeated_and_a_long_one_is_not(monkeypatch):
    calls = []
    timer = worker.Timer(lambda: calls.append(0))
    timer.repeat()
    assert len(timer.seconds) == 1
    assert len(calls) > 10
    monkeypatch.setattr(worker, "_LONG_SECONDS", -1.0)
    calls.clear()
    timer = worker.Timer(lambda: calls.append(0))
    timer.repeat()
    assert len(calls) == len(timer.seconds) == 1


def test_both_programs_count_the_same():
    X = np.random.default_rng(0).standard_normal((300, 4))
    ours = ew.ConcordanceMoments().update(X).kendall()[np.triu_indices(4, k=1)]
    theirs = [found.statistic for found in worker._CALLS[KENDALLTAU](X)]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_fisher_in_numpy_is_fisher():
    X = np.random.default_rng(0).standard_normal((5_000, 4))
    ours = ew.edge_test(X, method="fisher").pvalue[np.triu_indices(4, k=1)]
    np.testing.assert_allclose(worker._CALLS["Fisher's test in NumPy"](X), ours, atol=1e-3)


def test_every_named_call_runs():
    X = np.random.default_rng(0).standard_normal((100, 3))
    for name, call in worker._CALLS.items():
        if name != worker.SCAN:
            call(X)

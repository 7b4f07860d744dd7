"""The peers answer the same question, and those that take too long are stopped."""

import numpy as np
import pytest
from benchmarks import peer_calls, peers

from edgewise import edge_test

P = 5
PAIRS = np.triu_indices(P, 1)


@pytest.fixture(scope="module")
def chain():
    return peers.chain((2000, P))


@pytest.fixture(scope="module")
def fisher(chain):
    return edge_test(chain, method="fisher").pvalue[PAIRS]


def test_every_peer_has_its_call():
    assert all(callable(getattr(peer_calls, peer.call)) for peer in peers.PEERS)


def test_the_bootstrap_agrees_with_the_score_test(chain):
    found = peer_calls.numpy_bootstrap(chain)()[PAIRS]
    score = edge_test(chain).pvalue[PAIRS]
    # 200 folds know a standard error to 5 %.
    assert found == pytest.approx(score, abs=0.1)


def test_the_lasso_finds_the_chain(chain):
    precision = peer_calls.sklearn_graphical_lasso(chain)()
    assert np.all(precision.diagonal(1) < -0.3)


def test_a_call_that_takes_too_long_is_stopped(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, peers.chain((2000, P)))
    assert peers.run_capped("numpy_cov", path, 30.0) > 0
    assert peers.run_capped("numpy_bootstrap", path, 0.001) == "did not finish in 0.001 s"
    assert peers.run_capped("nothing", path, 30.0) == "failed: KeyError: 'nothing'"


def test_what_was_stopped_is_not_tried_on_more(monkeypatch):
    stopped = "did not finish in 1 s"
    monkeypatch.setattr(peers, "run_capped", lambda call, *_: stopped if "boot" in call else 0.01)
    small, large = (100, 3), (200, 3)
    boot = next(peer for peer in peers.PEERS if peer.call == "numpy_bootstrap")
    found = peers.measure((peers.SCORE, boot), (small, large), long=small, cap=1.0).lines
    assert found[1].beside["100 × 3"] == stopped
    assert found[1].beside["200 × 3"] == "not tried (see 100 × 3)"
    (faster,) = (line for line in found if line.group.startswith("Times faster"))
    assert faster.value == pytest.approx(100)
    assert faster.beside["note"] == f"at least: {stopped}"


def test_what_is_not_installed_is_said_so(monkeypatch):
    monkeypatch.setattr(peers, "_version", lambda package: None)
    found = peers.measure(peers.PEERS[:2], ((100, 3),), long=(100, 3)).lines
    assert {line.beside.get("100 × 3", "not installed") for line in found} == {"not installed"}
    assert found[-1].value is None


def test_a_bound_below_the_target_decides_nothing(monkeypatch):
    stopped = "did not finish in 1 s"
    monkeypatch.setattr(peers, "run_capped", lambda call, *_: stopped if "boot" in call else 0.1)
    boot = next(peer for peer in peers.PEERS if peer.call == "numpy_bootstrap")
    found = peers.measure((peers.SCORE, boot), ((100, 3),), long=(100, 3), cap=1.0).lines[-1]
    assert found.value == pytest.approx(10)
    assert found.met is None
    assert found.beside["note"] == f"at least: {stopped}, target 100 undecided"

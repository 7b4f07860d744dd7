"""A column that opens others: in few rows do two gated columns vary, and there they hardly meet."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import FULL, PValues, rejects

import edgewise as ew

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA, P = 0.05, 10


def _behind(rng, n, share, items):
    """A yes/no column, and items that are 0 where it is 0 and independent where it is 1."""
    gate = rng.random(n) < share
    return np.column_stack([gate, items * gate[:, np.newaxis]]).astype(float)


def yes_no(rng):
    return _behind(rng, 5000, 0.1, rng.random((5000, P - 1)) < 0.05)


def wide_gate(rng):
    return _behind(rng, 5000, 0.3, rng.random((5000, P - 1)) < 0.05)


def counts(rng):
    return _behind(rng, 5000, 0.1, rng.poisson(0.05, (5000, P - 1)))


def overdispersed(rng):
    return _behind(rng, 2000, 0.1, rng.negative_binomial(0.3, 0.3, (2000, P - 1)))


def lognormal(rng):
    return _behind(rng, 2000, 0.1, rng.lognormal(size=(2000, P - 1)))


def cell_types(rng):
    """Genes of six types of cells, about the mean of their type: no column is the gate."""
    types = rng.integers(6, size=2000)
    X = (rng.random((2000, 24)) < 0.3) * rng.lognormal(size=(2000, 24))
    X *= np.arange(24) % 6 == types[:, np.newaxis]
    for one in range(6):
        X[types == one] -= X[types == one].mean(axis=0)
    return X


LAWS = {law.__name__: law for law in (yes_no, wide_gate, counts, overdispersed, lognormal)}
LAWS["cell_types"] = cell_types
CELLS = [(law, method) for law in LAWS for method in ("score", "wald", "batch", "nodewise")]


@pytest.mark.parametrize(
    ("law", "method"),
    CELLS if FULL else [("yes_no", "score"), ("counts", "batch"), ("yes_no", "nodewise")],
)
def test_gate(trial, law, method):
    log_pvalues, errors, found = PValues(method), [], []
    for rng in trial.draws(40, 400):
        X = LAWS[law](rng)
        edges = rejects(log_pvalues(X), "holm")
        i, _ = np.triu_indices(X.shape[1], k=1)
        null = (i > 0) | (law == "cell_types")  # where the first column is the gate
        errors.append(edges[null].any())
        found.append(edges[i == 0].mean())
    with trial.together():
        trial.rate_at_most("family-wise error behind a gate", errors, ALPHA)
        if law in ("yes_no", "wide_gate", "counts") and method != "wald":
            trial.mean_at_least("edges of the gate", found, 0.9)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("method", ["score", "wald", "batch"] if FULL else ["score"])
def test_sorted_by_the_gate(trial, method, sign):
    log_pvalues, errors = PValues(method), []
    i, _ = np.triu_indices(P, k=1)
    for rng in trial.draws(20, 400):
        X = yes_no(rng)
        X = X[np.argsort(sign * X[:, 0], kind="stable")]
        errors.append(rejects(log_pvalues(X), "holm")[i > 0].any())
    trial.rate_at_most("family-wise error of rows sorted by the gate", errors, ALPHA)


@pytest.mark.parametrize("of_subjects", [False, True])
@pytest.mark.parametrize("method", ["score", "wald"] if FULL else ["score"])
def test_clusters(trial, method, of_subjects):
    errors = []
    for rng in trial.draws(20, 400):
        X, labels = yes_no(rng), np.repeat(np.arange(200), 25)
        if of_subjects:  # the gate is open for all rows of some subjects
            X[:, 0] = (rng.random(200) < 0.2)[labels]
            X[:, 1:] = (rng.random((5000, P - 1)) < 0.05) * X[:, :1]
        result = ew.edge_test(X, method=method, clusters=labels)
        errors.append(np.triu(result.reject, 1)[1:].any())
    trial.rate_at_most("family-wise error behind a gate, clusters", errors, ALPHA)


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("method", ["wald", "batch"] if FULL else ["wald"])
def test_two_groups(trial, method, share):
    errors = []
    for rng in trial.draws(20, 400):
        other = _behind(rng, 5000, share, rng.random((5000, P - 1)) < 0.05)
        result = ew.compare_groups(yes_no(rng), other, method=method)
        errors.append(np.triu(result.reject, 1)[1:].any())
    trial.rate_at_most("family-wise error of the difference behind a gate", errors, ALPHA)


def test_sequence(trial):
    errors = []
    ends = np.geomspace(2500, 20_000, 12).astype(int)
    for rng in trial.draws(10, 200):
        X = _behind(rng, 20_000, 0.1, rng.random((20_000, P - 1)) < 0.1)
        sequence, false = ew.ConfidenceSequence(ALPHA, tuned_for=5000), False
        for start, end in zip([0, *ends], ends, strict=False):
            reject = sequence.update(X[start:end]).result().reject
            false |= bool(np.triu(reject, 1)[1:].any())
        errors.append(false)
    trial.rate_at_most("a false edge at any look, behind a gate", errors, ALPHA)

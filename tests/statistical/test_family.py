"""Error control in a family of some pairs, with covariates that the tested columns depend on."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import FULL, rows_of

from edgewise import edge_test
from edgewise.inference import corrections
from edgewise.simulate import make_chain_precision

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
#: Every second column is a covariate: it joins its neighbours, which have no edge given it.
P, COVARIATES = 10, [f"x{j}" for j in range(1, 10, 2)]
CELLS = [
    (law, n)
    for law in ("gaussian", "t5", "contaminated", "exponential", "poisson 0.05")
    for n in (200, 1000)
]
FEW = [("t5", 200), ("contaminated", 1000)]
TESTS = {
    "score + Holm": {"method": "score"},
    "batch + max-T": {"method": "batch", "correction": "maxt"},
    "entrywise": {"method": "entrywise"},
}


@pytest.mark.parametrize(("law", "n"), CELLS if FULL else FEW)
def test_any_false_edge_among_the_tested(trial, monkeypatch, law, n):
    """5 tested columns, 5 covariates: no tested pair is an edge."""
    monkeypatch.setattr(corrections, "DRAWS", 1999)
    precision = make_chain_precision(P, 0.35)
    tests = dict(TESTS)
    if n < 1000:
        # Batches of so few rows promise nothing yet.
        tests = {"score + Holm": TESTS["score + Holm"]}
    errors = {name: [] for name in tests}
    for rng in trial.draws(100, 1_500):
        X = rows_of(law, precision, n, rng)
        for name, asked in tests.items():
            result = edge_test(X, given=COVARIATES, **asked)
            assert result.n_pairs == 10
            errors[name].append(result.n_edges > 0)
    with trial.together():
        for name, found in errors.items():
            trial.rate_at_most(f"any false edge, {name}", found, ALPHA)


def test_fewer_pairs_have_more_power(trial):
    """What `given` is for: the same p-values, corrected for 10 pairs in place of 45."""
    precision = np.eye(P)
    precision[0, 2] = precision[2, 0] = -0.2
    more, fewer = [], []
    for rng in trial.draws(100, 2_000):
        X = rows_of("t5", precision, 400, rng)
        more.append(edge_test(X, given=COVARIATES).reject[0, 2])
        fewer.append(edge_test(X).reject[0, 2])
    # Holm among fewer pairs rejects whatever it rejects among all.
    assert all(np.asarray(more) >= np.asarray(fewer))
    assert np.mean(more) > np.mean(fewer) + 0.05

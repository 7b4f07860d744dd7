"""From statistics made up for the purpose to decisions about all pairs, and to a result."""

import math

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise._linalg import symmetric
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.decide import decision
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.inference.references import Normal
from edgewise.inference.uncertainty import PerEdge, Spread
from edgewise.states import Moments

NAMES = ("a", "b", "c")
X = ew.simulate.sample(
    "gaussian", ew.simulate.make_chain_precision(3), 200, rng=np.random.default_rng(0)
)
UPPER = np.triu_indices(3, k=1)


class Maxima:
    """Stands in for `MaxStatistic`: draws of the maximum that are known beforehand."""

    def step_down(self, statistic, reference, log_alpha):
        assert statistic.tolist() == [3.0, -1.0, 2.3]
        return np.log([0.01, 0.9, 0.05]), np.full(99, 2.4), np.full(99, 2.2)


def measured(statistic, *, error=0.1, maxima=None, uncertainty=None):
    """Three statistics; one standard error for all."""
    errors = np.full((3, 3), error)
    estimate = estimate_precision(Moments(order=2).update(X), NAMES)
    return Measurement(
        method="made up",
        feature_names=NAMES,
        estimate=estimate,
        statistic=symmetric(np.array(statistic), 3, diagonal=np.nan),
        uncertainty=uncertainty or PerEdge(Spread(precision=errors, fisher_z=errors), Normal()),
        maxima=maxima,
        options={"option": 7},
    )


def threshold_of(critical, error=0.1):
    """|Θ̂| at the z that is just significant."""
    root = np.sqrt(measured([0.0, 0.0, 0.0]).precision.diagonal())
    return (np.outer(root, root) * math.tanh(critical * error))[UPPER]


def thresholds(found):
    """Those of the three pairs; the statistics do not matter."""
    made = measured([0.0, 0.0, 0.0])
    return made.uncertainty.threshold(made, found.log_level, 0.0)[UPPER]


def decided(statistic, *, correction="holm", alpha=0.05, **parts):
    return decision(measured(statistic, **parts), Question(alpha, correction))[1]


def test_pvalues_and_decisions():
    found = decided([3.0, -1.0, 2.3])
    p = 2 * stats.norm.sf([3.0, 1.0, 2.3])
    np.testing.assert_allclose(np.exp(found.log_pvalue), p, rtol=1e-12)
    np.testing.assert_allclose(np.exp(found.log_adjusted), [3 * p[0], p[1], 2 * p[2]])
    assert found.reject.tolist() == [True, False, True]
    assert found.radius is None
    assert found.rows_needed is None
    # Two are out, so the last one is compared with the whole level.
    critical = stats.norm.isf(0.025)
    np.testing.assert_allclose(thresholds(found), threshold_of(critical), rtol=1e-12)


@pytest.mark.parametrize(
    ("correction", "pairs"), [("bonferroni", 3), ("holm", 1), ("bh", 1.5), (None, 1)]
)
def test_the_threshold_is_that_of_the_correction(correction, pairs):
    """Two of three are out: Holm is at its last step, Benjamini–Hochberg at 2/3 of the level."""
    found = decided([3.0, -1.0, 2.9], correction=correction)
    assert found.reject.tolist() == [True, False, True]
    critical = stats.norm.isf(0.025 / pairs)
    np.testing.assert_allclose(thresholds(found), threshold_of(critical), rtol=1e-12)


class TestLargestStatistic:
    def test_decides(self):
        found = decided([3.0, -1.0, 2.3], correction="maxt", maxima=Maxima())
        np.testing.assert_allclose(np.exp(found.log_adjusted), [0.01, 0.9, 0.05])
        assert found.reject.tolist() == [True, False, True]
        # The threshold is that of the pairs that are left.
        np.testing.assert_allclose(thresholds(found), threshold_of(2.2), rtol=1e-9)

"""The Wald test: sandwich standard errors."""

from __future__ import annotations

import numpy as np

from edgewise.estimators.inverse import estimate_precision
from edgewise.inference.reference import Normal
from edgewise.kernels.pairs import exact_pairs, pair_sums
from edgewise.methods.method import Evidence, Method, PerEdgeTest, Question, per_edge_result
from edgewise.methods.sandwich import NEARLY_ONE, sandwich_spread
from edgewise.results.result import EdgeTestResult


def wald_test(evidence: Evidence, question: Question) -> EdgeTestResult:
    """−Θ̂_ij over its sandwich standard error, standard normal under H₀.

    Guarantee: per edge, in the limit, for independent rows of any distribution with fourth moments.
    Liberal for few rows and heavy tails, where the score test holds its level.
    """
    estimate = estimate_precision(evidence.first_pass("wald"), evidence.feature_names)
    scan, B = evidence.rows("wald"), estimate.residual_map
    sums = pair_sums(scan, estimate.centre, B, estimate.n_samples)
    exact = exact_pairs(scan, estimate.centre, B, estimate.partial_correlation, NEARLY_ONE)
    spread = sandwich_spread(estimate, sums, exact)
    reference = Normal()
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = -estimate.precision / spread.precision
    test = PerEdgeTest(
        statistic=statistic,
        reference=reference,
        spread=spread,
        threshold_at=lambda level: reference.critical(level) * spread.precision,
    )
    return per_edge_result("wald", evidence, estimate, test, question)


WALD = Method(
    name="wald",
    guarantee="per edge, many rows",
    condition="independent rows of any distribution with fourth moments, with many rows",
    simultaneous=False,
    passes=2,
    order=2,
    run=wald_test,
)

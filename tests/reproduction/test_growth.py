"""Every test of a growing sample is the test of its rows, by the library's own way."""

from __future__ import annotations

import numpy as np
import pytest
from reproduction.gram import make_gram_precision
from reproduction.growth import (
    BOUNDS,
    bounds_of,
    chi_square_radius,
    evidence_of,
    growing_sample,
    log_levels,
    log_pvalues,
)

import edgewise as ew
from edgewise._linalg import pairs_of
from edgewise.errors import TooFewRowsWarning
from edgewise.paper.radii import TRACE_MAX_ALPHA
from edgewise.simulate import sample
from edgewise.sums.moments import Moments

ALPHA = 0.05
# Edges and null pairs, for p-values of every size.
THETA = make_gram_precision(5, 6, rng=3)


@pytest.fixture(scope="module", params=["gaussian", "exponential"])
def rows(request):
    return sample(request.param, THETA, 20_000, rng=5)


@pytest.fixture(scope="module")
def evidence(rows):
    return evidence_of(Moments(order="all").update(rows))


@pytest.mark.parametrize("method", BOUNDS)
def test_bounds(rows, evidence, method):
    result = ew.edge_test(rows, method=method, alpha=ALPHA)
    bound = bounds_of(evidence, (method,))[method]
    assert bound.radius.epsilon(ALPHA) == pytest.approx(result.radius, rel=1e-10)
    threshold, off = bound.half_width(ALPHA), ~np.eye(5, dtype=bool)
    expected = np.broadcast_to(result.threshold, threshold.shape)
    np.testing.assert_allclose(threshold[off], expected[off], rtol=1e-10)
    found = pairs_of(log_levels(bound, np.abs(result.precision)))
    expected = pairs_of(result.log_pvalue)
    # ε_Eig is used at every level; the traces only as far as they are proven, beyond it is 1.
    proven = np.full(found.shape, True) if method == "eig" else found < np.log(TRACE_MAX_ALPHA)
    assert proven.any()
    np.testing.assert_allclose(found[proven], expected[proven], rtol=1e-8, atol=1e-10)
    assert (expected[~proven] == 0).all()
    for alpha in (0.001, 0.5, 0.9):
        levels = log_levels(bound, bound.half_width(alpha))
        np.testing.assert_allclose(levels, np.log(alpha), rtol=1e-8)


def test_pvalues_of_each_pair(rows, evidence):
    expected = pairs_of(ew.edge_test(rows, method="fisher").log_pvalue)
    # Null pairs have |T| near zero, which the rounding of ρ̂ moves by 1e-12 or so.
    np.testing.assert_allclose(log_pvalues(evidence, "fisher"), expected, rtol=1e-9, atol=1e-9)
    expected = pairs_of(ew.edge_test(rows, method="score").log_pvalue)
    found = log_pvalues(evidence, "score")
    # Fourth moments know neither leverages nor the law of random signs.
    in_doubt = expected > np.log(1e-4)
    np.testing.assert_allclose(found[in_doubt], expected[in_doubt], rtol=0.02, atol=0.01)
    assert (found[~in_doubt] < np.log(2e-4)).all()


def test_other_radii_few_rows_and_other_methods(rows, evidence):
    result = ew.edge_test(rows, method="spectral", radius="chi2", alpha=ALPHA)
    assert chi_square_radius(evidence).epsilon(ALPHA) == pytest.approx(result.radius, rel=1e-8)
    few = bounds_of(evidence_of(Moments(order="all").update(rows[:60])))
    for method in ("trace", "spectral"):
        with pytest.warns(TooFewRowsWarning):
            assert np.isinf(ew.edge_test(rows[:60], method=method).threshold)
        assert np.isinf(few[method].half_width(ALPHA)).all()
    with pytest.raises(TypeError, match="'fisher' has no bound"):
        bounds_of(evidence, ("fisher",))


@pytest.mark.parametrize(
    "sizes",
    [[130, 1007, 2500], [30_000, 70_000, 100_000]],  # rows are drawn 65 536 at a time
    ids=str,
)
@pytest.mark.parametrize("distribution", ["laplace", "ar1"])
def test_states_of_the_first_rows(distribution, sizes):
    X = sample(distribution, THETA, sizes[-1], rng=9)
    states = list(growing_sample(distribution, THETA, sizes, rng=np.random.default_rng(9)))
    assert [state.n_samples for state in states] == sizes
    for n, state in zip(sizes, states, strict=True):
        expected = Moments(order="all").update(X[:n]).products()
        most = np.sqrt(expected.diagonal())
        assert np.max(np.abs(state.products() - expected) / np.outer(most, most)) <= 1e-12

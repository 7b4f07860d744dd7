"""Every test of a growing sample is the test of its rows, by the library's own way."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise._base.matrices import pairs_of
from edgewise.bounds.radius import TRACE_MAX_ALPHA
from edgewise.errors import TooFewRowsWarning
from edgewise.simulate import make_chain_precision, make_gram_precision, sample
from edgewise.states.fourth import FourthMoments
from edgewise.studies.growth import (
    BOUNDS,
    bounds_of,
    chi_square_radius,
    evidence_of,
    growing_sample,
    log_levels,
    log_pvalues,
)

ALPHA = 0.05
# Edges and null pairs, for p-values of every size.
PRECISIONS = {"chain": make_chain_precision(4), "gram": make_gram_precision(5, 6, rng=3)}
# Beyond this `edge_test` says 1: the trace radius is not proven there.
PROVEN = np.log(TRACE_MAX_ALPHA)


@pytest.fixture(scope="module", params=PRECISIONS)
def precision(request):
    return PRECISIONS[request.param]


@pytest.fixture(scope="module", params=["gaussian", "laplace", "exponential"])
def rows(request, precision):
    return sample(request.param, precision, 20_000, rng=5)


def evidence_from(rows):
    return evidence_of(FourthMoments.of(rows, np.zeros(rows.shape[1])))


@pytest.fixture(scope="module")
def evidence(rows):
    return evidence_from(rows)


@pytest.fixture(scope="module")
def bounds(evidence):
    return bounds_of(evidence)


class TestFourthMoments:
    """The key to all studies: the methods measure the same without the rows."""

    @pytest.mark.parametrize("method", BOUNDS)
    def test_thresholds(self, rows, bounds, method):
        result = ew.edge_test(rows, method=method, alpha=ALPHA)
        threshold = bounds[method].half_width(ALPHA)
        expected = np.broadcast_to(result.threshold, threshold.shape)
        off = ~np.eye(len(threshold), dtype=bool)  # the diagonal is never tested
        assert np.isfinite(threshold).all()
        np.testing.assert_allclose(threshold[off], expected[off], rtol=1e-10)
        assert bounds[method].radius.epsilon(ALPHA) == pytest.approx(result.radius, rel=1e-10)

    @pytest.mark.parametrize("method", BOUNDS)
    def test_pvalues_of_the_bounds(self, rows, bounds, method):
        result = ew.edge_test(rows, method=method, alpha=ALPHA)
        found = pairs_of(log_levels(bounds[method], np.abs(result.precision)))
        expected = pairs_of(result.log_pvalue)
        assert (found <= 0).all()
        # ε_Eig is used at every level; the traces only as far as they are proven.
        counted = np.full(found.shape, True) if method == "eig" else found < PROVEN
        assert counted.any()
        np.testing.assert_allclose(found[counted], expected[counted], rtol=1e-8, atol=1e-10)
        assert (expected[~counted] == 0).all()

    @pytest.mark.parametrize("method", ["score", "fisher"])
    def test_pvalues_of_each_pair(self, rows, evidence, method):
        found = log_pvalues(evidence, method)
        expected = pairs_of(ew.edge_test(rows, method=method).log_pvalue)
        assert expected.min() < np.log(1e-6) < np.log(0.01) < expected.max()
        if method == "score":
            # Fourth moments know neither leverages nor the law of random signs.
            in_doubt = expected > np.log(1e-4)
            np.testing.assert_allclose(found[in_doubt], expected[in_doubt], rtol=0.02, atol=0.01)
            assert (found[~in_doubt] < np.log(2e-4)).all()
        else:
            # Null pairs have |T| near zero, which the rounding of ρ̂ moves by 1e-12 or so.
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize("method", BOUNDS)
    @pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5, 0.9])
    def test_a_level_is_that_of_its_threshold(self, bounds, method, alpha):
        """Also above 0.2152: the studies draw the trace radius over the whole axis."""
        levels = log_levels(bounds[method], bounds[method].half_width(alpha))
        np.testing.assert_allclose(levels, np.log(alpha), rtol=1e-8)

    def test_chi_square_radius(self, rows, evidence):
        result = ew.edge_test(rows, method="spectral", radius="chi2", alpha=ALPHA)
        assert chi_square_radius(evidence).epsilon(ALPHA) == pytest.approx(result.radius, rel=1e-8)

    def test_too_few_rows(self, rows):
        few = rows[:60]
        bounds = bounds_of(evidence_from(few))
        for method in ("trace", "spectral"):
            with pytest.warns(TooFewRowsWarning):
                expected = ew.edge_test(few, method=method).threshold
            assert np.isinf(expected)
            assert np.isinf(bounds[method].half_width(ALPHA)).all()

    @pytest.mark.parametrize("wanted", [BOUNDS, ("trace", "eig"), ("whitened",), ("spectral",), ()])
    def test_only_the_bounds_asked_for_in_their_order(self, evidence, bounds, wanted):
        found = bounds_of(evidence, wanted)
        assert tuple(found) == wanted
        for name in wanted:
            np.testing.assert_array_equal(
                found[name].half_width(ALPHA), bounds[name].half_width(ALPHA)
            )

    def test_a_method_without_a_bound(self, evidence):
        with pytest.raises(TypeError, match="'score' has no bound"):
            bounds_of(evidence, ("score",))


class TestGrowingSample:
    @pytest.mark.parametrize(
        "sizes",
        [
            [700],
            [130, 1007, 2500],  # no common step
            [1000, 1500, 4000],
            [30_000, 70_000, 100_000],  # rows are drawn 65 536 at a time
        ],
        ids=str,
    )
    @pytest.mark.parametrize("distribution", ["gaussian", "laplace", "ar1"])
    def test_states_of_the_first_rows(self, distribution, sizes):
        theta = PRECISIONS["chain"]
        X = sample(distribution, theta, sizes[-1], rng=9)
        states = list(growing_sample(distribution, theta, sizes, rng=np.random.default_rng(9)))
        assert [state.n_samples for state in states] == sizes
        for n, state in zip(sizes, states, strict=True):
            expected = FourthMoments.of(X[:n], np.zeros(4)).gram
            most = np.sqrt(expected.diagonal())
            assert np.max(np.abs(state.gram - expected) / np.outer(most, most)) <= 1e-12

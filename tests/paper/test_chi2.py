"""Tails and quantiles of weighted sums of χ²₁, against independent ways to the same number."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from edgewise.paper.radii import log_tail, upper_quantile

ALPHAS = [0.01, 0.05, 0.3]


def imhof(x, weights):
    """P(Q > x) = ½ + (1/π) ∫₀^∞ sin θ(u)/(u ρ(u)) du (Imhof 1961), panel by panel."""
    # ρ(u) is at least ∏√(λu) over the largest weights: what is left out beyond `end` is 1e-14.
    top = np.sort(weights)[-30:]
    end = np.exp((2 * math.log(2e14 / len(top)) - np.sum(np.log(top))) / len(top))
    panels = math.ceil(end / min(2 * math.pi / x, 1 / top[-1]))
    nodes, node_weights = np.polynomial.legendre.leggauss(16)
    width = end / panels
    total = 0.0
    for left in np.array_split(width * np.arange(panels), -(-panels // 100)):
        u = (left[:, np.newaxis] + width * (nodes + 1) / 2)[..., np.newaxis]
        angle = 0.5 * np.sum(np.arctan(weights * u), axis=-1) - 0.5 * x * u[..., 0]
        log_rho = 0.25 * np.sum(np.log1p((weights * u) ** 2), axis=-1)
        total += np.sum(np.sin(angle) * np.exp(-log_rho) / u[..., 0] @ node_weights)
    return 0.5 + total * width / 2 / math.pi


def exact_tail(x, pairs, single=None):
    """log P(Q > x) for weights that come in equal, distinct pairs, and perhaps one larger single.

    A pair of weights λ is an exponential variable of mean μ = 2λ, and a sum of those is a mixture
    of exponentials with the coefficients ∏ μ_i/(μ_i − μ_j), some of them negative. The single one,
    Z², adds ∫ f(z) e^{−(x−z)/μ} dz, an imaginary error function.
    """
    with mpmath.workdps(100):
        x, means = mpmath.mpf(float(x)), [2 * mpmath.mpf(float(w)) for w in pairs]
        total = mpmath.mpf(0)
        if single is not None:
            x, means = x / mpmath.mpf(single), [m / mpmath.mpf(single) for m in means]
            total = mpmath.erfc(mpmath.sqrt(x / 2))
        for i, mean in enumerate(means):
            share = mpmath.fprod(mean / (mean - m) for j, m in enumerate(means) if j != i)
            below = mpmath.exp(-x / mean)
            if single is not None:
                rate = 1 / mean - mpmath.mpf(1) / 2
                below *= mpmath.erfi(mpmath.sqrt(rate * x)) / mpmath.sqrt(2 * rate)
            total += share * below
        return float(mpmath.log(total))


def spectrum(seed, size, decades):
    return 10.0 ** -np.random.default_rng(seed).uniform(0, decades, size)


@pytest.mark.parametrize("alpha", [1e-300, 1e-100, 1e-12, 1e-3, 0.05, 0.3, 0.7, 0.999])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 50])
def test_equal_weights_are_a_chi_square(size, alpha):
    weights = np.full(size, 0.3)
    x = 0.3 * stats.chi2.isf(alpha, size)
    assert log_tail(x, weights) == pytest.approx(math.log(stats.chi2.sf(x / 0.3, size)), abs=1e-11)
    assert upper_quantile(alpha, weights) == pytest.approx(x, rel=1e-11)


@pytest.mark.parametrize("share", [1e-3, 0.1, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.1, 3, 30, 500])
@pytest.mark.parametrize(("size", "decades"), [(2, 0.5), (5, 1), (8, 3), (8, 12)])
def test_pairs_have_a_closed_form(size, decades, share):
    pairs = spectrum(size, size, decades)
    x = 2 * share * pairs.sum()
    found = log_tail(x, np.repeat(pairs, 2))
    assert found == pytest.approx(exact_tail(x, pairs), rel=1e-13, abs=1e-11)


@pytest.mark.parametrize("log_p", [-5, -230.0, -690.0, -5000.0, -1e6])
def test_deep_tails_keep_their_relative_accuracy(log_p):
    pairs = np.array([1.0, 0.6, 0.59, 0.1, 1e-3])
    x = -2 * log_p
    found, expected = log_tail(x, np.repeat(pairs, 2)), exact_tail(x, pairs)
    # 1e-10 in P, and below 1e-300 what a double can say of its logarithm.
    assert found == pytest.approx(expected, rel=1e-15, abs=1e-10)
    assert expected < log_p / 2


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("seed", "size", "decades"), [(0, 8, 0.5), (1, 12, 1), (2, 40, 2)])
def test_quantile_against_imhof(seed, size, decades, alpha):
    weights = spectrum(seed, size, decades)
    found = upper_quantile(alpha, weights)
    expected = optimize.brentq(
        lambda x: imhof(x, weights) - alpha, 0.9 * found, 1.1 * found, rtol=1e-11
    )
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-250, 1e-9, 3.7, 1e9, 1e250])
def test_scale_does_not_matter(scale):
    weights = spectrum(5, 6, 2)
    for x in (0.1, weights.sum(), 5.0, 100.0):
        assert log_tail(scale * x, scale * weights) == pytest.approx(
            log_tail(x, weights), rel=1e-10
        )
    for alpha in ALPHAS:
        assert upper_quantile(alpha, scale * weights) == pytest.approx(
            scale * upper_quantile(alpha, weights), rel=1e-11
        )


def test_nothing_exceeds_less_than_nothing():
    assert log_tail(0.0, np.array([1.0, 2.0])) == 0.0
    assert log_tail(-1.0, np.array([1.0])) == 0.0
    assert log_tail(1e-300, np.zeros(3)) == -math.inf


@settings(max_examples=40)
@given(
    st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=12),
    st.floats(1e-9, 0.999),
    st.floats(1.001, 10),
)
def test_quantile_inverts_the_tail(values, alpha, factor):
    weights = np.array(values)
    x = upper_quantile(alpha, weights)
    assert log_tail(x, weights) == pytest.approx(math.log(alpha), rel=1e-9, abs=1e-9)
    # More weight, more tail.
    heavier = weights.copy()
    heavier[0] *= factor
    assert log_tail(x, heavier) >= log_tail(x, weights) - 1e-10


def imhof_of_counts(x, weights, counts):
    """P(Q > x) by Imhof's integral with any degrees of freedom, panel by panel with QUADPACK."""

    def integrand(u):
        angle = 0.5 * np.sum(counts * np.arctan(weights * u)) - 0.5 * x * u
        log_rho = 0.25 * np.sum(counts * np.log1p((weights * u) ** 2))
        return math.sin(angle) * math.exp(-log_rho) / u

    total, panel, start = 0.0, 2 * math.pi / x, 1e-300
    for k in range(1, 10_000):
        part = integrate.quad(integrand, start, k * panel, epsabs=1e-14, epsrel=1e-12)[0]
        total, start = total + part, k * panel
        if np.exp(-0.25 * counts @ np.log1p((weights * start) ** 2)) < 1e-13:
            break
    return 0.5 + total / math.pi


class TestCounts:
    @settings(max_examples=60)
    @given(
        st.lists(st.tuples(st.floats(1e-5, 1e2), st.integers(1, 9)), min_size=1, max_size=6),
        st.floats(1e-12, 0.999),
    )
    def test_whole_ones_are_repetitions(self, pairs, alpha):
        weights, counts = np.array(pairs).T
        repeated = np.repeat(weights, counts.astype(int))
        x = upper_quantile(alpha, weights, counts)
        assert x == pytest.approx(upper_quantile(alpha, repeated), rel=1e-12)
        for share in (0.5, 1.0, 3.0):
            found, expected = (
                log_tail(share * x, *spectrum) for spectrum in ((weights, counts), (repeated,))
            )
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)

    @pytest.mark.parametrize("share", [0.3, 0.8, 1.0, 1.2, 2.0])
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_fractional_ones_against_imhof(self, seed, share):
        weights = spectrum(seed, 6, 1)
        counts = np.random.default_rng(seed).uniform(0.3, 6.0, 6)
        x = share * float(counts @ weights)
        expected = imhof_of_counts(x, weights, counts)
        assert math.exp(log_tail(x, weights, counts)) == pytest.approx(expected, abs=1e-10)

    @pytest.mark.parametrize("largest", [1e-3, 1e-8, 1e-15, 1e-17, 1e-20, 1e-30, 1e-300])
    def test_of_next_to_nothing(self, largest):
        """Quadrature may give the largest node hardly any weight, and then it hardly counts."""
        weights, counts = np.array([1.0, 0.5]), np.array([largest, 3.0])
        for x in (0.5, 1.5, 5.0):
            found = math.exp(log_tail(x, weights, counts))
            assert found == pytest.approx(stats.chi2.sf(2 * x, 3), rel=20 * largest + 1e-9)
        quantile = upper_quantile(0.05, weights, counts)
        expected = 0.5 * stats.chi2.isf(0.05, 3)
        assert quantile == pytest.approx(expected, rel=20 * largest + 1e-9)

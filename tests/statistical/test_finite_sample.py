"""The radii for every number of rows: Bernstein's, Chebyshev's, and rows outside the support."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.inference.sample import Needs, open_sample
from edgewise.methods.bounds import bernstein_radius
from edgewise.simulate import DISTRIBUTIONS, Distribution, make_chain_precision, sample

P = 3
COPIED = 0.5
RARE = 0.01
# The variance of a column, and how to draw it from uniform numbers; all within (0, 1).
LAWS = {
    "uniform": (1 / 12, lambda u: u),
    "rademacher": (1 / 4, np.round),
    # Beta(1/4, 1): mean 1/5 and mean square 1/9.
    "beta": (1 / 9 - 1 / 25, lambda u: u**4),
    "rare": (RARE * (1 - RARE), lambda u: (u < RARE) * 1.0),
}


def dependent_rows(law, n, rng):
    """Columns that share one draw in half of the cases, so their correlation is a quarter."""
    draws = LAWS[law][1](rng.random((n, P + 1)))
    return np.where(rng.random((n, P)) < COPIED, draws[:, :1], draws[:, 1:])


def covariance_of(law):
    return LAWS[law][0] * ((1 - COPIED**2) * np.eye(P) + COPIED**2)


@pytest.mark.parametrize("n", [50, 500, 5000])
@pytest.mark.parametrize("law", list(LAWS))
def test_bernstein(trial, law, n):
    """At the level 0.5 too, where a bound that is too small would show."""
    truth = covariance_of(law)
    entries, norms, naive = {0.05: [], 0.5: []}, {0.05: [], 0.5: []}, []
    for rng in trial.draws(100, 5000):
        X = dependent_rows(law, n, rng)
        evidence = open_sample(X, Needs(reads_again=True), "a test")
        radius = bernstein_radius(evidence, None, (0, 1))
        error = np.cov(X, rowvar=False) - truth
        for alpha in entries:
            exponent = math.log(radius.n_events / alpha)
            entries[alpha].append((np.abs(error) > radius.entry_errors(exponent, n)).any())
            norms[alpha].append(np.linalg.norm(error, 2) > radius.epsilon(alpha))
        plug_in = radius.deviation * math.sqrt(2 * math.log(2 * 6 / 0.05) / n)
        naive.append((np.abs(error) > plug_in).any())
    for alpha in entries:
        trial.rate_at_most(f"any entry beyond its error at {alpha}", entries[alpha], alpha)
        trial.rate_at_most(f"norm beyond the radius at {alpha}", norms[alpha], alpha)
    if law == "rare" and n <= 500:
        # Where no event was seen, the variance that is seen is zero.
        trial.rate_exceeds("beyond the same without what the variance may hide", naive, 0.05)


@pytest.mark.parametrize("law", ["uniform", "rademacher", "beta"])
def test_bernstein_intervals(trial, law):
    """Enough rows for a finite threshold: all entries of Θ are within it."""
    precision = np.linalg.inv(covariance_of(law))
    asked = {"method": "whitened", "radius": "bernstein", "support": (0, 1)}
    missed = []
    for rng in trial.draws(60, 2000):
        result = edge_test(dependent_rows(law, 5000, rng), alpha=0.5, **asked)
        low, high = result.confidence_interval(0.5, scale="precision")
        assert np.isfinite(low).all()
        missed.append(((low > precision) | (precision > high)).any())
    trial.rate_at_most("any entry of Θ missed at 0.5", missed, 0.5)


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
@pytest.mark.parametrize("radius", ["hoeffding", "bernstein"])
@pytest.mark.parametrize("n", [50, 2000])
def test_rows_outside_the_support(trial, radius, n):
    """What is promised is about the rows inside; about all rows nothing can be."""
    truth = covariance_of("uniform")
    share = 0.02
    # The rows outside are at (±10, ∓10, 0) and undo the covariance of the first two.
    outside = np.array([10.0, -10.0, 0.0])
    of_all = (1 - share) * truth + share * np.outer(outside, outside)
    within, all_rows = [], []
    for rng in trial.draws(100, 5000):
        X = dependent_rows("uniform", n, rng) - 0.5
        far = rng.random(n) < share
        X[far] = rng.choice([-1.0, 1.0], (far.sum(), 1)) * outside
        result = edge_test(
            X[~far], method="spectral", radius=radius, support=(-0.5, 0.5), alpha=0.5
        )
        within.append(np.linalg.norm(result.covariance - truth, 2) > result.radius)
        all_rows.append(np.linalg.norm(result.covariance - of_all, 2) > result.radius)
    trial.rate_at_most("covariance of the rows inside beyond the radius at 0.5", within, 0.5)
    trial.rate_exceeds("covariance of all rows beyond it", all_rows, 0.5)


class RareScale(Distribution):
    """Gaussian rows, one in `every` of which is ten times as far out."""

    def __init__(self, every):
        self.share = 1 / every
        self.square, self.fourth = (1 - self.share + self.share * 10**k for k in (2, 4))

    def rows(self, rng, n, p):
        X = rng.standard_normal((n, p)) / math.sqrt(self.square)
        return X * np.where(rng.random((n, 1)) < self.share, 10.0, 1.0)


SCALED = {every: RareScale(every) for every in (1000, 100)}
# Mardia's kurtosis, in multiples of that of Gaussian rows.
CHEBYSHEV = {
    "gaussian": (DISTRIBUTIONS["gaussian"], 1),
    "laplace": (DISTRIBUTIONS["laplace"], (P + 3) / (P + 1)),
    "exponential": (DISTRIBUTIONS["exponential"], (P + 8) / (P + 2)),
    "one row in a thousand": (SCALED[1000], SCALED[1000].fourth / SCALED[1000].square ** 2),
    "one row in a hundred": (SCALED[100], SCALED[100].fourth / SCALED[100].square ** 2),
}


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize("n", [50, 2000])
@pytest.mark.parametrize("law", list(CHEBYSHEV))
def test_chebyshev(trial, law, n):
    """With the kurtosis of the law declared, all entries of Θ are within the threshold."""
    precision = make_chain_precision(P)
    factor = np.linalg.cholesky(precision)
    distribution, kurtosis = CHEBYSHEV[law]
    beyond, missed = {0.05: [], 0.5: []}, []
    for rng in trial.draws(100, 5000):
        X = sample(distribution, precision, n, rng=rng)
        result = edge_test(X, method="whitened", radius="chebyshev", kurtosis=kurtosis)
        error = np.linalg.norm(factor.T @ result.covariance @ factor - np.eye(P), "fro")
        for alpha in beyond:
            beyond[alpha].append(error > result.uncertainty.radius.epsilon(alpha))
        low, high = result.confidence_interval(0.5, scale="precision")
        missed.append(((low > precision) | (precision > high)).any())
    for alpha in beyond:
        trial.rate_at_most(f"relative error beyond the radius at {alpha}", beyond[alpha], alpha)
    trial.rate_at_most("any entry of Θ missed at 0.5", missed, 0.5)

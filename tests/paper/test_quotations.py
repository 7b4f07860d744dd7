"""What the page of verdicts quotes of the paper is what the code computes, once its repair is read in."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from reproduction.theorem8 import PricedTest
from scipy.stats import norm

import edgewise as ew
from edgewise.paper.radii import HoeffdingRadius, kernel_ranges

PAGE = (Path(__file__).parents[2] / "docs" / "theory" / "verdicts.md").read_text(encoding="utf-8")
QUOTED = re.sub(r"\s+", " ", " ".join(re.findall(r"^> ?(.*)$", PAGE, flags=re.M)))
DELTA, MU = 0.05, 1.5
X = ew.simulate.sample("laplace", ew.simulate.make_chain_precision(4), 20_000, rng=1)


def size_of_cov(method: str) -> float:
    C = ew.covariance_of_covariance(X)
    return float(np.linalg.eigvalsh(C)[-1] if method == "eig" else np.trace(C))


@pytest.mark.parametrize(
    ("method", "radius"),
    [
        ("eig", r"\sqrt{2\lambda_{max}}\,\Phi(1 - \delta/2)"),
        ("trace", r"\sqrt{2\operatorname{Tr}[\operatorname{Cov}(\hat\Sigma)]}\,\Phi(1 - \delta/2)"),
    ],
)
def test_theorem_6(method, radius):
    assert radius in QUOTED
    assert r"t = \mu\sqrt{\sum_{k=1}^p \bigl(\frac{-\varepsilon}" in QUOTED
    epsilon = np.sqrt(2 * size_of_cov(method)) * norm.ppf(1 - DELTA / 2)  # Φ⁻¹, as in Algorithm 1
    alphas = np.linalg.eigvalsh(np.cov(X, rowvar=False))
    t = MU * np.sqrt(np.sum((-epsilon / (alphas * (alphas - epsilon))) ** 2))
    result = ew.edge_test(X, method=method, alpha=DELTA, mu=MU)
    assert (result.radius, result.threshold) == pytest.approx((epsilon, t), rel=1e-9)


def test_theorem_4():
    assert r"(b-a) \sqrt{\log(\delta/2)/n}" in QUOTED
    # [a, b] the range of the kernel, log(2/δ), a union over the entries: n pairs of rows are n/2.
    n, p, width = 1000, 3, 2.0
    d = p * (p + 1) // 2
    ranges = kernel_ranges(np.full(p, width))
    assert ranges[0, 1] == width**2
    expected = ranges * np.sqrt(np.log(2 * d / DELTA) / n)
    radius = HoeffdingRadius(float(np.linalg.norm(ranges, 2)), n // 2, d)
    assert radius.epsilon(DELTA) == pytest.approx(np.linalg.norm(expected, 2), rel=1e-12)


def test_theorem_8():
    assert r"whenever $\frac rs > -\frac12$" in QUOTED
    ours = PricedTest(1.0, 1, 10.0)
    for s, r in ((2, -0.5), (1.5, -0.7), (1.5, -1.0), (3, -2.0)):
        other = PricedTest(1.0, s, 0.1, r)
        assert other.threshold(1e6) == pytest.approx(0.1 * 1e6 ** (r / s))
        assert (ours.threshold(1e60) < other.threshold(1e60)) == (r / s > -0.5)


def test_lemma_2():
    assert r"\leq \mu\sqrt{\sum_{k=1}^p (1/\alpha_k - 1/\hat\alpha_k)^2}" in QUOTED
    truth = ew.simulate.make_chain_precision(4)
    estimate = np.linalg.inv(np.cov(X, rowvar=False))
    a, b = np.linalg.eigvalsh(truth), np.linalg.eigvalsh(estimate)
    A = np.sum((a - b) ** 2)
    B = 2 * np.sum(a * b) - 2 * np.trace(estimate @ truth)  # eigenvalues in the same order
    assert np.linalg.norm(estimate - truth) ** 2 == pytest.approx(A + B, rel=1e-9)
    assert B > 0

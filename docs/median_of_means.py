"""Would a median of means, or Catoni's estimator, beat the finite-sample radii that edgewise has?

Prints the table of docs/theory/bounds.md: thresholds on partial correlations at 100,000 rows of six
columns, alpha 0.05. Run it with `python docs/median_of_means.py`; it takes a few seconds.
"""

from __future__ import annotations

import math

import numpy as np

import edgewise as ew

N, P, ALPHA = 100_000, 6, 0.05
ENTRIES = P * (P + 1) // 2
UNION = math.log(2 * ENTRIES / ALPHA)


def best_constant() -> float:
    """Of a median of K means, whose error is √(constant · variance · log(1/level)/n).

    A mean of n/K rows is off by s standard deviations or more with probability 1/(1 + s²) at most
    (Cantelli), and half of K of them with probability exp(−K log((1 + s²)/(2s))) at most
    (Chernoff).
    """
    s = np.linspace(1.01, 20.0, 100_000)
    return float((s**2 / np.log((1 + s**2) / (2 * s))).min())


def pairs_of_rows(X: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Empirical Bernstein for the kernel ½(x_i − x′_i)(x_j − x′_j) of ⌊n/2⌋ pairs."""
    c = X - X.mean(axis=0)
    s = c.T @ c / N
    variance = ((c**2).T @ c**2 / N + np.outer(s.diagonal(), s.diagonal())) / 2
    ranges = np.outer(lengths, lengths) - np.diag(lengths**2 / 2)
    level, pairs = math.log(3 * ENTRIES / ALPHA), N // 2
    a = math.sqrt(2 * level / pairs)
    deviation = np.sqrt(variance + (a * ranges / 2) ** 2) + a * ranges / 2
    return a * deviation + ranges * a**2 / 6


def with_kurtosis(X: np.ndarray, kurtosis: float, constant: float) -> np.ndarray:
    """Errors √(constant · v), v ≤ kurtosis · Σ_iiΣ_jj, the variances known up to an error."""
    scale = X.std(axis=0)
    own = math.sqrt((kurtosis - 1) * constant)
    errors = math.sqrt(kurtosis * constant) * np.outer(scale, scale)
    np.fill_diagonal(errors, own * scale**2)
    return errors / (1 - own)


def threshold(X: np.ndarray, errors: np.ndarray) -> float:
    inverse = np.abs(np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))))
    epsilon = float(np.linalg.norm(inverse @ errors @ inverse.T, 2))
    return epsilon / (1 - epsilon) if epsilon < 1 else math.inf


def whitened(X: np.ndarray, **options: object) -> float:
    bound = ew.edge_test(X, method="whitened", **options).uncertainty
    return bound.transfer.tau(bound.radius.epsilon(ALPHA))


def line(label: str, X: np.ndarray, half: float, kurtosis: float) -> None:
    support = (-half, half)
    catoni = 2 * UNION / (N - 2 * UNION)
    found = {
        "hoeffding": whitened(X, radius="hoeffding", support=support),
        "pairs": threshold(X, pairs_of_rows(X, np.full(P, 2 * half))),
        "bernstein": whitened(X, radius="bernstein", support=support),
        "median": threshold(X, with_kurtosis(X, kurtosis, best_constant() * UNION / N)),
        "catoni": threshold(X, with_kurtosis(X, kurtosis, catoni)),
        "chebyshev 1": whitened(X, radius="chebyshev", kurtosis=1),
        "chebyshev 2": whitened(X, radius="chebyshev", kurtosis=2),
    }
    print(label, *(f"{name} {value:.3f}" for name, value in found.items()), sep="  ")


if __name__ == "__main__":
    chain = ew.simulate.make_chain_precision(P)
    rows = np.clip(ew.simulate.sample("gaussian", chain, N, rng=1), -5, 5)
    line("uniform", np.random.default_rng(0).uniform(-1, 1, (N, P)), 1.0, 1.8)
    line("gaussian", rows, 5.0, 3.0)

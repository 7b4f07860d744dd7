"""The table on leverage of theory/per-edge.md; about five minutes.

False positives of a single null pair at 0.05, as multiples of the level: predicted from the
leverage for weights of one and of two powers of 1/(1 − h), for the weight of `score`, and measured.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import norm

from edgewise.calibrate import calibrate
from edgewise.errors import EdgewiseWarning
from edgewise.simulate import make_chain_precision
from edgewise.sums.score import believed_tau, score_weight

ALPHA = 0.05


def predicted(scale, p, rng):
    """With rows of these scales, by weight: variance of the numerator over its estimate."""
    n = len(scale)
    scale = scale / np.sqrt(np.mean(scale**2))
    Z = scale[:, None] * rng.standard_normal((n, p - 2))
    Q = np.linalg.qr(np.column_stack([np.ones(n), Z]))[0]
    M = np.eye(n) - Q @ Q.T
    MR = M * scale**2
    shrunken, variance = np.sum(MR * M, axis=1), np.sum(MR * MR.T)
    left = np.diag(M)
    # What `row_tau` would find if it saw the expected squares.
    tau = believed_tau((shrunken - left * (1 - left)) / left**2, p)
    weights = [np.ones(n), 1 / left, left**-2, score_weight(left, tau)]
    estimated = [np.sum(w * shrunken**2) for w in weights]
    return 2 * norm.sf(norm.isf(ALPHA / 2) / np.sqrt(variance / estimated)) / ALPHA


def main() -> None:
    warnings.simplefilter("ignore", EdgewiseWarning)
    rng = np.random.default_rng(0)
    laws = {
        "gaussian": np.ones,
        "t5": lambda n: 1 / np.sqrt(rng.chisquare(5, n) / 5),
        "contaminated": lambda n: np.where(rng.random(n) < 0.05, 5, 1),
    }
    sizes = [
        ("gaussian", 60, 600, 200),
        ("t5", 60, 3000, 100),
        ("t5", 100, 1000, 20),
        ("contaminated", 20, 500, 1000),
        ("contaminated", 50, 500, 100),
    ]
    for law, p, n, draws in sizes:
        repeats = max(1, 20_000 // n) if n < 2000 else 3
        ratios = np.mean(
            [predicted(laws[law](n), p, rng) for _ in range(repeats)], axis=0
        )
        rates = calibrate(
            "score", law, precision=make_chain_precision(p), n_samples=n, n_draws=draws
        )
        value, low, high = (one / ALPHA for one in rates.false_positive_rate)
        cells = [f"{ratio:.2f}" for ratio in ratios]
        print(
            law, p, n, *cells, f"{value:.2f} ({low:.2f}–{high:.2f})", draws, flush=True
        )


if __name__ == "__main__":
    main()

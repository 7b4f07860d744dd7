"""How much arithmetic a method cannot do without, to say which share of the BLAS peak it reaches.

n rows, p columns; only terms in n are counted, a multiplication and an addition as two, and a
symmetric product (SYRK) as its half, n p². Centring, powers and sums of rows are not counted,
though they take time: the share is of useful arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: In units of n p². Each method first sums the covariance (1). Then score and wald map the rows
#: to residuals (2), sum the products of their squares (1) and of their cubes with themselves (2);
#: whitened maps the rows (2); the covariances that batch sums make up the first sum.
_PASSES = {
    "numpy.cov": 1,
    "fisher": 1,
    "elliptical": 1,
    "trace": 1,
    "spectral": 1,
    "batch": 1,
    "whitened": 3,
    "score": 6,
    "wald": 6,
}
#: One product with Cov(U(Σ̂)), matrix-free: the rows times a triangle of a p × p matrix (1), and the
#: sum of the rows' outer products with the weights that gives (1).
_PRODUCT = 2

FORMULAS = (
    "useful flops, in n p²: numpy.cov, fisher, elliptical, trace, spectral and batch 1 (one SYRK); "
    "whitened 1 + 2; score and wald 1 + 2 + 1 + 2; eig 1 + 2 × products where it is matrix-free, "
    "else 1 + (p + 1)²/4 (one SYRK of the p(p + 1)/2 products of columns)"
)


def useful_flops(method: str, shape: tuple[int, int], options: Mapping[str, Any]) -> float | None:
    """Of one call; `options` are those of its result. None for a method without a formula."""
    n, p = shape
    unit = float(n) * p * p
    if method == "eig":
        products = options.get("products")
        return unit * (1 + ((p + 1) ** 2 / 4 if products is None else _PRODUCT * products))
    passes = _PASSES.get(method)
    return None if passes is None else passes * unit

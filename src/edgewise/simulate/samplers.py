"""Rows of many distributions with a given precision matrix.

Two kinds, because they break tests in different ways: row-wise scale mixtures (t, Laplace), whose
residuals are uncorrelated but dependent and expose Gaussian tests; and independent components
mixed by a Cholesky factor, whose skewness and heavy tails survive in single residuals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edgewise._types import FloatArray
from edgewise._validation import check_choice


def _gaussian(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    return rng.standard_normal((n, p))


def _laplace(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    """Power exponential with ω = 1: R u with R ~ Gamma(p, 2), and E[R²]/p = 4(p+1)."""
    direction = rng.standard_normal((n, p))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = rng.gamma(p, 2.0, (n, 1))
    rows: FloatArray = radius * direction / np.sqrt(4 * (p + 1))
    return rows


def _student5(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    df = 5
    mixing = rng.chisquare(df, (n, 1)) / (df - 2)
    return rng.standard_normal((n, p)) / np.sqrt(mixing)


def _exponential(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    return rng.standard_exponential((n, p)) - 1


def _lognormal(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    deviation = np.sqrt((np.e - 1) * np.e)
    rows: FloatArray = (rng.lognormal(0.0, 1.0, (n, p)) - np.sqrt(np.e)) / deviation
    return rows


#: Makers of n × p rows with mean zero and identity covariance.
SAMPLERS: dict[str, Callable[[np.random.Generator, int, int], FloatArray]] = {
    "gaussian": _gaussian,
    "laplace": _laplace,
    "t5": _student5,
    "exponential": _exponential,
    "lognormal": _lognormal,
}


def sample(
    distribution: str, precision: FloatArray, n_samples: int, *, rng: np.random.Generator
) -> FloatArray:
    """`n_samples` rows with mean zero and covariance Θ⁻¹.

    Parameters
    ----------
    distribution : {"gaussian", "laplace", "t5", "exponential", "lognormal"}
        The multivariate Laplace is the power exponential with ω = 1; the last two mix independent
        components.
    precision : ndarray of shape (p, p)
        Θ, symmetric positive definite.
    n_samples : int
        How many rows.
    rng : numpy.random.Generator
        Where the randomness comes from.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.simulate import chain_precision, sample
    >>> sample("laplace", chain_precision(4), 100, rng=np.random.default_rng(0)).shape
    (100, 4)
    """
    check_choice("distribution", distribution, tuple(SAMPLERS))
    root = np.linalg.cholesky(np.linalg.inv(precision))
    return SAMPLERS[distribution](rng, n_samples, precision.shape[0]) @ root.T

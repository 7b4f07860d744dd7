"""Rows with a given precision matrix, all at once or as an endless stream."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgewise._base.checks import check_choice, check_count, check_rng
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.simulate.distributions import DISTRIBUTIONS, Distribution

# How many rows are drawn at a time, whatever the size of the batches: it must not change the rows.
_DRAWN = 1 << 16


def sample(
    distribution: str | Distribution,
    precision: FloatArray,
    n_samples: int,
    *,
    rng: np.random.Generator | int | None = None,
) -> FloatArray:
    """Draw `n_samples` rows with mean zero and covariance Θ⁻¹.

    Parameters
    ----------
    distribution : str or Distribution
        The name of one of `DISTRIBUTIONS`, or any other law, such as ``StudentT(df=8)``.
    precision : ndarray of shape (p, p)
        Θ, symmetric and positive definite. If you have a covariance, give its inverse.
    n_samples : int
        How many rows.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.

    Returns
    -------
    ndarray of shape (n_samples, p)
        The rows.

    Examples
    --------
    >>> from edgewise.simulate import StudentT, make_chain_precision, sample
    >>> sample("laplace", make_chain_precision(4), 100, rng=0).shape
    (100, 4)
    >>> sample(StudentT(df=8), make_chain_precision(4), 100, rng=0).shape
    (100, 4)
    """
    n_samples = check_count("n_samples", n_samples, at_least=0)
    batches = list(
        sample_batches(distribution, precision, n_samples, rng=rng, batch_rows=max(n_samples, 1))
    )
    return batches[0] if batches else np.empty((0, len(precision)))


def sample_batches(
    distribution: str | Distribution,
    precision: FloatArray,
    n_samples: int | None,
    *,
    rng: np.random.Generator | int | None = None,
    batch_rows: int = _DRAWN,
) -> Iterator[FloatArray]:
    """The rows of `sample`, one batch at a time, so that only one batch is in memory.

    Parameters
    ----------
    distribution : str or Distribution
        As for `sample`.
    precision : ndarray of shape (p, p)
        As for `sample`.
    n_samples : int or None
        How many rows in all; None for an endless stream.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.
    batch_rows : int
        Rows per batch; the last batch may be shorter. It does not change the rows: the same seed
        and `n_samples` give the same ones.

    Returns
    -------
    iterator of ndarray of shape (batch_rows, p)
        The batches.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample_batches
    >>> state = ew.Moments()
    >>> for batch in sample_batches("t5", make_chain_precision(4), 300_000, rng=0):
    ...     state = state.update(batch)
    >>> state.n_samples
    300000
    """
    law = as_distribution(distribution)
    root = mixing_matrix(precision)
    batch_rows = check_count("batch_rows", batch_rows, at_least=1)
    if n_samples is not None:
        n_samples = check_count("n_samples", n_samples, at_least=0)
    return _batches(law, root, n_samples, check_rng(rng), batch_rows)


def _batches(
    law: Distribution,
    root: FloatArray,
    n_samples: int | None,
    rng: np.random.Generator,
    batch_rows: int,
) -> Iterator[FloatArray]:
    more = law.stream(rng, len(root))
    waiting: list[FloatArray] = []
    held = drawn = 0
    while n_samples is None or drawn < n_samples:
        n = _DRAWN if n_samples is None else min(_DRAWN, n_samples - drawn)
        waiting.append(more(n) @ root.T)
        drawn += n
        held += n
        if held < batch_rows:
            continue
        rows = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
        whole = held - held % batch_rows
        for start in range(0, whole, batch_rows):
            yield rows[start : start + batch_rows]
        held -= whole
        waiting = [rows[whole:]] if held else []
    if held:
        yield np.concatenate(waiting)


def as_distribution(distribution: str | Distribution) -> Distribution:
    """The law that a name stands for."""
    if isinstance(distribution, Distribution):
        return distribution
    check_choice("distribution", distribution, tuple(DISTRIBUTIONS))
    return DISTRIBUTIONS[distribution]


def mixing_matrix(precision: FloatArray) -> FloatArray:
    """L with LLᵀ = Θ⁻¹."""
    try:
        theta = np.asarray(precision)
        if theta.dtype.kind not in "fiu":
            raise TypeError(f"dtype {theta.dtype}")
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"precision: expected a square matrix of real numbers, got {type(precision).__name__} "
            f"({error})."
        ) from error
    if theta.ndim != 2 or theta.shape[0] != theta.shape[1] or not theta.size:
        raise ParameterError(
            f"precision: expected a square matrix, got an array of shape {theta.shape}."
        )
    theta = theta.astype(np.float64)
    near = 1e-8 * float(np.abs(theta).max())
    if not np.isfinite(theta).all() or not np.allclose(theta, theta.T, rtol=0.0, atol=near):
        raise ParameterError(
            "precision: expected a symmetric matrix of finite numbers; symmetrise it with "
            "(A + A.T) / 2."
        )
    try:
        np.linalg.cholesky(theta)
        return np.asarray(np.linalg.cholesky(np.linalg.inv(theta)))
    except np.linalg.LinAlgError as error:
        smallest = float(np.linalg.eigvalsh(theta)[0])
        raise ParameterError(
            "precision: expected a positive definite matrix, got one with the eigenvalue "
            f"{smallest:.3g}; make its diagonal larger."
        ) from error

"""Distributions of rows with mean zero and identity covariance, to be mixed into any covariance.

The families break tests in different ways. Scale mixtures (elliptical: power exponential, t,
contaminated) have residuals that are uncorrelated but dependent, which exposes Gaussian tests.
Independent components keep their skewness and heavy tails in single residuals. Serially dependent
rows break every test that counts rows as independent.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy import special

from edgewise._checks import check_choice, check_count, check_real, check_rng
from edgewise._linalg import FloatArray
from edgewise.errors import ParameterError

_UNIT_ROUNDING = 1e-17
# A longer memory needs more rows to reach equilibrium than anyone draws.
_LONGEST_MEMORY = 0.9999
_FINITE_VARIANCE = {"above": 2, "hint": " The variance is infinite up to 2."}


class Distribution(ABC):
    """A law of p columns with mean zero and identity covariance.

    A subclass with the method `rows` is a law of your own, for `sample` and `edgewise.calibrate`.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.simulate import Distribution, make_chain_precision, sample
    >>> class Uniform(Distribution):
    ...     def rows(self, rng, n, p):
    ...         return np.sqrt(3) * rng.uniform(-1, 1, (n, p))
    >>> sample(Uniform(), make_chain_precision(3), 10, rng=0).shape
    (10, 3)
    >>> from edgewise.simulate import AutoRegressive, ClaytonPareto, Contaminated, Gamma, Gaussian
    >>> from edgewise.simulate import LogNormal, Pareto, PowerExponential, StudentT
    >>> laws = [Gaussian(), PowerExponential(omega=1), StudentT(df=8), Contaminated(share=0.1)]
    >>> laws += [Gamma(shape=2), LogNormal(sigma=0.5), Pareto(shape=6), ClaytonPareto(shape=20)]
    >>> AutoRegressive(laws[4], memory=0.9).memory
    0.9
    """

    def __post_init__(self) -> None:
        for parameter in fields(self):  # type: ignore[arg-type]  # dataclasses get here
            if parameter.metadata:
                check_real(
                    parameter.name, getattr(self, parameter.name), **dict(parameter.metadata)
                )

    @abstractmethod
    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        """Draw n rows of p columns, which are independent of each other but in `AutoRegressive`."""

    def _stream(self, rng: np.random.Generator, p: int) -> Callable[[int], FloatArray]:
        """``more(n)``, which gives the next n rows."""
        return lambda n: self.rows(rng, n, p)


def _parameter(default: float, **limits: Any) -> Any:
    """A number that must lie between limits, those of `check_real`."""
    return field(default=default, metadata=limits)


@dataclass(frozen=True)
class Gaussian(Distribution):
    """Standard normal."""

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        return rng.standard_normal((n, p))


@dataclass(frozen=True)
class PowerExponential(Distribution):
    """Density ∝ exp(−½ (xᵀx)^{ω/2}), scaled (Gómez et al. 1998).

    ω = 1 is the multivariate Laplace, ω = 2 the Gaussian; smaller ω has heavier tails.
    x = R u with u uniform on the sphere and R^ω ~ Gamma(p/ω, scale 2).

    Parameters
    ----------
    omega : float
        The exponent ω, above 0.
    """

    omega: float = _parameter(1.0, above=0)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        direction = rng.standard_normal((n, p))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        # log R, because R itself may overflow where ω is small.
        shape, more = p / self.omega, 2 / self.omega
        if shape >= 1:
            log_radius = np.log(rng.gamma(shape, 2.0, (n, 1))) / self.omega
        else:  # a gamma of small shape underflows: it is one of shape + 1, times U^{1/shape}
            log_radius = np.log(rng.gamma(shape + 1, 2.0, (n, 1))) / self.omega
            log_radius -= rng.standard_exponential((n, 1)) / p
        # E R² = 2^{2/ω} Γ((p+2)/ω)/Γ(p/ω)
        log_square = more * math.log(2) + special.gammaln(shape + more) - special.gammaln(shape)
        return np.asarray(direction * np.exp(log_radius - (log_square - math.log(p)) / 2))


@dataclass(frozen=True)
class StudentT(Distribution):
    """Multivariate t: the Student copula with Student margins.

    Parameters
    ----------
    df : float
        Degrees of freedom, above 2. Every test here needs fourth moments, which exist above 4.
    """

    df: float = _parameter(5.0, above=2, hint=" The variance is infinite otherwise.")

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        mixing = rng.chisquare(self.df, (n, 1)) / (self.df - 2)
        return rng.standard_normal((n, p)) / np.sqrt(mixing)


@dataclass(frozen=True)
class Contaminated(Distribution):
    """Gaussian rows, of which a `share` is `scale` times as large.

    Parameters
    ----------
    share : float
        The expected share of large rows, between 0 and 1.
    scale : float
        How much larger they are.
    """

    share: float = _parameter(0.05, above=0, below=1)
    scale: float = _parameter(5.0, above=0, below=1e6)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        size = np.where(rng.random((n, 1)) < self.share, self.scale, 1.0)
        square = 1 - self.share + self.share * self.scale**2
        rows: FloatArray = rng.standard_normal((n, p)) * (size / math.sqrt(square))
        return rows


@dataclass(frozen=True)
class Gamma(Distribution):
    """Gamma components, with skewness 2/√shape; shape 1 is the exponential law.

    Parameters
    ----------
    shape : float
        The shape parameter, above 0; a small one gives a large skewness and kurtosis.
    """

    shape: float = _parameter(1.0, above=0)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        if self.shape == 1:
            return rng.standard_exponential((n, p)) - 1
        return (rng.standard_gamma(self.shape, (n, p)) - self.shape) / math.sqrt(self.shape)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """Log-normal components: the exponentials of N(0, sigma²).

    Parameters
    ----------
    sigma : float
        Standard deviation of the logarithms, above 0.
    """

    sigma: float = _parameter(1.0, above=0, below=10)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        growth = math.exp(self.sigma**2)
        deviation = math.sqrt(math.expm1(self.sigma**2) * growth)
        rows: FloatArray = rng.lognormal(0.0, self.sigma, (n, p)) - math.sqrt(growth)
        return rows / deviation


@dataclass(frozen=True)
class Pareto(Distribution):
    """Pareto components: P(x > t) falls like t^−shape, in each column by itself.

    `ClaytonPareto` has the same margins, but its columns are large in the same rows.

    Parameters
    ----------
    shape : float
        The shape parameter, above 2; a small one gives heavy tails. Fourth moments exist above 4.
    """

    shape: float = _parameter(3.0, **_FINITE_VARIANCE, below=1e6)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        a = self.shape
        mean, deviation = 1 / (a - 1), math.sqrt(a / (a - 2)) / (a - 1)
        rows: FloatArray = rng.pareto(a, (n, p)) - mean
        return rows / deviation


@dataclass(frozen=True)
class ClaytonPareto(Distribution):
    """Multivariate Pareto, x_i = E_i/V: Pareto margins tied by the (survival) Clayton copula.

    The E_i are exponential, and V ~ Gamma(shape) is common to the row. So large values come
    together and small ones do not: the law is skewed, has heavy tails, and is not elliptical. The
    Clayton parameter is 1/shape. All columns are equally correlated; the rows are multiplied by the
    inverse root of that covariance.

    Parameters
    ----------
    shape : float
        The shape parameter, above 2; a small one gives heavy tails. Fourth moments exist above 4.
    """

    shape: float = _parameter(6.0, **_FINITE_VARIANCE, below=1e6)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        a, common = self.shape, rng.standard_gamma(self.shape, (n, 1))
        x = rng.standard_exponential((n, p)) / common - 1 / (a - 1)
        # Cov = own·I + shared·11ᵀ, whose inverse root acts on the mean of a row and on the rest.
        own = 1 / ((a - 1) * (a - 2))
        shared = own - 1 / (a - 1) ** 2
        mean = x.mean(axis=1, keepdims=True)
        rows: FloatArray = (x - mean) / math.sqrt(own) + mean / math.sqrt(own + p * shared)
        return rows


@dataclass(frozen=True)
class AutoRegressive(Distribution):
    """Rows with a memory: x_t = memory·x_{t−1} + √(1 − memory²)·e_t, started in equilibrium.

    Parameters
    ----------
    innovations : Distribution
        The law of the e_t, which are independent of each other; by default Gaussian.
    memory : float
        The correlation of a row with the row before it, between −1 and 1.
    """

    innovations: Distribution = field(default_factory=Gaussian)
    memory: float = _parameter(0.7, above=-_LONGEST_MEMORY, below=_LONGEST_MEMORY)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        return self._stream(rng, p)(n)

    def _stream(self, rng: np.random.Generator, p: int) -> Callable[[int], FloatArray]:
        from scipy.signal import lfilter

        fresh = math.sqrt(1 - self.memory**2)
        last = np.zeros((1, p))

        def more(n: int) -> FloatArray:
            nonlocal last
            if not n:
                return np.empty((0, p))
            new = fresh * self.innovations.rows(rng, n, p)
            series, last = lfilter([1.0], [1.0, -self.memory], new, axis=0, zi=last)
            return np.asarray(series)

        if self.memory:
            # After this many rows, what came before them has no weight left.
            more(math.ceil(math.log(_UNIT_ROUNDING) / math.log(abs(self.memory))))
        return more


#: The laws that have a name.
DISTRIBUTIONS: dict[str, Distribution] = {
    "gaussian": Gaussian(),
    "laplace": PowerExponential(1.0),
    "t5": StudentT(5.0),
    "contaminated": Contaminated(),
    "exponential": Gamma(1.0),
    "lognormal": LogNormal(1.0),
    "pareto": ClaytonPareto(),
    "ar1": AutoRegressive(),
}

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
    whole = max(check_count("n_samples", n_samples, at_least=0), 1)
    batches = sample_batches(distribution, precision, n_samples, rng=rng, batch_rows=whole)
    return next(batches, np.empty((0, len(precision))))


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
    >>> state = ew.states.Moments()
    >>> for batch in sample_batches("t5", make_chain_precision(4), 300_000, rng=0):
    ...     state = state.update(batch)
    >>> state.n_samples
    300000
    """
    root = mixing_matrix(precision)
    if not isinstance(distribution, Distribution):
        check_choice("distribution", distribution, tuple(DISTRIBUTIONS))
        distribution = DISTRIBUTIONS[distribution]
    more = distribution._stream(check_rng(rng), len(root))
    batch_rows = check_count("batch_rows", batch_rows, at_least=1)
    left = math.inf
    if n_samples is not None:
        left = check_count("n_samples", n_samples, at_least=0)

    def batches(left: float) -> Iterator[FloatArray]:
        waiting: list[FloatArray] = []
        while left:
            n = int(min(_DRAWN, left))
            left -= n
            waiting.append(more(n) @ root.T)
            if left and sum(map(len, waiting)) < batch_rows:
                continue
            rows = np.concatenate(waiting)
            whole = len(rows) - (len(rows) % batch_rows if left else 0)
            for start in range(0, whole, batch_rows):
                yield rows[start : start + batch_rows]
            waiting = [rows[whole:]]

    return batches(left)


def mixing_matrix(precision: FloatArray) -> FloatArray:
    """L with LLᵀ = Θ⁻¹."""
    with suppress(TypeError, ValueError):  # of NumPy, for text and what is not positive definite
        theta = np.asarray(precision, dtype=np.float64)
        finite = theta.ndim == 2 and np.isfinite(theta).all()
        if finite and np.abs(theta - theta.T).max() <= 1e-8 * np.abs(theta).max():
            np.linalg.cholesky(theta)
            return np.asarray(np.linalg.cholesky(np.linalg.inv(theta)), dtype=np.float64)
    raise ParameterError(
        "precision: expected a square matrix that is symmetric and positive definite; symmetrise "
        "it with (A + A.T) / 2, or make its diagonal larger."
    )

"""What a law of rows must say: its rows, and Mardia's kurtosis."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from edgewise._base.types import FloatArray


class Distribution(ABC):
    """A law of p columns with mean zero and identity covariance.

    To use a law of your own with `sample` or `edgewise.calibrate`, write a subclass with
    the two methods `rows` and `mardia_kurtosis`.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.simulate import Distribution
    >>> class Uniform(Distribution):
    ...     def rows(self, rng, n, p):
    ...         return np.sqrt(3) * rng.uniform(-1, 1, (n, p))
    ...     def mardia_kurtosis(self, n_features):
    ...         return n_features * (n_features + 0.8)
    >>> law, rng = Uniform(), np.random.default_rng(0)
    >>> bool((np.abs(law.rows(rng, 1000, 3)) < np.sqrt(3)).all()), law.mardia_kurtosis(5)
    (True, 29.0)
    >>> more = law.stream(rng, 3)
    >>> more(10).shape, more(5).shape
    ((10, 3), (5, 3))
    """

    @abstractmethod
    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        """Draw rows.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the randomness comes from.
        n : int
            How many rows.
        p : int
            How many columns.

        Returns
        -------
        ndarray of shape (n, p)
            The rows, which are independent of each other except in `AutoRegressive`.
        """

    @abstractmethod
    def mardia_kurtosis(self, n_features: int) -> float:
        """E(cᵀΘc)², which is p(p+2) for the Gaussian; infinite without fourth moments.

        Parameters
        ----------
        n_features : int
            How many columns, p.

        Returns
        -------
        float
            Mardia's kurtosis, which is the same for every covariance that the rows are mixed to.
        """

    def stream(self, rng: np.random.Generator, p: int) -> Callable[[int], FloatArray]:
        """A function that gives the next rows, as many as it is asked for.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the randomness comes from.
        p : int
            How many columns.

        Returns
        -------
        callable
            ``more(n)`` gives the next n rows.
        """
        return lambda n: self.rows(rng, n, p)

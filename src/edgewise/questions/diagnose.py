"""What the data are like, and which test suits them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import estimate_precision
from edgewise.evidence.evidence import Needs
from edgewise.evidence.opening import open_evidence
from edgewise.methods.method import Assumes
from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult

_LAGS = 10
_FEWEST_ROWS = 100
_DEPENDENCE_ROWS = 50_000  # consecutive rows are enough to see dependence
_CLIP = 2.5  # standard deviations
_ROBUST_CLIP = 7.0  # median absolute values; 4.7 standard deviations of a Gaussian
_TAIL_SHARE = 0.02  # the share of the rows that counts as the tail, or √n rows if that is more
_MOMENTS = 4
_HEAVY = 1.15  # Mardia's kurtosis over the Gaussian's, beyond sampling noise and clearly unsafe
_SPREAD = 100.0
_FEW_ROWS_PER_COLUMN = 20


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Facts about a table that decide which tests of edges hold on it.

    Attributes
    ----------
    n_samples, n_features : int
        Rows and columns.
    kurtosis_ratio : float
        Mardia's multivariate kurtosis over the Gaussian's p(p+2): 1 for Gaussian data.
    dependence_pvalue : float
        The p-value of a portmanteau test that the rows' influences on the edges are not
        autocorrelated.
    scale_ratio : float
        Largest over smallest standard deviation of the columns.
    tail_index, tail_index_error : float
        Hill's estimate from the rows farthest out, and its standard error. With such a tail,
        moments of this order and above are infinite.
    farther_tail_index : float
        The same from a quarter of those rows: outliers look like a heavy tail from afar only.
    without_fourth_moments : bool
        Whether both are below four, the first by two standard errors or more.
    dependent : bool
        Whether rows depend on the rows before them, at the level 0.001.
    heavy_tailed : bool
        Whether the kurtosis is so far above the Gaussian's that Fisher's test would err.

    Examples
    --------
    >>> import edgewise as ew
    >>> facts = ew.Diagnosis(5000, 10, kurtosis_ratio=2.1, dependence_pvalue=0.4, scale_ratio=3.0)
    >>> facts.dependent, facts.heavy_tailed
    (False, True)
    >>> print(facts.advice()[:19])
    Use method 'score',
    """

    n_samples: int
    n_features: int
    kurtosis_ratio: float
    dependence_pvalue: float
    scale_ratio: float
    tail_index: float = math.inf
    tail_index_error: float = 0.0
    farther_tail_index: float = math.inf

    @property
    def without_fourth_moments(self) -> bool:
        """Whether the tail is so heavy that fourth moments may be infinite."""
        least = self.tail_index + 2 * self.tail_index_error
        return max(least, self.farther_tail_index) < _MOMENTS

    @property
    def dependent(self) -> bool:
        """Whether rows depend on the rows before them, at the level 0.001."""
        return self.dependence_pvalue < 0.001

    @property
    def heavy_tailed(self) -> bool:
        """Whether the kurtosis is so far above the Gaussian's that Fisher's test would err."""
        return self.kurtosis_ratio > _HEAVY

    def advice(self) -> str:
        """Say which method to use and why, and which problems the data have.

        Returns
        -------
        str
            The sentences, on one line.
        """
        sentences = [self._method()]
        if self.without_fourth_moments:
            sentences.append(
                f"But a few rows are very far out (tail index {self.tail_index:.2g}). They may be "
                "outliers, or the fourth moments, which all tests here need, may be infinite: "
                "test ranks or logarithms too."
            )
        if few_rows(self.n_samples, self.n_features):
            sentences.append(
                f"But {self.n_samples} rows are few for {self.n_features} columns. The p-values "
                "are then too small: take more rows or fewer columns."
            )
        if self.scale_ratio > _SPREAD:
            sentences.append(
                "The columns' scales differ a lot, so the paper's bounds need standardize=True."
            )
        return " ".join(sentences)

    def _method(self) -> str:
        if self.dependent:
            return (
                "Use method 'batch': rows depend on the rows before them (portmanteau p "
                f"{_p_text(self.dependence_pvalue)}), and the other tests assume independent "
                "rows."
            )
        kurtosis = f"{self.kurtosis_ratio:.3g} times the Gaussian kurtosis"
        if self.heavy_tailed:
            return (
                "Use method 'score', or 'whitened' for one bound on all edges: tails are heavy "
                f"({kurtosis}), so 'fisher' finds false edges."
            )
        return (
            f"Use method 'score': the tails look Gaussian ({kurtosis}) and the rows look "
            "independent, so 'score' agrees with 'fisher', and it does not need Gaussian rows."
        )


def few_rows(n_samples: int, n_features: int) -> bool:
    """Whether the per-edge tests for any distribution are clearly liberal with this many rows."""
    return n_samples < _FEW_ROWS_PER_COLUMN * n_features


def caution(result: EdgeTestResult, diagnosis: Diagnosis | None = None) -> str:
    """Say why the method does not suit the data that it was used on; empty if it does.

    Without a diagnosis, only the shape of the table is considered.
    """
    kind = registered().get(result.method)
    assumes = Assumes.NOTHING if kind is None else kind.assumes
    if diagnosis is not None:
        if diagnosis.dependent and Assumes.INDEPENDENT_ROWS in assumes:
            return (
                "But rows depend on the rows before them, and this method assumes independent "
                "rows: some of its edges may be false. Method “batch” allows for dependence."
            )
        if diagnosis.heavy_tailed and Assumes.GAUSSIAN_ROWS in assumes:
            return (
                "But the tails are heavy, and this method assumes Gaussian rows: some of its "
                "edges may be false. Method “score” does not need Gaussian rows."
            )
        if diagnosis.without_fourth_moments and Assumes.FOURTH_MOMENTS in assumes:
            return (
                "But a few rows are very far out. They may be outliers, or the fourth moments, "
                "which this method needs, may be infinite: some of its edges may be false. Test "
                "ranks or logarithms too."
            )
    if Assumes.MANY_ROWS_PER_COLUMN in assumes and few_rows(result.n_samples, result.n_features):
        return (
            f"But {result.n_samples:,} rows are few for {result.n_features} columns. The "
            "p-values of this method are then too small: some of its edges may be false."
        )
    return ""


def diagnose(data: Any) -> Diagnosis:
    """Look at the tails, the scales and the order of the rows.

    Parameters
    ----------
    data : array-like, data frame, path or list of paths
        The rows, as for `edge_test`; they are read more than once.

    Returns
    -------
    Diagnosis
        What was found, and advice.

    Examples
    --------
    >>> import edgewise as ew
    >>> print(ew.diagnose(ew.datasets.load_sp500_returns()).advice()[:24])
    Use method 'batch': rows
    """
    evidence = open_evidence(data, Needs(reads_again=True), "a diagnosis")
    estimate = estimate_precision(evidence.moments(), evidence.feature_names)
    p = len(evidence.feature_names)
    mardia = evidence.quartics(estimate.whitening).norm
    scale = np.sqrt(estimate.covariance.diagonal())
    leading = evidence.leading_rows(_DEPENDENCE_ROWS)
    radii = np.linalg.norm(estimate.whitening @ leading, axis=0)
    count = max(math.isqrt(len(radii)), int(_TAIL_SHARE * len(radii)))
    index = tail_index(radii, count)
    return Diagnosis(
        n_samples=estimate.n_samples,
        n_features=p,
        kurtosis_ratio=mardia / (p * (p + 2)),
        dependence_pvalue=dependence_pvalue(estimate.residual_map.T @ leading),
        scale_ratio=float(scale.max() / scale.min()),
        tail_index=index,
        tail_index_error=index / math.sqrt(count) if math.isfinite(index) else 0.0,
        farther_tail_index=tail_index(radii, max(count // 4, 1)),
    )


def tail_index(radii: FloatArray, count: int) -> float:
    """Hill's estimate of the tail index of the rows, from the given number farthest out."""
    n = len(radii)
    if n < _FEWEST_ROWS:
        return math.inf  # too few to tell
    farthest = np.sort(radii)[n - count - 1 :]
    excess = float(np.mean(np.log(farthest[1:] / farthest[0]))) if farthest[0] > 0 else 0.0
    return 1 / excess if excess > 0 else math.inf


def dependence_pvalue(residuals: FloatArray) -> float:
    """Portmanteau test of the influence series v_iv_j of all pairs, Bonferroni over the pairs.

    For each pair and lag k, T_k = Σ_t u_t u_{t+k} / √(Σ_t u_t² u_{t+k}²) is standard normal when
    the influences u = v_iv_j − mean are uncorrelated in time, whatever their tails and however
    their size clusters; Σ T_k² is then χ². Products over pairs factor, so a lag costs two matrix
    products: Σ_t u_t u_{t+k} is (v_t∘v_{t+k})(v_t∘v_{t+k})ᵀ less the squared mean.

    Parameters
    ----------
    residuals : ndarray of shape (p, n)
        Unit-variance residuals, columns in the order of time.
    """
    p, n = residuals.shape
    lags = _LAGS
    if n < _FEWEST_ROWS:
        return 1.0  # too few to tell
    # Values are clipped, so that a few extreme rows do not spoil the normal limit. Independent rows
    # stay independent under any transformation. Where extreme rows alone decide the standard
    # deviation, the median gives the usual size.
    usual = _ROBUST_CLIP * np.median(np.abs(residuals), axis=1, keepdims=True)
    limit = np.where(usual > 0, np.minimum(usual, _CLIP), _CLIP)
    residuals = np.clip(residuals, -limit, limit)
    mean = residuals @ residuals.T / n
    total = np.zeros((p, p))
    for lag in range(1, lags + 1):
        product = residuals[:, :-lag] * residuals[:, lag:]
        square = product * product
        covariance = product @ product.T - (n - lag) * mean**2
        total += covariance**2 / np.maximum(square @ square.T, np.finfo(float).tiny)
    of_pairs = pairs_of(total)
    smallest = float(special.chdtrc(lags, of_pairs.max()))
    return min(1.0, smallest * len(of_pairs))


def _p_text(p: float) -> str:
    return "below 1e-300" if p < 1e-300 else f"{p:.1g}"

"""The answer to one question: are two columns related, given some others?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np

from edgewise._shown import Shown, encoded
from edgewise._text import joined
from edgewise.methods.registry import registered
from edgewise.results.base import equivalent_z
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import transformed

_SMALLEST_SHOWN = 1e-300
_LEAST_PVALUE = 2.2250738585072014e-308


@dataclass(frozen=True, slots=True, repr=False)
class PairTest(Shown):
    """The test of one pair given a set of columns: H₀ is a partial correlation of zero.

    Attributes
    ----------
    x, y : str
        The two columns.
    given : tuple of str
        The columns that both are adjusted for.
    partial_correlation : float
        The correlation of what the given columns leave of x and of y.
    statistic : float
        What is compared with the reference; it has the sign of the partial correlation.
    log_pvalue : float
        Natural logarithm of the p-value.
    n_samples : int
        Rows.
    method : str
        The test.
    guarantee : str
        What holds, in about five words.
    whole : callable
        Gives the `EdgeTestResult` of all pairs of these columns, x and y first; intervals and
        cautions come from it. It is made when it is first used.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> test = ew.partial_test(returns, "KO", "PEP", given=["PG", "WMT"], method="batch")
    >>> print(test)
    The partial correlation of KO and PEP given PG and WMT is 0.401 (95 % interval 0.359 to 0.441,
    p = 1.8e-35, n = 8312 rows; batch test, dependent rows too).
    >>> low, high = test.confidence_interval(level=0.99)
    >>> 0 < low < test.partial_correlation < high
    True
    >>> test.to_json()[:40]
    '{"x":"KO","y":"PEP","given":["PG","WMT"]'
    """

    x: str
    y: str
    given: tuple[str, ...]
    partial_correlation: float
    statistic: float
    log_pvalue: float
    n_samples: int
    method: str
    guarantee: str
    whole: Callable[[], EdgeTestResult] = field(compare=False)

    @property
    def pvalue(self) -> float:
        """The p-value; never 0: below 2.2e-308 the value is in `log_pvalue`."""
        return max(math.exp(self.log_pvalue), _LEAST_PVALUE)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the data say against the method, in sentences."""
        return self.whole().cautions

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing values."""
        return self.whole().n_dropped

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval of the partial correlation: it leaves 0 where p is at most 1 − level.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.

        Returns
        -------
        tuple of two float
            The lower and the upper end.
        """
        low, high = self.whole().confidence_interval(level, "partial_correlation")
        return float(low[0, 1]), float(high[0, 1])

    def sentence(self, level: float = 0.95) -> str:
        """The answer as a sentence to quote: estimate, interval, p-value and rows.

        Parameters
        ----------
        level : float
            The level of the interval.

        Returns
        -------
        str
            One sentence.
        """
        low, high = self.confidence_interval(level)
        digits = max(2, math.ceil(-math.log10(max(high - low, 1e-9))) + 1)
        rows = self.whole().provenance
        clusters = "" if rows.n_clusters is None else f" in {rows.n_clusters} clusters"
        kind, given, scores = "correlation", "", f"{transformed(rows.transform)} ".lstrip()
        if self.given:
            kind, given = "partial correlation", f" given {joined(self.given, 'and')}"
        p = f"p = {math.exp(self.log_pvalue):.2g}"
        if self.log_pvalue < math.log(_SMALLEST_SHOWN):
            p = f"p < {_SMALLEST_SHOWN:g}"
        return (
            f"The {kind} {scores}of {self.x} and {self.y}{given} is "
            f"{self.partial_correlation:.{digits}f} ({100 * level:.6g} % interval "
            f"{low:.{digits}f} to {high:.{digits}f}, {p}, "
            f"n = {self.n_samples} rows{clusters}; {self.method} test, "
            f"{self.guarantee.removeprefix('per edge, ')})."
        )

    def summary(self) -> str:
        return "\n".join([self.sentence(), *(f"Caution: {text}" for text in self.cautions)])

    def plot(self, kind: str = "forest", **options: Any) -> Any:
        """Draw the pairs of these columns.

        Parameters
        ----------
        kind : str
            Which picture; see `EdgeTestResult.plot`.
        **options
            Further options of that picture.

        Returns
        -------
        matplotlib axes
            Where it was drawn.
        """
        return self.whole().plot(kind, **options)

    def _brief(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "y": self.y,
            "given": self.given,
            "partial_correlation": float(f"{self.partial_correlation:.4g}"),
            "pvalue": float(f"{self.pvalue:.2g}"),
            "n_samples": self.n_samples,
            "method": self.method,
        }

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        document = self.document()
        return [*document], [[*document.values()]]

    def document(self, level: float = 0.95) -> dict[str, Any]:
        """What `to_json` writes, with an interval of this level.

        Parameters
        ----------
        level : float
            The level of the interval.

        Returns
        -------
        dict
            Plain values; the statistic is the normal z with this p-value, as in all tables.
        """
        low, high = self.confidence_interval(level)
        transform = self.whole().provenance.transform
        z = equivalent_z(np.array(self.log_pvalue), np.array(self.partial_correlation))
        return {
            "x": self.x,
            "y": self.y,
            "given": list(self.given),
            "partial_correlation": self.partial_correlation,
            "interval_level": level,
            "interval_low": encoded(low),
            "interval_high": encoded(high),
            "statistic": float(z),
            "pvalue": self.pvalue,
            "log_pvalue": self.log_pvalue,
            "n_samples": self.n_samples,
            "n_dropped": self.n_dropped,
            "method": self.method,
            "guarantee": self.guarantee,
            "cautions": [*map(str, self.cautions)],
            **({} if transform is None else {"transform": transform}),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the rows, which `whole` may look at.
        own = [getattr(self, known.name) for known in fields(self) if known.name != "whole"]
        return PairTest, (*own, partial(_same, self.whole()))


def pair_of_result(result: EdgeTestResult) -> PairTest:
    """The test of the first two columns, given all others."""
    x, y, *given = result.feature_names
    guarantee = registered()[result.method].guarantee
    if result.provenance.transform == "normal-scores":
        guarantee = "per edge, Gaussian up to changes of columns"
    rows = result.provenance.pair_rows
    return PairTest(
        x,
        y,
        tuple(given),
        float(result.partial_correlation[0, 1]),
        float(result.statistic[0, 1]),
        float(result.log_pvalue[0, 1]),
        result.n_samples if rows is None else int(rows[0, 1]),
        result.method,
        guarantee,
        partial(_same, result),
    )


def _same(result: EdgeTestResult) -> EdgeTestResult:
    return result

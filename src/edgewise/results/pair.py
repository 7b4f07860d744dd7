"""The answer to one question: are two columns related, given some others?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult
from edgewise.results.serialize import write_json
from edgewise.results.summary import transformed

_SMALLEST_SHOWN = 1e-300
_LEAST_PVALUE = 2.2250738585072014e-308


class Interval(NamedTuple):
    """The ends of one interval; `low, high = …` unpacks it.

    Attributes
    ----------
    low : float
        The lower end.
    high : float
        The upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairTest:
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
    pvalue : float
        The p-value; never 0: below 2.2e-308 the value is in `log_pvalue`.
    n_samples : int
        Rows.
    method : str
        The test.
    guarantee : str
        What holds, in about five words.
    cautions : tuple of str
        What the data say against the method, in sentences. They are looked for when first asked.
    n_dropped : int
        Rows left out because of missing values.
    whole : callable
        Gives the `EdgeTestResult` of all pairs of these columns, x and y first; intervals and
        cautions come from it. It is made when it is first asked for.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> test = ew.partial_test(returns, "KO", "PEP", given=["PG", "WMT"], method="batch")
    >>> test.sentence() == test.summary()  # which has cautions, too, if there are any
    True
    >>> print(test.summary())
    The partial correlation of KO and PEP given PG and WMT is 0.401 (95 % interval 0.359 to 0.441,
    p = 1.8e-35, n = 8312 rows; batch test, dependent rows too).
    >>> low, high = test.confidence_interval(level=0.99)
    >>> 0 < low < test.partial_correlation < high
    True
    >>> test.to_json()[:44]
    '{"x": "KO", "y": "PEP", "given": ["PG", "WMT'
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
    whole: Callable[[], EdgeTestResult] = field(repr=False, compare=False)

    @property
    def pvalue(self) -> float:
        """The p-value; never 0."""
        return max(math.exp(self.log_pvalue), _LEAST_PVALUE)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the data say against the method, in sentences."""
        return self.whole().cautions

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing values."""
        return self.whole().n_dropped

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """The interval of the partial correlation: it leaves 0 where p is at most 1 − level.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.

        Returns
        -------
        Interval
            The lower and the upper end.
        """
        low, high = self.whole().confidence_interval(level, "partial_correlation")
        return Interval(float(low[0, 1]), float(high[0, 1]))

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
        clusters = self.whole().options.get("n_clusters")
        together = "" if clusters is None else f" in {clusters} clusters"
        kind, given, scores = "correlation", "", f"{transformed(self.whole().options)} ".lstrip()
        if self.given:
            kind, given = "partial correlation", f" given {_and(self.given)}"
        return (
            f"The {kind} {scores}of {self.x} and {self.y}{given} is "
            f"{self.partial_correlation:.{digits}f} ({100 * level:.6g} % interval "
            f"{low:.{digits}f} to {high:.{digits}f}, {_shown(self.log_pvalue)}, "
            f"n = {self.n_samples} rows{together}; {self.method} test, "
            f"{self.guarantee.removeprefix('per edge, ')})."
        )

    def summary(self) -> str:
        """The sentence, and the cautions.

        Returns
        -------
        str
            One line for each.
        """
        return "\n".join([self.sentence(), *(f"Caution: {text}" for text in self.cautions)])

    def to_json(
        self,
        path: str | os.PathLike[str] | None = None,
        level: float = 0.95,
        *,
        indent: int | None = None,
    ) -> str | None:
        """The answer as JSON.

        Parameters
        ----------
        path : str or path, optional
            A file to write, in UTF-8; it appears when it is complete. By default the text is
            returned.
        level : float
            The level of the interval.
        indent : int, optional
            Spaces by which each level is indented; by default everything is on one line.

        Returns
        -------
        str or None
            The text; None if it was written to a file.
        """
        low, high = self.confidence_interval(level)
        document = {
            "x": self.x,
            "y": self.y,
            "given": list(self.given),
            "partial_correlation": self.partial_correlation,
            "interval": {"level": level, "low": _or_null(low), "high": _or_null(high)},
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "log_pvalue": self.log_pvalue,
            "n_samples": self.n_samples,
            "n_dropped": self.n_dropped,
            "method": self.method,
            "guarantee": self.guarantee,
            "cautions": list(self.cautions),
        }
        if (transform := self.whole().options.get("transform")) is not None:
            document["transform"] = transform
        return write_json(document, path, indent)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the rows, which `whole` may look at.
        numbers = self.partial_correlation, self.statistic, self.log_pvalue, self.n_samples
        words = self.method, self.guarantee
        whole = partial(_same, self.whole())
        return PairTest, (self.x, self.y, self.given, *numbers, *words, whole)


def pair_of_result(result: EdgeTestResult) -> PairTest:
    """The test of the first two columns, given all others."""
    x, y, *given = result.feature_names
    guarantee = registered()[result.method].guarantee
    if "transform" in result.options:
        guarantee = "per edge, Gaussian up to changes of columns"
    return PairTest(
        x,
        y,
        tuple(given),
        float(result.partial_correlation[0, 1]),
        float(result.statistic[0, 1]),
        float(result.log_pvalue[0, 1]),
        result.n_samples if result.pair_rows is None else int(result.pair_rows[0, 1]),
        result.method,
        guarantee,
        partial(_same, result),
    )


def _same(result: EdgeTestResult) -> EdgeTestResult:
    return result


def _or_null(number: float) -> float | None:
    """JSON has no NaN."""
    return number if math.isfinite(number) else None


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _shown(log_pvalue: float) -> str:
    if log_pvalue < math.log(_SMALLEST_SHOWN):
        return f"p < {_SMALLEST_SHOWN:g}"
    return f"p = {math.exp(log_pvalue):.2g}"

"""`partial_test` and `ConditionalTest`: one pair of columns, given any others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from numbers import Integral
from typing import Any

import numpy as np

from edgewise._checks import check_known, check_testable_shape, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise.api.edge_test import edge_test
from edgewise.errors import DataError, ParameterError, without_warnings
from edgewise.estimate.inverse import PrecisionEstimate, measurable
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.score import Score, score_of_pair
from edgewise.results.pair import PairTest, pair_of_result
from edgewise.results.result import EdgeTestResult
from edgewise.sums.accumulate import first_pass
from edgewise.sums.blocks import Centre, quiet
from edgewise.sums.moments import Moments
from edgewise.sums.save import as_state
from edgewise.sums.score import NEARLY_ONE, all_pairs_at_once, few_rows, one_pair_exactly
from edgewise.tables.open import as_table
from edgewise.tables.options import refuse_pairwise
from edgewise.tables.table import ColumnBlock, InMemoryRows, Partition

#: A column by its name, or by its index.
Column = str | int


def partial_test(
    data: Any,
    x: Column,
    y: Column,
    *,
    given: Column | Iterable[Column] = "all",
    method: str | Method = DEFAULT_METHOD,
    feature_names: Sequence[str] | None = None,
    missing: str = "auto",
    clusters: Any = None,
    weights: Any = None,
    transform: str | None = None,
    **options: Any,
) -> PairTest:
    """Test whether two columns are related, given others: H₀ is a partial correlation of zero.

    The answer is that of `edge_test` on the columns x, y and `given` alone, for the one pair, and
    nothing is corrected for. For many questions to the same data, `ConditionalTest` is faster.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths
        The rows, as for `edge_test`. Of files only the columns of the question are read.
    x, y : str or int
        The two columns, by name or by index.
    given : "all", or sequence of str or int
        The columns that both are adjusted for: by default every other one; [] for none.
    method : str or Method
        A per-edge test, as in `edge_test`.
    feature_names, missing, clusters, weights, transform : optional
        As in `edge_test`.
    **options
        Options of the method.

    Returns
    -------
    PairTest
        Estimate, p-value, interval, and a sentence to quote.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> rows = sample("t5", make_chain_precision(4), 1000, rng=0)
    >>> print(ew.partial_test(rows, "x0", "x1").sentence())
    The partial correlation of x0 and x1 given x2 and x3 is -0.22 (95 % interval -0.29 to -0.14,
    p = 5.8e-09, n = 1000 rows; score test, any distribution).
    """
    if as_state(data) is not None:
        raise DataError(
            "data: expected rows, got a state, from which no columns can be chosen; pass the rows, "
            "or use edge_test for all columns of the state."
        )
    chosen = method_of(method, options, partial_test)
    if chosen.simultaneous:
        raise ParameterError(
            f"method: expected a test of each edge by itself, got {chosen.name!r}, which bounds "
            "all entries at once; use 'score', 'wald' or 'batch'."
        )
    how = {"missing": missing, "clusters": clusters, "weights": weights, "transform": transform}
    wanted: list[Any] = [x, y, *(() if _is_all(given) else _listed(given))]
    if feature_names is None and not _is_all(given) and all(isinstance(k, str) for k in wanted):
        # By name, so that only these columns are read, and others may be text.
        _places(x, y, wanted[2:], wanted, {name: k for k, name in enumerate(wanted)})
        columns = list(dict.fromkeys(wanted))
    else:
        if feature_names is not None or (clusters is None and weights is None):
            data = as_table(data, feature_names=feature_names)
        names = as_table(data, clusters=clusters, weights=weights).feature_names
        i, j, others = _places(x, y, given, names, {name: k for k, name in enumerate(names)})
        columns = [names[k] for k in (i, j, *others)]
    try:
        result = edge_test(
            data, method=chosen, correction=None, columns=columns, given=columns[2:], **how
        )
    except DataError as error:
        if str(error).startswith("columns: "):
            error.args = (f"x, y, given{str(error).removeprefix('columns')}", *error.args[1:])
        raise
    return pair_of_result(result)


def _is_all(given: object) -> bool:
    return isinstance(given, str) and given == "all"


def _listed(given: Column | Iterable[Column]) -> tuple[Column, ...]:
    """One column or several, as a tuple."""
    if isinstance(given, str | Integral):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise ParameterError(
            f"given: expected 'all', or the names or indices of columns, got {given!r}; pass [] "
            "for none."
        )
    return tuple(given)


def _places(
    x: Column,
    y: Column,
    given: Column | Iterable[Column],
    names: Sequence[str],
    index: Mapping[str, int],
) -> tuple[int, int, tuple[int, ...]]:
    """The indices of x, of y and of the given columns, each of which counts once."""

    def index_of(argument: str, column: object) -> int:
        if isinstance(column, str):
            if column not in index:
                check_known(argument, [column], names)
            return index[column]
        if not isinstance(column, Integral) or isinstance(column, bool):
            raise ParameterError(
                f"{argument}: expected the name of a column, or its index as a whole number, got "
                f"{column!r}."
            )
        if not 0 <= int(column) < len(names):
            raise ParameterError(
                f"{argument}: expected an index from 0 to {len(names) - 1}, since there are "
                f"{len(names)} columns, got {int(column)}."
            )
        return int(column)

    i, j = index_of("x", x), index_of("y", y)
    if i == j:
        raise ParameterError(f"y: expected another column than x, got {names[i]!r} for both.")
    if _is_all(given):
        return i, j, tuple(k for k in range(len(names)) if k not in (i, j))
    others = tuple(dict.fromkeys(index_of("given", k) for k in _listed(given)))
    for argument, k in (("x", i), ("y", j)):
        if k in others:
            raise ParameterError(
                f"given: expected other columns than x and y, got {names[k]!r}, which is "
                f"{argument}; leave it out."
            )
    return i, j, others


# A column of which the others leave a smaller share of variance than one over this is tested by
# `edge_test`: there is an error to raise, or rounding that only the same steps repeat.
_MOST_INFLATED = 1e3


class ConditionalTest:
    """Ask one data set many questions: whether x and y are related, given some columns.

    The answers are those of `partial_test` with method "score". The rows are read, centred and
    scaled once, and kept in memory. Several threads may ask at once.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths
        The rows, as for `edge_test`.
    feature_names, columns, exclude : optional
        As in `edge_test`.
    missing : {"auto", "drop", "raise"}
        Refuse rows with NaN or infinite values in any of the columns, or leave them out.

    Attributes
    ----------
    feature_names : tuple of str
        The columns.
    n_samples, n_dropped : int
        Rows, and how many were left out because of missing values.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> test = ew.ConditionalTest(sample("t5", make_chain_precision(4), 1000, rng=0))
    >>> test("x0", "x1").pvalue < 0.001 < test("x0", "x2", given=["x1"]).pvalue
    True
    """

    def __init__(
        self,
        data: Any,
        *,
        feature_names: Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        missing: str = "auto",
    ) -> None:
        if as_state(data) is not None:
            raise DataError(
                "data: expected rows, got a state, which has too few moments for this test; pass "
                "the rows."
            )
        refuse_pairwise(missing, "ConditionalTest")
        table = as_table(
            data, feature_names=feature_names, columns=columns, exclude=exclude, missing=missing
        )
        rows, self.n_dropped = table.reduce(_gathered, _joined)
        self.feature_names = names = table.feature_names
        state, _, _ = first_pass(Moments(order=2), as_table(rows.T, feature_names=names))
        n, p = state.n_samples, len(names)
        # A question may be about two columns only.
        check_testable_shape(n, p if n < 3 else min(p, 2))
        self.n_samples, self._mean, covariance = n, state.mean(), state.covariance()
        scale = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        # A column that is constant or overflows is named as soon as a question is about it.
        known = measurable(scale, self._mean)
        self._scale = np.where(known, scale, 1.0)
        with quiet():
            self._correlation = covariance / self._scale / self._scale[:, np.newaxis]
        self._correlation[~known] = np.nan
        self._rows = state.centre().subtract_from(rows.T, rows)
        self._rows /= self._scale[:, np.newaxis]
        self._index = {name: k for k, name in enumerate(names)}

    def __call__(self, x: Column, y: Column, given: Column | Iterable[Column] = "all") -> PairTest:
        """Test one pair, as `partial_test` does; `given` are then in the order of the columns."""
        names = self.feature_names
        i, j, others = _places(x, y, given, names, self._index)
        # In one order, whatever the order of the question, so that both have the same answer.
        columns = (min(i, j), max(i, j), *sorted(others))
        return PairTest(
            names[i],
            names[j],
            tuple([names[k] for k in columns[2:]]),
            *self._numbers(np.array(columns)),
            self.n_samples,
            Score.name,
            Score.guarantee,
            cache(partial(self._whole, columns)),
        )

    def _numbers(self, chosen: AnyArray) -> tuple[float, float, float]:
        """ρ̂, statistic and log p-value of the first two columns, given the others."""
        n, p = self.n_samples, len(chosen)
        correlation = self._correlation[chosen[:, np.newaxis], chosen]
        try:
            inverse: FloatArray = np.asarray(np.linalg.inv(correlation), dtype=np.float64)
        except np.linalg.LinAlgError:
            inverse = np.zeros((p, p))
        inflated = inverse.diagonal().tolist()
        if n <= p or not 0 < min(inflated) <= max(inflated) < _MOST_INFLATED:
            whole = self._whole(chosen.tolist())
            return (
                float(whole.partial_correlation[0, 1]),
                float(whole.statistic[0, 1]),
                float(whole.log_pvalue[0, 1]),
            )
        root = np.sqrt(inverse.diagonal())
        rho = -inverse.item(0, 1) / math.sqrt(inflated[0] * inflated[1])
        nothing, pair = Centre(np.zeros(p), None), np.array([[1.0, rho], [rho, 1.0]])
        leverage = PrecisionEstimate(n, nothing, inverse, inverse, pair, inverse / root).leverage()
        if few_rows(n, p):
            terms = one_pair_exactly(self._rows, chosen, leverage, rho)
        else:  # as `edge_test` sums many rows
            block = ColumnBlock([self._rows[k] for k in chosen])
            sums = all_pairs_at_once(InMemoryRows([block]), nothing, leverage, pair, NEARLY_ONE)
            second = float(sums.second[0, 1])
            fourth, sixth = float(sums.fourth[0, 1]), float(sums.sixth[0, 1])
            terms = second, fourth * second**2, sixth * second**3
        return (rho, *score_of_pair(rho, *terms, n, p))

    def _whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """A test of all pairs of these columns."""
        chosen = list(columns)
        scale, mean = self._scale[chosen, np.newaxis], self._mean[chosen, np.newaxis]
        rows = (self._rows[chosen] * scale + mean).T
        with without_warnings():
            result = edge_test(
                rows,
                method="score",
                feature_names=[self.feature_names[k] for k in chosen],
                columns=default_names(len(chosen)),
                correction=None,
            )
        return result.with_measured(n_dropped=self.n_dropped)

    def __repr__(self) -> str:
        return f"ConditionalTest(n_samples={self.n_samples}, n_features={len(self.feature_names)})"


def _gathered(part: Partition) -> tuple[FloatArray, int]:
    """All rows of a partition, features first, and how many were left out."""
    blocks = [np.asarray(block, dtype=np.float64).T for block in part.blocks()]
    empty = np.empty((len(part.feature_names), 0))
    return np.concatenate([empty, *blocks], axis=1), part.counts.n_dropped


def _joined(a: tuple[FloatArray, int], b: tuple[FloatArray, int]) -> tuple[FloatArray, int]:
    return np.concatenate([a[0], b[0]], axis=1), a[1] + b[1]

"""`partial_test` and `ConditionalTest`: one pair of columns, given any others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from numbers import Integral
from typing import Any

import numpy as np

from edgewise._checks import check_choice, check_known, check_testable_shape, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise.api.edge_test import edge_test
from edgewise.errors import DataError, EdgewiseError, ParameterError, without_warnings
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.estimate.singular import measurable
from edgewise.inference.sample import Sample
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.score import Score, score_of_pair
from edgewise.methods.wald import NEARLY_ONE
from edgewise.results.pair import PairTest, pair_of_result
from edgewise.results.result import EdgeTestResult, decide
from edgewise.sums.accumulate import first_pass
from edgewise.sums.blocks import Centre
from edgewise.sums.fourth import FourthMoments, product_sums
from edgewise.sums.moments import Moments
from edgewise.sums.power import quiet
from edgewise.sums.save import as_state
from edgewise.sums.score import (
    Leverage,
    all_pairs_at_once,
    few_rows,
    one_pair_exactly,
    score_weight,
)
from edgewise.tables.first_look import FirstLook
from edgewise.tables.open import as_table
from edgewise.tables.options import refuse_pairwise
from edgewise.tables.table import (
    ColumnBlock,
    InMemoryRows,
    Partition,
    Piece,
    Rescan,
    Table,
    rows_up_to,
)

#: A column by its name, or by its index.
Column = str | int
#: `given`: every other column.
ALL = "all"


def partial_test(
    data: Any,
    x: Column,
    y: Column,
    *,
    given: Column | Iterable[Column] = ALL,
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

    Warns
    -----
    BrokenAssumptionWarning
        If the data contradict what the method assumes, as `edge_test` does.

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
    every = isinstance(given, str) and given == ALL
    wanted = (x, y, *(() if every else listed_columns(given)))
    if feature_names is not None:
        data = as_table(data, feature_names=feature_names)
    elif not every and all(isinstance(one, str) for one in wanted):
        # By name, so that only these columns are read, and others may be text.
        names = [str(one) for one in wanted]
        places(x, y, wanted[2:], names)
        with naming_arguments(names, lambda: as_table(data).feature_names):
            return _answer(data, list(dict.fromkeys(names)), chosen, how)
    if clusters is None and weights is None:
        data = as_table(data)
    known = as_table(data, clusters=clusters, weights=weights).feature_names
    i, j, others = places(x, y, given, known)
    return _answer(data, [known[k] for k in (i, j, *others)], chosen, how)


def _answer(data: Any, columns: list[str], method: Method, how: dict[str, Any]) -> PairTest:
    """The test of the first two of these columns, given the others."""
    n_given = len(columns) - 2
    try:
        result = edge_test(data, method=method, correction=None, columns=columns, **how)
    except DataError as error:
        if how["clusters"] is None and how["weights"] is None and "columns: " not in str(error):
            table = as_table(data, columns=columns, missing=how["missing"])
            few = rows_up_to(table, n_given + 2)
            check_rows_of_question(n_given + 3 if few is None else few, n_given)
        raise
    return pair_of_result(result)


def places(
    x: Column, y: Column, given: Column | Iterable[Column], names: Sequence[str]
) -> tuple[int, int, tuple[int, ...]]:
    """The indices of x, of y and of the given columns, each of which counts once."""
    index = {name: k for k, name in enumerate(names)}

    def index_of(argument: str, column: object) -> int:
        if isinstance(column, str):
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
    if isinstance(given, str) and given == ALL:
        return i, j, tuple(k for k in range(len(names)) if k not in (i, j))
    others = tuple(dict.fromkeys(index_of("given", k) for k in listed_columns(given)))
    for argument, k in (("x", i), ("y", j)):
        if k in others:
            raise ParameterError(
                f"given: expected other columns than x and y, got {names[k]!r}, which is "
                f"{argument}; leave it out."
            )
    return i, j, others


def listed_columns(given: Column | Iterable[Column]) -> tuple[Column, ...]:
    """One column or several, as a tuple."""
    if isinstance(given, str | Integral):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise ParameterError(
            f"given: expected 'all', or the names or indices of columns, got {given!r}; pass [] "
            "for none."
        )
    return tuple(given)


def check_rows_of_question(n_samples: int, n_given: int) -> None:
    """Refuse fewer rows than the regressions on the given columns need."""
    if n_samples >= n_given + 3:
        return
    if not n_given:
        raise DataError(
            f"data: expected at least 3 rows to relate two columns, got {n_samples}; collect more "
            "rows."
        )
    columns = f"{n_given} given column{'s' * (n_given != 1)}"
    raise DataError(
        f"given: expected at least {n_given + 3} rows for {columns} (their number + 3), got "
        f"{n_samples}; give fewer columns or collect more rows."
    )


@contextmanager
def naming_arguments(wanted: Sequence[str], known: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Errors about columns that data do not have name the arguments x, y and given."""
    try:
        yield
    except DataError as error:
        if not str(error).startswith("columns: "):
            raise
        try:
            names = known()
        except EdgewiseError:
            names = wanted
        for argument, some in (("x", wanted[:1]), ("y", wanted[1:2]), ("given", wanted[2:])):
            check_known(argument, some, names)
        raise DataError("x, y, given" + str(error).removeprefix("columns")) from error


# A column of which the others leave a smaller share of variance than one over this is tested by
# `edge_test`: there is an error to raise, or rounding that only the same steps repeat.
_MOST_INFLATED = 1e3
# Fourth moments of so many columns take 28 MB.
_MOST_COLUMNS = 60
_SCALES = 1e-70, 1e70


class _Columns(ABC):
    """The correlations of all columns, and a source of fourth-order sums."""

    def __init__(self, names: tuple[str, ...], state: Moments, n_dropped: int) -> None:
        n, p = state.n_samples, len(names)
        # A question may be about two columns only.
        check_testable_shape(n, p if n < 3 else min(p, 2))
        self.feature_names, self.n_samples, self.n_dropped = names, n, n_dropped
        self.mean, covariance = state.mean(), state.covariance()
        scale = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        # A column that is constant or overflows is named as soon as a question is about it.
        known = measurable(scale, self.mean)
        self.scale = np.where(known, scale, 1.0)
        with quiet():
            self._correlation = covariance / self.scale / self.scale[:, np.newaxis]
        self._correlation[~known] = np.nan

    @abstractmethod
    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """A test of all pairs of these columns."""

    @abstractmethod
    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        """Σa², Σa⁴ and Σa⁶ of the terms of the first two of the chosen columns."""

    def answer(self, columns: Sequence[int]) -> tuple[float, float, float]:
        """ρ̂, statistic and log p-value of the first two columns, given the others."""
        chosen = np.array(columns)
        try:
            inverse = np.linalg.inv(self._correlation[chosen[:, np.newaxis], chosen])
        except np.linalg.LinAlgError:
            return self._as_tested(columns)
        inflated = inverse.diagonal().tolist()
        if not 0 < min(inflated) <= max(inflated) < _MOST_INFLATED:
            return self._as_tested(columns)
        rho = -inverse.item(0, 1) / math.sqrt(inflated[0] * inflated[1])
        sums = self._sums(chosen, inverse, np.sqrt(inverse.diagonal()), rho)
        return (rho, *score_of_pair(rho, *sums, self.n_samples, len(columns)))

    def _as_tested(self, columns: Sequence[int]) -> tuple[float, float, float]:
        result = self.whole(columns)
        numbers = result.partial_correlation, result.statistic, result.log_pvalue
        rho, statistic, log_pvalue = (float(of_pairs[0, 1]) for of_pairs in numbers)
        return rho, statistic, log_pvalue


class _Rows(_Columns):
    """Centred rows of unit variance, features first; they are read once."""

    def __init__(self, table: Table) -> None:
        rows, n_dropped = table.reduce(_gathered, _joined)
        names = table.feature_names
        state, _, _ = first_pass(Moments(order=2), as_table(rows.T, feature_names=names))
        super().__init__(names, state, n_dropped)
        self._rows = state.centre().subtract_from(rows.T, rows)
        self._rows /= self.scale[:, np.newaxis]

    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        chosen = list(columns)
        scale, mean = self.scale[chosen, np.newaxis], self.mean[chosen, np.newaxis]
        names = [self.feature_names[k] for k in chosen]
        rows = (self._rows[chosen] * scale + mean).T
        with without_warnings():
            result = edge_test(
                rows,
                method="score",
                feature_names=names,
                columns=default_names(len(names)),
                correction=None,
            )
        return result.with_measured(n_dropped=self.n_dropped)

    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        n, p = self.n_samples, len(chosen)
        if few_rows(n, p):
            leverage = Leverage(inverse / root, root, n)
            return one_pair_exactly(self._rows, chosen, leverage, rho)
        # As `edge_test` sums many rows.
        nothing = Centre(np.zeros(p), None)
        pair = np.array([[1.0, rho], [rho, 1.0]])
        estimate = PrecisionEstimate(n, nothing, inverse, inverse, pair, inverse / root)
        block = ColumnBlock([Piece([self._rows[k] for k in chosen], 0, n)], p)
        leverage = estimate.leverage()
        sums = all_pairs_at_once(InMemoryRows([block]), nothing, leverage, pair, NEARLY_ONE)
        second, fourth, sixth = sums.second[0, 1], sums.fourth[0, 1], sums.sixth[0, 1]
        return float(second), float(fourth * second**2), float(sixth * second**3)


class _Moments(_Columns):
    """Moments up to the fourth order of at most 60 columns; rows are read twice, and not kept."""

    def __init__(self, table: Table) -> None:
        names, n_dropped = table.feature_names, None
        if len(names) > _MOST_COLUMNS:
            raise ParameterError(
                f"keep: expected 'rows' for more than {_MOST_COLUMNS} columns, got 'moments' for "
                f"{len(names)}; choose fewer columns, or keep the rows."
            )
        if not table.rescannable:
            rows, n_dropped = table.reduce(_gathered, _joined)
            table = as_table(rows.T, feature_names=names)
        state, found, self._first_look = first_pass(Moments(order=2), table)
        super().__init__(names, state, found if n_dropped is None else n_dropped)
        one_pass = partial(product_sums, centre=state.centre(), scale=self.scale)
        (gram,) = Rescan(table, state.n_samples).sums(one_pass)
        self._fourth = FourthMoments(np.zeros(len(names)), gram)

    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        chosen, seen, method = np.array(columns), self._first_look, Score()
        # Nothing that is tested depends on units, but fourth powers of these must be numbers.
        scale = np.clip(self.scale[chosen], *_SCALES)
        factor = scale / self.scale[chosen]
        sample = Sample(
            feature_names=tuple(self.feature_names[k] for k in columns),
            purpose="ConditionalTest",
            n_dropped=self.n_dropped,
            first_look=FirstLook(
                seen.n_samples,
                seen.far[:, chosen] * factor,
                seen.far_row[:, chosen],
                seen.leading[:, chosen] * factor,
            ),
            state=self._fourth.chosen(chosen).rescaled(self.mean[chosen] * factor, scale),
        )
        return decide(method.measure(sample), method.question(0.05, None))

    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        # As in `Sample.score_sums`: the leverages at their mean, and a normal tail.
        n, p = self.n_samples, len(chosen)
        weight = score_weight(1 - (p - 1) / n, 0.0)
        a, b = inverse[0] / root[0], inverse[1] / root[1]
        scale = n / ((n - 1) * (1 - rho) * (1 + rho))
        product = self._fourth.squared_product(chosen, a + rho * b, b + rho * a)
        return float(weight * scale**2 * product), 0.0, 0.0


def _gathered(part: Partition) -> tuple[FloatArray, int]:
    """All rows of a partition, features first, and how many were left out."""
    blocks = [np.asarray(block, dtype=np.float64).T for block in part.blocks()]
    empty = np.empty((len(part.feature_names), 0))
    return np.concatenate([empty, *blocks], axis=1), part.n_dropped


def _joined(a: tuple[FloatArray, int], b: tuple[FloatArray, int]) -> tuple[FloatArray, int]:
    return np.concatenate([a[0], b[0]], axis=1), a[1] + b[1]


_KINDS: dict[str, type[_Rows] | type[_Moments]] = {"rows": _Rows, "moments": _Moments}


class ConditionalTest:
    """Ask one data set many questions: whether x and y are related, given some columns.

    The answers are those of `partial_test` with method "score". The rows are read, centred and
    scaled once, and kept in memory, as are the answers. Several threads may ask at once.

    With ``keep="moments"`` all moments up to the fourth order are kept in place of the rows, and a
    question takes the same time however many rows there were. That is meant for 1000 rows and more:
    leverages are then taken as their mean and the tail as normal, so statistics differ by 0.4 % on
    light tails and by up to 12 % where rows of t₃ share their scale. With few rows and outliers it
    rejects too many true nulls.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths
        The rows, as for `edge_test`.
    keep : {"rows", "moments"}
        What is kept: all rows, or the fourth moments of at most 60 columns, which take 28 MB then.
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
        keep: str = "rows",
        feature_names: Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        missing: str = "auto",
    ) -> None:
        check_choice("keep", keep, tuple(_KINDS))
        if as_state(data) is not None:
            raise DataError(
                "data: expected rows, got a state, which has too few moments for this test; pass "
                "the rows."
            )
        refuse_pairwise(missing, "ConditionalTest")
        table = as_table(
            data, feature_names=feature_names, columns=columns, exclude=exclude, missing=missing
        )
        self._kept: _Columns = _KINDS[keep](table)
        self.feature_names = self._kept.feature_names
        self.n_samples = self._kept.n_samples
        self.n_dropped = self._kept.n_dropped
        self._index: dict[Column, int] = {name: k for k, name in enumerate(self.feature_names)}
        self._index |= {k: k for k in range(len(self.feature_names))}
        self._answers: dict[tuple[int, int, tuple[int, ...]], PairTest] = {}

    def __call__(self, x: Column, y: Column, given: Column | Iterable[Column] = ALL) -> PairTest:
        """Test one pair.

        Parameters
        ----------
        x, y : str or int
            The two columns, by name or by index.
        given : "all", or sequence of str or int
            The columns that both are adjusted for: by default every other one; [] for none.

        Returns
        -------
        PairTest
            The answer; its `given` are in the order of the columns.
        """
        question = self._question(x, y, given)
        known = self._answers.get(question)
        if known is None:
            # Two threads may both compute an answer; they get the same object.
            known = self._answers.setdefault(question, self._answer(*question))
        return known

    def _question(
        self, x: Column, y: Column, given: Column | Iterable[Column]
    ) -> tuple[int, int, tuple[int, ...]]:
        """The indices of the columns of a question, the given ones sorted."""
        known, plain = self._index, (str, int)
        # Fast where all is as it should be; `places` finds out what is not.
        if type(x) in plain and type(y) in plain and isinstance(given, tuple | list):
            i, j = known.get(x, -1), known.get(y, -1)
            others = {known[k] for k in given if type(k) in plain and k in known}
            if i >= 0 <= j and i != j and len(others) == len(given) and not {i, j} & others:
                return i, j, tuple(sorted(others))
        i, j, rest = places(x, y, given, self.feature_names)
        return i, j, tuple(sorted(rest))

    def _answer(self, i: int, j: int, others: tuple[int, ...]) -> PairTest:
        turned, names = self._answers.get((j, i, others)), self.feature_names
        if turned is not None:
            return replace(turned, x=names[i], y=names[j])
        check_rows_of_question(self.n_samples, len(others))
        # In one order, whatever the order of the question, so that both have the same answer.
        columns = (i, j, *others) if i < j else (j, i, *others)
        return PairTest(
            names[i],
            names[j],
            tuple([names[k] for k in others]),
            *self._kept.answer(columns),
            self.n_samples,
            Score.name,
            Score.guarantee,
            cache(partial(self._kept.whole, columns)),
        )

    def __deepcopy__(self, memo: object) -> ConditionalTest:
        # Nothing in it changes but the answers that it keeps, so one object serves all.
        return self

    def __getstate__(self) -> dict[str, Any]:
        # An answer that travels alone makes its whole result first; here the rows travel along.
        return {**self.__dict__, "_answers": {}}

    def __repr__(self) -> str:
        return f"ConditionalTest(n_samples={self.n_samples}, n_features={len(self.feature_names)})"

"""`partial_test` and `ConditionalTest`: one pair of columns, given any others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from edgewise._base.checks import check_testable_shape
from edgewise._base.text import listed
from edgewise._base.types import FloatArray
from edgewise._base.warn import without_warnings
from edgewise.errors import DataError, ParameterError
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD
from edgewise.questions.edge_test import edge_test
from edgewise.questions.kept_rows import KeptRows
from edgewise.results.pair import PairTest as PairTest
from edgewise.results.pair import pair_of_result
from edgewise.results.result import EdgeTestResult
from edgewise.rows.opening import open_table
from edgewise.rows.table import Part
from edgewise.states.registry import as_state

#: A column by its name, or by its place.
Column = str | int


def partial_test(
    data: Any,
    x: Column,
    y: Column,
    *,
    given: Column | Iterable[Column] = (),
    method: str | Method = DEFAULT_METHOD,
    feature_names: Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
    **options: Any,
) -> PairTest:
    """Test whether two columns are related, given some others.

    The same as `edge_test` of these columns alone, for the one pair: nothing is corrected for.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths
        The rows, as `edge_test` takes them. Of a file only the columns of the question are read.
    x, y : str or int
        The two columns, by name or by place (from 0 on).
    given : sequence of str or int
        The columns that both are adjusted for; none by default. One given twice counts once.
    method : str or Method
        The test, as in `edge_test`.
    feature_names : sequence of str, optional
        Names of all columns, in place of those that came with the data.
    drop_missing : bool
        Leave out rows with NaN or infinite values in these columns instead of refusing them.
    client : distributed.Client, optional
        A Dask cluster that reads the rows.
    **options
        Further options of the method.

    Returns
    -------
    PairTest
        Estimate, p-value, interval, and a sentence to quote.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> print(ew.partial_test(returns, "KO", "PEP", given=["PG", "WMT"]).sentence())
    The partial correlation of KO and PEP given PG and WMT is 0.51 (95 % interval 0.47 to 0.54, p = 6e-104, n = 8312 rows; score test).
    """
    if as_state(data) is not None:
        raise DataError("data: expected rows, got a state, of which no columns can be chosen.")
    asked = [x, y, *_listed(given)]
    opened: dict[str, Any] = {"client": client}
    if feature_names is not None or not all(isinstance(one, str) for one in asked):
        data = open_table(data, feature_names=feature_names, client=client)
        i, j, others = places(x, y, given, data.feature_names)
        names = [data.feature_names[k] for k in (i, j, *others)]
        opened = {}
    else:
        names = list(dict.fromkeys(map(str, asked)))
        places(x, y, given, names)
    result = edge_test(
        data,
        method=method,
        columns=names,
        correction=None,
        drop_missing=drop_missing,
        **opened,
        **options,
    )
    return pair_of_result(result)


class ConditionalTest:
    """The same question to one data set, as often as one likes: x and y, given a set of columns.

    The rows are read and centred once, and are kept in memory. Answers are kept, too.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths
        The rows, as `edge_test` takes them.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns, exclude : str or sequence of str, optional
        The columns to keep, all by default; columns to leave out.
    drop_missing : bool
        Leave out rows with NaN or infinite values in any of the columns.
    client : distributed.Client, optional
        A Dask cluster that reads the rows.

    Attributes
    ----------
    feature_names : tuple of str
        The columns.
    n_samples : int
        Rows.
    n_dropped : int
        Rows left out because of missing values.

    Examples
    --------
    >>> import edgewise as ew
    >>> test = ew.ConditionalTest(ew.datasets.load_sp500_returns())
    >>> test("KO", "PEP").pvalue < test("KO", "PEP", given=["PG", "WMT"]).pvalue < 1e-50
    True
    >>> test("KO", "XOM", given=["PEP", "CVX"]).pvalue > 0.05
    True
    """

    def __init__(
        self,
        data: Any,
        *,
        feature_names: Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        drop_missing: bool = False,
        client: Any = None,
    ) -> None:
        table = open_table(
            data,
            feature_names=feature_names,
            columns=columns,
            exclude=exclude,
            drop_missing=drop_missing,
            client=client,
        )
        self._kept = KeptRows(table)
        self.feature_names = self._kept.feature_names
        self.n_samples = self._kept.n_samples
        self.n_dropped = self._kept.n_dropped
        # By name and by place.
        self._places: dict[str | int, int] = {
            **{name: k for k, name in enumerate(self.feature_names)},
            **{k: k for k in range(len(self.feature_names))},
        }
        self._answers: dict[tuple[int, int, tuple[int, ...]], PairTest] = {}

    def __call__(self, x: Column, y: Column, given: Column | Iterable[Column] = ()) -> PairTest:
        """Test one pair.

        Parameters
        ----------
        x, y : str or int
            The two columns, by name or by place (from 0 on).
        given : sequence of str or int
            The columns that both are adjusted for; one given twice counts once.

        Returns
        -------
        PairTest
            The answer; its `given` are in the order of the columns.
        """
        i, j, others = self._places_of(x, y, given)
        known = self._answers.get((i, j, others))
        if known is None:
            known = self._answers[i, j, others] = self._answered(i, j, others)
        return known

    def _answered(self, i: int, j: int, others: tuple[int, ...]) -> PairTest:
        turned, names = self._answers.get((j, i, others)), self.feature_names
        if turned is not None:
            return replace(turned, x=turned.y, y=turned.x)
        columns = (i, j, *others) if i < j else (j, i, *others)
        check_rows_of_question(self.n_samples, len(others))
        rho, statistic, log_pvalue = self._kept.answer(columns)
        return PairTest(
            names[i],
            names[j],
            tuple([names[k] for k in others]),
            rho,
            statistic,
            log_pvalue,
            self.n_samples,
            DEFAULT_METHOD,
            partial(self._kept.whole, columns),
        )

    def _places_of(
        self, x: Column, y: Column, given: Column | Iterable[Column]
    ) -> tuple[int, int, tuple[int, ...]]:
        """The places of the columns of a question, the given ones sorted; fast where all is well."""
        known, plain = self._places, (str, int)
        if type(x) in plain and type(y) in plain and x in known and y in known:
            i, j = known[x], known[y]
            if type(given) in (list, tuple) and i != j:
                found = {known[k] for k in given if type(k) in plain and k in known}
                if len(found) == len(given) and i not in found and j not in found:
                    return i, j, tuple(sorted(found))
        i, j, others = places(x, y, given, self.feature_names)
        return i, j, tuple(sorted(others))


def check_rows_of_question(n_samples: int, n_given: int) -> None:
    """Refuse fewer rows than the regressions on the given columns need."""
    if n_samples < n_given + 3:
        raise DataError(
            f"given: expected at least {n_given + 3} rows for {n_given} given columns (their "
            f"number + 3), got {n_samples}; give fewer columns or collect more rows."
        )


def places(
    x: Column, y: Column, given: Column | Iterable[Column], names: Sequence[str]
) -> tuple[int, int, tuple[int, ...]]:
    """The places of the columns of a question; the given ones as often as they differ."""
    place = {name: k for k, name in enumerate(names)}
    i, j = _place("x", x, place), _place("y", y, place)
    if i == j:
        raise ParameterError(f"y: expected another column than x, got {names[i]!r} for both.")
    others = tuple(dict.fromkeys(_place("given", one, place) for one in _listed(given)))
    for argument, k in (("x", i), ("y", j)):
        if k in others:
            raise ParameterError(
                f"given: expected columns other than x and y, got {names[k]!r}, which is "
                f"{argument}; leave it out."
            )
    return i, j, others


def _listed(given: Column | Iterable[Column]) -> tuple[Column, ...]:
    if isinstance(given, str | Integral | float):
        return (given,)  # type: ignore[return-value]
    if not isinstance(given, Iterable):
        raise ParameterError(
            f"given: expected the names or places of columns, got {type(given).__name__}."
        )
    return tuple(given)


def _place(argument: str, column: object, place: dict[str, int]) -> int:
    if isinstance(column, str):
        if column in place:
            return place[column]
        nearest = difflib.get_close_matches(column, place, n=1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ";"
        raise ParameterError(
            f"{argument}: there is no column {column!r}{hint} The columns are "
            f"{listed([*map(repr, place)])}."
        )
    if isinstance(column, Integral) and not isinstance(column, bool):
        if 0 <= int(column) < len(place):
            return int(column)
        raise ParameterError(
            f"{argument}: expected a place from 0 to {len(place) - 1}, got {int(column)}."
        )
    raise ParameterError(
        f"{argument}: expected the name or the place of a column, got {column!r}."
    )

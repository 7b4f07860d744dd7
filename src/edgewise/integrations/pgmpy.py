"""The score test for pgmpy: a function as its older releases take it, and a class for the newer."""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable
from typing import Any, ClassVar

import numpy as np

from edgewise._optional import stand_in
from edgewise.api.pair import ConditionalTest
from edgewise.errors import ParameterError
from edgewise.results.pair import PairTest

__all__ = ["ScoreTest", "score_test"]

try:
    from pgmpy.ci_tests import _BaseCITest
except ImportError as _error:
    _BaseCITest = stand_in("pgmpy>=1.1", "pgmpy", _error)


def score_test(
    X: Hashable,
    Y: Hashable,
    Z: Iterable[Hashable] = (),
    data: Any = None,
    boolean: bool = True,
    **kwargs: Any,
) -> bool | tuple[float, float]:
    """Test whether X and Y have a partial correlation given Z, in the way of pgmpy's functions.

    For ``pgmpy.estimators.PC(data).estimate(ci_test=score_test)``; ``pgmpy.causal_discovery.PC``,
    new in pgmpy 1.1, takes `ScoreTest`. A frame is read once, and again if you change it.

    Parameters
    ----------
    X, Y : hashable
        The names of two columns.
    Z : iterable of hashable
        Those that both are adjusted for.
    data : pandas.DataFrame
        The rows.
    boolean : bool
        Whether to decide, or to return numbers.
    **kwargs
        The ``significance_level`` of the decision, 0.05 by default; others are ignored.

    Returns
    -------
    bool or tuple of float
        Whether the p-value is at least the significance level, so that nothing speaks against
        independence; with ``boolean=False``, the partial correlation and the p-value.

    Examples
    --------
    >>> import pandas as pd
    >>> from edgewise.integrations.pgmpy import score_test
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> rows = sample("t5", make_chain_precision(3), 1000, rng=0)
    >>> frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    >>> score_test("a", "c", ["b"], frame), score_test("a", "b", [], frame)
    (True, False)
    """
    if data is None:
        raise ParameterError(
            "data: expected a frame, got none; pgmpy.causal_discovery gives a function no data, "
            "so give it edgewise.integrations.pgmpy.ScoreTest(data) in place of score_test."
        )
    answer = _questions(data)(X, Y, Z)
    if not boolean:
        return answer.partial_correlation, answer.pvalue
    return answer.pvalue >= float(kwargs.get("significance_level", 0.05))


class ScoreTest(_BaseCITest):  # type: ignore[misc]
    """The same test as an object, for ``pgmpy.causal_discovery.PC(ci_test=ScoreTest(data))``.

    Parameters
    ----------
    data : pandas.DataFrame
        The rows.
    use_cache : bool
        Here for pgmpy; answers are kept in any case.

    Attributes
    ----------
    statistic_, p_value_, effect_size_ : float
        The partial correlation in the last question, its p-value, and its absolute value.
    test_ : PairTest
        The whole answer, with an interval.

    Examples
    --------
    >>> import pandas as pd
    >>> from pgmpy.causal_discovery import PC
    >>> from edgewise.integrations.pgmpy import ScoreTest
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> rows = sample("t5", make_chain_precision(3), 1000, rng=0)
    >>> frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    >>> test = ScoreTest(frame)
    >>> test.is_independent("a", "c", ["b"]), test.run_test("a", "b", [])[1] < 1e-8
    (True, True)
    >>> sorted(map(sorted, PC(ci_test=test, show_progress=False).fit(frame).skeleton_.edges))
    [['a', 'b'], ['b', 'c']]
    """

    _tags: ClassVar[dict[str, Any]] = {
        "name": "edgewise",
        "data_types": ("continuous",),
        "default_for": None,
        "requires_data": True,
        "is_symmetric": True,
    }

    def __init__(self, data: Any, use_cache: bool = True) -> None:
        self.data = data
        super().__init__(use_cache=use_cache)
        self._questions = _Questions(data)

    def run_test(self, X: Hashable, Y: Hashable, Z: Iterable[Hashable] = ()) -> tuple[float, float]:
        """The partial correlation and the p-value, which the attributes keep too."""
        answer = self.test_ = self._questions(X, Y, Z)
        self.statistic_, self.p_value_ = answer.partial_correlation, answer.pvalue
        self.effect_size_ = abs(answer.partial_correlation)
        return answer.partial_correlation, answer.pvalue

    def is_independent(
        self, X: Hashable, Y: Hashable, Z: Iterable[Hashable] = (), significance_level: float = 0.05
    ) -> bool:
        """Whether the p-value of one question is at least the level."""
        # Not by the attribute: PC asks from several threads, which all write to it.
        return self.run_test(X, Y, Z)[1] >= significance_level


class _Questions:
    """Questions to a frame by the labels of its columns, which need not be texts."""

    def __init__(self, data: Any) -> None:
        data = _of_numbers(data)
        labels = getattr(data, "columns", range(np.shape(data)[1]))
        self._places = {label: place for place, label in enumerate(labels)}
        self._test = ConditionalTest(data)

    def __call__(self, X: Hashable, Y: Hashable, Z: Iterable[Hashable]) -> PairTest:
        # What is not there goes on as a text, for an error that says which columns there are.
        x, y, *given = (self._places.get(one, str(one)) for one in (X, Y, *Z))
        return self._test(x, y, given)


# The frame that was asked last, what marks its values, and its rows as they are kept.
_last: tuple[weakref.ref[Any], tuple[Any, ...], _Questions] | None = None


def _questions(data: Any) -> _Questions:
    """The same for the same frame, as long as its values are the same."""
    global _last
    last, mark = _last, _mark(data)
    if last is None or last[0]() is not data or last[1] != mark:
        last = _last = (weakref.ref(data), mark, _Questions(data))
    return last[2]


def _of_numbers(data: Any) -> Any:
    """The columns of numbers: those of text cannot be tested, but may be there."""
    return data.select_dtypes(["number", "bool"]) if hasattr(data, "select_dtypes") else data


def _mark(data: Any) -> tuple[Any, ...]:
    """Other values, other marks: sums of the columns with random weights, by one product."""
    data = _of_numbers(data)
    values = data.to_numpy(dtype=np.float64, na_value=np.nan)
    weights = np.random.default_rng(0).standard_normal(len(values))
    with np.errstate(all="ignore"):  # of infinite values, which `ConditionalTest` refuses
        sums = weights @ values
    return tuple(data.columns), values.shape, sums.tobytes()

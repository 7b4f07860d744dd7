"""The score test for pgmpy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, ClassVar

import numpy as np

from edgewise._optional import stand_in
from edgewise.api.pair import ConditionalTest

__all__ = ["ScoreTest"]

try:
    from pgmpy.ci_tests import _BaseCITest
except ImportError as _error:
    _BaseCITest = stand_in("pgmpy>=1.1", "pgmpy", _error)


class ScoreTest(_BaseCITest):  # type: ignore[misc]
    """The score test, for ``pgmpy.causal_discovery.PC(ci_test=ScoreTest(data))``.

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
        # The columns of numbers: those of text cannot be tested, but may be there.
        if hasattr(data, "select_dtypes"):
            data = data.select_dtypes(["number", "bool"])
        labels = getattr(data, "columns", range(np.shape(data)[1]))
        self._places: dict[Any, int] = {label: place for place, label in enumerate(labels)}
        self._test = ConditionalTest(data)

    def run_test(self, X: Hashable, Y: Hashable, Z: Iterable[Hashable] = ()) -> tuple[float, float]:
        """The partial correlation and the p-value, which the attributes keep too."""
        # What is not there goes on as a text, for an error that says which columns there are.
        x, y, *given = (self._places.get(one, str(one)) for one in (X, Y, *Z))
        answer = self.test_ = self._test(x, y, given)
        self.statistic_, self.p_value_ = answer.partial_correlation, answer.pvalue
        self.effect_size_ = abs(answer.partial_correlation)
        return answer.partial_correlation, answer.pvalue

    def is_independent(
        self, X: Hashable, Y: Hashable, Z: Iterable[Hashable] = (), significance_level: float = 0.05
    ) -> bool:
        """Whether the p-value of one question is at least the level."""
        # Not by the attribute: PC asks from several threads, which all write to it.
        return self.run_test(X, Y, Z)[1] >= significance_level

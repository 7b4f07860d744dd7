"""The score test as a conditional independence test of causal-learn, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from edgewise._optional import missing_dependency, stand_in
from edgewise.api.pair import ConditionalTest
from edgewise.errors import ParameterError

__all__ = ["register"]

#: The name by which `CIT`, `pc` and `fci` know the test.
NAME = "edgewise"
# The first release in which one can register a test.
_REQUIREMENT = "causal-learn>=0.1.4.2"

try:
    from causallearn.utils.cit import CIT_Base
except ImportError as _error:
    CIT_Base = stand_in(_REQUIREMENT, "causallearn", _error)


def register() -> str:
    """Make the score test known to causal-learn, as ``indep_test="edgewise"``.

    Calling it again does no harm.

    Returns
    -------
    str
        The name, "edgewise", for `CIT`, `pc`, `fci`, `cdnod` and whatever else takes the name of a
        test.

    Examples
    --------
    >>> import numpy as np
    >>> from causallearn.search.ConstraintBased.PC import pc
    >>> from edgewise.integrations import causal_learn
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> X = sample("t5", make_chain_precision(4), 1000, rng=0)
    >>> found = pc(X, 0.01, causal_learn.register(), show_progress=False)
    >>> np.argwhere(np.triu(found.G.graph)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    try:
        from causallearn.utils.cit import register_ci_test
    except ImportError as error:
        what = "The adapter for causal-learn"
        raise missing_dependency("causallearn", None, what, error, _REQUIREMENT) from error
    register_ci_test(NAME, ScoreCIT)
    return NAME


class ScoreCIT(CIT_Base):  # type: ignore[misc]
    """The test that `register` makes known: data once, then p-values of one question each.

    Parameters
    ----------
    data : ndarray of shape (n_samples, n_features)
        The rows.
    **options
        What causal-learn's own tests take, but ``cache_path``.

    Examples
    --------
    >>> from edgewise.integrations.causal_learn import ScoreCIT
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> test = ScoreCIT(sample("t5", make_chain_precision(4), 1000, rng=0))
    >>> test(0, 1) < 0.01 < test(0, 3, (1, 2))
    True
    """

    def __init__(self, data: Any, **options: Any) -> None:
        if options.get("cache_path") is not None:
            raise ParameterError(
                "cache_path: expected none; a file does not say which rows its p-values are of."
            )
        super().__init__(data, **options)
        self.method = NAME
        self._test = ConditionalTest(data)

    def __call__(self, X: int, Y: int, condition_set: Iterable[int] | None = None) -> float:
        """The p-value of X and Y, two columns, both adjusted for those of the condition set."""
        i, j = sorted((int(X), int(Y)))
        given = tuple(
            sorted({int(one) for one in (() if condition_set is None else condition_set)})
        )
        if (i, j, given) not in self.pvalue_cache:
            self.pvalue_cache[i, j, given] = self._test(i, j, given).pvalue
        return float(self.pvalue_cache[i, j, given])

    def __deepcopy__(self, memo: object) -> ScoreCIT:
        # causal-learn copies its graphs, and with each of them the test: the rows and the answers
        # are the same for all of them.
        return self

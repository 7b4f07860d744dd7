"""Whether results can be pooled: the same question to imputed copies of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from edgewise._base.text import listed
from edgewise.errors import ParameterError
from edgewise.inference.bound import Bound
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import AnytimeReference
from edgewise.methods.registry import registered
from edgewise.results.pooled import POOLED
from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import chosen_pairs


class _Same(NamedTuple):
    """Something that must be the same in all results: its name, how to see it, and what to do."""

    what: str
    of: Callable[[EdgeTestResult], Any]
    remedy: str


_SAME_ROWS = (
    _Same("method", lambda one: one.method, "test all copies by the same method"),
    _Same("number of rows", lambda one: one.n_samples, "impute copies of the same rows"),
    _Same(
        "number of rows left out", lambda one: one.n_dropped, "impute every value that is missing"
    ),
    _Same("weights", lambda one: one.options.get("weights"), "weight the rows of all by the same"),
    _Same(
        "effective rows of the weights",
        lambda one: f"{one.options.get('effective_rows', 0):.6g}",
        "weight the rows of all by the same",
    ),
    _Same("transform", lambda one: one.options.get("transform"), "test all copies in the same way"),
    _Same(
        "number of groups", lambda one: one.options.get("n_groups"), "name the same groups in all"
    ),
    _Same(
        "options of the method", lambda one: _asked(one), "test all copies with the same options"
    ),
    _Same("given columns", lambda one: one.given, "give the same columns in all"),
    _Same("pairs", lambda one: chosen_pairs(one), "test the same pairs in all"),
)
#: What a caller may also say anew, by the name of the argument.
DECIDED = {
    "alpha": lambda one: one.alpha,
    "correction": lambda one: one.correction,
    "min_effect": lambda one: one.options.get("min_effect", 0.0),
    "effect_scale": lambda one: one.options.get("effect_scale"),
}


def checked_copies(results: object) -> list[EdgeTestResult]:
    """Two results or more that can be pooled."""
    if isinstance(results, EdgeTestResult | str | bytes | Mapping) or not isinstance(
        results, Iterable
    ):
        raise ParameterError(
            "results: expected a list of results, one for each imputed copy, got "
            f"{type(results).__name__}; pass [edge_test(copy) for copy in copies]."
        )
    copies = list(results)
    for number, one in enumerate(copies, 1):
        if not isinstance(one, EdgeTestResult):
            raise ParameterError(
                f"results: expected results of edge_test, got {type(one).__name__} as number "
                f"{number}; pass [edge_test(copy) for copy in copies]."
            )
    if len(copies) < 2:
        raise ParameterError(
            f"results: expected at least 2, one for each imputed copy, got {len(copies)}; impute "
            "several times, with different random numbers."
        )
    for number, one in enumerate(copies, 1):
        _check_errors(one, number)
        _check_names(copies[0], one, number)
        for same in _SAME_ROWS:
            _check_same(same, copies[0], one, number)
    return copies


def check_decided(name: str, copies: list[EdgeTestResult]) -> Any:
    """What all results were decided with, where the caller does not say it anew."""
    same = _Same(name, DECIDED[name], f"pass {name}=... to say which")
    for number, one in enumerate(copies, 1):
        _check_same(same, copies[0], one, number)
    return same.of(copies[0])


def _check_errors(one: EdgeTestResult, number: int) -> None:
    """Refuse a result without standard errors of its own for each pair."""
    if POOLED in one.options:
        raise ParameterError(
            f"results: expected results of single copies, got a pooled one as number {number}; "
            "pool all copies at once."
        )
    if one.pair_rows is not None:
        raise ParameterError(
            f"results: expected copies without missing values, got missing='pairwise' as number "
            f"{number}; impute every value that is missing, or use that result alone."
        )
    own = one.uncertainty
    if own is None:
        raise ParameterError(
            f"results: number {number} was read from a file of an older edgewise, which has no "
            "standard errors to pool; test that copy again."
        )
    why = ""
    if isinstance(own, Bound):
        why = "bounds all entries at once and has no standard errors to pool"
    elif isinstance(own, PerEdge) and isinstance(own.reference, AnytimeReference):
        why = "holds at every look, which no pooled test does"
    if why:
        raise ParameterError(
            f"results: expected tests of each pair by itself, got method {one.method!r}, which "
            f"{why}; use method='score'."
        )


def _check_names(first: EdgeTestResult, one: EdgeTestResult, number: int) -> None:
    if one.feature_names == first.feature_names:
        return
    if sorted(one.feature_names) == sorted(first.feature_names):
        raise ParameterError(
            f"results: expected the columns in the same order in all, got another order as number "
            f"{number}; pass columns={listed([*map(repr, first.feature_names)])} to each edge_test."
        )
    names = (listed([*map(repr, result.feature_names)]) for result in (first, one))
    raise ParameterError(
        "results: expected the same columns in all, got {} as number 1 and {} as number {}; impute "
        "copies of the same table.".format(*names, number)
    )


def _check_same(same: _Same, first: EdgeTestResult, one: EdgeTestResult, number: int) -> None:
    values = same.of(first), same.of(one)
    if values[0] != values[1]:
        got = " and ".join(
            f"{_shown(value)} as number {place}"
            for value, place in zip(values, (1, number), strict=True)
        )
        raise ParameterError(
            f"results: expected the same {same.what} in all, got {got}; {same.remedy}."
        )


def _shown(value: Any) -> str:
    """A value in a message; of many pairs only the first few."""
    if isinstance(value, list | tuple):
        return f"({listed([*map(repr, value)])})" if value else "none"
    return "none" if value is None or value == {} else repr(value)


def _asked(one: EdgeTestResult) -> dict[str, Any]:
    """The options of its method that were given."""
    kind = registered().get(one.method)
    return {} if kind is None else kind.asked(one.options)

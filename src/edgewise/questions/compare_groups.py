"""`compare_groups`: which partial correlations differ between two groups of rows?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgewise._base.checks import check_alpha, check_choice
from edgewise._base.warn import warn
from edgewise.errors import BrokenAssumptionWarning, ParameterError
from edgewise.inference.corrections import CORRECTIONS, HOLM
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of, registered
from edgewise.questions.groups import Group, measured_groups
from edgewise.results.decide_difference import decide_differences
from edgewise.results.difference import EdgeDifferenceResult


def compare_groups(
    a: Any,
    b: Any,
    *,
    method: str | Method = "wald",
    alpha: float = 0.05,
    correction: str | None = HOLM,
    group_names: Sequence[str] = ("a", "b"),
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
    **options: Any,
) -> EdgeDifferenceResult:
    """Test for every pair of variables whether its partial correlation differs between two groups.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> ew.compare_groups(returns[:4000], returns[4000:]).n_edges
    6
    """
    chosen = comparing_method(method, options)
    level = check_alpha(alpha)
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "drop_missing": drop_missing,
        "client": client,
    }
    groups = [
        Group.opened(data, str(name), rows) for data, name in zip((a, b), group_names, strict=True)
    ]
    compared = measured_groups(groups[0], groups[1], chosen)
    asked = None if correction in (None, "none") else str(correction)
    (result,) = decide_differences([compared], level, asked)
    tell_cautions(result)
    return result


def comparing_method(method: str | Method, options: dict[str, Any]) -> Method:
    """The method; an error if it does not measure a standard error of Fisher's z."""
    chosen = method_of(method, options)
    if not chosen.compares_groups:
        able = [repr(name) for name, kind in registered().items() if kind.compares_groups]
        raise ParameterError(
            f"method: expected one that measures a standard error for each pair, which groups are "
            f"compared by ({', '.join(able)}), got {chosen.name!r}."
        )
    return chosen


def tell_cautions(result: EdgeDifferenceResult) -> None:
    """A warning for each caution that breaks the method's guarantee."""
    for caution in result.cautions:
        if getattr(caution, "breaks", False):
            warn(caution, BrokenAssumptionWarning)

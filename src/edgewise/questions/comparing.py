"""How two groups, or the levels of a column, are compared: once the question is checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._base.checks import check_alpha, check_choice, check_count
from edgewise._base.types import FloatArray
from edgewise._base.warn import warn
from edgewise.errors import BrokenAssumptionWarning, DataError, ParameterError
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import CORRECTIONS, Unasked, adjust
from edgewise.inference.family import Family
from edgewise.methods.method import Method
from edgewise.methods.registry import registered
from edgewise.questions.groups import Group, in_group, measured_groups, without_order
from edgewise.questions.levels import Levels
from edgewise.questions.permuting import (
    check_permutable,
    permuted_statistics,
    scored_within,
    standardized_within,
)
from edgewise.results.decide_difference import decide_differences
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.differences import EdgeDifferences
from edgewise.rows.collecting import all_rows
from edgewise.rows.normal_scores import values_under
from edgewise.states.row_state import RowState


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """The question, checked before any row is read."""

    method: Method
    alpha: float
    correction: str | None
    permutations: int | None
    random_state: int
    progress: Callable[[int], None] | None
    family: Family
    transform: str | None

    @classmethod
    def checked(
        cls,
        method: Method,
        alpha: object,
        correction: object,
        permutations: object,
        random_state: object,
        progress: Callable[[int], None] | None,
        family: Family,
        transform: str | None,
    ) -> Asked:
        """The question that a user asks."""
        _check_comparing(method)
        level = check_alpha(alpha)
        corrected = _checked_correction(correction, permuted=permutations is not None)
        seed = check_count("random_state", random_state, at_least=0)
        if permutations is None:
            return cls(method, level, corrected, None, seed, progress, family, transform)
        check_permutable(method)
        count = check_count("permutations", permutations, at_least=1)
        least = math.ceil(1 / level - 1e-9) - 1
        if count < least:
            raise ParameterError(
                f"permutations: expected at least {least} at alpha {level:g}, or no p-value could "
                f"be small enough, got {count}; 999 is usual."
            )
        return cls(method, level, corrected, count, seed, progress, family, transform)

    def check_groups(self) -> None:
        """Refuse rows that belong together where the question does not allow for them."""
        if not self.method.takes_groups:
            raise ParameterError(
                f"groups: expected with method 'wald', got {self.method.name!r}, which does not "
                "allow for rows that belong together; leave method out."
            )
        if self.permutations is not None:
            raise ParameterError(
                "permutations: expected without groups, got both; rows that belong together cannot "
                "change groups one by one. Leave permutations out."
            )

    def with_cautions(self, result: EdgeDifferenceResult) -> EdgeDifferenceResult:
        """With a caution if the permutations are too few to find a single pair."""
        if self.permutations is None or self.correction not in ("bh", "by"):
            return result
        smallest = np.full(result.n_tests, 0.0)
        smallest[0] = -math.log(1 + self.permutations)
        factor = math.exp(adjust(smallest, self.correction)[0] - smallest[0])
        least = math.ceil(factor / self.alpha - 1e-9) - 1
        if self.permutations >= least:
            return result
        few = Caution(
            f"With {self.permutations} permutations and correction {self.correction!r} over "
            f"{result.n_tests} tests, a pair that alone differs cannot be found; "
            f"{least} permutations or more would do.",
            "few permutations",
        )
        return replace(result, cautions=(*result.cautions, few))

    def draws(self, groups: Callable[[], Sequence[FloatArray]]) -> FloatArray | None:
        """The permuted statistics of the rows of the groups; None without permutations."""
        if self.permutations is None:
            return None
        return permuted_statistics(
            groups(),
            self.method,
            self.permutations,
            self.random_state,
            self.progress,
            transform=self.transform is not None,
        )


def _check_comparing(method: Method) -> None:
    """Refuse a method that does not measure a standard error of Fisher's z."""
    if not method.compares_groups:
        able = [repr(name) for name, kind in registered().items() if kind.compares_groups]
        raise ParameterError(
            f"method: expected one that measures the standard error of each pair, by which groups "
            f"are compared ({', '.join(able)}), got {method.name!r}."
        )


def _checked_correction(correction: object, *, permuted: bool) -> str | None:
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    if correction in (None, "none"):
        return None
    if not permuted:
        if correction == "maxt":
            raise ParameterError(
                "correction: 'maxt' is that of permutations; add permutations=999, or use 'holm'."
            )
        return str(correction)
    if isinstance(correction, Unasked):
        return "maxt"
    if correction in ("holm", "bonferroni"):
        raise ParameterError(
            f"correction: with permutations expected 'maxt' (the default, which permutes the "
            f"largest statistic and needs fewer permutations), 'bh', 'by' or None, got "
            f"{correction!r}."
        )
    return str(correction)


def compare_two(a: Group, b: Group, asked: Asked) -> EdgeDifferenceResult:
    """Compare two groups that are open."""
    asked.family.tested((b if b.named and not a.named else a).feature_names)
    if asked.permutations is not None:
        for group in (a, b):
            if isinstance(group.source, RowState):
                raise ParameterError(
                    f"permutations: expected rows, got a state for group {group.name!r}, which has "
                    "none; pass the rows, or leave permutations out."
                )
    compared, order = measured_groups(a, b, asked.method)

    def rows() -> list[FloatArray]:
        of_b = all_rows(values_under(b.table))
        return [all_rows(values_under(a.table)), of_b if order is None else of_b[:, order]]

    (result,) = decide_differences(
        [compared], asked.alpha, asked.correction, asked.draws(rows), asked.family
    )
    result = asked.with_cautions(result)
    _tell_cautions(result)
    return result


def compare_levels(
    levels: Levels, asked: Asked, *, missing: str
) -> EdgeDifferenceResult | EdgeDifferences:
    """Compare two levels with each other, and each of more with the others."""
    asked.family.tested(levels.feature_names)
    whole = levels.complete(missing=missing)
    groups = [whole.rows[whole.codes == i] for i in range(len(whole.names))]
    dropped = [int((levels.codes == i).sum()) - len(rows) for i, rows in enumerate(groups)]
    opened = [
        Group.of_rows(
            rows, name, levels.feature_names, whole.labels_of(whole.codes == i), asked.transform
        )
        for i, (rows, name) in enumerate(zip(groups, levels.names, strict=True))
    ]
    if len(groups) == 2:
        result = compare_two(opened[0], opened[1], asked)
        return _recorded(result, levels, (dropped[0], dropped[1]))
    for group in opened:
        with in_group(group.name):
            group.check_rows()
    _check_varies(opened, groups)
    within = standardized_within if asked.transform is None else scored_within
    pooled = within(whole.rows, whole.codes, len(groups))
    compared = []
    for i, one in enumerate(opened):
        rest = whole.codes != i
        labels = whole.labels_of(rest)
        others = Group.of_rows(pooled[rest], f"all but {one.name}", levels.feature_names, labels)
        two = measured_groups(one, others, asked.method)[0]
        compared.append(replace(two, second=without_order(two.second)))
    draws = asked.draws(lambda: groups)
    results = decide_differences(compared, asked.alpha, asked.correction, draws, asked.family)
    found = {}
    for i, (name, decided) in enumerate(zip(levels.names, results, strict=True)):
        result = asked.with_cautions(decided)
        found[name] = _recorded(
            result, levels, (dropped[i], sum(dropped) - dropped[i]), asked.transform
        )
        _tell_cautions(result)
    return EdgeDifferences(found)


def _check_varies(opened: Sequence[Group], groups: Sequence[FloatArray]) -> None:
    """Every column must vary within each level, which is scaled by itself."""
    for group, rows in zip(opened, groups, strict=True):
        constant = np.ptp(rows, axis=0) == 0
        if constant.any():
            name = group.feature_names[int(np.argmax(constant))]
            raise DataError(
                f"group {group.name!r}: column {name!r} is constant in it, so it has no "
                "correlations there; leave the column out (exclude=), or join levels."
            )


def _recorded(
    result: EdgeDifferenceResult,
    levels: Levels,
    dropped: tuple[int, int],
    transform: str | None = None,
) -> EdgeDifferenceResult:
    """The result with what only the levels know: their files, and the rows that were left out."""
    record: dict[str, Any] = {}
    if levels.n_without:
        record["rows_without_level"] = levels.n_without
    if levels.groups_name is not None:
        record["groups"] = levels.groups_name
    if transform is not None:
        record["transform"] = transform
    options, files = {**result.options, **record}, (levels.files, levels.files)
    return replace(result, n_dropped=dropped, options=options, files=files)


def _tell_cautions(result: EdgeDifferenceResult) -> None:
    """A warning for each caution that breaks the method's guarantee."""
    for caution in result.cautions:
        if getattr(caution, "breaks", False):
            warn(caution, BrokenAssumptionWarning)

"""`compare_groups`: which partial correlations differ between two groups of rows?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from edgewise._base.checks import check_choice, check_columns, check_flag
from edgewise.errors import ParameterError
from edgewise.inference.corrections import HOLM
from edgewise.inference.family import Family
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.questions.comparing import Asked, compare_levels, compare_two
from edgewise.questions.groups import Group, refuse_shared_rows
from edgewise.questions.levels import read_levels
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.differences import EdgeDifferences
from edgewise.rows.missing import missing_of, refuse_pairwise
from edgewise.rows.normal_scores import TRANSFORMS
from edgewise.rows.opening import on_cluster


@overload
def compare_groups(a: Any, b: Any, **asked: Any) -> EdgeDifferenceResult: ...
@overload
def compare_groups(a: Any, *, by: Any, **asked: Any) -> EdgeDifferenceResult | EdgeDifferences: ...
def compare_groups(
    a: Any,
    b: Any = None,
    *,
    by: Any = None,
    method: str | Method = "wald",
    alpha: float = 0.05,
    correction: str | None = HOLM,
    permutations: int | None = None,
    random_state: int = 0,
    group_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    missing: str = "raise",
    drop_missing: bool = False,
    given: str | Sequence[str] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    groups: Any = None,
    paired: bool = False,
    client: Any = None,
    transform: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> EdgeDifferenceResult | EdgeDifferences:
    r"""Test for every pair of variables whether its partial correlation differs between groups.

    H₀(i, j) is ρ^A_ij = ρ^B_ij, ρ the correlation of two variables given all others. The rows of
    the two groups must be independent: other subjects, other days. The statistic is

    .. math:: D = (z_A - z_B) / \sqrt{V_A + V_B}, \qquad z = \operatorname{atanh} \hat\rho,

    with the variance V that the method measures in each group, which is never below that of
    Gaussian rows. So neither the laws nor the numbers of rows of the groups need be equal.

    Parameters
    ----------
    a, b : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows of each group, as for `edge_test`. Columns are matched by name, in any order, and
        those of arrays by their place. Two `BatchMoments` states serve the method "batch".
    by : str or sequence, optional
        In place of `b`: the column of `a` that tells the groups apart, or a level for each row. The
        rows are read into memory. With more than two levels, each is compared with all the others
        pooled, after every level is centred and scaled by itself; the result is then an
        `EdgeDifferences`, and the correction is over all levels.
    method : str or Method
        How each group is measured: "wald" (sandwich standard errors; independent rows of any
        distribution with fourth moments), "batch" (jackknife over batches; one pass; rows may
        depend on the rows before them), "elliptical" or "fisher" (such rows only).
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How to account for testing many pairs. With permutations the default is "maxt": the largest
        statistic of all pairs is permuted, and then of those that are left.
    permutations : int, optional
        Take p-values from that many permutations of the labels (999 is usual) in place of Student's
        distribution: exact if the laws of the groups are equal, in the limit if only their partial
        correlations are. The rows are read into memory. With "wald" only.
    random_state : int
        Seed of the permutations.
    group_names : two str, optional
        The names of the groups in tables and messages; "a" and "b" by default. With `by` the levels
        are the names.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns : str or sequence of str, optional
        The columns to compare, by name; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out.
    missing : {"raise", "drop"}
        Refuse rows with NaN or infinite values, or without a level, or leave them out.
    drop_missing : bool
        The former way to say ``missing="drop"``.
    given : str or sequence of str, optional
        Columns to adjust for in both groups without testing them.
    pairs : sequence of pairs of str, optional
        The only pairs to test. With `given` or `pairs`, corrections count the tested pairs only.
    groups : str, or labels, optional
        Which rows belong together, such as those of a subject: a column of labels; with `by` also
        one label for each row; with `a` and `b` also a tuple of both groups' labels. Rows of a
        subject may then depend on each other. With "wald" only. No subject may be in both groups.
    paired : bool
        Whether each row of `a` belongs to a row of `b`, such as the same subject before and after.
        True is refused: there is no such test here.
    client : distributed.Client, optional
        A Dask cluster that reads the files.
    transform : {"normal-scores", None}
        Compare the normal scores of the columns, as in `edge_test`. Each group has its own ranks:
        its columns may have other units, skew and tails than those of the other group.
    progress : callable, optional
        Called with 1 after every permutation.
    **options
        Further options of the method, such as `n_batches` of "batch".

    Returns
    -------
    EdgeDifferenceResult or EdgeDifferences
        Which pairs differ, by how much, and a test that any differs; with more than two levels, a
        mapping of levels to such results.

    Warns
    -----
    BrokenAssumptionWarning
        If the data contradict what the method assumes; `result.cautions` says it too.

    Examples
    --------
    >>> import edgewise as ew
    >>> rows = {"weak": 0.1, "strong": 0.4}
    >>> weak, strong = (
    ...     ew.simulate.sample("t5", ew.simulate.make_chain_precision(4, -rho), 1000, rng=1)
    ...     for rho in rows.values()
    ... )
    >>> result = ew.compare_groups(weak, strong, group_names=list(rows))
    >>> sorted((pair.source, pair.target, round(pair.difference, 1)) for pair in result.edges())
    [('x0', 'x1', -0.3), ('x1', 'x2', -0.3), ('x2', 'x3', -0.3)]
    """
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    family = Family.checked(given, pairs, columns=columns, exclude=exclude)
    chosen = method_of(method, options, compare_groups)
    check_choice("transform", transform, TRANSFORMS)
    if transform is not None:
        chosen.check_transform()
    asked = Asked.checked(
        chosen, alpha, correction, permutations, random_state, progress, family, transform
    )
    if groups is not None:
        asked.check_groups()
    left_out = missing_of(missing, drop_missing)
    refuse_pairwise(left_out, "two groups")
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "missing": left_out,
        "client": client,
        "transform": transform,
    }
    if check_flag("paired", paired):
        raise ParameterError(
            "paired: expected False, got True; the test needs different subjects in both groups. "
            "For the same subjects before and after, test the changes: edge_test(after - before)."
        )
    if (by is None) == (b is None):
        raise ParameterError(
            "b, by: expected two groups, a and b, or one table and by=COLUMN that tells the groups "
            f"apart, got {'neither' if by is None else 'both'}."
        )
    if by is not None:
        if group_names is not None:
            raise ParameterError("group_names: with by the levels are the names; leave it out.")
        levels = read_levels(a, by, {**rows, "groups": groups})
        return compare_levels(levels, asked, missing=left_out)
    names = _two_names(group_names)
    refuse_shared_rows(a, b)
    opened = [
        Group.opened(data, name, {**rows, "groups": labels})
        for data, name, labels in zip((a, b), names, _labels_of_each(groups), strict=True)
    ]
    if asked.permutations is not None and (on_cluster(a, client) or on_cluster(b, client)):
        raise ParameterError(
            "permutations: expected with rows in this process, got rows on a cluster; leave "
            "permutations out."
        )
    return compare_two(opened[0], opened[1], asked)


def _labels_of_each(groups: Any) -> tuple[Any, Any]:
    """The column of labels of both groups, or the labels of each."""
    if groups is None or isinstance(groups, str):
        return groups, groups
    if not isinstance(groups, tuple | list) or len(groups) != 2:
        raise ParameterError(
            "groups: expected the name of a column, or a tuple of the labels of a and of b, got "
            f"{type(groups).__name__}; pass groups=(labels of a, labels of b)."
        )
    return groups[0], groups[1]


def _two_names(names: object) -> tuple[str, str]:
    """The names of the groups, which must differ."""
    if names is None:
        return "a", "b"
    given = check_columns("group_names", names) or ()
    if len(given) != 2 or given[0] == given[1]:
        raise ParameterError(f"group_names: expected two different names, got {names!r}.")
    return given[0], given[1]

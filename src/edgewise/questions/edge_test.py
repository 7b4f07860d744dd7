"""`edge_test`: from data to a decision in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from edgewise._base.checks import check_choice, check_columns
from edgewise._base.warn import warn
from edgewise.errors import BrokenAssumptionWarning, ParameterError
from edgewise.evidence.opening import open_evidence
from edgewise.inference.corrections import HOLM
from edgewise.inference.family import Family
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.sequential import ConfidenceSequence, Sequential
from edgewise.questions.budget import candidates, spend, started_clock
from edgewise.results.decide import decide
from edgewise.results.result import EdgeTestResult
from edgewise.rows.file_read import files_read
from edgewise.rows.grouping import GroupedTable
from edgewise.rows.missing import may_lack_values, missing_of
from edgewise.rows.normal_scores import transform_of
from edgewise.rows.opening import open_table
from edgewise.rows.weighting import WEIGHT_KINDS, WeightedTable
from edgewise.states.registry import as_state


def edge_test(
    data: Any,
    *,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = HOLM,
    min_effect: float = 0.0,
    effect_scale: str | None = None,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "raise",
    drop_missing: bool = False,
    budget: float | None = None,
    client: Any = None,
    groups: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | None = None,
    **options: Any,
) -> EdgeTestResult:
    r"""Test every pair of variables for an edge of the undirected graphical model.

    H₀(i, j) is Θ_ij = 0, Θ the inverse of the covariance matrix. For Gaussian data this is
    conditional independence given all other variables; otherwise it is zero partial
    correlation, that is, no linear association given the others.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows, a column for each variable: arrays, sparse matrices, mappings of columns, lists of
        records, frames of pandas and polars (also lazy), xarray, AnnData, database cursors,
        tensors, iterators of batches. A path may be that of a .csv, .tsv (also compressed),
        .parquet, .feather, .arrow, .npy, .npz, .xlsx or .jsonl file, of a folder or pattern of
        them, or of a state. edgewise works out how to read a file; `read_table` lets you say it. A
        `dask.array`, a `dask.dataframe` or a Spark data frame is worked on where its rows are. A
        `Moments` state serves the methods that need one pass ("trace", "spectral", "fisher"), a
        `BatchMoments` state "batch" and "fisher", a `PairwiseMoments` state "batch", a
        `ConcordanceMoments` state "kendall".
    method : str or Method
        The name of a method, or one with its options, as in ``ew.Batch(n_batches=50)``. Per edge,
        in the limit of many rows ("fisher": exactly), then corrected for their number:

        - "score": self-normalised, corrected for leverage, never below the Gaussian variance; any
          distribution with fourth moments, independent rows.
        - "nodewise": the same given the few columns that a lasso chooses for each pair; also with
          more columns than rows, if the graph is sparse.
        - "wald": sandwich standard errors; as "score", with many rows.
        - "batch": jackknife over batches; one pass; rows may depend on the rows before them.
        - "kendall": Kendall's τ, from the order of rows alone; any tails, no moments, elliptical
          copula; an increasing change of a column changes nothing.
        - "elliptical": kurtosis-corrected Fisher; elliptical distributions only.
        - "fisher": partial correlation; Gaussian data only.

        All entries at once, in the limit of many rows, for any distribution with fourth moments
        and independent rows:

        - "entrywise": each entry its own threshold, from a jackknife over batches; one pass; rows
          may depend on the rows before them.
        - "whitened": affine-invariant bound.
        - "spectral": the paper's bound without its sum over eigenvalues.
        - "trace": the threshold of Bounliphone & Blaschko [1]_, exactly; it needs many rows (an
          infinite threshold says how many).
        - "eig": their other threshold, smaller; for all entries at once a heuristic.
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How the per-edge methods account for testing many edges: "holm", "bonferroni" and "maxt"
        (with "batch" and "kendall": a multiplier bootstrap of the largest statistic) bound the
        probability of any false edge, "bh" and "by" the expected share of false edges. The bounds
        need none; giving one with them is an error.
    min_effect : float
        Declare an edge only where \|effect\| is above this value: H₀ is \|effect\| ≤ min_effect.
    effect_scale : {"partial_correlation", "precision", None}
        What `min_effect` is measured in; by default partial correlations, and for the paper's
        "trace" and "eig" entries of Θ, as in the paper.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns : str or sequence of str, optional
        The columns to test, by name; all by default. Those of an array are "x0", "x1", ….
    exclude : str or sequence of str, optional
        Columns to leave out, such as dates and labels.
    given : str or sequence of str, optional
        Columns to adjust for without testing them, such as age and sex. They stay in the model, as
        all columns do, but pairs with one of them are not tested: corrections, simultaneous
        intervals and "maxt" count the other pairs only. Estimates, statistics and p-values of those
        are the same as without it, except by "nodewise", which then adjusts every pair for them.
        A bound holds for all entries whatever is tested, so it stays as it is; only that of
        "entrywise" gets smaller. Choose `given` and `pairs` before you see the data that are
        tested.
    pairs : sequence of pairs of str, optional
        The only pairs to test, as in ``[("a", "b"), ("a", "c")]``, with all columns in the model. A
        pair that is there twice, in either order, counts once.
    missing : {"raise", "drop", "pairwise"}
        What to do with NaN and infinite values. "raise" refuses them, "drop" leaves out their rows.
        "pairwise" takes each entry of the covariance from the rows that have both columns: right if
        values are missing completely at random, that is, for reasons that have nothing to do with
        the values. For "score", "wald" and "batch". `result.pair_rows` says how many rows each pair
        has, `result.n_missing` what each column lacks. If values are missing for other reasons that
        the data show, fill them in several times and use `pool`.
    drop_missing : bool
        The former way to say ``missing="drop"``.
    budget : float, optional
        Seconds to spend, from the call on; loading SciPy, once in a process, is not counted. Both
        "trace" and "eig" are tried on a few rows. The one that promises the smaller threshold (or
        the one of the two that `method` names) then gets as many rows as the time allows, in runs
        spread evenly over all of them. `result.options["sampling"]` says what was read. If the
        rows end first, all of them are used.
    client : distributed.Client, optional
        A Dask cluster that reads the files in `data`, one task per file, or that works on a
        `dask.array` or `dask.dataframe`. By default these use the scheduler that Dask is set to.
    groups : str or array-like, optional
        Which rows belong together, such as all of a subject or of a site: the name of a column of
        labels (text or whole numbers), which is read along and is not a variable, or one label for
        each row. Rows of a group may depend on each other, groups may not. For "score" and "wald",
        with 20 groups or more.
    weights : str or array-like, optional
        How much each row counts: the name of a column, which is read along and is not a variable,
        or one number for each row. For "score", "wald" and "batch".
    weight_kind : {"sampling", "frequency"}
        "sampling": rows were sampled with different probabilities, and a weight is one over such a
        probability, up to a factor. Estimates are those of the population, and errors allow for the
        weights. "frequency": a weight is a whole number, and the row was seen that often. This is
        the same as repeating rows, for all methods, and takes as long.
    transform : {"normal-scores", None}
        Test the normal scores Φ⁻¹(rank/(n + 1)) of each column, equal values with the average of
        their ranks, in place of the values. Then units, skew and the tails of single columns do
        not matter. Partial correlations are those of the scores. That is right in the limit if the
        rows are Gaussian up to an increasing change of each column, and nearly right elsewhere: on
        a chain of t₃, pairs without an edge have partial correlations of the scores of 0.004. For
        the per-edge methods except "sequential". The rows are gathered in memory to be ranked: of
        files up to 1 GB of numbers, on a cluster 128 MB; `method="kendall"` has no such limit.
    **options
        Further options of the method:

        - "nodewise": `penalty` (1.25, in units of √(2 log(p/√n)/n): a smaller one chooses more
          columns), `max_neighbours` (the most that a column keeps; one for eight rows).
          `result.selection` says what was chosen.
        - "trace", "eig": `mu` (the paper's constant, 1.0), `standardize` (divide the columns by
          their standard deviations first, False).
        - "eig": `solver` ("auto"): "full" builds the covariance matrix of all entries of Σ̂, with
          p⁴/4 entries of its own; "matrix-free" only multiplies with it, and adds the residual
          of its largest eigenvalue to it. The result records which, in how many passes over the
          rows (`iterations`) and how much was added, relative to the eigenvalue (`width`).
        - "spectral": `radius`, `support`, `outside`, `standardize`, `solver`; "whitened": `radius`,
          `support`, `outside`, `kurtosis`, `solver`. The radius is "trace", "chi2" (sharper) or
          "eig". Some radii hold for every number of rows: "hoeffding" and "bernstein" (far
          sharper), with the columns' `support` declared (one interval, or one for each column);
          and "chebyshev" of "whitened", with `kurtosis` declared (the most it can be, 1 for
          Gaussian rows). With `outside`, a share of rows (0.0), rows outside the support are left
          out and counted instead of refused.
        - "kendall": `n_batches` (single rows while they are few, later 100: at least that many
          batches of rows are left out in turn; given, they allow for rows that depend on the rows
          before them), `random_state` (0, of the bootstrap), `radius` ("hoeffding": a bound on all
          entries at once, for every number of rows and any tails).
        - "batch", "entrywise": `n_batches` (at least that many and less than twice as many; 100,
          with p > 160 columns 16,000/p but at least 16, and fewer where batches would be very
          short), `random_state` (0, of the bootstrap).

    Returns
    -------
    EdgeTestResult
        The edges, and what they were decided from: estimates, statistics, p-values, thresholds.

    Warns
    -----
    BrokenAssumptionWarning
        If the data contradict what the method assumes. `result.cautions` holds the same sentence,
        and others that concern only power or meaning.

    References
    ----------
    .. [1] W. Bounliphone and M. Blaschko, "A U-statistic Approach to Hypothesis Testing for
       Structure Discovery in Undirected Graphical Models", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.standard_t(5, (3, 2000))
    >>> result = ew.edge_test(np.column_stack([a, a + b, a + b + c]))
    >>> [(edge.source, edge.target) for edge in result.edges()]
    [('x1', 'x2'), ('x0', 'x1')]

    The 20 returns, adjusted for those of two oil companies, which are not tested themselves:

    >>> returns = ew.datasets.load_sp500_returns()
    >>> oil = ew.edge_test(returns, given=["CVX", "XOM"], method="batch")
    >>> print(oil.headline()[:75])
    40 of 153 possible edges among 18 variables, adjusted for CVX and XOM, from

    Concentrations of proteins in cells, which are very skewed, by their ranks:

    >>> cells = ew.edge_test(ew.datasets.load_sachs(), transform="normal-scores")
    >>> print(cells.headline()[:66])
    44 of 55 possible edges among 11 variables, of normal scores, from
    """
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "missing": missing_of(missing, drop_missing),
        "client": client,
        "groups": groups,
        "weights": weights,
        "weight_kind": weight_kind,
        "transform": transform,
    }
    check_choice("weight_kind", weight_kind, WEIGHT_KINDS)
    family = Family.checked(given, pairs, columns=columns, exclude=exclude)
    asked = alpha, correction, min_effect, effect_scale, family
    state, grouped = as_state(data), groups is not None or isinstance(data, GroupedTable)
    transformed = transform is not None or transform_of(data) is not None
    if budget is not None:
        if state is not None:
            raise ParameterError("budget: expected with rows only, got a state, which has no rows.")
        if grouped:
            raise ParameterError(
                "budget: expected without groups, got both; leave one of the two out."
            )
        if transformed:
            raise ParameterError(
                "budget: expected without transform, got both; the bounds that it chooses from are "
                "not known for ranks. Leave one of the two out."
            )
        _refuse_uneven(data, rows)
        able = candidates(method, options, edge_test)
        question = able[0].question(*asked)
        clock = started_clock(budget)
        table = open_table(data, **rows)
        family.tested(table.feature_names)
        spent = spend(table, clock, able, question.alpha)
        result = _decided(spent.measurement, question)
        options = {**result.options, **spent.record()}
        return replace(result, options=options, files=files_read(table))
    chosen = method_of(method, options, edge_test)
    if grouped:
        chosen.check_groups()
    if transformed:
        chosen.check_transform()
    chosen.check_uneven(**_uneven(data, rows))
    if isinstance(state, ConfidenceSequence):
        chosen, state = _of_sequence(chosen, state), state.state
    question = chosen.question(*asked)
    return measured_and_decided(data if state is None else state, chosen, question, **rows)[1]


def _uneven(data: Any, rows: dict[str, Any]) -> dict[str, bool]:
    """Whether rows may lack values, and whether they count differently."""
    sampling = rows["weights"] is not None and rows["weight_kind"] != "frequency"
    return {
        "missing": rows["missing"] == "pairwise" or may_lack_values(data),
        "weights": sampling or isinstance(data, WeightedTable),
    }


def _refuse_uneven(data: Any, rows: dict[str, Any]) -> None:
    for argument, uneven in _uneven(data, rows).items():
        if uneven:
            what = {"missing": "missing='pairwise'", "weights": "weights"}[argument]
            raise ParameterError(
                f"budget: expected without {what}, got both; the bounds that it chooses from need "
                "complete rows that count the same. Leave one of the two out."
            )


def measured_and_decided(
    data: Any, method: Method, question: Question, **rows: Any
) -> tuple[Measurement, EdgeTestResult]:
    """What the method measured in the data, and the result; `rows` says which to read, and how."""
    evidence = open_evidence(
        data,
        method.needs,
        f"method {method.name!r}",
        check_names_of=question.family.tested,
        **rows,
    )
    if evidence.uneven is not None:
        method.check_uneven(missing=True, weights=evidence.uneven.weighted)
    if question.family.given:
        evidence = replace(evidence, given=question.family.given)
    measurement = method.measure(evidence)
    return measurement, _decided(measurement, question)


def _decided(measurement: Measurement, question: Question) -> EdgeTestResult:
    """The result; a warning for each caution that breaks the method's guarantee."""
    for caution in measurement.cautions:
        if caution.breaks:
            warn(caution, BrokenAssumptionWarning)
    return decide(measurement, question)


def _of_sequence(chosen: Method, sequence: ConfidenceSequence) -> Method:
    """Refuse other methods for a confidence sequence, which has its own test and tuning."""
    if not isinstance(chosen, Sequential):
        raise ParameterError(
            f"method: expected 'sequential' for a ConfidenceSequence, got {chosen.name!r}; its "
            "result() holds at every look. For a test at a fixed number of rows pass its .state."
        )
    return sequence.method()

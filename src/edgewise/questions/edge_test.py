"""`edge_test`: from data to a decision in one call."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from edgewise._base.checks import (
    check_alpha,
    check_choice,
    check_columns,
    check_names,
    check_options,
    check_testable_shape,
    default_names,
)
from edgewise.errors import DataError, ParameterError
from edgewise.inference.corrections import CORRECTIONS
from edgewise.inference.effect import MinEffect
from edgewise.methods.batch import DEFAULT_BATCHES
from edgewise.methods.method import Evidence, Method, Question
from edgewise.methods.registry import METHODS
from edgewise.methods.sequential import ConfidenceSequence
from edgewise.questions.budget import BUDGET_METHODS, plan_budget
from edgewise.results.result import EdgeTestResult
from edgewise.rows.block import Rows
from edgewise.rows.clusters.detect import partitioned_source
from edgewise.rows.clusters.partitioned import PartitionedSource
from edgewise.rows.opening import as_source
from edgewise.rows.passes import Scan
from edgewise.rows.table import Source, in_memory
from edgewise.rows.views import FiniteRows, RenamedColumns
from edgewise.states.batches import BatchMoments
from edgewise.states.file_format import is_state_file
from edgewise.states.first_pass import read_once
from edgewise.states.moments import Moments
from edgewise.states.registry import load_state


def edge_test(
    data: Any,
    *,
    method: str = "score",
    alpha: float = 0.05,
    correction: str | None = "holm",
    min_effect: float = 0.0,
    effect_scale: str | None = None,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    budget: float | None = None,
    client: Any = None,
    **options: Any,
) -> EdgeTestResult:
    r"""Test every pair of variables for an edge of the undirected graphical model.

    H₀(i, j) is Θ_ij = 0, Θ the inverse of the covariance matrix. For Gaussian data this is
    conditional independence given all other variables; otherwise it is zero partial
    correlation, that is, no linear association given the others.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows, a column for each variable. A path may be that of a .csv (also compressed),
        .parquet, .feather, .arrow or .npy file, of a folder or pattern of them, or of a state. A
        `dask.array`, a `dask.dataframe` or a Spark data frame is worked on where its rows are. A
        `Moments` state serves the methods that need one pass ("trace", "spectral", "fisher"), a
        `BatchMoments` state "batch" and "fisher".
    method : str
        Per edge, in the limit of many rows ("fisher": exactly), then corrected for their number:

        - "score": self-normalised; any distribution with fourth moments, independent rows. Have
          50 rows for each column, and more with heavy tails: with fewer its p-values are too small.
        - "wald": sandwich standard errors; the same, but still more liberal with few rows.
        - "batch": batch means; one pass; rows may depend on the rows before them.
        - "elliptical": kurtosis-corrected Fisher; elliptical distributions only.
        - "fisher": partial correlation; Gaussian data only.

        All entries at once, in the limit of many rows, for any distribution with fourth moments
        and independent rows:

        - "whitened": affine-invariant bound.
        - "spectral": the paper's bound without its sum over eigenvalues.
        - "trace": the threshold of Bounliphone & Blaschko [1]_, exactly; it needs many rows (an
          infinite threshold says how many).
        - "eig": their other threshold, smaller; for all entries at once a heuristic.
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How the per-edge methods account for testing many edges: "holm", "bonferroni" and "maxt"
        (with "batch": a multiplier bootstrap of the largest statistic) bound the probability of
        any false edge, "bh" and "by" the expected share of false edges. The bounds need none and
        ignore it.
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
    drop_missing : bool
        Leave out rows with NaN or infinite values instead of refusing them.
    budget : float, optional
        Seconds to spend. Reads only as many rows as that allows, an even sample of all rows, and
        uses whichever of "trace" and "eig" then has the smaller threshold (or the one of the two
        that `method` names); `result.options` says what was read.
    client : distributed.Client, optional
        A Dask cluster that reads the files that `data` names, one task a file, or that works on a
        `dask.array` or `dask.dataframe`; by default these use whatever Dask is set to.
    **options
        Further options of the method:

        - "trace", "eig": `mu` (the paper's constant, 1.0), `standardize` (divide the columns by
          their standard deviations first, False).
        - "eig": `solver` ("auto"): "full" builds the covariance matrix of all entries of Σ̂, with
          p⁴/4 entries of its own; "matrix-free" only multiplies with it, and adds the residual
          of its largest eigenvalue to it. The result records which, in how many passes over the
          rows (`iterations`) and how much was added, relative to the eigenvalue (`width`).
        - "spectral": `radius`, `support`, `standardize`, `solver`; "whitened": `radius`, `support`,
          `solver`. The radius is "trace", "chi2" (sharper), "eig" or, with the columns' `support`
          (one interval, or one for each column) declared, "hoeffding", which holds for every number
          of rows.
        - "batch": `n_batches` (at least that many and less than twice as many; 100, but fewer where
          batches would be very short), `random_state` (0, of "maxt").

    Returns
    -------
    EdgeTestResult
        The edges, and what they were decided from: estimates, statistics, p-values, thresholds.

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
    """
    check_choice("method", method, tuple(METHODS))
    alpha = check_alpha(alpha)
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    check_choice("correction", correction, CORRECTIONS)
    chosen = METHODS[method]
    if correction == "maxt" and not (chosen.simultaneous or method == "batch"):
        raise ParameterError(
            f"correction: 'maxt' resamples batches of rows, which method {method!r} does not keep; "
            "use method='batch', or correction='holm'."
        )
    if budget is not None and method not in BUDGET_METHODS:
        raise ParameterError(
            f"budget: it chooses between the methods 'trace' and 'eig', got method={method!r}; "
            "leave method out, or name one of the two."
        )
    known = chosen.options if budget is None else METHODS["trace"].options
    check_options(method, options, known)
    effect = MinEffect.checked(min_effect, effect_scale, chosen.effect_scale)
    question = Question(alpha, correction, effect)
    if isinstance(data, str | os.PathLike) and is_state_file(data):
        data = load_state(data)
    if isinstance(data, ConfidenceSequence):
        data = data.state
    if isinstance(data, Moments | BatchMoments):
        given = (budget, columns, exclude, client)
        if drop_missing or any(argument is not None for argument in given):
            raise ParameterError(
                "budget, columns, exclude, drop_missing, client: expected with rows only, got a "
                "state, whose rows are gone."
            )
        own = data.feature_names or default_names(data.n_features or 0)
        names = own if feature_names is None else feature_names
        evidence = Evidence(data, None, check_names(names, data.n_features))
        return chosen.run(evidence, question, **options)
    distant = partitioned_source(data, client=client, columns=columns, exclude=exclude)
    if distant is not None:
        if budget is not None:
            raise ParameterError(
                "budget: expected with rows that are here, got rows on a cluster; leave it out."
            )
        if drop_missing:
            distant = distant.without_missing()
        evidence = _distant_evidence(distant, chosen, options, feature_names)
        result = chosen.run(evidence, question, **options)
        return replace(result, n_dropped=distant.n_dropped)
    source = as_source(data, columns=columns, exclude=exclude)
    if feature_names is not None:
        source = RenamedColumns(source, check_names(feature_names, len(source.feature_names)))
    if drop_missing:
        source = FiniteRows(source)
    if budget is not None:
        plan = plan_budget(source, budget, method, question)
        chosen, source = METHODS[plan.method], plan.source
    if chosen.reads_twice(options) and not source.rescannable:
        raise DataError(
            f"data: method {chosen.name!r} reads the rows twice, and this stream can be read only "
            "once; use method='batch', or write the rows to a Parquet file first."
        )
    result = chosen.run(_evidence(source, chosen, options), question, **options)
    if isinstance(source, FiniteRows) and source.n_dropped:
        result = replace(result, n_dropped=source.n_dropped)
    if budget is not None:
        result = replace(result, options={**result.options, **plan.record()})
    return result


def _evidence(source: Source, method: Method, options: dict[str, Any]) -> Evidence:
    """The first pass, of the kind that the method works from."""
    state = read_once(source, **_first_pass_of(method, options))
    check_testable_shape(state.n_samples, len(source.feature_names))
    scan = _same_rows_again(source, state.n_samples) if source.rescannable else None
    return Evidence(state, scan, source.feature_names, in_memory(source))


def _distant_evidence(
    source: PartitionedSource,
    method: Method,
    options: dict[str, Any],
    feature_names: Sequence[str] | None,
) -> Evidence:
    """The same where the rows are elsewhere: the passes go to them."""
    p = len(source.feature_names)
    names = source.feature_names if feature_names is None else check_names(feature_names, p)
    state = source.accumulate(**_first_pass_of(method, options))
    check_testable_shape(state.n_samples, p)
    return Evidence(state, source.rows(state.n_samples), names, in_memory=False)


def _first_pass_of(method: Method, options: dict[str, Any]) -> dict[str, Any]:
    """What the first pass must keep."""
    if method.order:
        return {"order": method.order}
    n_batches = options.get("n_batches")
    return {"n_batches": DEFAULT_BATCHES if n_batches is None else n_batches}


def _same_rows_again(source: Source, n_samples: int) -> Scan:
    """Further passes, which must see as many rows as the first one."""

    def scan() -> Iterator[Rows]:
        rows = 0
        for batch in source.batches():
            rows += batch.shape[0]
            yield batch
        if rows != n_samples:
            raise DataError(
                f"data: the first pass read {n_samples} rows, the second {rows}; the data changed "
                "in between or can be read only once. Use method='batch', which reads them once."
            )

    return scan

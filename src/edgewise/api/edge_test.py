"""`edge_test`: from data to a decision in one call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from edgewise._checks import check_choice, check_columns
from edgewise.api.confidence_sequence import ConfidenceSequence
from edgewise.errors import BrokenAssumptionWarning, ParameterError, warn
from edgewise.inference.corrections import adjust
from edgewise.inference.decide import decision
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.inference.sample import open_sample
from edgewise.methods.auto import Auto
from edgewise.methods.method import Feature, Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.sequential import Sequential
from edgewise.results.result import EdgeTestResult, LaggedEdge, decide
from edgewise.results.summary import missing_value_notes
from edgewise.sums.save import as_state
from edgewise.tables.categories import category_note, indicators_in
from edgewise.tables.open import as_table
from edgewise.tables.options import MISSING, NORMAL_SCORES, check_lags, options_of, view
from edgewise.tables.table import Table


def edge_test(
    data: Any,
    *,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = "holm",
    min_effect: float = 0.0,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "auto",
    clusters: Any = None,
    weights: Any = None,
    transform: str | None = None,
    **options: Any,
) -> EdgeTestResult:
    r"""Test every pair of variables for an edge of the undirected graphical model.

    H₀(i, j) is Θ_ij = 0, Θ the inverse of the covariance matrix: zero partial correlation given all
    others, which for Gaussian data is conditional independence.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows, with a column for each variable; `open_table` says how to read them. Or what
        `accumulate` made of them.
    method : str or Method
        A name, or a method with its options, as in ``ew.methods.Batch(n_batches=50)``. By default
        "auto" chooses among "score", "batch" and "nodewise"; `result.why` says why. Edge by edge:
        "score", "wald", "nodewise" (also more columns than rows), "batch" (rows may depend on
        the rows before them), "kendall" (any tails), and the baselines "elliptical" and "fisher".
        All entries at once: "entrywise", "whitened", "spectral", and the paper's "trace" and
        "eig" (a heuristic).
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How the per-edge methods account for testing many edges: "holm", "bonferroni" and "maxt" (of
        "batch" and "kendall") bound the probability of any false edge, "bh" and "by" the expected
        share of false edges. Bounds need none.
    min_effect : float
        Declare an edge only where the partial correlation (for "trace" and "eig", Θ) is larger.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns, exclude : str or sequence of str, optional
        The columns to use, by name ("x0", "x1", … for an array); columns to leave out.
    given : str or sequence of str, optional
        Columns to adjust for without testing their pairs, such as age and sex. Choose them, and
        `pairs`, before you see the data.
    pairs : iterable of pairs of str, optional
        The only pairs to test; all columns stay in the model.
    missing : {"auto", "drop", "pairwise", "raise"}
        Where values are missing or infinite: leave out their rows, take each entry of the
        covariance from the rows that have both columns (right if they are missing completely at
        random), or refuse. "auto" is pairwise where the method can, with a note; see also `pool`.
    clusters : str or array-like, optional
        Which rows belong together, such as those of a subject: a column of labels, or a label for
        each row. For "score" and "wald", with 20 clusters or more.
    weights : str or array-like, optional
        How much each row counts: a column, or a number for each row. See also `open_table`.
    transform : {"normal-scores", "diff", "log-diff", None}
        Test Φ⁻¹(rank/(n + 1)) of each column; or the differences of consecutive rows (with
        `clusters` those of the same one), or of their logarithms.
    **options
        Options of the method; see its class, such as `edgewise.methods.Batch`.

    Returns
    -------
    EdgeTestResult
        The edges, and what they were decided from: estimates, statistics, p-values, thresholds.

    Examples
    --------
    >>> import edgewise as ew
    >>> oil = ew.edge_test(ew.datasets.load_sp500_returns(), given=["CVX", "XOM"], method="batch")
    >>> print(oil.headline()[:75])
    40 of 153 possible edges among 18 variables, adjusted for CVX and XOM, from
    """
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    return measured_and_decided(
        data,
        method_of(method, options, edge_test),
        alpha=alpha,
        correction=correction,
        min_effect=min_effect,
        given=given,
        pairs=pairs,
        feature_names=feature_names,
        columns=columns,
        exclude=exclude,
        missing=missing,
        clusters=clusters,
        weights=weights,
        transform=transform,
    )[1]


def measured_and_decided(
    data: Any,
    method: Method,
    *,
    alpha: object,
    correction: object,
    min_effect: object = 0.0,
    given: object = None,
    pairs: object = None,
    leave_out: bool = True,
    **rows: Any,
) -> tuple[Measurement, EdgeTestResult]:
    """What the method measured, and the result; `rows` says which rows to read, and how."""
    read, state = options_of(data), as_state(data)
    check_choice("missing", rows.get("missing", "auto"), MISSING)
    if rows.get("clusters") is not None or read.clusters:
        method.check_supports("clusters")
    if NORMAL_SCORES in (rows.get("transform"), read.transform):
        method.check_supports("transform")
    if rows.get("weights") is not None or read.weights:
        method.check_supports("weights")
    if "pairwise" in (rows.get("missing"), read.missing):
        method.check_supports("missing")
    if isinstance(state, ConfidenceSequence):
        if not isinstance(method, Sequential | Auto):
            raise ParameterError(
                f"method: expected 'sequential' for a ConfidenceSequence, got {method.name!r}; its "
                "result() holds at every look. For a test at a fixed number of rows pass its "
                ".state."
            )
        method, state = state.method(), state.state
    question = method.question(alpha, correction, min_effect, given=given, pairs=pairs)
    lags, indicators, table = getattr(method, "lags", 0), dict[str, list[str]](), None
    if state is not None and lags:
        raise ParameterError("lags: expected rows, got a state, which has none.")
    if state is None and (lags or question.given):
        data = table = as_table(data, given=question.given, **rows)
        own = table.feature_names
        indicators = indicators_in(own, question.given)
        expanded = [one for name in question.given for one in indicators.get(name, [name])]
        if lags:  # those of covariates, such as the age of a subject, may not change
            past = tuple(place for place, name in enumerate(own) if name not in expanded)
            data = table = view(table, lags=lags, past=past)
            check_lags(options_of(table))
        question = replace(question, given=(*expanded, *table.feature_names[len(own) :]))
        leave_out &= not lags and rows.get("columns") is None
        rows = {"missing": rows.get("missing", "auto")}
    sample = open_sample(
        data if state is None else state,
        method.needs,
        f"method {method.name!r}",
        check_names_of=question.tested,
        pairwise="missing" in method.supports,
        leave_out=leave_out,
        **rows,
    )
    if sample.pairwise is not None:  # a state may be of such rows
        method.check_supports("weights" if sample.pairwise.weighted else "missing")
    if question.given:
        sample = replace(sample, given=question.given)
    resampled: tuple[Feature, ...] = ("maxt",) if question.correction == "maxt" else ()
    method, sample = method.resolved(sample, *resampled)
    measurement = method.measure(sample)
    notes = (category_note(indicators),) if indicators else ()
    result = decided(measurement, question, (*sample.notes, *notes))
    if table is not None and lags:
        alone = replace(method, lags=0)  # type: ignore[call-arg]
        result = replace(result, lagged=_lagged(table, alone, own, past, question))
    return measurement, result


def _lagged(
    table: Table, method: Method, own: Sequence[str], places: Sequence[int], question: Question
) -> tuple[LaggedEdge, ...]:
    """Each column of the rows before and each of now, given all others of the rows before.

    `places` are those of the tested columns; the others are given as they are now.
    """
    tested = [own[place] for place in places]
    covariates = tuple(place for place in range(len(own)) if place not in places)
    found = []
    for target, place in zip(tested, places, strict=True):
        now = view(table, now=(place, *covariates))
        first = 1 + len(covariates)
        pairs = [(name, target) for name in now.feature_names[first:]]
        sample = open_sample(
            now,
            method.needs,
            f"method {method.name!r}",
            missing=options_of(table).missing,
            pairwise="missing" in method.supports,
        )
        measured = method.measure(replace(sample, lags=0))
        result = decide(measured, method.question(question.alpha, None, pairs=pairs))
        for k in range(len(pairs)):
            lag, source = divmod(k, len(tested))
            rho, log = result.partial_correlation[0, first + k], result.log_pvalue[0, first + k]
            found.append((tested[source], target, lag + 1, float(rho), float(log)))
    log_p = np.array([one[-1] for one in found])
    adjusted = adjust(log_p, "holm" if question.correction == "maxt" else question.correction)
    level = math.log(question.alpha)
    edges = [
        LaggedEdge(a, b, lag, rho, math.exp(log), math.exp(all_), bool(all_ <= level))
        for (a, b, lag, rho, log), all_ in zip(found, adjusted, strict=True)
    ]
    return tuple(sorted(edges, key=lambda edge: (edge.pvalue, -abs(edge.partial_correlation))))


def decided(
    measurement: Measurement, question: Question, notes: tuple[str, ...] = ()
) -> EdgeTestResult:
    """The result; a warning for each caution that breaks the method's guarantee."""
    for caution in measurement.cautions:
        if caution.breaks:
            warn(caution, BrokenAssumptionWarning)
    result = EdgeTestResult(question, *decision(measurement, question), notes)
    rows = measurement.provenance
    if rows.n_dropped or rows.pair_rows is not None or rows.effective_rows is not None:
        result = replace(result, notes=(*notes, *missing_value_notes(result)))
    return result

"""`edge_test`: from data to a decision in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from edgewise._checks import check_choice, check_columns
from edgewise.api.confidence_sequence import ConfidenceSequence
from edgewise.errors import BrokenAssumptionWarning, ParameterError, warn
from edgewise.inference.measurement import Measurement
from edgewise.inference.open_sample import open_evidence
from edgewise.inference.question import Question
from edgewise.methods.auto import Auto
from edgewise.methods.method import Feature, Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.sequential import Sequential
from edgewise.results.decide import decide
from edgewise.results.result import EdgeTestResult
from edgewise.sums.save import as_state
from edgewise.tables.options import MISSING, WEIGHT_KINDS, options_of


def edge_test(
    data: Any,
    *,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = "holm",
    min_effect: float = 0.0,
    effect_scale: str | None = None,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "raise",
    client: Any = None,
    clusters: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | None = None,
    **options: Any,
) -> EdgeTestResult:
    r"""Test every pair of variables for an edge of the undirected graphical model.

    H₀(i, j) is Θ_ij = 0, Θ the inverse of the covariance matrix: zero partial correlation given all
    others, which for Gaussian data is conditional independence.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows, a column for each variable: arrays, frames, mappings of columns, iterators of
        batches, Dask and Spark, files and folders of files (`open_table` says how to read them), or
        a saved state. Methods that need one pass take a state: `Moments` serves "trace", "spectral"
        and "fisher", `BatchMoments` "batch" and "fisher", `PairwiseMoments` "batch",
        `ConcordanceMoments` "kendall".
    method : str or Method
        The name of a method, or one with its options, as in ``ew.methods.Batch(n_batches=50)``. By
        default "auto": "score", or, where rows depend on the rows before them, "batch", or, with
        few rows for the columns, "nodewise"; `result.why` says why. Per edge, for independent rows of any distribution with fourth moments: "score" (leverage-corrected),
        "wald" (sandwich), "nodewise" (also more columns than rows, sparse graphs); "batch"
        (jackknife over batches; rows may depend on the rows before them), "kendall" (Kendall's τ;
        any tails), "elliptical" and "fisher" (such rows only). All entries at once: "entrywise",
        "whitened", "spectral", and the paper's [1]_ "trace" and "eig" (a heuristic).
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How the per-edge methods account for testing many edges: "holm", "bonferroni" and "maxt" (of
        "batch" and "kendall") bound the probability of any false edge, "bh" and "by" the expected
        share of false edges. The bounds need none.
    min_effect : float
        Declare an edge only where \|effect\| is above this value: H₀ is \|effect\| ≤ min_effect.
    effect_scale : {"partial_correlation", "precision", None}
        What `min_effect` is measured in; by default partial correlations, for "trace" and "eig" Θ.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns : str or sequence of str, optional
        The columns to test, by name; all by default. Those of an array are "x0", "x1", ….
    exclude : str or sequence of str, optional
        Columns to leave out, such as dates and labels.
    given : str or sequence of str, optional
        Columns to adjust for without testing their pairs, such as age and sex; choose them, and
        `pairs`, before you see the data.
    pairs : sequence of pairs of str, optional
        The only pairs to test, with all columns in the model.
    missing : {"raise", "drop", "pairwise"}
        Refuse NaN and infinite values, leave out their rows, or take each entry of the covariance
        from the rows that have both columns (for "score", "wald" and "batch"; right if values are
        missing completely at random). Otherwise impute several times and use `pool`.
    client : distributed.Client, optional
        A Dask cluster that reads the files, or works on the data of Dask.
    clusters : str or array-like, optional
        Which rows belong together, such as those of a subject: a column of labels, or a label for
        each row. Rows of a group may depend on each other. For "score" and "wald", with 20 clusters
        or more.
    weights : str or array-like, optional
        How much each row counts: a column, or a number for each row. For "score", "wald" and
        "batch".
    weight_kind : {"sampling", "frequency"}
        Whether weights are inverse probabilities of sampling, or say how often a row was seen.
    transform : {"normal-scores", None}
        Test the normal scores Φ⁻¹(rank/(n + 1)) of each column in place of its values: right in the
        limit if rows are Gaussian up to an increasing change of each column. For per-edge methods
        except "sequential".
    **options
        Options of the method; see its class, such as `edgewise.methods.Batch`.

    Returns
    -------
    EdgeTestResult
        The edges, and what they were decided from: estimates, statistics, p-values, thresholds.

    Warns
    -----
    BrokenAssumptionWarning
        If the data contradict what the method assumes; `result.cautions` says it too.

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
    >>> oil = ew.edge_test(ew.datasets.load_sp500_returns(), given=["CVX", "XOM"], method="batch")
    >>> print(oil.headline()[:75])
    40 of 153 possible edges among 18 variables, adjusted for CVX and XOM, from
    """
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "missing": missing,
        "client": client,
        "clusters": clusters,
        "weights": weights,
        "weight_kind": weight_kind,
        "transform": transform,
    }
    check_choice("missing", missing, MISSING)
    check_choice("weight_kind", weight_kind, WEIGHT_KINDS)
    family = {"given": given, "pairs": pairs, "columns": columns, "exclude": exclude}
    state, grouped = as_state(data), clusters is not None or options_of(data).clusters
    chosen = method_of(method, options, edge_test)
    if grouped:
        chosen.check_supports("clusters")
    if transform is not None or options_of(data).transform is not None:
        chosen.check_supports("transform")
    chosen.check_supports(*_incomplete_or_weighted(data, rows))
    if isinstance(state, ConfidenceSequence):
        chosen, state = _of_sequence(chosen, state), state.state
    question = chosen.question(alpha, correction, min_effect, effect_scale, **family)
    return measured_and_decided(data if state is None else state, chosen, question, **rows)[1]


def _incomplete_or_weighted(data: Any, rows: dict[str, Any]) -> list[Feature]:
    """Whether rows may have weights, and may lack values."""
    features: list[Feature] = []
    sampling = rows["weights"] is not None and rows["weight_kind"] != "frequency"
    if sampling or options_of(data).weights == "sampling":
        features.append("weights")
    if "pairwise" in (rows["missing"], options_of(data).missing):
        features.append("missing")
    return features


def measured_and_decided(
    data: Any, method: Method, question: Question, **rows: Any
) -> tuple[Measurement, EdgeTestResult]:
    """What the method measured in the data, and the result; `rows` says which to read, and how."""
    evidence = open_evidence(
        data,
        method.needs,
        f"method {method.name!r}",
        check_names_of=question.tested,
        **rows,
    )
    if evidence.uneven is not None:
        method.check_supports("weights" if evidence.uneven.weighted else "missing")
    if question.given:
        evidence = replace(evidence, given=question.given)
    resampled: tuple[Feature, ...] = ("maxt",) if question.correction == "maxt" else ()
    method, evidence = method.resolved(evidence, *resampled)
    measurement = method.measure(evidence)
    return measurement, decided(measurement, question)


def decided(measurement: Measurement, question: Question) -> EdgeTestResult:
    """The result; a warning for each caution that breaks the method's guarantee."""
    for caution in measurement.cautions:
        if caution.breaks:
            warn(caution, BrokenAssumptionWarning)
    return decide(measurement, question)


def _of_sequence(chosen: Method, sequence: ConfidenceSequence) -> Method:
    """Refuse other methods for a confidence sequence, which has its own test and tuning."""
    if not isinstance(chosen, Sequential | Auto):
        raise ParameterError(
            f"method: expected 'sequential' for a ConfidenceSequence, got {chosen.name!r}; its "
            "result() holds at every look. For a test at a fixed number of rows pass its .state."
        )
    return sequence.method()

"""`edge_test` and `accumulate`: from data to a decision in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from edgewise._validation import (
    check_alpha,
    check_choice,
    check_options,
    check_testable_shape,
    default_names,
    nonfinite_counts,
    nonfinite_message,
)
from edgewise.edges.families import CORRECTIONS
from edgewise.edges.method import Evidence
from edgewise.edges.registry import METHODS
from edgewise.edges.result import EdgeTestResult
from edgewise.errors import NonFiniteError
from edgewise.moments.moments import Moments
from edgewise.sources.detect import as_source
from edgewise.sources.source import FiniteRows


def edge_test(
    data: Any,
    *,
    method: str = "score",
    alpha: float = 0.05,
    correction: str | None = "holm",
    drop_missing: bool = False,
    **options: Any,
) -> EdgeTestResult:
    """Test every pair of variables for an edge of the undirected graphical model.

    H₀(i, j) is Θ_ij = 0, Θ the inverse of the covariance matrix. For Gaussian data this is
    conditional independence given all other variables; otherwise it is zero partial
    correlation, that is, no linear association given the others.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, or Moments
        n rows of p variables. A path may end in .csv, .csv.gz, .parquet or .npy. A `Moments`
        state serves the methods that need one pass ("trace", "fisher").
    method : {"score", "fisher", "trace", "eig"}
        "score": self-normalised, per edge, any distribution with fourth moments.
        "fisher": partial correlation, per edge, Gaussian data only.
        "trace", "eig": the thresholds of Bounliphone & Blaschko [1]_, all entries at once; they
        need many rows (an infinite threshold says how many).
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", None}
        How the per-edge methods account for testing many edges: "holm" and "bonferroni" bound
        the probability of any false edge, "bh" and "by" the expected share of false edges.
        "trace" and "eig" need none and ignore it.
    drop_missing : bool
        Leave out rows with NaN or infinite values instead of refusing them.
    **options
        Of "trace" and "eig": `mu` (the paper's constant, 1.0) and `standardize` (divide the
        columns by their standard deviations first, False).

    Returns
    -------
    EdgeTestResult

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
    check_choice("correction", correction, CORRECTIONS)
    chosen = METHODS[method]
    check_options(method, options, chosen.options)
    n_dropped = 0
    if isinstance(data, Moments):
        evidence = Evidence(data, None, default_names(data.n_features or 0))
    else:
        source = as_source(data)
        if drop_missing:
            source = FiniteRows(source)
        moments = accumulate(source, order=chosen.order)
        n_dropped = source.n_dropped if isinstance(source, FiniteRows) else 0
        check_testable_shape(moments.n_samples, len(source.feature_names))
        evidence = Evidence(moments, source.batches, source.feature_names)
    result = chosen.run(evidence, alpha=alpha, correction=correction, **options)
    return replace(result, n_dropped=n_dropped) if n_dropped else result


def accumulate(data: Any, *, order: int = 4) -> Moments:
    """Read all rows once into a `Moments` state.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path or list of paths
        The rows.
    order : {4, 2}
        The highest order of sums kept; 2 is cheaper and enough for `method="fisher"`.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> state = ew.accumulate(np.random.default_rng(0).standard_normal((100, 3)))
    >>> ew.edge_test(state, method="fisher").n_samples
    100
    """
    source = as_source(data)
    moments = Moments(order=order)
    try:
        for batch in source.batches():
            moments.update(batch)
    except NonFiniteError as error:
        # The state met the first bad batch only; the user wants to know about all of them.
        counts = np.sum([nonfinite_counts(batch) for batch in source.batches()], axis=0)
        raise NonFiniteError(nonfinite_message(counts, source.feature_names), counts) from error
    return moments

"""`pool`: one result from those of several imputed copies of the same rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from edgewise._base.warn import warn
from edgewise.errors import BrokenAssumptionWarning, ParameterError
from edgewise.inference.family import Family
from edgewise.inference.question import Question
from edgewise.methods.registry import method_of
from edgewise.questions.copies import DECIDED, check_decided, checked_copies
from edgewise.questions.pooling import EQUAL_COPIES, LARGE_VARIANCES, pooled_measurement
from edgewise.results.decide import decide
from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import chosen_pairs

AS_TESTED = "as tested"


def pool(
    results: Iterable[EdgeTestResult],
    *,
    alpha: float | None = None,
    correction: str | None = AS_TESTED,
    min_effect: float | None = None,
    effect_scale: str | None = None,
) -> EdgeTestResult:
    r"""Pool the results of several imputed copies of the same rows into one, by Rubin's rules.

    Where values are missing, impute them m times at random, test each copy in the same way, and
    pool the m results. The standard errors of a single copy take the imputed values for measured
    ones, and so find false edges; the pooled ones add how much the copies differ. For each pair,
    with z = atanh ρ̂ and its standard error s in each copy,

    .. math::

        \bar z = \frac1m \sum z, \quad W = \frac1m \sum s^2, \quad
        B = \frac1{m-1} \sum (z - \bar z)^2, \quad T = W + (1 + 1/m) B,

    and z̄/√T is compared with Student's t with the degrees of freedom of Barnard and Rubin [2]_.

    Parameters
    ----------
    results : iterable of EdgeTestResult
        One for each imputed copy, two or more: of the same columns, rows, method and family. The
        methods that test each pair by itself can be pooled: "score", "nodewise", "wald", "batch",
        "kendall", "elliptical" and "fisher".
    alpha : float, optional
        Significance level; by default that of the results.
    correction : {"as tested", "holm", "bonferroni", "bh", "by", None}
        How to account for testing many pairs; by default as the results do. "maxt" cannot be
        pooled.
    min_effect : float, optional
        The minimal effect, as in `edge_test`; by default that of the results.
    effect_scale : {"partial_correlation", "precision", None}
        What `min_effect` is measured in; by default as in the results.

    Returns
    -------
    EdgeTestResult
        An ordinary result. `partial_correlation` is tanh z̄ and `covariance` the mean of the
        copies. The diagonal of `precision` is the mean of the copies too, and its other entries
        are those that belong to tanh z̄, so that thresholds and decisions agree. Standard errors of
        Θ come from the same rules. ``options["pooled"]`` is m, and
        ``options["missing_information"]`` has the share of T that is there because values are
        missing, (1 + 1/m)B/T: its "mean" and its "largest" value among the tested pairs, and the
        matrix of all "pairs". `cautions` has those of the results, each once.

    Warns
    -----
    BrokenAssumptionWarning
        If all copies are equal: then the imputer draws nothing at random, and false edges are to be
        expected. If the variances are larger than those of independent Gaussian rows, which most
        imputers assume: then the pooled standard errors are too small.

    References
    ----------
    .. [1] D. B. Rubin, "Multiple Imputation for Nonresponse in Surveys", Wiley, 1987.
    .. [2] J. Barnard and D. B. Rubin, "Small-sample degrees of freedom with multiple imputation",
       Biometrika 86 (1999), 948-955.

    Examples
    --------
    Every fifth value of a chain of four columns is missing at random. Here the copies are made by
    scikit-learn:

    >>> import numpy as np
    >>> import edgewise as ew
    >>> from sklearn.experimental import enable_iterative_imputer
    >>> from sklearn.impute import IterativeImputer
    >>> rng = np.random.default_rng(0)
    >>> X = ew.simulate.sample("gaussian", ew.simulate.make_chain_precision(4), 500, rng=rng)
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> copies = [
    ...     IterativeImputer(sample_posterior=True, max_iter=5, random_state=k).fit_transform(X)
    ...     for k in range(5)
    ... ]
    >>> result = ew.pool([ew.edge_test(copy) for copy in copies])
    >>> sorted((edge.source, edge.target) for edge in result.edges())
    [('x0', 'x1'), ('x1', 'x2'), ('x2', 'x3')]
    >>> print(result.headline())
    3 of 6 possible edges among 4 variables, from 500 rows, imputed 5 times (method 'score', ...
    """
    copies = checked_copies(results)
    question = _question(copies, alpha, correction, min_effect, effect_scale)
    measured = pooled_measurement(copies)
    for caution in measured.cautions:
        if caution.kind in (EQUAL_COPIES, LARGE_VARIANCES):  # each copy warned of its own
            warn(caution, BrokenAssumptionWarning)
    return decide(measured, question)


def _question(
    copies: list[EdgeTestResult],
    alpha: float | None,
    correction: str | None,
    min_effect: float | None,
    effect_scale: str | None,
) -> Question:
    """What the caller says, and for the rest what all results were decided with."""
    said: dict[str, Any] = {"alpha": alpha, "min_effect": min_effect, "effect_scale": effect_scale}
    asked = {name: value for name, value in said.items() if value is not None}
    if correction != AS_TESTED:
        asked["correction"] = correction
    if "min_effect" in asked:
        asked.setdefault("effect_scale", None)
    for name in DECIDED:
        if name not in asked:
            asked[name] = check_decided(name, copies)
    if asked["correction"] == "maxt":
        raise ParameterError(
            "correction: 'maxt' resamples batches of rows, which a pooled result does not have; "
            "pass correction='holm'."
        )
    first = copies[0]
    pairs = chosen_pairs(first)
    family = Family(first.given) if pairs is None else Family(pairs=tuple(pairs))
    return method_of(first.method).question(**asked, family=family)

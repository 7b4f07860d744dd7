"""`pool`: one result from those of several imputed copies of the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from edgewise._linalg import FloatArray, root_outer
from edgewise._text import listed
from edgewise.errors import BrokenAssumptionWarning, ParameterError, warn
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution
from edgewise.inference.measurement import Measurement, Selection
from edgewise.inference.references import StudentOfEach
from edgewise.inference.rubin import Pooled, pool_estimates
from edgewise.inference.uncertainty import PerEdge, Spread
from edgewise.methods.registry import method_of, registered
from edgewise.results.result import EdgeTestResult, chosen_pairs, decide
from edgewise.sums.blocks import Centre

#: What all results must agree in, where it is, and what else to do.
_SAME = (
    (
        "columns",
        "feature_names",
        "impute copies of the same table, or pass the same columns= to each edge_test",
    ),
    ("method", "method", "test all copies by the same method"),
    ("number of rows", "n_samples", "impute copies of the same rows"),
    ("number of rows left out", "n_dropped", "impute every value that is missing"),
    ("weights", "provenance.weights", "weight the rows of all by the same"),
    ("effective rows", "provenance.effective_rows", "weight the rows of all by the same"),
    ("transform", "provenance.transform", "test all copies in the same way"),
    ("number of clusters", "provenance.n_clusters", "name the same clusters in all"),
    ("given columns", "given", "give the same columns in all"),
)
_AS_TESTED = "as tested"
# The kinds of cautions about copies that do not differ, and about rows that most imputers take for
# Gaussian ones.
_EQUAL_COPIES, _LARGE_VARIANCES = "equal copies", "large variances"
# A smaller share of the variance is rounding, and one below the second changes no decision.
_NOTHING, _LITTLE = 1e-12, 0.05
# The variance of z in units of that of Gaussian rows. Measured, as the median of the pairs: on
# Gaussian rows at most this + 2p/n, by every method; on t₅ rows mostly more.
_GAUSSIAN_VARIANCE = 1.15


def pool(
    results: Iterable[EdgeTestResult],
    *,
    alpha: float | None = None,
    correction: str | None = _AS_TESTED,
    min_effect: float | None = None,
) -> EdgeTestResult:
    r"""Pool the results of several imputed copies of the same rows into one, by Rubin's rules.

    The standard errors of a single copy take the imputed values for measured ones, and so find
    false edges; the pooled ones add how much the copies differ. For each pair, with z = atanh ρ̂
    and its standard error s in each of the m copies,

    .. math::

        \bar z = \frac1m \sum z, \quad W = \frac1m \sum s^2, \quad
        B = \frac1{m-1} \sum (z - \bar z)^2, \quad T = W + (1 + 1/m) B,

    and z̄/√T is compared with Student's t with the degrees of freedom of Barnard and Rubin [2]_.

    Parameters
    ----------
    results : iterable of EdgeTestResult
        One for each imputed copy, two or more: of the same columns, rows, per-edge method and
        family.
    alpha, min_effect : float, optional
        As in `edge_test`; by default those of the results.
    correction : {"as tested", "holm", "bonferroni", "bh", "by", None}
        How to account for testing many pairs; by default as the results do, but "maxt" cannot be
        pooled.

    Returns
    -------
    EdgeTestResult
        An ordinary result: `partial_correlation` is tanh z̄, `covariance` and the diagonal of
        `precision` the means of the copies, and the rest of `precision` belongs to tanh z̄.
        ``provenance.missing_information`` is the share of T that is there because values are
        missing, (1 + 1/m)B/T.

    Warns
    -----
    BrokenAssumptionWarning
        If all copies are equal, so that the imputer draws nothing at random; or if variances are
        larger than those of independent Gaussian rows, which most imputers assume.

    References
    ----------
    .. [1] D. B. Rubin, "Multiple Imputation for Nonresponse in Surveys", Wiley, 1987.
    .. [2] J. Barnard and D. B. Rubin, "Small-sample degrees of freedom with multiple imputation",
       Biometrika 86 (1999), 948-955.

    Examples
    --------
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
    """
    copies = _checked_copies(results)
    given: dict[str, Any] = {"alpha": alpha, "min_effect": min_effect}
    how = {name: value for name, value in given.items() if value is not None}
    if correction != _AS_TESTED:
        how["correction"] = correction
    for name in ("alpha", "correction", "min_effect"):
        if name not in how:
            values = [getattr(one.question, name) for one in copies]
            how[name] = _the_same(name, values, f"pass {name}=... to say which")
    if how["correction"] == "maxt":
        raise ParameterError(
            "correction: 'maxt' resamples batches of rows, which a pooled result does not have; "
            "pass correction='holm'."
        )
    first = copies[0].question
    question = method_of(copies[0].method).question(**how, given=first.given, pairs=first.pairs)
    measured = _pooled(copies)
    for caution in measured.cautions:
        if caution.kind in (_EQUAL_COPIES, _LARGE_VARIANCES):  # each copy warned of its own
            warn(caution, BrokenAssumptionWarning)
    return decide(measured, question)


def _checked_copies(results: object) -> list[EdgeTestResult]:
    """Two results or more that can be pooled."""
    several = isinstance(results, Iterable) and not isinstance(results, EdgeTestResult)
    copies: list[Any] = list(results) if several else [results]  # type: ignore[call-overload]
    for number, one in enumerate(copies, 1):
        if not isinstance(one, EdgeTestResult):
            raise ParameterError(
                f"results: expected results of edge_test, got {type(one).__name__} as number "
                f"{number}; pass [edge_test(copy) for copy in copies]."
            )
    if len(copies) < 2:
        raise ParameterError(
            f"results: expected a list of at least 2, one for each imputed copy, got {len(copies)};"
            " impute several times, with different random numbers."
        )
    for number, one in enumerate(copies, 1):
        if why := _why_not(one):
            raise ParameterError(f"results: number {number} cannot be pooled: {why}.")
    for what, where, remedy in _SAME:
        _the_same(what, [attrgetter(where)(one) for one in copies], remedy)
    options = [_options(one) for one in copies]
    _the_same("options of the method", options, "test all copies with the same options")
    _the_same("pairs", [chosen_pairs(one) for one in copies], "test the same pairs in all")
    return copies


def _why_not(one: EdgeTestResult) -> str:
    """Why a result has no standard errors of its own for each pair; empty if it has."""
    if one.provenance.n_copies is not None:
        return "it is a pooled one; pool all copies at once"
    if one.provenance.pair_rows is not None:
        return (
            "it was tested with missing='pairwise'; impute every value that is missing, or use "
            "that result alone"
        )
    if one.uncertainty.simultaneous:
        return f"method {one.method!r} has no standard error for each pair; use method='score'"
    if one.uncertainty.anytime:
        return f"method {one.method!r} holds at every look; use method='score'"
    return ""


def _the_same(what: str, values: Sequence[Any], remedy: str) -> Any:
    """What all results have; an error if they differ."""

    def shown(value: Any) -> str:
        if isinstance(value, list | tuple):  # of many pairs only the first few
            return f"({listed([*map(repr, value)])})" if value else "none"
        return "none" if value is None or value == {} else repr(value)

    first = values[0]
    for number, value in enumerate(values, 1):
        if value != first:
            raise ParameterError(
                f"results: expected the same {what} in all, got {shown(first)} as number 1 and "
                f"{shown(value)} as number {number}; {remedy}."
            )
    return first


def _options(one: EdgeTestResult) -> dict[str, Any]:
    """The options of its method that were given."""
    kind = registered().get(one.method)
    return {} if kind is None else kind.options_in(one.measurement.options)


def _pooled(copies: Sequence[EdgeTestResult]) -> Measurement:
    """Rubin's rules for every pair, and for the entries of Θ."""
    first = copies[0]
    diagonal = np.eye(first.n_features, dtype=bool)
    degrees = [_degrees(one) for one in copies]
    # z = atanh ρ̂ and its standard error; the diagonal has z = 0 and an error of one.
    rho = [np.where(diagonal, 0.0, one.partial_correlation) for one in copies]
    errors = [
        np.where(diagonal, 1.0, one.uncertainty.fisher_z_error(r))
        for one, r in zip(copies, rho, strict=True)
    ]
    fisher = pool_estimates([np.arctanh(r) for r in rho], errors, degrees)
    theta = pool_estimates(
        [one.precision for one in copies],
        [one.uncertainty.errors(one)[0] for one in copies],
        degrees,
    )
    estimate = _estimate(copies, fisher, theta)
    uncertainty = PerEdge(
        Spread(theta.standard_error, np.where(diagonal, np.nan, fisher.standard_error)),
        # An entry of the diagonal is one of Θ, and has the degrees of that.
        StudentOfEach(np.where(diagonal, theta.degrees, fisher.degrees)),
    )
    lost = np.full(estimate.precision.shape, np.nan)
    rows, columns = first.tested_pairs()
    lost[rows, columns] = lost[columns, rows] = fisher.missing[rows, columns]
    return Measurement(
        method=first.method,
        feature_names=first.feature_names,
        estimate=estimate,
        statistic=uncertainty.statistic(np.where(diagonal, 0.0, estimate.partial_correlation)),
        uncertainty=uncertainty,
        options=_shared_options(copies),
        provenance=replace(
            first.provenance,
            files=tuple(dict.fromkeys(chain.from_iterable(one.files for one in copies))),
            n_copies=len(copies),
            missing_information=lost,
        ),
        cautions=_cautions(copies, fisher),
        selection=_selection(copies),
    )


def _degrees(one: EdgeTestResult) -> FloatArray:
    known = one.uncertainty.complete_degrees(
        one.n_samples, one.n_features, one.provenance.n_clusters
    )
    return np.broadcast_to(np.asarray(known, np.float64), one.precision.shape)


def _estimate(copies: Sequence[EdgeTestResult], fisher: Pooled, theta: Pooled) -> PrecisionEstimate:
    """tanh z̄, and the entries of Θ that belong to it: a result compares them with thresholds."""
    partial = np.tanh(fisher.mean)
    np.fill_diagonal(partial, 1.0)
    precision = -partial * root_outer(theta.mean)
    np.fill_diagonal(precision, theta.mean.diagonal())
    return PrecisionEstimate(
        n_samples=copies[0].n_samples,
        # Results keep no means of columns.
        centre=Centre(np.full(len(partial), np.nan), None),
        covariance=np.mean([one.covariance for one in copies], axis=0),
        precision=precision,
        partial_correlation=partial,
        residual_map=precision / np.sqrt(precision.diagonal()),
    )


def _shared_options(copies: Sequence[EdgeTestResult]) -> dict[str, Any]:
    """What is the same in all, and the means of numbers that are not."""
    shared = {}
    for name, value in copies[0].measurement.options.items():
        values = [one.measurement.options.get(name) for one in copies]
        if all(other == value for other in values):
            shared[name] = value
        elif all(isinstance(other, float) for other in values):
            shared[name] = float(np.mean(np.array(values, np.float64)))
    return shared


def _about_copies(copies: Sequence[EdgeTestResult], missing: FloatArray) -> tuple[Caution, ...]:
    """What the number of copies, or their likeness, says against the pooled result."""
    first, m = copies[0], len(copies)
    if missing[~np.eye(len(missing), dtype=bool)].max() < _NOTHING:
        return (
            Caution(
                f"All {m} results are equal: nothing was missing, or the imputer draws nothing at "
                "random. In that case the standard errors are too small, and some of the edges may "
                "be false. Draw every copy at random, with random numbers of its own.",
                _EQUAL_COPIES,
                True,
            ),
        )
    rows, columns = first.tested_pairs()
    of_pairs = missing[rows, columns]
    worst, percent = int(of_pairs.argmax()), round(100 * float(of_pairs.max()))
    if percent <= m:
        return ()
    pair = f"{first.feature_names[rows[worst]]} – {first.feature_names[columns[worst]]}"
    return (
        Caution(
            f"Missing values took up to {percent} % of the information about a pair ({pair}), and "
            f"{m} imputed copies are few for that: with other random numbers the p-values would be "
            f"other ones. {percent} copies or more are usual.",
            "few copies",
        ),
    )


def _about_tails(copies: Sequence[EdgeTestResult], fisher: Pooled) -> tuple[Caution, ...]:
    """Where rows are not independent Gaussian ones: most imputers take them for that."""
    first = copies[0]
    kind = registered().get(first.method)
    pairs = first.tested_pairs()
    n, p = first.provenance.effective_rows or first.n_samples, first.n_features
    # What is measured on variables behind the columns has another variance on Gaussian rows.
    latent = kind is None or "latent variables" in kind.supports
    if latent or fisher.missing[pairs].mean() < _LITTLE or n <= p:
        return ()
    within = np.square(fisher.standard_error) * (1 - fisher.missing)
    times = float(np.median(within[pairs])) * max(n - p - 1, 1)
    if not _GAUSSIAN_VARIANCE + 2 * p / n < times < np.inf:
        return ()
    return (
        Caution(
            f"The variances are {times:.2g} times those of independent Gaussian rows: tails are "
            "heavy, or rows depend on each other. Most imputers take rows for such ones; the "
            "pooled standard errors are then too small, and some of the edges may be false. For "
            "heavy tails, impute the normal scores of the columns, and use method 'kendall'.",
            _LARGE_VARIANCES,
            True,
        ),
    )


def _cautions(copies: Sequence[EdgeTestResult], fisher: Pooled) -> tuple[Caution, ...]:
    """What speaks against the pooled result, each once; first what breaks its guarantee."""
    found = [*_about_tails(copies, fisher), *_about_copies(copies, fisher.missing)]
    alike: dict[str, list[Caution]] = {}
    for one in copies:
        for caution in one.measurement.cautions:
            alike.setdefault(caution.kind, []).append(caution)
    for kind, own in alike.items():
        some = f"In {len(own)} of {len(copies)} copies: " * (len(own) < len(copies))
        found.append(Caution(f"{some}{own[0]}", kind, own[0].breaks))
    return tuple(sorted(found, key=lambda caution: not caution.breaks))


def _selection(copies: Sequence[EdgeTestResult]) -> Selection | None:
    """The neighbours that were chosen in any of the copies."""
    chosen = [one.selection for one in copies if one.selection is not None]
    if not chosen:
        return None
    of_each = zip(*(one.neighbours for one in chosen), strict=True)
    return Selection(chosen[0].penalty, tuple(tuple(sorted(set().union(*own))) for own in of_each))

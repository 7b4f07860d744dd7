"""From the results of imputed copies to the measurement that they make together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from edgewise._base.matrices import root_outer
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import StudentOfEach
from edgewise.inference.rubin import Pooled, complete_degrees, fisher_z_of, pool_estimates
from edgewise.inference.score import ScoreTest
from edgewise.inference.selection import Selection
from edgewise.inference.spread import Spread
from edgewise.kernels.centre import Centre
from edgewise.methods.registry import registered
from edgewise.questions.copies import DECIDED
from edgewise.results.pooled import MISSING, POOLED
from edgewise.results.result import EdgeTestResult

#: The kind of the caution about copies that do not differ.
EQUAL_COPIES = "equal copies"
#: And of that about rows that most imputers take for Gaussian ones.
LARGE_VARIANCES = "large variances"
# A smaller share of the variance is rounding, and one below the second changes no decision.
_NOTHING, _LITTLE = 1e-12, 0.05
# The variance of z in units of that of Gaussian rows. Measured, as the median of the pairs: on
# Gaussian rows at most this + 2p/n, by every method; on t₅ rows mostly more.
_GAUSSIAN_VARIANCE = 1.15


def pooled_measurement(copies: Sequence[EdgeTestResult]) -> Measurement:
    """Rubin's rules for every pair, and for the entries of Θ."""
    first, rules = copies[0], [_rule(one) for one in copies]
    both = list(zip(copies, rules, strict=True))
    degrees = [_degrees(one, rule) for one, rule in both]
    of_z = [fisher_z_of(one, rule) for one, rule in both]
    fisher = pool_estimates([z for z, _ in of_z], [error for _, error in of_z], degrees)
    theta = pool_estimates(
        [one.precision for one in copies], [rule.errors(one)[0] for one, rule in both], degrees
    )
    estimate = _estimate(copies, fisher, theta)
    diagonal = np.eye(first.n_features, dtype=bool)
    uncertainty = PerEdge(
        Spread(theta.standard_error, np.where(diagonal, np.nan, fisher.standard_error)),
        # An entry of the diagonal is one of Θ, and has the degrees of that.
        StudentOfEach(np.where(diagonal, theta.degrees, fisher.degrees)),
    )
    return Measurement(
        method=first.method,
        feature_names=first.feature_names,
        estimate=estimate,
        statistic=uncertainty.statistic(np.where(diagonal, 0.0, estimate.partial_correlation)),
        uncertainty=uncertainty,
        maxima=None,
        record=_shared_record(copies) | _record(copies, fisher.missing),
        n_dropped=first.n_dropped,
        cautions=_cautions(copies, fisher),
        files=tuple(dict.fromkeys(chain.from_iterable(one.files for one in copies))),
        selection=_selection(copies),
    )


def _rule(one: EdgeTestResult) -> PerEdge | ScoreTest:
    if not isinstance(one.uncertainty, PerEdge | ScoreTest):
        raise TypeError(f"uncertainty: unexpected {type(one.uncertainty).__name__}")
    return one.uncertainty


def _degrees(one: EdgeTestResult, rule: PerEdge | ScoreTest) -> FloatArray:
    known = complete_degrees(rule, one.n_samples, one.n_features, one.options.get("n_groups"))
    return np.broadcast_to(np.asarray(known, np.float64), one.precision.shape)


def _estimate(copies: Sequence[EdgeTestResult], fisher: Pooled, theta: Pooled) -> PrecisionEstimate:
    """tanh z̄, and the entries of Θ that belong to it: a result compares them with thresholds.

    The mean of the copies' Θ_ij differs from these by the order of a variance.
    """
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


def _shared_record(copies: Sequence[EdgeTestResult]) -> dict[str, Any]:
    """What the results record: what is the same in all, and the means of numbers that are not."""
    record = {}
    for name, value in copies[0].options.items():
        values = [one.options.get(name) for one in copies]
        if name in DECIDED:
            continue
        if all(other == value for other in values):
            record[name] = value
        elif all(isinstance(other, float) for other in values):
            record[name] = float(np.mean(np.array(values, np.float64)))
    return record


def _record(copies: Sequence[EdgeTestResult], missing: FloatArray) -> dict[str, Any]:
    """How many copies there are, and what missing values took; lists, as a file has them."""
    of_pairs = missing[copies[0].tested_pairs()]
    cells = missing.astype(object)
    np.fill_diagonal(cells, None)
    return {
        POOLED: len(copies),
        MISSING: {
            "mean": float(of_pairs.mean()),
            "largest": float(of_pairs.max()),
            "pairs": cells.tolist(),
        },
    }


def _about_copies(copies: Sequence[EdgeTestResult], missing: FloatArray) -> tuple[Caution, ...]:
    """What the number of copies, or their likeness, says against the pooled result."""
    first, m = copies[0], len(copies)
    if missing[~np.eye(len(missing), dtype=bool)].max() < _NOTHING:
        return (
            Caution(
                f"All {m} results are equal: nothing was missing, or the imputer draws nothing at "
                "random. In that case the standard errors are too small, and some of the edges may "
                "be false. Draw every copy at random, with random numbers of its own.",
                EQUAL_COPIES,
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
    """Where rows are not independent Gaussian ones: most imputers take them for that.

    Parameters are then drawn with too small a variance, and imputed values have too light tails.
    """
    first = copies[0]
    kind = registered().get(first.method)
    pairs = first.tested_pairs()
    # Of rows with weights, as many as they are worth.
    n, p = first.options.get("effective_rows", first.n_samples), first.n_features
    # What is measured on variables behind the columns has another variance on Gaussian rows.
    if kind is None or not kind.estimates_rows or fisher.missing[pairs].mean() < _LITTLE or n <= p:
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
            LARGE_VARIANCES,
            True,
        ),
    )


def _cautions(copies: Sequence[EdgeTestResult], fisher: Pooled) -> tuple[Caution, ...]:
    """What speaks against the pooled result; first what breaks its guarantee."""
    own = (*_about_tails(copies, fisher), *_about_copies(copies, fisher.missing))
    told = [*own, *_cautions_of_results(copies)]
    return tuple(sorted(told, key=lambda caution: not caution.breaks))


def _cautions_of_results(copies: Sequence[EdgeTestResult]) -> list[Caution]:
    """Each once; their numbers differ a little from copy to copy."""
    alike: dict[str, list[str]] = {}
    for one in copies:
        for caution in one.cautions:
            alike.setdefault(_kind(caution), []).append(caution)
    told = []
    for kind, sentences in alike.items():
        first, count = sentences[0], len(sentences)
        some = f"In {count} of {len(copies)} copies: " * (count < len(copies))
        told.append(Caution(f"{some}{first}", kind, getattr(first, "breaks", False)))
    return told


def _kind(caution: str) -> str:
    """What it is about; a file has only the sentence, which is then taken without its numbers."""
    return str(getattr(caution, "kind", re.sub(r"\d[\d.,]*", "#", caution)))


def _selection(copies: Sequence[EdgeTestResult]) -> Selection | None:
    """The neighbours that were chosen in any of the copies."""
    chosen = [one.selection for one in copies if one.selection is not None]
    if not chosen:
        return None
    of_each = zip(*(one.neighbours for one in chosen), strict=True)
    return Selection(chosen[0].penalty, tuple(tuple(sorted(set().union(*own))) for own in of_each))

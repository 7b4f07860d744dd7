"""Claims that a study checks, and the one rule by which all of them are judged.

A claim is a sentence that is true where a number of comparisons come out as it says: a rate is at
most δ, a slope at most −½, a curve below another. Each comparison is measured with an error, and
its `excess` says how far the measurement lies on the wrong side, in standard errors: a positive
excess speaks against the claim, a negative one for it. Rates that are counted over independent
draws have an exact binomial tail, and means a tail of Student's t; both are turned into the excess
of a normal estimate with the same tail, so that one number means the same everywhere.

`judge` then gives one of three verdicts:

- **refuted**: some comparison has an excess beyond z_{1 − 0.001/K}, where K is the number of
  comparisons (Bonferroni). If the claim is true, this happens with probability 0.001 at most.
- **supported**: every comparison has an excess below −z_{0.999} = −3.09. If the claim is false, so
  that at least one comparison is on the wrong side, this happens with probability 0.001 at most.
  No correction for K is needed, because all of them must show it (an intersection–union test).
- **not refuted**: neither. The draws are too few to tell, or the claim is true only just.

With the forty claims of all studies together, some verdict is wrong with probability 0.04 at most.
An equality (a curve lies on the diagonal) is two comparisons, one for each side, so it can be
refuted or not, but never supported; with a tolerance it can.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from edgewise import _special as special
from edgewise._linalg import AnyArray, FloatArray
from edgewise.inference.references import Student

SUPPORTED, NOT_REFUTED, REFUTED = VERDICTS = ("supported", "not refuted", "refuted")
#: The probability of a wrong verdict, for each claim.
LEVEL = 0.001
#: The rule as every page has it.
RULE = (
    "A claim is **refuted** or **supported** where the measurement lies beyond its own error, so "
    "that either verdict is wrong with probability 0.001 at most; otherwise it is **not refuted**. "
    "In brackets: how far the worst comparison lies on the wrong side, in standard errors (s.e.; "
    "negative on the right side). A single comparison needs 3.1 of them; the limit for a "
    "refutation grows with the number of comparisons (Bonferroni). A mean over n draws counts for "
    "no more than n equal signs: 11.5 standard errors for 100 draws."
)


@dataclass(frozen=True)
class Claim:
    """A sentence to check, what was measured, its verdict, and the excess behind that."""

    says: str
    measured: str
    verdict: str
    excess: float
    n_comparisons: int

    def __str__(self) -> str:
        """The verdict, with the excess that decided it."""
        excess = f"{self.excess + 0.0:+.1f}"
        if abs(self.excess) >= 100:
            excess = f"beyond {math.copysign(100, self.excess):+.0f}"
        excess = excess.replace("-", "−")
        if self.verdict == SUPPORTED or (self.n_comparisons <= 1 and self.excess <= 0):
            return f"{self.verdict} ({excess} s.e.)"
        limit = critical(max(self.n_comparisons, 1))
        return f"{self.verdict} ({excess} s.e., limit {limit:.1f})"


def judge(says: str, measured: str, excess: ArrayLike, weak: ArrayLike = ()) -> Claim:
    """The claim, with its verdict.

    `excess` is that of each comparison that the claim rests on, from `of_counts`, `of_means` or
    `of_normal`. `weak` is that of comparisons in which the claim allows equality, such as a step of
    a curve that does not fall: they can refute the claim, but need not support it. NaN stands for
    a comparison that could not be made.

    No event in 1000 draws, then in 20: is its probability 0.05 at most?

    >>> for draws in (1000, 20):
    ...     print(judge("rarely", "never", of_counts(0, draws, at_most=0.05)).verdict)
    supported
    not refuted
    """
    # The hyphen that Python writes before a negative number.
    measured = re.sub(r"(?<!\w)-(?=\d)", "−", measured)
    strict, allowed = (np.asarray(values, dtype=np.float64).ravel() for values in (excess, weak))
    strict, allowed = strict[~np.isnan(strict)], allowed[~np.isnan(allowed)]
    n_comparisons = strict.size + allowed.size
    worst = max(strict.max(initial=-math.inf), allowed.max(initial=-math.inf))
    if n_comparisons and worst >= critical(n_comparisons):
        return Claim(says, measured, REFUTED, float(worst), n_comparisons)
    # Without a single comparison nothing was seen, for or against.
    shown = float(strict.max()) if strict.size else 0.0
    verdict = SUPPORTED if shown <= -critical(1) else NOT_REFUTED
    return Claim(says, measured, verdict, shown, n_comparisons)


def of_counts(times: ArrayLike, draws: ArrayLike, at_most: ArrayLike) -> FloatArray:
    """The excess of each count over a claimed probability, from its exact binomial tail."""
    from scipy.stats import binom

    times, draws, at_most = np.broadcast_arrays(times, draws, at_most)
    # P(X ≥ k) and P(X ≤ k) are never both below a half.
    above = -special.ndtri_exp(np.asarray(binom.logsf(times - 1, draws, at_most)))
    below = special.ndtri_exp(np.asarray(binom.logcdf(times, draws, at_most)))
    excess: FloatArray = np.maximum(above, 0.0) + np.minimum(below, 0.0)
    return excess


def of_means(values: AnyArray) -> FloatArray:
    """The excess of the mean over the first axis, the draws, above 0; Student's t.

    Student's t takes the values for normal, which a few draws cannot show. So n draws never say
    more than n equal signs do, which have probability 2^-n if neither sign is more likely: with
    fewer than ten draws no claim is decided. Draws in which a value is not finite are left out,
    comparison by comparison. Where fewer than two remain, nothing was compared: the excess is NaN.
    """
    values = np.asarray(values, dtype=np.float64)
    flat = values.reshape(len(values), -1)
    return np.array([_of_mean(column[np.isfinite(column)]) for column in flat.T])


def _of_mean(values: FloatArray) -> float:
    if values.size < 2:
        return math.nan
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(values.size)
    most = -float(special.ndtri_exp(-values.size * math.log(2)))
    # Draws may agree to the last digits, where the error is no more than rounding.
    if error <= 1e-12 * np.abs(values).max():
        return math.copysign(most, mean) if mean else 0.0
    return min(max(float(of_normal(mean, error, values.size)[0]), -most), most)


def of_normal(gap: ArrayLike, error: ArrayLike, draws: int) -> FloatArray:
    """The excess of numbers above 0, given their standard errors over so many draws."""
    gap, error = np.broadcast_arrays(np.atleast_1d(gap), error)
    ratio = np.divide(gap, error, out=np.zeros(gap.shape), where=error > 0)
    log_tail = Student(draws - 1).log_two_sided(np.abs(ratio)) - math.log(2)
    excess: FloatArray = np.copysign(-special.ndtri_exp(np.asarray(log_tail)), ratio)
    return excess


def both_sides(excess: FloatArray) -> FloatArray:
    """The comparisons of an equality: not above, and not below."""
    return np.concatenate([excess, -excess])


def within(values: FloatArray, tolerance: float) -> FloatArray:
    """The excess of |mean| ≤ tolerance, from both sides."""
    return np.concatenate([of_means(values - tolerance), of_means(-values - tolerance)])


def finite_mean(values: FloatArray) -> float:
    """The mean over the draws that have a number; NaN if none has."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else math.nan


def critical(n_comparisons: int) -> float:
    """z_{1 − 0.001/K}, for K comparisons."""
    return -float(special.ndtri_exp(math.log(LEVEL / n_comparisons)))


def counted(claims: Iterable[Claim]) -> str:
    """How many claims have each verdict: "x supported, y not refuted, z refuted"."""
    found = Counter(claim.verdict for claim in claims)
    return ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS)

"""Theorem 8 and Corollary 2: a test over pairs of rows against one over rows, at the same cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from edgewise._linalg import FloatArray, pairs_of
from edgewise._special import ndtri
from edgewise.simulate.distributions import sample_batches
from edgewise.simulate.graphs import make_chain_precision
from reproduction.claims import Claim, finite_mean, judge, of_means, within
from reproduction.growth import ALPHA, DISTRIBUTIONS, bounds_of, evidence_of, growing_sample
from reproduction.pictures import COLOURS, LAWS, finish, panels
from reproduction.study import Cell, Deviations, Findings, Measured, Results, draws_of

P = 3
TESTS = ("trace", "kendall")
# Operations: products that the sums of a row are made of; and, for each pair of rows, one product
# of signs for each pair of columns.
_PRICE = {"trace": P * (P + 1) / 2 + 4 * P, "kendall": P * (P - 1) / 4}
_POWER = {"trace": 1.0, "kendall": 2.0}
_FIRST_ROWS = 1500  # of the trace test
_BLOCK = 256
_TOLERANCE = 0.03
_COSTS = (1.5, 2.0, 2.5)  # of the largest of n uniform numbers: r/s is −0.67, −0.5 and −0.4
_UNIFORM_BUDGETS = (1_000, 10_000, 100_000)


TITLE = "Theorem 8: a fixed budget of operations"
PAPER = (
    "Theorem 8: “for a test with computational cost Ω(n^s) and a threshold that decreases as Ω(n^r), "
    "our test is asymptotically more powerful in the regime n ≫ p whenever r/s > −½.” Corollary 2: "
    "“any test that is superlinear must have a threshold that converges faster than O(n^{−1/2}) to "
    "be asymptotically more powerful at a fixed computational budget.”"
)


def design(cells: Sequence[Cell]) -> str:
    sizes = cells[0].parameters["sizes"]
    return (
        f"{draws_of(cells)} draws of each law, and {len(sizes)} budgets that grow by a factor "
        f"of 4, up to {sizes[-1]:,} rows of the linear test, edgeTest-tr. The other sums over "
        "all pairs of rows: the precision matrix of Kendall's τ, sin(πτ̂/2) inverted, with the "
        "standard error of its Hájek projection, Bonferroni. It is a sharp test of each edge, "
        "at a cost of n². Each gets the rows that the budget affords (18 products per row; 3 "
        f"products of signs per pair of rows), from a chain of {P} variables; δ = 0.05. "
        "Measured: the median threshold on |Θ_ij|. Where r/s = −½ is crossed is shown on the end of "
        "a uniform law: the mean of n numbers finds it at a cost of n with an error of order "
        "n^{−1/2}, the largest of n numbers with an error of order 1/n (r = −1), here at a cost of "
        f"n^s for s = {', '.join(f'{s:g}' for s in _COSTS)}."
    )


def deviations(cells: Sequence[Cell]) -> Deviations:
    return []


def cells(scale: str) -> Sequence[Cell]:
    steps, draws = {"smoke": (5, 2), "quick": (5, 20), "paper": (6, 100)}[scale]
    sizes = [_FIRST_ROWS * 4**k for k in range(steps)]
    return [
        Cell({"distribution": distribution, "sizes": sizes}, draws)
        for distribution in DISTRIBUTIONS
    ]


def measure(parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
    sizes, law = parameters["sizes"], parameters["distribution"]
    precision = make_chain_precision(P)
    linear = [
        np.median(pairs_of(bounds_of(evidence_of(moments), ("trace",))["trace"].half_width(ALPHA)))
        for moments in growing_sample(law, precision, sizes, rng=rng)
    ]
    most = int(_affordable("kendall", _budgets(sizes)[-1]))
    (rows,) = sample_batches(law, precision, most, rng=rng, batch_rows=most)
    pairwise = [
        kendall_threshold(rows[: int(_affordable("kendall", budget))]) for budget in _budgets(sizes)
    ]
    return {"threshold": np.array([linear, pairwise]), "uniform_end": _uniform_end(rng)}


def _uniform_end(rng: np.random.Generator, repeats: int = 400) -> FloatArray:
    """Root mean squared errors of the end of a uniform law: its mean, then the largest number at
    each of the costs; for each budget."""
    errors = []
    for budget in _UNIFORM_BUDGETS:
        # The mean of so many numbers is normal; the largest of n is U^{1/n}.
        found = [2 * rng.standard_normal(repeats) * math.sqrt(1 / 12 / budget)]
        for cost in _COSTS:
            n = budget ** (1 / cost)
            found.append(rng.random(repeats) ** (1 / n) * (n + 1) / n - 1)
        errors.append([math.sqrt(np.mean(np.square(error))) for error in found])
    return np.transpose(errors)


def findings(results: Results) -> Findings:
    return Findings(
        claims=_claims(results),
        columns=_COLUMNS,
        rows=_rows(results),
        notes=_NOTES,
        draw=lambda: _draw(results),
        caption=(
            "Median threshold on |Θ_ij| against the budget of operations N, over "
            f"{draws_of([cell for cell, _ in results])} draws of a chain of p = {P} variables: "
            "(a) Gaussian, (b) multivariate Laplace rows. Dotted: the slopes −½ and −¼."
        ),
    )


_NOTES = [
    "The threshold of a linear test falls as N^{−1/2}, that of a test of cost nᵃ as N^{−1/(2a)}. "
    "Two lines of different slope cross once, however far apart they begin; "
    "`crossover_budget` says where. The paper's threshold is steeper than −½ as long as ε "
    "is not small against the smallest eigenvalue, so it lies above its line at small budgets.",
    "Where the crossing lies depends on what a test is compared with. Beside a linear test that is "
    "as sharp, one over pairs of rows loses at almost every budget.",
]


@dataclass(frozen=True)
class PricedTest:
    """A test that costs `price`·n^`power` for n rows, and has the threshold `scale`·n^`rate`.

    The paper's s is `power` and its r is `rate`.

    >>> pairs = PricedTest(price=0.5, power=2, scale=3.0)
    >>> pairs.rows(5000.0), pairs.threshold(5000.0)
    (100.0, 0.3)
    """

    price: float
    power: float
    scale: float
    rate: float = -0.5

    def rows(self, budget: float) -> float:
        """The rows that a budget, in the units of `price`, affords."""
        return float((budget / self.price) ** (1 / self.power))

    def threshold(self, budget: float) -> float:
        """The threshold with those rows, which falls as budget^(rate/power)."""
        return float(self.scale * self.rows(budget) ** self.rate)


def crossover_budget(cheap: PricedTest, dear: PricedTest) -> float:
    """The budget above which `cheap` has the smaller threshold, if its threshold falls faster.

    With the threshold cN^{r/s} of each, this solves c₁N^{r₁/s₁} = c₂N^{r₂/s₂} for N. If r₁/s₁ <
    r₂/s₂ there is always one solution, however much larger c₁ is: the paper's Theorem 8, where
    r₁/s₁ = −½. If both fall alike, one test wins at every budget: 0 if it is `cheap`, infinity if
    `dear`; infinity too if `cheap` falls more slowly, so that it loses in the end.

    A sum over rows against one over pairs of rows, whose threshold is ten times smaller:

    >>> rows, pairs = PricedTest(20, 1, 10.0), PricedTest(10, 2, 1.0)
    >>> round(budget := crossover_budget(rows, pairs))
    400000
    >>> round(rows.rows(budget)), round(pairs.rows(budget))
    (20000, 200)
    """
    # The logarithm of the threshold of a budget of 1.
    first, second = (
        math.log(test.scale) - math.log(test.price) * test.rate / test.power
        for test in (cheap, dear)
    )
    slower = dear.rate / dear.power - cheap.rate / cheap.power
    if slower == 0:
        return 0.0 if first <= second else math.inf
    if slower < 0:
        return math.inf
    log_budget = (first - second) / slower
    return math.exp(log_budget) if log_budget < 700 else math.inf


def kendall_threshold(rows: FloatArray) -> float:
    """The median of z·se(Θ̂_ij), Θ̂ the inverse of sin(πτ̂/2); all pairs of rows are compared."""
    n, p = rows.shape
    pairs = list(combinations(range(p), 2))
    agree = np.empty((len(pairs), n))
    for start in range(0, n, _BLOCK):
        some = slice(start, start + _BLOCK)
        signs = [np.sign(rows[some, j, np.newaxis] - rows[:, j]) for j in range(p)]
        for k, (i, j) in enumerate(pairs):
            agree[k, some] = np.vecdot(signs[i], signs[j])
    agree /= n - 1  # a row agrees with itself by 0
    tau = agree.mean(axis=1)
    covariance = np.eye(p)
    influence = np.zeros((n, p, p))
    for k, (i, j) in enumerate(pairs):
        covariance[i, j] = covariance[j, i] = np.sin(np.pi * tau[k] / 2)
        # Twice the Hájek projection of τ̂, through the sine.
        influence[:, i, j] = np.pi * np.cos(np.pi * tau[k] / 2) * (agree[k] - tau[k])
        influence[:, j, i] = influence[:, i, j]
    precision = np.linalg.inv(covariance)
    moved = precision @ influence @ precision
    error = np.sqrt(np.mean(moved**2, axis=0) / n)
    return float(np.median(-ndtri(ALPHA / (2 * len(pairs))) * pairs_of(error)))


def _budgets(sizes: Sequence[int]) -> FloatArray:
    return _PRICE["trace"] * np.asarray(sizes, dtype=float)


def _affordable(test: str, budget: float) -> float:
    return PricedTest(_PRICE[test], _POWER[test], 1.0).rows(budget)


def _medians(results: Results) -> dict[str, tuple[FloatArray, FloatArray]]:
    """For each law the budgets, and the median threshold of each test at each of them."""
    return {
        cell["distribution"]: (
            _budgets(cell["sizes"]),
            np.median(measured["threshold"], axis=0),
        )
        for cell, measured in results
    }


def _crossing(budgets: FloatArray, medians: FloatArray) -> float:
    """The budget at which the lines through neighbouring medians cross; NaN if they do not."""
    log_budget = np.log(budgets)
    with np.errstate(invalid="ignore"):
        gap = np.log(medians[0]) - np.log(medians[1])
    for k in range(1, len(gap)):
        if gap[k - 1] > 0 >= gap[k] and np.isfinite(gap[k - 1]):
            share = gap[k - 1] / (gap[k - 1] - gap[k])
            return float(np.exp(log_budget[k - 1] + share * (log_budget[k] - log_budget[k - 1])))
    return float("nan")


def _predicted(budgets: FloatArray, medians: FloatArray) -> float:
    """The crossing of the lines through what each test has at the largest budget."""
    tests = [
        PricedTest(_PRICE[t], _POWER[t], median * np.sqrt(_affordable(t, budgets[-1])))
        for t, median in zip(TESTS, medians[:, -1], strict=True)
    ]
    return crossover_budget(tests[0], tests[1])


def _claims(results: Results) -> list[Claim]:
    pairwise, linear, later, ratios = {}, {}, {}, {}
    for cell, measured in results:
        law, budgets = cell["distribution"], _budgets(cell["sizes"])
        thresholds = measured["threshold"]  # draws, tests, budgets
        with np.errstate(invalid="ignore"):  # an infinite threshold minus another
            logs = np.log(thresholds)
            step = np.diff(logs[:, 0, -2:], axis=1)[:, 0]
        pairwise[law] = np.polyfit(np.log(budgets), logs[:, 1].T, 1)[0]
        linear[law] = step / np.log(budgets[-1] / budgets[-2])
        later[law] = logs[:, 0, -1] - logs[:, 1, -1]
        ratios[law] = np.log(
            [_predicted(budgets, one) / _crossing(budgets, one) for one in thresholds]
        )
    crossed = {law: _crossing(*of) for law, of in _medians(results).items()}
    wins = [int(np.sum(gap < 0)) for gap in later.values()]
    return [
        judge(
            f"the threshold of a test of cost n² falls as N^{{−1/4}} (slope within {_TOLERANCE})",
            "mean slopes " + _listed(pairwise, "{:.3f}"),
            [within(slopes + 0.25, _TOLERANCE) for slopes in pairwise.values()],
        ),
        judge(
            "that of the linear test falls at least as fast as N^{−1/2} at the largest budgets "
            f"(slope at most −0.5 + {_TOLERANCE})",
            "mean slopes " + _listed(linear, "{:.3f}"),
            [of_means(slopes + 0.5 - _TOLERANCE) for slopes in linear.values()],
        ),
        judge(
            "Corollary 2: at the largest budget the linear test has the smaller threshold",
            f"in {sum(wins)} of {sum(map(len, later.values()))} draws; the medians cross at a "
            "budget of " + ", ".join(f"{value:.3g} ({law})" for law, value in crossed.items()),
            [of_means(gap) for gap in later.values()],
        ),
        judge(
            "the crossing is within a factor of 3 of what the constants at the largest budget say "
            "(ours)",
            "said over found, geometric means "
            + ", ".join(
                f"{np.exp(finite_mean(ratio)):.2f} ({law})" for law, ratio in ratios.items()
            ),
            [within(ratio, np.log(3)) for ratio in ratios.values()],
        ),
        _crossed_rate(results),
    ]


def _crossed_rate(results: Results) -> Claim:
    """The error of the largest number relative to that of the mean, as the budget grows."""
    errors = np.log(np.concatenate([measured["uniform_end"] for _, measured in results]))
    span = math.log(_UNIFORM_BUDGETS[-1] / _UNIFORM_BUDGETS[0])
    slopes = (errors[:, 1:, -1] - errors[:, 1:, 0] - errors[:, :1, -1] + errors[:, :1, 0]) / span
    said = [f"{-1 / cost + 0.5:+.2f}" for cost in _COSTS]
    return judge(
        "r/s = −½ is where it turns: with r = −1 the dearer estimate gains on the linear one for "
        "s = 1.5, keeps pace for s = 2 and falls behind for s = 2.5 (Theorem 8; the example is "
        "ours)",
        "slope of the ratio of errors in log N "
        + ", ".join(
            f"{mean:+.3f} (s = {cost:g}, r/s + ½ = {said[k]})"
            for k, (cost, mean) in enumerate(zip(_COSTS, slopes.mean(axis=0), strict=True))
        ),
        np.concatenate(
            [of_means(slopes[:, 0]), within(slopes[:, 1], _TOLERANCE), of_means(-slopes[:, 2])]
        ),
    )


def _listed(values: Mapping[str, FloatArray], form: str) -> str:
    return ", ".join(f"{form.format(finite_mean(value))} ({law})" for law, value in values.items())


_COLUMNS = "distribution test budget n median_threshold share_finite"


def _rows(results: Results) -> list[tuple[Any, ...]]:
    rows = []
    for cell, measured in results:
        for k, test in enumerate(TESTS):
            for budget, column in zip(
                _budgets(cell["sizes"]), measured["threshold"][:, k].T, strict=True
            ):
                which = (cell["distribution"], test, budget, int(_affordable(test, budget)))
                rows.append((*which, np.median(column), np.isfinite(column).mean()))
    return rows


def _draw(results: Results) -> Figure:
    figure = panels(len(results))
    colours = {"trace": COLOURS["trace"], "kendall": "#0072B2"}
    labels = {"trace": "edgeTest-tr, cost $18n$", "kendall": "Kendall over pairs, cost $1.5n^2$"}
    for ax, (law, (budgets, medians)) in zip(figure.axes, _medians(results).items(), strict=True):
        for test, median in zip(TESTS, medians, strict=True):
            finite = np.isfinite(median)
            ax.loglog(
                budgets[finite], median[finite], "o-", color=colours[test], label=labels[test]
            )
            slope = -1 / (2 * _POWER[test])
            guide = median[-1] * (budgets / budgets[-1]) ** slope
            ax.loglog(budgets, guide, ":", color=colours[test], label=rf"slope ${slope:g}$")
        at = _crossing(budgets, medians)
        if np.isfinite(at):
            ax.axvline(at, color="black", linewidth=0.8, label="crossing")
        ax.set_title(LAWS[law], fontsize="medium")
        ax.set_xlabel("operations $N$")
        ax.set_ylabel(r"threshold on |$\Theta_{ij}$|")
    return finish(figure, columns=3)

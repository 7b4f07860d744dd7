"""Tests under a fixed budget of operations: what each affords, and where one wins."""

from __future__ import annotations

import math
from dataclasses import dataclass

from edgewise._base.checks import check_real
from edgewise.errors import ParameterError


@dataclass(frozen=True, slots=True)
class PricedTest:
    """A test that costs `price`·n^`power` for n rows, and has the threshold `scale`/√n.

    Parameters
    ----------
    price : float
        Operations (or seconds) at n = 1.
    power : float
        How the cost grows: 1 for sums over rows, 2 for sums over pairs of rows.
    scale : float
        The threshold times √n: the smaller, the better for the same rows.

    Examples
    --------
    >>> from edgewise.studies import PricedTest
    >>> pairs = PricedTest(price=0.5, power=2, scale=3.0)
    >>> pairs.rows(5000.0), pairs.threshold(5000.0)
    (100.0, 0.3)
    """

    price: float
    power: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "price", check_real("price", self.price, above=0))
        object.__setattr__(self, "power", check_real("power", self.power, above=0))
        object.__setattr__(self, "scale", check_real("scale", self.scale, above=0))

    def rows(self, budget: float) -> float:
        """The rows that a budget affords.

        Parameters
        ----------
        budget : float
            In the units of `price`.

        Returns
        -------
        float
            (budget/price)^(1/power).
        """
        return float((budget / self.price) ** (1 / self.power))

    def threshold(self, budget: float) -> float:
        """The threshold with those rows, which falls as budget^(−1/(2·power)).

        Parameters
        ----------
        budget : float
            In the units of `price`.

        Returns
        -------
        float
            The scale divided by √rows.
        """
        return self.scale / math.sqrt(self.rows(budget))


def crossover_budget(cheap: PricedTest, dear: PricedTest) -> float:
    """The budget above which the test of smaller power has the smaller threshold.

    Solves s₁(N/c₁)^{−1/(2a₁)} = s₂(N/c₂)^{−1/(2a₂)} for N. For a₁ < a₂ there is always one
    solution, however much larger s₁ is: the paper's Theorem 8 and Corollary 2 are about this.

    Parameters
    ----------
    cheap : PricedTest
        The test whose cost grows more slowly, or as slowly.
    dear : PricedTest
        The other one.

    Returns
    -------
    float
        The budget. If both costs grow alike, one test wins at every budget: 0 if it is `cheap`,
        infinity if it is `dear`.

    Examples
    --------
    A sum over rows against one over pairs of rows, whose threshold is ten times smaller:

    >>> from edgewise.studies import PricedTest, crossover_budget
    >>> rows, pairs = PricedTest(20, 1, 10.0), PricedTest(10, 2, 1.0)
    >>> round(budget := crossover_budget(rows, pairs))
    400000
    >>> round(rows.rows(budget)), round(pairs.rows(budget))
    (20000, 200)
    """
    if cheap.power > dear.power:
        raise ParameterError(
            f"cheap: expected a test whose cost does not grow faster than that of `dear`, got the "
            f"powers {cheap.power:g} and {dear.power:g}; exchange the two."
        )
    # log s + log c/(2a): the threshold of a budget of 1.
    first, second = (
        math.log(test.scale) + math.log(test.price) / (2 * test.power) for test in (cheap, dear)
    )
    slower = 1 / (2 * cheap.power) - 1 / (2 * dear.power)
    if slower == 0:
        return 0.0 if first <= second else math.inf
    log_budget = (first - second) / slower
    return math.exp(log_budget) if log_budget < 700 else math.inf

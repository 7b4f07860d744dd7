"""The paper's computer-assisted proof that Cov(Σ̂_ij, Σ̂_kl) has seven forms, and which.

1. Completeness. With i fixed, each of j, k, l is one of four names: 4³ = 64 assignments. Numbering
   by first appearance leaves 15 patterns of equality. The symmetries of the covariance leave seven
   classes, one for each printed formula.
2. Correctness. For every pattern, the printed formula is compared, as an exact polynomial in
   generic moments, with two derivations: the covariance of the conditional expectations of the
   U-statistic's kernel, and the covariance of the centred products c_i c_j and c_k c_l.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from edgewise.covcov.cases import (
    CASES,
    REPRESENTATIVES,
    Quadruple,
    canonical,
    case_of,
    symmetric_images,
)
from edgewise.covcov.polynomial import Polynomial, covariance


@dataclass(frozen=True)
class Pattern:
    """One of the 15 patterns of equality among i, j, k, l."""

    pattern: Quadruple
    assignments: int
    matches_kernel: bool
    matches_products: bool

    @property
    def holds(self) -> bool:
        return self.matches_kernel and self.matches_products


@dataclass(frozen=True)
class CaseClass:
    """One class under the symmetries, the number of its printed formula, and its members."""

    case: int
    members: tuple[Pattern, ...]

    @property
    def assignments(self) -> int:
        return sum(member.assignments for member in self.members)


@dataclass(frozen=True)
class Proof:
    """What was enumerated, what was verified, and the table of all 64 assignments."""

    classes: tuple[CaseClass, ...]
    correspondence: tuple[tuple[Quadruple, Quadruple, int], ...]

    @property
    def holds(self) -> bool:
        return (
            len(self.classes) == len(CASES)
            and sum(c.assignments for c in self.classes) == 4**3
            and all(member.holds for c in self.classes for member in c.members)
        )


def prove(formulas: Mapping[int, Callable[..., Any]] = CASES) -> Proof:
    """Enumerate the classes and verify `formulas`, by default the printed ones.

    Examples
    --------
    >>> proof = prove()
    >>> len(proof.classes), proof.holds
    (7, True)
    """
    assignments = [(0, j, k, l) for j, k, l in product(range(4), repeat=3)]
    patterns = sorted({canonical(a) for a in assignments})
    classes = {min(map(canonical, symmetric_images(p))) for p in patterns}
    case_of_class = {
        min(map(canonical, symmetric_images(pattern))): case
        for case, pattern in REPRESENTATIVES.items()
    }
    found = []
    for representative in classes:
        orbit = sorted(set(map(canonical, symmetric_images(representative))))
        members = tuple(
            _verify(pattern, sum(canonical(a) == pattern for a in assignments), formulas)
            for pattern in orbit
        )
        found.append(CaseClass(case_of_class[representative], members))
    return Proof(
        classes=tuple(sorted(found, key=lambda c: c.case)),
        correspondence=tuple((a, canonical(a), case_of(*a).case) for a in assignments),
    )


def _verify(
    pattern: Quadruple, assignments: int, formulas: Mapping[int, Callable[..., Any]]
) -> Pattern:
    i, j, k, l = pattern
    form = case_of(*pattern)
    printed = formulas[form.case](Polynomial.moment, *form.arguments)
    return Pattern(
        pattern=pattern,
        assignments=assignments,
        matches_kernel=printed == covariance(_projected(i, j), _projected(k, l)),
        matches_products=printed == covariance(_centred(i, j), _centred(k, l)),
    )


def _projected(i: int, j: int) -> Polynomial:
    """2 E[h(x, X') | x] for h = ½(x_i − X'_i)(x_j − X'_j), so that its covariance is 4ζ₁."""
    x, m = Polynomial.variable, Polynomial.moment
    return x(i) * x(j) - x(i) * m(j) - m(i) * x(j) + m(i, j)


def _centred(i: int, j: int) -> Polynomial:
    """c_i c_j."""
    x, m = Polynomial.variable, Polynomial.moment
    return (x(i) - m(i)) * (x(j) - m(j))

"""The paper's computer-assisted proof that Cov(Σ̂_ij, Σ̂_kl) has seven forms, and which.

1. Completeness. With i fixed, each of j, k, l is one of four names: 4³ = 64 assignments. Numbering
   by first appearance leaves 15 patterns of equality. The symmetries of the covariance leave seven
   classes, one for each printed formula.
2. Correctness. For every pattern, the printed formula is compared, as an exact polynomial in
   generic moments, with two derivations: the covariance of the conditional expectations of the
   U-statistic's kernel, and the covariance of the centred products c_i c_j and c_k c_l.

The seven formulas are as printed, over raw moments: each takes a lookup ``m(i, j, ...)`` =
⟨x_i x_j …⟩ and indices, and returns 4ζ₁. The lookup returns numbers or exact polynomials, so what
the tests of `edgewise.paper` use as an oracle is what is proven here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.paper.covcov import u_statistic_factor

MomentLookup = Callable[..., Any]
Quadruple = tuple[int, int, int, int]
#: Random variables in a term, and moments in it; both sorted.
Term = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]


def case_1(m: MomentLookup, i: int, j: int, k: int, l: int) -> Any:
    """Cov(Σ̂_ij, Σ̂_kl)."""
    return (
        m(i, j, k, l)
        - m(i) * m(j, k, l)
        - m(j) * m(i, k, l)
        - m(k) * m(i, j, l)
        - m(l) * m(i, j, k)
        + m(i) * m(k) * m(j, l)
        + m(j) * m(k) * m(i, l)
        + m(i) * m(l) * m(j, k)
        + m(j) * m(l) * m(i, k)
        - (m(i, j) - 2 * m(i) * m(j)) * (m(k, l) - 2 * m(k) * m(l))
    )


def case_2(m: MomentLookup, i: int, k: int) -> Any:
    """Cov(Σ̂_ii, Σ̂_kk)."""
    return (
        m(i, i, k, k)
        - 2 * m(i) * m(i, k, k)
        - 2 * m(k) * m(i, i, k)
        + 4 * m(i) * m(k) * m(i, k)
        - (m(i, i) - 2 * m(i) * m(i)) * (m(k, k) - 2 * m(k) * m(k))
    )


def case_3(m: MomentLookup, i: int, k: int, l: int) -> Any:
    """Cov(Σ̂_ii, Σ̂_kl)."""
    return (
        m(i, i, k, l)
        - 2 * m(i) * m(i, k, l)
        - m(k) * m(i, i, l)
        - m(l) * m(i, i, k)
        + 2 * m(i) * m(k) * m(i, l)
        + 2 * m(i) * m(l) * m(i, k)
        - (m(i, i) - 2 * m(i) * m(i)) * (m(k, l) - 2 * m(k) * m(l))
    )


def case_4(m: MomentLookup, i: int, j: int, l: int) -> Any:
    """Cov(Σ̂_ij, Σ̂_il)."""
    return (
        m(i, i, j, l)
        - 2 * m(i) * m(i, j, l)
        - m(j) * m(i, i, l)
        - m(l) * m(i, i, j)
        + m(i) * m(i) * m(j, l)
        + m(i) * m(j) * m(i, l)
        + m(i) * m(l) * m(i, j)
        + m(i, i) * m(j) * m(l)
        - (m(i, j) - 2 * m(i) * m(j)) * (m(i, l) - 2 * m(i) * m(l))
    )


def case_5(m: MomentLookup, i: int, j: int) -> Any:
    """Var(Σ̂_ij)."""
    return (
        m(i, i, j, j)
        - 2 * m(i) * m(i, j, j)
        - 2 * m(j) * m(i, i, j)
        + m(i) * m(i) * m(j, j)
        + m(j) * m(j) * m(i, i)
        + 2 * m(i) * m(j) * m(i, j)
        - (m(i, j) - 2 * m(i) * m(j)) * (m(i, j) - 2 * m(i) * m(j))
    )


def case_6(m: MomentLookup, i: int, l: int) -> Any:
    """Cov(Σ̂_ii, Σ̂_il)."""
    return (
        m(i, i, i, l)
        - 3 * m(i) * m(i, i, l)
        + 2 * m(i) * m(i) * m(i, l)
        - m(l) * m(i, i, i)
        + 2 * m(i) * m(l) * m(i, i)
        - (m(i, i) - 2 * m(i) * m(i)) * (m(i, l) - 2 * m(i) * m(l))
    )


def case_7(m: MomentLookup, i: int) -> Any:
    """Var(Σ̂_ii)."""
    return (
        m(i, i, i, i)
        - 4 * m(i) * m(i, i, i)
        + 4 * m(i) * m(i) * m(i, i)
        - (m(i, i) - 2 * m(i) * m(i)) * (m(i, i) - 2 * m(i) * m(i))
    )


CASES: dict[int, Callable[..., Any]] = dict(
    enumerate((case_1, case_2, case_3, case_4, case_5, case_6, case_7), start=1)
)

# One quadruple of each form, with its distinct indices numbered by first appearance. The formula
# takes these distinct indices, in that order.
REPRESENTATIVES: dict[int, tuple[int, int, int, int]] = {
    1: (0, 1, 2, 3),
    2: (0, 0, 1, 1),
    3: (0, 0, 1, 2),
    4: (0, 1, 0, 2),
    5: (0, 1, 0, 1),
    6: (0, 0, 0, 1),
    7: (0, 0, 0, 0),
}


def canonical(quadruple: Quadruple) -> Quadruple:
    """Number the indices by first appearance, because only which of them are equal matters.

    >>> canonical((7, 3, 7, 5))
    (0, 1, 0, 2)
    """
    seen: dict[int, int] = {}
    i, j, k, l = (seen.setdefault(index, len(seen)) for index in quadruple)
    return (i, j, k, l)


def symmetric_images(quadruple: Quadruple) -> list[Quadruple]:
    """The eight quadruples with the same covariance.

    Σ̂ is symmetric, so swapping i and j, or k and l, changes nothing; nor does swapping the entries.
    """
    images = []
    for swap_first, swap_second, exchange in product((False, True), repeat=3):
        first = quadruple[:2][::-1] if swap_first else quadruple[:2]
        second = quadruple[2:][::-1] if swap_second else quadruple[2:]
        i, j, k, l = second + first if exchange else first + second
        images.append((i, j, k, l))
    return images


class Form(NamedTuple):
    """Which of the seven formulas applies, and to which indices."""

    case: int
    arguments: tuple[int, ...]


_CASE_OF_PATTERN = {pattern: case for case, pattern in REPRESENTATIVES.items()}


def case_of(i: int, j: int, k: int, l: int) -> Form:
    """The form of Cov(Σ̂_ij, Σ̂_kl).

    >>> case_of(2, 5, 9, 2)
    Form(case=4, arguments=(2, 5, 9))
    """
    # One of the images always has a listed pattern: the proof shows that the cases are complete.
    image = next(q for q in symmetric_images((i, j, k, l)) if canonical(q) in _CASE_OF_PATTERN)
    return Form(_CASE_OF_PATTERN[canonical(image)], tuple(dict.fromkeys(image)))


def raw_moments(X: FloatArray) -> MomentLookup:
    """Empirical raw moments ⟨x_i x_j …⟩, each computed once."""

    @cache
    def lookup(indices: tuple[int, ...]) -> float:
        return float(np.mean(np.prod(X[:, indices], axis=1)))

    return lambda *indices: lookup(tuple(sorted(indices)))


def covariance_by_cases(m: MomentLookup, n_samples: int, i: int, j: int, k: int, l: int) -> float:
    """Cov(Σ̂_ij, Σ̂_kl) from the printed formulas; slow, and inaccurate if the means are large."""
    form = case_of(i, j, k, l)
    return u_statistic_factor(n_samples) * float(CASES[form.case](m, *form.arguments))


@dataclass(frozen=True)
class Polynomial:
    """Σ coefficient × term, without zero coefficients, so that equal polynomials compare equal.

    A term is a product of random variables x_i and of moments ⟨x_i x_j …⟩, where every moment is an
    unknown of its own. Two polynomials with the same terms are equal for all distributions whose
    moments exist, and conversely, because the empirical moments of enough rows are algebraically
    independent. Only sums and products of integers are needed, so a computer algebra system would
    add a dependency but no rigour.
    """

    terms: tuple[tuple[Term, int], ...]

    @staticmethod
    def of(counts: Counter[Term]) -> Polynomial:
        return Polynomial(tuple(sorted((term, c) for term, c in counts.items() if c)))

    @staticmethod
    def variable(index: int) -> Polynomial:
        """The random variable x_index."""
        return Polynomial(((((index,), ()), 1),))

    @staticmethod
    def moment(*indices: int) -> Polynomial:
        """The number ⟨x_i x_j …⟩."""
        return Polynomial(((((), (tuple(sorted(indices)),)), 1),))

    def _counts(self) -> Counter[Term]:
        return Counter(dict(self.terms))

    def __add__(self, other: Polynomial) -> Polynomial:
        counts = self._counts()
        for term, coefficient in other.terms:
            counts[term] += coefficient
        return Polynomial.of(counts)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        counts: Counter[Term] = Counter()
        if isinstance(other, int):
            return Polynomial.of(Counter({term: c * other for term, c in self.terms}))
        for (variables, moments), c in self.terms:
            for (other_variables, other_moments), other_c in other.terms:
                term = (
                    tuple(sorted(variables + other_variables)),
                    tuple(sorted(moments + other_moments)),
                )
                counts[term] += c * other_c
        return Polynomial.of(counts)

    __rmul__ = __mul__

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other * -1

    def expectation(self) -> Polynomial:
        """E over the random variables; moments are constants."""
        counts: Counter[Term] = Counter()
        for (variables, moments), c in self.terms:
            added = (variables,) if variables else ()
            counts[(), tuple(sorted(moments + added))] += c
        return Polynomial.of(counts)


def covariance(a: Polynomial, b: Polynomial) -> Polynomial:
    """Cov(a, b) = E[ab] − E[a]E[b]."""
    return (a * b).expectation() - a.expectation() * b.expectation()


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
class Proof:
    """The members of each class by the number of its formula, and the case of each assignment."""

    classes: dict[int, tuple[Pattern, ...]]
    table: tuple[tuple[Quadruple, Quadruple, int], ...]

    @property
    def holds(self) -> bool:
        members = [member for found in self.classes.values() for member in found]
        complete = sum(member.assignments for member in members) == len(self.table) == 4**3
        return complete and set(self.classes) == set(CASES) and all(m.holds for m in members)


def prove(formulas: Mapping[int, Callable[..., Any]] = CASES) -> Proof:
    """Enumerate the classes and verify `formulas`, by default the printed ones.

    >>> proof = prove()
    >>> len(proof.classes), proof.holds
    (7, True)
    """
    assignments = [(0, j, k, l) for j, k, l in product(range(4), repeat=3)]
    counts = Counter(map(canonical, assignments))
    orbits = {tuple(sorted(set(map(canonical, symmetric_images(p))))) for p in counts}
    classes = {}
    for orbit in orbits:
        (case,) = (case for case, pattern in REPRESENTATIVES.items() if pattern in orbit)
        classes[case] = tuple(_verify(pattern, counts[pattern], formulas) for pattern in orbit)
    table = tuple((a, canonical(a), case_of(*a).case) for a in assignments)
    return Proof(dict(sorted(classes.items())), table)


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


def show(proof: Proof) -> str:
    """The classes, and every assignment with its pattern and its case."""
    lines = [
        "Cov(Σ̂_ij, Σ̂_kl): i fixed, j, k, l each one of four names: 4³ = 64 assignments, 15",
        "patterns of equality, and under Σ̂_ij = Σ̂_ji, Σ̂_kl = Σ̂_lk, Cov(A, B) = Cov(B, A)",
        f"{len(proof.classes)} classes. The formula of each is compared with Cov of the kernel's",
        "projections, and of centred products.",
        "",
    ]
    for case, members in proof.classes.items():
        patterns = " ".join(_letters(member.pattern) for member in members)
        verdict = "proven" if all(member.holds for member in members) else "FALSE"
        count = sum(member.assignments for member in members)
        formula = str(CASES[case].__doc__).rstrip(".")
        lines.append(f"case {case}: {formula}, {count} assignments ({patterns}): {verdict}")
    lines += ["", "Every assignment (i j k l) → pattern → case:"]
    cells = [f"{_letters(a)} → {_letters(pattern)} → {case}" for a, pattern, case in proof.table]
    lines += ["   ".join(cells[start : start + 4]) for start in range(0, len(cells), 4)]
    verdict = "The seven formulas are proven." if proof.holds else "The proof FAILS."
    return "\n".join([*lines, "", verdict])


def _letters(pattern: Quadruple) -> str:
    return "".join("ijkl"[index] for index in pattern)

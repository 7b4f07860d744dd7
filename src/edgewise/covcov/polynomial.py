"""Exact polynomials in random variables and their moments, for the proof of the seven cases.

A term is an integer times a product of random variables x_i and of moments ⟨x_i x_j …⟩, where
every moment is an unknown of its own. Two polynomials with the same terms are equal for all
distributions whose moments exist. The converse holds as well, because the empirical moments of
enough rows are algebraically independent. Only sums and products of integers are needed, so a
computer algebra system would add a dependency but no rigour.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

#: Random variables in a term, and moments in it; both sorted.
Term = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]


@dataclass(frozen=True)
class Polynomial:
    """Σ coefficient × term, without zero coefficients, so that equal polynomials compare equal."""

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

"""The paper's seven forms of Cov(Σ̂_ij, Σ̂_kl), as printed, over raw moments.

Each function takes a moment lookup ``m(i, j, ...)`` = ⟨x_i x_j …⟩ and indices, and returns 4ζ₁.
The lookup may return numbers or exact polynomials. So the functions that the tests use as an oracle
are the same ones that `edgewise.covcov.proof` proves. `case_of` maps any quadruple of indices to
its form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, NamedTuple, Protocol

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.covcov.closed_form import u_statistic_factor


class MomentLookup(Protocol):
    def __call__(self, *indices: int) -> Any: ...


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


CASES: dict[int, Callable[..., Any]] = {
    1: case_1,
    2: case_2,
    3: case_3,
    4: case_4,
    5: case_5,
    6: case_6,
    7: case_7,
}

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

Quadruple = tuple[int, int, int, int]


def canonical(quadruple: Quadruple) -> Quadruple:
    """Number the indices by first appearance, because only which of them are equal matters.

    Examples
    --------
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

    Examples
    --------
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

"""The seven printed formulas, as the oracle of the closed form."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.covcov.cases import (
    CASES,
    REPRESENTATIVES,
    canonical,
    case_of,
    covariance_by_cases,
    raw_moments,
    symmetric_images,
)

P, N = 5, 300
quadruples = st.tuples(*[st.integers(0, 6)] * 4)


def rows_of(distribution):
    rng = np.random.default_rng(7)
    precision = ew.simulate.make_chain_precision(P)
    rows = ew.simulate.sample(distribution, precision, N, rng=rng)
    return rows * [1.0, 2.0, 0.5, 1.0, 3.0] + [0.5, -1.0, 2.0, 0.0, -0.7]


def definition(m, i, j, k, l):
    """4ζ₁ multiplied out: ⟨c_i c_j c_k c_l⟩ − ⟨c_i c_j⟩⟨c_k c_l⟩ with c = x − ⟨x⟩."""

    def central(*indices):
        total = 0.0
        for keep in product((True, False), repeat=len(indices)):
            kept = [a for a, k in zip(indices, keep, strict=True) if k]
            rest = [-m(a) for a, k in zip(indices, keep, strict=True) if not k]
            total += (m(*kept) if kept else 1.0) * np.prod(rest)
        return total

    return central(i, j, k, l) - central(i, j) * central(k, l)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "t5", "lognormal"])
def test_closed_form_equals_the_cases_for_every_quadruple(distribution):
    X = rows_of(distribution)
    m = raw_moments(X)
    matrix = ew.covariance_of_covariance(X)
    pairs = list(combinations_with_replacement(range(P), 2))
    position = {pair: k for k, pair in enumerate(pairs)}
    deviation = np.sqrt(matrix.diagonal())
    worst, seen = 0.0, set()
    for i, j, k, l in product(range(P), repeat=4):
        a, b = position[tuple(sorted((i, j)))], position[tuple(sorted((k, l)))]
        printed = covariance_by_cases(m, N, i, j, k, l)
        worst = max(worst, abs(printed - matrix[a, b]) / (deviation[a] * deviation[b]))
        seen.add(case_of(i, j, k, l).case)
    assert worst <= 1e-10
    assert seen == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_each_formula_is_the_definition(case):
    m = raw_moments(rows_of("lognormal"))
    indices = REPRESENTATIVES[case]
    arguments = tuple(dict.fromkeys(indices))
    np.testing.assert_allclose(CASES[case](m, *arguments), definition(m, *indices), rtol=1e-10)


@given(quadruples)
def test_dispatch_is_invariant_under_the_eight_symmetries(quadruple):
    images = symmetric_images(quadruple)
    assert len(images) == 8
    assert quadruple in images
    assert {case_of(*image).case for image in images} == {case_of(*quadruple).case}
    m = raw_moments(np.random.default_rng(0).standard_exponential((20, 7)))
    covariances = [covariance_by_cases(m, 20, *image) for image in images]
    np.testing.assert_allclose(covariances, covariances[0], rtol=1e-12, atol=1e-14)


@given(quadruples)
def test_dispatch_hands_each_different_index_once(quadruple):
    form = case_of(*quadruple)
    assert sorted(form.arguments) == sorted(set(quadruple))


@pytest.mark.parametrize(("case", "pattern"), REPRESENTATIVES.items())
def test_representatives_are_their_own_case(case, pattern):
    assert case_of(*pattern) == (case, tuple(dict.fromkeys(pattern)))
    assert canonical(pattern) == pattern


@given(quadruples, st.permutations(range(7)))
def test_names_do_not_matter(quadruple, names):
    renamed = tuple(names[i] for i in quadruple)
    assert canonical(renamed) == canonical(quadruple)
    assert case_of(*renamed).case == case_of(*quadruple).case


def test_raw_moments():
    X = rows_of("gaussian")
    m = raw_moments(X)
    assert m(2, 0, 2) == m(0, 2, 2)
    np.testing.assert_allclose(m(0, 2, 2), np.mean(X[:, 0] * X[:, 2] ** 2), rtol=1e-13)

"""The computer-assisted proof holds, and would not hold of other formulas."""

from functools import reduce
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reproduction.__main__ import main
from reproduction.proof import (
    CASES,
    REPRESENTATIVES,
    Polynomial,
    Proof,
    canonical,
    case_of,
    covariance,
    covariance_by_cases,
    prove,
    raw_moments,
    symmetric_images,
)

import edgewise as ew

PROOF = prove()
#: Patterns of equality, and of the 64 assignments, in each class.
SIZES = {1: (1, 6), 2: (1, 3), 3: (2, 12), 4: (4, 24), 5: (2, 6), 6: (4, 12), 7: (1, 1)}
P, N = 5, 300


def test_what_is_enumerated():
    assert PROOF.holds
    members = PROOF.classes.items()
    assert {case: (len(m), sum(one.assignments for one in m)) for case, m in members} == SIZES
    case_of_pattern = {one.pattern: case for case, m in members for one in m}
    assert len(case_of_pattern) == 15
    assert [a for a, _, _ in PROOF.table] == [(0, *rest) for rest in product(range(4), repeat=3)]
    for assignment, pattern, case in PROOF.table:
        assert pattern == canonical(assignment)
        assert case_of_pattern[pattern] == case
    (first, *_), rest = PROOF.classes.values(), dict(list(members)[1:])
    assert not Proof(rest, PROOF.table).holds
    assert not Proof(dict.fromkeys(CASES, first), PROOF.table).holds


def test_any_one_changed_coefficient_breaks_it():
    """Of the formulas multiplied out; and it breaks that class alone."""
    for case, formula in CASES.items():
        arguments = tuple(range(4))[: formula.__code__.co_argcount - 1]
        for (_, term), _ in formula(Polynomial.moment, *arguments).terms:

            def changed(m, *names, formula=formula, term=term):
                extra = (m(*(names[i] for i in moment)) for moment in term)
                return formula(m, *names) + reduce(lambda a, b: a * b, extra)

            broken = prove({**CASES, case: changed})
            assert not broken.holds
            for other, members in broken.classes.items():
                assert {one.holds for one in members} == {other != case}


def test_the_program_prints_it(capsys):
    assert main(["prove"]) == 0
    text = capsys.readouterr().out
    classes = [line for line in text.splitlines() if line.startswith("case ")]
    assert [line.split()[1] for line in classes] == [f"{case}:" for case in CASES]
    assert all(line.endswith(": proven") for line in classes)
    assert text.count(" → ") == 64 * 2 + 2  # every assignment, and the table's title
    assert text.endswith("The seven formulas are proven.\n")


def rows_of(distribution):
    precision = ew.simulate.make_chain_precision(P)
    rows = ew.simulate.sample(distribution, precision, N, rng=7)
    return rows * [1.0, 2.0, 0.5, 1.0, 3.0] + [0.5, -1.0, 2.0, 0.0, -0.7]


@pytest.mark.parametrize("distribution", ["gaussian", "lognormal"])
def test_closed_form_equals_the_cases_for_every_quadruple(distribution):
    X = rows_of(distribution)
    m = raw_moments(X)
    matrix = ew.covariance_of_covariance(X)
    position = {pair: k for k, pair in enumerate(combinations_with_replacement(range(P), 2))}
    deviation = np.sqrt(matrix.diagonal())
    for i, j, k, l in product(range(P), repeat=4):
        a, b = position[tuple(sorted((i, j)))], position[tuple(sorted((k, l)))]
        printed = covariance_by_cases(m, N, i, j, k, l)
        assert abs(printed - matrix[a, b]) <= 1e-10 * deviation[a] * deviation[b]


@pytest.mark.parametrize("case", CASES)
def test_each_formula_is_the_definition(case):
    """⟨c_i c_j c_k c_l⟩ − ⟨c_i c_j⟩⟨c_k c_l⟩ with c = x − ⟨x⟩."""
    X = rows_of("lognormal")
    C = X - X.mean(axis=0)
    i, j, k, l = REPRESENTATIVES[case]
    first, second = C[:, i] * C[:, j], C[:, k] * C[:, l]
    printed = CASES[case](raw_moments(X), *dict.fromkeys((i, j, k, l)))
    expected = np.mean(first * second) - np.mean(first) * np.mean(second)
    np.testing.assert_allclose(printed, expected, rtol=1e-9)


quadruples = st.tuples(*[st.integers(0, 6)] * 4)


@given(quadruples, st.permutations(range(7)))
def test_dispatch(quadruple, names):
    """It is invariant under the eight symmetries, and names do not matter."""
    images, form = symmetric_images(quadruple), case_of(*quadruple)
    assert len(images) == 8
    assert quadruple in images
    assert {case_of(*image).case for image in images} == {form.case}
    assert sorted(form.arguments) == sorted(set(quadruple))
    renamed = tuple(names[i] for i in quadruple)
    assert canonical(renamed) == canonical(quadruple)
    assert case_of(*renamed).case == form.case
    m = raw_moments(np.random.default_rng(0).standard_exponential((20, 7)))
    covariances = [covariance_by_cases(m, 20, *image) for image in images]
    np.testing.assert_allclose(covariances, covariances[0], rtol=1e-12, atol=1e-14)


ZERO = Polynomial(())
ROWS = np.random.default_rng(0).integers(-3, 4, (7, 4))
indices = st.integers(0, 3)
atoms = st.one_of(
    indices.map(Polynomial.variable),
    st.lists(indices, min_size=1, max_size=3).map(lambda i: Polynomial.moment(*i)),
)
monomials = st.tuples(st.integers(-5, 5), st.lists(atoms, min_size=1, max_size=3)).map(
    lambda drawn: reduce(lambda a, b: a * b, drawn[1]) * drawn[0]
)
polynomials = st.lists(monomials, max_size=4).map(lambda ms: reduce(lambda a, b: a + b, ms, ZERO))


def value(polynomial, row):
    """The number it stands for at one row, with the empirical moments of all rows."""
    total = 0
    for (variables, moments), coefficient in polynomial.terms:
        product = coefficient * np.prod(row[list(variables)])
        for moment in moments:
            product = product * np.mean(np.prod(ROWS[:, list(moment)], axis=1))
        total += product
    return total


@settings(max_examples=60)
@given(polynomials, polynomials, polynomials, st.integers(-4, 4))
def test_polynomials(a, b, c, k):
    """A commutative ring, on which expectation is linear; equal only where the terms are."""
    row = ROWS[0]
    assert value(a + b, row) == pytest.approx(value(a, row) + value(b, row), abs=1e-6)
    assert value(a * b, row) == pytest.approx(value(a, row) * value(b, row), abs=1e-6, rel=1e-9)
    mean = np.mean([value(a, r) for r in ROWS])
    assert value(a.expectation(), row) == pytest.approx(mean, abs=1e-6, rel=1e-9)
    assert a + b == b + a
    assert a * b == b * a
    assert a * (b + c) == a * b + a * c
    assert a - a == ZERO
    assert a * k + a == (k + 1) * a
    assert (a + b).expectation() == a.expectation() + b.expectation()
    assert covariance(a + b, c) == covariance(c, a) + covariance(c, b)
    assert covariance(a, b.expectation()) == ZERO
    x, m = Polynomial.variable, Polynomial.moment
    assert m(1, 0) == m(0, 1) != m(0) * m(1)
    assert covariance(x(0), x(0)) == m(0, 0) - m(0) * m(0)

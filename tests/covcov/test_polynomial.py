"""The exact polynomials form a commutative ring, and expectation is linear on it."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.covcov.polynomial import Polynomial, covariance

ZERO = Polynomial(())
indices = st.integers(0, 3)
atoms = st.one_of(
    indices.map(Polynomial.variable),
    st.lists(indices, min_size=1, max_size=3).map(lambda i: Polynomial.moment(*i)),
)
monomials = st.tuples(st.integers(-5, 5), st.lists(atoms, min_size=1, max_size=3)).map(
    lambda drawn: reduce(lambda a, b: a * b, drawn[1]) * drawn[0]
)
polynomials = st.lists(monomials, max_size=4).map(lambda ms: reduce(lambda a, b: a + b, ms, ZERO))

ROWS = np.random.default_rng(0).integers(-3, 4, (7, 4))


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
@given(polynomials, polynomials, polynomials)
def test_ring(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + ZERO == a
    assert a * ZERO == ZERO
    assert a - a == ZERO
    assert a - b == a + b * -1


@given(polynomials, st.integers(-4, 4))
def test_integer_multiples(a, k):
    assert a * k == k * a
    assert a * k + a == a * (k + 1)


@settings(max_examples=60)
@given(polynomials, polynomials)
def test_means_what_it_says(a, b):
    row = ROWS[0]
    assert value(a + b, row) == pytest.approx(value(a, row) + value(b, row), abs=1e-6)
    assert value(a * b, row) == pytest.approx(value(a, row) * value(b, row), abs=1e-6, rel=1e-9)
    mean = np.mean([value(a, r) for r in ROWS])
    assert value(a.expectation(), row) == pytest.approx(mean, abs=1e-6, rel=1e-9)


@given(polynomials, polynomials, polynomials)
def test_expectation_and_covariance(a, b, c):
    assert (a + b).expectation() == a.expectation() + b.expectation()
    assert a.expectation().expectation() == a.expectation()
    assert covariance(a, b) == covariance(b, a)
    assert covariance(a + b, c) == covariance(a, c) + covariance(b, c)
    assert covariance(a, b.expectation()) == ZERO


def test_equal_only_when_the_terms_are():
    x, m = Polynomial.variable, Polynomial.moment
    assert m(1, 0) == m(0, 1)
    assert x(0) * x(1) == x(1) * x(0)
    assert m(0) * m(0) != m(0, 0)
    assert x(0) != m(0)
    assert hash(x(0) * x(1)) == hash(x(1) * x(0))


def test_variance_of_a_variable():
    x, m = Polynomial.variable(0), Polynomial.moment
    assert covariance(x, x) == m(0, 0) - m(0) * m(0)

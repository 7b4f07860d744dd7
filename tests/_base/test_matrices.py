"""Pairs and units of symmetric matrices."""

import numpy as np
import pytest

from edgewise._base.matrices import (
    pairs_of,
    population_covariance,
    root_outer,
    symmetric,
    upper_pairs,
)


def a_matrix(p, seed=0):
    half = np.random.default_rng(seed).standard_normal((p, p))
    return half + half.T


@pytest.mark.parametrize("p", [1, 2, 5])
class TestPairs:
    def test_are_those_above_the_diagonal(self, p):
        matrix = a_matrix(p)
        expected = [matrix[i, j] for i in range(p) for j in range(i + 1, p)]
        assert pairs_of(matrix).tolist() == expected
        assert matrix[upper_pairs(p)].tolist() == expected

    def test_of_a_stack(self, p):
        stack = np.stack([a_matrix(p, seed) for seed in range(3)])
        assert pairs_of(stack).tolist() == [pairs_of(matrix).tolist() for matrix in stack]

    def test_make_the_matrix_again(self, p):
        matrix = a_matrix(p)
        found = symmetric(pairs_of(matrix), p, diagonal=matrix.diagonal())
        np.testing.assert_array_equal(found, matrix)

    def test_make_it_with_the_diagonal_among_them(self, p):
        matrix = a_matrix(p)
        np.testing.assert_array_equal(symmetric(matrix[np.triu_indices(p)], p), matrix)


def test_the_kind_of_numbers_stays():
    assert symmetric(np.array([True]), 2, diagonal=False).dtype == bool
    assert symmetric(np.array([1]), 2, diagonal=np.nan).dtype == float


def test_units():
    matrix = a_matrix(4) + 10 * np.eye(4)
    scaled = matrix / root_outer(matrix)
    np.testing.assert_allclose(scaled.diagonal(), 1)
    np.testing.assert_allclose(scaled[0, 1], matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1]))


def test_population_covariance():
    X = np.random.default_rng(0).standard_normal((7, 3))
    found = population_covariance(np.cov(X, rowvar=False), 7)
    np.testing.assert_allclose(found, np.cov(X, rowvar=False, bias=True), rtol=1e-12, atol=1e-15)

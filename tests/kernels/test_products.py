"""Products of the columns of a block are the sums written down directly."""

import numpy as np
import pytest

from edgewise.kernels.products import add_gram, mirrored, row_products, upper_products


@pytest.mark.parametrize("p", [1, 2, 15, 16, 17, 40])
def test_gram(p):
    z = np.random.default_rng(0).standard_normal((p, 300))
    expected = 1 + np.einsum("ik,jk->ij", z, z)
    for order in "CF":
        total = np.ones((p, p))
        add_gram(total, np.array(z, order=order))
        np.testing.assert_allclose(mirrored(total), expected, rtol=1e-12, atol=1e-12)


def test_mirrored_copies_what_is_below_the_diagonal():
    total = np.arange(9.0).reshape(3, 3)
    found = mirrored(total)
    np.testing.assert_array_equal(found, [[0, 3, 6], [3, 4, 7], [6, 7, 8]])
    assert found is total


def test_what_stands_above_the_diagonal_does_not_count():
    total = np.array([[1.0, np.nan], [2.0, 3.0]])
    np.testing.assert_array_equal(mirrored(total), [[1, 2], [2, 3]])


@pytest.mark.parametrize("p", [1, 4])
def test_upper_products(p):
    c = np.random.default_rng(0).standard_normal((p, 20))
    found = upper_products(c, np.empty((p * (p + 1) // 2, 20)))
    i, j = np.triu_indices(p)
    np.testing.assert_array_equal(found, c[i] * c[j])


@pytest.mark.parametrize("order", ["C", "F"])
def test_row_products(order):
    a, b = np.random.default_rng(0).standard_normal((2, 5, 60))
    found = row_products(np.array(a, order=order), np.array(b, order=order))
    np.testing.assert_allclose(found, np.sum(a * b, axis=1), rtol=1e-12, atol=1e-12)

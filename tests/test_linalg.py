"""Inverses of many symmetric matrices, beside NumPy's."""

import numpy as np
import pytest

from edgewise._linalg import symmetric_inverses


@pytest.mark.parametrize("p", [1, 3, 47, 48, 90])
def test_as_numpy_has_them(p):
    rows = np.random.default_rng(p).standard_normal((4, 3 * p + 5, p))
    matrices = rows.transpose(0, 2, 1) @ rows / rows.shape[1]
    kept = matrices.copy()
    inverse, definite = symmetric_inverses(matrices)
    assert definite.all()
    np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(matrices, kept)
    if p >= 48:
        np.testing.assert_array_equal(inverse, inverse.transpose(0, 2, 1))


@pytest.mark.parametrize("p", [5, 60])
def test_one_that_is_not_definite_says_so(p):
    matrices = np.stack([np.eye(p), np.eye(p), np.eye(p)])
    matrices[1, 0, 0] = -1.0
    inverse, definite = symmetric_inverses(matrices)
    assert definite.tolist() == [True, False, True]
    np.testing.assert_array_equal(inverse[[0, 2]], matrices[[0, 2]])


def test_one_that_is_singular_says_so():
    matrices = np.stack([np.eye(60), np.ones((60, 60))])
    assert symmetric_inverses(matrices)[1].tolist() == [True, False]
    assert not symmetric_inverses(np.ones((1, 4, 4)))[1].any()

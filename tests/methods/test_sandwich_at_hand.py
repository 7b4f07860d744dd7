"""The quick sandwich is that of the Wald test of two groups."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.evidence.opening import open_evidence
from edgewise.methods.wald import Wald


@pytest.mark.parametrize("strong", [False, True])
def test_the_same_numbers_as_any_table_gives(strong):
    X = np.random.default_rng(0).standard_t(5, (200, 5))
    X[:, 1] += X[:, 0]
    if strong:  # a partial correlation of nearly one, where terms would cancel
        X[:, 2] = X[:, 0] + 1e-2 * X[:, 2]
    X = X * [1, 1e5, 1, 1e-8, 1] + [0, 1e6, 1, 0, 3]
    method = Wald()
    measured = method.measure_group(open_evidence(X, method.needs, "a test"))
    z, variance = method.fisher_z_of_rows(X)
    pairs = np.triu_indices(5, k=1)
    partial = measured.partial_correlation[pairs]
    assert (np.abs(partial).max() > 0.99) == strong
    np.testing.assert_allclose(np.tanh(z), partial, rtol=1e-9)
    # Two ways to centre and scale; the strong pair keeps fewer digits.
    errors = measured.uncertainty.spread.fisher_z[pairs]
    np.testing.assert_allclose(np.sqrt(variance), errors, rtol=1e-6 if strong else 1e-10)


def test_the_floor_of_gaussian_rows():
    """Where two rare events never meet, the rows show next to no variance of their product."""
    X = np.zeros((100, 3))
    X[:4, 0] = X[4:8, 1] = X[8:12, 2] = 1.0
    _, variance = Wald().fisher_z_of_rows(X)
    np.testing.assert_allclose(variance, 1 / 96)


def test_without_an_inverse_there_is_no_number():
    X = np.random.default_rng(1).standard_normal((100, 3))
    X[:, 1] = 2.0
    z, variance = Wald().fisher_z_of_rows(X)
    assert np.isnan(z).any()
    assert np.isnan(variance).any()

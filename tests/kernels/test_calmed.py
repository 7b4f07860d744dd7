"""Correlations of rows that are not allowed to be large."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.kernels.calmed import calmed_correlation, calmed_sums, usual_size
from edgewise.states.moments import Moments


def sums(X, blocks=None):
    centre, scale = Moments().update(X).centre(), X.std(axis=0)
    usual = usual_size(X, centre, scale)
    return calmed_sums(iter([X] if blocks is None else blocks), centre, scale, usual)


def slow(X):
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    size = (z**2).mean(axis=1)
    return np.cov(z.T, aweights=1 / np.maximum(size, np.median(size)))


@pytest.mark.parametrize(("n", "p"), [(50, 8), (30, 60), (200, 400)])
def test_as_in_plain_words(n, p):
    X = np.random.default_rng(0).standard_t(3, (n, p)) * 7 + 100
    found = calmed_correlation(*sums(X))
    covariance = slow(X)
    root = np.sqrt(covariance.diagonal())
    np.testing.assert_allclose(found, covariance / root / root[:, np.newaxis], atol=1e-9)


def test_blocks_add_up():
    X = np.random.default_rng(1).standard_t(3, (60, 9))
    for whole, parts in zip(sums(X), sums(X, np.split(X, [1, 30])), strict=True):
        np.testing.assert_allclose(whole, parts, rtol=1e-10, atol=1e-12)


def test_one_huge_row_decides_nothing():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 40))
    huge = X.copy()
    huge[0] *= 1e4
    assert np.abs(np.corrcoef(huge.T) - np.eye(40)).max() > 0.99
    assert np.abs(calmed_correlation(*sums(huge)) - np.eye(40)).max() < 0.9
    plain = calmed_correlation(*sums(X))
    assert np.abs(plain - np.corrcoef(X.T)).max() < 0.05

"""What the tests of methods and of inference share."""

import warnings

import numpy as np

import edgewise as ew
from edgewise.errors import EdgewiseWarning

CORRECTIONS = ["holm", "bonferroni", "bh", "by", None]


def rows_of(distribution, n, p, seed=0, weight=0.3):
    """Rows of a chain, away from zero."""
    theta = ew.simulate.make_chain_precision(p, weight)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def coins(n):
    """Three columns of ±1, each often equal to the one before it."""
    flips = np.random.default_rng(0).random((n, 3)) < [0.5, 0.2, 0.45]
    return np.cumprod(np.where(flips, -1.0, 1.0), axis=1)


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


def quiet_test(data, method, **options):
    """The test, without warnings about too few rows; a known range where a radius needs one."""
    if method != "kendall" and options.get("radius") in ("hoeffding", "bernstein"):
        options.setdefault("support", np.stack([data.min(axis=0), data.max(axis=0)], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        return ew.edge_test(data, method=method, **options)

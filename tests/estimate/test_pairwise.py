"""A covariance whose entries come from different rows: what cannot be inverted, by name."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.sums.pairwise import PairwiseMoments
from edgewise.tables.table import ColumnBlock

NAMES = ("age", "dose", "weight", "score")


@pytest.fixture
def gaps():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((120, 4))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def misfit(copies):
    """Correlations of nearly 1, 1 and −1, each from rows that lack the third column."""
    rng = np.random.default_rng(0)
    blocks = []
    for lacking, (i, j), sign in ((2, (0, 1), 1), (1, (0, 2), 1), (0, (1, 2), -1)):
        X = np.full((copies, 4), np.nan)
        shared = rng.standard_normal(copies)
        X[:, i] = shared + 0.1 * rng.standard_normal(copies)
        X[:, j] = sign * shared + 0.1 * rng.standard_normal(copies)
        X[:, 3] = rng.standard_normal(copies)
        assert np.isnan(X[:, lacking]).all()
        blocks.append(X)
    return np.concatenate(blocks)


def with_weights(X, w):
    if w is None:
        return X
    rows = ColumnBlock.of(np.asarray(X)[w > 0])
    rows.weights = w[w > 0]
    return rows


def pooled(X, weights=None):
    return PairwiseMoments(2).update(with_weights(X, weights)).pooled()


def refused(refuses, X, *fragments, weights=None, methods=("score", "wald", "batch")):
    """By the estimator itself, and by every test that uses it."""
    found = pooled(X, weights)
    refuses(lambda: pairwise_precision(found, NAMES), DataError, *fragments)
    for method in methods:
        refuses(
            lambda method=method: ew.edge_test(
                X, method=method, missing="pairwise", weights=weights, feature_names=NAMES
            ),
            DataError,
            *fragments,
        )


def test_is_the_inverse_of_the_covariance_in_any_units(gaps):
    found = pooled(gaps)
    estimate = pairwise_precision(found, NAMES)
    np.testing.assert_allclose(estimate.covariance, found.covariance(), rtol=1e-13)
    product = estimate.precision @ estimate.covariance
    np.testing.assert_allclose(product, np.eye(4), rtol=0, atol=1e-12)
    assert estimate.n_samples == 120
    other = pairwise_precision(pooled(gaps * [1e-6, 1.0, 1e9, 3.0]), NAMES)
    np.testing.assert_allclose(
        other.partial_correlation, estimate.partial_correlation, rtol=1e-9, atol=1e-12
    )


def test_a_column_without_values(gaps, refuses):
    gaps[:, 2] = np.nan
    words = "X: expected values in every column, got none in column 'weight'; leave it out"
    refused(refuses, gaps, words)
    gaps[:, 0] = np.inf
    refused(refuses, gaps, "got none in column 'age'", "'weight'")


def test_a_pair_never_seen_together(gaps, refuses):
    gaps[::2, 1] = np.nan
    gaps[1::2, 3] = np.nan
    refused(
        refuses,
        gaps,
        "X: expected every pair of columns together in some rows, got none for "
        "'dose' and 'score' (0 rows); leave one of them out",
        "edgewise.pool",
    )


def test_too_few_rows_together(gaps, refuses):
    gaps = np.where(np.isnan(gaps), 0.0, gaps)
    gaps[::2, 1] = np.nan
    gaps[13::2, 3] = np.nan
    assert pooled(gaps).pair_rows[1, 3] == 6
    pairwise_precision(pooled(gaps), NAMES)  # just enough
    gaps[5::2, 3] = np.nan
    refused(
        refuses,
        gaps,
        "X: expected more than 5 rows with both columns of every pair, because there are 4 "
        "columns, got 'dose' and 'score' (2 rows); leave one",
    )


@pytest.mark.parametrize("copies", [30, 400])
def test_covariances_that_do_not_fit_together(refuses, copies):
    X = misfit(copies)
    assert np.linalg.eigvalsh(pooled(X).covariance())[0] < 0
    refused(
        refuses,
        X,
        "X: too many values are missing for missing='pairwise': the covariances do not fit "
        "together (their matrix is not positive definite). The pairs with least overlap are "
        f"'age' and 'dose' ({copies} rows); 'age' and 'weight' ({copies} rows); "
        f"'dose' and 'weight' ({copies} rows); leave one of them out",
    )


def test_weights_worth_too_few_rows(refuses):
    X = np.random.default_rng(0).standard_normal((200, 4))
    weights = np.full(200, 1e-6)
    weights[:4] = 1.0
    refused(
        refuses,
        X,
        "weights: expected an effective sample size (Σw)²/Σw² above 5, because there are 4 "
        "columns, got 4: few rows have most of the weight",
        weights=weights,
    )

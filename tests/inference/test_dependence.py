"""Dependence between rows, and columns that look like levels."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.inference.diagnosis import dependence_pvalue, level_columns


def walks(n, p, seed):
    return np.random.default_rng(seed).standard_normal((p, n)).cumsum(axis=1)


def autoregressive(memory, n, p, seed):
    noise = np.random.default_rng(seed).standard_normal((p, n))
    for t in range(1, n):
        noise[:, t] += memory * noise[:, t - 1]
    return noise


def test_the_dependence_test_holds_its_level():
    """Bonferroni over pairs: at most 5 % of 400 tables below 0.05, within three errors."""
    rng = np.random.default_rng(3)
    below = [dependence_pvalue(rng.standard_normal((3, 500))) < 0.05 for _ in range(400)]
    assert np.mean(below) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_columns_that_are_mostly_zero_keep_their_clip():
    rng = np.random.default_rng(2)
    residuals = rng.standard_normal((2, 2000)) * (rng.random((2, 2000)) < 0.3)
    assert dependence_pvalue(residuals) > 0.001


def test_too_few_rows_for_any_lag_say_nothing_about_dependence():
    assert dependence_pvalue(np.random.default_rng(0).standard_normal((3, 9))) == 1.0


def test_many_columns_are_sampled():
    assert dependence_pvalue(autoregressive(0.7, 500, 200, 0)) < 1e-9
    assert dependence_pvalue(np.random.default_rng(1).standard_normal((200, 500))) > 0.001


@pytest.mark.parametrize("lag", [1, 2, 5])
def test_dependence_at_one_lag(lag):
    noise = np.random.default_rng(lag).standard_normal((3, 2000))
    noise[:, lag:] += noise[:, :-lag].copy()
    assert dependence_pvalue(noise) < 1e-6


@pytest.mark.parametrize("n", [1500, 8000])
def test_random_walks_are_levels(n):
    """Each of five walks with probability 0.99 or so: some of them in 30 of 30 tables."""
    found = [level_columns(walks(n, 5, seed)).sum() for seed in range(30)]
    assert min(found) >= 1
    assert np.mean(found) > 4.6


@pytest.mark.parametrize("memory", [0.0, 0.7, 0.9])
@pytest.mark.parametrize("n", [500, 2000])
def test_columns_with_a_mean_are_no_levels(memory, n):
    for seed in range(30):
        assert not level_columns(autoregressive(memory, n, 5, seed)).any()


def test_a_trend():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 1000))
    rows[1] += np.linspace(0, -10, 1000)
    assert level_columns(rows).tolist() == [False, True, False]
    assert level_columns(rows * [[1e9], [1e-9], [1]] + 1e6).tolist() == [False, True, False]


def test_what_cannot_be_a_level():
    assert not level_columns(np.zeros((2, 500))).any()
    assert not level_columns(walks(29, 3, 0)).any()

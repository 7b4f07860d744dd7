"""Rubin's rules against the formulas of others, number by number."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.references import CERTAIN
from edgewise.inference.rubin import pool_estimates


def one_number(estimates, errors, degrees):
    """Mean, standard error, λ and ν of one entry, in plain numbers.

    ν in the form of `barnard.rubin` of R's mice 3.18, which has no division by λ.
    """
    m = len(estimates)
    mean = sum(estimates) / m
    within = sum(error**2 for error in errors) / m
    between = sum((one - mean) ** 2 for one in estimates) / (m - 1)
    total = within + between + between / m
    share = (1 + 1 / m) * between / total
    complete = 1 / (sum(1 / one for one in degrees) / m)
    part = (1 - share) * (1 + complete) * complete
    nu = (m - 1) * part / ((complete + 3) * (m - 1) + share**2 * part)
    return mean, math.sqrt(total), share, nu


@pytest.mark.parametrize("m", [2, 5, 40])
def test_every_entry_by_itself(m):
    rng = np.random.default_rng(m)
    estimates = list(rng.standard_normal((m, 4, 3)) * 10.0 ** rng.integers(-3, 2, (4, 3)))
    errors, degrees = list(rng.random((m, 4, 3)) + 0.1), list(rng.random((m, 4, 3)) * 300 + 3)
    made = pool_estimates(estimates, errors, degrees)
    for place in np.ndindex(4, 3):
        expected = one_number(*([x[place] for x in part] for part in (estimates, errors, degrees)))
        got = (made.mean, made.standard_error, made.missing, made.degrees)
        np.testing.assert_allclose([one[place] for one in got], expected, rtol=1e-10)


def test_degrees_of_rubin_1987():
    """SAS/STAT, "Combining inferences" of PROC MI: 484 for m = 5 and r = 10 %, without ν_com."""
    apart = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # B = 2.5, (1 + 1/5)B = 3
    error = math.sqrt(30)  # r = 3/30
    made = pool_estimates(
        [np.array([x]) for x in apart], [np.array([error])] * 5, [np.array([1e15])] * 5
    )
    np.testing.assert_allclose(made.degrees, 484, rtol=1e-9)
    np.testing.assert_allclose(made.missing, 1 / 11, rtol=1e-12)


def test_degrees_stay_above_zero_and_finite():
    made = pool_estimates(
        [np.array([0.0, 1.0]), np.array([1e6, 1.0])],
        [np.array([1e-9, 1.0])] * 2,
        [np.array([5.0, CERTAIN])] * 2,
    )
    assert (made.degrees > 0).all()
    assert (made.degrees <= CERTAIN).all()


@pytest.mark.parametrize(
    ("method", "degrees"),
    [("fisher", 396), ("batch", None), ("kendall", 399), ("elliptical", 396), ("score", 397)],
)
def test_degrees_of_complete_rows(rows, method, degrees):
    result = ew.edge_test(rows, method=method)
    expected = result.options["n_batches"] - 1 if degrees is None else degrees
    assert result.uncertainty.complete_degrees(400, 4) == expected


def test_degrees_of_each_pair(rows):
    own = ew.edge_test(rows, method="wald").uncertainty
    assert own.complete_degrees(400, 4) is own.reference.df


def test_groups_are_the_terms_of_the_score_test(rows):
    own = ew.edge_test(rows, clusters=np.arange(400) // 10).uncertainty
    assert (own.complete_degrees(400, 4, 40) <= 39).all()


@pytest.mark.parametrize("method", ["score", "wald", "fisher"])
def test_errors_of_fishers_z(rows, method):
    result = ew.edge_test(rows, method=method)
    error = result.uncertainty.fisher_z_error(result.partial_correlation)
    pairs = np.triu_indices(4, k=1)
    rho = result.partial_correlation[pairs]
    of_rho = result.partial_correlation_standard_error[pairs]
    np.testing.assert_allclose(error[pairs] * (1 - rho**2), of_rho)

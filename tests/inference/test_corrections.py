"""Corrections against slow statements of their definitions."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.inference.corrections import CORRECTIONS, adjust, log_critical_level

ALPHAS = [1e-4, 0.01, 0.05, 0.3]
METHODS = ["holm", "bonferroni", "bh", "by"]

# Ties on purpose: half of the p-values come from a handful of values.
pvalues = st.lists(
    st.one_of(st.sampled_from([1e-300, 1e-4, 0.01, 0.05, 0.5, 1.0]), st.floats(1e-12, 1.0)),
    min_size=1,
    max_size=25,
)


def rejected(p, alpha, correction):
    """Which hypotheses a procedure rejects, as its authors state it."""
    m = len(p)
    if correction is None:
        return [x <= alpha for x in p]
    if correction == "bonferroni":
        return [x <= alpha / m for x in p]
    order = sorted(range(m), key=lambda i: p[i])
    if correction == "holm":  # step down: stop at the first p-value that is too large
        count = 0
        while count < m and p[order[count]] <= alpha / (m - count):
            count += 1
    else:  # step up: the last p-value that is small enough takes all before it along
        price = sum(1 / k for k in range(1, m + 1)) if correction == "by" else 1.0
        small = [k for k in range(1, m + 1) if p[order[k - 1]] <= k * alpha / (m * price)]
        count = max(small, default=0)
    # Tied p-values share their fate.
    return [count > 0 and x <= p[order[count - 1]] for x in p]


def adjusted(p, correction):
    """Adjusted p-values by their textbook formulas, quadratic in m."""
    m = len(p)
    s = sorted(p)
    price = sum(1 / k for k in range(1, m + 1)) if correction == "by" else 1.0
    formulas = {
        "bonferroni": lambda x: m * x,
        "holm": lambda x: max((m - k) * s[k] for k in range(m) if s[k] <= x),
        "bh": lambda x: min(m / (k + 1) * s[k] for k in range(m) if s[k] >= x),
        "by": lambda x: min(price * m / (k + 1) * s[k] for k in range(m) if s[k] >= x),
    }
    return [min(1.0, formulas[correction](x)) for x in p]


def borderline(values, alpha):
    return np.any(np.abs(np.asarray(values) / alpha - 1) < 1e-9)


@settings(max_examples=150)
@given(pvalues, st.sampled_from(METHODS))
def test_adjusted_pvalues(p, correction):
    found = np.exp(adjust(np.log(p), correction))
    np.testing.assert_allclose(found, adjusted(p, correction), rtol=1e-12)


@settings(max_examples=150)
@given(pvalues, st.sampled_from(CORRECTIONS), st.sampled_from(ALPHAS))
def test_decisions_are_those_of_the_procedure(p, correction, alpha):
    log_adjusted = adjust(np.log(p), correction)
    if borderline(np.exp(log_adjusted), alpha):
        return  # rounding decides
    np.testing.assert_array_equal(log_adjusted <= math.log(alpha), rejected(p, alpha, correction))


@settings(max_examples=150)
@given(pvalues, st.sampled_from(CORRECTIONS), st.sampled_from(ALPHAS))
def test_critical_level_separates(p, correction, alpha):
    log_p = np.log(p)
    log_adjusted = adjust(log_p, correction)
    if borderline(np.exp(log_adjusted), alpha):
        return
    reject = log_adjusted <= math.log(alpha)
    level = log_critical_level(len(p), int(reject.sum()), alpha, correction)
    np.testing.assert_array_equal(log_p <= level, reject)


def test_pvalues_below_the_smallest_float_stay_apart():
    log_p = np.array([-1e5, -9e4, -2000.0, -1.0])
    assert np.all(np.diff(adjust(log_p, "holm")) > 0)
    np.testing.assert_allclose(adjust(log_p, "holm")[0], -1e5 + math.log(4), rtol=1e-15)


def test_known_values():
    """R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), method) for each method."""
    log_p = np.log([0.01, 0.02, 0.03, 0.04, 0.05])
    expected = {
        "holm": [0.05, 0.08, 0.09, 0.09, 0.09],
        "bonferroni": [0.05, 0.10, 0.15, 0.20, 0.25],
        "bh": [0.05] * 5,
        "by": [0.05 * 137 / 60] * 5,
    }
    for correction, values in expected.items():
        np.testing.assert_allclose(np.exp(adjust(log_p, correction)), values, rtol=1e-12)

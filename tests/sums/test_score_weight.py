"""The weight of a row against exact variances of errors that are known."""

import numpy as np
import pytest

from edgewise.sums.score import believed_tau, row_tau, score_weight


def test_the_weight():
    """One over 1 − h for rows of one scale, over its square where a row's own scale dominates."""
    left = np.array([1.0, 0.5, 0.1, 1e-10])
    np.testing.assert_allclose(score_weight(left, 1.0), 1 / left, rtol=1e-14)
    np.testing.assert_allclose(score_weight(left, 0.0), left**-2, rtol=1e-14)


@pytest.mark.parametrize("law", ["one scale", "t3", "contaminated"])
@pytest.mark.parametrize(("n", "p"), [(500, 50), (250, 50), (200, 10)])
def test_the_weight_makes_up_for_the_fit(law, n, p):
    """Var(Σ e_ie_j) = Σ σ_k²g_k exactly, for errors of known variances; g² is what e_i²e_j² shows.

    With the τ of these variances the weighted sum of g² is the variance, for rows of one scale, and
    up to a third more where scales differ; hardly less.
    """
    rng = np.random.default_rng(0)
    scale = {
        "one scale": np.ones(n),
        "t3": 1 / np.sqrt(rng.chisquare(3, n) / 3),
        "contaminated": np.where(rng.random(n) < 0.05, 5.0, 1.0),
    }[law]
    variance = scale**2 / np.mean(scale**2)
    Z = np.column_stack([np.ones(n), rng.standard_normal((n, p - 2)) * scale[:, np.newaxis]])
    H = Z @ np.linalg.pinv(Z)
    h, left = H.diagonal(), np.eye(n) - H
    g = left**2 @ variance
    own = np.maximum((g - h * (1 - h)) / (1 - h) ** 2, 0.5)
    estimated = np.sum(score_weight(1 - h, 1 / own) * g**2)
    ratio = estimated / np.sum(variance * g)
    if law == "one scale":
        assert ratio == pytest.approx(1, abs=1e-9)
    assert 0.97 < ratio < 1.33


def test_two_columns_have_no_scale_to_believe_in():
    square = np.random.default_rng(0).chisquare(1, (2, 50))
    np.testing.assert_allclose(row_tau(square, np.full(50, 0.9), 50), 1.0, atol=0.02)


def test_the_belief_written_down():
    variance, p = np.array([0.1, 0.5, 0.9, 1.0, 2.0, 30.0, 500.0]), 8
    for seen, tau in zip(variance, believed_tau(variance, p), strict=True):
        few = 0.9 * 6 / 18
        excess = max(seen - 1, 0)
        belief = few + (1 - few) * excess**2 / (excess**2 + 3600)
        assert tau == pytest.approx(1 - belief * (1 - 1 / max(seen, 0.5)), rel=1e-12)

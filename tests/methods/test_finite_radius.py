"""The radii for every number of rows: from rows, files and states."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning, ParameterError
from edgewise.paper.radii import BernsteinRadius
from edgewise.states import Moments

NAMES = ("a", "b", "c")
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


def boxed(n=4000, seed=0):
    """Rows within (0, 1), (−5, 5) and (99, 101), the first two with an edge."""
    rng = np.random.default_rng(seed)
    X = rng.beta(2.0, 2.0, (n, 3))
    X[:, 1] = (X[:, 0] + X[:, 1]) / 2
    return X * [1.0, 10.0, 2.0] + [0.0, -5.0, 99.0]


SUPPORT = ((0.0, 1.0), (-5.0, 5.0), (99.0, 101.0))
BERNSTEIN = {"radius": "bernstein", "support": SUPPORT}


def expected_radius(X, A):
    low, high = np.array(SUPPORT).T
    lengths = high - low
    c = (X - X.mean(axis=0)) / lengths
    s = c.T @ c / len(X)
    deviation = np.sqrt((c**2).T @ c**2 / len(X) - s**2)
    reach = np.maximum(X.mean(axis=0) - low, high - X.mean(axis=0)) / lengths
    return BernsteinRadius(len(X), reach, s, deviation, np.abs(A) * lengths)


@pytest.mark.parametrize("method", ["whitened", "spectral", "standardized"])
def test_bernstein_from_the_rows(method):
    X = boxed()
    S = np.cov(X, rowvar=False)
    A = {
        "whitened": np.linalg.inv(np.linalg.cholesky(S)),
        "spectral": np.eye(3),
        "standardized": np.diag(1 / np.sqrt(S.diagonal())),
    }[method]
    options = {"standardize": True} if method == "standardized" else {}
    found = ew.edge_test(
        X, method=method.replace("standardized", "spectral"), **BERNSTEIN, **options
    )
    assert found.radius == pytest.approx(expected_radius(X, A).epsilon(0.05), rel=1e-9)
    hoeffding = ew.edge_test(X, method=found.method, radius="hoeffding", support=SUPPORT, **options)
    assert 5 * found.radius < hoeffding.radius


@pytest.mark.parametrize("method", ["whitened", "spectral"])
def test_a_plan_is_where_the_threshold_falls_to_the_effect(method):
    pilot = boxed(2000)
    options = BERNSTEIN if method == "whitened" else BERNSTEIN | {"standardize": True}
    plan = ew.plan_sample_size(pilot, effect=0.4, method=method, **options)
    # As many rows as planned, that have the same moments: copies of the pilot.
    copies = np.tile(pilot, (round(plan.n_samples / 2000), 1))
    at = ew.edge_test(copies, method=method, **options)
    root = np.sqrt(at.precision.diagonal())
    relative = np.median((at.threshold / np.outer(root, root))[np.triu_indices(3, 1)])
    assert relative == pytest.approx(0.4, rel=0.05)


class TestChebyshev:
    def test_is_the_formula(self):
        X = boxed()
        n, p, k = 4000, 3, 1.5
        v = (k * p * (p + 2) - p) / n + p * (p + 1) / (n * (n - 1))
        found = ew.edge_test(X, method="whitened", radius="chebyshev", kurtosis=k)
        assert found.radius == pytest.approx(math.sqrt(v / 0.05), rel=1e-13)
        rho = np.abs(found.partial_correlation[np.triu_indices(3, 1)])
        np.testing.assert_array_equal(
            found.reject[np.triu_indices(3, 1)], rho >= math.sqrt(v / 0.05)
        )
        np.testing.assert_allclose(
            found.pvalue[np.triu_indices(3, 1)], np.minimum(v / rho**2, 1.0), rtol=1e-9
        )
        assert found.options == {"radius": "chebyshev", "kurtosis": 1.5}

    def test_a_state_or_a_stream_is_enough(self):
        method = ew.methods.Whitened(radius="chebyshev", kurtosis=2)
        expected = ew.edge_test(boxed(), method=method)
        batches = ew.states.BatchMoments(n_batches=20)
        blocks = iter(np.array_split(boxed(), 4))
        for data in (Moments().update(boxed()), batches.update(boxed()), blocks):
            found = ew.edge_test(data, method=method)
            assert found.radius == pytest.approx(expected.radius, rel=1e-12)
            np.testing.assert_allclose(found.precision, expected.precision, rtol=1e-9)

    def test_a_plan(self):
        plan = ew.plan_sample_size(
            boxed(), effect=0.3, method="whitened", radius="chebyshev", kurtosis=1
        )
        assert plan.n_samples == pytest.approx(3 * 4 / (0.05 * 0.09), rel=1e-3)

    def test_no_distribution_has_so_little(self, refuses):
        refuses(
            lambda: ew.edge_test(boxed(), method="whitened", radius="chebyshev", kurtosis=0.5),
            ParameterError,
            "kurtosis: expected at least 0.6 with 3 columns",
            "got 0.5",
        )

    def test_rows_that_show_more_than_was_declared(self):
        X = np.random.default_rng(0).laplace(size=(4000, 3))
        with pytest.warns(BrokenAssumptionWarning, match="at most 1 times was declared"):
            found = ew.edge_test(X, method="whitened", radius="chebyshev", kurtosis=1)
        assert next(one.kind for one in found.cautions) == "kurtosis"
        assert not ew.edge_test(X, method="whitened", radius="chebyshev", kurtosis=3).cautions


@pytest.mark.parametrize("radius", ["hoeffding", "bernstein"])
def test_a_known_range_needs_no_moments(radius):
    """The same rows have a caution about their tails where the bound needs fourth moments."""
    X = np.random.default_rng(0).standard_t(1.5, (5_000, 3))
    with pytest.warns(EdgewiseWarning):
        without = ew.edge_test(X, method="whitened", radius="trace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        within = ew.edge_test(X, method="whitened", radius=radius, support=(-1e9, 1e9))
    assert any("fourth moments" in caution for caution in without.cautions)
    assert not any("fourth moments" in caution for caution in within.cautions)

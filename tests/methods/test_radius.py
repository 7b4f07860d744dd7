"""The radii that the whitened and the spectral bound share: levels, solvers, what they refuse."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import ParameterError, TooFewRowsWarning
from edgewise.bounds.chi2 import upper_quantile
from edgewise.evidence import from_rows

RADII = ["trace", "chi2", "eig", "hoeffding", "bernstein"]
BOUNDS = [(method, radius) for method in ("whitened", "spectral") for radius in RADII]
MAX_TRACE_ALPHA = 0.2151
every_bound = pytest.mark.parametrize(("method", "radius"), BOUNDS)


def bound(X, method, radius="trace", **options):
    """The test, without the warning that an infinite threshold comes with."""
    if radius in ("hoeffding", "bernstein"):
        options.setdefault("support", np.stack([X.min(axis=0), X.max(axis=0)], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, method=method, radius=radius, **options)


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def coins(n):
    """Three columns of ±1, each often equal to the one before it."""
    flips = np.random.default_rng(0).random((n, 3)) < [0.5, 0.2, 0.45]
    return np.cumprod(np.where(flips, -1.0, 1.0), axis=1)


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


def covariance_of_whitened(X, whiten=True, left_out=False):
    """Cov of the entries of Σ̂ in Frobenius weights, for whitened rows: the definition.

    With `left_out`, each row is in units of the covariance without it.
    """
    n, p = X.shape
    c = X - X.mean(axis=0)
    if whiten:
        c = c @ np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))).T
    i, j = np.triu_indices(p)
    products = c[:, i] * c[:, j] * np.where(i < j, math.sqrt(2), 1)
    mean = products.mean(axis=0)
    if left_out:
        products /= 1 - 1 / n - np.sum(c**2, axis=1, keepdims=True) / (n - 1)
    fourth = products.T @ products / n
    return (n - 2) / (n * (n - 1)) * (fourth - np.outer(mean, mean))


class TestRadius:
    @staticmethod
    def of_chi2(X, method):
        whitened = method == "whitened"
        spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whitened, left_out=whitened))
        return math.sqrt(upper_quantile(0.05, np.maximum(spectrum, 0.0)))

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_eig_and_chi2_come_from_the_spectrum(self, method):
        X = rows_of("exponential", 500, 4)
        spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whiten=method == "whitened"))
        eig = stats.norm.isf(0.025) * math.sqrt(spectrum[-1])
        assert bound(X, method, "eig").radius == pytest.approx(eig, rel=1e-10)
        chi2 = self.of_chi2(X, method)
        assert bound(X, method, "chi2").radius == pytest.approx(chi2, rel=1e-9)
        trace = stats.norm.isf(0.025) * math.sqrt(spectrum.sum())
        assert bound(X, method, "trace").radius == pytest.approx(trace, rel=1e-10)
        assert eig <= chi2 <= trace

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_trace_does_not_build_the_matrix(self, method, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        monkeypatch.setattr(from_rows, "covcov_matrix", refuse)
        X = rows_of("gaussian", 2000, 4)
        assert bound(X, method).radius > 0
        with pytest.raises(AssertionError, match="the d × d matrix was built"):
            bound(X, method, "chi2")

    @every_bound
    def test_too_few_rows_say_how_many_would_do(self, method, radius):
        X = rows_of("gaussian", 8, 4)
        result = bound(X, method, radius)
        assert result.threshold == math.inf
        assert not result.reject.any()
        assert f"{result.rows_needed:,} rows would make it finite" in result.summary()
        limit = 1 if method == "whitened" else np.linalg.eigvalsh(result.covariance)[0]
        needed = 8 * (result.radius / limit) ** 2
        if radius == "bernstein":  # which falls faster than n^{−1/2}
            assert 8 < result.rows_needed < needed
        else:
            assert needed < result.rows_needed <= needed + 1


class TestPValues:
    @pytest.mark.exactness
    @every_bound
    def test_at_most_alpha_exactly_where_rejected(self, method, radius):
        decisions = set()
        X = coins(50_000)
        for alpha in (1e-9, 1e-3, 0.05, 0.2, 0.6, 0.95):
            if radius == "trace" and alpha > MAX_TRACE_ALPHA:
                continue
            result = bound(X, method, radius, alpha=alpha)
            reached = off_diagonal(np.abs(result.precision) >= result.threshold)
            np.testing.assert_array_equal(off_diagonal(result.pvalue <= alpha), reached)
            np.testing.assert_array_equal(off_diagonal(result.reject), reached)
            np.testing.assert_array_equal(result.adjusted_pvalue, result.pvalue)
            assert result.correction is None
            decisions |= set(reached)
        assert decisions == {False, True}

    @every_bound
    def test_is_the_level_at_which_the_decision_turns(self, method, radius):
        found = 0
        for n in (50, 100, 200, 500, 1000, 5000, 20_000, 50_000):
            X = coins(n)
            pvalue = bound(X, method, radius).pvalue[0, 1]
            if 1e-100 < pvalue < 0.2:
                found += 1
                assert bound(X, method, radius, alpha=pvalue * (1 + 1e-6)).reject[0, 1]
                assert not bound(X, method, radius, alpha=pvalue * (1 - 1e-6)).reject[0, 1]
        assert found


class TestOptions:
    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_alpha_that_only_chi2_proves(self, method):
        X = rows_of("gaussian", 2000, 3)
        with pytest.raises(ParameterError, match=r"at most 0.2151.*radius='chi2'"):
            bound(X, method, alpha=0.3)
        assert bound(X, method, "chi2", alpha=0.3).alpha == 0.3

    @pytest.mark.parametrize("radius", ["Trace", "", None, 2])
    def test_unknown_radius(self, radius, refuses):
        X = rows_of("gaussian", 100, 3)
        refuses(lambda: bound(X, "whitened", radius), ParameterError, "radius: expected one of")


class TestSolver:
    @pytest.mark.parametrize("standardize", [False, True])
    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    @pytest.mark.parametrize("distribution", ["gaussian", "t5", "lognormal"])
    def test_eig_without_the_matrix(self, distribution, method, standardize):
        options = {"standardize": True} if standardize and method == "spectral" else {}
        X = rows_of(distribution, 2000, 15) * np.logspace(-1, 1, 15)
        full = bound(X, method, "eig", solver="full", **options)
        found = bound(X, method, "eig", solver="matrix-free", **options)
        assert full.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= full.radius * (1 + 1e-3)
        assert full.options.items() >= {"radius": "eig", "solver": "full"}.items()
        assert found.options.items() >= {"radius": "eig", "solver": "matrix-free"}.items()
        assert 0 < found.options["width"] <= 1e-3
        assert found.options["iterations"] > 1
        assert found.options["products"] > 1
        assert not {"width", "iterations", "products"} & set(full.options)

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_chi2_without_the_matrix(self, method):
        X = rows_of("gaussian", 2000, 14)
        full = bound(X, method, "chi2", solver="full")
        found = bound(X, method, "chi2", solver="matrix-free")
        assert full.options["solver"] == "full"
        assert full.radius <= found.radius <= full.radius * 1.02
        assert found.radius < bound(X, method, "trace").radius
        assert found.options.items() >= {"radius": "chi2", "solver": "matrix-free"}.items()
        assert 0 < found.options["width"] < 0.02
        assert found.options["products"] > found.options["iterations"] > 1
        # The levels are those of the radius that was used.
        reached = off_diagonal(np.abs(found.precision) >= found.threshold)
        np.testing.assert_array_equal(off_diagonal(found.pvalue <= 0.05), reached)

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_chi2_of_more_than_63_columns_is_estimated(self, method, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        X = rows_of("gaussian", 400, 64)
        monkeypatch.setattr(from_rows, "covcov_matrix", refuse)
        found = bound(X, method, "chi2")
        assert found.options.items() >= {"radius": "chi2", "solver": "matrix-free"}.items()
        assert 0 < found.options["width"] < 0.02
        exact = TestRadius.of_chi2(X, method)
        assert exact <= found.radius <= exact * (1.002 + 2 * found.options["width"])
        assert found.radius <= bound(X, method, "trace").radius

    def test_chi2_of_63_columns_is_not(self, monkeypatch):
        """Up to there the spectrum takes about a second."""
        built = []

        def build(*arguments, **options):
            built.append(options)
            return np.diag([1e-4, 2e-4])

        monkeypatch.setattr(from_rows, "covcov_matrix", build)
        result = bound(rows_of("gaussian", 200, 63), "whitened", "chi2")
        assert result.options == {"radius": "chi2", "solver": "full"}
        assert len(built) == 1
        assert result.radius < 0.1

    @pytest.mark.parametrize(
        ("method", "radius"), [("whitened", "eig"), ("spectral", "eig"), ("whitened", "chi2")]
    )
    def test_other_numbers(self, method, radius):
        X = rows_of("gaussian", 1000, 13)
        for other in (X.astype(np.float32), np.rint(100 * X).astype(np.int32)):
            options = {"solver": "matrix-free"}
            found = bound(other, method, radius, **options)
            expected = bound(other.astype(np.float64), method, radius, **options)
            assert found.radius == pytest.approx(expected.radius, rel=1e-6)

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    @pytest.mark.parametrize("radius", ["trace", "chi2", "eig"])
    def test_unknown(self, method, radius, refuses):
        X = rows_of("gaussian", 100, 3)
        refuses(
            lambda: bound(X, method, radius, solver="lanczos"),
            ParameterError,
            "solver: expected one of",
            "'matrix-free'",
            "'lanczos'",
        )

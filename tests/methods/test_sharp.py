"""The spectral and the whitened bound: radii, thresholds, p-values, and what they refuse."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import edgewise as ew
from edgewise import DataError, Moments, ParameterError, TooFewRowsWarning
from edgewise.bounds.chi2 import upper_quantile
from edgewise.methods import sharp

RADII = ["trace", "chi2", "eig", "hoeffding"]
BOUNDS = [(method, radius) for method in ("whitened", "spectral") for radius in RADII]
MAX_TRACE_ALPHA = 0.2151
every_bound = pytest.mark.parametrize(("method", "radius"), BOUNDS)


def bound(X, method, radius="trace", **options):
    """The test, without the warning that an infinite threshold comes with."""
    if radius == "hoeffding":
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


def covariance_of_whitened(X, whiten=True):
    """Cov of the entries of Σ̂ in Frobenius weights, for whitened rows: the definition."""
    n, p = X.shape
    c = X - X.mean(axis=0)
    if whiten:
        c = c @ np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))).T
    i, j = np.triu_indices(p)
    products = c[:, i] * c[:, j] * np.where(i < j, math.sqrt(2), 1)
    return (n - 2) / (n * (n - 1)) * np.cov(products, rowvar=False, bias=True)


class TestRadius:
    @pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.05, 0.2])
    @pytest.mark.parametrize("p", [2, 5])
    def test_whitened_trace_is_a_closed_form_in_mardias_kurtosis(self, p, alpha):
        X = rows_of("t5", 800, p)
        n, c = len(X), X - X.mean(axis=0)
        theta = np.linalg.inv(np.cov(X, rowvar=False))
        b = np.mean(np.einsum("ri,ij,rj->r", c, theta, c) ** 2)
        expected = stats.norm.isf(alpha / 2) * math.sqrt(
            (n - 2) / (n * (n - 1)) * (b - p * ((n - 1) / n) ** 2)
        )
        result = bound(X, "whitened", alpha=alpha)
        assert result.radius == pytest.approx(expected, rel=1e-11)

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_eig_and_chi2_come_from_the_spectrum(self, method):
        X = rows_of("exponential", 500, 4)
        spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whiten=method == "whitened"))
        eig = stats.norm.isf(0.025) * math.sqrt(spectrum[-1])
        assert bound(X, method, "eig").radius == pytest.approx(eig, rel=1e-10)
        chi2 = math.sqrt(upper_quantile(0.05, spectrum))
        assert bound(X, method, "chi2").radius == pytest.approx(chi2, rel=1e-9)
        trace = stats.norm.isf(0.025) * math.sqrt(spectrum.sum())
        assert bound(X, method, "trace").radius == pytest.approx(trace, rel=1e-10)
        assert eig <= chi2 <= trace

    @pytest.mark.parametrize("standardize", [False, True])
    def test_spectral_hoeffding(self, standardize):
        X = np.random.default_rng(0).uniform([-1, 0, 5], [1, 4, 6], (301, 3))
        lengths = np.array([2.0, 4.0, 1.0])
        if standardize:
            lengths = lengths / X.std(axis=0, ddof=1)
        ranges = np.outer(lengths, lengths) - np.diag(lengths**2 / 2)
        expected = np.linalg.norm(ranges, 2) * math.sqrt(math.log(2 * 6 / 0.05) / (2 * 150))
        support = [(-1, 1), (0, 4), (5, 6)]
        found = bound(X, "spectral", "hoeffding", support=support, standardize=standardize)
        assert found.radius == pytest.approx(expected, rel=1e-12)

    def test_whitened_hoeffding(self):
        X = np.random.default_rng(0).uniform(0, 1, (400, 3)) @ [[1, 0.5, 0], [0, 0.5, 0], [0, 0, 1]]
        inverse = np.abs(np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))))
        entries = (np.ones((3, 3)) - np.eye(3) / 2) * math.sqrt(math.log(12 / 0.05) / 400)
        expected = np.linalg.norm(inverse @ entries @ inverse.T, 2)
        found = bound(X, "whitened", "hoeffding", support=(0, 1))
        assert found.radius == pytest.approx(expected, rel=1e-11)

    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_trace_does_not_build_the_matrix(self, method, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        monkeypatch.setattr(sharp, "covcov_matrix", refuse)
        X = rows_of("gaussian", 2000, 4)
        assert bound(X, method).radius > 0
        with pytest.raises(AssertionError, match="the d × d matrix was built"):
            bound(X, method, "chi2")


class TestThreshold:
    @settings(max_examples=40)
    @given(
        st.integers(0, 10**6),
        st.integers(2, 6),
        st.sampled_from(["gaussian", "laplace", "t5", "exponential", "lognormal"]),
        st.sampled_from([1e-6, 0.05, 0.2]),
        st.booleans(),
    )
    def test_spectral_is_never_above_the_papers(self, seed, p, distribution, alpha, standardize):
        X = rows_of(distribution, 100 + seed % 20_000, p, seed)
        X = X * 2.0 ** np.random.default_rng(seed).integers(-2, 3, p)
        for radius in ("trace", "eig"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TooFewRowsWarning)
                paper = ew.edge_test(X, method=radius, alpha=alpha, standardize=standardize)
            found = bound(X, "spectral", radius, alpha=alpha, standardize=standardize)
            assert found.radius <= paper.radius * (1 + 1e-12)
            assert found.threshold <= paper.threshold * (1 + 1e-12)
            assert np.all(found.reject >= paper.reject)

    def test_spectral_is_the_formula(self):
        result = bound(rows_of("gaussian", 20_000, 4), "spectral")
        smallest = np.linalg.eigvalsh(result.covariance)[0]
        expected = result.radius / (smallest * (smallest - result.radius))
        assert result.threshold == pytest.approx(expected, rel=1e-11)

    @pytest.mark.parametrize("radius", RADII)
    def test_whitened_is_one_number_for_all_partial_correlations(self, radius):
        result = bound(coins(50_000), "whitened", radius)
        root = np.sqrt(result.precision.diagonal())
        relative = off_diagonal(result.threshold / np.outer(root, root))
        tau = result.radius / (1 - result.radius)
        np.testing.assert_allclose(relative, tau, rtol=1e-12)
        np.testing.assert_array_equal(
            off_diagonal(result.reject), off_diagonal(np.abs(result.partial_correlation) >= tau)
        )
        assert np.isnan(np.diagonal(result.threshold)).all()

    @pytest.mark.parametrize("radius", RADII)
    @pytest.mark.parametrize("power", [-60, 3, 60])
    def test_whitened_does_not_see_units(self, power, radius):
        X = rows_of("exponential", 6000, 4)
        scale = 10.0 ** np.array([power, 0, -power, power / 2])
        plain, scaled = bound(X, "whitened", radius), bound(X * scale, "whitened", radius)
        assert scaled.radius == pytest.approx(plain.radius, rel=1e-9)
        np.testing.assert_allclose(scaled.log_pvalue, plain.log_pvalue, rtol=1e-7, atol=1e-9)
        np.testing.assert_array_equal(scaled.reject, plain.reject)

    @pytest.mark.parametrize("radius", ["trace", "chi2", "eig"])
    def test_whitened_radius_is_affine_invariant(self, radius):
        X = rows_of("t5", 2000, 4)
        mixing = np.random.default_rng(1).standard_normal((4, 4))
        found, expected = bound(X @ mixing - 5, "whitened", radius), bound(X, "whitened", radius)
        assert found.radius == pytest.approx(expected.radius, rel=1e-9)

    @every_bound
    def test_too_few_rows_say_how_many_would_do(self, method, radius):
        X = rows_of("gaussian", 8, 4)
        result = bound(X, method, radius)
        assert result.threshold == math.inf
        assert not result.reject.any()
        assert f"{result.rows_needed:,} rows would make it finite" in result.summary()
        limit = 1 if method == "whitened" else np.linalg.eigvalsh(result.covariance)[0]
        needed = 8 * (result.radius / limit) ** 2
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

    def test_many_columns_interpolate_between_exact_levels(self):
        """More than 300 pairs take the other branch of the χ² levels."""
        X = rows_of("gaussian", 8000, 26)
        X[:, 0] += X[:, 1]
        result = bound(X, "whitened", "chi2", alpha=0.5)
        found = off_diagonal(result.reject)
        np.testing.assert_array_equal(off_diagonal(result.pvalue <= 0.5), found)
        assert 0 < found.mean() < 1


class TestOptions:
    @pytest.mark.parametrize("radius", RADII)
    def test_standardize_is_the_test_of_standardized_columns(self, radius):
        X = rows_of("exponential", 6000, 3) * [1e-3, 1.0, 1e4]
        found = bound(X, "spectral", radius, standardize=True)
        expected = bound(X / X.std(axis=0, ddof=1), "spectral", radius)
        assert found.radius == pytest.approx(expected.radius, rel=1e-10)
        assert found.threshold == pytest.approx(expected.threshold, rel=1e-9)
        for field in ("covariance", "precision", "log_pvalue"):
            np.testing.assert_allclose(
                getattr(found, field), getattr(expected, field), rtol=1e-8, atol=1e-12
            )
        assert (found.options["radius"], found.options["standardize"]) == (radius, True)

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

    def test_spectral_trace_needs_only_a_state(self):
        X = rows_of("laplace", 3000, 4)
        state = Moments().update(X[:1000]) + Moments().update(X[1000:])
        found, expected = bound(state, "spectral"), bound(X, "spectral")
        assert found.threshold == pytest.approx(expected.threshold, rel=1e-10)
        np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-9)

    @pytest.mark.parametrize(
        ("method", "options"),
        [("whitened", {}), ("spectral", {"radius": "chi2"}), ("spectral", {"standardize": True})],
    )
    def test_what_reads_twice_refuses_a_state(self, method, options):
        state = Moments().update(rows_of("gaussian", 100, 3))
        with pytest.raises(DataError, match=f"method '{method}' reads the rows twice"):
            ew.edge_test(state, method=method, **options)


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
        monkeypatch.setattr(sharp, "covcov_matrix", refuse)
        found = bound(X, method, "chi2")
        assert found.options.items() >= {"radius": "chi2", "solver": "matrix-free"}.items()
        assert 0 < found.options["width"] < 0.02
        spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whiten=method == "whitened"))
        exact = math.sqrt(upper_quantile(0.05, np.maximum(spectrum, 0.0)))
        assert exact <= found.radius <= exact * (1.002 + 2 * found.options["width"])
        assert found.radius <= bound(X, method, "trace").radius

    def test_chi2_of_63_columns_is_not(self, monkeypatch):
        """Up to there the spectrum takes about a second."""
        built = []

        def build(*arguments, **options):
            built.append(options)
            return np.diag([1e-4, 2e-4])

        monkeypatch.setattr(sharp, "covcov_matrix", build)
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

    def test_from_a_file(self, tmp_path):
        X = rows_of("t5", 1000, 13)
        np.save(tmp_path / "x.npy", X)
        for radius in ("eig", "chi2"):
            found = bound(tmp_path / "x.npy", "whitened", radius, solver="matrix-free")
            expected = bound(X, "whitened", radius, solver="matrix-free")
            assert found.radius == pytest.approx(expected.radius, rel=1e-3)

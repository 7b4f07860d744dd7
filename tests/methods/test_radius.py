"""The radii of bounds: their formulas, levels and solvers, and p-values that agree with them."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import coins, off_diagonal, quiet_test, rows_of

from edgewise.errors import ParameterError
from edgewise.inference import sample as sample_module
from edgewise.paper.radii import upper_quantile

RADII = ["trace", "chi2", "eig", "hoeffding", "bernstein"]
BOUNDS = [(method, {"radius": name}) for method in ("whitened", "spectral") for name in RADII]
EVERY = [
    *BOUNDS,
    ("trace", {"mu": 0.1}),
    ("eig", {"mu": 0.1}),
    ("trace", {"mu": 0.1, "standardize": True}),
    ("entrywise", {}),
]
both = pytest.mark.parametrize("method", ["whitened", "spectral"])


def proven(method, options, alpha):
    return alpha < 0.2151 or "trace" not in (method, options.get("radius"))


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


def radius_of_chi2(X, method):
    whitened = method == "whitened"
    spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whitened, left_out=whitened))
    return math.sqrt(upper_quantile(0.05, np.maximum(spectrum, 0.0)))


@both
def test_radii_come_from_the_spectrum(method):
    X = rows_of("exponential", 500, 4)
    spectrum = np.linalg.eigvalsh(covariance_of_whitened(X, whiten=method == "whitened"))
    eig = stats.norm.isf(0.025) * math.sqrt(spectrum[-1])
    assert quiet_test(X, method, radius="eig").radius == pytest.approx(eig, rel=1e-10)
    chi2 = radius_of_chi2(X, method)
    assert quiet_test(X, method, radius="chi2").radius == pytest.approx(chi2, rel=1e-9)
    trace = stats.norm.isf(0.025) * math.sqrt(spectrum.sum())
    assert quiet_test(X, method, radius="trace").radius == pytest.approx(trace, rel=1e-10)
    assert eig <= chi2 <= trace


@pytest.mark.parametrize(("method", "options"), BOUNDS)
def test_too_few_rows_say_how_many_would_do(method, options):
    result = quiet_test(rows_of("gaussian", 8, 4), method, **options)
    assert result.threshold == math.inf
    assert not result.reject.any()
    assert f"{result.rows_needed:,} rows would make it finite" in result.summary()
    limit = 1 if method == "whitened" else np.linalg.eigvalsh(result.covariance)[0]
    needed = 8 * (result.radius / limit) ** 2
    if options["radius"] == "bernstein":  # which falls faster than n^{−1/2}
        assert 8 < result.rows_needed < needed
    else:
        assert needed < result.rows_needed <= needed + 1


class TestPValues:
    @pytest.mark.exactness
    @pytest.mark.parametrize(("method", "options"), EVERY)
    def test_at_most_alpha_exactly_where_rejected(self, method, options):
        decisions = set()
        X = coins(50_000)
        for alpha in (1e-9, 1e-3, 0.05, 0.2, 0.6, 0.95):
            if not proven(method, options, alpha):
                continue
            result = quiet_test(X, method, alpha=alpha, **options)
            reached = off_diagonal(np.abs(result.precision) >= result.threshold)
            np.testing.assert_array_equal(off_diagonal(result.pvalue <= alpha), reached)
            np.testing.assert_array_equal(off_diagonal(result.reject), reached)
            np.testing.assert_array_equal(result.adjusted_pvalue, result.pvalue)
            assert result.correction is None
            decisions |= set(reached)
        assert decisions == {False, True}

    @pytest.mark.parametrize(("method", "options"), [one for one in EVERY if one[1]])
    def test_is_the_level_at_which_the_decision_turns(self, method, options):
        found = 0
        for n in (50, 100, 200, 500, 1000, 5000, 20_000, 50_000):
            X = coins(n)
            pvalue = quiet_test(X, method, **options).pvalue[0, 1]
            if 1e-100 < pvalue < 0.2 and found < 2:
                found += 1
                for factor, rejected in ((1 + 1e-6, True), (1 - 1e-6, False)):
                    again = quiet_test(X, method, alpha=pvalue * factor, **options)
                    assert again.reject[0, 1] == rejected
        assert found

    @both
    def test_alpha_that_only_chi2_proves(self, method):
        X = rows_of("gaussian", 2000, 3)
        with pytest.raises(ParameterError, match=r"at most 0.2151.*radius='chi2'"):
            quiet_test(X, method, radius="trace", alpha=0.3)
        assert quiet_test(X, method, radius="chi2", alpha=0.3).alpha == 0.3


class TestSolver:
    @pytest.mark.parametrize(
        ("method", "options"),
        [("whitened", {}), ("spectral", {}), ("spectral", {"standardize": True})],
    )
    def test_eig_without_the_matrix(self, method, options):
        X = rows_of("lognormal", 2000, 15) * np.logspace(-1, 1, 15)
        full = quiet_test(X, method, radius="eig", solver="full", **options)
        found = quiet_test(X, method, radius="eig", solver="matrix-free", **options)
        assert full.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= full.radius * (1 + 1e-3)
        assert full.options.items() >= {"radius": "eig", "solver": "full"}.items()
        assert found.options.items() >= {"radius": "eig", "solver": "matrix-free"}.items()
        assert 0 <= found.options["width"] <= 1e-3
        assert not {"width", "iterations", "products"} & set(full.options)

    def test_chi2_without_the_matrix(self, tmp_path):
        X, method = rows_of("gaussian", 1000, 12), "whitened"
        full = quiet_test(X, method, radius="chi2", solver="full")
        options = {"radius": "chi2", "solver": "matrix-free"}
        found = quiet_test(X, method, **options)
        assert full.options["solver"] == "full"
        assert full.radius * (1 - 1e-12) <= found.radius <= full.radius * 1.02
        assert found.radius < quiet_test(X, method, radius="trace").radius
        assert found.options.items() >= options.items()
        assert 0 <= found.options["width"] < 0.02
        # The levels are those of the radius that was used.
        reached = off_diagonal(np.abs(found.precision) >= found.threshold)
        np.testing.assert_array_equal(off_diagonal(found.pvalue <= 0.05), reached)
        np.save(tmp_path / "x.npy", X.astype(np.float32))
        again = quiet_test(tmp_path / "x.npy", method, **options)
        assert again.radius == pytest.approx(found.radius, rel=1e-3)

    def test_chi2_of_more_than_63_columns_is_estimated(self, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        X, method = rows_of("gaussian", 400, 64), "whitened"
        with monkeypatch.context() as patch:
            patch.setattr(sample_module, "covcov_matrix", refuse)
            found = quiet_test(X, method, radius="chi2")
            assert found.radius <= quiet_test(X, method, radius="trace").radius
            with pytest.raises(AssertionError, match="the d × d matrix was built"):
                quiet_test(X[:, :63], method, radius="chi2")
        assert found.options.items() >= {"radius": "chi2", "solver": "matrix-free"}.items()
        assert 0 <= found.options["width"] < 0.02
        exact = radius_of_chi2(X, method)
        assert exact <= found.radius <= exact * (1.002 + 2 * found.options["width"])

"""The paper's Algorithm 1, with both of its radii, against the authors' own program."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import off_diagonal, quiet_test, rows_of

import edgewise as ew
from edgewise._linalg import population_covariance
from edgewise.errors import DataError, TooFewRowsWarning
from edgewise.paper.covcov import trace_from_quartics
from edgewise.states import Moments

FOLDER = Path(__file__).parents[1] / "reference"
REFERENCE = json.loads((FOLDER / "edge_thresholds.json").read_text("utf-8"))
cases = pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["name"])
methods = pytest.mark.parametrize("method", ["trace", "eig"])


class TestAuthorsProgram:
    @cases
    @methods
    def test_radius_threshold_and_decisions(self, case, method):
        X = np.load(FOLDER / case["data"])
        assert X.shape == (case["n"], case["p"])
        result = quiet_test(X, method, alpha=REFERENCE["alpha"], mu=REFERENCE["mu"])
        expected = float(case[f"thresh_{method}"])
        assert result.threshold == pytest.approx(expected, rel=1e-10)
        np.testing.assert_array_equal(
            off_diagonal(result.reject), off_diagonal(case[f"reject_{method}"]) == 1
        )
        assert not result.reject.diagonal().any()
        np.testing.assert_allclose(result.covariance, case["sigma_hat"], rtol=1e-10)
        np.testing.assert_allclose(result.precision, case["theta_hat"], rtol=1e-10)
        assert (result.rows_needed or 0) > case["n"] or not math.isinf(expected)
        variance = case["covcov_trace" if method == "trace" else "covcov_eigmax"]
        radius = math.sqrt(2 * variance) * stats.norm.isf(REFERENCE["alpha"] / 2)
        assert result.radius == pytest.approx(radius, rel=1e-10)

    @cases
    def test_covariance_of_the_covariance(self, case):
        X = np.load(FOLDER / case["data"])
        matrix = ew.covariance_of_covariance(X)
        scale = np.sqrt(np.outer(matrix.diagonal(), matrix.diagonal()))
        assert np.max(np.abs(matrix - case["covcov"]) / scale) <= 1e-10
        assert np.trace(matrix) == pytest.approx(case["covcov_trace"], rel=1e-10)
        assert np.linalg.eigvalsh(matrix)[-1] == pytest.approx(case["covcov_eigmax"], rel=1e-10)
        # The trace from one pass, as `Trace` finds it.
        moments = Moments().update(X)
        s = population_covariance(moments.covariance(), len(X))
        found = trace_from_quartics(len(X), s, moments.quartics())
        assert found == pytest.approx(case["covcov_trace"], rel=1e-10)


@methods
@pytest.mark.parametrize("n", [20, 120])
def test_rows_needed_are_that_many_and_not_one_fewer(n, method):
    with pytest.warns(TooFewRowsWarning, match=f"infinite threshold with {n} rows") as told:
        result = ew.edge_test(rows_of("t5", n, 4), method=method)
    assert f"about {result.rows_needed:,} rows would make it finite" in str(told[0].message)
    assert result.threshold == math.inf
    assert not result.reject.any()
    smallest = np.linalg.eigvalsh(result.covariance)[0]
    needed = result.rows_needed
    radius_at = [result.radius * math.sqrt(n / rows) for rows in (needed, needed - 1)]
    assert radius_at[0] < smallest <= radius_at[1] * (1 + 1e-12)


class TestOptions:
    @methods
    def test_threshold_is_proportional_to_mu(self, method):
        X = rows_of("laplace", 20_000, 3)
        one, three = (quiet_test(X, method, mu=mu).threshold for mu in (1.0, 3.0))
        assert three == pytest.approx(3 * one, rel=1e-12)

    @methods
    def test_standardize_is_the_test_of_standardized_columns_in_any_units(self, method):
        X = rows_of("t5", 5000, 4)
        expected = quiet_test(X / X.std(axis=0, ddof=1), method)
        for scale in ([1e-3, 1.0, 50.0, 1e4], [1e-150, 1, 1e75, 1], [1e150, 1, 1e-75, 1]):
            found = quiet_test(X * scale, method, standardize=True)
            assert found.threshold == pytest.approx(expected.threshold, rel=1e-9)
            for field in ("covariance", "precision", "log_pvalue"):
                np.testing.assert_allclose(
                    getattr(found, field), getattr(expected, field), rtol=1e-8, atol=1e-12
                )
            assert found.options.items() >= {"mu": 1.0, "standardize": True}.items()

    @pytest.mark.parametrize("options", [{}, {"solver": "matrix-free"}])
    def test_fourth_moments_that_overflow(self, options):
        X = rows_of("gaussian", 100, 3) * 1e100
        with pytest.raises(DataError, match=r"fourth-order moments overflow.*standardize=True"):
            ew.edge_test(X, method="eig" if options else "trace", **options)


@methods
def test_each_entry_at_every_level_and_what_is_said_of_all(method):
    """The threshold is that of Theorem 6 at every level; for all entries at once only where proven."""
    X = np.random.default_rng(3).standard_normal((4000, 3))
    alphas = np.linalg.eigvalsh(np.cov(X, rowvar=False))
    for alpha, all_at_once in ((0.05, method == "trace"), (0.3, False), (0.9, False)):
        result = ew.edge_test(X, method=method, alpha=alpha)
        terms = result.radius / (alphas * (alphas - result.radius))
        assert result.threshold == pytest.approx(np.linalg.norm(terms), rel=1e-10)
        np.testing.assert_array_equal(
            result.reject[np.triu_indices(3, 1)],
            np.abs(result.precision[np.triu_indices(3, 1)]) >= result.threshold,
        )
        said = "all entries at once" if all_at_once else "each entry; for all at once a heuristic"
        assert f"{said})." in result.summary()
        assert f"ε = {result.radius:.4g}, threshold t = {result.threshold:.4g}" in result.summary()
        assert result.interval_family == ("all pairs" if all_at_once else "pointwise")

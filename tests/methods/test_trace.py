"""The paper's Algorithm 1, with both of its radii, against the authors' own program."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import off_diagonal, quiet_test, rows_of

import edgewise as ew
from edgewise._linalg import population_covariance
from edgewise.errors import DataError, TooFewRowsWarning
from edgewise.inference.sample import Sample
from edgewise.methods.bounds import covcov_largest
from edgewise.paper.covcov import trace_from_quartics
from edgewise.states import Moments
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.table import Rescan

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


# The eigenvalue radius: λ_max of Cov(U(Σ̂)) by the whole matrix, or by products with it.


def eig(X, **options):
    return quiet_test(X, "eig", **options)


def largest(X, solver, *, A=None, frobenius=False, in_memory=True):
    table = ArrayTable(X)
    table.in_memory = in_memory
    sample = Sample(
        feature_names=tuple(f"x{i}" for i in range(X.shape[1])),
        purpose="a test",
        state=Moments(order=2).update(X),
        rows=Rescan(table, len(X)),
    )
    return covcov_largest(sample, A, solver=solver, frobenius=frobenius)


def hardly_larger(found, exact):
    """Never too small, and hardly too large."""
    assert exact <= found * (1 + 1e-9)
    assert found <= exact * (1 + 1e-3)


class TestLargest:
    @pytest.mark.parametrize("in_memory", [True, False])
    @pytest.mark.parametrize("distribution", ["gaussian", "lognormal"])
    def test_never_too_small_and_hardly_too_large(self, distribution, in_memory):
        X = rows_of(distribution, 1000, 12)
        A = np.random.default_rng(0).standard_normal((12, 12))
        for transform, frobenius in ((None, False), (A, True)):
            options = {"A": transform, "frobenius": frobenius, "in_memory": in_memory}
            exact, record = largest(X, "full", **options)
            assert record == {"solver": "full"}
            upper, record = largest(X, "matrix-free", **options)
            hardly_larger(upper, exact)
            assert set(record) == {"solver", "iterations", "products", "width"}
            assert record["solver"] == "matrix-free"
            assert 0 < record["width"] <= 1e-3
            # Several vectors in a pass over a file, where reading them is what costs.
            assert (record["products"] > record["iterations"]) == (not in_memory)


class TestOnePass:
    """From a state of all products of four columns, and from rows that can be read only once."""

    METHODS = (
        ew.methods.Eig(),
        ew.methods.Eig(standardize=True),
        ew.methods.Trace(),
        ew.methods.Trace(standardize=True),
        ew.methods.Spectral(radius="eig"),
        ew.methods.Spectral(radius="chi2", standardize=True),
    )

    @pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
    @pytest.mark.parametrize("method", METHODS, ids=str)
    @pytest.mark.parametrize("p", [2, 12])
    def test_is_the_test_of_the_rows(self, tmp_path, method, p):
        rng = np.random.default_rng(p)
        X = rng.standard_t(9, (400, p)) + 1e6
        X[:, 1:] += 0.3 * X[:, :-1]
        exact = replace(method, solver="full") if hasattr(method, "solver") else method
        expected = ew.edge_test(X, method=exact)
        later = ew.states.Moments(order="all").update(X[123:])
        merged = later + ew.states.Moments(order="all").update(X[:123])
        merged.save(tmp_path / "rows.state")
        for data in (
            ew.accumulate(X, order="all"),
            ew.load_state(tmp_path / "rows.state"),
            (X[start : start + 37] for start in range(0, 400, 37)),
        ):
            found = ew.edge_test(data, method=method)
            assert found.radius == pytest.approx(expected.radius, rel=1e-9)
            np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-7)
            np.testing.assert_array_equal(found.reject, expected.reject)

    @pytest.mark.parametrize("offset", [0.0, 2.0**33])
    def test_the_digits_stay_far_from_zero(self, offset):
        X = np.round(np.random.default_rng(0).standard_normal((500, 4)) * 2**18) / 2**18
        found = ew.edge_test(ew.accumulate(X + offset, order="all"), method="eig")
        assert found.radius == pytest.approx(ew.edge_test(X, method="eig").radius, rel=1e-9)

    def test_what_a_state_cannot_do_is_said(self, refuses):
        X = np.random.default_rng(0).standard_normal((200, 61))
        refuses(
            lambda: ew.accumulate(X, order="all"),
            DataError,
            "more than 60 columns, got 'all' for 61",
        )
        refuses(
            lambda: ew.edge_test(ew.accumulate(X[:, :5]), method="eig"),
            DataError,
            "method 'eig' needs the rows a second time, or all products of four columns (order='all')",
        )
        refuses(
            lambda: ew.edge_test(iter([X[:100], X[100:]]), method="eig"),
            DataError,
            "reads the rows twice",
        )

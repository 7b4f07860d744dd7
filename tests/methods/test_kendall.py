"""Kendall's method against a slow statement of it; what it does with ties, few rows and states."""

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import (
    BrokenAssumptionWarning,
    DataError,
    EdgewiseWarning,
    ParameterError,
    TooFewRowsWarning,
)
from edgewise.methods import Kendall
from edgewise.simulate import make_chain_precision, sample

CHAIN = make_chain_precision(5, 0.4)
X = sample("t5", CHAIN, 300, rng=1)
UPPER = np.triu_indices(5, 1)


def share_tied(x):
    n = len(x)
    return ((np.unique(x, return_counts=True)[1] ** 2).sum() - n) / (n * (n - 1))


def slow_z(rows):
    """Fisher's z of the latent partial correlations: SciPy's τ_b, and what ties leave of τ."""
    p = rows.shape[1]
    R = np.eye(p)
    tied = np.array([share_tied(x) for x in rows.T])
    assert (tied < 0.5).all()
    factor = np.sqrt((1 - tied) / (1 - 2 * tied**2))
    for i in range(p):
        for j in range(i):
            tau = stats.kendalltau(rows[:, i], rows[:, j]).statistic * factor[i] * factor[j]
            R[i, j] = R[j, i] = np.sin(np.pi * tau / 2)
    theta = np.linalg.inv(R)
    root = np.sqrt(theta.diagonal())
    partial = -theta / np.outer(root, root)
    np.fill_diagonal(partial, 0.0)
    return np.arctanh(partial), theta


def jackknife(rows, units):
    """z, and its standard error from leaving out each unit of rows in turn."""
    z, _ = slow_z(rows)
    left = np.array([slow_z(np.delete(rows, unit, axis=0))[0] for unit in units])
    share = (len(left) - 1) / len(left)
    return z, np.sqrt(share * ((left - left.mean(axis=0)) ** 2).sum(axis=0)), left


class TestAgainstTheFormula:
    def test_single_rows(self):
        rows = X[:40]
        z, error, _ = jackknife(rows, range(40))
        least = np.pi / 3 / np.sqrt(40 - 5 - 1)
        t = (z / np.maximum(error, least))[UPPER]
        result = ew.edge_test(rows, method="kendall", correction=None)
        np.testing.assert_allclose(result.statistic[UPPER], t, rtol=1e-9)
        np.testing.assert_allclose(result.pvalue[UPPER], 2 * stats.t.sf(np.abs(t), 39), rtol=1e-9)
        np.testing.assert_allclose(result.precision, slow_z(rows)[1], rtol=1e-9)
        assert result.options == {"n_units": 40}

    def test_batches(self):
        units = [slice(start, start + 32) for start in range(0, 300, 32)]
        z, error, _ = jackknife(X, units)
        t = (z / np.maximum(error, np.pi / 3 / np.sqrt(294)))[UPPER]
        result = ew.edge_test(X, method=Kendall(n_batches=8), correction=None)
        assert result.options == {"n_batches": 8, "n_units": 10}
        np.testing.assert_allclose(result.statistic[UPPER], t, rtol=1e-9)
        np.testing.assert_allclose(result.pvalue[UPPER], 2 * stats.t.sf(np.abs(t), 9), rtol=1e-9)

    def test_standard_errors_of_the_precision(self):
        """By leaving out rows; the least variance is that of ρ, in units of √(Θ̂_iiΘ̂_jj)."""
        rows = X[:40]
        thetas = np.array([slow_z(np.delete(rows, k, axis=0))[1] for k in range(40)])
        spread = np.sqrt(39 / 40 * ((thetas - thetas.mean(axis=0)) ** 2).sum(axis=0))
        result = ew.edge_test(rows, method="kendall")
        rho = result.partial_correlation
        root = np.sqrt(np.outer(result.precision.diagonal(), result.precision.diagonal()))
        least = root * np.pi / 3 / np.sqrt(34) * (1 - rho**2)
        expected = np.maximum(spread, np.where(np.eye(5), 0.0, least))
        np.testing.assert_allclose(result.standard_error, expected, rtol=1e-9)

    def test_ties(self):
        rows = np.round(X[:60])
        z, error, _ = jackknife(rows, range(60))
        tied = np.array([share_tied(x) for x in rows.T])
        larger = (1 - tied**2) / (1 - 2 * tied**2)
        least = np.pi / 3 * np.sqrt(np.outer(larger, larger) / 54)
        t = (z / np.maximum(error, least))[UPPER]
        with pytest.warns(BrokenAssumptionWarning, match="tied"):
            result = ew.edge_test(rows, method="kendall", correction=None)
        np.testing.assert_allclose(result.statistic[UPPER], t, rtol=1e-9)

    def test_the_least_variance_of_events(self):
        """Half ones: n Var τ_b is 1 for independent columns, so n Var z is π²/4."""
        rng = np.random.default_rng(4)
        rows = (rng.random((4000, 2)) < 0.5).astype(float)
        with pytest.warns(BrokenAssumptionWarning):
            result = ew.edge_test(rows, method="kendall")
        rho = result.partial_correlation[0, 1]
        error = result.partial_correlation_standard_error[0, 1] / (1 - rho**2)
        assert error == pytest.approx(np.pi / 2 / np.sqrt(4000), rel=0.05)


def test_only_the_order_of_rows_in_a_column_counts():
    changed = np.column_stack(
        [np.exp(X[:, 0]), X[:, 1] ** 3, np.arctan(X[:, 2]), X[:, 3] * 1e-200, X[:, 4] + 1e5]
    )
    rng = np.random.default_rng(2)
    order, plain = rng.permutation(5), ew.edge_test(X, method="kendall")
    found = ew.edge_test(changed, method="kendall")
    for name in ("covariance", "precision", "statistic", "log_pvalue", "threshold"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-12)
    moved = ew.edge_test(X[rng.permutation(300)][:, order], method="kendall")
    np.testing.assert_allclose(moved.pvalue, plain.pvalue[np.ix_(order, order)], rtol=1e-9)
    turned = ew.edge_test(X * [1, -1, 1, 1, 1], method="kendall")
    np.testing.assert_allclose(turned.pvalue, plain.pvalue, rtol=1e-9)
    np.testing.assert_allclose(turned.partial_correlation[0, 1], -plain.partial_correlation[0, 1])


class TestWhatComesWithIt:
    def test_effects_corrections_and_intervals(self):
        plain = ew.edge_test(X, method="kendall", correction=None, alpha=0.01)
        for scale in ("partial_correlation", "precision"):
            interval = plain.confidence_interval(0.99, scale=scale)
            outside = (interval.low > 0) | (interval.high < 0)
            np.testing.assert_array_equal(outside[UPPER], plain.reject[UPPER])
        effects = [ew.edge_test(X, method="kendall", min_effect=e).n_edges for e in (0, 0.1, 0.3)]
        assert effects == sorted(effects, reverse=True)
        assert effects[0] >= 4 > effects[-1]
        holm = ew.edge_test(X, method="kendall")
        maxt = ew.edge_test(X, method="kendall", correction="maxt")
        assert (maxt.reject >= holm.reject).all()

    def test_plans(self, refuses):
        pilot = sample("gaussian", CHAIN, 1000, rng=3)
        plans = [
            ew.plan_sample_size(pilot, effect=0.1, method=method).n_samples
            for method in (
                ew.methods.Fisher(),
                Kendall(),
                Kendall(n_batches=10),
                Kendall(n_batches=5),
            )
        ]
        # Kendall's τ is 9/π² as efficient as the correlation of independent Gaussian columns.
        assert 1.05 < plans[1] / plans[0] < 1.35
        assert plans == sorted(plans)
        assert plans[-1] > 1.5 * plans[1]
        pilot = np.random.default_rng(0).standard_cauchy((25, 20))
        refuses(
            lambda: ew.plan_sample_size(pilot, effect=0.2, method="kendall"),
            DataError,
            "25 rows of 20 columns",
            "take a larger pilot",
        )


class TestSources:
    def test_state_stream_file_checkpoint_and_estimator(self, tmp_path, same_result):
        rows = sample("t5", make_chain_precision(4), 14_000, rng=6)
        expected = ew.edge_test(rows, method="kendall")
        assert 100 <= expected.options["n_units"] < 200
        state = ew.accumulate(rows, concordance=True)
        np.save(tmp_path / "rows.npy", rows)
        est = ew.EdgeTest(method="kendall")
        est.fit(iter(np.split(rows, 7)))
        asked = {"concordance": True, "checkpoint": tmp_path / "kept", "resume": True}
        ew.accumulate(tmp_path / "rows.npy", every=1e-9, **asked)
        for found in (
            ew.edge_test(ew.accumulate(tmp_path / "rows.npy", **asked), method="kendall"),
            ew.edge_test(state, method="kendall"),
            ew.edge_test(iter(np.split(rows, 7)), method="kendall"),
            ew.edge_test(tmp_path / "rows.npy", method="kendall"),
            est.result_,
            ew.EdgeTest(method="kendall").fit(state).result_,
        ):
            same_result(found, expected)

    def test_other_states_are_refused(self, refuses):
        refuses(
            lambda: ew.edge_test(ew.accumulate(X), method="kendall"),
            DataError,
            "method 'kendall' needs the order of rows, which a Moments state does not have",
        )
        state = ew.accumulate(X, concordance=True)
        for method in ("fisher", "trace", "batch"):
            refuses(
                lambda method=method: ew.edge_test(state, method=method),
                DataError,
                f"method '{method}'",
                "ConcordanceMoments",
                "method='kendall'",
            )
        refuses(
            lambda: ew.edge_test(state, method="kendall", n_batches=50),
            ParameterError,
            "accumulated with 100, got 50",
        )


class TestBound:
    def test_against_the_formula(self):
        rows = sample("gaussian", make_chain_precision(3), 301, rng=0)
        with pytest.warns(TooFewRowsWarning, match="would make it finite"):
            result = ew.edge_test(rows, method=Kendall(radius="hoeffding"), alpha=0.1)
        R = result.covariance
        A = np.abs(np.linalg.inv(np.linalg.cholesky(R)))
        E = np.ones((3, 3)) - np.eye(3)
        unit = min(np.linalg.norm(A @ E @ A.T, 2), 2 / np.linalg.eigvalsh(R)[0])
        e = np.sqrt(2 * np.log(2 * 3 / 0.1) / (301 // 2))
        assert result.radius == pytest.approx(np.pi / 2 * unit * e, rel=1e-12)
        assert result.threshold == np.inf

    def test_p_values_are_the_smallest_levels(self):
        rows = sample("gaussian", make_chain_precision(3, 0.45), 12_000, rng=0)
        result = ew.edge_test(rows, method=Kendall(radius="hoeffding"))
        p = result.pvalue[0, 1]
        assert result.reject[0, 1]
        for alpha, found in ((p * 1.001, True), (p * 0.999, False)):
            again = ew.edge_test(rows, method=Kendall(radius="hoeffding"), alpha=alpha)
            assert again.reject[0, 1] == found

    def test_ties_widen_it(self):
        rows = sample("gaussian", make_chain_precision(3), 12_000, rng=0)
        plain = ew.edge_test(rows, method=Kendall(radius="hoeffding"))
        few = ew.edge_test(np.round(rows, 2), method=Kendall(radius="hoeffding"))
        assert plain.radius < few.radius < 2 * plain.radius
        with pytest.warns(EdgewiseWarning, match="more rows like these would not"):
            many = ew.edge_test(np.round(rows), method=Kendall(radius="hoeffding"))
        assert (many.rows_needed, many.n_edges) == (None, 0)


class TestBadInput:
    def test_refusals(self, refuses):
        def changed(column, values):
            rows = X.copy()
            rows[:, column] = values
            return lambda: ew.edge_test(rows, method="kendall")

        for call, error, fragments in (
            (changed(2, 7.0), DataError, ["constant column 'x2'"]),
            (changed(3, np.exp(X[:, 1])), DataError, ["'x1' and 'x3'", "same"]),
            (changed(3, -X[:, 1]), DataError, ["'x1' and 'x3'", "opposite"]),
            (
                lambda: ew.edge_test(X[:50], method="kendall", n_batches=60),
                ParameterError,
                ["n_batches: expected at most the 50 rows, got 60"],
            ),
        ):
            refuses(call, error, *fragments)

    def test_too_few_rows_is_an_answer(self):
        """Not positive definite: the nearest correlations are shown, and no edge is declared."""
        rows = np.random.default_rng(0).standard_normal((24, 20))
        with pytest.warns(TooFewRowsWarning, match="not positive definite"):
            result = ew.edge_test(rows, method="kendall")
        assert result.n_edges == 0
        assert np.linalg.eigvalsh(result.covariance)[0] > 0
        assert np.nanmin(result.pvalue) == 1
        assert any(caution.kind == "not definite" for caution in result.cautions)
        interval = result.confidence_interval(scale="partial_correlation")
        assert (interval.low[0, 1], interval.high[0, 1]) == (-1, 1)
        back = ew.EdgeTestResult.from_json(result.to_json())
        assert back.to_json() == result.to_json()
        with pytest.warns(TooFewRowsWarning):
            assert ew.edge_test(rows, method="kendall", correction="maxt").n_edges == 0
        with pytest.warns(TooFewRowsWarning):
            bound = ew.edge_test(rows, method=Kendall(radius="hoeffding"))
        assert (bound.n_edges, bound.rows_needed) == (0, None)


class TestCautions:
    def test_tails_and_outliers_say_nothing(self):
        rows = sample("t5", CHAIN, 1000, rng=7) ** 7
        rows[3, 2] = 1e12
        assert ew.edge_test(rows, method="kendall").cautions == ()

    def test_ties(self):
        rows = np.column_stack([np.digitize(X[:, 0], [-1, 0, 1]), X[:, 1:]])
        with pytest.warns(BrokenAssumptionWarning, match="Column 'x0' has equal values"):
            result = ew.edge_test(rows, method="kendall")
        (caution,) = result.cautions
        assert (caution.kind, caution.breaks) == ("ties", True)

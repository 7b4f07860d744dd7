"""More columns than rows: the score test given the columns that a lasso chooses."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.simulate import make_chain_precision, make_erdos_renyi_precision, sample

MATRICES = (
    *("partial_correlation", "precision", "statistic", "log_pvalue", "adjusted_pvalue"),
    *("threshold", "standard_error", "partial_correlation_standard_error"),
)


def wide(n=60, p=90, law="t5", seed=0):
    return sample(law, make_chain_precision(p), n, rng=seed)


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(wide(), method="nodewise")


@pytest.mark.parametrize("law", ["gaussian", "contaminated", "exponential"])
def test_with_all_columns_chosen_it_is_the_score_test(law):
    X = sample(law, make_chain_precision(8), 120, rng=1) * 10.0 ** np.arange(-4, 4)
    all_chosen = ew.edge_test(X, method=ew.methods.Nodewise(penalty=1e-6, max_neighbours=7))
    assert {len(own) for own in all_chosen.selection.neighbours} == {7}
    score = ew.edge_test(X)
    for name in MATRICES:
        np.testing.assert_allclose(
            getattr(all_chosen, name), getattr(score, name), rtol=1e-9, err_msg=name
        )
    np.testing.assert_array_equal(all_chosen.reject, score.reject)
    for scale in ("partial_correlation", "precision"):
        ours, theirs = (one.confidence_interval(scale=scale) for one in (all_chosen, score))
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_a_pair_is_the_score_test_of_its_columns_alone(result):
    """But for τ, the scale of a row, which all columns tell; so the rows are nearly Gaussian."""
    X = wide(law="gaussian", n=80, p=60, seed=3)
    result = ew.edge_test(X, method="nodewise")
    for i, j in ((0, 1), (4, 30), (20, 22)):
        given = list(result.selection.adjusted_for(i, j))
        alone = ew.edge_test(X[:, [i, j, *given]])
        assert result.partial_correlation[i, j] == pytest.approx(alone.partial_correlation[0, 1])
        assert result.statistic[i, j] == pytest.approx(alone.statistic[0, 1], rel=0.05)


def test_what_was_chosen_is_recorded(result):
    chosen = result.selection
    n, p = 60, 90
    assert chosen.penalty == pytest.approx(1.25 * np.sqrt(2 * np.log(p / np.sqrt(n)) / n))
    assert result.options == {"penalty": 1.25}
    sizes = chosen.sizes()
    for i, j in zip(*(places[::500] for places in np.triu_indices(p, k=1)), strict=True):
        own = chosen.adjusted_for(int(i), int(j))
        assert set(own) == {*chosen.neighbours[i], *chosen.neighbours[j]} - {i, j}
        assert sizes[i, j] == sizes[j, i] == len(own)
    assert ew.edge_test(wide()[:, :10]).selection is None


class TestOptions:
    def test_a_smaller_penalty_chooses_more(self):
        X = wide()
        sizes = [
            sum(map(len, ew.edge_test(X, method="nodewise", penalty=penalty).selection.neighbours))
            for penalty in (0.8, 1.25, 2.0, 50.0)
        ]
        assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 0

    def test_without_neighbours_it_tests_correlations(self):
        X = wide(n=100, p=5)
        found = ew.edge_test(X, method="nodewise", penalty=50.0)
        np.testing.assert_allclose(found.partial_correlation, np.corrcoef(X.T), rtol=1e-12)


def test_given_columns_are_not_penalised():
    """A covariate that every column depends on is adjusted for, though a lasso would miss it."""
    rng = np.random.default_rng(0)
    shares, kept = [], []
    for _ in range(4):
        X = rng.standard_normal((150, 60))
        X[:, 10:] += 0.2 * X[:, :10].sum(axis=1, keepdims=True)
        names = [f"x{i}" for i in range(10)]
        given = ew.edge_test(X, method="nodewise", given=names)
        chosen = ew.edge_test(X, method="nodewise")
        later = np.triu_indices(60, k=1)
        later = tuple(place[later[0] >= 10] for place in later)
        shares.append((given.pvalue[later] < 0.05).mean())
        kept += [len({*range(10)} & set(own)) for own in chosen.selection.neighbours[10:]]
        alone = X[:, 10:] - X[:, :10] @ np.linalg.lstsq(X[:, :10], X[:, 10:])[0]
        r = np.corrcoef(alone.T)[0, 1]
        assert given.partial_correlation[10, 11] == pytest.approx(r, abs=0.15)
    assert np.mean(shares) < 0.065
    assert np.mean(kept) < 8


class TestQuestions:
    def test_given_pairs_and_effects(self):
        X = wide(n=100, p=120, seed=5)
        whole = ew.edge_test(X, method="nodewise")
        some = ew.edge_test(X, method="nodewise", pairs=[("x0", "x1"), ("x5", "x50")])
        assert some.n_pairs == 2
        assert some.pvalue[0, 1] == whole.pvalue[0, 1]
        adjusted = ew.edge_test(X, method="nodewise", given=["x0", "x70"])
        assert adjusted.n_pairs == 118 * 117 // 2
        for i, own in enumerate(adjusted.selection.neighbours):
            assert {0, 70} - {i} <= set(own)
        assert ew.edge_test(X, method="nodewise", min_effect=0.2).n_edges <= whole.n_edges

    def test_no_likelihood_without_a_distribution(self, refuses):
        theta = make_erdos_renyi_precision(90, size=9, probability=1, weight=-0.1)
        X = sample("t5", theta, 40, rng=0)
        fitted = ew.EdgeTest("nodewise", penalty=3.0).fit(X)
        assert np.linalg.eigvalsh(fitted.precision_)[0] < 0
        for ask in (fitted.score, fitted.mahalanobis):
            refuses(lambda ask=ask: ask(X), DataError, "not positive definite", "method='score'")


class TestOtherMethodsNameIt:
    @pytest.mark.parametrize("n", [30, 89, 90])
    @pytest.mark.parametrize("method", ["score", "fisher", "batch", "trace"])
    def test_the_refusal(self, n, method, refuses):
        refuses(
            lambda: ew.edge_test(wide(n), method=method),
            DataError,
            f"{n} rows and 90 columns",
            "method='nodewise'",
        )

    def test_not_where_it_could_not_help(self, refuses):
        error = refuses(lambda: ew.edge_test(wide(15)), DataError, "15 rows and 90 columns")
        assert "nodewise" not in str(error)

    def test_diagnose_and_compare(self):
        assert ew.diagnose(wide()).advice().startswith("Use method 'nodewise', which assumes")
        lines = {line.label: line for line in ew.compare_methods(wide())}
        assert lines["nodewise"].result is not None
        assert "method='nodewise'" in lines["score"].failure


class TestTooLarge:
    def test_neighbours(self, refuses):
        refuses(
            lambda: ew.edge_test(wide(), method="nodewise", max_neighbours=30),
            ParameterError,
            "max_neighbours: expected at most 15 for 60 rows",
            "got 30",
        )

    def test_columns(self, refuses):
        X = np.broadcast_to(np.arange(30.0)[:, np.newaxis], (30, 5001))
        refuses(
            lambda: ew.edge_test(X, method="nodewise"),
            DataError,
            "at most 5,000 columns, got 5,001",
            "12,502,500 pairs",
            "GB",
            "columns=",
        )

    def test_rows(self, refuses):
        refuses(lambda: ew.edge_test(wide(19), method="nodewise"), DataError, "at least 20 rows")


def test_a_plan():
    pilot = wide(100, 120, "gaussian")
    every = ew.plan_sample_size(pilot, effect=0.3, method="nodewise")
    # Gaussian rows need ((z_level + z_power)/0.3)² and a little: 5.09 and 0.84.
    assert 300 < every.n_samples < 480
    two = ew.plan_sample_size(
        pilot, effect=0.3, method="nodewise", pairs=[("x0", "x9"), ("x1", "x5")]
    )
    assert np.isfinite(two.pairs).sum() == 4
    assert two.n_samples < every.n_samples / 2

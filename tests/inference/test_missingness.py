"""Whether values are missing completely at random: what is found, what is named, and how often."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import BrokenAssumptionWarning
from edgewise.inference.cautions import Missingness, caution_about_missing, missingness
from edgewise.simulate import make_chain_precision
from edgewise.sums.pairwise import PairwiseMoments
from edgewise.tables.table import ColumnBlock

FACTOR = np.linalg.cholesky(np.linalg.inv(make_chain_precision(4)))


def chain(n, rng, law="normal"):
    draws = rng.standard_t(5, (n, 4)) if law == "t5" else rng.standard_normal((n, 4))
    return draws @ FACTOR.T


def with_weights(X, w):
    if w is None:
        return X
    rows = ColumnBlock.of(np.asarray(X)[w > 0])
    rows.weights = w[w > 0]
    return rows


def found_in(X, weights=None):
    return missingness(PairwiseMoments(2).update(with_weights(X, weights)).pooled())


@pytest.fixture
def dependent():
    """x2 is missing more often where x0 is high."""
    rng = np.random.default_rng(0)
    X = chain(1500, rng)
    X[rng.random(1500) < 1 / (1 + np.exp(2 - 1.5 * X[:, 0])), 2] = np.nan
    X[rng.random(1500) < 0.1, 3] = np.nan
    return X


class TestNames:
    def test_the_column_its_partner_and_the_direction(self, dependent):
        found = found_in(dependent)
        assert (found.column, found.partner, found.higher) == (2, 0, True)
        assert found.pvalue < 1e-10
        other = found_in(dependent * [-1, 1, 1, 1])
        assert (other.column, other.partner, other.higher) == (2, 0, False)
        assert other.pvalue == pytest.approx(found.pvalue, rel=1e-6)

    def test_units_and_offsets(self, dependent):
        found = found_in(dependent)
        other = found_in(dependent * [1e6, 1.0, 1e-6, 3.0] + [1e9, 0, 0, 0])
        assert other[1:] == found[1:]
        assert np.log(other.pvalue) == pytest.approx(np.log(found.pvalue), rel=1e-5)


@pytest.mark.parametrize(
    ("lacking", "known"), [(0, False), (29, False), (30, True), (170, True), (171, False)]
)
def test_too_few_values_are_missing_or_there(lacking, known):
    X = chain(200, np.random.default_rng(0))
    X[:lacking, 1] = np.nan
    assert (found_in(X) is not None) is known


@pytest.mark.parametrize("law", ["normal", "t5"])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_level(law, share):
    """Values missing completely at random: p below the level no more often than chance allows."""
    level, repeats = 0.05, 400
    rng = np.random.default_rng([8, int(100 * share), law == "t5"])
    hits = 0
    for _ in range(repeats):
        X = chain(500, rng, law)
        X[rng.random(X.shape) < share] = np.nan
        hits += found_in(X).pvalue < level
    # Bonferroni over pairs of columns is a little conservative; three standard errors above.
    assert hits <= repeats * level + 3 * np.sqrt(repeats * level * (1 - level))
    assert hits >= stats.binom.ppf(1e-4, repeats, level / 3)


@pytest.mark.parametrize("law", ["log-normal", "rare"])
def test_skewed_columns_raise_no_false_alarm(law):
    """Means of few skewed values are far from normal; the first rows tell how far."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(100):
        shape = (1000, 6)
        X = np.exp(rng.standard_normal(shape)) if law == "log-normal" else rng.poisson(0.05, shape)
        X = np.where(rng.random(shape) < 0.04, np.nan, X)
        filled = np.where(np.isfinite(X), X, np.nanmedian(X, axis=0))
        alarms += missingness(PairwiseMoments(2).update(X).pooled(), filled).pvalue < 1e-3
    assert alarms <= 1


@pytest.mark.parametrize("kind", ["page", "dropout"])
def test_holes_that_come_together_raise_no_false_alarm(kind):
    """A page that was not printed: columns lack the same rows, which is completely at random."""
    rng = np.random.default_rng(12)
    alarms = 0
    for _ in range(100):
        X = rng.standard_normal((600, 6)) * 0.3 + rng.standard_normal((600, 1))
        if kind == "page":
            X[rng.random(600) < 0.2, :3] = np.nan
        else:
            X[np.arange(6) > rng.integers(1, 12, 600)[:, np.newaxis]] = np.nan
        alarms += found_in(X).pvalue < 0.05
    assert alarms <= 100 * 0.05 + 3 * np.sqrt(100 * 0.05 * 0.95)


def test_one_pair_is_the_two_sample_test():
    """Two columns, one complete: z is a permutation test's of two means."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((400, 2))
    lacks = rng.random(400) < 0.3
    X[lacks, 1] = np.nan
    found = found_in(X)
    a, b = X[lacks, 0], X[~lacks, 0]
    pooled = np.var(X[:, 0], ddof=1) * (1 / len(a) + 1 / len(b))
    z = (a.mean() - b.mean()) / np.sqrt(pooled)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)
    assert (found.column, found.partner, found.higher) == (1, 0, z > 0)


class TestCaution:
    def test_the_sentence(self):
        found = Missingness(1e-9, 2, 0, True)
        (caution,) = caution_about_missing(found, list("abcd"), dependent=False)
        assert caution.startswith(
            "Values of column 'c' are missing more often in some rows than in others: most clearly "
            "where column 'a' is high (p "
        )
        assert "missing completely at random" in caution
        assert "edgewise.pool" in caution
        assert caution.breaks
        assert caution.kind == "missing values"
        (low,) = caution_about_missing(found._replace(higher=False), list("abcd"), dependent=True)
        assert caution_about_missing(found._replace(pvalue=1e-3), list("abcd"), False) == ()
        assert "column 'a' is low" in low
        assert "values go missing in runs" in low

    def test_in_a_result(self, dependent):
        with pytest.warns(BrokenAssumptionWarning, match="where column 'x0' is high"):
            result = ew.edge_test(dependent, missing="pairwise")
        assert any("Values of column 'x2' are missing more often" in one for one in result.cautions)

    def test_not_in_a_result(self):
        rng = np.random.default_rng(3)
        X = chain(800, rng)
        X[rng.random(X.shape) < 0.2] = np.nan
        result = ew.edge_test(X, missing="pairwise")
        assert not any("missing" in caution for caution in result.cautions)

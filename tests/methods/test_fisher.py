"""Fisher's partial-correlation test against pingouin, R's ggm and regressions."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import rows_of

import edgewise as ew

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "partial_correlation.json").read_text("utf-8")
)
DATA = np.array(REFERENCE["data"])
UPPER = np.triu_indices(5, k=1)


def fisher(X, **options):
    return ew.edge_test(X, method="fisher", **options)


def reference(program, field):
    rows = REFERENCE[program]
    names = [(row["source"], row["target"]) for row in rows]
    assert names == list(combinations(REFERENCE["columns"], 2))
    return [row[field] for row in rows]


@pytest.mark.parametrize("program", ["pingouin", "ggm"])
def test_other_programs(program):
    result = fisher(DATA)
    np.testing.assert_allclose(
        result.partial_correlation[UPPER], reference(program, "r"), rtol=1e-12
    )
    np.testing.assert_allclose(result.pvalue[UPPER], reference(program, "pvalue"), rtol=1e-12)
    if program == "ggm":
        statistic = reference("ggm", "statistic")
        np.testing.assert_allclose(result.statistic[UPPER], statistic, rtol=1e-12)
        assert set(reference("ggm", "df")) == {len(DATA) - 5}


@pytest.mark.parametrize("p", [2, 6])
def test_against_regressions(p):
    """t is that of the coefficient of x_j in the regression of x_i on all others."""
    X = rows_of("gaussian", 50, p) + 3
    result = fisher(X)
    for i, j in combinations(range(p), 2):
        others = [j, *(k for k in range(p) if k not in (i, j))]
        design = np.column_stack([X[:, others], np.ones(50)])
        beta, rss = np.linalg.lstsq(design, X[:, i], rcond=None)[:2]
        error = math.sqrt(rss[0] / (50 - p) * np.linalg.inv(design.T @ design)[0, 0])
        assert result.statistic[i, j] == pytest.approx(beta[0] / error, rel=1e-9)
        expected = 2 * stats.t.sf(abs(beta[0] / error), 50 - p)
        assert result.pvalue[i, j] == pytest.approx(expected, rel=1e-8)


def test_two_columns_are_pearsons_test():
    X = rows_of("laplace", 80, 2)
    expected = stats.pearsonr(X[:, 0], X[:, 1])
    result = fisher(X)
    assert result.partial_correlation[0, 1] == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue[0, 1] == pytest.approx(expected.pvalue, rel=1e-11)


def test_pvalues_beyond_the_smallest_float():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(5000)
    result = fisher(np.column_stack([x, x + 0.1 * rng.standard_normal(5000)]))
    assert result.log_pvalue[0, 1] < -5000
    assert 0 < result.pvalue[0, 1] < 1e-300

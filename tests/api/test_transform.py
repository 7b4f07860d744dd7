"""`transform="normal-scores"` in every question: the same answer as for scores made beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.methods.registry import registered

SCORES = {"transform": "normal-scores"}
TAKING = [name for name, kind in registered().items() if "transform" in kind.supports]
REFUSING = [name for name, kind in registered().items() if "transform" not in kind.supports]


def slow_scores(X):
    """The definition, column by column."""
    return stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))


@pytest.fixture(scope="module")
def increased(rows):
    """The same rows after an increasing change of each column."""
    return np.column_stack([np.exp(rows[:, 0]), rows[:, 1] ** 3, rows[:, 2], np.arctan(rows[:, 3])])


class TestEdgeTest:
    @pytest.mark.parametrize("method", TAKING)
    def test_scores_made_beforehand(self, rows, same_result, method):
        result = ew.edge_test(rows, method=method, **SCORES)
        same_result(result, ew.edge_test(slow_scores(rows), method=method))
        assert result.options["transform"] == "normal-scores"

    @pytest.mark.parametrize("method", TAKING)
    def test_increasing_changes_of_columns(self, rows, increased, same_result, method):
        result = ew.edge_test(increased, method=method, **SCORES)
        same_result(result, ew.edge_test(rows, method=method, **SCORES))

    def test_which_methods_take_it(self):
        assert {"score", "wald", "batch", "nodewise", "elliptical", "fisher"} <= set(TAKING)
        assert {"sequential", "trace", "eig", "spectral", "whitened", "entrywise"} <= set(REFUSING)

    @pytest.mark.parametrize("method", REFUSING)
    def test_methods_that_refuse_it(self, rows, refuses, method):
        for call in (ew.edge_test, lambda X, **more: ew.plan_sample_size(X, effect=0.1, **more)):
            refuses(
                lambda call=call: call(rows, method=method, **SCORES),
                ParameterError,
                "transform: 'normal-scores' is not supported by method",
                "or leave it out",
            )

    def test_refuses(self, rows, refuses, tmp_path):
        refuses(lambda: ew.edge_test(rows, transform="normal"), ParameterError, "did you mean")
        state = ew.accumulate(rows)
        refuses(lambda: ew.edge_test(state, method="fisher", **SCORES), ParameterError, "a state")
        state.save(tmp_path / "rows.state")
        path = tmp_path / "rows.state"
        refuses(lambda: ew.edge_test(path, method="fisher", **SCORES), ParameterError, "a state")


class TestEstimator:
    def test_fit(self, rows, same_result):
        test = ew.EdgeTest(column_transform="normal-scores").fit(rows)
        same_result(test.result_, ew.edge_test(rows, **SCORES))
        assert test.n_features_in_ == 4

    def test_missing_values(self, rows, refuses):
        X = np.array(rows)
        X[3, 1] = np.nan
        test = ew.EdgeTest(column_transform="normal-scores")
        refuses(lambda: test.fit(X), DataError, "column 'x1' (1)")
        test.fit(rows)
        refuses(lambda: test.score(rows), DataError, "no likelihood")


class TestCompareGroups:
    def test_each_group_by_itself(self, rows, increased):
        """The margins of the groups differ, their scores do not."""
        a, b = rows[:200], increased[200:]
        result = ew.compare_groups(a, b, **SCORES)
        expected = ew.compare_groups(slow_scores(a), slow_scores(b))
        np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12)
        assert result.options == {"transform": "normal-scores"}
        assert "among 4 variables, of normal scores, differ" in result.headline()

    def test_by(self, rows, increased):
        X = np.concatenate([rows[:200], increased[200:]])
        result = ew.compare_groups(X, by=np.arange(400) // 200, **SCORES)
        expected = ew.compare_groups(rows[:200], rows[200:], **SCORES)
        np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12)
        assert result.options == {"transform": "normal-scores"}

    @pytest.mark.parametrize("k", [2, 3])
    def test_permutations(self, rows, increased, k):
        """Ranks are found anew in permuted groups, so equal changes of all rows do not matter."""
        asked = {"by": np.arange(400) % k, "permutations": 39, **SCORES}
        one, other = (ew.compare_groups(X, **asked) for X in (rows, increased))
        assert one.global_pvalue == other.global_pvalue


class TestOtherQuestions:
    def test_compare_methods(self, rows, same_result):
        lines = {line.label: line for line in ew.compare_methods(rows, **SCORES)}
        same_result(lines["score"].result, ew.edge_test(rows, **SCORES))
        assert lines["trace (paper)"].result is None
        assert "is not supported by method" in lines["trace (paper)"].failure

    def test_plan(self, increased, rows):
        plan = ew.plan_sample_size(increased, effect=0.1, **SCORES)
        assert plan.transform == "normal-scores"
        expected = ew.plan_sample_size(slow_scores(rows), effect=0.1)
        np.testing.assert_array_equal(plan.pairs, expected.pairs)
        assert expected.transform is None

    def test_a_report_uses_the_same_scores(self, rows, increased, require, tmp_path, monkeypatch):
        require("jinja2")
        seen = []
        from edgewise.api import reporting

        def noted(source, *asked, **more):
            seen.extend(ew.compare_methods(source, *asked, **more))
            return seen

        monkeypatch.setattr(reporting, "compare_methods", noted)
        result = ew.edge_test(increased, method="wald", **SCORES)
        result.report(tmp_path / "r.html", data=increased)
        (wald,) = [line.result for line in seen if line.label == "wald"]
        np.testing.assert_array_equal(wald.statistic, result.statistic)
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "those of the normal scores of the columns" in page
        assert "transform=&#39;normal-scores&#39;" in page
        assert "Gaussian up to an increasing change" in page

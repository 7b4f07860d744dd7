"""The score test inside tigramite."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import MissingPartError, ParameterError, partial_test
from edgewise.integrations.tigramite import ScoreCI


@pytest.fixture(scope="module")
def series():
    """400 × 3: each has a memory, and the first drives the second."""
    rng = np.random.default_rng(3)
    X = rng.standard_t(5, (401, 3))
    for t in range(1, len(X)):
        X[t] += 0.4 * X[t - 1]
        X[t, 1] += 0.5 * X[t - 1, 0]
    return X[1:]


@pytest.fixture
def pcmci(require, series):
    """``pcmci(test, series)``: a search."""
    frame = require("tigramite.data_processing").DataFrame
    search = require("tigramite.pcmci").PCMCI
    return lambda test, data=series: search(frame(data.copy()), test)


@pytest.fixture
def test(require):
    require("tigramite")
    return ScoreCI()


class TestRaw:
    def test_gives_the_numbers_of_partial_test(self, test, series):
        x, y, z = series.T[:, :, np.newaxis]
        expected = partial_test(series, 0, 1, given=[2])
        r, p, dependent = test.run_test_raw(x, y, z, alpha_or_thres=0.05)
        assert r == pytest.approx(expected.partial_correlation, rel=1e-9)
        assert p == pytest.approx(expected.pvalue, rel=1e-9)
        assert dependent == (p <= 0.05)

    def test_does_not_change_the_rows(self, test, series):
        array = series.T.copy()
        test.get_dependence_measure(array, np.array([0, 1, 2]))
        np.testing.assert_array_equal(array, series.T)

    def test_a_constant_variable_shows_nothing(self, test, series):
        array = np.vstack([series.T[:1], np.ones(len(series))])
        assert test.get_dependence_measure(array, np.array([0, 1])) == 0
        assert test.get_analytic_significance(0.0, len(series), 2, np.array([0, 1])) == 1
        assert test.get_analytic_confidence(0.0, 100, 0.9) == (-1, 1)

    def test_one_variable_each(self, test, series):
        with pytest.raises(ParameterError, match="X, Y: expected one variable each, got 2 and 1"):
            test.get_dependence_measure(series.T, np.array([0, 0, 1]))

    def test_no_p_value_without_rows(self, test):
        with pytest.raises(ParameterError, match=r"value: .* run_test"):
            test.get_analytic_significance(0.2, 100, 3)


class TestSearch:
    def test_pcmci_finds_the_links(self, pcmci, test):
        found = pcmci(test).run_pcmci(tau_max=2, pc_alpha=0.05)
        links = {tuple(link) for link in np.argwhere(found["p_matrix"] < 0.001).tolist()}
        assert links == {(0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 1)}

    def test_p_values_are_those_of_the_question(self, pcmci, test, series):
        search = pcmci(test)
        r, p = search.cond_ind_test.run_test([(0, -1)], [(1, 0)], [(1, -1)], tau_max=1)
        now, before = series[2:], series[1:-1]  # tigramite leaves out twice tau_max
        question = np.column_stack([before[:, 0], now[:, 1], before[:, 1]])
        expected = partial_test(question, 0, 1, given=[2])
        assert (r, p) == pytest.approx((expected.partial_correlation, expected.pvalue))

    def test_intervals_are_those_of_the_score_test(self, pcmci, require):
        require("tigramite")
        search = pcmci(ScoreCI(confidence="analytic", conf_lev=0.9))
        found = search.run_pcmci(tau_max=1)
        low, high = found["conf_matrix"][0, 1, 1]
        assert low < found["val_matrix"][0, 1, 1] < high
        lagged = found["conf_matrix"][:, :, 1], found["p_matrix"][:, :, 1]
        np.testing.assert_array_equal(lagged[0].prod(axis=2) > 0, lagged[1] < 0.1)

    def test_pc_alpha_can_be_chosen(self, pcmci, test, require):
        chosen = pcmci(test).run_pcmci(tau_max=1, pc_alpha=None)
        assert chosen["p_matrix"][0, 1, 1] < 1e-6
        par_corr = require("tigramite.independence_tests.parcorr").ParCorr()
        questions = [pcmci(one).cond_ind_test for one in (test, par_corr)]
        ours, theirs = (one.get_model_selection_criterion(1, [(0, -1)], 1) for one in questions)
        assert ours == pytest.approx(theirs)


class TestOptions:
    @pytest.mark.parametrize(
        ("option", "value"), [("recycle_residuals", True), ("significance", "shuffle_test")]
    )
    def test_that_make_no_sense(self, option, value):
        with pytest.raises(ParameterError, match=f"^{option}: expected"):
            ScoreCI(**{option: value})

    def test_without_the_package(self, without):
        with pytest.raises(MissingPartError, match=r"pip install 'tigramite>=5.2.8'"):
            without("tigramite", "tigramite").ScoreCI()

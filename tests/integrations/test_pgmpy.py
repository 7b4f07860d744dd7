"""The score test inside pgmpy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from edgewise import DataError, EdgewiseError, MissingPartError, ParameterError, partial_test
from edgewise.integrations import pgmpy as adapter
from edgewise.integrations.pgmpy import ScoreTest, score_test

NAMES = ["v", "w", "x", "y", "z"]


@pytest.fixture
def frame(require, chain):
    return require("pandas").DataFrame(chain.copy(), columns=NAMES)


@pytest.fixture
def named_edges(edges_of_chain):
    return {frozenset((NAMES[i], NAMES[j])) for i, j in edges_of_chain}


@pytest.fixture
def estimators(require):
    """pgmpy's older module, which says on import that it will go."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`pgmpy.estimators", FutureWarning)
        return require("pgmpy.estimators")


class TestFunction:
    def test_gives_the_numbers_of_partial_test(self, frame):
        expected = partial_test(frame, "v", "x", given=["w"])
        r, p = score_test("v", "x", ("w",), frame, boolean=False)
        assert r == pytest.approx(expected.partial_correlation, rel=1e-9)
        assert p == pytest.approx(expected.pvalue, rel=1e-9)

    def test_decides_at_the_significance_level(self, frame):
        p = score_test("v", "x", ["w"], frame, boolean=False)[1]
        question = {"X": "v", "Y": "x", "Z": ["w"], "data": frame, "independencies": None}
        assert score_test(**question, significance_level=p) is True
        assert score_test(**question, significance_level=min(1, p * 1.01)) is False

    def test_needs_data(self):
        with pytest.raises(ParameterError, match=r"data: .*ScoreTest\(data\)"):
            score_test("v", "w", [], significance_level=0.05)

    def test_takes_labels_that_are_numbers(self, frame):
        expected = score_test("v", "x", ["w"], frame, boolean=False)
        frame.columns = [4, 3, 2, 1, 0]
        assert score_test(4, 2, [3], frame, boolean=False) == pytest.approx(expected)
        with pytest.raises(EdgewiseError, match="no column '5'"):
            score_test(5, 2, [3], frame)

    @pytest.mark.parametrize("value", [np.inf, np.nan])
    def test_refuses_missing_values(self, frame, value):
        frame.iloc[3, 2] = value
        with pytest.raises(DataError, match="'x'"):
            score_test("w", "x", [], frame)

    def test_pc_finds_the_skeleton(self, estimators, frame, named_edges):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PC is deprecated", FutureWarning)
            search = estimators.PC(frame)
        found, _ = search.estimate(
            variant="stable",
            ci_test=score_test,
            return_type="skeleton",
            significance_level=0.001,
            show_progress=False,
        )
        assert {*map(frozenset, found.edges)} == named_edges


class TestKeptRows:
    def test_are_read_once_for_a_frame(self, frame, monkeypatch):
        read = []
        whole = adapter.ConditionalTest
        monkeypatch.setattr(adapter, "ConditionalTest", lambda data: read.append(1) or whole(data))
        for _ in range(3):
            score_test("v", "x", ["w"], frame)
        assert len(read) == 1

    @pytest.mark.parametrize(
        "change",
        [
            lambda frame: frame.__setitem__("v", frame["v"] ** 3),
            lambda frame: frame.iloc.__setitem__((10, 0), 30.0),
            lambda frame: frame.__setitem__(["v", "w"], frame[["w", "v"]].to_numpy()),
            lambda frame: setattr(frame, "columns", ["w", "v", "x", "y", "z"]),
        ],
        ids=["column", "cell", "swapped", "renamed"],
    )
    def test_are_read_again_when_the_frame_changes(self, frame, change):
        before = score_test("v", "x", [], frame, boolean=False)
        change(frame)
        expected = partial_test(frame, "v", "x")
        r, p = score_test("v", "x", [], frame, boolean=False)
        assert (r, p) == pytest.approx((expected.partial_correlation, expected.pvalue))
        assert (r, p) != before


class TestClass:
    def test_gives_the_numbers_of_partial_test(self, require, frame):
        require("pgmpy.ci_tests")
        expected = partial_test(frame, "v", "x", given=["w"])
        test = ScoreTest(frame)
        assert test("v", "x", ["w"], significance_level=expected.pvalue * 0.99) is True
        assert test("v", "x", ["w"], significance_level=min(1, expected.pvalue * 1.01)) is False
        assert test.p_value_ == pytest.approx(expected.pvalue, rel=1e-9)
        assert test.effect_size_ == abs(test.statistic_)
        assert test.statistic_ == pytest.approx(expected.partial_correlation, rel=1e-9)
        assert test.test_.confidence_interval() == pytest.approx(expected.confidence_interval())

    @pytest.mark.parametrize("variant", ["stable", "parallel"])
    @pytest.mark.parametrize("orient_rule", [None, "pvalue"])
    def test_pc_finds_the_skeleton(self, require, frame, named_edges, variant, orient_rule):
        search = require("pgmpy.causal_discovery").PC(
            variant=variant,
            ci_test=ScoreTest(frame),
            significance_level=0.001,
            orient_rule=orient_rule,
            n_jobs=2,
            show_progress=False,
        )
        assert {*map(frozenset, search.fit(frame).skeleton_.edges)} == named_edges

    def test_without_the_package(self, without):
        missing = without("pgmpy", "pgmpy")
        with pytest.raises(MissingPartError, match=r"pip install 'pgmpy>=1.1'"):
            missing.ScoreTest(np.eye(3))


def test_the_function_needs_no_pgmpy(without, frame):
    function = without("pgmpy", "pgmpy").score_test
    assert function("v", "w", [], frame) is False

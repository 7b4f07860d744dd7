"""The score test inside causal-learn, pgmpy and tigramite: the numbers of `partial_test`."""

from __future__ import annotations

import copy
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import edgewise as ew
from edgewise import partial_test
from edgewise.errors import EdgewiseError, MissingDependencyError, ParameterError
from edgewise.integrations import causal_learn
from edgewise.integrations.pgmpy import ScoreTest
from edgewise.integrations.tigramite import ScoreCI
from edgewise.simulate import make_chain_precision, sample

NAMES = ["v", "w", "x", "y", "z"]
EDGES = {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3), (3, 4))}


@pytest.fixture(scope="module")
def chain():
    """1000 rows of a Gaussian chain of 5 columns."""
    return sample("gaussian", make_chain_precision(5, -0.4), 1000, rng=7)


@pytest.fixture
def frame(require, chain):
    return require("pandas").DataFrame(chain.copy(), columns=NAMES)


@pytest.fixture
def without(monkeypatch):
    """``without("causallearn", "causal_learn")``: that adapter as it is without the package."""

    def load(package, adapter):
        for name in [*sys.modules]:
            if name.startswith(f"{package}."):
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)
        spec = importlib.util.find_spec(f"edgewise.integrations.{adapter}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_adapters_are_imported_when_they_are_used():
    code = (
        "import sys, edgewise\n"
        "edgewise.integrations\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'numpy', 'causallearn', 'pgmpy', 'tigramite'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert dir(ew.integrations) == ["causal_learn", "pgmpy", "tigramite"]
    with pytest.raises(AttributeError, match="no attribute 'pcalg'"):
        _ = ew.integrations.pcalg


@pytest.mark.parametrize(
    ("package", "module", "make", "requirement"),
    [
        ("causallearn", "causal_learn", lambda m: m.register(), "causal-learn>=0.1.4.2"),
        ("causallearn", "causal_learn", lambda m: m.ScoreCIT(np.eye(3)), "causal-learn>=0.1.4.2"),
        ("pgmpy", "pgmpy", lambda m: m.ScoreTest(np.eye(3)), "pgmpy>=1.1"),
        ("tigramite", "tigramite", lambda m: m.ScoreCI(), "tigramite>=5.2.8"),
    ],
)
def test_without_the_package(without, package, module, make, requirement):
    with pytest.raises(MissingDependencyError, match=f"pip install '{requirement}'"):
        make(without(package, module))


class TestCausalLearn:
    @pytest.fixture
    def cit(self, require):
        module = require("causallearn.utils.cit")
        assert causal_learn.register() == causal_learn.register() == "edgewise"
        return module

    @pytest.mark.parametrize(("x", "y", "given"), [(0, 1, ()), (3, 1, (2,)), (0, 4, (3, 1))])
    def test_gives_the_p_value_of_partial_test(self, cit, chain, x, y, given):
        expected = partial_test(chain, x, y, given=given).pvalue
        test = cit.CIT(chain, "edgewise", verbose=False)
        assert test(x, y, given) == pytest.approx(expected, rel=1e-9)
        assert test(np.int64(y), x, np.array(given, dtype=int)) == test(x, y, given)
        assert copy.deepcopy({"test": test})["test"] is test

    def test_says_what_is_wrong_with_a_question(self, cit, chain):
        test = cit.CIT(chain, "edgewise")
        for question, argument in (((0, 1, (1,)), "given: "), ((1, 1), "y: ")):
            with pytest.raises(EdgewiseError, match=argument):
                test(*question)

    def test_with_a_release_that_knows_no_other_tests(self, cit, monkeypatch):
        monkeypatch.delattr(cit, "register_ci_test")
        with pytest.raises(MissingDependencyError, match=r"which cannot be imported \(.*name"):
            causal_learn.register()

    def test_a_cache_file_is_refused(self, cit, chain, tmp_path):
        with pytest.raises(ParameterError, match="cache_path: expected none"):
            cit.CIT(chain, "edgewise", cache_path=str(tmp_path / "p.json"))

    def test_pc_finds_the_skeleton(self, cit, require, chain):
        pc = require("causallearn.search.ConstraintBased.PC").pc
        graph = pc(chain, 0.001, indep_test="edgewise", show_progress=False).G.graph
        assert {frozenset(pair) for pair in np.argwhere(graph).tolist()} == EDGES


class TestPgmpy:
    def test_the_class_gives_the_numbers_of_partial_test(self, require, frame):
        require("pgmpy.ci_tests")
        expected = partial_test(frame, "v", "x", given=["w"])
        test = ScoreTest(frame)
        assert test("v", "x", ["w"], significance_level=expected.pvalue * 0.99) is True
        assert test("v", "x", ["w"], significance_level=min(1, expected.pvalue * 1.01)) is False
        assert test.p_value_ == pytest.approx(expected.pvalue, rel=1e-9)
        assert test.effect_size_ == abs(test.statistic_)
        assert test.statistic_ == pytest.approx(expected.partial_correlation, rel=1e-9)
        assert test.test_.confidence_interval() == pytest.approx(expected.confidence_interval())
        frame.columns = [4, 3, 2, 1, 0]
        by_number = ScoreTest(frame.assign(city="x"))
        assert by_number.run_test(4, 2, [3])[1] == pytest.approx(expected.pvalue)
        with pytest.raises(EdgewiseError, match="no column '5'"):
            by_number.run_test(5, 2, [3])

    @pytest.mark.parametrize(("variant", "orient"), [("stable", None), ("parallel", "pvalue")])
    def test_pc_finds_the_skeleton(self, require, frame, variant, orient):
        search = require("pgmpy.causal_discovery").PC(
            variant=variant,
            ci_test=ScoreTest(frame),
            significance_level=0.001,
            orient_rule=orient,
            n_jobs=2,
            show_progress=False,
        )
        found = search.fit(frame).skeleton_.edges
        assert {frozenset(map(NAMES.index, edge)) for edge in found} == EDGES


class TestTigramite:
    @pytest.fixture
    def series(self):
        """400 × 3: each has a memory, and the first drives the second."""
        rng = np.random.default_rng(3)
        X = rng.standard_t(5, (401, 3))
        for t in range(1, len(X)):
            X[t] += 0.4 * X[t - 1]
            X[t, 1] += 0.5 * X[t - 1, 0]
        return X[1:]

    @pytest.fixture
    def pcmci(self, require, series):
        """``pcmci(test)``: a search."""
        frame = require("tigramite.data_processing").DataFrame
        search = require("tigramite.pcmci").PCMCI
        return lambda test: search(frame(series.copy()), test)

    @pytest.fixture
    def test(self, require):
        require("tigramite")
        return ScoreCI()

    def test_gives_the_numbers_of_partial_test(self, test, series):
        x, y, z = series.T[:, :, np.newaxis]
        expected = partial_test(series, 0, 1, given=[2], method="score")
        r, p, dependent = test.run_test_raw(x, y, z, alpha_or_thres=0.05)
        assert (r, p) == pytest.approx((expected.partial_correlation, expected.pvalue), rel=1e-9)
        assert dependent == (p <= 0.05)

    def test_a_constant_variable_shows_nothing(self, test, series):
        array = np.vstack([series.T[:1], np.ones(len(series))])
        assert test.get_dependence_measure(array, np.array([0, 1])) == 0
        assert test.get_analytic_significance(0.0, len(series), 2, np.array([0, 1])) == 1
        assert test.get_analytic_confidence(0.0, 100, 0.9) == (-1, 1)

    def test_refusals(self, test, series):
        with pytest.raises(ParameterError, match="X, Y: expected one variable each, got 2 and 1"):
            test.get_dependence_measure(series.T, np.array([0, 0, 1]))
        with pytest.raises(ParameterError, match=r"value: .* run_test"):
            test.get_analytic_significance(0.2, 100, 3)
        for options in ({"recycle_residuals": True}, {"significance": "shuffle_test"}):
            with pytest.raises(ParameterError, match=f"^{next(iter(options))}: expected"):
                ScoreCI(**options)

    def test_pcmci_finds_the_links(self, pcmci, test):
        found = pcmci(test).run_pcmci(tau_max=2, pc_alpha=0.05)
        links = {tuple(link) for link in np.argwhere(found["p_matrix"] < 0.001).tolist()}
        assert links == {(0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 1)}

    def test_p_values_are_those_of_the_question(self, pcmci, test, series):
        search = pcmci(test)
        r, p = search.cond_ind_test.run_test([(0, -1)], [(1, 0)], [(1, -1)], tau_max=1)
        now, before = series[2:], series[1:-1]  # tigramite leaves out twice tau_max
        question = np.column_stack([before[:, 0], now[:, 1], before[:, 1]])
        expected = partial_test(question, 0, 1, given=[2], method="score")
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

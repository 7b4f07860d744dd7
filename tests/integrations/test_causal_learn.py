"""The score test inside causal-learn."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from edgewise import EdgewiseError, MissingPartError, ParameterError, partial_test
from edgewise.integrations import causal_learn


@pytest.fixture
def cit(require):
    module = require("causallearn.utils.cit")
    causal_learn.register()
    return module


def skeleton(graph):
    joined = (graph != 0) | (graph.T != 0)
    return {(i, j) for i, j in np.argwhere(np.triu(joined, 1)).tolist()}


class TestCIT:
    @pytest.mark.parametrize(("x", "y", "given"), [(0, 1, ()), (3, 1, (2,)), (0, 4, (3, 1))])
    def test_gives_the_p_value_of_partial_test(self, cit, chain, x, y, given):
        expected = partial_test(chain, x, y, given=given).pvalue
        test = cit.CIT(chain, "edgewise")
        assert test(x, y, given) == pytest.approx(expected, rel=1e-9)
        assert test(y, x, list(given)) == test(x, y, given)

    def test_takes_what_causal_learn_passes(self, cit, chain):
        test = cit.CIT(chain, "edgewise", verbose=False)
        assert test(np.int64(0), np.int64(2), np.array([1])) == test(0, 2, [1, 1])
        assert test(0, 1, None) == test(0, 1)
        assert test.method == "edgewise"

    def test_is_not_copied_with_a_graph(self, cit, chain):
        test = cit.CIT(chain, "edgewise")
        assert copy.deepcopy({"test": test})["test"] is test

    def test_says_what_is_wrong_with_a_question(self, cit, chain):
        test = cit.CIT(chain, "edgewise")
        with pytest.raises(EdgewiseError, match="given: "):
            test(0, 1, (1,))
        with pytest.raises(EdgewiseError, match="y: "):
            test(1, 1)


class TestRegister:
    def test_twice_is_once(self, cit):
        assert causal_learn.register() == causal_learn.register() == "edgewise"
        assert cit._custom_ci_tests["edgewise"] is causal_learn.ScoreCIT

    def test_without_the_package(self, without):
        adapter = without("causallearn", "causal_learn")
        for make in (adapter.register, lambda: adapter.ScoreCIT(np.eye(3))):
            with pytest.raises(MissingPartError, match=r"pip install 'causal-learn>=0.1.4.2'"):
                make()

    def test_with_a_release_that_knows_no_other_tests(self, cit, monkeypatch):
        monkeypatch.delattr(cit, "register_ci_test")
        with pytest.raises(MissingPartError, match=r"which cannot be imported \(.*name"):
            causal_learn.register()


class TestBaseClass:
    """Its arguments and attributes are causal-learn's, which changes them."""

    def test_with_fewer_arguments_and_no_cache(self, cit, chain, monkeypatch):
        def init(self, data):
            self.data = data

        monkeypatch.setattr(cit.CIT_Base, "__init__", init)
        monkeypatch.delattr(cit.CIT_Base, "save_to_local_cache")
        assert 0 < cit.CIT(chain, "edgewise", cache_path=None)(0, 1) < 1e-6


# causal-learn 0.1.4 opens its cache with codecs.open, which Python 3.14 deprecates.
@pytest.mark.filterwarnings(r"ignore:codecs\.open\(\) is deprecated:DeprecationWarning")
class TestCache:
    def test_is_written_and_read(self, cit, chain, tmp_path):
        path = tmp_path / "cache" / "p.json"
        test = cit.CIT(chain, "edgewise", cache_path=str(path))
        test.SAVE_CACHE_CYCLE_SECONDS = -1
        p = test(0, 2, (1,))
        kept = json.loads(path.read_text())
        assert kept["0;2|1"] == p

        again = cit.CIT(chain, "edgewise", cache_path=str(path))
        assert again.pvalue_cache["0;2|1"] == p == again(2, 0, (1,))

    def test_of_another_test_is_refused(self, cit, chain, tmp_path):
        path = tmp_path / "cache" / "p.json"
        fisher = cit.CIT(chain, "fisherz", cache_path=str(path))
        fisher.SAVE_CACHE_CYCLE_SECONDS = -1
        fisher(0, 2, (1,))
        with pytest.raises(ParameterError, match="got those of fisherz"):
            cit.CIT(chain, "edgewise", cache_path=str(path))

    def test_of_other_rows_is_refused(self, cit, chain, tmp_path):
        # causal-learn compares only what numpy prints of the rows.
        path = tmp_path / "cache" / "p.json"
        test = cit.CIT(chain, "edgewise", cache_path=str(path))
        test.SAVE_CACHE_CYCLE_SECONDS = -1
        test(0, 2, (1,))
        other = chain.copy()
        other[500] += 1
        assert str(other) == str(chain)
        with pytest.raises(ParameterError, match=r"cache_path: .* for these rows"):
            cit.CIT(other, "edgewise", cache_path=str(path))


class TestSearch:
    def test_pc_finds_the_skeleton(self, cit, require, chain, edges_of_chain):
        pc = require("causallearn.search.ConstraintBased.PC").pc
        found = pc(chain, 0.001, indep_test="edgewise", show_progress=False)
        assert skeleton(found.G.graph) == edges_of_chain

"""The result of a comparison: frozen, the same through JSON, and plain to read."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.results.difference import EdgeDifference, EdgeDifferenceResult
from edgewise.simulate import make_chain_precision, sample


@pytest.fixture(scope="module")
def groups():
    return [
        sample("t5", make_chain_precision(4, -rho), 400, rng=seed)
        for seed, rho in ((1, 0.4), (2, 0.0))
    ]


@pytest.fixture(scope="module", params=["wald", "permuted", "batch", "fisher"])
def result(groups, request):
    options = {"method": request.param}
    if request.param == "permuted":
        options = {"permutations": 59}
    return ew.compare_groups(*groups, group_names=("drug", "placebo"), **options)


@pytest.fixture(scope="module")
def several(groups):
    return ew.compare_groups(np.concatenate(groups), by=np.arange(800) // 200)


def test_it_is_frozen(result):
    with pytest.raises(FrozenInstanceError):
        result.question = None
    with pytest.raises(ValueError, match="read-only"):
        result.pvalue[0, 1] = 0.0


def test_files(groups, tmp_path):
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    for path, rows in zip(paths, groups, strict=True):
        np.save(path, rows)
    result = ew.compare_groups(*paths)
    again = EdgeDifferenceResult.from_json(result.to_json())
    assert again.files == result.files == tuple(((str(path), 400),) for path in paths)
    by = ew.compare_groups(paths, by=np.arange(800) % 2)
    assert by.files == (tuple((str(path), 400) for path in paths),) * 2


def test_tables(result, require):
    require("pandas")
    frame = result.to_frame("pandas")
    assert [*frame.columns] == [*EdgeDifference._fields]
    assert len(frame) == 6
    assert frame["reject"].sum() == result.n_edges
    np.testing.assert_allclose(
        frame["difference"], frame["partial_correlation_a"] - frame["partial_correlation_b"]
    )
    assert (frame["interval_low"] <= frame["difference"]).all()
    assert (frame["difference"] <= frame["interval_high"]).all()
    # In the order of the p-values, so that a larger statistic is surer.
    assert (np.diff(frame["statistic"].abs()) <= 1e-12).all()
    assert (frame["statistic"] * frame["difference"] >= 0).all()


def test_words(result):
    assert "of 6 pairs among 4 variables differ between 'drug' (400 rows)" in result.headline()
    assert result.headline() == result.summary().splitlines()[0]
    assert "That any pair differs: p " in result.summary()
    assert f"differing={result.n_edges}" in repr(result)


def test_nothing_differs(groups):
    halves = groups[0][:200].copy(), groups[0][200:].copy()
    result = ew.compare_groups(*halves)
    assert result.n_edges == 0
    assert "No pair differs. The smallest p-value is that of " in result.summary()


def test_many_pairs_are_cut_short():
    X = sample("gaussian", make_chain_precision(30, -0.45), 1000, rng=0)
    result = ew.compare_groups(X, np.random.default_rng(1).standard_normal(X.shape))
    assert result.n_edges > 15
    assert f"  … and {result.n_edges - 15} more" in result.summary().splitlines()


def test_several_levels(several, tmp_path, require, refuses):
    require("pandas")
    assert several.levels == ("0", "1", "2", "3")
    assert several.n_edges == sum(several[level].n_edges for level in several.levels)
    assert [(pair.group_a, pair.group_b) for pair in several.pairs()][::6] == [
        (level, f"all but {level}") for level in several.levels
    ]
    frame = several.to_frame("pandas")
    several.save(tmp_path / "x.csv")
    read = require("pandas").read_csv(tmp_path / "x.csv", dtype={"group_a": str})
    assert (read.columns == frame.columns).all()
    assert read["group_a"].tolist() == frame["group_a"].tolist()
    assert [several[level].summary() in several.summary() for level in several.levels] == [True] * 4
    again = EdgeDifferenceResult.from_json(several.to_json())
    assert (str(again), repr(again)) == (str(several), repr(several))
    refuses(lambda: several.pvalue, ParameterError, "level", "result['0']")
    refuses(lambda: several["9"], ParameterError, "level: expected one of '0'")


def test_wrong_questions(result, refuses):
    refuses(lambda: result.confidence_interval(1.0), ParameterError, "level")
    refuses(lambda: result.confidence_interval(scale="precision"), ParameterError, "scale")

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
        result.alpha = 0.1
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
    frame = result.to_frame("pandas")
    assert [*frame.columns] == [*EdgeDifference._fields]
    assert len(frame) == 6
    assert frame["reject"].sum() == result.n_edges
    np.testing.assert_allclose(
        frame["difference"], frame["partial_correlation_a"] - frame["partial_correlation_b"]
    )
    assert (frame["interval_low"] <= frame["difference"]).all()
    assert (frame["difference"] <= frame["interval_high"]).all()


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
    assert result.n_edges > 10
    assert result.summary().splitlines()[-1] == f"  … and {result.n_edges - 10} more"


def test_wrong_questions(result, refuses):
    refuses(lambda: result.confidence_interval(1.0), ParameterError, "level")
    refuses(lambda: result.confidence_interval(scale="precision"), ParameterError, "scale")

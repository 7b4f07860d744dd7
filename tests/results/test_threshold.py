"""The threshold of a result: found when it is asked for, and then a field like any other."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import edgewise as ew

X = np.random.default_rng(0).standard_normal((200, 4)) @ (np.eye(4) + 0.4)


def found(result):
    return "threshold" in vars(result)


@pytest.mark.parametrize("method", ["score", "wald", "fisher", "batch"])
def test_it_is_found_once(method):
    result = ew.edge_test(X, method=method)
    result.summary(), result.edges(), result.to_frame()
    assert not found(result)
    threshold = result.threshold
    assert found(result)
    assert result.threshold is threshold
    assert not threshold.flags.writeable
    assert np.isnan(threshold.diagonal()).all()
    # It separates the edges from the other pairs.
    pairs = result.tested_pairs()
    over = np.abs(result.precision[pairs]) > threshold[pairs]
    np.testing.assert_array_equal(over, result.reject[pairs])


def test_pairs_that_are_not_tested_have_none():
    result = ew.edge_test(X, given=["x1"])
    np.testing.assert_array_equal(np.isnan(result.threshold), ~result.tested)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    "again",
    [
        lambda result: pickle.loads(pickle.dumps(result)),
        copy.copy,
        copy.deepcopy,
        lambda result: dataclasses.replace(result, alpha=0.05),
        lambda result: ew.EdgeTestResult.from_json(result.to_json()),
    ],
)
def test_copies_have_it_too(again, asked):
    expected = ew.edge_test(X, min_effect=0.05).threshold
    result = ew.edge_test(X, min_effect=0.05)
    assert not asked or result.threshold.shape == (4, 4)
    np.testing.assert_array_equal(again(result).threshold, expected)  # the same operations


def test_it_cannot_be_set_and_has_no_default():
    result = ew.edge_test(X)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.threshold = 1.0
    with pytest.raises(TypeError, match="threshold"):
        ew.EdgeTestResult()


def test_a_bound_has_one_number():
    with pytest.warns(ew.errors.TooFewRowsWarning):
        assert ew.edge_test(X, method="trace").threshold == np.inf

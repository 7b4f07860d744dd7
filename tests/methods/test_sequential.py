"""`ConfidenceSequence`: looking at a stream again and again."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import ConfidenceSequence
from edgewise.errors import DataError, NonFiniteError, ParameterError

OFF = ~np.eye(4, dtype=bool)


@pytest.fixture(scope="module")
def stream():
    """5000 × 4 with heavy tails: strong, weak and no edges."""
    X = np.random.default_rng(8).standard_t(6, (5000, 4))
    X[:, 1] += 0.6 * X[:, 0]
    X[:, 3] += 0.07 * X[:, 2]
    X.flags.writeable = False
    return X


@pytest.mark.exactness
def test_pvalues_intervals_thresholds_and_edges_agree(stream):
    for alpha, n in ((0.001, 5000), (0.05, 50), (0.05, 400), (0.3, 5000)):
        result = ConfidenceSequence(alpha, tuned_for=1000).update(stream[:n]).result()
        np.testing.assert_array_equal(result.reject[OFF], result.adjusted_pvalue[OFF] <= alpha)
        above = np.abs(result.precision) >= result.threshold
        np.testing.assert_array_equal(result.reject[OFF], above[OFF])
        low, high = result.confidence_interval(1 - alpha, simultaneous=True)
        np.testing.assert_array_equal(result.reject[OFF], ((low > 0) | (high < 0))[OFF])


def test_pieces_and_sums_of_sequences_are_the_whole(stream, same_result):
    asked = {"alpha": 0.01, "tuned_for": 700, "n_batches": 20}
    whole = ConfidenceSequence(**asked).update(stream).result()
    pieces = ConfidenceSequence(**asked)
    for piece in np.split(stream, [1, 2, 700, 4000]):
        pieces.update(piece)
    same_result(pieces.result(), whole)
    for total in (pieces + ConfidenceSequence(**asked), ConfidenceSequence(**asked) + pieces):
        same_result(total.result(), whole)
    halves = [ConfidenceSequence(**asked).update(half) for half in np.split(stream, 2)]
    total = halves[0] + halves[1]
    assert (total.alpha, total.tuned_for, total.n_samples) == (0.01, 700, 5000)
    assert [half.n_samples for half in halves] == [2500, 2500]
    assert halves[0].merge(halves[1]) is halves[0]
    same_result(halves[0].result(), total.result())
    np.testing.assert_allclose(total.result().covariance, np.cov(stream, rowvar=False), rtol=1e-12)


def test_tuning_reaches_the_result(stream):
    early, late = (
        [
            ConfidenceSequence(tuned_for=tuned_for).update(stream[:n]).result().threshold[OFF]
            for n in (100, 5000)
        ]
        for tuned_for in (100, 5000)
    )
    assert (early[0] < late[0]).all()
    assert (late[1] < early[1]).all()


def test_looks_long_before_the_rows_it_is_tuned_for(stream):
    """There the boundary is so far out that its probability is below every float."""
    result = ConfidenceSequence(tuned_for=10_000_000).update(stream[:500]).result()
    assert (result.threshold[OFF] > np.abs(result.precision[OFF]).max()).all()
    low, high = result.confidence_interval(simultaneous=True)
    assert (low[OFF] < result.precision[OFF]).all()
    assert (high[OFF] > result.precision[OFF]).all()
    assert result.n_edges == 0


def test_refusals(stream, refuses, same_result):
    sequence = ConfidenceSequence(n_batches=10).update(stream)
    before = sequence.result()
    other = ConfidenceSequence(n_batches=20).update(stream)
    narrow = ConfidenceSequence(n_batches=10).update(stream[:, :3])
    constant = ConfidenceSequence().update(stream * [1, 0, 1, 1])
    refused = [
        (ConfidenceSequence().result, DataError, ["at least 1 row", "update"]),
        (ConfidenceSequence().update(stream[:2]).result, DataError, ["n_samples=2"]),
        (ConfidenceSequence().update(stream[:4]).result, DataError, ["4 rows and 4 columns"]),
        (ConfidenceSequence().update(stream[:, :1]).result, DataError, ["minimum of 2"]),
        (constant.result, DataError, ["constant column 'x1'"]),
        (lambda: sequence.update(stream[:, :3]), DataError, ["3 features", "4 features"]),
        (lambda: sequence.update(stream[:5] * np.nan), NonFiniteError, ["'x0' (5)"]),
        (lambda: sequence + other, ParameterError, ["10 batches", "20", "same n_batches"]),
        (lambda: sequence.merge(narrow), ParameterError, ["4 columns", "3"]),
        *(
            (lambda asked=asked: ConfidenceSequence(**asked), ParameterError, [*asked, said])
            for asked, said in (
                ({"alpha": 0}, "between 0 and 1"),
                ({"alpha": 1.0}, "between 0 and 1"),
                ({"tuned_for": 1}, "from 2 on"),
                ({"tuned_for": 2.5}, "whole number"),
                ({"n_batches": 1}, "from 2 on"),
            )
        ),
    ]
    for call, error, fragments in refused:
        refuses(call, error, *fragments)
    with pytest.raises(TypeError, match="unsupported operand"):
        sequence + 3
    same_result(sequence.result(), before)

"""What a state still knows when its rows are gone, and a sentence for what it does not."""

import numpy as np
import pytest

from edgewise.errors import DataError
from edgewise.inference.sample_of_state import StateEvidence
from edgewise.states import BatchMoments, Moments

NAMES = ("x0", "x1", "x2", "x3")
ROWS_NEEDED = {
    "pair_sums": (np.eye(4),),
    "exact_pairs": (np.eye(4), np.eye(4), 0.99),
    "covcov_matrix": (),
    "covcov_operator": (),
    "sums": (lambda batches: (),),
    "leading_rows": (7,),
}


def from_state(state, asked_by="method 'wald'"):
    return StateEvidence(feature_names=NAMES, asked_by=asked_by, state=state)


def test_moments_of_batches_are_the_pooled_ones(rows):
    pooled = from_state(BatchMoments(10).update(rows)).moments()
    assert isinstance(pooled, Moments)
    np.testing.assert_allclose(pooled.covariance(), np.cov(rows, rowvar=False), rtol=1e-12)
    moments = Moments().update(rows)
    assert from_state(moments).moments() is moments


def test_batches_that_were_not_kept(rows, refuses):
    refuses(
        from_state(Moments().update(rows), "method 'batch'").batches,
        DataError,
        "data: method 'batch' needs the moments of batches, got a Moments state",
        "accumulate a BatchMoments state, or pass the rows",
    )


@pytest.mark.parametrize("state", [BatchMoments(10), Moments(order=2)])
def test_fourth_order_sums_that_were_not_kept(rows, state, refuses):
    refuses(
        from_state(state.copy().update(rows), "method 'trace'").quartics,
        DataError,
        "data: method 'trace' needs fourth-order sums, got a state without them",
    )


@pytest.mark.parametrize("name", ROWS_NEEDED)
@pytest.mark.parametrize("asked_by", ["method 'wald'", "a diagnosis"])
def test_without_rows_a_second_pass_is_refused(rows, name, asked_by, refuses):
    held = from_state(Moments().update(rows), asked_by)
    refuses(
        lambda: getattr(held, name)(*ROWS_NEEDED[name]),
        DataError,
        f"data: {asked_by} reads the rows twice, got a state without rows; pass the rows",
    )

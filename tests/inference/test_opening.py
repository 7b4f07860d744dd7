"""`open_evidence` tells a state from rows, and reads rows once."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.inference.open_sample import open_evidence
from edgewise.inference.sample import Needs
from edgewise.inference.sample_of_rows import RowEvidence
from edgewise.states import Moments
from edgewise.tables.table import LocalTable

NAMES = ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(
    "needs",
    [Needs(), Needs(order=4), Needs(in_batches=True, n_batches=20), Needs(reads_again=True)],
)
def test_rows(rows, needs):
    evidence = open_evidence(rows, needs, "a test")
    assert isinstance(evidence, RowEvidence)
    assert evidence.feature_names == NAMES
    assert evidence.in_memory
    assert evidence.asked_by == "a test"
    if not needs.in_batches:
        assert evidence.state.order == needs.order
    else:
        assert evidence.batches().n_batches == needs.n_batches


def test_a_stream_cannot_be_read_again(rows, refuses):
    refuses(
        lambda: open_evidence(iter([rows]), Needs(reads_again=True), "a diagnosis"),
        DataError,
        "data: a diagnosis reads the rows twice, and this stream can be read only once",
        "method='batch'",
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"columns": ["x0", "x1"]},
        {"exclude": ["x0"]},
        {"missing": "drop"},
        {"transform": "normal-scores"},
    ],
)
def test_of_a_state_no_rows_can_be_chosen(rows, asked, refuses):
    state = Moments().update(rows)
    refuses(
        lambda: open_evidence(state, Needs(), "a test", **asked),
        ParameterError,
        "columns, exclude, missing, client: expected with rows only, got a state",
    )


@pytest.mark.parametrize("n", [300, 800])
@pytest.mark.parametrize("step", [1, -1])
def test_rows_that_change_between_passes(n, step, refuses):
    """Few rows, which the score test keeps, and more, which it sums."""
    X = np.random.default_rng(0).standard_normal((n + 20, len(NAMES)))

    class Changing(LocalTable):
        """A table that loses or gains rows from pass to pass."""

        feature_names, named, rescannable = NAMES, False, True
        passes = 0

        def blocks(self):
            self.passes += 1
            yield X[: n + step * (self.passes - 1)]

    refuses(
        lambda: ew.edge_test(Changing()),
        DataError,
        f"the first pass read {n} rows, a later one",
        "method='batch'",
    )

"""`open_evidence` tells a state from rows, and reads rows once."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import BatchMoments, DataError, Moments, ParameterError
from edgewise.evidence.evidence import Needs
from edgewise.evidence.from_rows import RowEvidence
from edgewise.evidence.from_state import StateEvidence
from edgewise.evidence.opening import open_evidence
from edgewise.rows.table import LocalTable

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


def test_a_file_is_not_in_memory(csv_file):
    evidence = open_evidence(csv_file, Needs(), "a test")
    assert not evidence.in_memory
    assert evidence.feature_names == tuple("abcd")


def test_a_stream_has_no_rows_left(rows):
    evidence = open_evidence(iter([rows]), Needs(), "a test")
    assert type(evidence) is StateEvidence
    assert evidence.moments().n_samples == 400


def test_a_stream_cannot_be_read_again(rows, refuses):
    refuses(
        lambda: open_evidence(iter([rows]), Needs(reads_again=True), "a diagnosis"),
        DataError,
        "data: a diagnosis reads the rows twice, and this stream can be read only once",
        "method='batch'",
    )


@pytest.mark.parametrize("state", [Moments(), BatchMoments(10)])
def test_a_state(rows, state):
    held = state.copy().update(rows)
    evidence = open_evidence(held, Needs(), "a test")
    assert type(evidence) is StateEvidence
    assert evidence.state is held


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
        "columns, exclude, missing, drop_missing, client: expected with rows only, got a state",
    )


def test_columns_names_and_missing_values(rows):
    X = rows.copy()
    X[5, 1] = np.nan
    evidence = open_evidence(
        X,
        Needs(),
        "a test",
        columns=["x0", "x1", "x3"],
        feature_names=["u", "v", "w"],
        missing="drop",
    )
    assert evidence.feature_names == ("u", "v", "w")
    assert evidence.n_dropped == 1
    assert evidence.moments().n_samples == 399


@pytest.mark.parametrize("shape", [(4, 4), (3, 5)])
def test_too_few_rows(shape, refuses):
    X = np.random.default_rng(0).standard_normal(shape)
    refuses(lambda: open_evidence(X, Needs(), "a test"), DataError, "more rows than columns")


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

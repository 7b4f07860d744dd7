"""Any state file is read as what it is, also those that earlier versions wrote.

The files of format 1 in tests/reference were made once, with edgewise 0.1.0, by

    X = np.array([[i % 7, i * i % 11, 3 * i % 5 + 1e6] for i in range(40)], dtype=float)
    names = ["left", "naïve – ü", "\\ud800"]
    Moments(feature_names=names).update(X[:25]).update(X[25:]).save("state_v1_moments.ews")
    BatchMoments(4, batch_rows=3, feature_names=names).update(X).save("state_v1_batches.ews")
    ConfidenceSequence(0.1, tuned_for=1000, n_batches=6).update(X).save("state_v1_sequence.ews")

They are never made again: a version that cannot read them has broken the promise of the format.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import StateFileError
from edgewise.states.file_format import write_state
from edgewise.states.registry import KINDS, as_state, state_class

REFERENCE = Path(__file__).parents[1] / "reference"
NAMES = ("left", "naïve – ü", "\ud800")
# In exact fractions from the whole numbers above.
MEAN = [2.875, 3.925, 1_000_002.0]
SCATTER = [[154.375, -26.375, 5.0], [-26.375, 316.775, 2.0], [5.0, 2.0, 80.0]]
FOURTH = [26.900048828125, 153.009873828125, 6.8]
NORM = 295.2043953125


@pytest.fixture(scope="module")
def states():
    return {
        "moments": ew.load_state(REFERENCE / "state_v1_moments.ews"),
        "batches": ew.load_state(REFERENCE / "state_v1_batches.ews"),
        "sequence": ew.load_state(str(REFERENCE / "state_v1_sequence.ews")),
    }


class TestFormat1:
    def test_kinds(self, states):
        kinds = [ew.Moments, ew.BatchMoments, ew.ConfidenceSequence]
        assert [type(state) for state in states.values()] == kinds

    @pytest.mark.parametrize("kind", ["moments", "batches", "sequence"])
    def test_numbers(self, states, kind):
        state = states[kind].state if kind == "sequence" else states[kind]
        assert (state.n_samples, state.n_features) == (40, 3)
        assert state.feature_names == (None if kind == "sequence" else NAMES)
        np.testing.assert_allclose(state.mean(), MEAN, rtol=1e-15)
        np.testing.assert_allclose(state.covariance() * 39, SCATTER, rtol=1e-12)

    def test_fourth_moments(self, states):
        state = states["moments"]
        assert state.order == 4
        quartics = state.quartics()
        np.testing.assert_allclose(quartics.columns, FOURTH, rtol=1e-12)
        assert quartics.norm == pytest.approx(NORM, rel=1e-12)

    def test_batches(self, states):
        batches = states["batches"]
        assert (batches.n_batches, batches.batch_rows) == (4, 6)
        assert batches.batch_counts().tolist() == [6, 6, 6, 6, 6, 6, 4]
        first = batches.scatters_about(batches.pooled().centre())[0]
        # The rows 0 … 5 about the mean of all.
        c = np.array([[i % 7, i * i % 11, 3 * i % 5 + 1e6] for i in range(6)]) - MEAN
        np.testing.assert_allclose(first, c.T @ c, rtol=1e-11)

    def test_a_sequence(self, states):
        sequence = states["sequence"]
        assert (sequence.alpha, sequence.tuned_for, sequence.n_samples) == (0.1, 1000, 40)
        assert sequence.state.n_batches == 6
        assert sequence.state.batch_counts().tolist() == [4] * 10
        assert sequence.result().n_samples == 40


class TestLoadState:
    def test_is_what_edge_test_takes(self, tmp_path, rows, same_result):
        path = tmp_path / "rows.state"
        state = ew.accumulate(rows)
        state.save(path)
        expected = ew.edge_test(rows, method="fisher")
        for data in (path, str(path), ew.load_state(path)):
            same_result(ew.edge_test(data, method="fisher"), expected)

    def test_batches_are_tested_as_they_were(self, tmp_path, rows, same_result):
        path = tmp_path / "rows.state"
        state = ew.accumulate(rows, n_batches=10)
        state.save(path)
        same_result(ew.edge_test(path, method="batch"), ew.edge_test(state, method="batch"))

    def test_an_unknown_kind_is_named(self, tmp_path, rows, refuses):
        path = tmp_path / "x.ews"
        write_state(path, replace(ew.Moments().update(rows)._contents(), kind="quantiles"))
        wanted = (f"'{path}'", "'quantiles'", "moments, batches, pairwise, concordance, sequence")
        refuses(lambda: ew.load_state(path), StateFileError, *wanted)

    def test_what_is_no_state(self, tmp_path, csv_file, refuses):
        refuses(lambda: ew.load_state(csv_file), StateFileError, f"'{csv_file}'")
        missing = tmp_path / "none.ews"
        refuses(lambda: ew.load_state(missing), StateFileError, f"'{missing}'", "No such file")


class TestAsState:
    def test_a_state_is_one(self, states):
        for state in states.values():
            assert as_state(state) is state

    def test_a_state_file_holds_one(self, states):
        for name, state in states.items():
            for kind in (str, Path):
                found = as_state(kind(REFERENCE / f"state_v1_{name}.ews"))
                assert type(found) is type(state)
                assert found.n_samples == 40

    def test_other_data_are_none(self, rows, csv_file, tmp_path):
        for data in (rows, csv_file, str(csv_file), tmp_path, "no/such", [csv_file], None, "a\0b"):
            assert as_state(data) is None

    def test_a_damaged_one_is_told(self, tmp_path, refuses):
        (tmp_path / "x.ews").write_bytes(b"EDGEWISE and no more")
        refuses(lambda: as_state(tmp_path / "x.ews"), StateFileError, "x.ews")


def test_every_kind_says_what_serves_it():
    for kind in KINDS:
        assert isinstance(state_class(kind).default_method, str)
    assert state_class("moments") is ew.Moments
    assert state_class("sequence") is ew.ConfidenceSequence

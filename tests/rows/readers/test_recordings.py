"""Recordings of MNE: channels are variables, time points are rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.kit import NAMES, Kit
from tests.corpus.object_labelled import bad_segment, epochs, info, raw

import edgewise as ew
from edgewise.rows.level_column import column_of_labels
from edgewise.rows.opening import open_table


@pytest.fixture
def kit(rows, require, tmp_path):
    return Kit(rows, require, tmp_path)


def test_epochs_are_not_batches_of_time_points(kit, same_result):
    """They are iterators of channels × times, which looks like batches of rows."""
    result = ew.edge_test(epochs(kit), method="batch", n_batches=20)
    same_result(result, ew.edge_test(kit.rows, method="batch", n_batches=20), names=NAMES)


def test_the_time_points_of_an_epoch_belong_together(kit, same_result):
    result = ew.edge_test(epochs(kit), groups="epoch")
    expected = ew.edge_test(kit.rows, groups=np.repeat(np.arange(10), 40))
    same_result(result, expected, names=NAMES)


def test_labels_as_in_the_data_frame_of_mne(kit, require):
    events = np.column_stack([np.arange(10) * 100, np.zeros(10), np.arange(10) % 2 + 1]).astype(int)
    data = kit.rows.reshape(10, 40, 4).transpose(0, 2, 1)
    made = require("mne").EpochsArray(data, info(kit), events, event_id={"left": 1, "right": 2})
    made.drop([3, 4])
    frame = made.to_data_frame()
    assert column_of_labels(made, "epoch").tolist() == frame["epoch"].tolist()
    assert column_of_labels(made, "condition").tolist() == frame["condition"].tolist()
    differences = ew.compare_groups(made, by="condition")
    assert differences.feature_names == NAMES


def test_dropped_epochs_are_left_out_and_the_users_object_stays(kit, require):
    recording = raw(kit)
    limits = {"eeg": float(np.ptp(kit.rows[:200], axis=0).max())}
    made = require("mne").make_fixed_length_epochs(
        recording, duration=0.4, preload=False, proj=False, reject_by_annotation=False
    )
    made.reject = limits
    table = open_table(made)
    assert not made.preload
    kept = made.copy().load_data()
    assert table.n_rows == 40 * len(kept)


def test_a_recording_in_a_file_is_read_by_block(kit, require, block_size, tmp_path):
    raw(kit).save(tmp_path / "r_raw.fif", fmt="double", verbose="error")
    block_size(37)
    recording = require("mne").io.read_raw_fif(tmp_path / "r_raw.fif", verbose="error")
    table = open_table(recording)
    assert (table.n_rows, table.in_memory) == (400, False)
    blocks = list(table.blocks())
    assert [len(block) for block in blocks] == [37] * 10 + [30]
    np.testing.assert_allclose(np.concatenate(blocks), kit.rows, rtol=1e-12)
    assert not recording.preload
    recording.close()


def test_a_bad_segment_is_missing_and_told(kit, refuses, same_result):
    refuses(lambda: ew.edge_test(bad_segment(kit)), ew.NonFiniteError, "'a' (10)", "missing='drop'")
    result = ew.edge_test(bad_segment(kit), drop_missing=True)
    assert result.n_dropped == 10
    same_result(result, ew.edge_test(np.delete(kit.rows, range(50, 60), axis=0)), names=NAMES)


def test_a_stimulus_channel_can_say_the_groups(kit, same_result):
    X = kit.rows.copy()
    X[:, 2] = np.repeat(np.arange(10), 40)
    recording = raw(Kit(X, kit.require, kit.folder), "eeg", "eeg", "stim", "eeg")
    expected = ew.edge_test(X[:, [0, 1, 3]], groups=X[:, 2])
    same_result(ew.edge_test(recording, groups="c"), expected, names="abd")
    evoked = epochs(kit).average()
    assert column_of_labels(evoked, "a").tolist() == evoked.data[0].tolist()


def test_numbers_in_volts_and_tesla(kit, same_result):
    """A partial correlation has no unit, however small the numbers are."""
    small = Kit(kit.rows * 1e-13, kit.require, kit.folder)
    result = ew.edge_test(raw(small, "mag", "mag", "mag", "mag"))
    expected = ew.edge_test(kit.rows)
    np.testing.assert_allclose(result.log_pvalue, expected.log_pvalue, rtol=1e-9)

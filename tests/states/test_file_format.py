"""A state file gives back what was saved, bit for bit, or one sentence; it is never believed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise import BatchMoments, ConfidenceSequence, DataError, Moments
from edgewise.errors import StateFileError
from edgewise.states.file_format import FORMAT_VERSION, is_state_file

NAMES = ("a", "b", "c", "d")
ODD_NAMES = ("naïve – ü", 'a"b', "a'b\\", "\ud800lone", "line\nbreak\t\0", "日本", "", " ")
MAKERS = {
    "order 4": lambda X: Moments().update(X),
    "order 2": lambda X: Moments(order=2, feature_names=NAMES).update(X),
    "no rows": lambda X: Moments(feature_names=NAMES),
    "open batch": lambda X: BatchMoments(8, batch_rows=3, feature_names=NAMES).update(X[:41]),
    "only an open batch": lambda X: BatchMoments(8, batch_rows=64).update(X[:41]),
    "whole batches": lambda X: BatchMoments(8, batch_rows=4).update(X[:32]),
    "no batches": lambda X: BatchMoments(8),
    "sequence": lambda X: ConfidenceSequence(0.1, tuned_for=500, n_batches=7).update(X[:99]),
    "no sequence": lambda X: ConfidenceSequence(0.1, tuned_for=500),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def state(request, rows):
    return request.param(rows)


def assert_identical(state, other):
    """Every bit that a state has: a file keeps them all, and the same updates follow."""
    ours, theirs = state._contents(), other._contents()
    assert type(state) is type(other)
    for field in ("kind", "columns", "n_samples", "meta"):
        assert getattr(ours, field) == getattr(theirs, field)
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, array in ours.arrays.items():
        assert array.dtype == theirs.arrays[name].dtype
        assert array.shape == theirs.arrays[name].shape
        assert array.tobytes() == theirs.arrays[name].tobytes(), name


class TestRoundTrip:
    @pytest.mark.exactness
    def test_is_exact(self, tmp_path, state):
        state.save(tmp_path / "x.ews")
        assert is_state_file(tmp_path / "x.ews")
        assert_identical(type(state).load(tmp_path / "x.ews"), state)
        assert os.listdir(tmp_path) == ["x.ews"]

    @pytest.mark.exactness
    def test_the_same_state_is_the_same_file(self, tmp_path, state):
        state.save(tmp_path / "x.ews")
        type(state).load(tmp_path / "x.ews").save(str(tmp_path / "y.ews"))
        assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()

    @pytest.mark.exactness
    def test_going_on_is_never_having_stopped(self, tmp_path, state, rows):
        state.save(tmp_path / "x.ews")
        loaded = type(state).load(tmp_path / "x.ews")
        for part in (rows[100:101], rows[101:300], rows[:7]):
            assert_identical(loaded.update(part), state.update(part))

    @pytest.mark.parametrize("kind", [Moments, BatchMoments])
    def test_odd_names(self, tmp_path, kind):
        X = np.arange(5.0 * len(ODD_NAMES)).reshape(5, -1)
        state = kind(feature_names=ODD_NAMES).update(X)
        state.save(tmp_path / "x.ews")
        assert kind.load(tmp_path / "x.ews").feature_names == ODD_NAMES

    def test_numbers_at_the_edge_of_float64(self, tmp_path):
        state = BatchMoments(2).update([[5e-324, -0.0], [1.7e308, 2.0**-1040]])
        state.save(tmp_path / "x.ews")
        assert_identical(BatchMoments.load(tmp_path / "x.ews"), state)

    @given(
        seed=st.integers(0, 2**32 - 1),
        shape=st.tuples(st.integers(1, 40), st.integers(1, 5)),
        offset=st.sampled_from([0.0, 1e8, -1e-300]),
        names=st.none() | st.lists(st.text(max_size=4), min_size=5, max_size=5, unique=True),
        cut=st.integers(0, 40),
        make=st.sampled_from([Moments, lambda **k: Moments(order=2, **k), BatchMoments])
        | st.builds(
            lambda K, rows: lambda **k: BatchMoments(K, batch_rows=rows, **k),
            st.integers(2, 5),
            st.integers(1, 9),
        ),
    )
    def test_any_small_state(self, tmp_path_factory, seed, shape, offset, names, cut, make):
        X = np.random.default_rng(seed).standard_t(3, shape) + offset
        state = make(feature_names=names and names[: shape[1]]).update(X[:cut])
        path = tmp_path_factory.mktemp("any") / "x.ews"
        state.save(path)
        loaded = type(state).load(path)
        assert_identical(loaded, state)
        assert_identical(loaded.update(X[cut:]), state.update(X[cut:]))


class TestDamage:
    def test_every_flipped_bit_is_noticed(self, saved, refuses):
        whole = saved.read_bytes()
        head = [(byte, bit) for byte in range(16) for bit in range(8)]
        anywhere = np.random.default_rng(0).integers((len(whole), 8), size=(200, 2)).tolist()
        for byte, bit in head + anywhere:
            damaged = bytearray(whole)
            damaged[byte] ^= 1 << bit
            saved.write_bytes(damaged)
            refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'")

    def test_every_cut_is_noticed(self, saved, refuses):
        whole = saved.read_bytes()
        cuts = np.random.default_rng(1).integers(len(whole), size=50)
        for cut in [0, 1, 7, 8, 15, 16, 17, len(whole) - 32, len(whole) - 1, *cuts]:
            saved.write_bytes(whole[:cut])
            refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'")

    @pytest.mark.parametrize("tail", [b"\0", b"x", b"\0" * 8, b"EDGEWISE" * 4])
    def test_appended_bytes_are_noticed(self, saved, refuses, tail):
        saved.write_bytes(saved.read_bytes() + tail)
        refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'", "damaged")

    def test_the_checksum_is_compared(self, saved, craft, parts, refuses):
        craft(saved, *parts(saved))
        Moments.load(saved)
        saved.write_bytes(saved.read_bytes()[:-32] + bytes(32))
        refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'", "checksum")

    def test_files_that_cannot_be_read(self, tmp_path, refuses):
        for path in (tmp_path / "none.ews", tmp_path):
            refuses(lambda path=path: Moments.load(path), StateFileError, f"'{path}'", "cannot")

    def test_a_newer_format_asks_for_an_upgrade(self, saved, craft, parts, refuses):
        craft(saved, *parts(saved), version=FORMAT_VERSION + 1)
        newer = f"format {FORMAT_VERSION + 1}"
        refuses(lambda: Moments.load(saved), StateFileError, newer, "upgrade", f"'{saved}'")

    def test_another_kind_is_named(self, saved, refuses):
        for kind in (BatchMoments, ConfidenceSequence):
            refuses(lambda kind=kind: kind.load(saved), StateFileError, "'moments'", f"'{saved}'")

    @pytest.mark.parametrize("where", ["fsync", "replace"])
    def test_a_full_disk_leaves_the_old_state(self, saved, rows, refuses, monkeypatch, where):
        def fails(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        before = saved.read_bytes()
        monkeypatch.setattr(os if where == "fsync" else Path, where, fails)
        save = Moments().update(rows).save
        refuses(lambda: save(saved), DataError, f"cannot write '{saved}'", "No space left")
        assert saved.read_bytes() == before
        assert os.listdir(saved.parent) == [saved.name]

    def test_a_disk_that_fills_while_writing(self, saved, rows, refuses, require):
        resource, signal = require("resource"), require("signal")
        before = saved.read_bytes()
        wide = Moments().update(np.tile(rows, (1, 40)))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        try:
            refuses(lambda: wide.save(saved), DataError, f"cannot write '{saved}'")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        assert saved.read_bytes() == before
        assert os.listdir(saved.parent) == [saved.name]

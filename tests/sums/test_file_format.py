"""A state file gives back what was saved, bit for bit, or one sentence; it is never believed."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise import ConfidenceSequence
from edgewise.errors import DataError, StateFileError
from edgewise.states import BatchMoments, Moments
from edgewise.sums.save import (
    KINDS,
    as_state,
    fingerprint,
    is_state_file,
    read_state,
    state_class,
    write_state,
)

NAMES = ("a", "b", "c", "d")
MAKERS = {
    "order 4": lambda X: Moments().update(X),
    "order 2": lambda X: Moments(order=2, feature_names=NAMES).update(X),
    "all products": lambda X: Moments(order="all").update(X),
    "no rows": lambda X: Moments(feature_names=NAMES),
    "open batch": lambda X: BatchMoments(8, batch_rows=3, feature_names=NAMES).update(X[:41]),
    "only an open batch": lambda X: BatchMoments(8, batch_rows=64).update(X[:41]),
    "whole batches": lambda X: BatchMoments(8, batch_rows=4).update(X[:32]),
    "no batches": lambda X: BatchMoments(8),
    "pairwise": lambda X: ew.states.PairwiseMoments(8).update(np.where(X > 2, np.nan, X)),
    "weighted": lambda X: ew.accumulate(X, weights=np.arange(1.0, 1 + len(X)), n_batches=8),
    "few ranks": lambda X: ew.states.ConcordanceMoments(8).update(X),
    "ranks": lambda X: ew.states.ConcordanceMoments(8).update(np.tile(X, (30, 1))),
    "sequence": lambda X: ConfidenceSequence(0.1, tuned_for=500, n_batches=7).update(X[:99]),
    "no sequence": lambda X: ConfidenceSequence(0.1, tuned_for=500),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def state(request, rows):
    return request.param(rows)


def assert_identical(state, other):
    """Every bit that a state has: a file keeps them all, and the same updates follow."""
    ours, theirs = state._contents(), other._contents()
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
    def test_a_flipped_bit_is_noticed_or_changes_nothing(self, saved, refuses):
        whole, state = saved.read_bytes(), Moments.load(saved)
        some = np.random.default_rng(0).integers((len(whole), 8), size=(150, 2)).tolist()
        noticed = 0
        for byte, bit in some + [(byte, bit) for byte in range(0, 40, 2) for bit in range(8)]:
            damaged = bytearray(whole)
            damaged[byte] ^= 1 << bit
            saved.write_bytes(damaged)
            try:
                # The archive has fields that nobody reads, such as the time.
                assert_identical(Moments.load(saved), state)
            except StateFileError:
                noticed += 1
                refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'")
        assert noticed > 150

    def test_every_cut_is_noticed(self, saved, refuses):
        whole = saved.read_bytes()
        cuts = np.random.default_rng(1).integers(len(whole), size=50)
        for at in (0, 1, 7, 30, 48, 60, len(whole) - 22, len(whole) - 1, *cuts):
            saved.write_bytes(whole[:at])
            refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'")

    def test_files_that_cannot_be_read(self, tmp_path, csv_file, refuses):
        for path in (tmp_path / "none.ews", tmp_path):
            refuses(lambda path=path: Moments.load(path), StateFileError, f"'{path}'", "cannot")
        refuses(lambda: ew.load_state(csv_file), StateFileError, f"'{csv_file}'", "not one that")

    def test_another_kind_is_named(self, saved, refuses):
        for kind in (BatchMoments, ConfidenceSequence):
            refuses(lambda kind=kind: kind.load(saved), StateFileError, "'moments'", f"'{saved}'")
        write_state(saved, replace(read_state(saved), kind="quantiles"))
        wanted = (f"'{saved}'", "'quantiles'", "moments, batches, pairwise, concordance, sequence")
        refuses(lambda: ew.load_state(saved), StateFileError, *wanted)

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


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class _Bomb:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


class TestHostile:
    """Files made to do harm: nothing of them is believed."""

    @pytest.fixture
    def forge(self, saved):
        """The archive with some members as given, written by the standard library alone."""

        def write(compression=zipfile.ZIP_STORED, header=None, **members):
            with zipfile.ZipFile(saved) as archive:
                known = {info.filename: archive.read(info) for info in archive.infolist()}
            if header is not None:
                text = header if isinstance(header, bytes) else json.dumps(header).encode()
                members["edgewise_state"] = npy(np.frombuffer(text, np.uint8))
            known |= {f"{name}.npy": content for name, content in members.items()}
            with zipfile.ZipFile(saved, "w", compression) as archive:
                for name, content in known.items():
                    archive.writestr(zipfile.ZipInfo(name), content, compression)
            return saved

        return write

    @pytest.fixture
    def header(self, saved):
        with np.load(saved, allow_pickle=False) as archive:
            return json.loads(archive["edgewise_state"].tobytes())

    def test_a_pickle_is_not_run(self, forge, tmp_path, refuses):
        marker = tmp_path / "marker"
        bomb = np.array([_Bomb(marker)], dtype=object)
        pickle.loads(pickle.dumps(_Bomb(marker)))
        assert marker.exists()
        marker.unlink()
        for members in ({"origin": npy(bomb)}, {"edgewise_state": npy(bomb)}):
            path = forge(**members)
            refuses(lambda path=path: Moments.load(path), StateFileError, "damaged", f"'{path}'")
        assert not marker.exists()

    @pytest.mark.parametrize("shape", ["(1048576, 1048576)", "(549755813888,)", "(-4,)", "(4.0,)"])
    def test_shapes_that_the_file_does_not_have_are_refused(self, forge, refuses, shape):
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
        path = forge(origin=b"\x93NUMPY\1\0\x76\0" + text.encode() + bytes(32))
        refuses(lambda: Moments.load(path), StateFileError, "damaged", f"'{path}'")

    def test_headers_that_are_none(self, forge, refuses):
        texts = [b"", b"\xff", b"[]", b"1", b"null", b"{}", b"{", b"[" * 200_000]
        for text in [*texts, b'{"a":' * 100_000, b'{"n_samples": ' + b"9" * 5000 + b"}"]:
            path = forge(header=text)
            for load in (read_state, Moments.load, BatchMoments.load):
                refuses(lambda load=load, path=path: load(path), StateFileError, "damaged")

    def test_arrays_that_are_none(self, forge, refuses):
        for bad in (np.zeros(4, "<f4"), np.array(["a"]), np.zeros(4, bool)):
            path = forge(origin=npy(bad))
            refuses(lambda path=path: Moments.load(path), StateFileError, "damaged")
        refuses(lambda: Moments.load(forge(origin=b"no array")), StateFileError, "damaged")

    def test_every_field_is_in_the_checksum(self, forge, header, refuses):
        other = {"n_samples": 499, "columns": ["a", "b", "c", "e"], "kind": "batches"}
        for name, value in {**other, "meta": {"order": 2}, "sha256": "0" * 64}.items():
            path = forge(header=header | {name: value})
            refuses(lambda path=path: Moments.load(path), StateFileError, "checksum")
        path = forge(header=header, first=npy(np.zeros(4)))
        refuses(lambda: Moments.load(path), StateFileError, "checksum")
        path = forge(header=header | {"format": 3})
        refuses(lambda: Moments.load(path), StateFileError, "of format 3, expected 2")

    def test_fields_that_make_no_sense(self, forge, header, refuses):
        bad = [("n_samples", one) for one in (-1, "3", None, 3.0, float("nan"), [3], 1 << 62)]
        bad += [("columns", one) for one in ("abcd", 4, ["a", "b", "c", 4], [["a"]] * 4)]
        bad += [("meta", one) for one in (None, [], "order")]
        for name, value in [*bad, ("kind", None), ("kind", ["moments"])]:
            path = forge(header=header | {name: value})
            refuses(lambda path=path: Moments.load(path), StateFileError, "damaged")

    def test_contents_that_do_not_fit(self, saved, tamper, tmp_path, refuses):
        whole = saved.read_bytes()
        changes = [{"columns": names} for names in (("a",), ("a", "a", "b", "c"))]
        changes += [{"meta": {"order": bad}} for bad in (None, "4", 3, True, -4, 4.0, [4], 10**30)]
        arrays = read_state(saved).arrays
        changes += [{"arrays": {name: None}} for name in arrays]
        changes += [{"arrays": {name: np.zeros((5, 5))}} for name in arrays]
        for change in changes:
            saved.write_bytes(whole)
            tamper(saved, **change)
            error = refuses(lambda: Moments.load(saved), ValueError)
            assert type(error).__module__ == "edgewise.errors"

    def test_options_that_make_no_sense(self, tamper, tmp_path, rows, refuses):
        path = tmp_path / "x.ews"
        ConfidenceSequence(n_batches=8).update(rows).save(path)
        whole = path.read_bytes()
        for field, values in {
            "n_batches": (None, 1, -5, "8", 8.0, True, [8]),
            "batch_rows": (None, 0, "3", 1.5, {}),
            "tuned_for": (None, 1, "3"),
            "alpha": (None, 0, 1, "0.05", float("inf"), [0.1]),
        }.items():
            for value in values:
                path.write_bytes(whole)
                tamper(path, meta={field: value})
                error = refuses(lambda: ConfidenceSequence.load(path), ValueError, field)
                assert type(error).__module__ == "edgewise.errors"

    def test_batches_of_impossible_lengths(self, tamper, tmp_path, refuses):
        path = tmp_path / "x.ews"
        for counts in ([0, 1], [-1, 2], [2, 2], [1 << 62, 1 << 62]):
            BatchMoments(2).update(np.eye(2)).save(path)
            tamper(path, arrays={"n": np.array(counts)})
            refuses(lambda: BatchMoments.load(path), StateFileError, "state: expected")


def test_a_state_file_is_tested_as_the_state(tmp_path, rows, same_result):
    path = tmp_path / "rows.state"
    for state, method in (
        (ew.accumulate(rows), "fisher"),
        (ew.accumulate(rows, n_batches=9), "batch"),
    ):
        state.save(path)
        expected = ew.edge_test(state, method=method)
        for data in (path, str(path), ew.load_state(path)):
            same_result(ew.edge_test(data, method=method), expected)


def test_as_state(tmp_path, rows, csv_file, state):
    path = tmp_path / "x.ews"
    state.save(path)
    assert as_state(state) is state
    for data in (path, str(path)):
        assert_identical(as_state(data), state)
    assert fingerprint(as_state(path)._contents()) == fingerprint(state._contents())
    for data in (rows, csv_file, str(csv_file), tmp_path, "no/such", [csv_file], None, "a\0b"):
        assert as_state(data) is None
    for kind in KINDS:
        assert isinstance(state_class(kind).default_method, str)

"""Work that was interrupted goes on from its checkpoint, and ends as if nothing had happened."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import edgewise as ew
from edgewise.errors import CheckpointWarning, DataError, StateFileError
from edgewise.sums.accumulate import read_into, read_with_checkpoints
from edgewise.sums.save import read_state, write_state
from edgewise.tables import table as table_module
from edgewise.tables.files import FileTable
from edgewise.tables.open import as_table

BATCH = 16
CUTS = (50, 98, 105)  # files of 50, 48 and 7 rows: a short batch at the end, none, only one
N_BATCHES = 4 + 3 + 1
NAMES = ["a", "b", "c", "d"]
CASES = {
    "csv": lambda: ew.states.Moments(feature_names=NAMES),
    "csv.gz": lambda: ew.states.Moments(order="all"),
    "parquet": lambda: ew.states.BatchMoments(4, batch_rows=5, feature_names=NAMES),
    "feather": lambda: ew.states.PairwiseMoments(4, batch_rows=5, feature_names=NAMES),
    "npy": lambda: ew.states.Moments(order=2),
}


class StopError(Exception):
    pass


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(table_module, "_MOST_BATCH_ROWS", BATCH)
    monkeypatch.setattr(table_module, "_FEWEST_BATCH_ROWS", BATCH)


@pytest.fixture
def write(tmp_path, write_csv):
    """Rows as files of a kind, cut at `CUTS`."""

    def files(X, ending="csv"):
        paths = []
        for number, part in enumerate(np.split(X, CUTS[:-1])):
            path = tmp_path / f"part{number}.{ending}"
            table = pa.table(list(part.T), names=NAMES)
            if ending == "npy":
                np.save(path, part)
            elif ending == "parquet":
                parquet.write_table(table, path, row_group_size=20)
            elif ending == "feather":
                feather.write_feather(table, path, chunksize=9)
            elif ending == "csv.gz":
                plain = write_csv(tmp_path / "plain", NAMES, part)
                path.write_bytes(gzip.compress(plain.read_bytes()))
            else:
                write_csv(path, NAMES, part)
            paths.append(path)
        return paths

    return files


@pytest.fixture
def gaps(rows):
    """Rows with missing values in every file, and a whole batch of them."""
    X = rows[: CUTS[-1]].copy()
    X[[3, 17, 60, 104], [0, 1, 2, 3]] = np.nan
    X[64:84, 0] = np.inf
    return X


def stopping(after):
    """A `progress` that interrupts at the call of this number."""
    told = []

    def tell(rows):
        told.append(rows)
        if len(told) == after:
            raise StopError

    return tell


def bits(state):
    """All of a state: the same where the same batches are added in the same order."""
    contents = state._contents()
    arrays = {name: array.tobytes() for name, array in contents.arrays.items()}
    return contents.kind, contents.columns, contents.n_samples, contents.meta, arrays


@pytest.fixture
def interrupted(write, rows, tmp_path):
    """Files, and the checkpoint of work on them that was stopped after four batches."""
    paths, checkpoint = write(rows[: CUTS[-1]]), tmp_path / "x.checkpoint"
    with pytest.raises(StopError):
        read_with_checkpoints(
            FileTable(paths), ew.states.BatchMoments(4), checkpoint, every=0, progress=stopping(5)
        )
    return paths, checkpoint


def resume(paths, checkpoint, state=None, columns=None, **options):
    return read_with_checkpoints(
        FileTable(paths, columns=columns),
        ew.states.BatchMoments(4) if state is None else state,
        checkpoint,
        resume=True,
        **options,
    )


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize("ending", CASES)
def test_resumed_at_any_batch_is_uninterrupted(tmp_path, write, rows, gaps, ending, missing):
    kind = CASES[ending]
    X = gaps if missing == "drop" else rows[: CUTS[-1]]
    source = FileTable(write(X, ending))
    whole, n_dropped = read_into(kind(), as_table(source, missing=missing))
    assert n_dropped == (24 if missing == "drop" else 0)
    assert whole.n_samples == len(X) - n_dropped
    kept = X[np.isfinite(X).all(axis=1)]
    np.testing.assert_allclose(whole.covariance(), np.cov(kept, rowvar=False), rtol=1e-10)
    for after in range(1, N_BATCHES + 1):
        checkpoint = tmp_path / f"{after}.checkpoint"
        options = {"missing": missing, "checkpoint": checkpoint, "every": 0}
        with pytest.raises(StopError):
            read_with_checkpoints(source, kind(), progress=stopping(after), **options)
        assert checkpoint.exists()
        told = []
        state, dropped = read_with_checkpoints(
            source, kind(), resume=True, progress=told.append, **options
        )
        assert bits(state) == bits(whole)
        assert dropped == n_dropped
        assert sum(told) == len(X)


def test_a_checkpoint_is_no_more_than_asked_for(tmp_path, write, rows):
    source, checkpoint = FileTable(write(rows[: CUTS[-1]])), tmp_path / "x.checkpoint"
    read_with_checkpoints(source, ew.states.Moments(), checkpoint, every=60)
    assert not checkpoint.exists()
    state, _ = read_with_checkpoints(source, ew.states.Moments(), checkpoint, every=0)
    contents = read_state(checkpoint, "checkpoint")
    assert contents.n_samples == state.n_samples == CUTS[-1]
    assert contents.meta["progress"]["position"] == [2, 7]


def test_without_resume_a_checkpoint_is_kept(interrupted, refuses):
    paths, checkpoint = interrupted
    before = checkpoint.read_bytes()
    read = partial(
        read_with_checkpoints, FileTable(paths), ew.states.BatchMoments(4), checkpoint, every=0
    )
    refuses(read, DataError, f"'{checkpoint}' is there already", "--resume", "delete it")
    assert checkpoint.read_bytes() == before
    checkpoint.unlink()
    state, _ = read()
    assert state.n_samples == CUTS[-1]
    assert read_state(checkpoint).n_samples == CUTS[-1]


class TestChanges:
    @pytest.mark.parametrize("change", ["size", "time", "size and not time"])
    def test_of_a_file(self, interrupted, refuses, change):
        paths, checkpoint = interrupted
        stat = paths[1].stat()
        if change != "time":
            paths[1].write_bytes(paths[1].read_bytes() + b"1,2,3,4\n")
        if change != "size":
            later = stat.st_mtime_ns + (10**9 if change == "time" else 0)
            os.utime(paths[1], ns=(stat.st_atime_ns, later))
        wanted = (f"'{checkpoint}'", f"'{paths[1]}'", "has changed", "delete the checkpoint")
        refuses(lambda: resume(paths, checkpoint), StateFileError, *wanted)

    @pytest.mark.parametrize("choose", [lambda p: p[::-1], lambda p: p[:2], lambda p: p[1:]])
    def test_of_the_files(self, interrupted, refuses, choose):
        paths, checkpoint = interrupted
        call = lambda: resume(choose(paths), checkpoint)  # noqa: E731
        refuses(call, StateFileError, f"'{checkpoint}'", "other files")

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"columns": ["a", "b", "c"]}, "columns"),
            ({"columns": ["d", "c", "b", "a"]}, "columns"),
            ({"missing": "drop"}, "missing"),
            ({"weights": "drop"}, "weights"),
            ({"state": ew.states.Moments()}, "kind"),
            ({"state": ew.states.BatchMoments(5)}, "options"),
        ],
    )
    def test_of_what_was_asked(self, interrupted, refuses, options, word):
        call = lambda: resume(*interrupted, **options)  # noqa: E731
        refuses(call, StateFileError, f"'{interrupted[1]}'", f"other {word}")


class TestDamage:
    def test_of_bytes(self, interrupted, refuses):
        paths, checkpoint = interrupted
        whole = checkpoint.read_bytes()
        for content in (b"", whole[:-1], whole[:200], whole.replace(b"part1", b"part2"), b"x"):
            checkpoint.write_bytes(content)
            refuses(lambda: resume(paths, checkpoint), StateFileError, f"'{checkpoint}'")

    @pytest.mark.parametrize(
        "progress",
        [None, [], "x", {}, {"facts": None}, {"facts": {"kind": "sequence"}}]
        + [{"facts": {"kind": "moments"}, "position": bad, "n_dropped": 0} for bad in (1, [1], "")],
    )
    def test_of_what_it_says(self, interrupted, refuses, progress):
        paths, checkpoint = interrupted
        contents = read_state(checkpoint)
        write_state(checkpoint, replace(contents, meta={**contents.meta, "progress": progress}))
        refuses(lambda: resume(paths, checkpoint), StateFileError, f"'{checkpoint}'")


class TestUnwritable:
    def test_the_run_goes_on(self, write, rows, tmp_path):
        """The folder is gone for a while, in the middle of the run."""
        paths, folder, told = write(rows[: CUTS[-1]]), tmp_path / "kept", []
        folder.mkdir()

        def trouble(count):
            told.append(count)
            if len(told) == 2:
                folder.rename(tmp_path / "elsewhere")
            if len(told) == 5:
                (tmp_path / "elsewhere").rename(folder)

        checkpoint = folder / "x.checkpoint"
        with pytest.warns(CheckpointWarning) as caught:
            state, _ = read_with_checkpoints(
                FileTable(paths),
                ew.states.BatchMoments(4),
                checkpoint,
                every=1e-9,
                progress=trouble,
            )
        (warning,) = caught  # though several could not be written
        assert f"cannot write '{checkpoint}': No such file" in str(warning.message)
        assert "Reading goes on" in str(warning.message)
        expected, _ = read_into(ew.states.BatchMoments(4), as_table(paths))
        assert bits(state) == bits(expected)
        # Later ones were written, and are complete.
        assert bits(resume(paths, checkpoint)[0]) == bits(expected)


WORKER = """
import sys
import edgewise as ew
from edgewise.tables import table

table._MOST_BATCH_ROWS = table._FEWEST_BATCH_ROWS = 16
*paths, checkpoint = sys.argv[1:]
calls = []

def wait(rows):
    calls.append(rows)
    if len(calls) == 4:
        print("ready", flush=True)
        sys.stdin.readline()

try:
    ew.accumulate(paths, n_batches=4, checkpoint=checkpoint, every=1e-9, resume=True, progress=wait)
except ew.errors.DataError as error:
    sys.exit(str(error))
"""


def test_two_processes_and_one_that_is_killed(write, rows, tmp_path):
    """The second is refused and harms nothing; a lock of the dead holds nobody up."""
    paths, checkpoint = write(rows[: CUTS[-1]]), tmp_path / "x.checkpoint"
    command = [sys.executable, "-c", WORKER, *map(str, paths), str(checkpoint)]
    first = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert first.stdout.readline() == "ready\n"
        before = sorted(os.listdir(tmp_path))
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        (line,) = second.stderr.splitlines()
        assert line.startswith(f"output: another edgewise is writing '{checkpoint}'")
        assert sorted(os.listdir(tmp_path)) == before
    finally:
        first.kill()
        first.communicate()
    assert first.returncode != 0
    state, _ = resume(paths, checkpoint)
    expected, _ = read_into(ew.states.BatchMoments(4), as_table(paths))
    assert bits(state) == bits(expected)

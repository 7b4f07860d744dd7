"""`edgewise accumulate` on real files, killed, stopped and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import edgewise as ew
from edgewise.cli.progress import peak_memory, progress_bar

# `EDGEWISE_KILLS=50 pytest tests/cli/test_accumulate.py -k kill` for a longer siege.
KILLS = int(os.environ.get("EDGEWISE_KILLS", "5"))


@pytest.fixture(scope="module")
def long_data(tmp_path_factory):
    """``long_data(times=1)``: files that take about a second to read, or so many times as long."""
    folder = tmp_path_factory.mktemp("long")
    X = np.random.default_rng(0).standard_normal((40_000, 64))
    X = np.round(X + X[:, ::-1] / 2, 3)
    names = [f"c{i}" for i in range(64)]

    def files(times=1):
        written = []
        for k in range(4 * times):
            # Each file has other rows.
            table = pa.table(list((X * (k + 1)).T), names=names)
            written += [folder / f"a{k}.parquet", folder / f"b{k}.csv"]
            if not written[-1].exists():
                # Columns the other way round: files are matched by name.
                parquet.write_table(table.select(names[::-1]), written[-2])
                csv.write_csv(table.slice(20_000).select(names), written[-1])
        return written

    return files


@pytest.fixture(scope="module")
def long_csv(long_data, tmp_path_factory):
    """1,600,000 rows of text, which take some seconds to read however quick the machine is."""
    head, _, body = long_data()[1].read_bytes().partition(b"\n")
    path = tmp_path_factory.mktemp("longer") / "long.csv"
    with path.open("wb") as file:
        file.write(head + b"\n")
        for _ in range(80):
            file.write(body)
    return path


@pytest.fixture
def start():
    """Start `edgewise` and hand over the process; none outlives its test."""
    program = Path(sys.executable).parent / "edgewise"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    started = []

    def begin(*arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process = subprocess.Popen([program, *map(str, arguments)], env=environment, **options)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        with process:  # closes its pipes and waits
            pass


def wait_for_change(path, process, seconds=60):
    """Until a file is there, or is a new one; whether that was before the process ended."""

    def version():
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns

    before, end = version(), time.monotonic() + seconds
    while version() in (None, before):
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


class TestInterruption:
    @pytest.mark.parametrize(
        ("kind", "times"), [("batches", KILLS - KILLS // 2), ("moments", KILLS // 2)]
    )
    def test_kill_at_any_moment(self, tmp_path, run_edgewise, start, long_data, kind, times):
        common = [*long_data(), "--kind", kind, "--n-batches", "30"]
        run_edgewise("accumulate", *common, "-o", tmp_path / "whole.ews")
        whole = (tmp_path / "whole.ews").read_bytes()
        rng = np.random.default_rng(len(kind))
        output, checkpoint = tmp_path / "x.ews", tmp_path / "x.ews.checkpoint"
        again = [*common, "-o", output, "--checkpoint-every", "0.05", "--resume"]
        kills = resumed = ends = 0
        while kills < times:
            process = start("accumulate", *again)
            resumed += checkpoint.exists()
            # A random moment after one of the next checkpoints, so while rows are read, or the
            # checkpoint or the state is written, however busy the machine is.
            for _ in range(rng.integers(1, 4)):
                wait_for_change(checkpoint, process)
            time.sleep(rng.uniform(0, 0.1))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                # There is a whole state, or none.
                assert not output.exists() or output.read_bytes() == whole
            else:
                assert process.returncode == 0, process.stderr.read()
                assert output.read_bytes() == whole
                assert not checkpoint.exists()
                output.unlink()
                ends += 1
        resumed += checkpoint.exists()
        run_edgewise("accumulate", *again)
        assert output.read_bytes() == whole
        assert not checkpoint.exists()
        assert resumed
        print(f"{kills} kills, {resumed} runs resumed, {ends + 1} came to the end")

    def test_control_c_keeps_the_checkpoint(self, tmp_path, run_edgewise, start, long_csv):
        output, checkpoint = tmp_path / "x.ews", tmp_path / "x.ews.checkpoint"
        process = start("accumulate", long_csv, "-o", output, "--checkpoint-every", "0.01")
        assert wait_for_change(checkpoint, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert out == b""
        lines = err.decode().split("\n")
        assert "edgewise: stopped" in lines
        assert all(line.startswith("edgewise: ") for line in lines if line)
        assert os.listdir(tmp_path) == ["x.ews.checkpoint"]
        run_edgewise("accumulate", long_csv, "-o", output, "--resume")
        assert os.listdir(tmp_path) == ["x.ews"]
        assert ew.load_state(output).n_samples == 80 * 20_000

    def test_changed_files_are_refused(self, tmp_path, run_edgewise, start, long_data):
        output, checkpoint = tmp_path / "x.ews", tmp_path / "x.ews.checkpoint"
        process = start("accumulate", *long_data(2), "-o", output, "--checkpoint-every", "0.01")
        assert wait_for_change(checkpoint, process)
        process.kill()
        process.communicate()
        done = run_edgewise("accumulate", *long_data(), "-o", output, "--resume", status=1)
        assert done.stderr.startswith(f"edgewise: checkpoint '{checkpoint}' does not fit")
        assert "other files" in done.stderr
        assert checkpoint.exists()
        assert not output.exists()

    def test_a_checkpoint_is_never_lost_in_silence(self, tmp_path, run_edgewise, csv_file):
        output, checkpoint = tmp_path / "x.ews", tmp_path / "x.ews.checkpoint"
        checkpoint.write_bytes(b"the work of hours")
        for options in ([], ["--checkpoint-every", "9"]):
            done = run_edgewise("accumulate", csv_file, "-o", output, *options, status=1)
            (line,) = done.stderr.splitlines()
            assert line.startswith(f"edgewise: output: '{checkpoint}' keeps the rows of a run")
            assert "--resume" in line
            assert "delete that file to start anew" in line
            assert checkpoint.read_bytes() == b"the work of hours"
            assert not output.exists()

    def test_one_at_a_time(self, tmp_path, run_edgewise, start, long_csv):
        output, checkpoint = tmp_path / "x.ews", tmp_path / "x.ews.checkpoint"
        process = start("accumulate", long_csv, "-o", output, "--checkpoint-every", "0.01")
        assert wait_for_change(checkpoint, process)
        done = run_edgewise("accumulate", long_csv, "-o", output, status=1)
        assert done.stderr.startswith(f"edgewise: output: another edgewise is writing '{output}'")
        process.kill()
        process.wait()
        # Whoever was killed blocks nobody.
        run_edgewise("accumulate", long_csv, "-o", output, "--resume")
        assert os.listdir(tmp_path) == ["x.ews"]


class TestState:
    @pytest.mark.parametrize("kind", ["batches", "moments"])
    def test_is_that_of_the_library(self, tmp_path, run_edgewise, csv_file, rows, kind):
        output = tmp_path / "x.ews"
        asked = ("--n-batches", "100") if kind == "batches" else ()
        done = run_edgewise("accumulate", csv_file, "-o", output, "--kind", kind, *asked)
        assert done.stdout == f"400 rows of 4 columns are in {output}\n"
        assert done.stderr == ""
        expected = ew.accumulate(csv_file, n_batches=None if kind == "moments" else 100)
        expected.save(tmp_path / "y.ews")
        assert output.read_bytes() == (tmp_path / "y.ews").read_bytes()

    def test_options(self, tmp_path, run_edgewise, csv_file, rows, write_csv):
        output, other = tmp_path / "x.ews", write_csv(tmp_path / "other.csv", "abcd", -rows)
        run_edgewise(
            *("accumulate", csv_file, other, "-o", output, "--n-batches", "7"),
            *("--exclude", "b", "--checkpoint-every", "9"),
        )
        state = ew.load_state(output)
        assert (state.n_samples, state.n_batches) == (800, 7)
        assert state.feature_names == ("a", "c", "d")
        assert not (tmp_path / "x.ews.checkpoint").exists()

    def test_columns_without_names(self, tmp_path, run_edgewise, rows):
        np.save(tmp_path / "rows.npy", rows)
        run_edgewise("accumulate", tmp_path / "rows.npy", "-o", tmp_path / "x.ews")
        assert ew.load_state(tmp_path / "x.ews").feature_names is None

    def test_standard_input(self, tmp_path, run_edgewise, csv_file):
        for data, name in ((csv_file, "x.ews"), ("-", "y.ews")):
            with csv_file.open() as file:
                done = run_edgewise("accumulate", data, "-o", tmp_path / name, stdin=file)
            assert done.stderr == ""
        assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()

    def test_missing_values(self, tmp_path, run_edgewise, rows, write_csv):
        X = rows.copy()
        X[[3, 9], [0, 1]] = np.nan
        data, output = write_csv(tmp_path / "gaps.csv", "abcd", X), tmp_path / "x.ews"
        done = run_edgewise("accumulate", data, "-o", output, status=1)
        assert "'a' (1), 'b' (1)" in done.stderr
        assert not output.exists()
        done = run_edgewise("accumulate", data, "-o", output, "--drop-missing")
        assert done.stderr == "edgewise: left out 2 rows with missing or infinite values.\n"
        assert ew.load_state(output).n_samples == 398

    def test_verbose(self, tmp_path, run_edgewise, csv_file):
        done = run_edgewise("accumulate", csv_file, "-o", tmp_path / "x.ews", "-v")
        assert " rows/s, peak memory " in done.stderr
        assert done.stderr.endswith(" MB\n")
        assert done.stderr.splitlines()[0] == f"edgewise: read 400 rows of '{csv_file}'."
        assert len(done.stderr.splitlines()) == 2
        assert peak_memory().startswith("peak memory ")


class TestRefusals:
    @pytest.mark.parametrize("option", [["--checkpoint-every", "5"], ["--resume"]])
    def test_standard_input_cannot_be_read_again(self, tmp_path, run_edgewise, csv_file, option):
        with csv_file.open() as file:
            done = run_edgewise(
                *("accumulate", "-", "-o", tmp_path / "x.ews", *option), stdin=file, status=1
            )
        assert done.stderr.startswith("edgewise: data: expected files with --checkpoint-every")
        assert not (tmp_path / "x.ews").exists()

    def test_a_missing_folder(self, tmp_path, run_edgewise, csv_file):
        output = tmp_path / "nowhere" / "x.ews"
        done = run_edgewise("accumulate", csv_file, "-o", output, status=1)
        assert f"there is no folder '{output.parent}'" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_no_rows(self, tmp_path, run_edgewise):
        (tmp_path / "none.csv").write_text("a,b\n")
        output = tmp_path / "x.ews"
        done = run_edgewise("accumulate", tmp_path / "none.csv", "-o", output, status=1)
        assert len(done.stderr.splitlines()) == 1
        assert not output.exists()

    @pytest.mark.parametrize(
        ("arguments", "fragment"),
        [
            (["--checkpoint-every", "-1"], "checkpoint-every: expected a number above 0"),
            (["--n-batches", "1"], "n_batches: expected a whole number from 2 on, got 1"),
            (["--kind", "sequence"], "'sequence' is not one of"),
        ],
    )
    def test_options(self, tmp_path, run_edgewise, csv_file, arguments, fragment):
        output = tmp_path / "x.ews"
        done = run_edgewise("accumulate", csv_file, "-o", output, *arguments, status=2)
        assert fragment in done.stderr
        assert not output.exists()

    def test_an_output_is_needed(self, run_edgewise, csv_file):
        assert "'--output'" in run_edgewise("accumulate", csv_file, status=2).stderr

    def test_a_state_is_no_data(self, tmp_path, run_edgewise, csv_file):
        output = tmp_path / "x.ews"
        run_edgewise("accumulate", csv_file, "-o", output)
        for command in (["accumulate", "-o", "y.ews"], ["compare"], ["plan", "--effect", "0.1"]):
            done = run_edgewise(*command, output, status=1, cwd=tmp_path)
            assert f"expected rows, got the state file '{output}'" in done.stderr
            assert (done.stdout, len(done.stderr.splitlines())) == ("", 1)


class TestProgress:
    def test_nothing_in_a_pipe(self, capsys):
        with progress_bar(100, "reading") as tell:
            tell(60)
            tell(40)
        assert capsys.readouterr() == ("", "")

    def test_no_full_bar_while_passes_go_on(self, monkeypatch):
        """A matrix-free solver reads the rows more often than was foreseen."""
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
        seen = []
        monkeypatch.setattr(
            "rich.progress.Progress.update",
            lambda self, task, **changes: seen.append(self.tasks[0].total),
        )
        with progress_bar(100, "testing") as tell:
            for _ in range(3):
                tell(60)
        assert seen == [100, None, None]

    def test_a_bar_on_a_terminal(self, tmp_path, start, long_csv, require):
        pty = require("pty")
        leader, follower = pty.openpty()
        # Enough to take some seconds; it is stopped once the bar was seen.
        process = start("accumulate", long_csv, "-o", tmp_path / "x.ews", stderr=follower)
        os.close(follower)
        shown, end = b"", time.monotonic() + 60
        try:
            while b"/s" not in shown and time.monotonic() < end:
                shown += os.read(leader, 4096)
        except OSError:  # the other end was closed
            pass
        finally:
            process.kill()
            process.wait()
            os.close(leader)
        text = shown.decode(errors="replace")
        assert "reading" in text
        assert " rows, " in text
        assert "%" in text

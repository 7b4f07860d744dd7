"""Other encodings, full disks, closed streams and readers that leave: never a traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.cli.main import cli

#: What Python takes a terminal for; the last is how a bare C locale looks to it.
TERMINALS = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
}
NAMES = ("Θ – x", "naïve", "漢", "d")


@pytest.fixture
def odd_file(tmp_path, rows, write_csv):
    return write_csv(tmp_path / "odd.csv", NAMES, rows)


@pytest.fixture(params=TERMINALS)
def run_there(request, run_program):
    """Run the program where the streams have another encoding."""
    encoding = "ascii" if request.param == "C" else request.param

    def run(*arguments, **options):
        there = {"PYTHONUTF8": "0", **TERMINALS[request.param]}
        done = run_program(*arguments, env=there, encoding=encoding, **options)
        for text in (done.stdout or "", done.stderr):
            assert "Error" not in text.replace("\nError: ", "")
            assert "\x1b" not in text
        return done

    run.encoding = encoding
    return run


class TestEncodings:
    @pytest.mark.parametrize("run_there", ["ascii"], indirect=True)
    @pytest.mark.parametrize("command", ["", *cli.list_commands(None)])
    def test_help(self, run_there, command):
        assert "Usage: edgewise" in run_there(*command.split(), "--help").stdout

    def test_commands(self, run_there, odd_file, tmp_path, rows):
        out = run_there("test", odd_file).stdout
        lacks_greek = "Theta"
        assert lacks_greek in out
        assert "+---" in out
        lines = [line for line in out.splitlines() if line.startswith(("|", "+"))]
        assert len({len(line) for line in lines}) == 1, "a frame that is not straight"
        assert "threshold on |Theta|" in run_there("compare", odd_file).stdout
        run_there("compare", odd_file, "--null", "--shuffles", "3")
        run_there("plan", odd_file, "--effect", "0.2")
        run_there("pair", odd_file, "d", "naïve", status=None)
        half = tmp_path / "half.csv"
        half.write_text(odd_file.read_text("utf-8")[:9000].rpartition("\n")[0], "utf-8")
        assert "differ" in run_there("diff", odd_file, half).stdout
        run_there("accumulate", odd_file, "-o", tmp_path / "a.ews")
        run_there("merge", tmp_path / "a.ews", "-o", tmp_path / "b.ews")
        assert "Sigma^" in run_there("prove").stdout
        run_there("test", tmp_path / "none.csv", status=1)
        done = run_there("test", odd_file, "--columns", "x – y", status=1)
        assert "has no column" in done.stderr

    def test_data_are_utf_8_all_the_same(self, run_there, odd_file, tmp_path, run_program):
        run_there("test", odd_file, "--csv", tmp_path / "x.csv", "--json", tmp_path / "x.json")
        for kind in ("csv", "json"):
            with (tmp_path / f"out.{kind}").open("wb") as file:
                run_there("test", odd_file, f"--{kind}", "-", stdout=file)
            written = (tmp_path / f"x.{kind}").read_bytes()
            assert (tmp_path / f"out.{kind}").read_bytes() == written
            assert "漢".encode() in written


def test_the_demo_on_a_plain_terminal(run_program, tmp_path):
    there = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = run_program("demo", cwd=tmp_path, env=there, encoding="ascii")
    assert "1990-2022" in done.stdout
    assert "|Theta|" in done.stdout


NO_SPACE = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


class TestWhatCannotBeWritten:
    COMMANDS = (
        ["test", "rows.csv"],
        ["test", "rows.csv", "--json", "-"],
        ["test", "rows.csv", "--csv", "-"],
        ["pair", "rows.csv", "a", "b"],
        ["plan", "rows.csv", "--effect", "0.2"],
        ["accumulate", "rows.csv", "-o", "rows.ews"],
        ["accumulate", "rows.csv", "-o", "-"],
        ["prove"],
        ["--help"],
        ["--version"],
    )

    @NO_SPACE
    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    def test_a_full_disk(self, run_program, csv_file, command):
        with open("/dev/full", "w") as full:
            done = run_program(*command, cwd=csv_file.parent, stdout=full, status=1)
        (line,) = [line for line in done.stderr.splitlines() if "rows of" not in line]
        assert line.startswith("edgewise: output: cannot write to standard output: No space left")

    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    def test_a_closed_stream(self, csv_file, command):
        """As by `>&-` in a shell."""
        line = f'"$0" -m edgewise {" ".join(command)} >&-'
        done = subprocess.run(
            ["sh", "-c", line, sys.executable],
            cwd=csv_file.parent,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        (told,) = [line for line in done.stderr.splitlines() if "rows of" not in line]
        assert told.startswith("edgewise: output: cannot write to standard output: it is closed")

    @pytest.mark.parametrize("command", [*COMMANDS, ["test", "no.csv"]], ids=" ".join)
    def test_a_reader_that_leaves(self, run_program, csv_file, command):
        """As in `edgewise … | head -0`, but the reader has left for certain."""
        read, write = os.pipe()
        os.close(read)
        try:
            wrong = "no.csv" in command
            done = run_program(
                *command, cwd=csv_file.parent, stdout=write, status=1 if wrong else 0
            )
        finally:
            os.close(write)
        assert [line for line in done.stderr.splitlines() if "rows of" not in line] == (
            ["edgewise: data: there is no file 'no.csv'; check the path."] if wrong else []
        )

    @pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", "<&- 2>&-"])
    def test_nobody_to_tell(self, csv_file, closed):
        """The answer and the status are the same."""
        for data, status in ((csv_file.name, 0), ("no.csv", 1)):
            done = subprocess.run(
                ["sh", "-c", f'"$0" -m edgewise test {data} --json - {closed}', sys.executable],
                cwd=csv_file.parent,
                capture_output=True,
                check=False,
            )
            assert done.returncode == status
            assert bool(done.stdout) == (status == 0)

    def test_no_standard_input(self, csv_file):
        done = subprocess.run(
            ["sh", "-c", '"$0" -m edgewise test - <&-', sys.executable],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("edgewise: data: expected CSV on standard input")

    def test_files_are_written_though_the_reader_has_left(self, run_program, tmp_path):
        read, write = os.pipe()
        os.close(read)
        try:
            run_program("demo", cwd=tmp_path, stdout=write)
        finally:
            os.close(write)
        assert sorted(os.listdir(tmp_path)) == ["edgewise-demo.html", "edgewise-demo.png"]


class TestEscapes:
    """A file or a column can be called what it likes; a terminal must not obey."""

    ESCAPE = "a\x1b]0;owned\x07\x1b[31mb"

    def test_in_messages(self, run_program, csv_file, tmp_path):
        for arguments in (
            ["test", self.ESCAPE],
            ["test", csv_file, "--csv", f"{self.ESCAPE}/x"],
            ["test", csv_file, "--columns", self.ESCAPE],
            ["test", csv_file, "--pairs", self.ESCAPE],
            ["test", csv_file, f"--{self.ESCAPE}"],
            ["test", csv_file, "--method", self.ESCAPE],
            ["test", csv_file, "--alpha", self.ESCAPE],
            ["test", csv_file, "--plot", self.ESCAPE],
            ["merge", self.ESCAPE, "-o", "x"],
            ["pair", csv_file, self.ESCAPE, "b"],
            ["diff", csv_file, "--by", self.ESCAPE],
            [self.ESCAPE],
        ):
            done = run_program(*arguments, status=None)
            assert done.returncode in (1, 2)
            assert "\x1b" not in done.stderr + done.stdout
            assert "\x07" not in done.stderr + done.stdout

    def test_in_answers(self, run_program, tmp_path, rows, write_csv):
        data = write_csv(tmp_path / f"{self.ESCAPE}.csv", [self.ESCAPE, "b", "c", "d"], rows)
        other = write_csv(tmp_path / "other.csv", [self.ESCAPE, "b", "c", "d"], 2 * rows[::-1])
        state, page = tmp_path / f"{self.ESCAPE}.ews", tmp_path / f"{self.ESCAPE}.html"
        for arguments in (
            ["test", data, "--given", self.ESCAPE],
            ["compare", data, "--given", self.ESCAPE],
            ["pair", data, self.ESCAPE, "b"],
            ["diff", data, other],
            ["accumulate", data, "-o", state],
            ["merge", state, "-o", f"{state}2"],
            ["report", data, "--no-compare", "-o", page],
            ["simulate", "-n", "50", "-o", tmp_path / f"{self.ESCAPE}2.csv"],
        ):
            done = run_program(*arguments)
            assert "\x1b" not in done.stdout + done.stderr
            assert "\ufffd" in done.stdout

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_a_name_that_is_not_utf_8(self, run_program, csv_file):
        name = os.fsdecode(b"\xff.csv")
        Path(csv_file.parent, name).write_bytes(csv_file.read_bytes())
        done = run_program("test", name, cwd=csv_file.parent, status=None)
        assert "possible edges" in done.stdout or "rename it" in done.stderr


def test_json_and_csv_are_those_of_the_library(run_program, csv_file):
    result = ew.edge_test(csv_file)
    assert json.loads(run_program("test", csv_file, "--json", "-").stdout) == json.loads(
        result.to_json()
    )
    text = run_program("test", csv_file, "--csv", "-").stdout
    _, header, *lines = csv.reader(io.StringIO(text))
    assert header[:2] == ["source", "target"]
    np.testing.assert_allclose(
        [float(line[2]) for line in lines], [pair.partial_correlation for pair in result.pairs()]
    )

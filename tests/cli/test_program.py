"""The real program: streams, signals, exit status, closed pipes and encodings."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from edgewise._parallel import watched_by
from edgewise.api.compare_methods import compare_methods
from edgewise.cli.run import Bar
from edgewise.tables.open import as_table

PROGRAM = [sys.executable, "-m", "edgewise"]
SIGNALS = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs signals and named pipes")
NO_SPACE = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
NAMES = ("Θ – x", "naïve", "漢", "d")
ANSWERS = (["test", "rows.csv", "--json", "-"], ["--help"])


@pytest.mark.parametrize(
    "terminal", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}]
)
def test_encodings(run_program, tmp_path, rows, write_csv, terminal):
    """No two names look the same, and data are UTF-8 all the same."""
    odd = write_csv(tmp_path / "odd.csv", NAMES, rows)
    encoding = terminal.get("PYTHONIOENCODING", "ascii")
    done = run_program(
        "test", odd, env={"PYTHONUTF8": "0", **terminal}, encoding=encoding, cwd=tmp_path
    )
    shown = "".join(done.stdout.split())
    for name in NAMES:
        assert name.encode(encoding, "backslashreplace").decode(encoding).replace(" ", "") in shown
    with (tmp_path / "out.csv").open("wb") as file:
        run_program("test", odd, "--csv", "-", env={"PYTHONUTF8": "0", **terminal}, stdout=file)
    assert "漢".encode() in (tmp_path / "out.csv").read_bytes()


@NO_SPACE
@pytest.mark.parametrize("command", ANSWERS, ids=" ".join)
def test_a_full_disk(run_program, csv_file, command):
    with open("/dev/full", "w") as full:
        done = run_program(*command, cwd=csv_file.parent, stdout=full, status=1)
    (line,) = done.stderr.splitlines()
    assert line == "edgewise: cannot read or write standard output: No space left on device."


@pytest.mark.parametrize("command", [*ANSWERS, ["test", "no.csv"]], ids=" ".join)
def test_a_reader_that_leaves(run_program, csv_file, command):
    """As in `edgewise … | head -0`, but the reader has left for certain."""
    read, write = os.pipe()
    os.close(read)
    wrong = "no.csv" in command
    try:
        done = run_program(*command, cwd=csv_file.parent, stdout=write, status=int(wrong))
    finally:
        os.close(write)
    expected = ["edgewise: data: there is no file 'no.csv'; check the path."] if wrong else []
    assert done.stderr.splitlines() == expected


@pytest.mark.parametrize(
    ("line", "status", "starts"),
    [
        ("test rows.csv --json - >&-", 1, "edgewise: cannot read or write standard output: "),
        ("test - <&-", 1, "edgewise: data: expected CSV text on standard input"),
        ("test rows.csv --json - 2>/dev/full", 0, None),
        ("test no.csv <&- 2>&-", 1, None),
    ],
)
def test_a_closed_stream(csv_file, line, status, starts):
    """One sentence, if there is anybody to tell; the status is the same."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m edgewise {line}', sys.executable],
        cwd=csv_file.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert bool(done.stdout) == (status == 0)
    assert [one.startswith(starts) for one in done.stderr.splitlines()] == [True] * bool(starts)


def test_a_plain_test_imports_nothing_slow_that_it_does_not_need(csv_file):
    """Each of these takes as long as the whole test, or longer."""
    slow = ("pandas", "scipy.optimize", "scipy.interpolate", "scipy.sparse", "scipy.stats")
    program = (
        "import sys; from edgewise.cli.main import cli\n"
        f"try: cli.main(['test', {str(csv_file)!r}])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {(*slow, 'sklearn', 'matplotlib', 'networkx')} "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"[]"


@pytest.fixture
def start():
    """Start `edgewise` so that it heeds Ctrl-C, and hand over the process; none outlives its test.

    A shell that runs the tests in the background lets its children ignore Ctrl-C.
    """
    started = []

    def begin(*arguments, heeds=True, env=None, **options):
        ours = signal.signal(signal.SIGINT, signal.default_int_handler if heeds else signal.SIG_IGN)
        try:
            process = subprocess.Popen(
                [*PROGRAM, *map(str, arguments)],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(env or {})},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                **options,
            )
        finally:
            signal.signal(signal.SIGINT, ours)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def wait_until(reached, process):
    """Until the program has reached a state in which it stays; it must not end before."""
    while not (found := reached()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return found


def stop(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, ""), err
    lines = err.splitlines()
    assert all(line.startswith("edgewise: ") for line in lines if line)
    assert lines[-1] == "edgewise: stopped"
    return lines


@SIGNALS
def test_control_c_while_it_reads(start, tmp_path):
    """The data are a named pipe: once it has a reader, the program is waiting for rows."""
    fifo = tmp_path / "rows.npy"
    os.mkfifo(fifo)
    process = start("test", fifo)

    def opened():
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            return None

    writer = wait_until(opened, process)
    try:
        stop(process)
    finally:
        os.close(writer)


@SIGNALS
def test_control_c_while_modules_are_loaded(start, tmp_path):
    """The module of the command line takes its time, so the signal meets it there."""
    (tmp_path / "click.py").write_text(
        "import signal\nprint('loading', flush=True)\nwhile True: signal.pause()\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    process = start(env={"PYTHONPATH": path})
    assert process.stdout.readline() == "loading\n"
    assert stop(process) == ["edgewise: stopped"]


@SIGNALS
def test_in_the_background_it_goes_on(start, csv_file):
    """A shell starts what ends in `&` so that it ignores Ctrl-C."""
    process = start("test", "-", "--method", "batch", heeds=False, stdin=subprocess.PIPE)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(csv_file.read_text())
    assert process.returncode == 0
    assert "possible edges" in out


@SIGNALS
@pytest.mark.parametrize("end", ["Ctrl-C", "kill"])
def test_an_interrupted_run_keeps_its_checkpoint(start, run_edgewise, csv_file, tmp_path, end):
    """The output is a named pipe without a reader: the run cannot end before it is stopped."""
    folder = tmp_path / "states"
    folder.mkdir()
    output, checkpoint = folder / "x.ews", folder / "x.ews.checkpoint"
    command = ["accumulate", csv_file, "-o", output]
    run_edgewise(*command)
    whole = output.read_bytes()
    output.unlink()
    os.mkfifo(output)
    process = start(*command, "--checkpoint-every", "1e-9")
    wait_until(checkpoint.exists, process)
    if end == "kill":
        process.kill()
        process.communicate()
    else:
        stop(process)
    output.unlink()
    # The work of hours is not lost in silence, nor mixed with that on other files.
    done = run_edgewise(*command, status=1)
    assert f"'{checkpoint}' keeps the rows of a run" in done.stderr
    other = tmp_path / "other.csv"
    other.write_bytes(csv_file.read_bytes())
    done = run_edgewise("accumulate", other, "-o", output, "--resume", status=1)
    assert "other files" in done.stderr
    assert checkpoint.exists()
    assert not output.exists()
    run_edgewise(*command, "--resume")
    assert output.read_bytes() == whole
    assert os.listdir(folder) == ["x.ews"]


@pytest.mark.parametrize("missing", ["click", "nosuch"])
def test_without_a_part(tmp_path, missing):
    (tmp_path / "click.py").write_text(f"raise ModuleNotFoundError('gone', name='{missing}')\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*PROGRAM, "--help"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    if missing == "click":
        (line,) = done.stderr.splitlines()
        assert line.startswith("edgewise: the command line needs click, which is not installed")
        assert "[cli]" in line
    else:  # another module is broken: that is not for us to explain
        assert "ModuleNotFoundError: gone" in done.stderr


def test_a_bar_on_a_terminal(csv_file, require):
    """It names what runs, and goes away."""
    leader, follower = require("pty").openpty()
    command = [*PROGRAM, "test", csv_file, "--method", "score"]
    subprocess.run(command, stderr=follower, stdout=subprocess.DEVNULL, check=True)
    os.close(follower)
    shown = os.read(leader, 65536)
    os.close(leader)
    assert b"score" in shown
    assert b"400 rows" in shown
    assert shown.endswith(b"\x1b[2K")


def test_the_bar_names_each_method_and_never_counts_more_rows_than_there_are(rows, monkeypatch):
    shown, named = [], Bar.name
    monkeypatch.setattr(Bar, "name", lambda bar, *what: shown.append(what) or named(bar, *what))
    bar = Bar(None, "looking at the rows", None, "rows")
    table = as_table(rows, progress=bar.advance)
    bar.total = table.estimated_rows
    with watched_by(lambda *_: contextlib.nullcontext(lambda done: None), bar.name):
        compare_methods(table, methods=["score", "batch", "kendall"])
    names = [what for what, *_ in shown if what is not None]
    assert names == ["score, 1 of 3", "batch, 2 of 3", "kendall, 3 of 3"]
    assert max(done for _, *counted in shown for done in counted) == 400

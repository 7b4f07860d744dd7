"""The program as a whole: help, wrong usage, pipes and signals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import edgewise
from edgewise.cli.options import CORRECTION_NAMES
from edgewise.inference.corrections import CORRECTIONS


def test_the_options_are_those_of_the_library():
    assert sorted(CORRECTION_NAMES) == sorted(name or "none" for name in CORRECTIONS)


def test_help_lists_the_commands(run_edgewise):
    text = run_edgewise("--help").stdout
    for command in ("demo", "test", "compare", "prove"):
        assert f"\n  {command} " in text
    assert run_edgewise("test", "-h").stdout.startswith("Usage: edgewise test")
    assert edgewise.__version__ in run_edgewise("--version").stdout


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ([], ["Usage: edgewise", "test", "demo"]),
        (["nope"], ["No such command 'nope'"]),
        (["--nope"], ["--nope"]),
        (["test"], ["Missing argument 'DATA"]),
        (["compare"], ["Missing argument 'DATA"]),
        (["test", "x.csv", "--bogus"], ["--bogus"]),
        (["test", "x.csv", "--alpha", "five"], ["--alpha", "five"]),
        (["test", "x.csv", "--mu", "big"], ["--mu", "big"]),
        (["test", "x.csv", "--method", "nope"], ["--method", "nope", "score"]),
        (["test", "x.csv", "--correction", "nope"], ["--correction", "nope", "holm"]),
        (["demo", "x.csv"], ["x.csv"]),
        (["prove", "x.csv"], ["x.csv"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(run_edgewise, arguments, fragments):
    done = run_edgewise(*arguments, status=2)
    assert done.stdout == ""
    for fragment in fragments:
        assert fragment in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_interrupted(tmp_path):
    """The data are a named pipe: once it has a reader, the program is waiting for rows."""
    fifo = tmp_path / "rows.npy"
    os.mkfifo(fifo)
    program = shutil.which("edgewise", path=str(Path(sys.executable).parent))
    # A shell that runs the tests in the background lets its children ignore Ctrl-C.
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        child = subprocess.Popen(
            [program, "test", str(fifo)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    finally:
        signal.signal(signal.SIGINT, ours)
    writer = None
    try:
        deadline = time.monotonic() + 60
        while writer is None and child.poll() is None and time.monotonic() < deadline:
            try:
                writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads yet
                time.sleep(0.02)
        assert writer is not None, "the program never opened its data"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.communicate()
        if writer is not None:
            os.close(writer)
    assert child.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "stopped" in err


def test_python_m_is_the_same_program(run_edgewise):
    done = subprocess.run(
        [sys.executable, "-m", "edgewise", "--version"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == run_edgewise("--version").stdout


def test_a_plain_test_imports_nothing_slow_that_it_does_not_need(csv_file):
    """Each of these takes as long as the whole test, or longer."""
    slow = ("pandas", "scipy.optimize", "scipy.interpolate", "scipy.sparse", "scipy.stats")
    ask = (
        "import sys; from edgewise.cli.main import cli; "
        f"cli.main(['test', {str(csv_file)!r}], standalone_mode=False); "
        f"print([name for name in {(*slow, 'sklearn', 'matplotlib', 'networkx')} "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"

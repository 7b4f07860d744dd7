"""`edgewise reproduce`: its help, what it refuses, and its progress. See also tests/studies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edgewise.studies.reproduction import STUDIES
from edgewise.studies.run import SEED
from edgewise.studies.study import SCALES


def test_help(run_edgewise):
    text = run_edgewise("reproduce", "--help").stdout
    for name in (*STUDIES, "all", *SCALES):
        assert name in text
    assert "judge its claims" in text
    assert "continues where it stopped" in " ".join(text.split())
    assert f"[default: {SEED}]" in text
    assert "  reproduce " in run_edgewise("--help").stdout


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ([], ["Missing argument", "fig1"]),
        (["fig9"], ["'fig9' is not one of", "lemma1"]),
        (["fig2", "--scale", "huge"], ["--scale", "'huge'", "smoke"]),
        (["fig2", "--seed", "-1"], ["seed: expected a whole number from 0 on, got -1"]),
        (["fig2", "--seed", "x"], ["--seed", "'x'"]),
        (["fig2", "--jobs", "0"], ["n_jobs: expected", "got 0"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(run_main, tmp_path, arguments, fragments):
    out, err = run_main("reproduce", *arguments, "-o", "out", status=2)
    assert out == ""
    for fragment in fragments:
        assert fragment in err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "taken",
    ["out", "out/draws", "out/fig4"],
)
def test_a_file_where_a_folder_should_be(run_edgewise, tmp_path, taken):
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("precious")
    arguments = ["fig4", "--scale", "smoke", "--jobs", 1, "-o", "out"]
    done = run_edgewise("reproduce", *arguments, status=1, cwd=tmp_path)
    assert done.stdout == ""
    assert done.stderr.startswith("edgewise: output: cannot make the folder")
    assert f"'{taken}'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / taken).read_text() == "precious"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_that_cannot_be_written(run_edgewise, tmp_path):
    tmp_path.chmod(0o500)
    try:
        done = run_edgewise("reproduce", "fig2", "--scale", "smoke", "-o", tmp_path, status=1)
    finally:
        tmp_path.chmod(0o700)
    assert len(done.stderr.splitlines()) == 1


def test_no_dask_before_it_is_asked_for():
    """It takes a second to import, and need not be there."""
    code = (
        "import sys, edgewise.cli.main, edgewise.cli.reproduce, edgewise.studies\n"
        "print(sorted({'dask', 'distributed'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_bar_on_a_terminal(tmp_path, require):
    """It counts draws, not rows. Stopped once that was seen."""
    pty = require("pty")
    leader, follower = pty.openpty()
    program = Path(sys.executable).parent / "edgewise"
    # One worker is the program itself, so that killing it leaves nobody behind.
    process = subprocess.Popen(
        [program, "reproduce", "lemma1", "--scale", "smoke", "--jobs", "1", "-o", tmp_path],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.DEVNULL,
        stderr=follower,
    )
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
    assert "reproducing" in text
    assert " draws, " in text
    assert "%" in text

"""Ctrl-C as soon as the program starts, and a program that lacks a part."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

# Python itself answers a Ctrl-C in these files with a traceback, before ours are read.
NOT_OURS = ("site-packages/click/", "site-packages/rich/", "edgewise/cli/", "__main__.py")
PROGRAM = [sys.executable, "-m", "edgewise"]


@pytest.fixture
def heed():
    """A shell that runs the tests in the background lets its children ignore Ctrl-C."""
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, ours)


def stopped(command, seconds):
    """What the program says if it is stopped so soon after its start."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(seconds)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.communicate()
    return child.returncode, out, err


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("milliseconds", [0, 20, 50, 100, 200, 300, 500])
@pytest.mark.parametrize("command", [["test", "DATA"], ["--help"]], ids=" ".join)
def test_no_traceback(heed, csv_file, command, milliseconds):
    command = [str(csv_file) if part == "DATA" else part for part in command]
    status, out, err = stopped([*PROGRAM, *command], milliseconds / 1000)
    if "Traceback" in err:  # before the first line of ours
        assert not any(file in err for file in NOT_OURS), err
        return
    assert "Exception ignored" not in err
    # Killed before Python heeds the signal or as it ends, stopped by us, or done.
    assert status in (-signal.SIGINT, 130, 0)
    if status == 130:
        assert err.strip() == "edgewise: stopped"
    elif status == 0:
        assert out


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_while_modules_are_loaded(heed, tmp_path):
    """The module of the command line takes its time, so the signal meets it there for certain."""
    slow = tmp_path / "click.py"
    slow.write_text("print('loading', flush=True)\nimport time\ntime.sleep(60)\n")
    child = subprocess.Popen(
        PROGRAM,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH')}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "loading\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.communicate()
    assert (child.returncode, err) == (130, "edgewise: stopped\n")


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_in_the_background_it_goes_on(csv_file):
    """A shell starts what ends in `&` so that it ignores Ctrl-C."""
    ours = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status, out, _ = stopped([*PROGRAM, "test", str(csv_file)], 0.1)
    finally:
        signal.signal(signal.SIGINT, ours)
    assert status == 0
    assert "possible edges" in out


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [("click", "edgewise: the command line needs click, which is not installed"), ("nosuch", None)],
)
def test_without_a_part(tmp_path, broken, sentence):
    (tmp_path / "click.py").write_text(f"import {broken}_is_missing\n")
    if sentence is not None:
        (tmp_path / "click.py").write_text("raise ModuleNotFoundError('gone', name='click')\n")
    done = subprocess.run(
        [*PROGRAM, "--help"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    if sentence is None:  # another module is broken: that is not for us to explain
        assert "nosuch_is_missing" in done.stderr
    else:
        (line,) = done.stderr.splitlines()
        assert line.startswith(sentence)
        assert "[cli]" in line


def test_not_inside_the_import_system(monkeypatch):
    """Python swallows what is raised in its callbacks there: the signal comes again, after it."""
    from edgewise.__main__ import _stop

    class Frame:
        class f_code:  # noqa: N801 - as Python calls it
            co_filename = "<frozen importlib._bootstrap>"

    again = threading.Event()
    monkeypatch.setattr("_thread.interrupt_main", again.set)
    _stop(signal.SIGINT, Frame)
    assert again.wait(60)
    Frame.f_code.co_filename = __file__
    with pytest.raises(KeyboardInterrupt):
        _stop(signal.SIGINT, Frame)

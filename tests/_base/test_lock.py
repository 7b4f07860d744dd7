"""One writer at a time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from edgewise._files import locked
from edgewise.errors import DataError

HOLD = (
    "import sys; from edgewise._files import locked\n"
    "with locked(sys.argv[1]):\n    print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def holder():
    """Another process that holds the lock of a file until its input ends."""
    started = []

    def hold(path):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        with process:  # closes its pipes and waits
            pass


def enter(path, **options):
    with locked(path, **options):
        return sorted(os.listdir(path.parent))


def test_nothing_is_left(tmp_path):
    assert enter(tmp_path / "x.ews") == [".x.ews.lock"]
    assert os.listdir(tmp_path) == []


def test_another_process_is_told(tmp_path, holder, refuses):
    path = tmp_path / "x.ews"
    process = holder(path)
    refuses(lambda: enter(path), DataError, f"another edgewise is writing '{path}'", "try again")
    link = tmp_path / "link.ews"
    link.symlink_to(path)
    refuses(lambda: enter(link), DataError, "another edgewise")
    enter(tmp_path / "y.ews")
    process.communicate("")
    enter(path)
    assert os.listdir(tmp_path) == ["link.ews"]


def test_who_was_killed_blocks_nobody(tmp_path, holder):
    path = tmp_path / "x.ews"
    holder(path).kill()
    enter(path, wait=60)
    assert os.listdir(tmp_path) == []


def test_a_failure_frees_it(tmp_path):
    path = tmp_path / "x.ews"

    def fail():
        with locked(path):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    enter(path)


def test_where_nothing_can_be_written(tmp_path, refuses):
    refuses(lambda: enter(tmp_path / "no" / "x"), DataError, "cannot write", "No such file")


@pytest.mark.skipif(os.name == "nt", reason="Windows refuses for other reasons")
def test_the_lock_of_another_user(tmp_path, monkeypatch, refuses):
    """It is taken over after the run has ended, or the sentence says what to do."""
    path, lock = tmp_path / "x.ews", tmp_path / ".x.ews.lock"
    lock.write_text("")
    really, readable = os.open, True

    def guarded(place, flags, *mode):
        if os.fspath(place) == str(lock) and not (readable and flags == os.O_RDONLY):
            raise PermissionError(13, "Permission denied")
        return really(place, flags, *mode)

    monkeypatch.setattr(os, "open", guarded)
    enter(path)
    assert os.listdir(tmp_path) == []
    lock.write_text("")
    readable = False
    refuses(lambda: enter(path), DataError, f"'{lock}' belongs to another", "delete it if")

"""A reader sees the old content or the new, never half of either; one writer at a time."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys

import pytest

from edgewise import _files
from edgewise._files import atomic_path, check_writable, locked
from edgewise.errors import DataError


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("existed", [True, False])
def test_failure_leaves_everything_as_it_was(tmp_path, failure, existed):
    target = tmp_path / "x.txt"
    if existed:
        target.write_text("old")

    def write():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise failure

    with pytest.raises(failure):
        write()
    assert os.listdir(tmp_path) == (["x.txt"] if existed else [])
    assert not existed or target.read_text() == "old"


def test_a_full_disk_is_one_sentence(tmp_path, refuses):
    target = tmp_path / "x.txt"
    target.write_text("old")

    def write():
        with atomic_path(target):
            raise OSError(errno.ENOSPC, "No space left on device")

    refuses(write, DataError, f"cannot write '{target}'", "No space left on device")
    assert os.listdir(tmp_path) == ["x.txt"]
    assert target.read_text() == "old"


def test_a_missing_directory_is_named(tmp_path, refuses):
    target = tmp_path / "nowhere" / "x.txt"

    def write():
        with atomic_path(target):
            pytest.fail("there is nowhere to write")

    refuses(write, DataError, f"cannot write '{target}'", "No such file or directory")
    assert os.listdir(tmp_path) == []


def test_a_directory_is_not_replaced(tmp_path, refuses):
    target = tmp_path / "folder"
    target.mkdir()

    def write():
        with atomic_path(target) as temporary:
            temporary.write_text("new")

    refuses(write, DataError, f"cannot write '{target}'")
    assert os.listdir(tmp_path) == ["folder"]


class TestBeforeTheWork:
    def test_what_can_be_written(self, tmp_path):
        (tmp_path / "old").write_text("old")
        (tmp_path / "link").symlink_to("new")
        for name in ("old", "new", "link"):
            check_writable(tmp_path / name, [tmp_path / "data"])
        check_writable(os.devnull)

    def test_what_cannot(self, tmp_path, refuses):
        (tmp_path / "data").write_text("1")
        (tmp_path / "link").symlink_to("data")
        (tmp_path / "broken").symlink_to("no/where")
        for name, fragment in {
            "": "expected the name of a file",
            ".": "expected the name of a file",
            "no/x": "there is no folder",
            "broken": "there is no folder",
            "data/x": "there is no folder",
            "data": "is one of the inputs",
            "link": "is one of the inputs",
            "n" * 300: "File name too long",
        }.items():
            path = tmp_path / name if name else ""
            refuses(lambda p=path: check_writable(p, [tmp_path / "data"]), DataError, fragment)
        refuses(lambda: check_writable("a\0b"), DataError, "expected the name of a file", "null")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no lock on a file that is renamed")
def test_files_of_killed_runs_go_and_those_of_others_stay(tmp_path):
    target = tmp_path / "x.state"
    for name in (".x-abcdefgh.state", ".xy-abcdefgh.state"):
        (tmp_path / name).touch()
    with atomic_path(target) as first, atomic_path(target) as second:
        first.write_text("first")
        second.write_text("second")
    assert target.read_text() == "first"
    assert sorted(os.listdir(tmp_path)) == [".xy-abcdefgh.state", "x.state"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_line_leaves_nothing(tmp_path):
    """As by Ctrl-C, before each line of the module in turn."""
    target, lines = tmp_path / "x.state", 0

    def interrupted_after(count):
        def trace(frame, event, _):
            nonlocal count
            if frame.f_code.co_filename != _files.__file__:
                return None
            if event == "line":
                count -= 1
                if not count:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            with atomic_path(target) as temporary:
                temporary.write_text("new")
        finally:
            sys.settrace(None)

    before = sys.gettrace()
    try:
        while not target.exists():
            lines += 1
            try:
                interrupted_after(lines)
            except KeyboardInterrupt:
                assert os.listdir(tmp_path) in ([], ["x.state"])
    finally:
        sys.settrace(before)
    assert lines > 20


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither")
def test_the_folder_is_synced_and_permissions_are_those_of_any_file(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "umask", None)  # it belongs to all threads
    monkeypatch.setattr(os, "fsync", lambda n: synced.append(os.fstat(n).st_ino) or fsync(n))
    target, other = tmp_path / "x", tmp_path / "y"
    other.touch()
    for mode in (other.stat().st_mode, 0o600):
        with atomic_path(target) as temporary:
            temporary.touch()
        assert synced[-2:] == [target.stat().st_ino, tmp_path.stat().st_ino]
        assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(mode)
        target.chmod(0o600)


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

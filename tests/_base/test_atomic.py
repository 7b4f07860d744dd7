"""A reader sees the old content or the new, never half of either."""

from __future__ import annotations

import errno
import os
import stat
import sys

import pytest

from edgewise import _files as atomic
from edgewise._files import atomic_path, check_writable
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
            if frame.f_code.co_filename != atomic.__file__:
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

"""A reader sees the old content or the new, never half of either."""

from __future__ import annotations

import errno
import os

import pytest

from edgewise._base.atomic import atomic_path, check_writable, sweep
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


class TestSweeping:
    def test_what_was_left_behind_goes(self, tmp_path):
        (tmp_path / ".x-abcdefgh.state").touch()
        (tmp_path / ".xy-abcdefgh.state").touch()
        sweep(tmp_path / "x.state")
        assert os.listdir(tmp_path) == [".xy-abcdefgh.state"]

    @pytest.mark.skipif(os.name == "nt", reason="Windows removes no open file")
    def test_what_another_is_writing_stays(self, tmp_path):
        target = tmp_path / "x.state"
        with atomic_path(target) as temporary:
            temporary.write_text("new")
            sweep(target)
            assert temporary.exists()
        assert target.read_text() == "new"
        assert os.listdir(tmp_path) == ["x.state"]

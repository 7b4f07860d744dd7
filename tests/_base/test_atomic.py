"""A reader sees the old content or the new, never half of either."""

from __future__ import annotations

import errno
import os

import pytest

from edgewise._base.atomic import atomic_path
from edgewise.errors import DataError


def test_new_content_takes_the_name(tmp_path):
    target = tmp_path / "x.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["x.txt"]


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


def test_files_are_as_readable_as_any_other(tmp_path):
    plain, target = tmp_path / "plain", tmp_path / "x.txt"
    plain.write_text("")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
    assert target.stat().st_mode == plain.stat().st_mode

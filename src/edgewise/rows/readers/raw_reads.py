"""Bytes of a file at a place, into memory that is there already."""

from __future__ import annotations

from io import FileIO


def fill(room: memoryview, file: FileIO, start: int) -> None:
    """Fill some memory with the bytes of a file from a place on.

    Unlike a map of the file, this notices a file that somebody cuts, and the process goes on.
    """
    file.seek(start)
    while len(room):
        if not (done := file.readinto(room)):
            raise EOFError(f"{len(room)} bytes are missing")
        room = room[done:]

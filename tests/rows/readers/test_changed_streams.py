"""Bytes that are changed while they are read: the same for any pieces."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.rows.readers.changed_streams import ChangedStream, as_utf8, squeezed_stream
from edgewise.rows.readers.splitting import squeezed

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=8)


class Drops(io.RawIOBase):
    """A stream that hands out a few bytes at a time, as a pipe may."""

    def __init__(self, content, sizes):
        super().__init__()
        self._content, self._sizes, self._turn = content, sizes, 0

    def readable(self):
        return True

    def read(self, size=-1):
        self._turn += 1
        most = self._sizes[self._turn % len(self._sizes)]
        part, self._content = self._content[:most], self._content[most:]
        return part


def all_of(stream, sizes):
    """Everything, read in pieces of these sizes; no piece is longer than was asked for."""
    parts = []
    for turn in range(10_000):
        part = stream.read(size := sizes[turn % len(sizes)])
        assert len(part) <= size
        if not part:
            return b"".join(parts)
        parts.append(part)
    raise AssertionError


@given(
    st.text(max_size=60),
    st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32"]),
    SIZES,
    SIZES,
)
def test_any_encoding(text, encoding, given_out, asked_for):
    text = text.encode("utf-8", "ignore").decode()
    stream = as_utf8(Drops(text.encode(encoding), given_out), encoding)
    assert all_of(stream, asked_for).decode() == text


@given(st.text(" \tab1,.\n\r", max_size=60), SIZES, SIZES)
def test_blanks(text, given_out, asked_for):
    raw = text.encode()
    stream = squeezed_stream(Drops(raw, given_out))
    assert all_of(stream, asked_for) == squeezed_stream(io.BytesIO(raw)).read()


@given(st.lists(st.text(" \tab1,.", max_size=12), max_size=6))
def test_lines_as_one_by_one(lines):
    """The same as each line on its own, as a fault is looked for."""
    raw = "".join(f"{line}\n" for line in lines).encode()
    expected = "".join(map(squeezed, lines))
    assert squeezed_stream(io.BytesIO(raw)).read().decode() == expected


def test_everything_at_once():
    stream = ChangedStream(io.BytesIO(b"abc" * 10_000), lambda chunk, last: chunk.upper())
    assert stream.readable()
    assert stream.read() == b"ABC" * 10_000
    assert stream.read() == b""


def test_a_text_of_another_encoding():
    with pytest.raises(UnicodeDecodeError):
        as_utf8(io.BytesIO(b"a\xff"), "utf-8").read()

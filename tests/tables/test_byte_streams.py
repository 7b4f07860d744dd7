"""Compressed bytes are known by their first bytes, from files and from pipes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.tables.byte_streams import (
    arrow_stream,
    as_utf8,
    in_arrows_memory,
    is_compressed,
    opened_bytes,
    squeezed_stream,
)
from edgewise.tables.cells import squeezed

TEXT = b"a,b\n1,2\n" * 5000


def zipped(**members):
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "gzip of two members": gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]),
    "bz2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zstd": bytes(pa.compress(TEXT, "zstd", asbytes=True)),
    "zip": zipped(x=TEXT),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_file(tmp_path, name):
    """Whatever its name says."""
    path = tmp_path / "x.csv"
    path.write_bytes(PACKED[name])
    assert is_compressed(path) == (name != "plain")
    for opened in (arrow_stream, opened_bytes):
        with opened(path) as stream:
            assert stream.read() == TEXT


@pytest.mark.parametrize(
    ("content", "said"),
    [(zipped(x=TEXT, y=TEXT), "got 2"), (zipped(x=TEXT)[:60], "not an archive"), (zipped(), "PK")],
    ids=["two", "damaged", "empty"],
)
def test_archives_that_are_refused(tmp_path, content, said):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    if said == "PK":  # an empty archive begins in another way, and is no text
        with arrow_stream(path) as stream:
            assert stream.read(2) == b"PK"
    else:
        with pytest.raises(ew.DataError, match=said):
            opened_bytes(path)


def test_arrow_needs_no_python_to_let_go_of_a_head():
    # A buffer around Python's bytes is let go of under Python's lock; if the program is ending, the
    # thread that asks for it aborts the program (one run in 360 on a busy machine).
    buffer = in_arrows_memory(TEXT).read_buffer()
    assert buffer.to_pybytes() == TEXT
    assert buffer.address != pa.py_buffer(TEXT).address
    assert buffer.parent is None or buffer.parent.parent is None


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=8)


class Drops(io.BytesIO):
    """A stream that hands out a few bytes at a time, as a pipe may."""

    def __init__(self, content, sizes):
        super().__init__(content)
        self._sizes, self._turn = sizes, 0

    def read(self, size=-1):
        self._turn += 1
        return super().read(self._sizes[self._turn % len(self._sizes)])


def all_of(stream, sizes):
    """Everything, read in pieces of these sizes; no piece is longer than was asked for."""
    parts = [stream.read(sizes[0])]
    while parts[-1]:
        size = sizes[len(parts) % len(sizes)]
        parts.append(stream.read(size))
        assert len(parts[-1]) <= size
    return b"".join(parts)


@given(
    st.text(max_size=60),
    st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32"]),
    SIZES,
    SIZES,
)
@settings(max_examples=50)
def test_any_encoding(text, encoding, given_out, asked_for):
    text = text.encode("utf-8", "ignore").decode()
    stream = as_utf8(Drops(text.encode(encoding), given_out), encoding)
    assert all_of(stream, asked_for).decode() == text


@given(st.lists(st.text(" \tab1,.", max_size=12), max_size=6), SIZES, SIZES)
def test_blanks_line_by_line_whatever_the_pieces(lines, given_out, asked_for):
    raw = "".join(f"{line}\n" for line in lines).encode()
    expected = "".join(map(squeezed, lines))
    assert all_of(squeezed_stream(Drops(raw, given_out)), asked_for).decode() == expected

"""Compressed bytes are known by their first bytes, from files and from pipes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.rows.readers.byte_streams import (
    PeekedStream,
    arrow_stream,
    decompressed,
    in_arrows_memory,
    is_compressed,
    opened_bytes,
)

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


@pytest.mark.parametrize("name", ["plain", "gzip", "gzip of two members", "bz2", "xz"])
def test_a_pipe(name):
    assert decompressed(PeekedStream(io.BytesIO(PACKED[name]))).read() == TEXT


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


def test_an_owned_stream_is_closed():
    for owned in (False, True):
        stream = io.BytesIO(TEXT)
        with PeekedStream(stream, owned=owned) as peeked:
            assert peeked.head(3) == TEXT[:3]
        assert stream.closed == owned


def test_arrow_needs_no_python_to_let_go_of_a_head():
    # A buffer around Python's bytes is let go of under Python's lock; if the program is ending, the
    # thread that asks for it aborts the program (one run in 360 on a busy machine).
    buffer = in_arrows_memory(TEXT).read_buffer()
    assert buffer.to_pybytes() == TEXT
    assert buffer.address != pa.py_buffer(TEXT).address
    assert buffer.parent is None or buffer.parent.parent is None

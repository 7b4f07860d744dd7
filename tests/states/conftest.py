"""State files for the tests of moments."""

from __future__ import annotations

import hashlib
import json
import struct

import pytest

from edgewise import Moments
from edgewise.states.file_format import FORMAT_VERSION, MAGIC


@pytest.fixture
def saved(tmp_path, rows):
    """The state of `rows` in a file."""
    path = tmp_path / "rows.ews"
    Moments(feature_names=("a", "b", "c", "d")).update(rows).save(path)
    return path


@pytest.fixture(scope="session")
def craft():
    """Write a file of any content whose checksum is right."""

    def write(path, header, body=b"", version=FORMAT_VERSION, length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        size = len(text) if length is None else length
        content = struct.pack("<8sII", MAGIC, version, size) + text + body
        path.write_bytes(content + hashlib.sha256(content).digest())
        return path

    return write


@pytest.fixture(scope="session")
def parts():
    """Header and arrays of a state file, read from the description of the format alone."""

    def read(path):
        content = path.read_bytes()
        (length,) = struct.unpack("<I", content[12:16])
        return json.loads(content[16 : 16 + length]), content[16 + length : -32]

    return read

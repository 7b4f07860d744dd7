"""Standard input: its head is looked at, and none of it is lost."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.files import FileTable
from edgewise.tables.text import Pipe


class Drops(io.RawIOBase):
    """A stream that hands out a few bytes at a time, as a pipe may."""

    def __init__(self, content, most):
        super().__init__()
        self._content, self._most = content, most

    def readable(self):
        return True

    def read(self, size=-1):
        size = len(self._content) if size is None or size < 0 else min(size, self._most)
        part, self._content = self._content[:size], self._content[size:]
        return part


@given(
    st.binary(max_size=60),
    st.integers(1, 9),
    st.lists(st.integers(0, 40), max_size=4),
    st.lists(st.integers(1, 20), max_size=10),
)
def test_looking_loses_nothing(content, most, heads, sizes):
    peeked = Pipe(Drops(content, most))
    for size in heads:
        assert peeked.head(size) == content[:size]
    parts = [peeked.read(size) for size in sizes]
    assert all(len(part) <= size for part, size in zip(parts, sizes, strict=True))
    assert b"".join(parts) + peeked.readall() == content
    assert peeked.read(5) == b""


@pytest.fixture
def standard_input(monkeypatch):
    def pipe(content, most=1 << 16):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Drops(content, most)))

    return pipe


@pytest.mark.parametrize("most", [1000, 1 << 20])
def test_rows_of_standard_input(standard_input, csv_file, rows, same_result, most):
    def source(**options):
        standard_input(csv_file.read_bytes(), most)
        return FileTable(["-"], **options)

    assert source().feature_names == tuple("abcd")
    assert source().named
    assert not source().rescannable
    assert (source().n_rows, source().estimated_rows) == (None, None)
    expected = ew.edge_test(rows, method="fisher")
    same_result(ew.edge_test(source(), method="fisher"), expected, names="abcd")
    standard_input(csv_file.read_bytes())
    same_result(ew.edge_test("-", method="fisher"), expected, names="abcd")
    two = ew.edge_test(source(columns=["d", "a"]), method="fisher")
    same_result(two, ew.edge_test(rows[:, [3, 0]], method="fisher"), names="da")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n"])
def test_nothing_on_standard_input(standard_input, refuses, content):
    standard_input(content)
    refuses(lambda: ew.edge_test("-"), DataError, "standard input", "nothing", "pipe")


def test_the_program_reads_standard_input(run_edgewise, csv_file, rows):
    arguments = ("test", "-", "--method", "batch", "--n-batches", "20", "--json", "-")
    found = json.loads(run_edgewise(*arguments, input=csv_file.read_text()).stdout)
    expected = json.loads(
        ew.edge_test(rows, method="batch", n_batches=20, feature_names=list("abcd")).to_json()
    )
    assert found.keys() == expected.keys()
    assert found["n_samples"] == 400
    assert found["feature_names"] == list("abcd")
    for mine, edge in zip(found["edges"], expected["edges"], strict=True):
        assert mine == pytest.approx(edge)

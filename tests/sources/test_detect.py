"""What the user passed decides the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.sources.arrays import ArraySource
from edgewise.sources.detect import as_source
from edgewise.sources.source import FiniteRows, Source
from edgewise.sources.tables import TableSource


def test_a_source_passes_through(rows):
    for source in (ArraySource(rows), FiniteRows(ArraySource(rows))):
        assert as_source(source) is source


@pytest.mark.parametrize("wrap", [str, Path, lambda path: [path], lambda path: (str(path), path)])
def test_paths(csv_file, wrap):
    source = as_source(wrap(csv_file))
    assert isinstance(source, TableSource)
    assert source.feature_names == ("a", "b", "c", "d")


def test_arrays_and_lists(rows):
    for data in (rows, rows.tolist(), tuple(rows.tolist())):
        source = as_source(data)
        assert isinstance(source, ArraySource)
        np.testing.assert_array_equal(np.concatenate(list(source.batches())), rows)


def test_frames(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    for data in (frame, require("pyarrow").table(frame), require("polars").from_pandas(frame)):
        assert isinstance(as_source(data), TableSource)


def test_sources_can_be_read_again_and_again(rows, csv_file, require):
    table = require("pyarrow").table(dict(zip("abcd", rows.T, strict=True)))
    # A reader can be consumed only once; the source must remember its rows.
    for data in (rows, csv_file, table, table.to_reader(max_chunksize=100)):
        source = as_source(data)
        assert isinstance(source, Source)
        for _ in range(2):
            np.testing.assert_array_equal(np.concatenate(list(source.batches())), rows)


def test_own_sources_are_welcome(rows, same_result):
    class Halves:
        feature_names = ("p", "q", "r", "s")
        n_rows = None

        def batches(self):
            yield rows[:150]
            yield rows[150:]

    same_result(ew.edge_test(Halves()), ew.edge_test(rows), names="pqrs")


@pytest.mark.parametrize("data", [None, 3, "", b"rows.csv", {"a": [1, 2]}, [], object], ids=repr)
def test_what_holds_no_rows_is_one_sentence(refuses, data):
    refuses(lambda: as_source(data), ew.DataError, "expected")

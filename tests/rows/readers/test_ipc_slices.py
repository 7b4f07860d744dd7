"""Large record batches in slices: the same rows, whatever the columns, in little memory."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest

from edgewise.rows import table as sizes
from edgewise.rows.readers import ipc_slices
from edgewise.rows.readers.ipc import open_ipc
from edgewise.rows.readers.ipc_messages import batches_in_file

N = 1000


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Every batch is too large, and a block has a hundred rows."""
    monkeypatch.setattr(ipc_slices, "_MOST_BYTES", 1)
    monkeypatch.setattr(sizes, "_MOST_BATCH_ROWS", 100)
    monkeypatch.setattr(sizes, "_FEWEST_BATCH_ROWS", 100)


@pytest.fixture(scope="module")
def mixed():
    """Columns of all kinds, with gaps in some of them."""
    rng = np.random.default_rng(0)
    gaps = rng.random(N) < 0.2
    numbers = rng.standard_normal(N)
    return pa.table(
        {
            "nothing": pa.nulls(N),
            "text": [f"t{k % 7}" for k in range(N)],
            "double": numbers,
            "with gaps": pa.array(numbers, mask=gaps),
            "truth": pa.array(numbers > 0, mask=gaps),
            "small": pa.array(rng.integers(0, 100, N), pa.int8()),
            "float": pa.array(numbers.astype("f4")),
            "category": pa.array([f"t{k % 3}" for k in range(N)]).dictionary_encode(),
            "money": pa.array([decimal.Decimal(k).scaleb(-2) for k in range(N)]),
            "date": pa.array(np.arange(N, dtype="i4")).cast(pa.date32()),
            "list": pa.array([[k] for k in range(N)]),
            "after": numbers + 1,
        }
    )


@pytest.fixture(params=["arrow", "arrows"])
def path(request, tmp_path, mixed):
    where = tmp_path / f"rows.{request.param}"
    make = pa.ipc.new_file if request.param == "arrow" else pa.ipc.new_stream
    with make(where, mixed.schema) as writer:
        writer.write_table(mixed, max_chunksize=700)
        writer.write_batch(mixed.to_batches()[0].slice(0, 0))
    return where


PLAIN = ["with gaps", "small", "truth", "double", "float", "money"]
CHOICES = [PLAIN, ["double"], ["after", "double"], ["nothing", "small"]]


def as_array(blocks):
    return np.concatenate([np.asarray(block) for block in blocks])


@pytest.mark.parametrize("columns", CHOICES, ids=["plain", "one", "after a list", "of nothing"])
@pytest.mark.parametrize("skip", [0, 100, 800])
def test_same_rows(path, mixed, monkeypatch, columns, skip):
    found = as_array(open_ipc(path).read(columns, skip))
    monkeypatch.setattr(ipc_slices, "_MOST_BYTES", 1 << 40)
    np.testing.assert_array_equal(found, as_array(open_ipc(path).read(columns, skip)))
    assert len(found) == N - skip
    at = columns.index("double") if "double" in columns else None
    if at is not None:
        np.testing.assert_array_equal(found[:, at], mixed["double"].to_numpy()[skip:])


@pytest.mark.parametrize("along", ["text", "category"])
def test_labels_along(path, mixed, monkeypatch, along):
    found = as_array(open_ipc(path).read(["double", along], 0, [along]))
    monkeypatch.setattr(ipc_slices, "_MOST_BYTES", 1 << 40)
    np.testing.assert_array_equal(
        found, as_array(open_ipc(path).read(["double", along], 0, [along]))
    )
    assert open_ipc(path).labels(along) == mixed[along].to_pylist()


def test_what_the_file_says(path, mixed):
    first, second, *_ = batches_in_file(path, mixed.schema)
    assert (first.rows, second.rows) == (700, 300)
    assert not first.packed
    # A list has columns of its own, so what comes after it is not looked for.
    assert [mixed.schema.names[i] for i in first.places] == [
        *("double", "with gaps", "truth", "small", "float", "money")
    ]


def test_compressed_columns_have_no_places(tmp_path, mixed):
    path = tmp_path / "rows.arrow"
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(path, mixed.schema, options=options) as writer:
        writer.write_table(mixed)
    (batch,) = batches_in_file(path, mixed.schema)
    assert batch.packed
    assert not ipc_slices.need_slices([batch])
    np.testing.assert_array_equal(
        as_array(open_ipc(path).read(["double"], 0))[:, 0], mixed["double"].to_numpy()
    )


def test_damaged_messages_are_left_to_arrow(tmp_path, mixed):
    """Whatever a byte is changed to, the walk ends, and places lie within the file."""
    path = tmp_path / "rows.arrow"
    few = mixed.select(["double", "with gaps"]).slice(0, 20)
    with pa.ipc.new_file(path, few.schema) as writer:
        writer.write_table(few)
    good = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(300):
        bad = bytearray(good)
        bad[rng.integers(8, len(good))] = rng.integers(0, 256)
        path.write_bytes(bad)
        for batch in batches_in_file(path, few.schema) or ():
            for place in batch.places.values():
                assert 0 <= place.numbers <= len(good) - 8 * batch.rows

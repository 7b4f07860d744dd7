"""The same rows in files and tables of every kind."""

from __future__ import annotations

import gzip
import pickle
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from edgewise.tables import table as table_module
from edgewise.tables.dask import PartitionedTable
from edgewise.tables.table import in_tree


@pytest.fixture
def save(tmp_path, write_csv):
    """``save("x.parquet", names, X)``: a file of the kind that its name says, in odd pieces."""

    def write(name, names, X, *, piece=37):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        if name.endswith(".npy"):
            np.save(path, X)
        elif ".csv" in name.lower():
            write_csv(path, names, X)
            if name.endswith(".gz"):
                path.write_bytes(gzip.compress(path.read_bytes()))
        else:
            columns = np.ascontiguousarray(np.asarray(X).T)
            table = pa.table(dict(zip(names, columns, strict=True)))
            if name.endswith((".parquet", ".pq")):
                parquet.write_table(table, path, row_group_size=piece)
            elif name.endswith(".feather"):
                feather.write_feather(table, path, compression="lz4", chunksize=piece)
            else:
                options = pa.ipc.IpcWriteOptions(compression="zstd")
                with (
                    pa.OSFile(str(path), "wb") as sink,
                    pa.ipc.new_file(sink, table.schema, options=options) as writer,
                ):
                    writer.write_table(table, max_chunksize=piece)
        return path

    return write


@pytest.fixture
def table(rows):
    return pa.table(dict(zip("abcd", rows.T, strict=True)))


@pytest.fixture
def all_rows():
    """Every row of a table, or of an iterator of blocks."""

    def read(table):
        if hasattr(table, "reduce"):
            return table.reduce(lambda part: np.concatenate(list(part.blocks())), None)
        return np.concatenate(list(table))

    return read


class ArrowStream:
    """Exports an Arrow C stream and nothing else, as a query engine's results do."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.fixture
def arrow_stream():
    return ArrowStream


@pytest.fixture
def kit(request, rows, table, save, require):
    """All that is needed to put `rows` into any kind of data."""

    def close_later(thing):
        request.addfinalizer(thing.close)
        return thing

    return SimpleNamespace(
        rows=rows,
        table=table,
        save=save,
        require=require,
        stream=ArrowStream,
        close_later=close_later,
    )


@pytest.fixture
def block_size(monkeypatch):
    """``block_size(16)``: readers then cut rows into blocks of so many."""

    def of(rows):
        monkeypatch.setattr(table_module, "_MOST_BATCH_ROWS", rows)
        monkeypatch.setattr(table_module, "_FEWEST_BATCH_ROWS", rows)

    return of


class InParts(PartitionedTable):
    """Three partitions, and passes that travel."""

    def __init__(self, X, *, known=True):
        super().__init__(("a", "b", "c", "d"), named=False)
        self._parts, self._known = np.array_split(X, 3), known

    def partition_rows(self):
        return [len(part) for part in self._parts] if self._known else None

    def _reduced(self, task, merge):
        task = pickle.loads(pickle.dumps(task))
        made = [
            task.run(number, f"part {number}", lambda part=part: part)
            for number, part in enumerate(self._parts)
        ]
        return in_tree(made, merge)


@pytest.fixture
def in_parts():
    return InParts

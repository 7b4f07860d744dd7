"""Odd inputs that once went wrong: each is one sentence, or simply works."""

from __future__ import annotations

import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.files import FileTable


def test_an_adbc_stream_handle_is_read_once(require, table, rows, same_result, refuses):
    with require("adbc_driver_sqlite.dbapi").connect() as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("kept", table, mode="create")
        cursor.execute("select * from kept")
        result = ew.edge_test(cursor.fetch_arrow(), method="fisher")
        same_result(result, ew.edge_test(rows, method="fisher"), names="abcd")
        cursor.execute("select * from kept")
        handle = cursor.fetch_arrow()
        refuses(lambda: ew.edge_test(handle), DataError, "read already", "method='batch'")


def test_large_whole_numbers_with_gaps():
    table = pa.table({"a": pa.array([2**60 + 1, None, 3, 4, 5, 6]), "b": [1.0, 2, 5, 3, 1, 2]})
    result = ew.edge_test(table, method="fisher", missing="drop")
    assert (result.n_samples, result.n_dropped) == (5, 1)


@pytest.mark.parametrize("options", [{}, {"columns": ["a", "b"]}])
def test_repeated_names_in_a_later_file(tmp_path, refuses, options):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,b,a\n1,2,3\n")
    refuses(lambda: FileTable([tmp_path], **options), DataError, "2.csv", "'a'")


def test_an_error_of_a_stream_is_one_sentence(table, refuses):
    def make():
        yield table.to_batches()[0]
        raise pa.ArrowInvalid("could not\nconvert")

    reader = pa.RecordBatchReader.from_batches(table.schema, make())
    refuses(lambda: ew.edge_test(reader, method="fisher"), DataError, "could not convert")

"""Columns with names: mappings, records, structured arrays, databases."""

from __future__ import annotations

import collections
import sqlite3

import numpy as np
from tests.corpus.kit import NAMES, Case, refused


def structured(kit):
    made = np.empty(len(kit.rows), [("a", "f8"), ("b", "f4"), ("c", "f8"), ("d", "i8")])
    for name, values in kit.columns.items():
        made[name] = np.rint(values)
    return made


def rounded(kit):
    return np.rint(kit.rows)


def with_text(kit):
    return {**kit.columns, "kind": ["u", "v"] * (len(kit.rows) // 2)}


Point = collections.namedtuple("Point", NAMES)


NAMED = {
    "mapping of arrays": Case(lambda kit: kit.columns),
    "mapping of pandas series": Case(lambda kit: {k: kit.pandas[k] for k in NAMES}),
    "mapping, some columns": Case(
        with_text,
        ("c", "a"),
        rows=lambda kit: kit.rows[:, [2, 0]],
        options={"columns": ["c", "a"]},
    ),
    "mapping with text": Case(with_text),
    "mapping with text, named": refused(
        with_text, "column 'kind' must hold numbers", "got text", columns=["a", "kind"]
    ),
    "mapping of unequal columns": refused(
        lambda kit: {"a": [1, 2, 3], "b": [1, 2], "c": [1, 2, 3]},
        *("equal length", "'a' with 3", "'b' with 2"),
    ),
    "mapping of misaligned series": refused(
        lambda kit: {"a": kit.pandas["a"], "b": kit.pandas["b"][::-1]},
        *("same index", "the same index", "pandas.DataFrame(data)"),
    ),
    "records": Case(lambda kit: kit.records),
    "records that lack keys": Case(
        lambda kit: [
            {key: value for key, value in record.items() if value == value}
            for record in (dict(zip(NAMES, row, strict=True)) for row in kit.holes.tolist())
        ],
        rows=lambda kit: kit.holes,
    ),
    "records and something else": refused(lambda kit: [*kit.records, 3], "record", "int"),
    "named tuples": Case(lambda kit: [Point(*row) for row in kit.rows.tolist()]),
    "structured array": Case(structured, rows=rounded),
}


def connected(kit):
    connection = kit.close_later(sqlite3.connect(":memory:"))
    connection.execute("CREATE TABLE r (a REAL, b REAL, c REAL, d REAL, kind TEXT)")
    rows = [(*row, "u" if row[0] > 0 else "v") for row in kit.rows.tolist()]
    connection.executemany("INSERT INTO r VALUES (?, ?, ?, ?, ?)", rows)
    return connection


def query(kit, text="SELECT a, b, c, d FROM r ORDER BY rowid", **settings):
    connection = connected(kit)
    for name, value in settings.items():
        setattr(connection, name, value)
    return connection.execute(text)


DATABASES = {
    "cursor": Case(query),
    "cursor, some columns": Case(
        lambda kit: query(kit, "SELECT * FROM r ORDER BY rowid"),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "fetched named rows": Case(lambda kit: query(kit, row_factory=sqlite3.Row).fetchall()),
    "cursor with text": Case(lambda kit: query(kit, "SELECT * FROM r")),
    "cursor without a query": refused(
        lambda kit: connected(kit).cursor(), "executed none", "cursor.execute"
    ),
}

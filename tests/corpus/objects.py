"""Objects that people have in memory: arrays, frames, databases, streams, and what is not read."""

from __future__ import annotations

import collections
import sqlite3

import numpy as np
import scipy.sparse
from tests.corpus.kit import NAMES, Case, batches, quietly, refused, sparse_with_zeros, unnamed

PLAIN = {
    "masked array": unnamed(
        lambda kit: np.ma.masked_array(kit.rows, np.isnan(kit.holes)), rows=lambda kit: kit.holes
    ),
    "objects with None": unnamed(
        lambda kit: np.where(np.isnan(kit.holes), None, kit.rows.astype(object)),
        rows=lambda kit: kit.holes,
    ),
    "array of one dimension": refused(lambda kit: kit.rows[:, 0], "2D", "1D"),
    "array of three dimensions": refused(
        lambda kit: kit.rows.reshape(5, -1, 4),
        *("3D of shape (5, 80, 4)", "X.reshape(-1, 4)", "clusters=np.repeat(range(5), 80)"),
    ),
    "list of equal series": refused(
        batches, "got 8", "np.concatenate(data)", "clusters=np.repeat(range(8), [one.shape[0]"
    ),
    "ragged": refused(lambda kit: [[1.0, 2.0], [3.0]], "ragged", "same number"),
    "dates": refused(lambda kit: np.zeros((5, 2), "datetime64[s]"), "numbers", "datetime64"),
}


def of_format(name):
    return unnamed(
        lambda kit: quietly(getattr(scipy.sparse, name), sparse_with_zeros(kit)),
        rows=sparse_with_zeros,
    )


def duplicates(kit):
    X = sparse_with_zeros(kit)
    place = np.nonzero(X)
    twice = tuple(np.concatenate([axis, axis]) for axis in place)
    return scipy.sparse.coo_array((np.concatenate([X[place]] * 2) / 2, twice), X.shape)


SPARSE = {
    **{name: of_format(name) for name in ("csr_matrix", "csc_array", "coo_array", "dok_array")},
    "sparse, some columns": Case(
        lambda kit: scipy.sparse.csc_array(sparse_with_zeros(kit)),
        ("x3", "x1"),
        rows=lambda kit: sparse_with_zeros(kit)[:, [3, 1]],
        options={"columns": ["x3", "x1"]},
    ),
}


class Tensor:
    """A stand-in for a tensor of another library: it says what the real one says."""

    def __init__(self, values, error=None):
        self._values, self._error = values, error
        self.shape, self.ndim = values.shape, values.ndim

    def __array__(self, dtype=None, copy=None):
        if self._error is not None:
            raise self._error
        return np.asarray(self._values, dtype)

    def __len__(self):
        return len(self._values)


TENSORS = {
    "tensor": unnamed(lambda kit: Tensor(kit.rows)),
    "tensor that requires a gradient": refused(
        lambda kit: Tensor(kit.rows, RuntimeError("Can't call numpy()")),
        "Can't call numpy()",
        "data.detach().cpu()",
    ),
}


STREAMS = {
    "generator of arrays": unnamed(lambda kit: (X for X in batches(kit))),
    "iterator of mappings": Case(
        lambda kit: iter([dict(zip(NAMES, X.T, strict=True)) for X in batches(kit)])
    ),
    "iterator of records": Case(lambda kit: iter([kit.records[:100], kit.records[100:]])),
    "iterator of pairs": refused(
        lambda kit: ((X, X[:, 0]) for X in batches(kit)), "(x, y)", "(x for x, *_ in data)"
    ),
}


# Columns with names: mappings, records, structured arrays, databases.


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


# Data frames.


def likert(kit, *, ordered=True, names=(1, 2, 3, 4, 5)):
    pandas = kit.require("pandas")
    frame, answers = kit.frame, np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5).astype(int)
    values = [names[answer - 1] for answer in answers]
    frame["a"] = pandas.Categorical(values, categories=list(names), ordered=ordered)
    return frame


def answered(kit):
    return np.column_stack([np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5), kit.rows[:, 1:]])


def without_a(kit):
    return kit.rows[:, 1:]


def subclass(kit):
    pandas = kit.require("pandas")
    index = pandas.Index(np.arange(1, 401) * 7, name="id")
    return type("Survey", (pandas.DataFrame,), {})(kit.frame.set_index(index))


FRAMES = {
    "pandas subclass with an index": Case(subclass),
    "pandas groups": refused(lambda kit: kit.frame.groupby("a"), "DataFrameGroupBy", "as clusters"),
    "pandas series": refused(lambda kit: kit.frame["a"], "Series", "frame of several columns"),
    "list of frames": refused(
        lambda kit: [kit.frame, kit.frame], "got 2", "pandas.concat(data)", "clusters="
    ),
    "ordered categories of numbers": Case(likert, rows=answered),
    "categories of numbers without an order": Case(
        lambda kit: likert(kit, ordered=False), ("b", "c", "d"), rows=without_a
    ),
    "ranges": Case(
        lambda kit: kit.frame.assign(a=kit.require("pandas").cut(kit.rows[:, 0], 3)),
        ("b", "c", "d"),
        rows=without_a,
    ),
    "text among numbers": refused(
        lambda kit: kit.frame.astype(object).replace({"a": {kit.rows[7, 0]: "?"}}),
        *("'a' must hold numbers", "'?'", "exclude"),
    ),
    "Arrow dataset": Case(lambda kit: kit.require("pyarrow.dataset").dataset(kit.arrow)),
    "polars categories": Case(
        lambda kit: kit.polars.with_columns(
            e=kit.require("polars").lit("u").cast(kit.require("polars").Categorical)
        )
    ),
    "LazyFrame, some columns": Case(
        lambda kit: kit.polars.lazy(),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "LazyFrame of no file": refused(
        lambda kit: kit.require("polars").scan_csv(kit.folder / "no.csv"),
        "the query cannot be read",
        "no.csv",
    ),
    "narwhals": Case(lambda kit: kit.require("narwhals").from_native(kit.frame)),
}


# Containers of a field of science, which one line turns into what is read.


def stand_in(package, name):
    """An object of a class of this name, of a package that need not be there."""
    return lambda kit: type(f"My{name}", (type(name, (), {"__module__": package}),), {})()


OTHERS = {
    "DataArray": refused(stand_in("xarray.core.dataarray", "DataArray"), "data.to_pandas()"),
    "Dataset": refused(stand_in("xarray.core.dataset", "Dataset"), "data.to_dataarray().T"),
    "AnnData": refused(
        stand_in("anndata._core.anndata", "AnnData"), "data.to_df()", "data.obs['donor']"
    ),
    "Raw of MNE": refused(stand_in("mne.io.base", "BaseRaw"), "data.get_data().T", "data.ch_names"),
    "list of Raw": refused(
        lambda kit: [stand_in("mne.io.base", "BaseRaw")(kit)] * 2, "data.get_data().T"
    ),
    "Epochs of MNE": refused(stand_in("mne.epochs", "BaseEpochs"), "data.selection", "clusters="),
    "Dataset of Hugging Face": refused(
        stand_in("datasets.arrow_dataset", "Dataset"), "data.with_format('arrow')[:]"
    ),
}

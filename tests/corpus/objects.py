"""Objects that people have in memory, each with what must come of it.

A case either gives the right rows and names, or is refused in one sentence that says what to pass.
All of them are made of the same rows, `Kit.rows`, whose columns are a, b, c and d. A new kind of
object is one more line here.
"""

from __future__ import annotations

import array
import collections
import io
import sqlite3
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import scipy.sparse

NAMES = ("a", "b", "c", "d")
DEFAULT = ("x0", "x1", "x2", "x3")


@dataclass(frozen=True)
class Kit:
    """What cases are made of: the rows, optional packages, a folder for files."""

    rows: np.ndarray
    require: Callable[[str], Any]
    folder: Any
    opened: list[Any] = field(default_factory=list)

    def close_later(self, thing):
        self.opened.append(thing)
        return thing

    def save(self, **arrays):
        np.savez(self.folder / "x.npz", **arrays)
        return self.close_later(np.load(self.folder / "x.npz"))

    @property
    def columns(self):
        return {name: self.rows[:, j].copy() for j, name in enumerate(NAMES)}

    @property
    def records(self):
        return [dict(zip(NAMES, row, strict=True)) for row in self.rows.tolist()]

    @property
    def arrow(self):
        return self.require("pyarrow").table(self.columns)

    @property
    def pandas(self):
        return self.require("pandas").DataFrame(self.columns)

    @property
    def polars(self):
        return self.require("polars").DataFrame(self.columns)

    @property
    def holes(self):
        X = self.rows.copy()
        X[[3, 7], [1, 2]] = np.nan
        return X


@dataclass(frozen=True)
class Case:
    """An object, and what must come of it.

    Attributes
    ----------
    make : callable
        Makes the object from a `Kit`.
    names : tuple of str
        The columns that are read.
    rows : callable
        The rows that are read, from a `Kit`.
    says : tuple of str
        If there are any: parts of the sentence that refuses the object.
    options : dict
        What `open_table` is told besides.
    """

    make: Callable[[Kit], Any]
    names: tuple[str, ...] = NAMES
    rows: Callable[[Kit], Any] = lambda kit: kit.rows
    says: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def quietly(make, *arguments):
    """Make an object whose package warns of something that is not the point here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments)


def unnamed(make, **more):
    return Case(make, DEFAULT, **more)


def refused(make, *says, **options):
    return Case(make, says=says, options=options)


def structured(kit):
    made = np.empty(len(kit.rows), [("a", "f8"), ("b", "f4"), ("c", "f8"), ("d", "i8")])
    for name, values in kit.columns.items():
        made[name] = np.rint(values)
    return made


def rounded(kit):
    return np.rint(kit.rows)


def with_text(kit):
    return {**kit.columns, "kind": ["u", "v"] * (len(kit.rows) // 2)}


class Told:
    """A stand-in for a tensor of another library: it says what the real one says."""

    def __init__(self, values, error=None, place=(1, 0), **attributes):
        self._values, self._error, self._place = values, error, place
        self.shape, self.ndim = values.shape, values.ndim
        for name, value in attributes.items():
            setattr(self, name, value)

    def __array__(self, dtype=None, copy=None):
        if self._error is not None:
            raise self._error
        return np.asarray(self._values, dtype)

    def __dlpack_device__(self):
        return self._place

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)

    def __len__(self):
        return len(self._values)


class OnlyDLPack:
    """A tensor that has no protocol but DLPack."""

    def __init__(self, values):
        self._values = np.ascontiguousarray(values)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)


@dataclass(frozen=True)
class Device:
    type: str

    def __str__(self):
        return self.type


Point = collections.namedtuple("Point", NAMES)


class LooksLikeASequence:
    """Has a length and items, as many containers do; nobody should ask for a million of them."""

    def __len__(self):
        return 1_000_000

    def __getitem__(self, item):
        raise AssertionError("it is walked item by item")


class OnlyIterates:
    def __iter__(self):
        raise AssertionError("it is walked item by item")


def batches(kit, n=8):
    return np.split(kit.rows, n)


PLAIN = {
    "array": unnamed(lambda kit: kit.rows),
    "list of lists": unnamed(lambda kit: kit.rows.tolist()),
    "tuple of arrays": unnamed(lambda kit: tuple(kit.rows)),
    "deque of rows": unnamed(lambda kit: collections.deque(kit.rows.tolist())),
    "matrix": unnamed(lambda kit: quietly(np.asmatrix, kit.rows)),
    "masked array": unnamed(
        lambda kit: np.ma.masked_array(kit.rows, np.isnan(kit.holes)), rows=lambda kit: kit.holes
    ),
    "objects with None": unnamed(
        lambda kit: np.where(np.isnan(kit.holes), None, kit.rows.astype(object)),
        rows=lambda kit: kit.holes,
    ),
    "decimals": unnamed(
        lambda kit: [[Decimal(int(x)) for x in row] for row in rounded(kit)], rows=rounded
    ),
    "booleans": unnamed(lambda kit: kit.rows > 0, rows=lambda kit: kit.rows > 0),
    "array of one dimension": refused(lambda kit: kit.rows[:, 0], "2D", "1D"),
    "array.array": refused(lambda kit: array.array("d", [1, 2, 3]), "expected"),
    "array of three dimensions": refused(
        lambda kit: kit.rows.reshape(5, -1, 4),
        *("3D of shape (5, 80, 4)", "X.reshape(-1, 4)", "groups=np.repeat(range(5), 80)"),
    ),
    "list of equal series": refused(
        batches, "got 8", "np.concatenate(data)", "groups=np.repeat(range(8), [one.shape[0]"
    ),
    "list of unequal series": refused(
        lambda kit: np.split(kit.rows, [10, 30]), "got 3", "np.concatenate(data)", "groups="
    ),
    "array of series": refused(
        lambda kit: np.array([*np.split(kit.rows, [10, 30]), None], dtype=object)[:3],
        *("got 3", "np.concatenate(data)"),
    ),
    "list of one table": refused(lambda kit: [kit.rows], "data[0]"),
    "pair of rows and target": refused(lambda kit: (kit.rows, kit.rows[:, 0]), "(X, y)", "data[0]"),
    "ragged": refused(lambda kit: [[1.0, 2.0], [3.0]], "ragged", "same number"),
    "texts": refused(lambda kit: [["a", "b"], ["c", "d"]], "numbers", "convert"),
    "complex numbers": refused(lambda kit: kit.rows + 1j, "real numbers", "real and imaginary"),
    "dates": refused(lambda kit: np.zeros((5, 2), "datetime64[s]"), "numbers", "datetime64"),
    "looks like a sequence": refused(
        lambda kit: LooksLikeASequence(), "LooksLikeASequence", "convert it first"
    ),
    "only iterates": refused(lambda kit: OnlyIterates(), "OnlyIterates", "iter(data)"),
    "set": refused(lambda kit: {1, 2, 3}, "set", "convert it first"),
    "number": refused(lambda kit: 3.5, "float", "convert it first"),
    "nothing": refused(lambda kit: None, "NoneType", "convert it first"),
    "open file": refused(lambda kit: io.StringIO("a,b\n1,2\n"), "open file", "pass its name"),
    "class": refused(lambda kit: dict, "expected", "convert it first"),
}

NAMED = {
    "mapping of arrays": Case(lambda kit: kit.columns),
    "mapping of lists": Case(lambda kit: {k: v.tolist() for k, v in kit.columns.items()}),
    "mapping of tuples with gaps": Case(
        lambda kit: {
            name: tuple(None if np.isnan(x) else x for x in kit.holes[:, j])
            for j, name in enumerate(NAMES)
        },
        rows=lambda kit: kit.holes,
    ),
    "mapping of masked arrays": Case(
        lambda kit: {name: np.ma.masked_invalid(kit.holes[:, j]) for j, name in enumerate(NAMES)},
        rows=lambda kit: kit.holes,
    ),
    "mapping of pandas series": Case(lambda kit: {k: kit.pandas[k] for k in NAMES}),
    "mapping of nullable series": Case(
        lambda kit: {
            name: kit.require("pandas").array(kit.holes[:, j], dtype="Float64")
            for j, name in enumerate(NAMES)
        },
        rows=lambda kit: kit.holes,
    ),
    "mapping of polars series": Case(lambda kit: {k: kit.polars[k] for k in NAMES}),
    "mapping of Arrow columns": Case(lambda kit: {k: kit.arrow[k] for k in NAMES}),
    "mapping with keys that are numbers": Case(
        lambda kit: dict(enumerate(kit.columns.values())), ("0", "1", "2", "3")
    ),
    "mapping, some columns": Case(
        with_text,
        ("c", "a"),
        rows=lambda kit: kit.rows[:, [2, 0]],
        options={"columns": ["c", "a"]},
    ),
    "mapping without its text": Case(with_text, options={"exclude": "kind"}),
    "mapping with text": refused(
        with_text, "column 'kind' must hold numbers", "the text 'u'", "exclude"
    ),
    "mapping of unequal columns": refused(
        lambda kit: {"a": [1, 2, 3], "b": [1, 2], "c": [1, 2, 3]},
        *("equal length", "'a' with 3", "'b' with 2"),
    ),
    "mapping of numbers": refused(lambda kit: {"a": 1, "b": 2}, "int under 'a'", "array", "list"),
    "mapping of tables": refused(
        lambda kit: {"train": kit.rows, "test": kit.rows},
        "'train'",
        "pass that one",
        "data['train']",
    ),
    "mapping of misaligned series": refused(
        lambda kit: {"a": kit.pandas["a"], "b": kit.pandas["b"][::-1]},
        *("same index", "'a' and 'b'", "pandas.DataFrame(data)"),
    ),
    "empty mapping": refused(lambda kit: {}, "empty mapping"),
    "mapping of dates": refused(
        lambda kit: {"a": [1.0, 2.0], "b": np.zeros(2, "datetime64[s]")}, "'b'", "datetime64"
    ),
    "npz": refused(lambda kit: kit.save(X=kit.rows), "under 'X'", "data['X']"),
    "npz of columns": Case(lambda kit: kit.save(**kit.columns)),
    "sklearn bunch": refused(
        lambda kit: kit.require("sklearn.datasets").load_iris(), "under 'data'", "data['data']"
    ),
    "records": Case(lambda kit: kit.records),
    "records that lack keys": Case(
        lambda kit: [
            {key: value for key, value in record.items() if value == value}
            for record in (dict(zip(NAMES, row, strict=True)) for row in kit.holes.tolist())
        ],
        rows=lambda kit: kit.holes,
    ),
    "records, keys in order of appearance": Case(
        lambda kit: [{"b": 1, "a": 2}, {"c": 3, "a": 4}],
        ("b", "a", "c"),
        rows=lambda kit: [[1, 2, np.nan], [np.nan, 4, 3]],
    ),
    "records with text": refused(
        lambda kit: [{**record, "kind": "u"} for record in kit.records], "'kind'", "'u'", "exclude"
    ),
    "records and something else": refused(lambda kit: [*kit.records, 3], "record", "int"),
    "named tuples": Case(lambda kit: [Point(*row) for row in kit.rows.tolist()]),
    "structured array": Case(structured, rows=rounded),
    "record array": Case(lambda kit: structured(kit).view(np.recarray), rows=rounded),
    "structured array, some fields": Case(
        structured,
        ("d", "b"),
        rows=lambda kit: rounded(kit)[:, [3, 1]],
        options={"columns": ["d", "b"]},
    ),
    "structured array of two dimensions": refused(
        lambda kit: structured(kit).reshape(-1, 2), "one dimension", "ravel()"
    ),
    "structured array with parts": refused(
        lambda kit: np.zeros(5, [("a", "f8"), ("b", "f8", 3)]), "'b'", "shape (5, 3)"
    ),
    "structured array with text": refused(
        lambda kit: np.zeros(5, [("a", "f8"), ("b", "U3")]), "'b' must hold numbers", "exclude"
    ),
}


def sparse_with_zeros(kit):
    return np.where(np.abs(kit.rows) < 1, 0, kit.rows)


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


FORMATS = ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")
SPARSE = {
    **{f"{name}_matrix": of_format(f"{name}_matrix") for name in FORMATS},
    **{f"{name}_array": of_format(f"{name}_array") for name in FORMATS},
    "sparse with repeated entries": unnamed(duplicates, rows=sparse_with_zeros),
    "sparse booleans": unnamed(
        lambda kit: scipy.sparse.csr_array(kit.rows > 1), rows=lambda kit: kit.rows > 1
    ),
    "sparse, some columns": Case(
        lambda kit: scipy.sparse.csc_array(sparse_with_zeros(kit)),
        ("x3", "x1"),
        rows=lambda kit: sparse_with_zeros(kit)[:, [3, 1]],
        options={"columns": ["x3", "x1"]},
    ),
    "sparse of complex numbers": refused(
        lambda kit: scipy.sparse.csr_array(kit.rows + 1j), "real numbers", "complex128"
    ),
    "sparse of one dimension": refused(
        lambda kit: scipy.sparse.coo_array(np.ones(5)), "rows and columns", "1D"
    ),
    "list of sparse": refused(
        lambda kit: [scipy.sparse.csr_array(X) for X in batches(kit)], "scipy.sparse.vstack(data)"
    ),
}


def labelled(kit, dims=("t", "v"), **coords):
    return kit.require("xarray").DataArray(kit.rows, dims=dims, coords=coords)


def dataset(kit, **more):
    xarray = kit.require("xarray")
    return xarray.Dataset({**{k: ("t", v) for k, v in kit.columns.items()}, **more})


XARRAY = {
    "DataArray": Case(lambda kit: labelled(kit, v=list(NAMES))),
    "DataArray with more coordinates": Case(
        lambda kit: labelled(kit, t=np.arange(400), v=list(NAMES), place=("v", [4, 3, 2, 1]))
    ),
    "DataArray, numbers as names": Case(
        lambda kit: labelled(kit, v=[10, 20, 30, 40]), ("10", "20", "30", "40")
    ),
    "DataArray without names": unnamed(labelled),
    "DataArray of Dask": Case(
        lambda kit: (kit.require("dask.array"), labelled(kit, v=list(NAMES)).chunk(t=37))[1]
    ),
    "DataArray, some columns": Case(
        lambda kit: labelled(kit, v=list(NAMES)),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "DataArray, one column left out": Case(
        lambda kit: labelled(kit, v=list(NAMES)),
        ("a", "c", "d"),
        rows=lambda kit: kit.rows[:, [0, 2, 3]],
        options={"exclude": ["b"]},
    ),
    "DataArray of one dimension": refused(
        lambda kit: labelled(kit)[:, 0], "two dimensions", "1 ('t')", "several columns"
    ),
    "DataArray of three dimensions": refused(
        lambda kit: kit.require("xarray").DataArray(kit.rows.reshape(5, 80, 4), dims=list("stv")),
        *("two dimensions", "data.stack(rows=['s', 't']).transpose('rows', 'v')"),
    ),
    "DataArray on its side": refused(
        lambda kit: labelled(kit, t=np.arange(400).astype("datetime64[D]").astype("M8[ns]")).T,
        *("times along 't'", "data.transpose('t', 'v')"),
    ),
    "DataArray of text": refused(
        lambda kit: labelled(kit).astype(str), "expected numbers", "convert"
    ),
    "Dataset": Case(dataset),
    "Dataset, some variables": Case(
        lambda kit: dataset(kit, image=(("t", "u"), kit.rows)),
        ("b", "a"),
        rows=lambda kit: kit.rows[:, [1, 0]],
        options={"columns": ["b", "a"]},
    ),
    "Dataset of other dimensions": refused(
        lambda kit: dataset(kit, image=(("t", "u"), kit.rows)),
        *("share one dimension", "columns"),
    ),
    "Dataset without variables": refused(
        lambda kit: kit.require("xarray").Dataset(coords={"t": [1, 2]}), "without"
    ),
}


def anndata(kit, X, **more):
    pandas, package = kit.require("pandas"), kit.require("anndata")
    names = [f"cell{i}" for i in range(len(kit.rows))]
    obs = pandas.DataFrame({"donor": ["u", "v"] * (len(names) // 2)}, index=names)
    with warnings.catch_warnings():
        # anndata 0.12 knows pandas 2; with pandas 3 it works, and warns.
        warnings.simplefilter("ignore")
        made = package.AnnData(X, obs=obs, var=pandas.DataFrame(index=list(NAMES)))
        for name, layer in more.items():
            made.layers[name] = layer
    return made


def backed(kit, X):
    package = kit.require("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package.settings.allow_write_nullable_strings = True
        anndata(kit, X).write_h5ad(kit.folder / "cells.h5ad")
        made = package.read_h5ad(kit.folder / "cells.h5ad", backed="r")
    kit.close_later(made.file)
    return made


def some_cells(kit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anndata(kit, kit.rows)[50:150, ["d", "a"]]


ANNDATA = {
    "AnnData": Case(lambda kit: anndata(kit, kit.rows)),
    "AnnData, csr": Case(
        lambda kit: anndata(kit, scipy.sparse.csr_matrix(sparse_with_zeros(kit))),
        rows=sparse_with_zeros,
    ),
    "AnnData, csc": Case(
        lambda kit: anndata(kit, scipy.sparse.csc_matrix(sparse_with_zeros(kit))),
        rows=sparse_with_zeros,
    ),
    "AnnData, some genes": Case(
        lambda kit: anndata(kit, scipy.sparse.csr_matrix(kit.rows)),
        ("d", "b"),
        rows=lambda kit: kit.rows[:, [3, 1]],
        options={"columns": ["d", "b"]},
    ),
    "AnnData, a view": Case(some_cells, ("d", "a"), rows=lambda kit: kit.rows[50:150, [3, 0]]),
    "AnnData in a file": Case(lambda kit: backed(kit, kit.rows)),
    "AnnData in a file, csr": Case(
        lambda kit: backed(kit, scipy.sparse.csr_matrix(sparse_with_zeros(kit))),
        rows=sparse_with_zeros,
    ),
    "AnnData in a file, csc": Case(
        lambda kit: backed(kit, scipy.sparse.csc_matrix(sparse_with_zeros(kit))),
        rows=sparse_with_zeros,
    ),
    "AnnData in a file, some genes": Case(
        lambda kit: backed(kit, kit.rows),
        ("d", "b"),
        rows=lambda kit: kit.rows[:, [3, 1]],
        options={"columns": ["d", "b"]},
    ),
    "AnnData without X": refused(
        lambda kit: anndata(kit, None, counts=kit.rows), "'counts'", "data.layers['name']"
    ),
    "list of AnnData": refused(
        lambda kit: [anndata(kit, kit.rows)] * 2, "got 2", "anndata.concat(data)"
    ),
}


def info(kit, types=("eeg", "eeg", "eeg", "eeg")):
    package = kit.require("mne")
    package.set_log_level("error")
    return package.create_info(list(NAMES), 100.0, list(types))


def raw(kit, *types):
    return kit.require("mne").io.RawArray(kit.rows.T, info(kit, types or ("eeg",) * 4))


def epochs(kit, *types):
    data = kit.rows.reshape(10, 40, 4).transpose(0, 2, 1)
    return kit.require("mne").EpochsArray(data, info(kit, types or ("eeg",) * 4))


def bad_channel(kit):
    recording = raw(kit)
    recording.info["bads"] = ["b"]
    return recording


def bad_segment(kit):
    recording = raw(kit)
    recording.set_annotations(kit.require("mne").Annotations([0.5], [0.1], ["BAD_jump"]))
    return recording


def without_segment(kit):
    X = kit.rows.copy()
    X[50:60] = np.nan
    return X


MNE = {
    "Raw": Case(raw),
    "Raw, data channels only": Case(
        lambda kit: raw(kit, "eeg", "stim", "eeg", "eog"),
        ("a", "c"),
        rows=lambda kit: kit.rows[:, [0, 2]],
    ),
    "Raw, any channel by name": Case(
        lambda kit: raw(kit, "eeg", "stim", "eeg", "eog"),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "Raw without a good channel": Case(
        bad_channel, ("a", "c", "d"), rows=lambda kit: kit.rows[:, [0, 2, 3]]
    ),
    "Raw of unknown channels": Case(lambda kit: raw(kit, *["misc"] * 4)),
    "Raw with a bad segment": Case(bad_segment, rows=without_segment),
    "Epochs": Case(epochs),
    "Epochs, data channels only": Case(
        lambda kit: epochs(kit, "eeg", "eeg", "stim", "eeg"),
        ("a", "b", "d"),
        rows=lambda kit: kit.rows[:, [0, 1, 3]],
    ),
    "Epochs that are not loaded": Case(
        lambda kit: kit.require("mne").make_fixed_length_epochs(
            raw(kit), duration=0.4, preload=False, proj=False
        )
    ),
    "Evoked": Case(
        lambda kit: epochs(kit).average(),
        rows=lambda kit: kit.rows.reshape(10, 40, 4).mean(axis=0),
    ),
    "list of Raw": refused(lambda kit: [raw(kit), raw(kit)], "got 2", "mne.concatenate_raws(data)"),
}


def hugging_face(kit):
    return kit.require("datasets").Dataset.from_dict(kit.columns)


def classes(kit):
    package = kit.require("datasets")
    labels = package.ClassLabel(names=["no", "yes"])
    column = (kit.rows[:, 0] > 0).astype(int)
    return hugging_face(kit).add_column("label", column).cast_column("label", labels)


DATASETS = {
    "Dataset of Hugging Face": Case(hugging_face),
    "selected": Case(
        lambda kit: hugging_face(kit).select([5, 3, 1, 200]),
        rows=lambda kit: kit.rows[[5, 3, 1, 200]],
    ),
    "shuffled": Case(
        lambda kit: hugging_face(kit).add_column("i", np.arange(400)).shuffle(seed=3),
        rows=lambda kit: kit.rows[
            hugging_face(kit).add_column("i", np.arange(400)).shuffle(seed=3)["i"]
        ],
        options={"exclude": "i"},
    ),
    "with a format of its own": Case(lambda kit: hugging_face(kit).with_format("numpy")),
    "some columns of a dataset": Case(
        hugging_face,
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "classes": refused(classes, "'label'", "class labels", "cast_column"),
    "without classes": Case(classes, options={"exclude": "label"}),
    "IterableDataset": refused(
        lambda kit: hugging_face(kit).to_iterable_dataset(),
        *("IterableDataset", "with_format('arrow').iter(", "method='batch'"),
    ),
    "batches of an IterableDataset": Case(
        lambda kit: (
            hugging_face(kit)
            .to_iterable_dataset()
            .with_format("arrow")
            .iter(batch_size=70)
            .__iter__()
        )
    ),
    "DatasetDict": refused(
        lambda kit: kit.require("datasets").DatasetDict({"train": hugging_face(kit)}),
        *("DatasetDict", "data['train']"),
    ),
}


def likert(kit, *, ordered=True, names=(1, 2, 3, 4, 5)):
    pandas = kit.require("pandas")
    frame, answers = kit.pandas, np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5).astype(int)
    values = [names[answer - 1] for answer in answers]
    frame["a"] = pandas.Categorical(values, categories=list(names), ordered=ordered)
    return frame


def answered(kit):
    return np.column_stack([np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5), kit.rows[:, 1:]])


LOW = ("low", "lower", "mid", "higher", "high")


def subclass(kit):
    pandas = kit.require("pandas")
    index = pandas.Index(np.arange(1, 401) * 7, name="id")
    return type("Survey", (pandas.DataFrame,), {})(kit.pandas.set_index(index))


def lazy_file(kit):
    kit.polars.write_csv(kit.folder / "rows.csv")
    return kit.require("polars").scan_csv(kit.folder / "rows.csv")


FRAMES = {
    "pandas": Case(lambda kit: kit.pandas),
    "pandas subclass with an index": Case(subclass),
    "pandas of sparse columns": Case(
        lambda kit: kit.pandas.astype(kit.require("pandas").SparseDtype("float64", 0.0))
    ),
    "pandas groups": refused(lambda kit: kit.pandas.groupby("a"), "DataFrameGroupBy", "as groups"),
    "pandas series": refused(lambda kit: kit.pandas["a"], "Series", "frame of several columns"),
    "pandas index": refused(lambda kit: kit.pandas.index, "Index", "frame of several columns"),
    "list of frames": refused(
        lambda kit: [kit.pandas, kit.pandas], "got 2", "pandas.concat(data)", "groups="
    ),
    "ordered categories of numbers": Case(likert, rows=answered),
    "ordered categories with gaps": Case(
        lambda kit: likert(kit).assign(a=likert(kit)["a"].where(kit.rows[:, 1] < 1)),
        rows=lambda kit: np.column_stack(
            [np.where(kit.rows[:, 1] < 1, answered(kit)[:, 0], np.nan), kit.rows[:, 1:]]
        ),
    ),
    "ordered categories in a mapping": Case(lambda kit: dict(likert(kit).items()), rows=answered),
    "categories of numbers without an order": refused(
        lambda kit: likert(kit, ordered=False), "'a'", "without an order", "0 and 1", "exclude"
    ),
    "categories without an order in a mapping": refused(
        lambda kit: dict(likert(kit, ordered=False).items()), "'a'", "without an order", "0 and 1"
    ),
    "ordered categories of text": refused(
        lambda kit: likert(kit, names=LOW), "'a'", "ordered categories", "1, 2, 3", "exclude"
    ),
    "ranges": refused(
        lambda kit: kit.pandas.assign(a=kit.require("pandas").cut(kit.rows[:, 0], 3)),
        *("'a'", "ordered categories"),
    ),
    "Arrow": Case(lambda kit: kit.arrow),
    "Arrow batch": Case(lambda kit: kit.arrow.to_batches()[0]),
    "Arrow column": refused(lambda kit: kit.arrow["a"], "ChunkedArray", "several columns"),
    "Arrow array": refused(
        lambda kit: kit.require("pyarrow").array([1.0, 2.0]), "DoubleArray", "several columns"
    ),
    "ordered categories of Arrow": Case(
        lambda kit: kit.require("pyarrow").Table.from_pandas(likert(kit)), rows=answered
    ),
    "polars": Case(lambda kit: kit.polars),
    "polars series": refused(lambda kit: kit.polars["a"], "Series", "frame of several columns"),
    "polars groups": refused(lambda kit: kit.polars.group_by("a"), "GroupBy", "as groups"),
    "polars categories": refused(
        lambda kit: kit.polars.with_columns(
            e=kit.require("polars").lit("u").cast(kit.require("polars").Categorical)
        ),
        *("'e'", "without an order"),
    ),
    "polars enumeration": refused(
        lambda kit: kit.polars.with_columns(
            e=kit.require("polars").lit("u").cast(kit.require("polars").Enum(["u", "v"]))
        ),
        *("'e'", "ordered categories", "1, 2, 3"),
    ),
    "LazyFrame": Case(lambda kit: kit.polars.lazy()),
    "LazyFrame of a file": Case(lazy_file),
    "LazyFrame, some columns": Case(
        lambda kit: kit.polars.lazy(),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "LazyFrame with text": refused(
        lambda kit: kit.polars.lazy().with_columns(e=kit.require("polars").lit("u")),
        *("'e' must hold numbers", "exclude"),
    ),
    "LazyFrame of no file": refused(
        lambda kit: kit.require("polars").scan_csv(kit.folder / "no.csv"), "LazyFrame", "no.csv"
    ),
    "LazyFrame of an unknown column": refused(
        lambda kit: kit.polars.lazy().select("zz"), "LazyFrame", "zz"
    ),
    "narwhals": Case(lambda kit: kit.require("narwhals").from_native(kit.pandas)),
    "narwhals LazyFrame": refused(
        lambda kit: kit.require("narwhals").from_native(kit.polars.lazy()), "LazyFrame", "to_native"
    ),
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


def as_dictionary(cursor, row):
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


DATABASES = {
    "cursor": Case(query),
    "cursor of named rows": Case(lambda kit: query(kit, row_factory=sqlite3.Row)),
    "cursor of dictionaries": Case(lambda kit: query(kit, row_factory=as_dictionary)),
    "cursor, some columns": Case(
        lambda kit: query(kit, "SELECT * FROM r ORDER BY rowid"),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "cursor with gaps": Case(
        lambda kit: query(kit, "SELECT nullif(a, a) AS a, b, c, d FROM r ORDER BY rowid"),
        rows=lambda kit: np.column_stack([np.full(400, np.nan), kit.rows[:, 1:]]),
    ),
    "fetched rows": unnamed(lambda kit: query(kit).fetchall()),
    "fetched named rows": Case(lambda kit: query(kit, row_factory=sqlite3.Row).fetchall()),
    "cursor with text": refused(
        lambda kit: query(kit, "SELECT * FROM r"), "'kind' must hold numbers", "exclude"
    ),
    "cursor without a query": refused(
        lambda kit: connected(kit).cursor(), "executed none", "cursor.execute"
    ),
    "cursor with a name twice": refused(
        lambda kit: query(kit, "SELECT a, a FROM r"), "'a' more than once", "rename"
    ),
    "connection": refused(lambda kit: connected(kit), "Connection", "cursor"),
    "DuckDB connection": refused(
        lambda kit: kit.close_later(kit.require("duckdb").connect()), "connection.sql"
    ),
}

TENSORS = {
    "tensor": unnamed(lambda kit: Told(kit.rows)),
    "tensor with DLPack only": unnamed(lambda kit: OnlyDLPack(kit.rows)),
    "tensor that requires a gradient": refused(
        lambda kit: Told(kit.rows, RuntimeError("Can't call numpy()"), requires_grad=True),
        *("requires a gradient", "data.detach()"),
    ),
    "tensor of bfloat16": refused(
        lambda kit: Told(kit.rows, TypeError("unsupported"), dtype="torch.bfloat16"),
        *("torch.bfloat16", "data.float()"),
    ),
    "tensor on the meta device": refused(
        lambda kit: Told(kit.rows, TypeError("can't convert meta"), device=Device("meta")),
        *("meta device", "no values"),
    ),
    "tensor on a GPU": refused(
        lambda kit: Told(kit.rows, TypeError("can't convert cuda:0"), place=(2, 0)),
        *("on the device", "data.cpu()"),
    ),
    "tensor of CuPy": refused(
        lambda kit: Told(
            kit.rows, TypeError("Implicit conversion"), place=(2, 0), get=lambda: kit.rows
        ),
        *("on the device", "data.get()"),
    ),
    "tensor with every trouble": refused(
        lambda kit: Told(
            kit.rows,
            RuntimeError("Can't"),
            place=(2, 0),
            requires_grad=True,
            dtype="torch.float8_e4m3fn",
        ),
        "data.detach().cpu().float()",
    ),
    "sparse tensor": refused(
        lambda kit: Told(kit.rows, TypeError("can't"), layout="torch.sparse_coo"),
        *("torch.sparse_coo", "data.to_dense()"),
    ),
    "tensor of three dimensions": refused(
        lambda kit: Told(kit.rows.reshape(5, 80, 4)), "3D", "groups="
    ),
}

STREAMS = {
    "generator of arrays": unnamed(lambda kit: (X for X in batches(kit))),
    "iterator of mappings": Case(
        lambda kit: iter([dict(zip(NAMES, X.T, strict=True)) for X in batches(kit)])
    ),
    "iterator of records": Case(lambda kit: iter([kit.records[:100], kit.records[100:]])),
    "iterator of sparse": unnamed(lambda kit: map(scipy.sparse.csr_array, batches(kit))),
    "iterator of DataArrays": Case(
        lambda kit: (labelled(kit, v=list(NAMES))[i : i + 50] for i in range(0, 400, 50))
    ),
    "iterator of batches in lists": unnamed(lambda kit: ([X] for X in batches(kit))),
    "iterator of pairs": refused(
        lambda kit: ((X, X[:, 0]) for X in batches(kit)), "(x, y)", "(x for x, *_ in data)"
    ),
    "iterator of records one by one": refused(lambda kit: iter(kit.records), "under 'a'", "list"),
    "iterator of rows one by one": refused(lambda kit: iter(kit.rows), "2D", "1D"),
    "empty iterator": refused(lambda kit: iter([]), "empty iterator"),
}

GROUPS = {
    "plain": PLAIN,
    "named": NAMED,
    "sparse": SPARSE,
    "xarray": XARRAY,
    "AnnData": ANNDATA,
    "MNE": MNE,
    "datasets": DATASETS,
    "frames": FRAMES,
    "databases": DATABASES,
    "tensors": TENSORS,
    "streams": STREAMS,
}
CASES = {
    f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}

"""Containers of a field of science: xarray, AnnData, MNE."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse
from tests.corpus.kit import (
    NAMES,
    Case,
    refused,
    sparse_with_zeros,
    unnamed,
)


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
    "DataArray with its times across": refused(
        lambda kit: labelled(kit, dims=("channel", "time")),
        *("'channel' before 'time'", "data.transpose('time', 'channel')"),
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
    "list of Raw": refused(lambda kit: [raw(kit), raw(kit)], "got 2", "mne.concatenate_raws("),
    "list of Epochs": refused(
        lambda kit: [epochs(kit), epochs(kit)],
        *("got 2", "mne.concatenate_epochs(data)", "len(one) * len(one.times)"),
    ),
}

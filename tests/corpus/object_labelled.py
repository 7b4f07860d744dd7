"""Containers of a field of science: xarray, AnnData, and what others give in one line."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse
from tests.corpus.kit import NAMES, Case, refused, sparse_with_zeros, unnamed


def labelled(kit, dims=("t", "v"), **coords):
    return kit.require("xarray").DataArray(kit.rows, dims=dims, coords=coords)


def dataset(kit):
    return kit.require("xarray").Dataset({k: ("t", v) for k, v in kit.columns.items()})


XARRAY = {
    "DataArray": Case(
        lambda kit: labelled(kit, t=np.arange(400), v=list(NAMES), place=("v", [4, 3, 2, 1]))
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
    "DataArray of one dimension": refused(
        lambda kit: labelled(kit)[:, 0], "two dimensions", "('t',)"
    ),
    "DataArray of three dimensions": refused(
        lambda kit: kit.require("xarray").DataArray(kit.rows.reshape(5, 80, 4), dims=list("stv")),
        *("two dimensions", "data.stack(rows=[...])", "clusters"),
    ),
    "DataArray with its times across": refused(
        lambda kit: labelled(kit, dims=("channel", "time")),
        *("'channel' before 'time'", "data.transpose('time', 'channel')"),
    ),
    "Dataset": refused(dataset, "data.to_dataarray().T"),
    "what a Dataset gives": Case(lambda kit: dataset(kit).to_dataarray().T),
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


ANNDATA = {
    "AnnData": Case(lambda kit: anndata(kit, kit.rows)),
    "AnnData, some genes": Case(
        lambda kit: anndata(kit, scipy.sparse.csr_matrix(kit.rows)),
        ("d", "b"),
        rows=lambda kit: kit.rows[:, [3, 1]],
        options={"columns": ["d", "b"]},
    ),
    "AnnData in a file, csr, some genes": Case(
        lambda kit: backed(kit, scipy.sparse.csr_matrix(sparse_with_zeros(kit))),
        ("d", "b"),
        rows=lambda kit: sparse_with_zeros(kit)[:, [3, 1]],
        options={"columns": ["d", "b"]},
    ),
    "AnnData without X": refused(
        lambda kit: anndata(kit, None, counts=kit.rows), "data.layers['name']", "data.var_names"
    ),
    "list of AnnData": refused(
        lambda kit: [anndata(kit, kit.rows)] * 2, "got 2", "anndata.concat(data)"
    ),
}


def stand_in(package, name):
    """An object of a class of this name, of a package that need not be there."""
    return lambda kit: type(f"My{name}", (type(name, (), {"__module__": package}),), {})()


OTHERS = {
    "Raw of MNE": refused(stand_in("mne.io.base", "BaseRaw"), "data.get_data().T", "data.ch_names"),
    "list of Raw": refused(
        lambda kit: [stand_in("mne.io.base", "BaseRaw")(kit)] * 2, "data.get_data().T"
    ),
    "Epochs of MNE": refused(stand_in("mne.epochs", "BaseEpochs"), "data.selection", "clusters="),
    "Dataset of Hugging Face": refused(
        stand_in("datasets.arrow_dataset", "Dataset"), "data.with_format('arrow')[:]"
    ),
}

"""Containers of a field of science, which one line turns into what is read."""

from __future__ import annotations

from tests.corpus.kit import refused


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

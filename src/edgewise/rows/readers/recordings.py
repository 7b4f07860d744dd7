"""Recordings of MNE-Python: channels are the columns, time points the rows.

As in MNE's own covariance, the variables are the good data channels (MEG, EEG, sEEG, ECoG, DBS,
fNIRS): no stimulus, EOG or other channels, and none of the bad ones. If there are none, as in an
`Info` made without types, every channel that is not bad is one. ``columns`` can name any channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from edgewise._base.checks import check_names
from edgewise._base.types import AnyArray
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource


class _Recording(RowSource):
    """The channels of a recording of any kind."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = check_names(data.ch_names)

    @property
    def variables(self) -> tuple[str, ...]:
        info, mne = self._data.info, import_module("mne")  # the user's own, so it is there
        kinds = ("meg", "eeg", "csd", "seeg", "ecog", "dbs", "fnirs")
        picks = mne.pick_types(info, **dict.fromkeys(kinds, True), exclude="bads")
        if len(picks):
            return tuple(self.names[i] for i in picks)
        return tuple(name for name in self.names if name not in info["bads"])

    def choose(self, names: Sequence[str]) -> None:
        self._chosen = [self.names.index(name) for name in names]


class RawRows(_Recording):
    """A continuous recording; what is annotated as bad is missing.

    A recording that is not loaded is read from its file a block at a time.
    """

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.in_memory = bool(data.preload)

    @property
    def n_rows(self) -> int:
        return len(self._data)

    def rows(self, start: int, stop: int) -> Rows:
        return self._read(self._chosen, start, stop)

    def labels(self, name: str) -> Iterable[Any]:
        return self._read([self.names.index(name)], 0, self.n_rows)[:, 0]

    def _read(self, picks: Sequence[int], start: int, stop: int) -> AnyArray:
        data = self._data.get_data(picks, start, stop, reject_by_annotation="NaN", verbose=False)
        return np.asarray(data).T


class EpochsRows(_Recording):
    """Epochs, one after another; "epoch" and "condition" are labels, as in `to_data_frame`.

    The time points of an epoch depend on each other: pass ``groups="epoch"``. Epochs that are not
    loaded are read into memory, in a copy, because bad ones have to be found first.
    """

    label_names = ("epoch", "condition")

    def __init__(self, data: Any) -> None:
        loaded = data if data.preload else data.copy().load_data()
        super().__init__(loaded)
        self._n_times = len(data.times)

    @property
    def n_rows(self) -> int:
        return len(self._data) * self._n_times

    def rows(self, start: int, stop: int) -> Rows:
        return self._read(self._chosen, start, stop)

    def _read(self, picks: Sequence[int], start: int, stop: int) -> AnyArray:
        first, last = start // self._n_times, -(-stop // self._n_times)
        part = self._data.get_data(picks, slice(first, last), copy=False, verbose=False)
        rows = part.transpose(0, 2, 1).reshape(-1, len(picks))
        before = first * self._n_times
        return np.asarray(rows[start - before : stop - before])

    def labels(self, name: str) -> Iterable[Any]:
        if name in self.names:
            return self._read([self.names.index(name)], 0, self.n_rows)[:, 0]
        if name == "epoch":
            return np.repeat(self._data.selection, self._n_times)
        known = {code: condition for condition, code in self._data.event_id.items()}
        conditions = [known.get(code, str(code)) for code in self._data.events[:, 2].tolist()]
        return np.repeat(np.array(conditions, dtype=object), self._n_times)


class EvokedRows(_Recording):
    """An average over epochs."""

    @property
    def n_rows(self) -> int:
        return len(self._data.times)

    def rows(self, start: int, stop: int) -> Rows:
        return np.asarray(self._data.data[self._chosen, start:stop]).T

    def labels(self, name: str) -> Iterable[Any]:
        return np.asarray(self._data.data[self.names.index(name)])

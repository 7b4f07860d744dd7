"""Whatever kind of state a file holds."""

from __future__ import annotations

import os
from typing import Any

from edgewise.errors import StateFileError
from edgewise.methods.sequential import ConfidenceSequence
from edgewise.states.batches import BatchMoments
from edgewise.states.file_format import is_state_file, read_state
from edgewise.states.moments import Moments

State = Moments | BatchMoments | ConfidenceSequence

_KINDS: dict[str, type[Moments] | type[BatchMoments] | type[ConfidenceSequence]] = {
    "moments": Moments,
    "batches": BatchMoments,
    "sequence": ConfidenceSequence,
}


def load_state(path: str | os.PathLike[str]) -> State:
    """Read a state file of any kind; loading never runs code from the file.

    Parameters
    ----------
    path : str or path
        A file that the `save` of a state wrote.

    Returns
    -------
    Moments, BatchMoments or ConfidenceSequence
        The state, of the kind that was saved.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import edgewise as ew
    >>> state = ew.accumulate(np.random.default_rng(0).standard_normal((100, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     ew.load_state(f"{folder}/rows.state")
    Moments(n_samples=100, n_features=3, order=4)
    """
    contents = read_state(path)
    if contents.kind not in _KINDS:
        raise StateFileError(
            f"state file '{os.fspath(path)}' holds a {contents.kind!r}, expected one of "
            f"{', '.join(_KINDS)}."
        )
    return _KINDS[contents.kind]._from_contents(contents)


def as_state(data: Any) -> State | None:
    """The state that data are, or that a file holds; None where they are rows."""
    if isinstance(data, Moments | BatchMoments | ConfidenceSequence):
        return data
    if isinstance(data, str | os.PathLike) and is_state_file(data):
        return load_state(data)
    return None

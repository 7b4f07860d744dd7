"""All kinds of states, by their names in state files."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from edgewise.errors import StateFileError
from edgewise.sums.save import is_state_file, read_state
from edgewise.sums.state import State

if TYPE_CHECKING:
    from edgewise.api.confidence_sequence import ConfidenceSequence
    from edgewise.sums.row_state import RowState

    AnyState: TypeAlias = RowState | ConfidenceSequence

# By the names of their classes: one is in `api`, which `sums` does not import.
KINDS = {
    "moments": "edgewise.sums.moments.Moments",
    "batches": "edgewise.sums.batches.BatchMoments",
    "pairwise": "edgewise.sums.pairwise.PairwiseMoments",
    "concordance": "edgewise.sums.concordance.ConcordanceMoments",
    "sequence": "edgewise.api.confidence_sequence.ConfidenceSequence",
}


def state_class(kind: str) -> Any:
    """The class of a kind of state; a `KeyError` where there is none."""
    module, _, name = KINDS[kind].rpartition(".")
    return getattr(import_module(module), name)


def load_state(path: str | os.PathLike[str]) -> AnyState:
    """Read a state file of any kind; loading never runs code from the file.

    Parameters
    ----------
    path : str or path
        A file that the `save` of a state wrote.

    Returns
    -------
    Moments, BatchMoments, PairwiseMoments, ConcordanceMoments or ConfidenceSequence
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
    if contents.kind not in KINDS:
        raise StateFileError(
            f"state file '{os.fspath(path)}' holds a {contents.kind!r}, expected one of "
            f"{', '.join(KINDS)}."
        )
    return cast("AnyState", state_class(contents.kind)._from_contents(contents))


def as_state(data: Any) -> AnyState | None:
    """The state in `data`, which may also be the path of a state file; None if there is none."""
    if isinstance(data, State):
        return cast("AnyState", data)
    if isinstance(data, str | os.PathLike) and is_state_file(data):
        return load_state(data)
    return None

"""Objects that people have in memory, each with what must come of it.

A case either gives the right rows and names, or is refused in one sentence that says what to pass.
All of them are made of the same rows, `Kit.rows`, whose columns are a, b, c and d. A new kind of
object is one more line in the file of its group.
"""

from __future__ import annotations

from tests.corpus.object_arrays import PLAIN, SPARSE, STREAMS, TENSORS
from tests.corpus.object_columns import DATABASES, NAMED
from tests.corpus.object_frames import DATASETS, FRAMES
from tests.corpus.object_labelled import ANNDATA, MNE, XARRAY

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

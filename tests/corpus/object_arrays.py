"""Arrays, lists, sparse matrices, tensors, and streams of them."""

from __future__ import annotations

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

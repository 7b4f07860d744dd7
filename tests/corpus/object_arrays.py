"""Arrays, lists, sparse matrices, tensors, and streams of them."""

from __future__ import annotations

import array
import io
from decimal import Decimal

import numpy as np
import scipy.sparse
from tests.corpus.kit import NAMES, Case, batches, quietly, refused, sparse_with_zeros, unnamed


def rounded(kit):
    return np.rint(kit.rows)


class LooksLikeASequence:
    """Has a length and items, as many containers do; nobody should ask for a million of them."""

    def __len__(self):
        return 1_000_000

    def __getitem__(self, item):
        raise AssertionError("it is walked item by item")


class OnlyIterates:
    def __iter__(self):
        raise AssertionError("it is walked item by item")


PLAIN = {
    "array": unnamed(lambda kit: kit.rows),
    "list of lists": unnamed(lambda kit: kit.rows.tolist()),
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
    "open file": refused(lambda kit: io.StringIO("a,b\n1,2\n"), "open file", "pass its name"),
    "class": refused(lambda kit: dict, "the class dict", "pass an object"),
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
    "sparse with repeated entries": unnamed(duplicates, rows=sparse_with_zeros),
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
    "tensor on a GPU": refused(
        lambda kit: Told(kit.rows, TypeError("can't convert cuda:0"), place=(2, 0)),
        *("on the device", "data.cpu()"),
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
    "iterator of batches in lists": unnamed(lambda kit: ([X] for X in batches(kit))),
    "iterator of pairs": refused(
        lambda kit: ((X, X[:, 0]) for X in batches(kit)), "(x, y)", "(x for x, *_ in data)"
    ),
    "iterator of rows one by one": refused(lambda kit: iter(kit.rows), "2D", "1D"),
    "empty iterator": refused(lambda kit: iter([]), "empty iterator"),
}

"""Cov(U(Σ̂)) as an operator: products with it in O(np²), never the d × d matrix.

⟨V, ccᵀ⟩ = cᵀVc, so a product is u = cᵀVc − ⟨V, s⟩ for each row c, and then the sum of u ccᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import dtrmm, strmm

from edgewise._linalg import AnyArray, FloatArray, population_covariance
from edgewise._parallel import blas_threads, on_each
from edgewise.paper.covcov import check_range, finite, u_statistic_factor
from edgewise.sums.blocks import Centre, mapped_blocks
from edgewise.sums.moments import Moments
from edgewise.sums.power import left_out_factor
from edgewise.tables.table import Rows, Summable, Sums, in_tree

# Two megabytes in single precision: larger blocks make no product faster, flat ones make it slower.
_BLOCK_ELEMENTS = 1 << 19
_MIN_BLOCK_ROWS = 1024
# From so many columns on, two SYRKs over gathered rows are faster than one GEMM over all of them.
_GATHER = 64
# Columns of the triangle of V that are multiplied at once: fewer waste the time of a GEMM.
_STRIP = 64
# Rows in single precision are kept from pass to pass up to this many numbers, 128 MiB.
_MOST_KEPT = 1 << 25
# Threads that can share them.
_MOST_GROUPS = 16


class CovcovOperator:
    """The d × d matrix Cov(U(Σ̂)), d = p(p+1)/2, known by its products, one pass for a block each.

    `A` takes the rows A c in place of c; `frobenius` weights off-diagonal entries by √2; `left_out`
    takes each whitened row in units of the covariance without it. `in_memory`: what is only on the
    way to a result is in single precision, and the rows in that precision are kept.
    """

    def __init__(
        self,
        rows: Summable,
        moments: Moments,
        *,
        A: FloatArray | None = None,
        frobenius: bool = False,
        in_memory: bool = True,
        left_out: bool = False,
    ) -> None:
        self._rows = rows
        self._kept: list[AnyArray] = []
        # Whether the BLAS had one thread when they were kept.
        self._alone = False
        #: The precision of what is only on the way to a result.
        self.rough: npt.DTypeLike = np.float32 if in_memory else np.float64
        self._n, self._centre = moments.n_samples, moments.centre()
        p = self.n_features = int(self._centre.origin.shape[0])
        s = population_covariance(moments.covariance(), self._n)
        check_range(s if A is None else A @ s @ A.T)
        # Rows are worked on in units of their columns' deviations, which single precision can
        # hold; A brings p × p matrices, not rows, to those units and back.
        unit = np.sqrt(s.diagonal())
        self._scale = 1 / unit
        # One-dimensional where it is diagonal.
        self._A = unit if A is None else A * unit
        if A is not None and not np.count_nonzero(A - np.diag(A.diagonal())):
            self._A = A.diagonal() * unit
        # And in units of its largest entry, so that no power of it is out of range; `unit` is what
        # products are then too small by.
        size = float(np.abs(self._A).max())
        self._A = self._A / size
        # Makes ‖A c‖² of a row in its columns' deviations.
        self._squared: FloatArray | None = None
        if left_out:
            self._squared = size**2 * self._inside(np.eye(p))
        with np.errstate(over="ignore"):
            self.unit = float(np.float64(size) ** 4 * (u_statistic_factor(self._n) / self._n))
        self._s = s / unit / unit[:, np.newaxis]
        #: Covariance of the rows A c, up to a factor.
        self.covariance = self._outside(self._s)
        self._upper = np.triu_indices(p)
        off_diagonal = self._upper[0] != self._upper[1]
        # An entry off the diagonal stands in V twice; in Frobenius weights it is √2 of itself.
        self._share = np.where(off_diagonal, np.sqrt(0.5) if frobenius else 0.5, 1.0)
        self._weight = np.where(off_diagonal & frobenius, np.sqrt(2.0), 1.0)
        self.passes = self.products = 0
        d = p * (p + 1) // 2
        self.shape = (d, d)

    def __matmul__(self, X: AnyArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            product = self.unit * self.multiply(np.reshape(X, (len(X), -1)))
            finite(float(product.sum()))
        return product.reshape(np.shape(X))

    def entries(self, V: FloatArray) -> FloatArray:
        """The vector of the entries of a symmetric matrix, weighted as those of U are."""
        return np.asarray(V[self._upper] * self._weight)

    def multiply(self, vectors: AnyArray, dtype: npt.DTypeLike = np.float64) -> FloatArray:
        """The product with each column, divided by `unit`, in one pass; sums in double precision."""
        columns = np.asarray(vectors, dtype=np.float64).T
        matrices = [self._inside(self._symmetric(column)) for column in columns]
        # In units of their largest entries: in those of the data they may not fit into `dtype`.
        sizes = np.array([float(np.abs(V).max()) or 1.0 for V in matrices])
        matrices = [V / size for V, size in zip(matrices, sizes, strict=True)]
        means = [float(np.sum(V * self._s)) for V in matrices]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            (totals,) = self._summed(
                _weighted_grams,
                dtype,
                matrices=[_folded(V, dtype) for V in matrices],
                means=means,
                squared=None if self._squared is None else _folded(self._squared, dtype),
                n_samples=self._n,
                alone=self._alone if self._keeps(dtype) else None,
            )
            results = np.stack([self._outside(total)[self._upper] for total in totals], axis=1)
            results *= sizes
        self.passes += 1
        self.products += len(columns)
        return results * self._weight[:, np.newaxis]

    def loudest_diagonal(self) -> FloatArray:
        """The direction in which the variances of the columns vary most together; one pass."""
        gram, total = self._summed(_squares_gram, self.rough)
        self.passes += 1
        mean = total / self._n
        covariance = gram / self._n - mean * mean[:, np.newaxis]
        if self._A.ndim == 1:
            variance = self._A**2
            covariance *= variance * variance[:, np.newaxis]
            return np.diag(np.linalg.eigh(covariance)[1][:, -1])
        return self._outside(np.diag(np.linalg.eigh(covariance)[1][:, -1]))

    def variances_along(self, vectors: FloatArray) -> FloatArray:
        """About proportional to vᵀCv for each column, from the first rows alone."""
        matrices = [_folded(self._inside(self._symmetric(vector))) for vector in vectors.T]
        one_pass = self._one_pass(_leading_form_moments, np.float64, {"matrices": matrices})
        n, total, square = self._rows.sums(one_pass, whole=False)
        return np.asarray(square / n - (total / n) ** 2)

    def _summed(self, sums: Callable[..., Sums], dtype: npt.DTypeLike, **given: Any) -> Sums:
        if not self._keeps(dtype):
            return self._rows.sums(self._one_pass(sums, dtype, given))
        work = partial(sums, p=self.n_features, **given)
        groups = _groups(self._kept)
        each = map if self._alone or len(groups) == 1 else on_each
        return in_tree(list(each(work, groups)), _added)

    def _keeps(self, dtype: npt.DTypeLike) -> bool:
        """Whether passes in this precision are over rows that are kept; from then on they are."""
        if np.dtype(dtype) != np.float32 or self._n * self.n_features > _MOST_KEPT:
            return False
        if not self._kept:
            (blocks,) = self._rows.sums(self._one_pass(_copies, dtype, {}))
            self._kept = cast("list[AnyArray]", blocks)
            # To ask takes as long as a product of a few rows.
            self._alone = blas_threads() == 1
        return True

    def _one_pass(
        self, sums: Callable[..., Sums], dtype: npt.DTypeLike, given: dict[str, Any]
    ) -> Callable[[Iterator[Rows]], Sums]:
        return partial(
            _over_unit_rows, sums, centre=self._centre, scale=self._scale, dtype=dtype, given=given
        )

    def _inside(self, V: FloatArray) -> FloatArray:
        """AᵀVA: what a quadratic form of A c is as one of c."""
        if self._A.ndim == 1:
            return V * self._A * self._A[:, np.newaxis]
        return np.asarray(self._A.T @ V @ self._A)

    def _outside(self, M: FloatArray) -> FloatArray:
        """AMAᵀ: what a sum of ccᵀ is as one of A c."""
        if self._A.ndim == 1:
            return M * self._A * self._A[:, np.newaxis]
        return np.asarray(self._A @ M @ self._A.T)

    def _symmetric(self, column: FloatArray) -> FloatArray:
        rows, columns = self._upper  # made once: it takes as long as a product of a few columns
        V = np.empty((self.n_features, self.n_features))
        V[rows, columns] = V[columns, rows] = column * self._share
        return V


def _over_unit_rows(
    sums: Callable[..., Sums],
    batches: Iterator[Rows],
    centre: Centre,
    scale: FloatArray,
    dtype: npt.DTypeLike,
    given: dict[str, Any],
) -> Sums:
    """Sums over the centred rows, in their order, in units of the columns' deviations."""
    p = len(scale)
    length = max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // p)
    blocks = mapped_blocks(batches, centre, scale, length=length, rows_first=True, dtype=dtype)
    return sums((block.z.T for block in blocks), p, **given)


def _copies(blocks: Iterator[AnyArray], p: int) -> Sums:
    # The sum of two lists is one after the other.
    return (cast("AnyArray", [z.copy() for z in blocks]),)


def _groups(blocks: Sequence[AnyArray]) -> list[Sequence[AnyArray]]:
    """A few groups of neighbours, each of enough rows for a thread."""
    numbers = sum(z.size for z in blocks)
    count = max(1, min(_MOST_GROUPS, len(blocks), numbers // _BLOCK_ELEMENTS))
    ends = [len(blocks) * k // count for k in range(count + 1)]
    return [blocks[start:stop] for start, stop in pairwise(ends)]


def _added(left: Sums, right: Sums) -> Sums:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def _weighted_grams(
    blocks: Iterable[AnyArray],
    p: int,
    matrices: Sequence[AnyArray],
    means: Sequence[float],
    squared: AnyArray | None,
    n_samples: int,
    alone: bool | None,
) -> Sums:
    """Σ (zᵀVz − mean) zzᵀ for each folded V; the fourth-order part of each row with its factor."""
    totals = np.zeros((len(matrices), p, p))
    alone = blas_threads() == 1 if alone is None else alone
    forms = _forms if alone else _forms_in_strips
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for z in blocks:
            factor: Any = 1
            if squared is not None:
                # Once for wᵢwⱼ, and once for wₖwₗ.
                factor = left_out_factor(forms(z, squared), n_samples) ** 2
            for total, V, mean in zip(totals, matrices, means, strict=True):
                total += _weighted_gram(z, factor * forms(z, V) - mean)
    return (totals,)


def _squares_gram(blocks: Iterable[AnyArray], p: int) -> Sums:
    gram, total = np.zeros((p, p)), np.zeros(p)
    for z in blocks:
        squares = z * z
        gram += squares.T @ squares
        total += squares.sum(axis=0)
    return gram, total


def _leading_form_moments(blocks: Iterator[AnyArray], p: int, matrices: Sequence[AnyArray]) -> Sums:
    """Of the first rows alone: how many; and Σ zᵀVz and Σ (zᵀVz)² for each folded V."""
    n, total, square = 0, *np.zeros((2, len(matrices)))
    for z in islice(blocks, 1):
        u = np.stack([_forms_in_strips(z, V) for V in matrices])
        n, total, square = len(z), u.sum(axis=1), np.vecdot(u, u)
    return np.array(n), total, square


def _folded(V: FloatArray, dtype: npt.DTypeLike = np.float64) -> AnyArray:
    """The lower triangle that makes the same quadratic form as the symmetric V."""
    # The order of memory is that of BLAS, which would copy another one for every block.
    return np.asarray(np.tril(V) + np.tril(V, -1), dtype, order="F")


def _forms(z: AnyArray, folded: AnyArray) -> AnyArray:
    triangular = strmm if z.dtype == np.float32 else dtrmm
    image = triangular(1.0, folded, z.T, lower=1).T
    return np.asarray(np.einsum("ij,ij->i", image, z))


def _forms_in_strips(z: AnyArray, folded: AnyArray) -> AnyArray:
    """The same without TRMM, which lets no other thread run in SciPy's BLAS."""
    forms: AnyArray = np.zeros(len(z), z.dtype)
    for start in range(0, len(folded), _STRIP):
        stop = start + _STRIP
        image = z[:, start:] @ folded[start:, start:stop]
        forms += np.einsum("ij,ij->i", image, z[:, start:stop])
    return forms


def _weighted_gram(z: AnyArray, u: AnyArray) -> Any:
    if z.shape[1] < _GATHER:
        return (z * u[:, np.newaxis]).T @ z
    above, below = np.flatnonzero(u > 0), np.flatnonzero(u <= 0)
    plus, minus = z[above], z[below]
    plus *= np.sqrt(u[above])[:, np.newaxis]
    minus *= np.sqrt(-u[below])[:, np.newaxis]
    return plus.T @ plus - minus.T @ minus

"""The largest eigenvalue of Cov(U(Σ̂)), and its whole spectrum, from products alone.

The spectrum by stochastic Lanczos quadrature: from a random unit vector g, k steps give gᵀf(C)g = Σ
w f(node) up to degree 2k − 1, and d·E gᵀf(C)g = Tr f(C), whose exact value the nodes are scaled to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.paper.covcov import finite
from edgewise.paper.operator import CovcovOperator

# Relative width of the error bar to reach. With a residual this small, the error of the estimate
# itself is about its square. Where products are cheap, the bar is narrower.
_WIDTH = 1e-3
_SMALL_WIDTH = 3e-4
_SMALL = 5000
# The largest basis, and how many of its best vectors are kept when it is folded.
_MOST_VECTORS = 96
_KEPT = 12
_MOST_PASSES = 400
_RANDOM_SHARE = 0.1  # of the start
_NOTHING = 1e-10
_ROUGH = 1e-2
_ROUGH_BLOCK = 4
# Of the quadrature.
_PROBES = 6
_STEPS = 14
_LEADING = 12


@dataclass(frozen=True, slots=True)
class LargestEigenvalue:
    """The Ritz value, never above λ_max, and an `upper` end that adds its residual or more."""

    estimate: float
    upper: float
    passes: int
    products: int

    @property
    def width(self) -> float:
        return (self.upper - self.estimate) / self.estimate if self.estimate > 0 else 0.0


def largest_eigenvalue(operator: CovcovOperator, *, block: int = 1) -> LargestEigenvalue:
    """λ_max of Cov(U(Σ̂)) by Lanczos, and an upper end from its residual in double precision.

    It continues in double precision where rough precision is not enough; `block` vectors are
    multiplied in one pass (docs/theory/numerics.md).
    """
    width = _SMALL_WIDTH if operator.shape[0] < _SMALL else _WIDTH
    start = _guesses(operator, block)
    estimate = residual = math.inf
    for dtype in dict.fromkeys((operator.rough, np.float64)):
        basis = _Basis(operator, _with_random(start, block), dtype)
        best, image = basis.converge(0.8 * width)
        start = best[:, np.newaxis]
        if dtype != np.float64:
            image = operator.multiply(start)[:, 0]
        estimate = float(best @ image)
        residual = float(np.linalg.norm(image - estimate * best))
        if residual <= width * estimate or estimate <= 0:
            break
    return LargestEigenvalue(
        estimate=finite(operator.unit * estimate),
        upper=finite(operator.unit * (estimate + max(residual, 0.9 * _WIDTH * estimate))),
        passes=operator.passes,
        products=operator.products,
    )


def _guesses(operator: CovcovOperator, block: int) -> FloatArray:
    """Unit vectors, as columns, that are often close to the largest eigenvector.

    It is near the covariance for elliptical rows, near u₁u₁ᵀ for Gaussian ones, u₁ the first
    eigenvector of the covariance, or diagonal if all variances are equal.
    """
    # Without the last digits: if all eigenvalues are equal, as for whitened rows, rounding alone
    # would choose the vector, and with it the course of the iteration.
    scale = float(np.abs(operator.covariance).max()) or 1.0
    first = np.linalg.eigh(np.round(operator.covariance / scale, 10))[1][:, -1]
    matrices = (operator.covariance, np.outer(first, first), operator.loudest_diagonal())
    guesses = np.stack([operator.entries(V) for V in matrices], axis=1)
    guesses /= np.linalg.norm(guesses, axis=0)
    if block < len(matrices):
        guesses = guesses[:, [int(np.argmax(operator.variances_along(guesses)))]]
    return guesses


def _with_random(guesses: FloatArray, block: int) -> FloatArray:
    """The start of the iteration: the guesses, and a random part along every eigenvector."""
    d, count = guesses.shape
    random = np.random.default_rng(0).standard_normal((d, block))
    start: FloatArray = _RANDOM_SHARE * random / math.sqrt(d)
    start[:, :count] += guesses
    return start


class _Basis:
    """An orthonormal basis that grows by the images of its last vectors (Lanczos)."""

    def __init__(self, operator: CovcovOperator, start: FloatArray, dtype: npt.DTypeLike) -> None:
        self._operator, self._dtype, self._block = operator, dtype, start.shape[1]
        # One vector per row, filled up to `_size`.
        self._vectors, self._images = np.empty((2, _MOST_VECTORS, operator.shape[0]))
        # Products of vectors with images, and of images with images.
        self._gram, self._image_gram = np.zeros((2, _MOST_VECTORS, _MOST_VECTORS))
        self._size = 0
        self._folded = False
        self._grow(start)

    def converge(self, width: float, least: int = 0) -> tuple[FloatArray, FloatArray]:
        """The unit vector of the largest Ritz value and its image, from a basis of `least` or more."""
        for _ in range(_MOST_PASSES):
            values, within = self._ritz()
            value, y = float(values[-1]), within[:, -1]
            # ‖Cx − θx‖² = ‖Cx‖² − θ² for a unit vector x
            squared = float(y @ self._image_gram[: self._size, : self._size] @ y) - value**2
            if squared <= (width * value) ** 2 and (self._folded or self._size >= least):
                break
            following = self._images[self._size - self._block : self._size].T
            if self._size + self._block > _MOST_VECTORS:
                following = self._fold(values, within)
                y = np.eye(_KEPT)[-1]
            if not self._grow(following):
                break  # the matrix maps the space spanned by the basis into itself
        best, image = (y @ rows[: len(y)] for rows in (self._vectors, self._images))
        size = np.linalg.norm(best)
        return np.asarray(best / size), np.asarray(image / size)

    def leading(self, count: int) -> tuple[FloatArray, FloatArray]:
        values, within = self._ritz()
        return values[-count:], within[:, -count:].T @ self._vectors[: self._size]

    def _ritz(self) -> tuple[FloatArray, FloatArray]:
        gram = self._gram[: self._size, : self._size]
        values, within = np.linalg.eigh((gram + gram.T) / 2)
        return values, within

    def _grow(self, candidates: FloatArray) -> bool:
        """Add what is new in the candidates, with its images; False if nothing is new."""
        fresh = orthonormal(candidates, self._vectors[: self._size])
        if not fresh.shape[1]:
            return False
        old, new = self._size, self._size + fresh.shape[1]
        self._vectors[old:new] = fresh.T
        self._images[old:new] = self._operator.multiply(fresh, self._dtype).T
        self._size = new
        self._fill_grams(old)
        return True

    def _fill_grams(self, old: int) -> None:
        """Fill in the products of vectors from `old` on: both triangles, since images are rounded."""
        new = self._size
        vectors, images = self._vectors[:new], self._images[:new]
        for gram, left in ((self._gram, vectors), (self._image_gram, images)):
            gram[:new, old:new] = left @ images[old:].T
            gram[old:new, :old] = left[old:] @ images[:old].T

    def _fold(self, values: FloatArray, within: FloatArray) -> FloatArray:
        """Keep the best few vectors; the next block of the iteration spans their residuals."""
        kept = within[:, -_KEPT:].T
        for rows in (self._vectors, self._images):
            rows[:_KEPT] = kept @ rows[: self._size]
        self._size, self._folded = _KEPT, True
        self._fill_grams(0)
        last = slice(_KEPT - self._block, _KEPT)
        shift = values[-self._block :, np.newaxis] * self._vectors[last]
        return np.asarray((self._images[last] - shift).T)


def orthonormal(candidates: FloatArray, basis: FloatArray) -> FloatArray:
    """An orthonormal basis of the part of the candidates outside the span of `basis`, its rows."""
    size = np.linalg.norm(candidates, axis=0)
    fresh = candidates / np.where(size > 0, size, 1.0)
    for _ in range(2):  # twice is enough for orthogonality to rounding
        fresh, triangle = np.linalg.qr(fresh - basis.T @ (basis @ fresh))
        fresh = fresh[:, np.abs(triangle.diagonal()) > _NOTHING]
    return np.asarray(fresh)


def estimate_spectrum(operator: CovcovOperator, trace: float) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, and how often each counts, as each of a few random vectors sees them.

    Those of a small matrix are exact.
    """
    d = operator.shape[0]
    if d <= _PROBES * _STEPS:
        whole = operator @ np.eye(d)
        values = np.maximum(np.linalg.eigvalsh((whole + whole.T) / 2), 0.0)
        return np.tile(values, (_PROBES, 1)), np.ones((_PROBES, d))
    # The largest Ritz values, and their vectors as rows, to a rough accuracy.
    start = _with_random(_guesses(operator, _ROUGH_BLOCK), _ROUGH_BLOCK)
    basis = _Basis(operator, start, operator.rough)
    basis.converge(_ROUGH, least=4 * _LEADING)
    values, leading = basis.leading(_LEADING)
    values = np.maximum(operator.unit * values, 0.0)
    # Their sum is at most the trace, so that rounding does not make the rest negative.
    values *= min(1.0, trace / max(float(values.sum()), 1e-300))
    rest = max(trace - float(values.sum()), 0.0)
    rng = np.random.default_rng(1)
    found = []
    for nodes, weights in _lanczos(operator, rng.standard_normal((_PROBES, d)), leading):
        nodes, counts = np.maximum(nodes, 0.0), (d - len(leading)) * weights
        total = float(counts @ nodes)
        nodes = nodes * (rest / total) if total > 0 else nodes
        found.append((np.append(values, nodes), np.append(np.ones(len(values)), counts)))
    every, counts = (np.array(part) for part in zip(*found, strict=True))
    return every, counts


def _lanczos(
    operator: CovcovOperator, probes: FloatArray, leading: FloatArray
) -> list[tuple[FloatArray, FloatArray]]:
    """Nodes and weights of each probe, outside the leading vectors; all probes in each pass."""

    def outside(rows: FloatArray) -> FloatArray:
        return rows - (rows @ leading.T) @ leading

    count, d = probes.shape
    history = np.zeros((_STEPS, count, d))
    diagonal, beside = np.zeros((2, _STEPS, count))
    current = outside(probes)
    current /= np.linalg.norm(current, axis=1, keepdims=True)
    for step in range(_STEPS):
        history[step] = current
        image = outside(operator.multiply(current.T, operator.rough).T)
        diagonal[step] = np.vecdot(image, current)
        for _ in range(2):
            for earlier in history[: step + 1]:
                image -= np.vecdot(image, earlier)[:, np.newaxis] * earlier
        beside[step] = np.linalg.norm(image, axis=1)
        current = image / np.maximum(beside[step], 1e-300)[:, np.newaxis]
    quadratures = []
    for a, b in zip(diagonal.T, beside.T, strict=True):
        tridiagonal = np.diag(a) + np.diag(b[:-1], 1) + np.diag(b[:-1], -1)
        nodes, vectors = np.linalg.eigh(tridiagonal)
        quadratures.append((nodes, vectors[0] ** 2))
    return quadratures

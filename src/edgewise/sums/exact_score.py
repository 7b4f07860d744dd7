"""The sums of the score test pair by pair, from all rows at once: exact, and for few rows fast."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from edgewise._linalg import FloatArray, upper_pairs
from edgewise.sums.leverage import Leverage
from edgewise.sums.score_sums import ScoreSums, row_tau, sums_of_pairs


class Room(threading.local):
    """Arrays by name, as large as the largest that was asked for; each thread has its own.

    To allocate a megabyte costs more than to fill it: the system hands out zeroed pages, and takes
    them back at once.
    """

    def __init__(self) -> None:
        self._held: dict[str, FloatArray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """An array of that shape; what was in one of the same name is gone."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.size < size:
            held = self._held[name] = np.empty(size)
        return held[:size].reshape(shape)


# Up to so many rows, or rows × pairs, every pair is summed by itself: products of matrices are not
# exact with few rows.
_FEW_ROWS = 500
_FEW_PRODUCTS = 1 << 20
# Numbers of pairs × rows worked on at once.
_CHUNK = 1 << 15
_ROOM = Room()


def few_rows(n_samples: int, n_features: int) -> bool:
    """Whether every pair is summed by itself."""
    products = n_samples * (n_features * (n_features - 1) // 2)
    return n_samples <= _FEW_ROWS or products <= _FEW_PRODUCTS


def all_pairs_exactly(centred: FloatArray, leverage: Leverage, rho: FloatArray) -> ScoreSums:
    """The sums of all pairs, pair by pair, from all centred rows (features first)."""
    p, n = centred.shape
    v = leverage.B.T @ centred
    complement = leverage.complement(v, centred, np.empty_like(centred))
    tau = row_tau(v * v, complement, n)
    i, j = upper_pairs(p)
    found = np.empty((6, i.size))
    step = min(max(1, _CHUNK // n), i.size)
    shape = 6, step, n
    room = _ROOM.array("pairs", shape) if n <= _CHUNK else np.empty(shape)
    for start in range(0, i.size, step):
        first, second = i[start : start + step], j[start : start + step]
        here = room[:, : first.size]
        a = v.take(first, axis=0, out=here[0], mode="clip")  # without a copy, unlike "raise"
        b = v.take(second, axis=0, out=here[1], mode="clip")
        r = rho[first, second][:, np.newaxis]
        sums = pair_by_pair(a, b, r, complement, tau, n, here[2:])
        found[:5, start : start + step] = sums
    # Σ v_i²v_j²/(1 − h)² needs no weight of a pair's own.
    square = v * v
    square /= complement
    squares = square @ square.T
    found[5] = squares[i, j]
    return sums_of_pairs(found, p, squares.diagonal())


def pair_by_pair(
    a: FloatArray,
    b: FloatArray,
    r: FloatArray,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    room: FloatArray | None = None,
) -> FloatArray:
    """Sums over rows for pairs with unit-variance residuals a and b and partial correlation r.

    They are those of the first five of `score_terms`, which are never in memory all at once. A
    `room` of four arrays like a is used again and again: allocating them would take longer.
    """
    w, x, y, scale = weight_and_residuals(a, b, r, complement, tau, n, room)
    product = np.multiply(x, y, out=None if room is None else room[3])
    x *= x
    y *= y
    x += y  # twice the mean square; the scale is left to the sums
    weighted = np.multiply(w, product, out=y)
    w *= x
    cross, ends = np.vecdot(weighted, x), np.vecdot(w, x) / 4
    weighted *= product
    np.multiply(weighted, weighted, out=w)
    sums = weighted.sum(axis=1), cross, ends, w.sum(axis=1), np.vecdot(w, weighted)
    scale2 = np.square(scale[:, 0])
    return np.asarray(np.stack(sums) * (scale2, scale2, scale2, scale2**2, scale2**3))


def weight_and_residuals(
    a: FloatArray,
    b: FloatArray,
    r: Any,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    room: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """The weight of each row, and the residuals of pairs given all columns but the two.

    From the residuals a and b given all others, of unit variance; squares of the result, times the
    last number, have the mean one. The first three, and one that is free, are in the `room`.
    """
    w, x, y, own = np.empty((4, *np.broadcast(a, b).shape)) if room is None else room
    left = (1 - r) * (1 + r)
    np.multiply(r, b, out=x)
    np.multiply(r, a, out=y)
    x += a
    y += b
    # (a² + b² + 2rab)/((n−1)(1−r²)) is what the pair itself has of the leverage.
    np.multiply(b, b, out=own)
    own *= left
    own += np.multiply(x, x, out=w)
    own *= 1 / ((n - 1) * left)
    own += complement
    # 1/((1−h)(τ + (1−τ)(1−h))), as `score_weight` has it
    np.multiply(1 - tau, own, out=w)
    w += tau
    w *= own
    np.divide(1.0, w, out=w)
    return w, x, y, n / ((n - 1) * left)

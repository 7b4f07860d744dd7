"""The whole spectrum of Cov(U(Σ̂)) from products alone, by stochastic Lanczos quadrature.

The largest eigenvalues are computed one by one. Random vectors probe the rest: k steps of Lanczos
from a random unit vector g give nodes and weights with gᵀf(C)g = Σ w f(node), exactly for
polynomials up to degree 2k − 1, and d·E gᵀf(C)g = Tr f(C). The trace itself is known exactly, and
the nodes are scaled to match it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.covcov.operator import CovcovOperator
from edgewise.covcov.spectrum import leading_vectors

_PROBES = 6
_STEPS = 14
_LEADING = 12


@dataclass(frozen=True, eq=False, slots=True)
class SpectralEstimate:
    """The eigenvalues `values`, each of which counts `counts` times; one row per random vector."""

    values: FloatArray
    counts: FloatArray


def estimate_spectrum(operator: CovcovOperator, trace: float) -> SpectralEstimate:
    """The spectrum as each of a few random vectors sees it; each row has the given trace.

    The spectrum of a small matrix is exact: building the matrix takes no more products.
    """
    d = operator.shape[0]
    if d <= _PROBES * _STEPS:
        whole = operator @ np.eye(d)
        values = np.maximum(np.linalg.eigvalsh((whole + whole.T) / 2), 0.0)
        return SpectralEstimate(np.tile(values, (_PROBES, 1)), np.ones((_PROBES, d)))
    values, leading = leading_vectors(operator, _LEADING)
    values = np.maximum(values, 0.0)
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
    return SpectralEstimate(*(np.array(part) for part in zip(*found, strict=True)))


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

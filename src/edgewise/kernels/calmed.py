"""The correlations of rows that are not allowed to be large: a choice among columns rests on them.

Where a row is large in all columns at once, as rows with heavy tails are, a few rows decide which
columns seem to be related. A lasso then chooses many by chance and misses true ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.kernels.centre import Centre
from edgewise.kernels.loop import BlockMemory, mapped_blocks
from edgewise.kernels.products import add_gram, mirrored
from edgewise.rows.block import Rows, block_rows
from edgewise.rows.passes import Sums

_LEAST = 1e-12  # where most rows are at the mean of every column, none is shrunk to that


def usual_size(rows: AnyArray, centre: Centre, scale: FloatArray) -> float:
    """The median of ‖z‖²/p over some rows: what one huge row leaves as it was."""
    z = centre.subtract_from(rows, np.empty(rows.shape[::-1])) / scale[:, np.newaxis]
    return float(np.median(np.einsum("in,in->n", z, z))) / len(scale)


def calmed_sums(batches: Iterator[Rows], centre: Centre, scale: FloatArray, usual: float) -> Sums:
    """Σw, Σwz and Σwzzᵀ of the standardised rows z, w = 1/max(‖z‖²/p, the usual one).

    A row whose mean square is above the usual one is shrunk to it; other rows stay. This keeps the
    graph of elliptical rows, whose conditional means do not depend on their scale, and hardly
    changes rows of many independent columns.
    """
    p = len(scale)
    gram, total = np.zeros((p, p)), np.zeros(p + 1)
    memory = BlockMemory(p, block_rows(p))
    for block in mapped_blocks(batches, centre, 1 / scale, memory=memory):
        z = block.z
        weight = 1 / np.maximum(np.einsum("in,in->n", z, z) / p, max(usual, _LEAST))
        total[0] += weight.sum()
        total[1:] += z @ weight
        z *= np.sqrt(weight)
        add_gram(gram, z)
    return total[:1], total[1:], gram


def calmed_correlation(weight: FloatArray, linear: FloatArray, gram: FloatArray) -> FloatArray:
    """From these sums, about the weighted mean."""
    mean = linear / weight
    covariance = mirrored(gram) / weight - np.outer(mean, mean)
    # A column whose only varying rows count next to nothing keeps a variance of its own.
    deviation = np.sqrt(np.maximum(covariance.diagonal(), np.finfo(float).tiny))
    correlation = covariance / deviation / deviation[:, np.newaxis]
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)

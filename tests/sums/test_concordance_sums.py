"""Concordance against loops over pairs of rows."""

import numpy as np
import pytest

from edgewise.sums import concordance as kernel
from edgewise.sums.concordance import unit_sums

RNG = np.random.default_rng(5)
#: One decimal, so that some values are tied.
TIED = np.round(RNG.standard_t(2, (90, 4)) @ RNG.standard_normal((4, 4)), 1)
UNTIED = RNG.standard_normal((90, 4)) @ RNG.standard_normal((4, 4))


@pytest.fixture(autouse=True, params=[1, 1 << 40], ids=["bits", "products"])
def both_ways(request, monkeypatch):
    """Counts of bits, where there are no ties, and products."""
    monkeypatch.setattr(kernel, "_MANY_SIGNS", request.param)


def slow(rows, block, touched=None):
    """Σ s sᵀ over the pairs within blocks, and how many; with `touched`, those that touch it."""
    total, count = np.zeros((rows.shape[1], rows.shape[1])), 0
    for k in range(len(rows)):
        for other in range(k):
            if block[k] == block[other] and (touched is None or touched[k] or touched[other]):
                s = np.sign(rows[k] - rows[other])
                total += np.outer(s, s)
                count += 1
    return total, count


@pytest.mark.parametrize("n", [90, 89, 61, 6])
@pytest.mark.parametrize("n_blocks", [1, 2, 3])
@pytest.mark.parametrize("per_block", [1, 2, 7, 50])
@pytest.mark.parametrize("data", [TIED, UNTIED], ids=["tied", "untied"])
def test_units_of_blocks(n, n_blocks, per_block, data):
    rows, block = data[:n], np.arange(n) % n_blocks
    found = unit_sums(rows, n_blocks, per_block)
    total, count = slow(rows, block)
    np.testing.assert_array_equal(found.met.sum(axis=0), 2 * total)
    assert found.pairs_met.sum() == 2 * count
    size = n_blocks * per_block
    assert found.rows.tolist() == [min(size, n - start) for start in range(0, n, size)]
    touching = found.touching()
    for unit, start in enumerate(range(0, n, size)):
        own = np.zeros(n, dtype=bool)
        own[start : start + size] = True
        expected, pairs = slow(rows, block, own)
        np.testing.assert_array_equal(touching[unit], expected)
        assert found.pairs_met[unit] - found.pairs_within[unit] == pairs


@pytest.mark.parametrize("data", [TIED, UNTIED], ids=["tied", "untied"])
def test_in_portions(monkeypatch, data):
    whole = unit_sums(data, 2, 15)
    monkeypatch.setattr(kernel, "_SIGNS", 1)
    monkeypatch.setattr(kernel, "_WORDS", 1)
    found = unit_sums(data, 2, 15)
    np.testing.assert_array_equal(found.met, whole.met)
    np.testing.assert_array_equal(found.within, whole.within)


@pytest.mark.parametrize("length", [127, 128, 129, 300])
def test_ranks_of_every_width(length):
    """One byte holds the differences of 128 ranks, not of 129."""
    rows = RNG.standard_normal((length, 3))
    found = unit_sums(rows, 1, length)
    s = np.sign(rows[:, np.newaxis] - rows)
    np.testing.assert_array_equal(found.met[0], np.einsum("kla,klb->ab", s, s))


def test_signed_zeros_are_tied():
    rows = np.array([[0.0, 1.0], [-0.0, 2.0], [3.0, 3.0]])
    np.testing.assert_array_equal(unit_sums(rows, 1, 3).met[0] / 2, slow(rows, [0, 0, 0])[0])

"""Sums over all pairs of transformed columns equal the sums written down directly."""

import numpy as np
import pytest

from edgewise.kernels.centre import Centre
from edgewise.kernels.pairs import exact_pairs, pair_sums
from edgewise.rows.block import block_rows
from edgewise.rows.passes import RowsAtHand

P = 5
RNG = np.random.default_rng(0)
ORIGIN = RNG.standard_normal(P) * 10
CENTRE = Centre(ORIGIN, None)
B = RNG.standard_normal((P, P))


def rows_of(n):
    return ORIGIN + np.random.default_rng(n).standard_t(6, (n, P))


def transformed(X):
    return (X - ORIGIN) @ B


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-13 * np.max(np.abs(expected)))


@pytest.mark.parametrize("n", [1, 7, 300, block_rows(P) + 1, 2 * block_rows(P)])
def test_pair_sums(n):
    X = rows_of(n)
    v = transformed(X)
    sums = pair_sums(RowsAtHand([X]), CENTRE, B, len(X))
    close(sums.square_square, np.einsum("ri,rj->ij", v**2, v**2))
    close(sums.cube_linear, np.einsum("ri,rj->ij", v**3, v))
    close(sums.square_square.diagonal(), np.sum(v**4, axis=0))
    close(sums.cube_linear.diagonal(), np.sum(v**4, axis=0))
    if n > 4096:
        return  # long data: see below
    products = v[:, :, np.newaxis] * v[:, np.newaxis, :]
    close(sums.kurtosis, np.mean(products**4, axis=0) / np.mean(products**2, axis=0) ** 2)


def test_the_kurtosis_of_long_data_comes_from_all_their_length(monkeypatch):
    monkeypatch.setattr("edgewise.kernels.pairs._KURTOSIS_ROWS", 1000)
    X = rows_of(20_000)
    v = transformed(X)
    products = v[:, :, np.newaxis] * v[:, np.newaxis, :]
    sums = pair_sums(RowsAtHand(np.split(X, 200)), CENTRE, B, len(X))
    sampled = np.concatenate(np.split(products, 200)[::20])
    expected = np.mean(sampled**4, axis=0) / np.mean(products**2, axis=0) ** 2
    close(sums.kurtosis, expected)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda X: X.astype(np.float32)])
def test_layout_and_type_of_the_rows(layout):
    X = layout(rows_of(400))
    v = transformed(X.astype(np.float64))
    close(pair_sums(RowsAtHand([X]), CENTRE, B, len(X)).cube_linear, (v**3).T @ v)


def test_however_the_rows_are_cut():
    X = rows_of(1000)
    whole = pair_sums(RowsAtHand([X]), CENTRE, B, len(X))
    cut = pair_sums(RowsAtHand(np.split(X, [0, 1, 400, 999])), CENTRE, B, len(X))
    close(cut.square_square, whole.square_square)
    close(cut.cube_linear, whole.cube_linear)


def test_exact_pairs():
    X = rows_of(block_rows(P) + 10)
    v = transformed(X)
    rho = np.eye(P)
    for (i, j), r in {(0, 2): 0.995, (1, 4): -1 + 1e-9, (3, 4): 1 - 1e-12, (0, 1): 0.5}.items():
        rho[i, j] = rho[j, i] = r
    found = exact_pairs(RowsAtHand(np.array_split(X, 3)), CENTRE, B, rho, 0.99)
    pairs = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    assert pairs == [(0, 2), (1, 4), (3, 4)]
    for k, (i, j) in enumerate(pairs):
        a, b, r = v[:, i], v[:, j], rho[i, j]
        score = np.sum(((a + r * b) * (b + r * a)) ** 2)
        influence = np.sum((a * b + r / 2 * (a**2 + b**2)) ** 2)
        assert found.score[k] == pytest.approx(score, rel=1e-12)
        assert found.influence[k] == pytest.approx(influence, rel=1e-10)


def test_no_pair_close_to_one_costs_no_pass():
    assert exact_pairs(lambda: pytest.fail("no pass"), CENTRE, B, np.eye(P) * 2 - 1, 1.5) is None

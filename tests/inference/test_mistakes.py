"""Mistakes that no error shows: each is said in a caution that names the columns."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew

rng = np.random.default_rng(1)
X = 3 * rng.standard_normal((500, 6)) + 20
ANSWERS = np.digitize(rng.random((500, 6)), [0.1, 0.3, 0.6, 0.8]) + 1.0
BLOCKS = np.arange(500) // 20
SCALES = 10.0 ** np.arange(20)[:, np.newaxis].repeat(300, axis=1) ** 0.4


def put(values, column, value, share):
    changed = values.copy()
    changed[rng.random(len(changed)) < share, column] = value
    return changed


def by_block(values):
    made = values.copy()
    for block in range(25):
        rows = made[block == BLOCKS]
        made[block == BLOCKS] = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return made


def with_column(values, name, *, names="abcdef"):
    frame = {one: X[:, k] for k, one in enumerate(names)}
    return {**frame, name: values}


MISTAKES = {
    "-999": (put(X, 2, -999, 0.05), "codes", "-999 in 'x2'"),
    "9999": (put(X, 0, 9999, 0.02), "codes", "9999 in 'x0'"),
    "99 among ages": (
        put(np.round(rng.uniform(18, 90, X.shape)), 1, 99, 0.08),
        "codes",
        "99 in 'x1'",
    ),
    "9 among answers": (put(ANSWERS, 3, 9, 0.03), "codes", "9 in 'x3'"),
    "a join": (X[rng.integers(0, 400, 600)], "repeated rows", "are copies of others"),
    "transposed": (
        SCALES * rng.standard_normal((20, 300)),
        "transposed",
        "300 columns and 20 rows",
    ),
    "shares": (np.round(100 * rng.dirichlet(np.ones(4), 500), 1), "constant sum", "'x0', 'x1'"),
    "a total": (
        np.column_stack([X, np.round(X[:, :3].sum(axis=1), 1)]),
        "constant sum",
        "less 'x6'",
    ),
    "standardised": (np.round(by_block(X), 6), "standardised blocks", "25 or more"),
    "an identifier": (
        with_column(rng.permutation(9000)[:500], "customer_id"),
        "identifiers",
        "'customer_id'",
    ),
    "long numbers": (
        with_column(76561198000000000 + rng.integers(0, 10**9, 500), "steam"),
        "identifiers",
        "'steam' hold whole numbers beyond",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said(mistake):
    data, kind, words = MISTAKES[mistake]
    (found,) = [one for one in ew.diagnose(data).mistakes if one.kind == kind]
    if mistake == "a total" and words not in found:
        words = "'x6' less 'x0', 'x1', 'x2'"
    assert words in found
    assert found.endswith(".")
    with np.errstate(all="ignore"):
        assert found in ew.edge_test(data).cautions


def test_a_cumulative_series_is_a_level():
    assert ew.diagnose(np.abs(X).cumsum(axis=0)).level_columns == tuple(f"x{k}" for k in range(6))


@pytest.mark.parametrize("data", [X, ANSWERS, (ANSWERS > 2) * 1.0, X[:10], np.exp(X[:25] / 3)])
def test_clean_data_have_none(data):
    assert ew.diagnose(data).mistakes == ()

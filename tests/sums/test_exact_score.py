"""The sums of the score test pair by pair, against refitted regressions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sums.test_score import DRAWS, NAMES, assert_refitted, exactly, rows_of

from edgewise.sums.score import few_rows


@pytest.mark.parametrize(
    ("n", "p", "few"), [(500, 400, True), (501, 70, False), (23301, 10, True), (23302, 10, False)]
)
def test_when_every_pair_is_summed_by_itself(n, p, few):
    assert few_rows(n, p) is few


@pytest.mark.parametrize(("n", "p"), [(6, 4), (40, 2), (60, 3), (100, 7), (260, 20)])
@pytest.mark.parametrize("distribution", DRAWS)
def test_exactly_is_refitted_regressions(distribution, n, p):
    X = rows_of(distribution, n, p, strong=p > 3) * np.logspace(-2, 3, p) + 5
    assert_refitted(exactly(X), X, 1e-7 if n == 6 else 1e-9)


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(3, 30), st.integers(0, 10**6))
def test_exactly_on_any_rows(p, more, seed):
    X = np.random.default_rng(seed).standard_t(3, (p + more, p))
    assert_refitted(exactly(X), X, 1e-6)


@pytest.mark.parametrize("chunk", [50, 200, 80 * 4])  # less than a pair, two, four of fifteen
def test_exactly_in_chunks_of_pairs(chunk, monkeypatch):
    X = rows_of("t5", 80, 6)
    whole = exactly(X)
    monkeypatch.setattr("edgewise.sums.score._CHUNK", chunk)
    found = exactly(X)
    for name in (*NAMES, "square_square"):
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-12)

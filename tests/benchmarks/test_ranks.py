"""The section on ranks: every line has its target, and SciPy's τ is that of the state."""

import numpy as np
import pytest
from benchmarks import ranks
from benchmarks.cases import Case, method

import edgewise as ew

SMALL = (300, 4)


def test_small_rows_and_a_small_file():
    cases = (
        Case("kendall", SMALL, method("kendall"), 60),
        Case(ranks._PEER, SMALL, ranks.kendalltau),
    )
    lines = ranks.measure(cases, SMALL).lines
    assert [line.group for line in lines] == [ranks._UNITS] * 3 + [ranks._PEERS] + [
        ranks._PEAKS
    ] * 3
    _, kendall, scipy, faster, peak, *beside = lines
    assert kendall.at_most == 60
    assert faster.at_least == 10
    assert faster.value == pytest.approx(scipy.value / kendall.value)
    assert peak.at_most == 500
    assert peak.value > 50  # pytest's own peak, which the process inherits, may be larger
    assert [line.met for line in beside] == [None, None]


def test_both_programs_count_the_same():
    X = np.random.default_rng(0).standard_normal(SMALL)
    ours = ew.ConcordanceMoments().update(X).kendall()[np.triu_indices(SMALL[1], k=1)]
    theirs = [found.statistic for found in ranks.kendalltau(X)]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)

"""One pair at a time: the sums of the kernels for all pairs."""

import numpy as np
import pytest
from tests.sums.test_score import DRAWS, estimated, rows_of

from edgewise.methods.wald import NEARLY_ONE
from edgewise.sums import score as score_pair
from edgewise.sums.score import all_pairs_at_once, all_pairs_exactly, one_pair_exactly
from edgewise.tables.table import RowsAtHand


@pytest.mark.parametrize("length", [7, 100, 8192])
@pytest.mark.parametrize("law", DRAWS)
def test_the_sums_of_a_pair(law, length, monkeypatch):
    monkeypatch.setattr(score_pair, "_ROWS", length)
    X = rows_of(law, 300, 5, strong=True)
    estimate = estimated(X)
    centred = estimate.centre.subtract_from(X, np.empty(X.shape[::-1]))
    leverage, rho = estimate.leverage(), estimate.partial_correlation
    sums = all_pairs_exactly(centred, leverage, rho)
    # Among other columns, in another order.
    kept = np.empty((8, 300))
    kept[[6, 0, 3, 7, 2]] = centred
    before = kept.copy()
    found = one_pair_exactly(kept, np.array([6, 0, 3, 7, 2]), leverage, float(rho[0, 1]))
    second = sums.second[0, 1]
    expected = second, sums.fourth[0, 1] * second**2, sums.sixth[0, 1] * second**3
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    np.testing.assert_array_equal(kept, before)


@pytest.mark.parametrize("first", [2, 4])
@pytest.mark.parametrize("law", DRAWS)
def test_products_of_the_first_columns_only(law, first):
    X = rows_of(law, 900, 6, strong=True)
    X[:5] *= 6
    estimate = estimated(X)
    rest = RowsAtHand([X[:400], X[400:]]), estimate.centre, estimate.leverage()
    rho = estimate.partial_correlation
    whole = all_pairs_at_once(*rest, rho, NEARLY_ONE)
    part = all_pairs_at_once(*rest, rho[:first, :first], NEARLY_ONE)
    for name in ("second", "cross", "ends", "fourth", "sixth"):
        expected = getattr(whole, name)[:first, :first]
        np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-12)

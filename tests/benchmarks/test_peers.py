"""The peers answer the same question, and those that take too long are stopped."""

import numpy as np
import pytest
from benchmarks import peer_calls, peers

from edgewise import edge_test

P = 5
PAIRS = np.triu_indices(P, 1)

pytestmark = pytest.mark.validity


@pytest.fixture(scope="module")
def chain():
    return peers.chain((2000, P))


@pytest.fixture(scope="module")
def fisher(chain):
    return edge_test(chain, method="fisher").pvalue[PAIRS]


def test_the_bootstrap_agrees_with_the_score_test(chain):
    found = peer_calls.numpy_bootstrap(chain)()[PAIRS]
    score = edge_test(chain).pvalue[PAIRS]
    # 200 folds know a standard error to 5 %.
    assert found == pytest.approx(score, abs=0.1)


def test_the_lasso_finds_the_chain(chain):
    precision = peer_calls.sklearn_graphical_lasso(chain)()
    assert np.all(precision.diagonal(1) < -0.3)

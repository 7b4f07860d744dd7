"""The eigenvalue radius: λ_max of Cov(U(Σ̂)) by the whole matrix, or by products with it.

What `eig` shares with `trace`, which is the paper's Algorithm 1 too, is in `test_trace.py`.
"""

import numpy as np
import pytest
from tests.methods.simulated import quiet_test, rows_of

from edgewise.inference import sample as sample_module
from edgewise.inference.sample import Sample
from edgewise.methods.bounds import covcov_largest
from edgewise.paper.covcov import covcov_matrix
from edgewise.states import Moments
from edgewise.tables.table import RowsAtHand


def eig(X, **options):
    return quiet_test(X, "eig", **options)


def largest(X, solver, *, A=None, frobenius=False, in_memory=True):
    sample = Sample(
        feature_names=tuple(f"x{i}" for i in range(X.shape[1])),
        purpose="a test",
        in_memory=in_memory,
        state=Moments(order=2).update(X),
        rows=RowsAtHand([X]),
    )
    return covcov_largest(sample, A, solver=solver, frobenius=frobenius)


def hardly_larger(found, exact):
    """Never too small, and hardly too large."""
    assert exact <= found * (1 + 1e-9)
    assert found <= exact * (1 + 1e-3)


class TestLargest:
    @pytest.mark.parametrize("in_memory", [True, False])
    @pytest.mark.parametrize("distribution", ["gaussian", "lognormal"])
    def test_never_too_small_and_hardly_too_large(self, distribution, in_memory):
        X = rows_of(distribution, 1000, 12)
        A = np.random.default_rng(0).standard_normal((12, 12))
        for transform, frobenius in ((None, False), (A, True)):
            options = {"A": transform, "frobenius": frobenius, "in_memory": in_memory}
            exact, record = largest(X, "full", **options)
            assert record == {"solver": "full"}
            upper, record = largest(X, "matrix-free", **options)
            hardly_larger(upper, exact)
            assert set(record) == {"solver", "iterations", "products", "width"}
            assert record["solver"] == "matrix-free"
            assert 0 < record["width"] <= 1e-3
            # Several vectors in a pass over a file, where reading them is what costs.
            assert (record["products"] > record["iterations"]) == (not in_memory)

    def test_full_is_the_matrix(self):
        X = rows_of("t5", 1000, 5)
        matrix = covcov_matrix(RowsAtHand([X]), Moments(order=2).update(X))
        assert largest(X, "full")[0] == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-13)

    def test_matrix_free_does_not_build_the_matrix(self, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        monkeypatch.setattr(sample_module, "covcov_matrix", refuse)
        X = rows_of("gaussian", 1000, 12)
        assert largest(X, "matrix-free")[0] > 0
        with pytest.raises(AssertionError, match="was built"):
            largest(X, "full")


class TestSolver:
    @pytest.mark.parametrize("standardize", [False, True])
    def test_without_the_matrix(self, standardize):
        X = rows_of("t5", 2000, 16) * np.logspace(-1, 1, 16)
        full = eig(X, solver="full", standardize=standardize)
        found = eig(X, solver="matrix-free", standardize=standardize)
        hardly_larger(found.radius, full.radius)
        assert full.options == {"mu": 1.0, "standardize": standardize, "solver": "full"}
        assert found.options["solver"] == "matrix-free"
        assert found.threshold >= full.threshold
        assert eig(X, solver="matrix-free", standardize=standardize).options == found.options

    def test_is_chosen_by_the_number_of_columns(self):
        assert eig(rows_of("gaussian", 300, 14)).options["solver"] == "full"
        assert eig(rows_of("gaussian", 300, 50)).options["solver"] == "matrix-free"

"""λ_max of Cov(U(Σ̂)), by the whole matrix or by products with it."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise import Moments
from edgewise.covcov.closed_form import covcov_matrix
from edgewise.evidence import from_rows
from edgewise.evidence.from_rows import RowEvidence
from edgewise.methods.radius import covcov_largest
from edgewise.rows.passes import RowsAtHand


def rows_of(distribution, n=1000, p=12):
    rng = np.random.default_rng(1)
    return ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng)


def largest(X, solver, *, A=None, frobenius=False, in_memory=True):
    evidence = RowEvidence(
        feature_names=tuple(f"x{i}" for i in range(X.shape[1])),
        asked_by="a test",
        in_memory=in_memory,
        state=Moments(order=2).update(X),
        rows=RowsAtHand([X]),
    )
    return covcov_largest(evidence, A, solver=solver, frobenius=frobenius)


class TestLargest:
    @pytest.mark.parametrize("in_memory", [True, False])
    @pytest.mark.parametrize("frobenius", [False, True])
    @pytest.mark.parametrize("distribution", ["gaussian", "t5", "lognormal"])
    def test_never_too_small_and_hardly_too_large(self, distribution, frobenius, in_memory):
        X = rows_of(distribution)
        A = np.random.default_rng(0).standard_normal((12, 12))
        for transform in (None, A):
            options = {"A": transform, "frobenius": frobenius, "in_memory": in_memory}
            exact, record = largest(X, "full", **options)
            assert record == {"solver": "full"}
            upper, record = largest(X, "matrix-free", **options)
            assert exact <= upper * (1 + 1e-9)
            assert upper <= exact * (1 + 1e-3)
            assert set(record) == {"solver", "iterations", "products", "width"}
            assert record["solver"] == "matrix-free"
            assert 0 < record["width"] <= 1e-3
            assert isinstance(record["iterations"], int)
            assert isinstance(record["products"], int)
            assert type(record["width"]) is float
            # Several vectors in a pass over a file, where reading them is what costs.
            assert (record["products"] > record["iterations"]) == (not in_memory)

    def test_full_is_the_matrix(self):
        X = rows_of("t5", p=5)
        matrix = covcov_matrix(RowsAtHand([X]), Moments(order=2).update(X))
        assert largest(X, "full")[0] == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-13)

    def test_auto(self):
        assert largest(rows_of("gaussian", p=5), "auto")[1]["solver"] == "full"
        assert largest(rows_of("gaussian", n=200, p=50), "auto")[1]["solver"] == "matrix-free"

    def test_matrix_free_does_not_build_the_matrix(self, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        monkeypatch.setattr(from_rows, "covcov_matrix", refuse)
        X = rows_of("gaussian")
        assert largest(X, "matrix-free")[0] > 0
        with pytest.raises(AssertionError, match="was built"):
            largest(X, "full")

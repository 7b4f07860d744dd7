"""The whole matrix or products with it: the same λ_max, by the shorter way."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import Moments, ParameterError
from edgewise.covcov import solver as module
from edgewise.covcov.closed_form import covcov_matrix
from edgewise.covcov.solver import (
    SOLVERS,
    chosen_solver,
    covcov_largest,
    full_seconds,
    matrix_free_seconds,
    predicted_seconds,
)


def rows_of(distribution, n=1000, p=12):
    rng = np.random.default_rng(1)
    return ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng)


def largest(X, solver, **options):
    in_memory = options.pop("in_memory", True)
    moments = Moments(order=2).update(X)
    return covcov_largest(lambda: iter([X]), moments, solver=solver, in_memory=in_memory, **options)


class TestChoice:
    @pytest.mark.parametrize("in_memory", [True, False])
    @pytest.mark.parametrize("n", [1000, 50_000, 10**7])
    def test_the_matrix_for_few_columns_and_products_for_many(self, n, in_memory):
        for p in (2, 5, 14):
            assert chosen_solver("auto", n, p, in_memory=in_memory) == "full"
        for p in (50, 100, 500):
            assert chosen_solver("auto", n, p, in_memory=in_memory) == "matrix-free"

    @pytest.mark.parametrize("in_memory", [True, False])
    def test_changes_once(self, in_memory):
        chosen = [chosen_solver("auto", 20_000, p, in_memory=in_memory) for p in range(2, 80)]
        first = chosen.index("matrix-free")
        assert set(chosen[:first]) == {"full"}
        assert set(chosen[first:]) == {"matrix-free"}

    def test_a_file_is_worth_a_few_more_columns_of_the_matrix(self):
        def last_full(in_memory):
            return max(
                p
                for p in range(2, 80)
                if chosen_solver("auto", 100_000, p, in_memory=in_memory) == "full"
            )

        assert last_full(in_memory=False) > last_full(in_memory=True)

    def test_products_where_the_matrix_would_not_fit(self, monkeypatch):
        d = 14 * 15 // 2
        monkeypatch.setattr(module, "LARGEST_MATRIX", 8.0 * d * d)
        assert chosen_solver("auto", 10**5, 14, in_memory=True) == "full"
        monkeypatch.setattr(module, "LARGEST_MATRIX", 8.0 * d * d - 1)
        assert chosen_solver("auto", 10**5, 14, in_memory=True) == "matrix-free"
        assert chosen_solver("full", 10**5, 14, in_memory=True) == "full"

    @pytest.mark.parametrize("p", [2, 1000])
    @pytest.mark.parametrize("solver", ["full", "matrix-free"])
    def test_what_was_asked_for(self, solver, p):
        assert chosen_solver(solver, 100, p, in_memory=True) == solver

    @pytest.mark.parametrize("solver", ["Full", "", None, "lanczos", 3])
    def test_unknown(self, solver, refuses):
        refuses(
            lambda: chosen_solver(solver, 100, 3, in_memory=True),
            ParameterError,
            "solver: expected one of",
            *map(repr, SOLVERS),
        )

    def test_costs(self):
        """Seconds: positive, more for more rows and columns, and more from files."""
        for cost in (full_seconds, matrix_free_seconds):
            base = cost(1000, 10, in_memory=True)
            assert 0 < base < 1
            assert cost(2000, 10, in_memory=True) > base
            assert cost(1000, 20, in_memory=True) > base
            assert cost(1000, 10, in_memory=False) > base
        for p in (5, 100):
            ways = [cost(1000, p, in_memory=True) for cost in (full_seconds, matrix_free_seconds)]
            assert predicted_seconds(1000, p) == min(ways)


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
        matrix = covcov_matrix(lambda: iter([X]), Moments(order=2).update(X))
        assert largest(X, "full")[0] == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-13)

    def test_auto(self):
        assert largest(rows_of("gaussian", p=5), "auto")[1]["solver"] == "full"
        assert largest(rows_of("gaussian", n=200, p=50), "auto")[1]["solver"] == "matrix-free"

    def test_matrix_free_does_not_build_the_matrix(self, monkeypatch):
        def refuse(*arguments, **options):
            raise AssertionError("the d × d matrix was built")

        monkeypatch.setattr(module, "covcov_matrix", refuse)
        X = rows_of("gaussian")
        assert largest(X, "matrix-free")[0] > 0
        with pytest.raises(AssertionError, match="was built"):
            largest(X, "full")

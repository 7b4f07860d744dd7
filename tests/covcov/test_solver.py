"""The whole matrix or products with it: whichever way is the shorter one."""

import pytest

from edgewise import ParameterError
from edgewise.covcov import solver as module
from edgewise.covcov.solver import (
    SOLVERS,
    chosen_solver,
    full_seconds,
    matrix_free_seconds,
    predicted_seconds,
)


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

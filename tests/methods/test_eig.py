"""The eigenvalue radius: every level, and eigenvalues without the matrix that has them.

What `eig` shares with `trace`, which is the paper's Algorithm 1 too, is in `test_trace.py`.
"""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import edgewise as ew
from edgewise import DataError, Moments, ParameterError, TooFewRowsWarning

MAX_TRACE_ALPHA = 0.2151


def eig(X, **options):
    """The test, without the warning that an infinite threshold comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, method="eig", **options)


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


def test_reports_every_level():
    pvalue = np.array(off_diagonal(eig(rows_of("gaussian", 1000, 4)).pvalue))
    assert ((pvalue > MAX_TRACE_ALPHA) & (pvalue < 1)).any()


def test_takes_every_level():
    assert eig(rows_of("gaussian", 1000, 3), alpha=0.9).alpha == 0.9


def test_a_state_is_not_enough():
    state = Moments().update(rows_of("gaussian", 100, 3))
    with pytest.raises(DataError, match="reads the rows twice, got a state without rows"):
        ew.edge_test(state, method="eig")


class TestSolver:
    @pytest.mark.parametrize("standardize", [False, True])
    @pytest.mark.parametrize("distribution", ["gaussian", "t5", "lognormal"])
    def test_without_the_matrix(self, distribution, standardize):
        X = rows_of(distribution, 2000, 16) * np.logspace(-1, 1, 16)
        full = eig(X, solver="full", standardize=standardize)
        found = eig(X, solver="matrix-free", standardize=standardize)
        assert full.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= full.radius * (1 + 1e-3)
        assert full.options == {"mu": 1.0, "standardize": standardize, "solver": "full"}
        assert found.options["solver"] == "matrix-free"
        assert 0 < found.options["width"] <= 1e-3
        assert found.options["products"] >= 3
        assert found.options["iterations"] >= 3
        assert found.threshold >= full.threshold

    def test_is_chosen_by_the_number_of_columns(self):
        assert eig(rows_of("gaussian", 300, 14)).options["solver"] == "full"
        assert eig(rows_of("gaussian", 300, 50)).options["solver"] == "matrix-free"

    @pytest.mark.parametrize("name", ["x.npy", "x.parquet"])
    def test_from_a_file(self, name, tmp_path):
        """Several vectors in each pass, so more products than passes."""
        X = rows_of("t5", 3000, 12)
        path = tmp_path / name
        if name.endswith("npy"):
            np.save(path, X)
        else:
            parquet.write_table(pa.table({f"x{i}": X[:, i] for i in range(12)}), path)
        found = eig(path, solver="matrix-free")
        full = eig(X, solver="full")
        assert full.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= full.radius * (1 + 1e-3)
        assert found.options["products"] > found.options["iterations"]

    @pytest.mark.parametrize("kind", [np.float32, np.int32])
    def test_other_numbers(self, kind):
        X = np.rint(100 * rows_of("gaussian", 1000, 12)).astype(kind)
        found = eig(X, solver="matrix-free")
        expected = eig(X.astype(np.float64), solver="full")
        assert expected.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= expected.radius * (1 + 1e-3)

    @pytest.mark.parametrize("power", [-150, 150])
    def test_standardize_takes_any_units(self, power):
        X = rows_of("t5", 2000, 12)
        scale = 10.0 ** np.tile([power, 0, -power / 2], 4)
        options = {"standardize": True, "solver": "matrix-free"}
        found, expected = eig(X * scale, **options), eig(X, **options)
        assert found.radius == pytest.approx(expected.radius, rel=1e-6)

    @pytest.mark.parametrize("scale", [1e-50, 1e-20, 1e20, 1e50])
    def test_units_do_not_matter(self, scale):
        X = rows_of("t5", 500, 12) * scale
        full, found = (eig(X, solver=solver) for solver in ("full", "matrix-free"))
        assert full.radius <= found.radius * (1 + 1e-9)
        assert found.radius <= full.radius * (1 + 1e-3)

    def test_fourth_moments_that_overflow(self):
        X = rows_of("gaussian", 100, 3) * 1e100
        with pytest.raises(DataError, match=r"fourth-order moments overflow.*standardize=True"):
            ew.edge_test(X, method="eig", solver="matrix-free")

    def test_the_same_twice(self):
        X = rows_of("gaussian", 500, 20)
        first, second = (eig(X, solver="matrix-free") for _ in range(2))
        assert first.radius == second.radius
        assert first.options == second.options

    @pytest.mark.parametrize("solver", ["Full", "", None, "lanczos"])
    def test_unknown(self, solver, refuses):
        X = rows_of("gaussian", 100, 3)
        call = lambda: ew.edge_test(X, method="eig", solver=solver)  # noqa: E731
        refuses(call, ParameterError, "solver: expected one of", "'full'", "'matrix-free'")

    @pytest.mark.parametrize("method", ["trace", "score", "wald", "fisher", "batch"])
    def test_refused_where_there_is_nothing_to_solve(self, method, refuses):
        X = rows_of("gaussian", 100, 3)
        call = lambda: ew.edge_test(X, method=method, solver="full")  # noqa: E731
        refuses(call, ParameterError, f"solver: method '{method}' does not take it")

    def test_too_large_for_the_matrix(self, refuses):
        """What it would take, and the way without it."""
        X = np.random.default_rng(0).standard_normal((260, 250))
        call = lambda: eig(X, solver="full")  # noqa: E731
        refuses(call, DataError, "250 columns", "31375 × 31375", "7 GiB", "solver='matrix-free'")

"""The eigenvalue radius: λ_max of Cov(U(Σ̂)) by the whole matrix, or by products with it.

What `eig` shares with `trace`, which is the paper's Algorithm 1 too, is in `test_trace.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
from tests.methods.simulated import quiet_test, rows_of

import edgewise as ew
from edgewise.errors import DataError
from edgewise.inference.sample import Sample
from edgewise.methods.bounds import covcov_largest
from edgewise.states import Moments
from edgewise.tables.table import InMemoryRows


def eig(X, **options):
    return quiet_test(X, "eig", **options)


def largest(X, solver, *, A=None, frobenius=False, in_memory=True):
    class Rows(InMemoryRows):
        pass

    Rows.in_memory = in_memory
    sample = Sample(
        feature_names=tuple(f"x{i}" for i in range(X.shape[1])),
        purpose="a test",
        state=Moments(order=2).update(X),
        rows=Rows([X]),
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


class TestOnePass:
    """From a state of all products of four columns, and from rows that can be read only once."""

    METHODS = (
        ew.methods.Eig(),
        ew.methods.Eig(standardize=True),
        ew.methods.Trace(),
        ew.methods.Trace(standardize=True),
        ew.methods.Spectral(radius="eig"),
        ew.methods.Spectral(radius="chi2", standardize=True),
    )

    @pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
    @pytest.mark.parametrize("method", METHODS, ids=str)
    @pytest.mark.parametrize("p", [2, 12])
    def test_is_the_test_of_the_rows(self, tmp_path, method, p):
        rng = np.random.default_rng(p)
        X = rng.standard_t(9, (400, p)) + 1e6
        X[:, 1:] += 0.3 * X[:, :-1]
        exact = replace(method, solver="full") if hasattr(method, "solver") else method
        expected = ew.edge_test(X, method=exact)
        later = ew.states.Moments(order="all").update(X[123:])
        merged = later + ew.states.Moments(order="all").update(X[:123])
        merged.save(tmp_path / "rows.state")
        for data in (
            ew.accumulate(X, order="all"),
            ew.load_state(tmp_path / "rows.state"),
            (X[start : start + 37] for start in range(0, 400, 37)),
        ):
            found = ew.edge_test(data, method=method)
            assert found.radius == pytest.approx(expected.radius, rel=1e-9)
            np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-7)
            np.testing.assert_array_equal(found.reject, expected.reject)

    @pytest.mark.parametrize("offset", [0.0, 2.0**33])
    def test_the_digits_stay_far_from_zero(self, offset):
        X = np.round(np.random.default_rng(0).standard_normal((500, 4)) * 2**18) / 2**18
        found = ew.edge_test(ew.accumulate(X + offset, order="all"), method="eig")
        assert found.radius == pytest.approx(ew.edge_test(X, method="eig").radius, rel=1e-9)

    def test_what_a_state_cannot_do_is_said(self, refuses):
        X = np.random.default_rng(0).standard_normal((200, 61))
        refuses(
            lambda: ew.accumulate(X, order="all"),
            DataError,
            "more than 60 columns, got 'all' for 61",
        )
        refuses(
            lambda: ew.edge_test(ew.accumulate(X[:, :5]), method="eig"),
            DataError,
            "method 'eig' needs the rows a second time, or all products of four columns (order='all')",
        )
        refuses(
            lambda: ew.edge_test(iter([X[:100], X[100:]]), method="eig"),
            DataError,
            "reads the rows twice",
        )

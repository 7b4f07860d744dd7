"""`edge_test(budget=…)`: an even sample of the rows, and the better of the paper's two tests."""

from __future__ import annotations

from itertools import accumulate, cycle, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.rows.table import LocalTable
from edgewise.rows.views import FiniteRows, StridedRows

N = 100_000
PILOT = -(-N // (N // 8192))  # rows that both tests are tried on


@pytest.fixture(scope="module")
def many_rows():
    X = np.random.default_rng(6).standard_normal((N, 3))
    X[:, 1] += 0.5 * X[:, 0]
    X.flags.writeable = False
    return X


@pytest.fixture
def clock(monkeypatch):
    """Make the pilot's first pass, and the eigenvalue test after it, take these seconds.

    Each method that is tried looks at the clock before it, after the first pass and at its end.
    """

    def set_seconds(first_pass, eig):
        readings = accumulate(cycle([0.0, first_pass, eig]))
        fake = SimpleNamespace(perf_counter=lambda: next(readings))
        monkeypatch.setattr("edgewise.questions.budget.time", fake)

    return set_seconds


class Cuts(LocalTable):
    """A table whose blocks end where told, and that may not know how many rows it has."""

    named = False
    rescannable = True

    def __init__(self, X, cuts, n_rows=None):
        self.feature_names = tuple(f"x{i}" for i in range(X.shape[1]))
        self._n_rows = n_rows
        self._bounds = list(pairwise([0, *cuts, len(X)]))
        self._values = X

    @property
    def n_rows(self):
        return self._n_rows

    def blocks(self):
        return (self._values[start:stop] for start, stop in self._bounds)


@given(st.integers(1, 12), st.lists(st.integers(0, 40), max_size=6).map(sorted))
def test_every_kth_row_whatever_the_cuts(step, cuts):
    X = np.arange(80).reshape(40, 2)
    strided = StridedRows(Cuts(X, cuts, n_rows=40), step)
    for _ in range(2):  # each pass starts anew
        np.testing.assert_array_equal(
            strided.reduce(lambda part: np.concatenate(list(part.blocks())), None), X[::step]
        )
    assert strided.n_rows == len(X[::step])
    assert strided.feature_names == ("x0", "x1")
    assert StridedRows(Cuts(X, cuts), step).n_rows is None


def test_a_generous_budget_reads_all_rows(many_rows, same_result):
    result = ew.edge_test(many_rows, budget=600)
    assert result.method in ("trace", "eig")
    assert result.n_samples == N
    assert result.options["budget"] == 600
    assert result.options["rows_available"] == N
    assert result.options["sampling"] == "all rows"
    same_result(result, ew.edge_test(many_rows, method=result.method))


def test_a_tiny_budget_on_the_real_clock(many_rows):
    result = ew.edge_test(many_rows, budget=2e-3, method="trace")
    assert 3 < result.n_samples < N
    assert result.options["sampling"].startswith("one row in ")


def test_a_small_budget_reads_an_even_sample(many_rows, clock, same_result):
    """0.8 of 10 ms at PILOT rows in 20 ms for the eigenvalue test."""
    clock(0.01, 0.01)
    result = ew.edge_test(many_rows, budget=0.01)
    step = -(-N // int(0.8 * 0.01 * PILOT / 0.02))
    assert result.method == "eig"
    assert result.options["sampling"] == f"one row in {step}"
    assert (result.options["budget"], result.options["rows_available"]) == (0.01, N)
    assert result.n_samples == len(many_rows[::step]) < N
    same_result(result, ew.edge_test(many_rows[::step], method="eig"))


def test_where_eigenvalues_are_dear_the_trace_reads_more_rows(many_rows, clock, same_result):
    clock(0.01, 10.0)
    result = ew.edge_test(many_rows, budget=0.01)
    step = -(-N // int(0.8 * 0.01 * PILOT / 0.01))
    assert result.method == "trace"
    same_result(result, ew.edge_test(many_rows[::step], method="trace"))


@pytest.mark.parametrize(("method", "seconds"), [("trace", (0.01, 0.01)), ("eig", (0.001, 1.0))])
def test_a_named_method_is_honoured(many_rows, clock, method, seconds):
    clock(*seconds)
    result = ew.edge_test(many_rows, method=method, budget=0.1, mu=0.5)
    assert result.method == method
    assert 3 < result.n_samples < N
    assert result.options["mu"] == 0.5


def test_more_seconds_read_more_rows(many_rows, clock):
    read = []
    for budget in (0.003, 0.03, 0.3):
        clock(0.01, 0.01)
        read.append(ew.edge_test(many_rows, budget=budget).n_samples)
    assert read == sorted(set(read))


def test_names_and_json_come_through(many_rows, clock):
    clock(0.01, 0.01)
    result = ew.edge_test(many_rows, budget=0.01, feature_names=list("abc"))
    assert result.feature_names == ("a", "b", "c")
    assert '"sampling": "one row in' in result.to_json()


@pytest.mark.parametrize("budget", [0, -1, np.nan, np.inf, "1", True, [1]])
def test_a_budget_is_a_number_of_seconds(rows, refuses, budget):
    refuses(
        lambda: ew.edge_test(rows, budget=budget),
        ew.ParameterError,
        "budget: expected a number above 0",
        "seconds",
    )


def test_a_budget_needs_to_know_how_many_rows_there_are(rows, refuses):
    unknown = Cuts(rows, [100])
    for call in (
        lambda: ew.edge_test(unknown, budget=1),
        lambda: ew.edge_test(rows, budget=1, drop_missing=True),
        lambda: ew.edge_test(FiniteRows(Cuts(rows, [100], n_rows=400)), budget=1),
    ):
        refuses(call, ew.ParameterError, "budget", "number of rows is known", "drop_missing")


def test_what_cannot_be_tested_cannot_be_tested_in_time_either(rows, refuses):
    copied = np.column_stack([rows, rows[:, 0]])
    refuses(lambda: ew.edge_test(copied, budget=9), ew.DataError, "'x4'", "'x0'")
    refuses(lambda: ew.edge_test(rows[:4], budget=9), ew.DataError, "more rows than columns")
    refuses(lambda: ew.edge_test(rows[:, :1], budget=9), ew.DataError, "minimum of 2")
    missing = rows.copy()
    missing[7, 1] = np.nan
    refuses(lambda: ew.edge_test(missing, budget=9), ew.NonFiniteError, "'x1' (1)")

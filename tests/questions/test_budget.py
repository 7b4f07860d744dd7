"""`edge_test(budget=…)`: an even sample of the rows, and the better of the paper's two tests."""

from __future__ import annotations

import re
import time
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.questions import budget
from edgewise.questions.spending import Clock
from edgewise.rows.table import LocalTable
from edgewise.rows.views import FiniteRows, StridedRows

N = 100_000


@pytest.fixture(scope="module")
def many_rows():
    X = np.random.default_rng(6).standard_normal((N, 3))
    X[:, 1] += 0.5 * X[:, 0]
    X.flags.writeable = False
    return X


@pytest.fixture
def clock(monkeypatch):
    """Make first passes, and what the eigenvalue test reads after them, take seconds per row."""

    def set_seconds(first_pass, eig):
        at = [0.0]

        def slow(seconds, function, rows_of):
            def slowed(*given, **options):
                result = function(*given, **options)
                at[0] += seconds * rows_of(result)
                return result

            return slowed

        of_state = lambda result: result[0].n_samples  # noqa: E731
        of_measurement = lambda result: result.estimate.n_samples  # noqa: E731
        first = slow(first_pass, budget.read_with_glance, of_state)
        monkeypatch.setattr(budget, "read_with_glance", first)
        monkeypatch.setattr("edgewise.evidence.opening.read_with_glance", first)
        monkeypatch.setattr(ew.Eig, "measure", slow(eig, ew.Eig.measure, of_measurement))
        monkeypatch.setattr(budget, "Clock", partial(Clock, now=lambda: at[0]))
        return at

    return set_seconds


def quiet(data, **options):
    """The result, without warnings about rows that are too few or break what a test assumes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.EdgewiseWarning)
        return ew.edge_test(data, **options)


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


def rows_read(result, X):
    """The rows of a sample in runs, checked to be spread over the whole length."""
    found = re.fullmatch(r"(\d+) runs of (\d+) rows, evenly spread", result.options["sampling"])
    assert result.n_samples < len(X)
    assert int(found[1]) > 10
    assert int(found[1]) * int(found[2]) == pytest.approx(result.n_samples, rel=0.05)


@pytest.mark.parametrize("method", ["trace", "eig"])
@pytest.mark.parametrize("seconds", [0.1, 1.0])
@pytest.mark.parametrize("per_row", [(3e-3, 1e-3), (2e-3, 1e-2)])
def test_the_time_is_used(many_rows, clock, method, seconds, per_row):
    """A hundred times and more than the pilot's rows would take is there to be read."""
    first_pass, eig = (1e-2 * seconds * each for each in per_row)
    at = clock(first_pass, eig)
    result = ew.edge_test(many_rows, budget=seconds, method=method)
    assert 0.7 <= at[0] / seconds <= 1.1
    assert result.method == method
    assert (result.options["budget"], result.options["rows_available"]) == (seconds, N)
    rows_read(result, many_rows)


def test_the_clock_itself(many_rows):
    """Only what holds on a machine that does much else: it ends, with a part of the rows."""
    X = np.tile(many_rows, (5, 1))
    began = time.perf_counter()
    result = ew.edge_test(X, budget=0.01, method="trace")
    assert time.perf_counter() - began < 2
    assert 3 < result.n_samples < len(X)


@pytest.mark.parametrize("method", ["trace", "eig"])
def test_rows_in_order_of_time_are_sampled_evenly(clock, method):
    """The mean of the sample is that of all rows, though a column grows all the time."""
    X = np.random.default_rng(5).standard_normal((N, 3))
    X[:, 0] += np.linspace(-9, 9, N)
    clock(1e-5, 1e-4)
    result = quiet(X, budget=0.2, method=method)
    assert result.n_samples < N / 4
    # A uniform variable has the variance 18²/12; a head of the rows would have far less.
    assert result.covariance[0, 0] == pytest.approx(1 + 18**2 / 12, rel=0.06)


@pytest.mark.parametrize("method", ["trace", "eig"])
def test_a_row_far_out_has_its_own_number(many_rows, clock, method):
    X = many_rows.copy()
    # A few rows, each far beyond those before it: of those in the sample, one is the farthest.
    X[37::4000, 1] = 10.0 ** np.arange(3, 28)
    clock(1e-5, 1e-5)
    result = quiet(X, budget=0.2, method=method)
    assert result.n_samples < N / 2
    found = re.search(r"Row ([\d,]+), column 'x1' \(value ([\d.e+]+)\)", " ".join(result.cautions))
    assert X[int(found[1].replace(",", "")) - 1, 1] == pytest.approx(float(found[2]), rel=1e-3)


@pytest.mark.parametrize(("eig", "chosen"), [(1e-3, "trace"), (1e-6, "eig")])
def test_where_eigenvalues_are_dear_the_trace_reads_more_rows(many_rows, clock, eig, chosen):
    clock(1e-5, eig)
    assert ew.edge_test(many_rows, budget=0.5).method == chosen


@pytest.mark.parametrize("method", ["trace", "eig"])
def test_a_named_method_is_honoured(many_rows, clock, method):
    clock(1e-5, 1e-5)
    result = ew.edge_test(many_rows, method=method, budget=0.3, mu=0.5)
    assert result.method == method
    assert 3 < result.n_samples < N
    assert result.options["mu"] == 0.5


def test_more_seconds_read_more_rows(many_rows, clock):
    clock(1e-5, 1e-5)
    read = [ew.edge_test(many_rows, budget=b).n_samples for b in (0.03, 0.1, 0.3, 1.0)]
    assert read == sorted(set(read))


def test_names_and_json_come_through(many_rows, clock):
    clock(1e-5, 1e-5)
    result = ew.edge_test(many_rows, budget=0.2, feature_names=list("abc"))
    assert result.feature_names == ("a", "b", "c")
    assert " rows, evenly spread" in result.to_json()


def test_a_column_that_the_pilot_sees_nothing_of(clock):
    """Ones so rare that 256 rows have none, which cannot be tested."""
    X = np.random.default_rng(8).standard_normal((N, 3))
    X[:, 2] = np.arange(N) % 1000 == 500
    clock(1e-6, 1e-6)
    assert quiet(X, budget=0.05, method="trace").n_samples > 256


@pytest.mark.parametrize("method", ["trace", "eig"])
def test_files_that_take_long_to_read_are_entered_at_many_places(tmp_path, clock, method):
    X = np.random.default_rng(9).standard_normal((N, 3))
    X[:, 0] += np.linspace(-9, 9, N)
    path = tmp_path / "rows.parquet"
    table = pa.table({name: X[:, k] for k, name in enumerate("abc")})
    pq.write_table(table, path, row_group_size=2000)
    at = clock(1e-5, 1e-5)
    # Reading a thousand rows takes so long that the whole file would take twice the seconds.
    with pytest.MonkeyPatch.context() as patched:
        real = budget.kept

        def slow(*given, **options):
            rows = real(*given, **options)
            at[0] += 2e-2 * (at[0] == 0)
            return rows

        patched.setattr(budget, "kept", slow)
        patched.setattr(budget, "batch_rows", lambda n_features: 1000)
        result = quiet(str(path), budget=1.0, method=method)
    assert result.n_samples < 0.8 * N
    assert "runs of" in result.options["sampling"]
    assert result.covariance[0, 0] == pytest.approx(1 + 18**2 / 12, rel=0.1)
    assert at[0] <= 1.2


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
        refuses(call, ew.ParameterError, "budget", "number of rows is known", "missing='drop'")


def test_what_cannot_be_tested_cannot_be_tested_in_time_either(rows, refuses):
    copied = np.column_stack([rows, rows[:, 0]])
    refuses(lambda: ew.edge_test(copied, budget=9), ew.DataError, "'x4'", "'x0'")
    refuses(lambda: ew.edge_test(rows[:4], budget=9), ew.DataError, "more rows than columns")
    refuses(lambda: ew.edge_test(rows[:, :1], budget=9), ew.DataError, "minimum of 2")
    missing = rows.copy()
    missing[7, 1] = np.nan
    refuses(lambda: ew.edge_test(missing, budget=9), ew.NonFiniteError, "'x1' (1)")


def test_the_files_are_in_the_result(tmp_path, many_rows):
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    np.save(paths[0], many_rows[:1000])
    np.save(paths[1], many_rows[1000:])
    result = ew.edge_test(paths, budget=0.1, method="trace")
    assert result.files == ((str(paths[0]), 1000), (str(paths[1]), len(many_rows) - 1000))

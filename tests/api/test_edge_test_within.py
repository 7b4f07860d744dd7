"""`edge_test_within`: which of the paper's tests, on how many rows, and on which of them."""

import itertools

import numpy as np
import pytest

import edgewise as ew
from edgewise.api import edge_test_within as home
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.tables.open import as_table

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

N, P = 100_000, 4


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second whenever it is looked at."""
    seconds = itertools.count()
    monkeypatch.setattr(home, "_clock", lambda: float(next(seconds)))


@pytest.fixture
def only_trace(monkeypatch):
    """As if trying "eig" took too long."""
    monkeypatch.setattr(home, "solver_seconds", lambda n, p, in_memory: {"full": np.inf})


@pytest.fixture(scope="module")
def many():
    return np.random.default_rng(0).standard_normal((N, P)) @ np.tri(P).T


@pytest.fixture
def read_back(require, tmp_path, many):
    """The same rows as an array, a frame, and files of several row groups."""
    pd, pq = require("pandas"), require("pyarrow.parquet")
    pa = require("pyarrow")
    frame = pd.DataFrame(many, columns=list("abcd"))
    np.save(tmp_path / "x.npy", many)
    pq.write_table(pa.table(frame), tmp_path / "x.parquet", row_group_size=3000)
    return many, frame, tmp_path / "x.npy", tmp_path / "x.parquet"


def test_with_time_enough_it_is_the_ordinary_test_of_all_rows(many, clock):
    result = ew.edge_test_within(many, 1e9, alpha=0.01, given="x1", min_effect=0.1)
    expected = ew.edge_test(many, method=result.method, alpha=0.01, given="x1", min_effect=0.1)
    for name in ("precision", "threshold", "log_pvalue", "reject"):
        np.testing.assert_allclose(getattr(result, name), getattr(expected, name), rtol=1e-9)
    assert result.n_samples == result.options["rows_available"] == N
    assert (result.options["sampling"], result.options["seconds"]) == ("all rows", 1e9)
    assert result.method == "eig"  # on the same rows its threshold is smaller


def test_trace_is_repeated_on_samples_that_grow(many, clock, only_trace):
    used = [ew.edge_test_within(many, seconds).n_samples for seconds in (1, 11, 1e9)]
    assert used[0] == 2048 < used[1] < used[2] == N
    result = ew.edge_test_within(many, 11)
    assert result.method == "trace"
    assert result.options["sampling"].startswith(f"{result.n_samples:,} of {N:,} rows, in ")


def test_eig_is_repeated_on_samples_that_grow(many, clock):
    used = [ew.edge_test_within(many, seconds).n_samples for seconds in (1, 14, 1e9)]
    assert used[0] == 2048 < used[1] < used[2] == N
    assert ew.edge_test_within(many, 14).method == "eig"


def test_the_threshold_at_affordable_rows_decides(many, monkeypatch):
    """The radius of "trace" is larger on the same rows, and wins with sufficiently more of them."""
    sample = home._Sample(as_table(many), 64)
    rows = sample.first(2048)
    monkeypatch.setattr(home, "_clock", lambda: 0.0)
    trace, eig = (
        home._tried(method, rows, sample, 0.0) for method in (ew.methods.Trace(), ew.methods.Eig())
    )
    trace, eig = (trial._replace(fixed=0.0, per_row=1e-4) for trial in (trace, eig))
    radii = [trial.threshold(0.05, 1.0, N)[1] for trial in (trace, eig)]
    assert radii[1] < radii[0]
    ratio = (radii[0] / radii[1]) ** 2
    for dearer, wins in ((0.9 * ratio, eig), (1.1 * ratio, trace)):
        dear = eig._replace(per_row=1e-4 * dearer)
        best = min((trace, dear), key=lambda trial: trial.threshold(0.05, 1.0, N))
        assert best.method == wins.method


def test_any_first_blocks_are_spread_evenly_and_all_are_every_row_once(read_back, many):
    for data in read_back:
        sample = home._Sample(as_table(data), 250)
        places = np.concatenate([np.arange(a, a + k) for a, k in _read(sample)])
        np.testing.assert_array_equal(np.sort(places), np.arange(N))
        np.testing.assert_array_equal(sample.first(N), many[places])
        count = len(sample.read)
        for k in {1, count // 5, count // 2} - {0}:
            starts = np.sort([start for start, _ in sample.read[:k]])
            gaps = np.diff([*starts, starts[0] + N])
            assert gaps.max() <= 3 * max(N / k, N / count) * 1.1, (type(data), k)


def _read(sample):
    list(sample.blocks())
    return sample.read


def test_every_kind_of_data(read_back, many, clock, only_trace):
    for data in read_back:
        result = ew.edge_test_within(data, 40)
        assert 2048 <= result.n_samples <= N, data
        np.testing.assert_allclose(result.covariance, np.cov(many.T), atol=0.2)
    chosen = ew.edge_test_within(read_back[1], 40, columns=["c", "a"])
    assert chosen.feature_names == ("c", "a")
    assert len(ew.edge_test_within(read_back[-1], 40).files) == 1


def test_a_caution_names_the_row_of_the_whole_table(many, clock, only_trace):
    far = many.copy()
    far[70_000, 2] = 1e4
    assert any("70,001" in caution for caution in ew.edge_test_within(far, 1e9).cautions)


def test_a_column_that_few_rows_hide(clock):
    rows = np.random.default_rng(0).standard_normal((20_000, 3))
    last = home._Sample(as_table(rows), 64)._sections[-1][0]
    rows[:, 2] *= np.arange(20_000) == last
    assert ew.edge_test_within(rows, 1).n_samples > 2048
    rows[:, 2] = 1.0
    with pytest.raises(DataError, match="x2"):
        ew.edge_test_within(rows, 1)


def test_what_it_cannot_read(rows, write_csv, refuses, tmp_path):
    holes = rows.copy()
    holes[3, 1] = np.nan
    refuses(lambda: ew.edge_test_within(holes, 1), NonFiniteError, "'x1' (1)")
    sentence = ["expected complete rows in memory", "edge_test(data, method='trace')"]
    for data in (
        write_csv(tmp_path / "x.csv", "abcd", rows),
        iter([rows]),
        ew.states.Moments().update(rows),
        as_table(rows, weights=np.ones(len(rows))),
        as_table(rows, clusters=np.arange(len(rows))),
        as_table(rows, missing="drop"),
        as_table(rows, transform="normal-scores"),
    ):
        refuses(lambda data=data: ew.edge_test_within(data, 1), ParameterError, *sentence)
    refuses(lambda: ew.edge_test_within(rows, 0), ParameterError, "seconds: ", "above 0")
    refuses(lambda: ew.edge_test_within(rows, 1, given="z"), DataError, "no column 'z'")
    refuses(lambda: ew.edge_test_within(rows[:3], 1), DataError, "got 3 rows")

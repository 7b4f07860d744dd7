"""The arithmetic of the section on clusters: sizes of states, best times, what is extrapolated."""

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest
from benchmarks import cluster, peak, spark_run, wire
from pyarrow import parquet

P = 14


@pytest.mark.parametrize("sending", wire.SENDINGS, ids=lambda sending: sending.kind)
@pytest.mark.filterwarnings("ignore::edgewise.EdgewiseWarning")
def test_states_have_the_bytes_that_the_formulas_say(sending):
    # With fewer rows `score` gathers them, and sums every pair by itself.
    rows = 12_000 if sending.method == "score" else wire.ROWS
    X = np.random.default_rng(0).standard_normal((rows, P))
    beyond = wire.weigh(X, sending).state - sending.times * wire.STATE_BYTES[sending.kind](P)
    # The first pass brings a glance at the first rows too: 1024 of them.
    glance = 0 if "pass" in sending.kind else 8 * P * (1024 + 8) + 600
    # What pickle adds to the numbers: names of classes, shapes.
    assert 0 <= beyond < 600 + glance


@pytest.mark.parametrize(("method", "matrices"), [("wald", 1), ("score", 2)])
def test_a_pass_takes_matrices_with_it_and_no_rows(method, matrices):
    """The map to the residuals, and for `score` the partial correlations."""
    X = np.random.default_rng(0).standard_normal((12_000, P))
    sending = next(sending for sending in wire.SENDINGS if sending.method == method)
    carried = wire.weigh(X, sending).carried
    assert matrices * 8 * P**2 < carried < matrices * 8 * (P + 2) ** 2 + 600


def test_rows_are_spread_over_files_of_even_length(tmp_path):
    paths = cluster.write_rows(tmp_path / "rows", 1003, 3, 4)
    tables = [parquet.read_table(path) for path in paths]
    assert [table.num_rows for table in tables] == [250, 251, 251, 251]
    assert {tuple(table.column_names) for table in tables} == {("x0", "x1", "x2")}
    assert tables[0]["x0"][0] != tables[1]["x0"][0]


def test_rounds_take_every_way_in_turn():
    ticks = itertools.count()
    called = []
    ways = {1: lambda: called.append(1), 2: lambda: called.append(2)}
    rounds = cluster.timed_rounds(ways, 3, clock=lambda: float(next(ticks)))
    assert called == [1, 2] * 3
    assert rounds == [{1: 1.0, 2: 1.0}] * 3


def test_the_speedup_is_best_against_best():
    rounds = [{1: 10.0, 2: 8.0, 0: 7.0}, {1: 12.0, 2: 5.0, 0: 6.0}]
    line = cluster.speedup_line("group", "score", rounds)
    assert line.value == 2.0
    assert (line.low, line.high) == (1.25, 2.4)
    assert line.met is True
    assert line.beside["local engine, s"] == 6.0


def test_extrapolation_is_rows_times_price():
    costs = [
        cluster.RowCost("accumulate", 14, 1, 36e-9),
        cluster.RowCost("score", 14, 2, 72e-9),
        cluster.RowCost("score", 500, 2, 1.0),
    ]
    once, twice = (line.beside for line in cluster.extrapolated(costs, 10**12, 14))
    assert (once["core-hours"], twice["core-hours"]) == pytest.approx((10, 20))
    assert (once["TB read"], twice["TB read"]) == (112, 224)
    assert once["partitions"] == 112_000
    # One state moves in a merge: p² + 5p + 1 numbers in one pass, p² + 2p and 9p² in two.
    assert once["all merges, GB"] == pytest.approx(111_999 * 8 * 267 / 1e9)
    assert twice["all merges, GB"] == pytest.approx(111_999 * 8 * (224 + 1764) / 1e9)


def test_a_row_costs_something_in_either_way(tmp_path, require):
    require("dask")
    costs = cluster.row_costs(tmp_path, 6000, 1, columns=(3,))
    assert [(cost.call, cost.passes) for cost in costs] == [("accumulate", 1), ("score", 2)]
    assert all(0 < cost.seconds < 1 for cost in costs)
    assert cluster.cost_lines(costs)[1].beside["passes"] == 2


def test_spark_tells_its_numbers_or_why_there_are_none(monkeypatch):
    done = subprocess.CompletedProcess((), 0, stdout="noise\n1.5 3.0 1000000 2000\n", stderr="")
    monkeypatch.setattr(cluster.subprocess, "run", lambda *_, **__: done)
    found = {line.name: line.value for line in cluster.spark_lines(["a.parquet"], 10)}
    assert (found["accumulate, s"], found["score, s"]) == (1.5, 3.0)
    assert found["peak resident MB of the JVM"] == 1024
    done = subprocess.CompletedProcess((), 1, stdout="", stderr="Traceback\nno Java\n")
    (line,) = cluster.spark_lines(["a.parquet"], 10)
    assert line.value is None
    assert line.beside == {"why": "no Java"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
def test_peaks_are_read_from_linux():
    assert peak.peak_kilobytes() > 10_000
    assert spark_run.largest_worker(-1) == 0

"""What a mistyped word was meant to be."""

from __future__ import annotations

import pytest

from edgewise.cli.guesses import did_you_mean


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["tset"], "test"),
        (["Compare"], "compare"),
        (["acumulate"], "accumulate"),
        (["test", "rows.csv", "--metod", "score"], "--method"),
        (["test", "rows.csv", "--min-efect", "0.1"], "--min-effect"),
        (["test", "rows.csv", "--method", "scor"], "score"),
        (["test", "rows.csv", "--method", "SCORE"], "score"),
        (["test", "rows.csv", "--correction", "bonferoni"], "bonferroni"),
        (["test", "rows.csv", "--plot", "x.png", "--plot-kind", "heat-map"], "heatmap"),
        (["diff", "rows.csv", "rows.csv", "--method", "elliptcal"], "elliptical"),
        (["pair", "rows.csv", "a", "b", "--method", "fischer"], "fisher"),
        (["simulate", "-o", "x.csv", "--distribution", "gausian"], "gaussian"),
        (["completion", "bsh"], "bash"),
    ],
    ids=" ".join,
)
def test_words(run_main, csv_file, arguments, meant):
    out, err = run_main(*arguments, status=2)
    assert out == ""
    last = err.splitlines()[-1]
    assert f"Did you mean '{meant}'?" in last or f"Did you mean one of: '{meant}'" in last


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "rows.csv", "--columns", "alpha,bets"],
        ["test", "rows.csv", "--exclude", "bets"],
        ["test", "rows.csv", "--given", "bets"],
        ["pair", "rows.csv", "alpha", "bets"],
        ["pair", "rows.csv", "alpha", "gamma", "--given", "bets"],
        ["diff", "rows.csv", "--by", "bets"],
        ["test", "rows.csv", "--groups", "bets"],
    ],
    ids=" ".join,
)
def test_columns(run_main, tmp_path, rows, write_csv, arguments):
    write_csv(tmp_path / "rows.csv", ["alpha", "beta", "gamma", "delta"], rows)
    out, err = run_main(*arguments, status=1)
    assert out == ""
    (line,) = err.splitlines()
    assert "did you mean 'beta'?" in line


def test_nothing_near():
    assert did_you_mean("xyzzy", ["test", "pair"]) == ""

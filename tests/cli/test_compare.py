"""`edgewise compare`: every method on the same rows."""

from __future__ import annotations

import numpy as np

from edgewise.methods.registry import METHODS


def test_every_method_has_its_line(run_edgewise, csv_file):
    done = run_edgewise("compare", csv_file, "--alpha", "0.01", "--correction", "bh")
    lines = [line for line in done.stdout.splitlines() if line.startswith("│ ")]
    assert {line.split()[1].rstrip(",") for line in lines} == set(METHODS)
    shown = {line.split()[1]: line for line in lines}
    assert "Gaussian data only" in shown["fisher"]
    assert "needs" in shown["trace"]
    assert "rows" in shown["trace"]
    assert done.stdout.splitlines()[-4].startswith("Use method ")
    again = f"  edgewise test {csv_file} --alpha 0.01 --correction bh"
    assert done.stdout.splitlines()[-2:] == ["Next, test with method 'score':", again]
    assert done.stderr == ""


def test_a_level_that_one_method_refuses_is_that_methods_line(run_edgewise, csv_file):
    done = run_edgewise("compare", csv_file, "--alpha", "0.3", "--columns", "a,b,c")
    assert "0.2151" in done.stdout
    assert "score" in done.stdout


def test_missing_values(run_edgewise, tmp_path, rows, write_csv):
    X = rows.copy()
    X[[5, 6], 1] = np.nan
    path = write_csv(tmp_path / "gaps.csv", "abcd", X)
    refused = run_edgewise("compare", path, status=1)
    assert refused.stdout == ""
    assert "'b' (2)" in refused.stderr
    assert "--missing drop" in refused.stderr
    dropped = run_edgewise("compare", path, "--missing", "drop")
    assert "left out 2 rows" in dropped.stderr
    assert "score" in dropped.stdout


def test_what_no_method_can_do_is_one_sentence(run_edgewise, csv_file):
    done = run_edgewise("compare", csv_file, "--alpha", "2", status=2)
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "edgewise: alpha: expected a number between 0 and 1, got 2.0. 0.05 is usual."
    ]
    done = run_edgewise("compare", csv_file, "--columns", "a", status=1)
    assert "minimum of 2" in done.stderr


def test_more_columns_than_rows(run_edgewise, tmp_path, write_csv):
    """One method has a result, all others one sentence between them, and the advice names it."""
    X = np.random.default_rng(0).standard_normal((30, 40))
    path = write_csv(tmp_path / "wide.csv", [f"g{i}" for i in range(40)], X)
    done = run_edgewise("compare", path)
    lines = done.stdout.splitlines()
    refusals = [line for line in lines if "more rows than columns" in line]
    assert len(refusals) == 1
    assert refusals[0].startswith("score, wald, batch, kendall, kendall, bound and ")
    assert lines[-4].startswith("Use method 'nodewise', which assumes a sparse graph")
    assert lines[-1] == f"  edgewise test {path} --method nodewise"
    assert done.stderr == ""

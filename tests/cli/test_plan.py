"""`edgewise plan`: rows needed, per method."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.methods.registry import METHODS


def test_every_method_says_how_many_rows(run_edgewise, table_of, csv_file, rows):
    done = run_edgewise("plan", csv_file, "--effect", "0.2", "--power", "0.9", "--alpha", "0.01")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    start = "To find a partial correlation of 0.2 (power 0.9, alpha 0.01"
    assert done.stdout.startswith(start)
    shown = table_of(done.stdout)
    assert list(shown) == list(METHODS)
    for name, (guarantee, finds, typical, hardest) in shown.items():
        question = {"power": 0.9, "alpha": 0.01, "method": name}
        plan = ew.plan_sample_size(rows, effect=0.2, **question)
        assert guarantee == METHODS[name].guarantee
        assert typical == f"{plan.n_samples:,}"
        assert hardest == f"{int(np.nanmax(plan.pairs)):,}"
        effect = ew.detectable_effect(rows, **question)
        assert finds == ("none" if np.isnan(effect) else f"{effect:.3f}")
    missing = ew.plan_sample_size(rows, effect=0.2, power=0.9, alpha=0.01).n_samples - 400
    assert f"\nNext, collect {missing:,} more rows, or" in done.stdout


def test_without_an_effect_it_says_what_the_rows_find(run_edgewise, table_of, csv_file, rows):
    done = run_edgewise("plan", csv_file)
    start = "Partial correlations that 400 rows find (power 0.8, alpha 0.05, all pairs corrected"
    assert done.stdout.startswith(start)
    effect = ew.detectable_effect(rows)
    assert table_of(done.stdout)["score"] == [METHODS["score"].guarantee, f"{effect:.3f}"]
    own = f"Your 400 rows find a partial correlation of {effect:.3f} with power 0.8 (score, Holm "
    assert f"{own}over 6 pairs)." in done.stdout
    assert done.stdout.endswith(f"edgewise plan {csv_file} --effect {effect / 2:.2g}\n")


def test_columns_and_missing_values(run_edgewise, table_of, tmp_path, rows, write_csv):
    X = np.tile(rows, (3, 1))
    X[5, 1] = np.nan
    path = write_csv(tmp_path / "gaps.csv", "abcd", X)
    refused = run_edgewise("plan", path, "--effect", "0.2", status=1)
    assert refused.stdout == ""
    (line,) = refused.stderr.splitlines()
    assert "'b' (1)" in line
    assert "--missing drop" in line
    shown = table_of(run_edgewise("plan", path, "--effect", "0.2", "--columns", "a,c,d").stdout)
    expected = ew.plan_sample_size(X[:, [0, 2, 3]], effect=0.2)
    assert shown["score"][2] == f"{expected.n_samples:,}"
    dropped = run_edgewise("plan", path, "--missing", "drop")
    assert "left out 1 row with" in dropped.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["--effect", "0.1"], 2, ["Missing argument 'DATA"]),
        (["rows.csv", "--effect", "1"], 2, ["effect", "between 0 and 1", "got 1.0"]),
        (["rows.csv", "--effect", "0.1", "--power", "1"], 2, ["power", "between 0 and 1"]),
        (["rows.csv", "--effect", "0.1", "--columns", "a"], 1, ["minimum of 2"]),
        (["no.csv", "--effect", "0.1"], 1, ["no.csv"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_planned(run_edgewise, csv_file, arguments, status, fragments):
    done = run_edgewise("plan", *arguments, cwd=csv_file.parent, status=status)
    assert done.stdout == ""
    for fragment in fragments:
        assert fragment in done.stderr


def test_more_columns_than_rows_are_planned_by_simulation(run_edgewise, tmp_path, write_csv):
    X = np.random.default_rng(0).standard_normal((40, 50))
    path = write_csv(tmp_path / "wide.csv", [f"g{i}" for i in range(50)], X)
    done = run_edgewise("plan", path, "--effect", "0.4")
    assert "all pairs corrected for" in done.stdout
    assert "nodewise: by simulation from the residuals of DATA" in done.stdout
    assert done.stdout.count("more rows than columns") == 1

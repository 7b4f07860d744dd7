"""`edgewise compare`: every method on the same rows, and on shuffled columns."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.api.compare_methods import all_variants

NO_DEPENDENCE = (
    "Shuffling also breaks any dependence between rows, so this table says nothing about it."
)


def test_every_method_has_its_line(run_main, table_of, tmp_path, csv_file, rows):
    asked = ("--alpha", "0.3", "--correction", "bh")
    out, err = run_main("compare", "rows.csv", *asked, "--columns", "a,b,c", "--plot", "x.svg")
    assert err == ""
    assert (tmp_path / "x.svg").read_bytes().startswith(b"<?xml")
    shown = table_of(out)
    assert list(shown) == [label for label, _ in all_variants()]
    score = ew.edge_test(rows[:, :3], alpha=0.3, correction="bh")
    batch = ew.edge_test(rows[:, :3], alpha=0.3, correction="bh", method="batch")
    assert shown["batch"][3] == str(batch.n_edges)
    both = np.count_nonzero(batch.reject & score.reject) // 2
    assert shown["batch"][4] == f"{both}/{score.n_edges}"
    # A level that one method refuses is that method's line.
    assert shown["trace (paper)"][1:] == ["–"] * 5
    assert "0.2151" in out
    again = "edgewise test rows.csv --columns a,b,c --alpha 0.3 --correction bh"
    assert out.splitlines()[-1] == f"Next, test with method 'score': {again}"


def test_advice_on_real_data(run_main, tmp_path, require):
    require("pyarrow.parquet").write_table(ew.datasets.load_sachs(), tmp_path / "x.parquet")
    out, _ = run_main("compare", "x.parquet")
    advice, step = [line for line in out.splitlines() if "'batch'" in line]
    assert advice.startswith("Use method 'batch': rows depend on the rows before them")
    assert step == "Next, test with method 'batch': edgewise test x.parquet --method batch"


def test_more_columns_than_rows(run_main, tmp_path):
    """One method has a result, all others one sentence between them, and the advice names it."""
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).standard_normal((30, 40)))
    out, err = run_main("compare", "wide.npy")
    (refusal,) = [line for line in out.splitlines() if "more rows than columns" in line]
    assert refusal.startswith("score, wald, batch, kendall, kendall, bound and ")
    assert "\nUse method 'nodewise', which assumes a sparse graph" in out
    assert err == ""


def test_null_is_what_python_says(run_main, table_of, csv_file, rows):
    asked = ("--null", "--shuffles", "10", "--alpha", "0.2", "--seed", "3", "--columns", "a,b,c")
    out, err = run_main("compare", csv_file, *asked)
    assert err == ""
    lines = ew.check_null(rows[:, :3], n_shuffles=10, alpha=0.2, random_state=3)
    shown = table_of(out)
    assert list(shown) == [line.label for line in lines]
    for line in lines:
        guarantee, found, share, band, seconds = shown[line.label]
        assert guarantee == line.guarantee
        assert found == f"{line.n_with_edges}/10"
        assert share == f"{100 * line.share:.3g} %"
        assert band == " to ".join(f"{100 * end:.3g} %" for end in line.band)
        assert float(seconds) > 0
    told, _, step = out.partition("\n\n")
    assert step.startswith(
        "Next, test with method 'score', which kept its promise:\n  edgewise test"
    )
    title, *_, promise, dependence = told.splitlines()
    assert title.strip() == "10 shuffles of 400 rows, without any edges"
    above = ", ".join(line.label for line in lines if line.band[0] > 0.2) or "none"
    assert promise.endswith(f"at most 20 % of the shuffles. Clearly more often: {above}.")
    assert dependence == NO_DEPENDENCE


def test_null_of_long_data_without_a_correction(run_main, tmp_path):
    np.save(tmp_path / "long.npy", np.random.default_rng(3).standard_normal((25_000, 3)))
    asked = ("--null", "--shuffles", 1, "--correction", "none")
    out, err = run_main("compare", "long.npy", *asked)
    assert err == "edgewise: shuffled an even sample of 8,334 of the 25,000 rows.\n"
    assert "1 shuffle of 8,334 rows" in out
    assert "keeps its promise" not in out
    assert "alpha is promised for each pair" in out
    assert out.splitlines()[-1].endswith("edgewise compare long.npy --correction none")


def test_shuffles_that_cannot_be_tested(run_main, table_of, tmp_path):
    X = np.random.default_rng(4).standard_normal((40, 3))
    X[:, :2] = 0
    X[0, :2] = 1
    np.save(tmp_path / "twice.npy", X)
    out, _ = run_main("compare", "twice.npy", "--null", "--shuffles", 60)
    n = ew.check_null(X, n_shuffles=60, methods=["fisher"])[0].n_failed
    assert f"\nfisher: failed in {n} of 60 shuffles, first because: X: column 'x1'" in out
    assert table_of(out)["fisher"][1].endswith(f"/{60 - n}")


@pytest.mark.parametrize("null", [(), ("--null", "--shuffles", "1")])
def test_missing_values(run_main, refused, tmp_path, rows, write_csv, null):
    X = rows[:, :3].copy()
    X[[5, 6], 1] = np.nan
    path = write_csv(tmp_path / "gaps.csv", "abc", X)
    line = refused("compare", path, *null, status=1)
    assert "'b' (2)" in line
    assert "--missing drop" in line
    _, err = run_main("compare", path, *null, "--missing", "drop")
    assert err == "edgewise: left out 2 rows with missing or infinite values.\n"


def test_refusals(refused, csv_file):
    for arguments, status, sentence in (
        (["--alpha", "2"], 2, "alpha: expected a number between 0 and 1, got 2.0. 0.05 is usual."),
        (["--columns", "a"], 1, "minimum of 2"),
        (["--plot", "-"], 2, "name a file that ends in .png, .svg or .pdf"),
        (["--null", "--shuffles", "0"], 2, "shuffles: expected a whole number from 1 on, got 0."),
        (["--null", "--seed", "-1"], 2, "seed: expected a whole number from 0 on, got -1."),
        (["--null", "--alpha", "2"], 2, "alpha: expected a number between 0 and 1, got 2.0."),
        (["--null", "--plot", "a.png"], 2, "--plot draws thresholds, and --null has none"),
        (["--null", "--missing", "pairwise"], 2, "with shuffled columns"),
        (["--null", "--transform", "normal-scores"], 2, "leave --transform out"),
        (["--shuffles", "5"], 2, "--shuffles and --seed are options of --null; add --null."),
        (["--seed", "5"], 2, "--shuffles and --seed are options of --null; add --null."),
        (["--null", "--columns", "a"], 1, "minimum of 2"),
    ):
        assert sentence in refused("compare", "rows.csv", *arguments, status=status)

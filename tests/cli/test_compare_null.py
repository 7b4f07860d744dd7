"""`edgewise compare --null`: every per-edge method on shuffled columns."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew

NO_DEPENDENCE = (
    "Shuffling also breaks any dependence between rows, so this table says nothing about it."
)


def cells(out):
    lines = [line for line in out.splitlines() if line.startswith("│ ")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


@pytest.fixture
def gaussian_file(tmp_path, write_csv):
    X = np.random.default_rng(1).standard_normal((300, 4)).cumsum(axis=1)
    return write_csv(tmp_path / "gaussian.csv", "abcd", X)


def test_what_python_says(run_edgewise, csv_file, rows):
    done = run_edgewise("compare", csv_file, "--null", "--shuffles", "30", "--alpha", "0.2")
    assert done.stderr == ""
    lines = ew.compare_null(rows, n_shuffles=30, alpha=0.2)
    shown = cells(done.stdout)
    assert len(shown) == len(lines)
    for line, (label, guarantee, found, share, band, seconds) in zip(lines, shown, strict=True):
        assert (label, guarantee) == (line.label, line.guarantee)
        assert found == f"{line.n_with_edges}/30"
        assert share == f"{100 * line.share:.3g} %"
        assert band == " to ".join(f"{100 * end:.3g} %" for end in line.band)
        assert float(seconds) > 0
    told, _, step = done.stdout.partition("\n\n")
    assert step.startswith("Next, test with method 'score'")
    title, *_, promise, dependence = told.splitlines()
    assert title.strip() == "30 shuffles of 400 rows, without any edges"
    assert "at most 20 % of the shuffles" in promise
    assert dependence == NO_DEPENDENCE


def test_the_seed(run_main, gaussian_file):
    def found(seed):
        asked = ("--null", "--shuffles", 20, "--alpha", 0.3, "--seed", seed)
        return [line[2] for line in cells(run_main("compare", gaussian_file, *asked)[0])]

    assert found(3) == found(3)
    assert len({tuple(found(seed)) for seed in range(5)}) > 1


def test_columns_that_make_methods_break_their_promise(run_main, tmp_path):
    X = (np.random.default_rng(2).random((1000, 6)) < 0.005).astype(float)
    np.save(tmp_path / "rare.npy", X)
    out, _ = run_main("compare", "rare.npy", "--null", "--shuffles", 40)
    named = out.partition("\n\n")[0].splitlines()[-2].partition("Clearly more often: ")[2]
    above = [line.label for line in ew.compare_null(X, n_shuffles=40) if line.band[0] > 0.05]
    assert "fisher" in above
    assert named == f"{', '.join(above)}."


def test_columns_that_do_not(run_main, gaussian_file):
    out, _ = run_main("compare", gaussian_file, "--null", "--shuffles", 20)
    assert out.partition("\n\n")[0].splitlines()[-2].endswith("Clearly more often: none.")


def test_without_a_correction_nothing_is_promised_for_all_pairs(run_main, gaussian_file):
    out, _ = run_main("compare", gaussian_file, "--null", "--shuffles", 5, "--correction", "none")
    assert "keeps its promise" not in out
    assert "alpha is promised for each pair" in out.partition("\n\n")[0].splitlines()[-2]


def test_long_data_are_sampled_and_that_is_said(run_main, tmp_path):
    np.save(tmp_path / "long.npy", np.random.default_rng(3).standard_normal((25_000, 3)))
    out, err = run_main("compare", "long.npy", "--null", "--shuffles", 2)
    assert err == "edgewise: shuffled an even sample of 8,334 of the 25,000 rows.\n"
    assert "2 shuffles of 8,334 rows" in out


def test_missing_values(run_main, tmp_path, rows, write_csv):
    X = rows.copy()
    X[[5, 6], 1] = np.nan
    path = write_csv(tmp_path / "gaps.csv", "abcd", X)
    out, err = run_main("compare", path, "--null", status=1)
    assert out == ""
    assert "'b' (2)" in err
    assert "--missing drop" in err
    out, err = run_main("compare", path, "--null", "--drop-missing", "--shuffles", 1)
    assert err == "edgewise: left out 2 rows with missing or infinite values.\n"
    assert "1 shuffle of 398 rows" in out


def test_shuffles_that_cannot_be_tested(run_main, tmp_path):
    X = np.random.default_rng(4).standard_normal((40, 3))
    X[:, :2] = 0
    X[0, :2] = 1
    np.save(tmp_path / "twice.npy", X)
    out, _ = run_main("compare", "twice.npy", "--null", "--shuffles", 60)
    (said,) = [line for line in out.splitlines() if line.startswith("fisher: ")]
    n = ew.compare_null(X, n_shuffles=60, methods=["fisher"])[0].n_failed
    assert said.startswith(f"fisher: failed in {n} of 60 shuffles, first because: X: column 'x1'")
    assert next(line[2] for line in cells(out) if line[0] == "fisher").endswith(f"/{60 - n}")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--null", "--shuffles", "0"], 2, "shuffles: expected a whole number from 1 on, got 0."),
        (["--null", "--seed", "-1"], 2, "seed: expected a whole number from 0 on, got -1."),
        (["--null", "--alpha", "2"], 2, "alpha: expected a number between 0 and 1, got 2.0."),
        (["--null", "--plot", "a.png"], 2, "--plot draws thresholds, and --null has none"),
        (["--shuffles", "5"], 2, "--shuffles and --seed are options of --null; add --null."),
        (["--seed", "5"], 2, "--shuffles and --seed are options of --null; add --null."),
        (["--null", "--columns", "a"], 1, "minimum of 2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_sentence(run_main, csv_file, arguments, status, sentence):
    out, err = run_main("compare", csv_file, *arguments, status=status)
    assert out == ""
    assert sentence in err.splitlines()[-1]


def test_a_constant_column(run_main, tmp_path, rows):
    np.save(tmp_path / "constant.npy", rows * [1, 1, 0, 1])
    out, err = run_main("compare", "constant.npy", "--null", "--shuffles", 3, status=1)
    assert out == ""
    assert "constant column 'x2'" in err


def test_the_help_says_what_it_does_not_show(run_main):
    out, _ = run_main("compare", "--help")
    assert NO_DEPENDENCE in " ".join(out.split())

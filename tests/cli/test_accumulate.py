"""`edgewise accumulate`: the states of the library. `test_program.py` interrupts it."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew


@pytest.mark.parametrize("kind", ["batches", "moments", "products", "concordance"])
def test_is_that_of_the_library(run_main, csv_file, tmp_path, kind):
    number = () if kind in ("moments", "products") else ("--n-batches", "50")
    out, err = run_main("accumulate", csv_file, "-o", "x.ews", "--kind", kind, *number)
    assert out == "400 rows of 4 columns are in x.ews\n"
    assert err == ""
    n_batches = None if kind in ("moments", "products") else 50
    order = "all" if kind == "products" else 4
    expected = ew.accumulate(
        csv_file, order=order, n_batches=n_batches, concordance=kind == "concordance"
    )
    expected.save(tmp_path / "y.ews")
    assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()


def test_options(run_main, csv_file, tmp_path, rows, write_csv):
    other = write_csv(tmp_path / "other.csv", "abcd", -rows)
    run_main(
        *("accumulate", csv_file, other, "-o", "x.ews", "--n-batches", "7"),
        *("--exclude", "b", "--checkpoint-every", "9"),
    )
    state = ew.load_state(tmp_path / "x.ews")
    assert (state.n_samples, state.n_batches) == (800, 7)
    assert state.feature_names == ("a", "c", "d")
    assert not (tmp_path / "x.ews.checkpoint").exists()


def test_standard_streams(run_main, csv_file, tmp_path):
    run_main("accumulate", csv_file, "-o", "x.ews")
    _, err = run_main("accumulate", "-", "-o", "y.ews", input=csv_file.read_bytes())
    assert err == ""
    assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()


def test_missing_values(run_main, refused, tmp_path, rows, write_csv):
    X = rows.copy()
    X[[3, 9], [0, 1]] = np.nan
    write_csv(tmp_path / "gaps.csv", "abcd", X)
    assert "'a' (1), 'b' (1)" in refused("accumulate", "gaps.csv", "-o", "x.ews", status=1)
    _, err = run_main("accumulate", "gaps.csv", "-o", "x.ews", "--missing", "drop")
    assert err == "edgewise: left out 2 rows with missing or infinite values.\n"
    assert ew.load_state(tmp_path / "x.ews").n_samples == 398


def test_refusals(run_main, refused, csv_file, tmp_path):
    (tmp_path / "none.csv").write_text("a,b\n")
    run_main("accumulate", csv_file, "-o", "rows.ews")
    for arguments, status, fragment in (
        (["none.csv", "-o", "x"], 1, "expected rows, got none"),
        (["rows.csv", "-o", "nowhere/x"], 1, "there is no folder '"),
        (["rows.ews", "-o", "x"], 1, "expected rows, got the state file 'rows.ews'"),
        (["-", "-o", "x", "--resume"], 1, "data: expected files with --checkpoint-every"),
        (["rows.csv", "-o", "-", "--resume"], 2, "keep a file beside the output; name a file"),
        (["rows.csv"], 2, "'--output'"),
        (["rows.csv", "-o", "x", "--kind", "sequence"], 2, "--kind: expected one of 'batches'"),
        (["rows.csv", "-o", "x", "--n-batches", "1"], 2, "--n-batches: expected a whole number"),
        (["rows.csv", "-o", "x", "--checkpoint-every", "-1"], 2, "expected a number above 0"),
        (["rows.csv", "-o", "x", "--weights", "a", "--kind", "moments"], 2, "leave out --kind"),
    ):
        text = csv_file.read_bytes() if arguments[0] == "-" else None
        assert fragment in refused("accumulate", *arguments, status=status, input=text)

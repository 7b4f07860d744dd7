"""`edgewise test --groups`: a column of labels in files, through the real program."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import edgewise as ew


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(4).permutation(400) % 25


@pytest.fixture
def files(tmp_path, rows, labels):
    """The same rows as CSV and as Parquet, with text labels."""
    names = [f"subject {label:02}" for label in labels]
    table = pa.table({"subject": names, **dict(zip("abcd", rows.T, strict=True))})
    lines = [",".join(table.column_names)]
    lines += [",".join(map(str, row.values())) for row in table.to_pylist()]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    parquet.write_table(table, tmp_path / "r.parquet", row_group_size=37)
    return tmp_path


@pytest.mark.parametrize(("name", "method"), [("r.csv", "score"), ("r.parquet", "wald")])
def test_files(run_edgewise, files, rows, labels, same_result, name, method):
    expected = ew.edge_test(rows, method=method, groups=labels, feature_names=list("abcd"))
    done = run_edgewise(
        *("test", name, "--groups", "subject", "--method", method, "--json", "r.json"), cwd=files
    )
    assert done.stdout.startswith(expected.headline())
    assert "in 25 groups" in done.stdout
    result = ew.EdgeTestResult.from_json(files / "r.json")
    same_result(result, expected)
    assert json.loads((files / "r.json").read_text())["options"] == {
        "groups": "subject",
        "n_groups": 25,
    }


def test_a_report(run_main, files):
    run_main("report", files / "r.csv", "--groups", "subject", "-o", "r.html")
    assert "400 in 25 groups" in (files / "r.html").read_text(encoding="utf-8")


def test_labels_left_out(run_main, files):
    text = (files / "r.csv").read_text().replace("subject 07", "", 1)
    (files / "gap.csv").write_text(text)
    _, error = run_main("test", files / "gap.csv", "--groups", "subject", status=1)
    assert "groups: expected a label for every row, got missing ones in column 'subject'" in error
    out, error = run_main("test", files / "gap.csv", "--groups", "subject", "--drop-missing")
    assert "399 rows in 25 groups" in out
    assert "1 row with missing values was left out." in error


@pytest.mark.parametrize(
    ("options", "status", "fragment"),
    [
        (("--groups", "subjct"), 1, "(did you mean 'subject'?)"),
        (("--groups", "subject", "--method", "batch"), 2, "expected with method 'score' or 'wald'"),
        (("--groups", "subject", "--budget", "1"), 2, "budget: expected without groups"),
        (("--groups", "a"), 1, "column 'subject' must hold numbers"),
    ],
)
def test_mistakes(run_main, files, options, status, fragment):
    _, error = run_main("test", files / "r.parquet", *options, status=status)
    assert fragment in error


def test_a_state_has_no_rows(run_main, files, rows):
    ew.BatchMoments().update(rows).save(files / "r.state")
    _, error = run_main("test", files / "r.state", "--groups", "subject", status=2)
    assert "--groups, --weights and --transform are about rows; a state has none left" in error


def test_few_groups_are_told(run_main, files, rows, labels):
    few = np.column_stack([labels % 10, rows])
    np.savetxt(files / "few.csv", few, delimiter=",", header="s,a,b,c,d", comments="")
    _, error = run_main("test", files / "few.csv", "--groups", "s")
    assert "caution: There are only 10 groups of rows" in error

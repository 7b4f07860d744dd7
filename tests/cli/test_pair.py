"""`edgewise pair`: one question, one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import edgewise as ew


def test_a_sentence_to_quote(run_edgewise, csv_file, rows):
    done = run_edgewise("pair", csv_file, "b", "a", "--given", "d, c")
    expected = ew.partial_test(rows, "b", "a", given=["d", "c"], feature_names=list("abcd"))
    assert done.stdout == expected.sentence() + "\n"
    assert done.stderr == ""
    assert " given d and c is " in done.stdout


def test_level_method_and_several_files(run_main, csv_file, rows, tmp_path, write_csv):
    other = write_csv(tmp_path / "other.csv", "abcd", -rows)
    out, _ = run_main("pair", csv_file, other, "a", "b", "--alpha", "0.01", "--method", "wald")
    twice = np.concatenate([rows, -rows])
    expected = ew.partial_test(twice, 0, 1, given=[], method="wald", feature_names=list("abcd"))
    assert out == expected.sentence(0.99) + "\n"
    assert "(99 % interval" in out


def test_json(run_main, csv_file, tmp_path, rows):
    out, _ = run_main("pair", csv_file, "a", "c", "--given", "b", "--json", "-")
    expected = ew.partial_test(csv_file, "a", "c", given="b")
    assert json.loads(out) == json.loads(expected.to_json())
    out, _ = run_main("pair", csv_file, "a", "c", "--given", "b", "--json", "answer.json")
    assert out == expected.sentence() + "\n"
    assert json.loads((tmp_path / "answer.json").read_text()) == json.loads(expected.to_json())


def test_cautions_go_to_standard_error(run_main, tmp_path, rows, write_csv):
    path = write_csv(tmp_path / "twice.csv", "abcd", np.repeat(rows, 4, axis=0))
    out, err = run_main("pair", path, "a", "b")
    assert out.startswith("The correlation of a and b is ")
    assert err.startswith("edgewise: caution: ")
    assert "depend" in err


def test_other_columns_do_not_matter(run_main, tmp_path, rows, write_csv):
    X = np.column_stack([np.full(400, "Monday", dtype=object), rows.astype(object)])
    X[5, 3] = ""
    path = write_csv(tmp_path / "mixed.csv", ["day", "a,1", "b", "c", "d"], X)
    out, err = run_main("pair", path, "a,1", "b", "--given", "d")
    assert "of a,1 and b given d is" in out
    assert err == ""
    _, err = run_main("pair", path, "a,1", "c", status=1)
    assert "--missing drop" in err
    out, err = run_main("pair", path, "a,1", "c", "--missing", "drop")
    assert "n = 399 rows" in out
    assert "left out 1 row" in err


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["a", "a"], 2, ["y: ", "'a' for both"]),
        (["a", "b", "--given", "c,b"], 2, ["given: ", "'b'", "which is y"]),
        (["a", "bb"], 1, ["y: ", "'bb'", "did you mean 'b'?", "'a', 'b', 'c', 'd'"]),
        (["a", "b", "--given", "cc"], 1, ["'cc'", "'c'"]),
        (["a", "b", "--method", "trace"], 2, ["method: ", "'trace'"]),
        (["a", "b", "--method", "nothing"], 2, ["'nothing'"]),
        (["a", "b", "--alpha", "1"], 2, ["alpha: "]),
        (["a", "b", "--json", "rows.csv"], 1, ["one of the inputs"]),
        (["a"], 2, ["expected DATA, X and Y, got only"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_asked(run_main, csv_file, arguments, status, fragments):
    out, err = run_main("pair", csv_file, *arguments, status=status)
    assert out == ""
    for fragment in fragments:
        assert fragment in err


def test_too_few_rows(run_main, tmp_path, rows, write_csv):
    path = write_csv(tmp_path / "few.csv", "abcd", rows[:4])
    _, err = run_main("pair", path, "a", "b", "--given", "c,d", status=1)
    assert "at least 5 rows" in err
    assert "got 4" in err

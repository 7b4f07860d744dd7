"""Files of the corpus through the real program, with the options that say how to read them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from tests.corpus.other_files import book

import edgewise as ew


@pytest.fixture(scope="module", name="X")
def some_rows():
    X = np.random.default_rng(12).standard_normal((60, 3)).round(4)
    X[:, 1] += X[:, 0]
    return X


@pytest.fixture(scope="module")
def expected(X):
    return json.loads(ew.edge_test(X, feature_names=list("abc")).to_json())


def text(X, sep=",", decimal=".", names="abc", end="\n"):
    lines = [sep.join(names)] if names else []
    lines += [sep.join(repr(value).replace(".", decimal) for value in row) for row in X.tolist()]
    return end.join([*lines, ""])


def with_column(X, cells, name, place=0):
    """CSV with one more column."""
    lines = [line.split(",") for line in text(X).splitlines()]
    for line, cell in zip(lines, [name, *cells], strict=True):
        line.insert(place, str(cell))
    return "\n".join(map(",".join, lines))


# The content of a file, what is said on the command line, and the names.
CASES = {
    "decimal": (lambda X: text(X, ";", ",").encode(), ["--decimal", ","], "abc"),
    "encoding": (
        lambda X: text(X).encode("utf-16-be"),
        ["--encoding", "utf-16-be"],
        "abc",
    ),
    "no header": (
        lambda X: text(X, names="").encode(),
        ["--no-header"],
        ("x0", "x1", "x2"),
    ),
    "index by name": (
        lambda X: with_column(X, range(60), "subject").encode(),
        ["--index-col", "subject"],
        "abc",
    ),
    "found out": (lambda X: text(X, ";", ",", end="\r\n").encode("utf-16"), [], "abc"),
}


def same(found, expected, names):
    assert found["feature_names"] == list(names)
    assert found["n_samples"] == expected["n_samples"]
    got, want = (np.hstack(one["measurement"]["statistic"]) for one in (found, expected))
    np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_the_program_reads_it(tmp_path, run_edgewise, X, expected, name):
    make, options, names = CASES[name]
    path = tmp_path / "x.csv"
    path.write_bytes(make(X))
    done = run_edgewise("test", path, *options, "--json", "-")
    same(json.loads(done.stdout), expected, names)


def test_missing_values_that_are_named(tmp_path, run_edgewise, X, expected):
    rows = [*text(X).splitlines(), "1.5,?,2.5", "-9.0,1,2"]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(rows))
    options = ["--na-values", "?", "--na-values", "-9", "--missing", "drop"]
    done = run_edgewise("test", path, *options, "--json", "-")
    same(json.loads(done.stdout), expected, "abc")
    said = run_edgewise("test", path, status=1).stderr
    assert "'?' in line 62" in said
    assert "--na-values" in said


def test_a_sheet(tmp_path, run_edgewise, X, expected):
    path = tmp_path / "x.xlsx"
    path.write_bytes(book({"s": [["z"], [1]], "t": [list("abc"), *X.tolist()]}))
    for sheet in ("t", "1"):
        done = run_edgewise("test", path, "--sheet", sheet, "--json", "-")
        same(json.loads(done.stdout), expected, "abc")
    said = run_edgewise("test", path, "--sheet", "u", status=1).stderr
    assert "has no sheet 'u'; it has 's', 't'" in said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/stdin")
def test_a_pipe_by_its_path(run_program, X):
    done = run_program(
        "test", "/dev/stdin", "--method", "fisher", "--json", "-", input=text(X, ";", ",")
    )
    found = json.loads(done.stdout)
    assert found["feature_names"] == list("abc")
    assert found["n_samples"] == 60

"""`--transform normal-scores`, through the real program."""

from __future__ import annotations

import pytest

import edgewise as ew

SCORES = ("--transform", "normal-scores")
SENTENCE = "those of the normal scores of the columns"


@pytest.fixture
def expected(rows):
    return ew.edge_test(rows, feature_names=list("abcd"), transform="normal-scores")


def test_the_program(run_edgewise, csv_file, expected, same_result):
    done = run_edgewise(
        *("test", csv_file.name, *SCORES, "--json", "r.json"),
        cwd=csv_file.parent,
    )
    assert " ".join(done.stdout.split()).startswith(expected.headline())
    same_result(ew.EdgeTestResult.from_json(csv_file.parent / "r.json"), expected)


def test_report(run_main, csv_file):
    out, _ = run_main("report", csv_file, *SCORES, "--compare", "-o", "r.html")
    assert "of normal scores" in out
    page = (csv_file.parent / "r.html").read_text(encoding="utf-8")
    assert SENTENCE in page
    assert "No result of" in page  # of the bounds


def test_compare(run_main, csv_file):
    out, _ = run_main("compare", csv_file, *SCORES)
    told = " ".join(out.split())
    assert SENTENCE in told
    assert told.count("not known for ranks") == 1


def test_plan(run_main, csv_file):
    out, _ = run_main("plan", csv_file, "--effect", "0.1", *SCORES)
    assert "To find a partial correlation of normal scores of 0.1" in " ".join(out.split())


def test_pair(run_main, csv_file):
    out, _ = run_main("pair", csv_file, "a", "b", *SCORES)
    assert "correlation of normal scores of a and b" in " ".join(out.split())


def test_diff(run_main, csv_file, write_csv, rows):
    write_csv(csv_file.parent / "half.csv", "abcd", rows[:150] ** 3)
    write_csv(csv_file.parent / "rest.csv", "abcd", rows[150:])
    out, _ = run_main("diff", "half.csv", "rest.csv", *SCORES)
    assert "of normal scores, differ between 'half'" in " ".join(out.split())


def test_refuses(run_main, csv_file):
    _, error = run_main("test", csv_file, "--transform", "normal-score", status=2)
    assert "did you mean" in error.lower()
    _, error = run_main("test", csv_file, *SCORES, "--method", "trace", status=2)
    assert "not known for ranks" in error
    _, error = run_main("test", csv_file, *SCORES, "--budget", "1", status=2)
    assert "budget: expected without transform" in error
    _, error = run_main("compare", csv_file, "--null", *SCORES, status=2)
    assert "leave --transform out" in error
    run_main("accumulate", csv_file, "-o", "r.state")
    _, error = run_main("test", "r.state", *SCORES, status=2)
    assert "a state has none left" in error
    _, error = run_main("accumulate", csv_file, "-o", "s.state", *SCORES, status=2)
    assert "--transform" in error

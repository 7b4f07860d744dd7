"""`--missing` and `--weights`, through the real program."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew

PAIRWISE = ("--missing", "pairwise")
NAMES = list("abcd")
DROPPED = "edgewise: left out 50 rows with missing or infinite values.\n"


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[:40, 1] = np.nan
    X[50:60, 2] = np.nan
    return X


@pytest.fixture(autouse=True)
def files(tmp_path, write_csv, rows, gaps, weights):
    """Rows with gaps, complete rows with weights, and with both."""
    write_csv(tmp_path / "gaps.csv", "abcd", gaps)
    write_csv(tmp_path / "weighted.csv", "abcdw", np.column_stack([rows, weights]))
    write_csv(tmp_path / "both.csv", "wabcd", np.column_stack([weights, gaps]))
    return tmp_path


@pytest.fixture
def asked(run_edgewise, files):
    """``asked("both.csv", "--weights", "w")``: the result, what was printed, and the notes."""

    def run(*arguments):
        done = run_edgewise("test", *arguments, "--json", "r.json", cwd=files)
        result = ew.EdgeTestResult.from_json(files / "r.json")
        return result, " ".join(done.stdout.split()), done.stderr

    return run


@pytest.mark.parametrize("method", ["score", "batch"])
def test_pairwise(asked, gaps, same_result, method):
    result, out, err = asked("gaps.csv", *PAIRWISE, "--method", method)
    expected = ew.edge_test(gaps, method=method, missing="pairwise", feature_names=NAMES)
    same_result(result, expected)
    np.testing.assert_array_equal(result.provenance.pair_rows, expected.provenance.pair_rows)
    assert out.startswith(expected.headline())
    assert (
        "edgewise: 50 values (3.1 %) are missing, most in b (40), c (10). Each pair rests on the "
        "rows that have both of its columns, 350 to 400.\n"
    ) in err


@pytest.mark.parametrize("method", ["score", "batch"])
def test_weights(asked, rows, gaps, weights, same_result, method):
    how = ("--weights", "w", "--method", method)
    assert asked("weighted.csv", *how, "--columns", "d,a")[0].feature_names == ("d", "a")
    result, out, err = asked("weighted.csv", *how)
    expected = ew.edge_test(rows, method=method, weights=weights, feature_names=NAMES)
    same_result(result, expected)
    assert "from 400 rows, weighted (method" in out
    size = expected.provenance.effective_rows
    assert f"column 'w': the effective sample size is {size:,.0f}." in err
    result, out, _ = asked("both.csv", *how, *PAIRWISE)
    options = {"weights": weights, "missing": "pairwise", "feature_names": NAMES}
    same_result(result, ew.edge_test(gaps, method=method, **options))
    assert "rows, weighted, some with missing values" in out


def test_other_commands(run_main, files):
    out, err = run_main("report", "gaps.csv", *PAIRWISE, "-o", "r.html", "--no-compare")
    assert "some with missing values" in " ".join(out.split())
    assert "50 values (3.1 %) are missing" in err
    assert "Missing values of each variable" in (files / "r.html").read_text(encoding="utf-8")
    out, _ = run_main("pair", "gaps.csv", "a", "b", "--given", "none", *PAIRWISE)
    expected = ew.partial_test(files / "gaps.csv", "a", "b", given=[], missing="pairwise")
    assert out == f"{expected.sentence()}\n"
    how = ("gaps.csv", "--missing", "drop", "-o", "x.ews")
    assert run_main("accumulate", *how) == ("350 rows of 4 columns are in x.ews\n", DROPPED)
    for how in ((), ("--missing", "drop")):
        out, err = run_main("plan", "gaps.csv", *how)
        assert f"Your {350 if how else 400} rows" in out
        assert err == (DROPPED if how else "")
        assert run_main("compare", "gaps.csv", *how)[1] == DROPPED


@pytest.mark.parametrize(
    ("arguments", "status", "fragment"),
    [
        ("test gaps.csv --method fisher", 1, "'b' (40), 'c' (10); drop those rows"),
        ("test gaps.csv --missing raise", 1, "--missing drop"),
        ("test gaps.csv --missing pair", 2, "did you mean 'pairwise'?"),
        ("test gaps.csv --missing pairwise --method fisher", 2, "'pairwise' is not supported"),
        ("test gaps.csv --missing pairwise --transform normal-scores", 2, "with transform"),
        ("test both.csv --missing pairwise --clusters w", 2, "with clusters"),
        ("diff gaps.csv gaps.csv --missing pairwise", 2, "with two groups"),
        ("compare gaps.csv --null --missing pairwise", 2, "with shuffled columns"),
        ("test weighted.csv --weights v", 1, "has no column 'v'"),
        ("test weighted.csv --weights w --columns a,w", 2, "expected a column that is not tested"),
        ("test weighted.csv --weights w --method trace", 2, "--weights: sampling weights are not"),
        ("test weighted.csv --weights w --clusters a", 2, "cannot be combined"),
        ("test weighted.csv --weights a", 1, "expected finite numbers of at least 0, got -"),
        ("accumulate gaps.csv -o x", 1, "'b' (40), 'c' (10)"),
        ("accumulate gaps.csv -o x --missing pairwise --kind moments", 2, "leave out --kind"),
    ],
)
def test_refused(refused, arguments, status, fragment):
    assert fragment in refused(*arguments.split(), status=status)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("gaps.csv", PAIRWISE),
        ("weighted.csv", ("--weights", "w")),
        ("both.csv", ("--weights", "w", *PAIRWISE)),
    ],
)
def test_a_state_then_its_test(run_main, files, asked, refused, same_result, name, how):
    run_main("accumulate", name, *how, "-o", "x.state")
    state = ew.load_state(files / "x.state")
    assert isinstance(state, ew.states.PairwiseMoments)
    assert state.feature_names == ("a", "b", "c", "d")
    same_result(asked("x.state")[0], asked(name, *how, "--method", "batch")[0])
    assert "--weights: a state has no rows left" in refused("test", "x.state", "--weights", "w")
    assert "got a state, which has no rows" in refused("test", "x.state", *PAIRWISE)

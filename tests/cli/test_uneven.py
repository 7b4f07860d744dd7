"""`--missing`, `--weights` and `--weight-kind`, through the real program."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew

PAIRWISE = ("--missing", "pairwise")
FREQUENCY = ("--weight-kind", "frequency")


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[:40, 1] = np.nan
    X[50:60, 2] = np.nan
    return X


@pytest.fixture
def files(tmp_path, write_csv, rows, gaps, weights, counts):
    """Rows with gaps, complete rows with weights, with both, and with numbers of copies."""
    write_csv(tmp_path / "gaps.csv", "abcd", gaps)
    write_csv(tmp_path / "weighted.csv", "abcdw", np.column_stack([rows, weights]))
    write_csv(tmp_path / "both.csv", "wabcd", np.column_stack([weights, gaps]))
    write_csv(tmp_path / "counted.csv", "abcdn", np.column_stack([rows, counts]))
    return tmp_path


@pytest.fixture
def asked(run_edgewise, files):
    """``asked("both.csv", "--weights", "w")``: the result, what was printed, and what was told."""

    def run(*arguments, command="test"):
        done = run_edgewise(command, *arguments, "--json", "r.json", cwd=files)
        result = ew.EdgeTestResult.from_json(files / "r.json")
        return result, " ".join(done.stdout.split()), done.stderr.splitlines()

    return run


@pytest.mark.usefixtures("files")
class TestMissing:
    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_pairwise(self, asked, gaps, same_result, method):
        result, out, err = asked("gaps.csv", *PAIRWISE, "--method", method)
        expected = ew.edge_test(gaps, method=method, missing="pairwise", feature_names=list("abcd"))
        same_result(result, expected)
        np.testing.assert_array_equal(result.provenance.pair_rows, expected.provenance.pair_rows)
        assert out.startswith(expected.headline())
        assert "some with missing values" in out
        sentence = (
            "edgewise: 50 values (3.1 %) are missing, most in b (40), c (10). Each pair rests on "
            "the rows that have both of its columns, 350 to 400."
        )
        assert sentence in err

    def test_drop(self, asked, gaps, same_result):
        result, _, err = asked("gaps.csv", "--missing", "drop")
        same_result(result, ew.edge_test(gaps, missing="drop", feature_names=list("abcd")))
        sentence = (
            "edgewise: 50 rows with missing values were left out; left out because of one column "
            "alone: b (40), c (10). With --missing pairwise (score, wald, batch) they would count."
        )
        assert sentence in err
        assert result.n_dropped == 50

    def test_raise(self, refused):
        for how in (("--method", "fisher"), ("--missing", "raise")):
            line = refused("test", "gaps.csv", *how, status=1)
            assert "'b' (40), 'c' (10); drop those rows" in line
            assert "--missing drop" in line

    def test_other_commands(self, run_main, files):
        out, err = run_main("report", "gaps.csv", *PAIRWISE, "-o", "r.html", "--no-compare")
        assert "some with missing values" in " ".join(out.split())
        assert "50 values (3.1 %) are missing" in err
        page = (files / "r.html").read_text(encoding="utf-8")
        assert "Missing values of each variable" in page
        assert page.count('class="bar"') == 2
        out, _ = run_main("pair", "gaps.csv", "a", "b", "--given", "none", *PAIRWISE)
        expected = ew.partial_test(files / "gaps.csv", "a", "b", given=[], missing="pairwise")
        assert " ".join(expected.sentence().split())[:60] in " ".join(out.split())
        dropped = "edgewise: left out 50 rows with missing or infinite values."
        for how in ((), ("--missing", "drop")):
            out, err = run_main("plan", "gaps.csv", *how)
            assert "Your 350 rows" in out
            assert err == f"{dropped}\n"
            out, err = run_main("compare", "gaps.csv", *how)
            assert "Use method" in out
            assert err == f"{dropped}\n"

    @pytest.mark.parametrize(
        ("arguments", "fragment"),
        [
            (("test", "gaps.csv", "--missing", "pair"), "did you mean 'pairwise'?"),
            (
                ("test", "gaps.csv", *PAIRWISE, "--method", "fisher"),
                "'pairwise' is not supported by method",
            ),
            (("test", "gaps.csv", *PAIRWISE, "--transform", "normal-scores"), "with transform"),
            (("test", "both.csv", *PAIRWISE, "--clusters", "w"), "with clusters"),
            (("plan", "gaps.csv", "--effect", "0.1", *PAIRWISE), "with a plan"),
            (("diff", "gaps.csv", "gaps.csv", *PAIRWISE), "with two groups"),
            (("compare", "gaps.csv", "--null", *PAIRWISE), "with shuffled columns"),
        ],
    )
    def test_refused(self, refused, arguments, fragment):
        assert fragment in refused(*arguments)

    def test_data_that_cannot_be_tested(self, refused, files, write_csv, rows):
        X = np.array(rows)
        X[::2, 1] = np.nan
        X[1::2, 3] = np.nan
        write_csv(files / "apart.csv", "abcd", X)
        line = refused("test", "apart.csv", *PAIRWISE, status=1)
        assert "got none for 'b' and 'd' (0 rows); leave one of them out (--exclude)" in line


@pytest.mark.usefixtures("files")
class TestWeights:
    @pytest.mark.parametrize("method", ["score", "wald", "batch"])
    def test_a_column(self, asked, rows, weights, same_result, method):
        result, out, err = asked("weighted.csv", "--weights", "w", "--method", method)
        expected = ew.edge_test(rows, method=method, weights=weights, feature_names=list("abcd"))
        same_result(result, expected)
        assert "from 400 rows, weighted (method" in out
        size = expected.provenance.effective_rows
        (line,) = [line for line in err if "weighted" in line]
        assert line.endswith(f"column 'w': the effective sample size is {size:,.0f}.")

    def test_with_missing_values(self, asked, gaps, weights, same_result):
        result, out, _ = asked("both.csv", "--weights", "w", *PAIRWISE)
        expected = ew.edge_test(
            gaps, weights=weights, missing="pairwise", feature_names=list("abcd")
        )
        same_result(result, expected)
        assert "rows, weighted, some with missing values" in out

    def test_frequency(self, asked, rows, counts, same_result):
        result, _, _ = asked("counted.csv", "--weights", "n", *FREQUENCY, "--method", "fisher")
        expected = ew.edge_test(np.repeat(rows, counts, axis=0), method="fisher")
        same_result(result, expected, names="abcd")

    def test_columns(self, asked):
        chosen, _, _ = asked("weighted.csv", "--weights", "w", "--columns", "d,a,b")
        assert chosen.feature_names == ("d", "a", "b")
        left, _, _ = asked("weighted.csv", "--weights", "w", "--exclude", "a")
        assert left.feature_names == ("b", "c", "d")

    @pytest.mark.parametrize(
        ("arguments", "status", "fragment"),
        [
            (("--weights", "v"), 1, "has no column 'v'"),
            (("--weights", "w", "--columns", "a,b,w"), 2, "expected a column that is not tested"),
            (
                ("--weights", "w", "--method", "trace"),
                2,
                "--weights: sampling weights are not supported by method",
            ),
            (("--weights", "w", "--clusters", "a"), 2, "expected without clusters"),
            (("--weights", "w", "--transform", "normal-scores"), 2, "without transform"),
            (("--weights", "a"), 1, "expected finite numbers of at least 0, got -"),
            (("--weights", "w", *FREQUENCY), 1, "expected whole numbers of rows"),
            (("--weights", "w", "--weight-kind", "often"), 2, "--weight-kind"),
        ],
    )
    def test_refused(self, refused, arguments, status, fragment):
        assert fragment in refused("test", "weighted.csv", *arguments, status=status)


class TestStates:
    @pytest.mark.parametrize(
        ("name", "how"),
        [
            ("gaps.csv", PAIRWISE),
            ("weighted.csv", ("--weights", "w")),
            ("both.csv", ("--weights", "w", *PAIRWISE)),
        ],
    )
    def test_accumulate_then_test(self, run_edgewise, files, same_result, name, how):
        done = run_edgewise("accumulate", name, *how, "-o", "x.state", cwd=files)
        assert "400 rows" in done.stdout
        state = ew.load_state(files / "x.state")
        assert isinstance(state, ew.states.PairwiseMoments)
        assert state.feature_names == ("a", "b", "c", "d")
        for data, asked in (("x.state", ()), (name, (*how, "--method", "batch"))):
            run_edgewise("test", data, *asked, "--json", f"{data}.json", cwd=files)
        found, expected = (
            ew.EdgeTestResult.from_json(files / f"{data}.json") for data in ("x.state", name)
        )
        assert found.method == "batch"
        same_result(found, expected)

    def test_other_kinds_of_state(self, refused, run_main, files):
        for kind in ("moments", "concordance"):
            line = refused("accumulate", "gaps.csv", *PAIRWISE, "--kind", kind, "-o", "x.state")
            assert f"leave out --kind {kind}" in line
        run_main("accumulate", "gaps.csv", *PAIRWISE, "--kind", "batches", "-o", "x.state")
        how = ("counted.csv", "--weights", "n", *FREQUENCY, "--kind", "moments")
        run_main("accumulate", *how, "-o", "y.state")
        assert isinstance(ew.load_state(files / "y.state"), ew.states.Moments)

    def test_options_of_rows_with_a_state(self, refused, run_main, files):
        run_main("accumulate", "gaps.csv", *PAIRWISE, "-o", "x.state")
        assert "--weights: a state has no rows left" in refused("test", "x.state", "--weights", "w")
        assert "got a state, which has no rows" in refused("test", "x.state", *PAIRWISE)

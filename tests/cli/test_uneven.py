"""`--missing`, `--weights` and `--weight-kind`, through the real program."""

from __future__ import annotations

import json

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


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(2).exponential(size=400) + 0.1


@pytest.fixture(scope="module")
def counts():
    return np.random.default_rng(3).integers(0, 4, 400)


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


@pytest.fixture
def refused(run_main, files):
    """The one sentence of an error."""

    def run(*arguments, status=2):
        out, err = run_main(*arguments, status=status)
        assert out == ""
        (line,) = [line for line in err.splitlines() if line.startswith(("edgewise: ", "Error: "))]
        return line

    return run


class TestMissing:
    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_pairwise(self, asked, gaps, same_result, method):
        result, out, err = asked("gaps.csv", *PAIRWISE, "--method", method)
        expected = ew.edge_test(gaps, method=method, missing="pairwise", feature_names=list("abcd"))
        same_result(result, expected)
        np.testing.assert_array_equal(result.pair_rows, expected.pair_rows)
        assert out.startswith(expected.headline())
        assert "some with missing values" in out
        assert err[:3] == [
            "edgewise: 50 values (3.1 %) are missing, most in b (40), c (10). Each pair rests on "
            "the rows that have both of its columns, 350 to 400.",
            "  b █········· 40 missing (10 %)",
            "  c ▎········· 10 missing (2.5 %)",
        ]

    @pytest.mark.parametrize("how", [("--missing", "drop"), ("--drop-missing",)])
    def test_drop(self, asked, gaps, same_result, how):
        result, _, err = asked("gaps.csv", *how)
        same_result(result, ew.edge_test(gaps, missing="drop", feature_names=list("abcd")))
        assert err[0] == (
            "edgewise: 50 rows with missing values were left out; left out because of one column "
            "alone: b (40), c (10). With missing='pairwise' (score, wald, batch) they would count."
        )
        assert result.n_dropped == 50

    def test_raise(self, refused):
        for how in ((), ("--missing", "raise")):
            line = refused("test", "gaps.csv", *how, status=1)
            assert "'b' (40), 'c' (10); drop those rows" in line
            assert "--missing drop" in line

    def test_hostile_names(self, run_edgewise, tmp_path, write_csv, hostile_names, hostile_rows):
        X = hostile_rows.copy()
        X[:20] = np.where(np.eye(20, X.shape[1]) > 0, np.nan, X[:20])
        X[20:40, 4] = np.nan
        path = write_csv(tmp_path / "h.csv", hostile_names, X)
        done = run_edgewise("test", path, *PAIRWISE)
        assert "\x1b" not in done.stderr

    def test_other_commands(self, run_main, files):
        out, err = run_main("report", "gaps.csv", *PAIRWISE, "-o", "r.html")
        assert "some with missing values" in " ".join(out.split())
        assert "50 values (3.1 %) are missing" in err
        page = (files / "r.html").read_text(encoding="utf-8")
        assert "Missing values of each variable" in page
        assert page.count('class="bar"') == 2
        out, _ = run_main("pair", "gaps.csv", "a", "b", *PAIRWISE)
        expected = ew.partial_test(files / "gaps.csv", "a", "b", missing="pairwise")
        assert " ".join(expected.sentence().split())[:60] in " ".join(out.split())
        for command in (("compare",), ("plan", "--effect", "0.1")):
            out, err = run_main(*command, "gaps.csv", "--missing", "drop")
            assert "left out 50 rows" in err

    @pytest.mark.parametrize(
        ("arguments", "fragment"),
        [
            (("test", "gaps.csv", *PAIRWISE, "--drop-missing"), "expected False with missing='pa"),
            (("test", "gaps.csv", "--missing", "pair"), "Did you mean 'pairwise'?"),
            (("test", "gaps.csv", *PAIRWISE, "--method", "fisher"), "which needs complete rows"),
            (("test", "gaps.csv", *PAIRWISE, "--transform", "normal-scores"), "with transform"),
            (("test", "both.csv", *PAIRWISE, "--groups", "w"), "with groups"),
            (("test", "gaps.csv", *PAIRWISE, "--budget", "1"), "budget: expected without missing"),
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
        assert "got none for 'b' and 'd' (0 rows); leave one of them out (exclude=" in line


class TestWeights:
    @pytest.mark.parametrize("method", ["score", "wald", "batch"])
    def test_a_column(self, asked, rows, weights, same_result, method):
        result, out, err = asked("weighted.csv", "--weights", "w", "--method", method)
        expected = ew.edge_test(rows, method=method, weights=weights, feature_names=list("abcd"))
        same_result(result, expected)
        assert result.options["weights"] == "w"
        assert "from 400 rows, weighted (method" in out
        worth = expected.options["effective_rows"]
        assert err[0] == (
            f"edgewise: Rows are weighted by column 'w': they are worth {worth:,.0f} rows of equal "
            "weight."
        )

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
            (("--weights", "w", "--method", "trace"), 2, "weights: expected none with this method"),
            (("--weights", "w", "--groups", "a"), 2, "weights: expected without groups"),
            (("--weights", "w", "--transform", "normal-scores"), 2, "without transform"),
            (("--weights", "w", "--budget", "1"), 2, "budget: expected without weights"),
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
        assert isinstance(state, ew.PairwiseMoments)
        assert state.feature_names == ("a", "b", "c", "d")
        for data, asked in (("x.state", ()), (name, (*how, "--method", "batch"))):
            run_edgewise("test", data, *asked, "--json", f"{data}.json", cwd=files)
        found, expected = (
            ew.EdgeTestResult.from_json(files / f"{data}.json") for data in ("x.state", name)
        )
        assert found.method == "batch"
        same_result(found, expected)

    def test_resume(self, run_main, files):
        how = ("both.csv", "--weights", "w", *PAIRWISE)
        run_main("accumulate", *how, "-o", "whole.state")
        run_main("accumulate", *how, "-o", "x.state", "--checkpoint-every", "0.001")
        run_main("accumulate", *how, "-o", "y.state", "--resume")
        whole, other = (ew.load_state(files / f"{name}.state") for name in ("whole", "x"))
        np.testing.assert_allclose(other.covariance(), whole.covariance(), rtol=1e-12)

    def test_merge(self, run_edgewise, files, write_csv, gaps, weights):
        for name, some in (("0", slice(0, 200)), ("1", slice(200, 400))):
            table = np.column_stack([weights[some], gaps[some]])
            write_csv(files / f"{name}.csv", "wabcd", table)
            run_edgewise(
                *("accumulate", f"{name}.csv", "--weights", "w", *PAIRWISE, "-o", f"{name}.state"),
                *("--n-batches", 25),
                cwd=files,
            )
        run_edgewise("merge", "0.state", "1.state", "-o", "all.state", cwd=files)
        merged = ew.load_state(files / "all.state")
        expected = ew.PairwiseMoments(25).update(gaps, weights=weights)
        np.testing.assert_allclose(merged.covariance(), expected.covariance(), rtol=1e-11)
        np.testing.assert_array_equal(merged.pair_rows(), expected.pair_rows())
        document = json.loads(run_edgewise("test", "all.state", "--json", "-", cwd=files).stdout)
        assert document["n_missing"] == [0, 40, 10, 0]

    def test_merge_of_weighted_and_plain_rows(self, refused, files, gaps, weights):
        ew.PairwiseMoments().update(gaps[:200]).save(files / "plain.state")
        ew.PairwiseMoments().update(gaps[200:], weights=weights[200:]).save(files / "own.state")
        line = refused("merge", "plain.state", "own.state", "-o", "x.state", status=1)
        assert "weights: expected for all rows or for none" in line
        ew.BatchMoments().update(gaps[60:]).save(files / "other.state")
        assert "only states of one kind" in refused(
            "merge", "plain.state", "other.state", "-o", "x.state", status=1
        )

    def test_compare(self, run_main, files):
        out, _ = run_main("compare", "gaps.csv", *PAIRWISE)
        told = " ".join(out.split())
        assert "which needs complete rows" in told
        assert "Use method" in told

    def test_other_kinds_of_state(self, refused, run_main, files):
        for kind in ("moments", "concordance"):
            line = refused("accumulate", "gaps.csv", *PAIRWISE, "--kind", kind, "-o", "x.state")
            assert f"leave out --kind {kind}" in line
        run_main("accumulate", "gaps.csv", *PAIRWISE, "--kind", "batches", "-o", "x.state")
        how = ("counted.csv", "--weights", "n", *FREQUENCY, "--kind", "moments")
        run_main("accumulate", *how, "-o", "y.state")
        assert isinstance(ew.load_state(files / "y.state"), ew.Moments)

    def test_options_of_rows_with_a_state(self, refused, run_main, files):
        run_main("accumulate", "gaps.csv", *PAIRWISE, "-o", "x.state")
        assert "--weights and --transform are about rows" in refused(
            "test", "x.state", "--weights", "w"
        )
        assert "got a state, which has no rows" in refused("test", "x.state", *PAIRWISE)


@pytest.mark.parametrize("command", ["test", "report", "accumulate"])
def test_help(run_main, command):
    out, _ = run_main(command, "--help")
    told = " ".join(out.split())
    for option in ("--missing [raise|drop|pairwise]", "--weights NAME", "--weight-kind [sampling|"):
        assert option in told
    assert "--drop-missing" not in told

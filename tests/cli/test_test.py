"""`edgewise test`: the same answers as in Python, and one sentence for whatever is wrong."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import edgewise as ew

WHY = "Rows do not seem to depend on the rows before them"


def found(run_main, *arguments):
    out, _ = run_main("test", *arguments, "--json", "-")
    return ew.EdgeTestResult.from_json(out)


def test_every_output_at_once(run_edgewise, csv_file, rows, tmp_path, require):
    outputs = {kind: tmp_path / f"x.{kind}" for kind in ("json", "csv", "graphml", "png")}
    outputs["png"].write_text("an old file")
    done = run_edgewise(
        *("test", csv_file, "--json", outputs["json"], "--csv", outputs["csv"]),
        *("--graph", outputs["graphml"], "--plot", outputs["png"]),
    )
    assert done.stderr.startswith(f"edgewise: {WHY}")
    result = ew.edge_test(rows)
    assert done.stdout.startswith(f"{result.n_edges} of 6 possible edges among 4 variables")
    assert "a – b" in done.stdout
    assert "\x1b" not in done.stdout
    again = ew.EdgeTestResult.from_json(outputs["json"])
    assert again.feature_names == tuple("abcd")
    np.testing.assert_allclose(again.precision, result.precision, rtol=1e-12)
    np.testing.assert_array_equal(again.reject, result.reject)
    graph = require("networkx").read_graphml(outputs["graphml"])
    assert (set(graph), graph.number_of_edges()) == (set("abcd"), result.n_edges)
    assert require("matplotlib.image").imread(outputs["png"]).ndim == 3
    files = {"rows.csv", "x.csv.notes.txt", *(path.name for path in outputs.values())}
    assert set(os.listdir(tmp_path)) == files


@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_the_table_and_the_csv_file_agree(run_main, tmp_path, csv_file, require, correction):
    out, _ = run_main("test", csv_file, "--correction", correction, "--csv", "pairs.csv")
    assert "95 % interval" in out
    assert ("all at once" in out) == (correction == "holm")
    frame = require("pandas").read_csv(tmp_path / "pairs.csv")
    assert len(frame) == 6
    edges = frame[frame["reject"]]
    assert len(edges) >= 3
    for low, high in zip(edges["interval_low"], edges["interval_high"], strict=True):
        assert f"{low:+.3f} to {high:+.3f}" in out
    notes = (tmp_path / "pairs.csv.notes.txt").read_text(encoding="utf-8").splitlines()
    assert "possible edges" in notes[0]
    assert notes[1].startswith("interval_low and interval_high: 95 % interval")


def test_at_most_15_edges(run_main, tmp_path):
    X = np.random.default_rng(0).standard_normal((2000, 8))
    X += X.sum(axis=1, keepdims=True) / 2
    np.save(tmp_path / "x.npy", X)
    result = ew.edge_test(X)
    assert result.n_edges > 16
    for arguments, shown in (((), 15), (("--all-edges",), result.n_edges)):
        out, _ = run_main("test", "x.npy", *arguments)
        assert out.count(" – x") == shown
        assert (f"… and {result.n_edges - 15} more edges (--all-edges)." in out) == (shown == 15)


def test_hostile_names(run_edgewise, tmp_path, hostile_names, hostile_rows, write_csv):
    path = write_csv(tmp_path / "h.csv", hostile_names, hostile_rows)
    done = run_edgewise(
        *("test", path, "--all-edges", "--plot", tmp_path / "h.png", "--csv", tmp_path / "o.csv")
    )
    assert "\x1b" not in done.stdout
    for name in ("=cmd|' /C calc'!A0", "<script>alert(1)</script>", "$x^2$", "[red]x", "naïve – ü"):
        assert name in done.stdout
    assert "a\ufffd[31mb" in done.stdout
    assert (tmp_path / "h.png").read_bytes().startswith(b"\x89PNG")
    assert "\n=" not in (tmp_path / "o.csv").read_text(encoding="utf-8")


def test_data_that_cannot_be_tested(refused, tmp_path):
    for name, content, fragments in (
        ("ragged.csv", b"a,b\n1,2\n3\n", ["ragged.csv", "line 3", "1 cell"]),
        ("short.csv", b"a,b,c\n1,2,3\n4,5,7\n1,9,8\n", ["3 columns", "more rows"]),
        ("cut.parquet", b"PAR1 and then nothing", ["cut.parquet", "cannot be read"]),
    ):
        (tmp_path / name).write_bytes(content)
        line = refused("test", name, "--csv", "o.csv", status=1)
        for fragment in fragments:
            assert fragment in line


HOEFFDING = ["--method", "whitened", "--radius", "hoeffding"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (
            "--columns d,a,b --method fisher --alpha 0.2 --correction none",
            {"columns": ["d", "a", "b"], "method": "fisher", "alpha": 0.2, "correction": None},
        ),
        (
            "--exclude c --method wald --min-effect 0.2",
            {"exclude": "c", "method": "wald", "min_effect": 0.2},
        ),
        (
            "--method eig --alpha 0.5 --mu 0.5 --standardize --solver full",
            {"method": "eig", "alpha": 0.5, "mu": 0.5, "standardize": True, "solver": "full"},
        ),
        (
            "--method whitened --radius bernstein --support -9,9",
            {"method": "whitened", "radius": "bernstein", "support": (-9, 9)},
        ),
        (
            "--method batch --correction maxt --n-batches 16 --seed 5",
            {"method": "batch", "correction": "maxt", "n_batches": 16, "random_state": 5},
        ),
        ("--method nodewise --penalty 1.5", {"method": "nodewise", "penalty": 1.5}),
        ("--transform normal-scores", {"transform": "normal-scores"}),
        ("--transform diff --plot-kind volcano --plot x.svg", {"transform": "diff"}),
        ("--given a,d", {"given": ["a", "d"]}),
    ],
)
@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
def test_the_options_are_those_of_edge_test(run_main, csv_file, arguments, options):
    out, _ = run_main("test", csv_file, "--json", "-", *arguments.split())
    assert json.loads(out) == json.loads(ew.edge_test(csv_file, **options).to_json())


def test_arguments_that_cannot_be_served(refused, csv_file):
    """Each in the words of the command line, not of Python."""
    for arguments, status, fragments in (
        (["no/such.csv"], 1, ["no file", "no/such.csv"]),
        (["rows.csv", "--columns", "a,z"], 1, ["'z'", "rows.csv", "'a', 'b', 'c', 'd'"]),
        (["rows.csv", "--exclude", "a,b,c"], 1, ["minimum of 2"]),
        (["rows.csv", "--columns", ""], 1, ["no column ''"]),
        (["rows.csv", "--csv", "nowhere/o.csv"], 1, ["cannot write", "nowhere/o.csv"]),
        (["rows.csv", "--plot", "o.gif"], 2, ["o.gif", "png", "svg", "pdf"]),
        (["rows.csv", "--graph", "x.gml"], 2, ["x.gml", "graphml", "gexf", "cyjs"]),
        (["rows.csv", "--alpha", "0"], 2, ["--alpha", "between 0 and 1"]),
        (["rows.csv", "--method", "score", "--mu", "2"], 2, ["--mu", "'score'"]),
        (["rows.csv", "--min-effect", "-0.1"], 2, ["--min-effect", "got -0.1"]),
        (["rows.csv", *HOEFFDING, "--support", "0;1"], 2, ["--support", "two numbers"]),
        (["rows.csv", *HOEFFDING, "--support", "-1,1"], 1, ["--support", "'a'", "between -1"]),
        (["rows.csv", "--method", "batch", "--n-batches", "401"], 2, ["--n-batches", "400 rows"]),
        (["rows.csv", "--method", "trace", "--transform", "normal-scores"], 2, ["--transform"]),
        (["rows.csv", "--transform", "normal-score"], 2, ["did you mean 'normal-scores'?"]),
        (["rows.csv", "--given", "a", "--exclude", "a"], 1, ["--given: ", "no column 'a'"]),
        (["rows.csv", "--given", "aa"], 1, ["no column 'aa' (did you mean 'a'?)"]),
        (["rows.csv", "--method", "scor"], 2, ["--method", "(did you mean 'score'?)"]),
        (["rows.csv", "--correction", "fdr_bh"], 2, ["--correction", "(did you mean 'bh'?)"]),
    ):
        line = refused("test", *arguments, status=status)
        for fragment in fragments:
            assert fragment in line


def test_wrong_usage(run_main, csv_file):
    for arguments, fragment in (
        ([], "Usage: edgewise"),
        (["tset"], "No such command 'tset'. (did you mean 'test'?)"),
        (["--nope"], "--nope"),
        (["test"], "Missing argument 'DATA"),
        (["test", "x.csv", "--bogus"], "--bogus"),
        (["test", "x.csv", "--alpha", "five"], "'five' is not a valid float"),
        (["demo", "x.csv"], "x.csv"),
    ):
        out, err = run_main(*arguments, status=2)
        assert out == ""
        assert fragment in err


def test_clusters(run_main, refused, tmp_path, rows, write_csv):
    labels = np.random.default_rng(4).permutation(400) % 25
    names = np.array([f"subject {label:02}" for label in labels], dtype=object)
    table = np.column_stack([names, rows.astype(object)])
    data = write_csv(tmp_path / "r.csv", ["subject", *"abcd"], table)
    again = found(run_main, data, "--clusters", "subject")
    assert again.edges() == ew.edge_test(data, clusters="subject").edges()
    assert "did you mean 'subject'?" in refused("test", "r.csv", "--clusters", "subjct", status=1)
    data.write_text(data.read_text().replace("subject 07", "", 1))
    out, err = run_main("test", "r.csv", "--clusters", "subject", "--missing", "drop")
    assert "399 rows in 25 clusters" in out
    assert "1 row with missing values was left out." in err


class TestNext:
    """The last line: what to do now, ready to be copied; nothing where nothing is wrong."""

    def test_nothing_is_wrong(self, run_main, csv_file):
        for method in ((), ("--method", "score"), ("--method", "wald", "--columns", "a,b")):
            assert "Next" not in run_main("test", csv_file, *method)[1]

    def test_it_ends_after_one_step(self, run_main, tmp_path, rows):
        np.save(tmp_path / "few.npy", rows[:40])
        np.save(tmp_path / "-a b.npy", np.repeat(rows, 4, axis=0))
        np.save(tmp_path / "walk.npy", rows.cumsum(axis=0))
        for asked, advice, more in (
            (["few.npy", "--method", "trace", "--mu", "0.5"], "leave --method out", []),
            (["./-a b.npy", "--method", "score", "--alpha", "0.01"], "leave --method out", []),
            (["walk.npy"], "edgewise test walk.npy --transform diff", ["--transform", "diff"]),
        ):
            _, err = run_main("test", *asked)
            last = err.splitlines()[-1]
            assert last.startswith("Next: ")
            assert advice in last
            assert "Next" not in run_main("test", asked[0], *more)[1]

    def test_it_stays_out_of_what_programs_read(self, run_main, csv_file):
        out, err = run_main("test", "rows.csv", "--method", "trace", "--json", "-")
        assert json.loads(out)["n_samples"] == 400
        assert "Next" not in err


class TestEscapes:
    """A file or a column can be called what it likes; a terminal must not obey."""

    ESCAPE = "a\x1b]0;owned\x07\x1b[31mb"

    def test_in_messages(self, run_main, csv_file):
        for arguments in (
            ["test", self.ESCAPE],
            ["test", csv_file, "--csv", f"{self.ESCAPE}/x"],
            ["test", csv_file, "--columns", self.ESCAPE],
            ["test", csv_file, f"--{self.ESCAPE}"],
            ["merge", self.ESCAPE, "-o", "x"],
            ["diff", csv_file, "--by", self.ESCAPE],
            [self.ESCAPE],
        ):
            out, err = run_main(*arguments, status=None)
            assert err
            assert not {"\x1b", "\x07"} & {*out, *err}

    def test_in_answers(self, run_main, tmp_path, rows, write_csv):
        data = write_csv(tmp_path / f"{self.ESCAPE}.csv", [self.ESCAPE, "b", "c", "d"], rows)
        state, page = tmp_path / f"{self.ESCAPE}.ews", tmp_path / f"{self.ESCAPE}.html"
        for arguments in (
            ["test", data, "--given", self.ESCAPE],
            ["pair", data, self.ESCAPE, "b"],
            ["accumulate", data, "-o", state],
            ["merge", state, "-o", f"{state}2"],
            ["report", data, "--no-compare", "-o", page],
        ):
            out, err = run_main(*arguments)
            assert "\x1b" not in out + err
            assert "\ufffd" in out


def test_cautions_are_told_once(run_main, tmp_path, write_csv, rows):
    write_csv(tmp_path / "x.csv", "abcd", np.asarray(rows).cumsum(axis=0))
    _, err = run_main("test", "x.csv", "--csv", "pairs.csv", "--json", "r.json")
    (line,) = [line for line in err.splitlines() if "look like levels" in line]
    assert line.startswith("edgewise: caution: Columns 'a', 'b', 'c', 'd' look like levels")
    assert "Warning" not in err
    notes = (tmp_path / "pairs.csv.notes.txt").read_text(encoding="utf-8")
    assert notes.count("look like levels") == 1


class TestPairs:
    @pytest.mark.parametrize(
        "text",
        [
            "a,b\nd,b\n",
            '\ufeffa, b\r\n\r\n "d" ,b',
            "source,target,reject\na,b,True\nd,b,False\n",
        ],
    )
    def test_are_those_of_python(self, run_main, csv_file, rows, tmp_path, text):
        (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
        result = found(run_main, csv_file, "--pairs", "pairs.csv")
        pairs = [("a", "b"), ("d", "b")]
        expected = ew.edge_test(rows, feature_names=list("abcd"), pairs=pairs)
        np.testing.assert_array_equal(result.tested, expected.tested)
        np.testing.assert_allclose(result.adjusted_pvalue, expected.adjusted_pvalue, rtol=1e-9)

    def test_a_table_of_ours_can_be_given_back(self, run_main, rows, tmp_path, write_csv):
        labelled = np.column_stack([rows, np.arange(len(rows)) % 3])
        data = write_csv(tmp_path / "rows.csv", ["x y", "a,b", "source", "target", "g"], labelled)
        for pilot in (["test", data, "--exclude", "g"], ["diff", data, "--by", "g"]):
            run_main(*pilot, "--csv", "pilot.csv")
            assert found(run_main, data, "--exclude", "g", "--pairs", "pilot.csv").n_pairs == 6

    def test_a_bad_file_is_one_sentence(self, refused, csv_file, tmp_path):
        for text, status, fragment in (
            (b"a,b\nc\n", 1, "on each line of 'pairs.csv', got 'c'"),
            (b"a,b,c\n", 1, "expected two names with a comma between them"),
            (b"a,bb\n", 1, "--pairs: the table has no column 'bb' (did you mean 'b'?)"),
            (b"a,\xff\xfe\n", 1, "'pairs.csv' cannot be read: it is no CSV in UTF-8"),
            (b"c,c\n", 2, "got ('c', 'c')"),
            (b"a,d\n", 2, "--pairs: ('a', 'd') has the column 'd', which is in given"),
            (b"source,target\n", 2, "expected at least one pair"),
        ):
            (tmp_path / "pairs.csv").write_bytes(text)
            asked = ("--pairs", "pairs.csv", "--given", "d")
            assert fragment in refused("test", csv_file, *asked, status=status)

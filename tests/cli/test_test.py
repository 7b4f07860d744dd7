"""`edgewise test`: outputs, options, and one sentence for whatever is wrong."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest

import edgewise as ew


def one_sentence(done):
    """Nothing on standard output, one line on standard error."""
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("edgewise: ")
    return line


def test_every_output_at_once(run_edgewise, csv_file, rows, tmp_path, require):
    outputs = {kind: tmp_path / f"x.{kind}" for kind in ("json", "csv", "graphml", "png")}
    outputs["png"].write_text("an old file")
    done = run_edgewise(
        *("test", csv_file, "--json", outputs["json"], "--csv", outputs["csv"]),
        *("--graphml", outputs["graphml"], "--plot", outputs["png"]),
    )
    assert done.stderr == ""
    result = ew.edge_test(rows)
    assert done.stdout.startswith(f"{result.n_edges} of 6 possible edges among 4 variables")
    assert "a – b" in done.stdout
    assert "\x1b" not in done.stdout
    document = json.loads(outputs["json"].read_text(encoding="utf-8"))
    assert document["feature_names"] == list("abcd")
    np.testing.assert_allclose(document["precision"], result.precision, rtol=1e-12)
    assert document["reject"] == result.reject.tolist()
    with outputs["csv"].open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 2 + 6  # what the intervals are, and a heading
    graph = require("networkx").read_graphml(outputs["graphml"])
    assert (set(graph), graph.number_of_edges()) == (set("abcd"), result.n_edges)
    assert require("matplotlib.image").imread(outputs["png"]).ndim == 3
    assert set(os.listdir(tmp_path)) == {"rows.csv", *(path.name for path in outputs.values())}


def test_an_infinite_threshold_says_how_many_rows_would_do(run_edgewise, csv_file):
    done = run_edgewise("test", csv_file, "--method", "trace", "--json", "-")
    document = json.loads(done.stdout)
    assert document["threshold"] == "Infinity"
    assert document["edges"] == []
    (line,) = done.stderr.splitlines()
    assert line.startswith("edgewise: ")
    assert "infinite threshold with 400 rows" in line
    assert f"about {document['rows_needed']:,} rows" in line


@pytest.mark.parametrize(
    ("correction", "label"),
    [
        ("holm", "95 % interval for all pairs at once"),
        ("bh", "95 % interval, pointwise"),
        ("none", "95 % interval, pointwise"),
    ],
)
def test_the_table_says_what_its_intervals_are(
    run_edgewise, tmp_path, rows, write_csv, correction, label
):
    path = write_csv(tmp_path / "rows.csv", "abcd", rows)
    out = tmp_path / "pairs.csv"
    done = run_edgewise("test", path, "--correction", correction, "--csv", out)
    assert label in done.stdout
    remark, _, table = out.read_text(encoding="utf-8").partition("\n")
    assert remark == f"# interval_low and interval_high: {label}"
    edges = [line for line in csv.DictReader(table.splitlines()) if line["reject"] == "True"]
    assert len(edges) >= 3
    for edge in edges:
        assert f"{float(edge['interval_low']):+.3f} to {float(edge['interval_high']):+.3f}" in (
            done.stdout
        )


def test_several_files_and_missing_values(run_edgewise, tmp_path, rows, write_csv):
    X = rows.copy()
    X[0, 0], X[399, 2] = np.nan, np.inf
    first = write_csv(tmp_path / "1.csv", "abcd", X[:200])
    second = write_csv(tmp_path / "2.csv", "dcba", X[200:, ::-1])
    line = one_sentence(run_edgewise("test", first, second, status=1))
    assert "'a' (1), 'c' (1)" in line
    assert "--missing drop" in line
    done = run_edgewise("test", first, second, "--missing", "drop", "--json", "-")
    assert done.stderr.splitlines() == [
        "edgewise: 2 rows with missing values were left out; left out because of one column alone: "
        "a (1), c (1).",
        "  a ▏········· 1 missing (0.25 %)",
        "  c ▏········· 1 missing (0.25 %)",
    ]
    document = json.loads(done.stdout)
    assert (document["n_samples"], document["n_dropped"]) == (398, 2)
    result = ew.edge_test(rows[1:399])
    np.testing.assert_allclose(document["precision"], result.precision, rtol=1e-12)


def test_hostile_names(run_edgewise, tmp_path, hostile_names, hostile_rows, write_csv):
    path = write_csv(tmp_path / "h.csv", hostile_names, hostile_rows)
    done = run_edgewise("test", path, "--plot", tmp_path / "h.png", "--csv", tmp_path / "o.csv")
    assert "\x1b" not in done.stdout
    for name in ("=cmd|' /C calc'!A0", "<script>alert(1)</script>", "$x^2$", "[red]x", "naïve – ü"):
        assert name in done.stdout
    assert "a\ufffd[31mb" in done.stdout
    assert (tmp_path / "h.png").read_bytes().startswith(b"\x89PNG")
    assert "\n=" not in (tmp_path / "o.csv").read_text(encoding="utf-8")


BAD_DATA = {
    "ragged.csv": (b"a,b\n1,2\n3\n", ["ragged.csv", "line 3", "1 cell"]),
    "text.csv": (b"a,name\n1,x\n2,y\n3,z\n", ["'name'", "numbers", "--exclude"]),
    "empty.csv": (b"", ["empty.csv", "is empty"]),
    "short.csv": (b"a,b,c\n1,2,3\n4,5,7\n1,9,8\n", ["3 rows and 3 columns", "more rows"]),
    "constant.csv": (b"a,b\n1,2\n3,2\n4,2\n", ["constant column 'b'", "2"]),
    "cut.parquet": (b"PAR1 and then nothing", ["cut.parquet", "cannot be read"]),
    "pickle.npy": (b"\x80\x04N.", ["pickle.npy", "plain .npy"]),
    "table.xlsx": (b"", ["table.xlsx", "cannot be read"]),
}


def test_data_that_cannot_be_tested(refused, tmp_path):
    for name, (content, fragments) in BAD_DATA.items():
        (tmp_path / name).write_bytes(content)
        line = refused("test", name, "--csv", "o.csv", status=1)
        for fragment in fragments:
            assert fragment in line


HOEFFDING = ["--method", "whitened", "--radius", "hoeffding"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (
            ["--columns", "d, a,b", "--method", "fisher", "--alpha", "0.2", "--correction", "none"],
            {"columns": ["d", "a", "b"], "method": "fisher", "alpha": 0.2, "correction": None},
        ),
        (
            [
                "--exclude",
                "c",
                "--method",
                "wald",
                "--min-effect",
                "0.2",
            ],
            {"exclude": "c", "method": "wald", "min_effect": 0.2},
        ),
        (
            [
                "--method",
                "eig",
                "--alpha",
                "0.5",
                "--mu",
                "0.5",
                "--standardize",
                "--solver",
                "full",
            ],
            {"method": "eig", "alpha": 0.5, "mu": 0.5, "standardize": True, "solver": "full"},
        ),
        (
            [
                "--method",
                "whitened",
                "--radius",
                "bernstein",
                "--support",
                "-3,3",
                "--outside",
                "0.2",
            ],
            {"method": "whitened", "radius": "bernstein", "support": (-3, 3), "outside": 0.2},
        ),
        (
            [
                "--method",
                "batch",
                "--correction",
                "maxt",
                "--n-batches",
                "16",
                "--random-state",
                "5",
            ],
            {"method": "batch", "correction": "maxt", "n_batches": 16, "random_state": 5},
        ),
        (
            ["--method", "sequential", "--tuned-for", "400", "--tuned-level", "0.1"],
            {"method": "sequential", "tuned_for": 400, "tuned_level": 0.1},
        ),
        (["--method", "nodewise", "--penalty", "1.5"], {"method": "nodewise", "penalty": 1.5}),
        (["--transform", "normal-scores"], {"transform": "normal-scores"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
def test_the_options_are_those_of_edge_test(run_main, csv_file, arguments, options):
    out, _ = run_main("test", csv_file, "--json", "-", *arguments)
    assert json.loads(out) == json.loads(ew.edge_test(csv_file, **options).to_json())


def test_arguments_that_cannot_be_served(refused, csv_file):
    for arguments, status, fragments in (
        (["no/such.csv"], 1, ["no file", "no/such.csv"]),
        (["rows.csv", "--columns", "a,z"], 1, ["'z'", "rows.csv", "'a', 'b', 'c', 'd'"]),
        (["rows.csv", "--exclude", "a,b,c"], 1, ["minimum of 2"]),
        (["rows.csv", "--csv", "nowhere/o.csv"], 1, ["cannot write", "nowhere/o.csv"]),
        (["rows.csv", "--plot", "o.gif"], 2, ["o.gif", "png", "svg", "pdf"]),
        (["rows.csv", "--graph", "x.gml"], 2, ["x.gml", "graphml", "gexf", "cyjs"]),
        (["rows.csv", "--alpha", "0"], 2, ["alpha", "between 0 and 1"]),
        (["rows.csv", "--mu", "2"], 2, ["mu", "'score'"]),
        (["rows.csv", "--min-effect", "-0.1"], 2, ["min_effect", "got -0.1"]),
        (["rows.csv", "--correction", "maxt"], 2, ["maxt", "'score'", "method 'batch'"]),
        (["rows.csv", *HOEFFDING, "--support", "0;1"], 2, ["support", "two numbers", "got '0;1'"]),
        (["rows.csv", *HOEFFDING, "--support", "-1,1"], 1, ["support", "'a'", "between -1 and 1"]),
        (["rows.csv", "--method", "batch", "--n-batches", "401"], 2, ["n_batches", "400 rows"]),
        (["rows.csv", "--method", "trace", "--correction", "holm"], 2, ["needs none", "leave it"]),
        (["rows.csv", "--method", "trace", "--transform", "normal-scores"], 2, ["not supported"]),
        (["rows.csv", "--transform", "normal-score"], 2, ["did you mean 'normal-scores'?"]),
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
        (["test", "x.csv", "--method", "scor"], "(did you mean 'score'?)"),
        (["test", "x.csv", "--correction", "nope"], "'holm'"),
        (["demo", "x.csv"], "x.csv"),
    ):
        out, err = run_main(*arguments, status=2)
        assert out == ""
        assert fragment in err


def test_labels_of_rows_that_belong_together(run_main, refused, tmp_path, rows, write_csv):
    labels = np.random.default_rng(4).permutation(400) % 25
    names = np.array([f"subject {label:02}" for label in labels], dtype=object)
    table = np.column_stack([names, rows.astype(object)])
    write_csv(tmp_path / "r.csv", ["subject", *"abcd"], table)
    for method in ("score", "wald"):
        asked = ("--clusters", "subject", "--method", method)
        expected = ew.edge_test(tmp_path / "r.csv", clusters="subject", method=method)
        out, _ = run_main("test", "r.csv", *asked, "--json", "-")
        found = json.loads(out)
        assert found.pop("files") == [{"path": "r.csv", "rows": 400}]
        assert found.items() <= json.loads(expected.to_json()).items()
    out, _ = run_main("pair", "r.csv", "a", "b", "--clusters", "subject")
    answer = ew.partial_test(tmp_path / "r.csv", "a", "b", given=[], clusters="subject")
    assert out == f"{answer.sentence()}\n"
    assert "did you mean 'subject'?" in refused("test", "r.csv", "--clusters", "subjct", status=1)
    line = refused("test", "r.csv", "--clusters", "subject", "--method", "batch")
    assert "are not supported by method 'batch'; use method 'score' or 'wald'" in line
    (tmp_path / "gap.csv").write_text((tmp_path / "r.csv").read_text().replace("subject 07", "", 1))
    line = refused("test", "gap.csv", "--clusters", "subject", status=1)
    assert "clusters: expected a label for every row, got missing ones" in line
    out, err = run_main("test", "gap.csv", "--clusters", "subject", "--missing", "drop")
    assert "399 rows in 25 clusters" in out
    assert "1 row with missing values was left out." in err


def test_normal_scores_in_other_commands(run_main, csv_file, rows, tmp_path, write_csv):
    write_csv(tmp_path / "half.csv", "abcd", rows[:150] ** 3)
    write_csv(tmp_path / "rest.csv", "abcd", rows[150:])
    for command, sentence in (
        (["plan", "rows.csv", "--effect", "0.1"], "correlation of normal scores of 0.1"),
        (["pair", "rows.csv", "a", "b"], "correlation of normal scores of a and b"),
        (["diff", "half.csv", "rest.csv"], "of normal scores, differ between 'half'"),
        (["report", "rows.csv", "--no-compare"], "of normal scores"),
    ):
        out, _ = run_main(*command, "--transform", "normal-scores")
        assert sentence in " ".join(out.split())


class TestNext:
    """The last line: what to do now, ready to be copied."""

    @pytest.fixture
    def following(self, run_main):
        def command(*arguments):
            return "edgewise " + run_main(*arguments)[0].rpartition("edgewise ")[2].rstrip()

        return command

    def test_the_same_data_and_options(self, following, csv_file, tmp_path):
        csv_file.rename(tmp_path / "-a b.csv")
        asked = ("--alpha", "0.01", "--exclude", "d", "--header", "-v", "--csv", "p.csv")
        assert following("test", "./-a b.csv", *asked) == (
            "edgewise report './-a b.csv' --exclude d --alpha 0.01 --header --open"
        )
        assert following("test", "--", "-a b.csv") == "edgewise report --open -- '-a b.csv'"

    def test_what_fits_the_result(self, run_main, following, tmp_path, rows):
        np.save(tmp_path / "none.npy", np.random.default_rng(0).standard_normal((300, 3)))
        assert following("test", "none.npy") == "edgewise plan none.npy"
        np.save(tmp_path / "few.npy", rows[:40])
        bound = ("--method", "trace", "--mu", "0.5")
        assert following("test", "few.npy", *bound) == "edgewise test few.npy"
        np.save(tmp_path / "twice.npy", np.repeat(rows, 4, axis=0))
        command = "edgewise test twice.npy --alpha 0.01 --method batch"
        assert following("test", "twice.npy", "--alpha", "0.01") == command
        out, _ = run_main("test", "-", "--method", "batch", input="a,b\n" + "1,2\n3,5\n4,1\n" * 50)
        assert "Next, pipe the same rows into another command" in out

    def test_it_stays_out_of_what_programs_read(self, run_main, csv_file):
        out, err = run_main("test", "rows.csv", "--json", "-")
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
            ["test", csv_file, "--pairs", self.ESCAPE],
            ["test", csv_file, f"--{self.ESCAPE}"],
            ["test", csv_file, "--method", self.ESCAPE],
            ["test", csv_file, "--plot", self.ESCAPE],
            ["merge", self.ESCAPE, "-o", "x"],
            ["pair", csv_file, self.ESCAPE, "b"],
            ["diff", csv_file, "--by", self.ESCAPE],
            [self.ESCAPE],
            ["help", self.ESCAPE],
        ):
            out, err = run_main(*arguments, status=None)
            assert err
            assert not {"\x1b", "\x07"} & {*out, *err}

    def test_in_answers(self, run_main, tmp_path, rows, write_csv):
        data = write_csv(tmp_path / f"{self.ESCAPE}.csv", [self.ESCAPE, "b", "c", "d"], rows)
        other = write_csv(tmp_path / "other.csv", [self.ESCAPE, "b", "c", "d"], 2 * rows[::-1])
        state, page = tmp_path / f"{self.ESCAPE}.ews", tmp_path / f"{self.ESCAPE}.html"
        for arguments in (
            ["test", data, "--given", self.ESCAPE],
            ["plan", data, "--given", self.ESCAPE],
            ["pair", data, self.ESCAPE, "b"],
            ["diff", data, other],
            ["accumulate", data, "-o", state],
            ["merge", state, "-o", f"{state}2"],
            ["report", data, "--no-compare", "-o", page],
            ["simulate", "-n", "50", "-o", tmp_path / f"{self.ESCAPE}2.csv"],
        ):
            out, err = run_main(*arguments)
            assert "\x1b" not in out + err
            assert "owned" in out + err


def test_cautions_are_told_once_on_standard_error(run_edgewise, tmp_path, write_csv, rows):
    walks = write_csv(tmp_path / "x.csv", "abcd", np.asarray(rows).cumsum(axis=0))
    done = run_edgewise("test", walks, "--csv", "pairs.csv", "--json", "r.json", cwd=tmp_path)
    (line,) = [line for line in done.stderr.splitlines() if "look like levels" in line]
    assert line.startswith("edgewise: caution: Columns 'a', 'b', 'c', 'd' look like levels")
    assert "Warning" not in done.stderr
    assert "possible edges" in done.stdout
    told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["cautions"]
    assert line == f"edgewise: caution: {told[0]}"
    head = (tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()[1]
    assert head == f"# caution: {told[0]}"


@pytest.mark.parametrize("method", ["score", "batch", "fisher"])
def test_few_rows_for_the_columns_are_told(run_edgewise, tmp_path, write_csv, rows, method):
    few = run_edgewise("test", write_csv(tmp_path / "x.csv", "abcd", rows[:19]), "--method", method)
    assert "possible edges" in few.stdout
    assert "edgewise: caution: 19 rows are few for 4 columns: " in few.stderr
    enough = write_csv(tmp_path / "y.csv", "abcd", rows[:20])
    assert "are few" not in run_edgewise("test", enough, "--method", method).stderr

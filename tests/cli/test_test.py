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


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF-")])
def test_other_pictures(run_edgewise, csv_file, tmp_path, kind, start):
    run_edgewise("test", csv_file, "--plot", tmp_path / f"x.{kind}")
    assert (tmp_path / f"x.{kind}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "columns", "options"),
    [
        (
            ["--columns", "d, a,b", "--method", "fisher", "--alpha", "0.2", "--correction", "none"],
            [3, 0, 1],
            {"method": "fisher", "alpha": 0.2, "correction": None},
        ),
        (
            [
                *["--exclude", "c", "--method", "eig", "--alpha", "0.5", "--mu", "0.5"],
                *["--standardize", "--solver", "full"],
            ],
            [0, 1, 3],
            {"method": "eig", "alpha": 0.5, "mu": 0.5, "standardize": True, "solver": "full"},
        ),
    ],
    ids=["fisher", "eig"],
)
def test_json_alone(run_edgewise, csv_file, rows, arguments, columns, options):
    document = json.loads(run_edgewise("test", csv_file, "--json", "-", *arguments).stdout)
    result = ew.edge_test(rows[:, columns], **options)
    assert document["feature_names"] == ["abcd"[i] for i in columns]
    assert (document["method"], document["correction"]) == (result.method, result.correction)
    assert document["alpha"] == result.alpha
    assert len(document["edges"]) == result.n_edges
    np.testing.assert_allclose(document["statistic"][0][1:], result.statistic[0, 1:], rtol=1e-12)
    assert document["options"].items() <= options.items()


def test_an_infinite_threshold_says_how_many_rows_would_do(run_edgewise, csv_file):
    done = run_edgewise("test", csv_file, "--method", "trace", "--json", "-")
    document = json.loads(done.stdout)
    assert document["threshold"] is None
    assert document["edges"] == []
    (line,) = done.stderr.splitlines()
    assert line.startswith("edgewise: ")
    assert "infinite threshold with 400 rows" in line
    assert f"about {document['rows_needed']:,} rows" in line


@pytest.mark.parametrize(
    "arguments",
    [["--method", "eig"], ["--method", "whitened", "--radius", "eig"]],
    ids=["eig", "whitened"],
)
def test_solver(run_edgewise, csv_file, arguments):
    radii = {}
    for solver in ("auto", "full", "matrix-free"):
        done = run_edgewise("test", csv_file, *arguments, "--solver", solver, "--json", "-")
        document = json.loads(done.stdout)
        radii[solver] = document["radius"]
        assert document["options"]["solver"] == ("full" if solver == "auto" else solver)
    assert document["options"].keys() >= {"iterations", "products", "width"}
    assert radii["full"] == radii["auto"]
    assert radii["full"] <= radii["matrix-free"] * (1 + 1e-9) <= radii["full"] * (1 + 1e-3)
    done = run_edgewise("test", csv_file, *arguments, "--solver", "lanczos", status=2)
    assert "'lanczos'" in done.stderr
    assert "matrix-free" in done.stderr


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
    done = run_edgewise("test", first, second, "--drop-missing", "--json", "-")
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
    "header.csv": (b"a,b\n", ["0 sample", "empty"]),
    "short.csv": (b"a,b,c\n1,2,3\n4,5,7\n1,9,8\n", ["3 rows and 3 columns", "more rows"]),
    "constant.csv": (b"a,b\n1,2\n3,2\n4,2\n", ["constant column 'b'", "2"]),
    "copy.csv": (b"a,b\n1,2\n3,6\n4,8\n", ["'b' duplicates column 'a'"]),
    "cut.parquet": (b"PAR1 and then nothing", ["cut.parquet", "cannot be read"]),
    "pickle.npy": (b"\x80\x04N.", ["pickle.npy", "plain .npy"]),
    "table.xlsx": (b"", ["table.xlsx", "cannot be read"]),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_data_that_cannot_be_tested(run_edgewise, tmp_path, name):
    content, fragments = BAD_DATA[name]
    (tmp_path / name).write_bytes(content)
    line = one_sentence(run_edgewise("test", name, "--csv", "o.csv", cwd=tmp_path, status=1))
    for fragment in fragments:
        assert fragment in line
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["no/such.csv"], 1, ["no file", "no/such.csv"]),
        (["rows.csv", "--columns", "a,z"], 1, ["'z'", "rows.csv", "'a', 'b', 'c', 'd'"]),
        (["rows.csv", "--exclude", "a,b,c"], 1, ["minimum of 2"]),
        (["rows.csv", "--csv", "nowhere/o.csv"], 1, ["cannot write", "nowhere/o.csv"]),
        (["rows.csv", "--json", "nowhere/o.json"], 1, ["cannot write", "nowhere/o.json"]),
        (["rows.csv", "--plot", "nowhere/o.png"], 1, ["cannot write", "nowhere/o.png"]),
        (["rows.csv", "--plot", "o.gif"], 2, ["o.gif", "png", "svg", "pdf"]),
        (["rows.csv", "--alpha", "0"], 2, ["alpha", "between 0 and 1"]),
        (["rows.csv", "--mu", "2"], 2, ["mu", "'score'"]),
        (["rows.csv", "--solver", "full"], 2, ["solver", "'score'"]),
        (["rows.csv", "--method", "trace", "--alpha", "0.3"], 2, ["alpha", "0.2151", "0.3"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_arguments_that_cannot_be_served(run_edgewise, csv_file, arguments, status, fragments):
    line = one_sentence(run_edgewise("test", *arguments, cwd=csv_file.parent, status=status))
    for fragment in fragments:
        assert fragment in line
    assert os.listdir(csv_file.parent) == [csv_file.name]


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


class TestMoreColumnsThanRows:
    @pytest.fixture
    def path(self, tmp_path, write_csv):
        X = np.random.default_rng(0).standard_normal((60, 70))
        X[:, 1] += 2 * X[:, 0]
        return write_csv(tmp_path / "wide.csv", [f"g{i}" for i in range(70)], X)

    def test_the_default_names_the_method_that_can(self, run_edgewise, path):
        done = run_edgewise("test", path, status=1)
        assert "60 rows and 70 columns" in done.stderr
        assert "method='nodewise'" in done.stderr

    def test_that_method(self, run_edgewise, path, tmp_path):
        out = tmp_path / "out.json"
        options = ("--method", "nodewise", "--penalty", "1.5", "--max-neighbours", "3")
        done = run_edgewise("test", path, *options, "--json", out)
        assert "g0 – g1" in done.stdout
        found = json.loads(out.read_text(encoding="utf-8"))
        assert found["options"] == {"penalty": 1.5, "max_neighbours": 3}
        assert max(map(len, found["selection"]["neighbours"])) <= 3

    def test_a_wrong_penalty(self, run_edgewise, path):
        done = run_edgewise("test", path, "--method", "nodewise", "--penalty", "-1", status=2)
        assert "penalty: expected a number above 0, got -1.0" in done.stderr

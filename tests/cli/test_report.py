"""`edgewise report`, and the page, the graph and the picture that `edgewise test` writes."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from html import unescape

import numpy as np
import pytest

import edgewise as ew


def page(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    return text


def command_of(text):
    return unescape(re.search(r"<pre>(.*?)</pre>", text, re.S)[1])


def heading(text):
    return unescape(re.search(r"<h1>(.*?)</h1>", text)[1])


def has_ladder(text):
    return "Every method on the same data" in text


def test_the_report_of_a_file(run_edgewise, run_main, csv_file, rows):
    """Where nobody says where, beside nothing else, and with the command that makes it again."""
    folder = csv_file.parent
    asked = ["report", "rows.csv", "--alpha", "0.01", "--correction", "bh"]
    done = run_edgewise(*asked, cwd=folder)
    assert done.stderr == ""
    result = ew.edge_test(rows, feature_names=list("abcd"), alpha=0.01, correction="bh")
    written = folder / "edgewise-report.html"
    assert done.stdout.splitlines() == [
        result.summary().splitlines()[0],
        f"The report is in {written}",
        "The page holds up to 500 sampled rows; leave them out with --no-rows.",
    ]
    assert sorted(os.listdir(folder)) == ["edgewise-report.html", "rows.csv"]
    text = page(written)
    assert heading(text) == "rows.csv"
    assert f"{result.n_edges} of 6 pairs are" in text
    assert "score, α = 0.01, bh" in text
    assert has_ladder(text)
    assert command_of(text) == "edgewise report rows.csv --alpha 0.01 --correction bh"
    # That command does make it again.
    before = written.read_bytes()
    run_main(*shlex.split(command_of(text))[1:])
    assert written.read_bytes() == before


def test_the_report_of_a_state(run_main, rows, tmp_path):
    for kind, options, method in (("m", {}, "trace"), ("b", {"n_batches": 20}, "batch")):
        ew.accumulate(rows, **options).save(tmp_path / f"{kind}.ews")
        out, _ = run_main("report", f"{kind}.ews", "-o", f"{kind}.html")
        assert f"The report is in {tmp_path / kind}.html" in out
        text = page(tmp_path / f"{kind}.html")
        assert heading(text) == f"{kind}.ews"
        assert f"Tested by method “{method}”" in text
        assert not has_ladder(text)


def test_the_report_of_a_sequence(run_main, rows, tmp_path):
    sequence = ew.ConfidenceSequence()
    sequence.update(rows)
    sequence.save(tmp_path / "s.ews")
    run_main("test", "s.ews")
    run_main("report", "s.ews")
    assert not has_ladder(page(tmp_path / "edgewise-report.html"))


def test_rows_from_a_pipe_are_read_once(run_edgewise, csv_file):
    """Method batch reads them once, so there is a result, and a report of it without a ladder."""
    rows = csv_file.read_text(encoding="utf-8")
    asked = ["test", "-", "--method", "batch", "--report", "x.html"]
    done = run_edgewise(*asked, input=rows, cwd=csv_file.parent)
    assert done.stdout.startswith("3 of 6 possible edges")
    assert not has_ladder(page(csv_file.with_name("x.html")))


def test_titles_of_several_files(run_main, rows, tmp_path, write_csv):
    for k in range(5):
        write_csv(tmp_path / f"{k}.csv", "abcd", rows[80 * k : 80 * (k + 1)])
    run_main("report", *(f"{k}.csv" for k in range(3)))
    assert heading(page(tmp_path / "edgewise-report.html")) == "0.csv, 1.csv, 2.csv"
    run_main("report", *(tmp_path / f"{k}.csv" for k in range(5)))
    text = page(tmp_path / "edgewise-report.html")
    assert heading(text) == "0.csv, 1.csv, 2.csv and 2 more"
    assert f"edgewise report {tmp_path}/0.csv" in command_of(text)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--method", "whitened", "--radius", "chi2"], {"method": "whitened", "radius": "chi2"}),
        (["--method", "trace", "--standardize"], {"method": "trace", "standardize": True}),
        (["--min-effect", "0.1", "--columns", "a,b,c"], {"min_effect": 0.1}),
        (
            ["--method", "batch", "--correction", "maxt", "--n-batches", "12"],
            {"method": "batch", "correction": "maxt", "n_batches": 12},
        ),
        (["--correction", "none", "--exclude", "d"], {"correction": None}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_it_takes_what_test_takes(run_main, csv_file, rows, arguments, options):
    out, _ = run_main("report", "rows.csv", *arguments)
    X = rows[:, :3] if {"--columns", "--exclude"} & set(arguments) else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.TooFewRowsWarning)
        result = ew.edge_test(X, **options)
    assert out.startswith(result.summary().splitlines()[0])
    text = page(csv_file.with_name("edgewise-report.html"))
    assert f"{result.n_edges} of {X.shape[1] * (X.shape[1] - 1) // 2} pairs " in text
    assert command_of(text) == shlex.join(["edgewise", "report", "rows.csv", *arguments])


def test_hostile_names(run_main, tmp_path, hostile_names, hostile_rows, write_csv):
    name = "<img src=x onerror=alert(1)>.csv"
    write_csv(tmp_path / name, hostile_names, hostile_rows)
    run_main("report", name)
    text = page(tmp_path / "edgewise-report.html")
    assert "<img" not in text
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert heading(text) == name
    assert command_of(text) == f"edgewise report '{name}'"


def test_missing_values(run_main, tmp_path, rows, write_csv):
    X = rows.copy()
    X[5, 1] = np.nan
    write_csv(tmp_path / "x.csv", "abcd", X)
    _, err = run_main("report", "x.csv", status=1)
    assert "--missing drop" in err
    assert os.listdir(tmp_path) == ["x.csv"]
    _, err = run_main("report", "x.csv", "--drop-missing")
    told = "1 row with missing values was left out; left out because of one column alone: b (1)."
    assert err.splitlines() == [f"edgewise: {told}", "  b ▏········· 1 missing (0.25 %)"]
    assert told in page(tmp_path / "edgewise-report.html")


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["report", "no/such.csv"], 1, ["no file", "no/such.csv"]),
        (["report", "rows.csv", "-o", "nowhere/x.html"], 1, ["cannot write", "nowhere/x.html"]),
        (["report", "rows.csv", "-o", "."], 1, ["name of a file"]),
        (["report", "rows.csv", "-o", "rows.csv"], 1, ["is one of the inputs"]),
        (["report", "rows.csv", "--alpha", "2"], 2, ["alpha", "between 0 and 1"]),
        (["report", "rows.csv", "--radius", "chi2"], 2, ["radius", "'score'"]),
        (["report", "rows.csv", "--min-effect", "1"], 2, ["min_effect"]),
        (["test", "rows.csv", "--report", "nowhere/x.html"], 1, ["cannot write", "nowhere/x.html"]),
        (["test", "rows.csv", "--report", "rows.csv"], 1, ["is one of the inputs"]),
        (["test", "rows.csv", "--graph", "x.gml"], 2, ["x.gml", "graphml", "gexf", "cyjs"]),
        (["test", "rows.csv", "--graph", "nowhere/x.gexf"], 1, ["cannot write", "nowhere/x.gexf"]),
        (["demo", "--report", "nowhere/x.html"], 1, ["cannot write", "nowhere/x.html"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_one_sentence_for_what_cannot_be_done(run_main, csv_file, arguments, status, fragments):
    out, err = run_main(*arguments, status=status)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("edgewise: ")
    for fragment in fragments:
        assert fragment in line
    assert os.listdir(csv_file.parent) == [csv_file.name]


def test_usage(run_main, csv_file):
    _, err = run_main("report", status=2)
    assert "Missing argument 'DATA" in err
    _, err = run_main("test", "rows.csv", "--plot", "x.png", "--plot-kind", "pie", status=2)
    assert "'pie'" in err
    out, _ = run_main("report", "--help")
    assert "one HTML file" in out
    assert "edgewise-report.html" in "".join(out.split())
    assert os.listdir(csv_file.parent) == [csv_file.name]


def test_test_writes_a_report_too(run_main, csv_file, rows):
    out, err = run_main("test", "rows.csv", "--report", "x y.html", "--csv", "x.csv")
    assert err == ""
    result = ew.edge_test(rows)
    assert out.startswith(result.summary().splitlines()[0])
    assert "a – b" in out
    text = page(csv_file.with_name("x y.html"))
    assert has_ladder(text)
    assert command_of(text) == "edgewise test rows.csv --report 'x y.html' --csv x.csv"


def test_comparing_can_be_left_out(run_main, csv_file):
    for asked in (
        ["report", "rows.csv", "-o", "x.html"],
        ["test", "rows.csv", "--report", "x.html"],
    ):
        for flag, wanted in ((["--no-compare"], False), (["--compare"], True), ([], True)):
            run_main(*asked, *flag)
            text = page(csv_file.with_name("x.html"))
            assert has_ladder(text) == wanted
            assert "<dt>tails</dt>" in text


def test_json_on_standard_output_stays_alone(run_main, csv_file):
    import json

    out, _ = run_main("test", "rows.csv", "--report", "x.html", "--json", "-")
    assert json.loads(out)["n_samples"] == 400
    page(csv_file.with_name("x.html"))


@pytest.mark.parametrize("kind", ["gexf", "cyjs", "graphml"])
def test_graphs(run_main, csv_file, rows, require, kind):
    import json

    run_main("test", "rows.csv", "--graph", f"x.{kind}")
    nx, path = require("networkx"), csv_file.with_name(f"x.{kind}")
    if kind == "cyjs":
        graph = nx.cytoscape_graph(json.loads(path.read_bytes()))
    else:
        graph = {"gexf": nx.read_gexf, "graphml": nx.read_graphml}[kind](path)
    result = ew.edge_test(rows, feature_names=list("abcd"))
    assert set(graph) == set("abcd")
    assert {frozenset(edge) for edge in graph.edges} == {
        frozenset(edge[:2]) for edge in result.edges()
    }


def test_pictures(run_main, csv_file, require):
    """Every kind is drawn, and no two are the same."""
    seen = {}
    for kind in ("network", "heatmap", "volcano", "forest", "pvalues"):
        run_main("test", "rows.csv", "--plot", f"{kind}.png", "--plot-kind", kind)
        pixels = require("matplotlib.image").imread(csv_file.with_name(f"{kind}.png"))
        assert min(pixels.shape[:2]) > 300
        assert pixels.std() > 0.01
        seen[kind] = pixels.tobytes()
    assert len(set(seen.values())) == 5
    run_main("test", "rows.csv", "--plot", "default.png")
    pixels = require("matplotlib.image").imread(csv_file.with_name("default.png"))
    assert pixels.tobytes() == seen["network"]


@pytest.mark.parametrize("arguments", [["report", "-o"], ["test", "--report"]])
def test_a_report_has_the_name_of_a_page(run_edgewise, csv_file, tmp_path, arguments):
    """Before the work: a browser would show the source of anything else."""
    command, option = arguments
    done = run_edgewise(command, csv_file, option, tmp_path / "x.txt", status=2)
    assert "expected one of 'html', 'htm'; got 'txt'." in done.stderr
    assert not (tmp_path / "x.txt").exists()

"""Files that commands write: refused before the work, or written there and nowhere else."""

from __future__ import annotations

import os
import re
import shlex
import webbrowser
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


def compares(text):
    return "Every method on the same data" in text


def test_one_output_for_each_place(refused, csv_file, tmp_path):
    for arguments, sentence in (
        (["--json", "x", "--csv", "x"], "--csv and --json: only one of them can go to 'x'"),
        (["--json", "x", "--csv", "./x"], "--csv and --json: only one"),
        (["--json", "-", "--csv", "-"], "only one of them can go to standard output"),
        (["--plot", "-"], "expected one of 'png', 'svg', 'pdf'"),
        (["--graph", "-"], "expected one of 'graphml'"),
        (["--plot-kind", "forest"], "also say where, with --plot FILE"),
    ):
        assert sentence in refused("test", "rows.csv", *arguments)
    (tmp_path / "link").symlink_to("x")
    assert "--csv and --json" in refused("test", "rows.csv", "--json", "x", "--csv", "link")
    assert "only one" in refused("diff", "a.csv", "b.csv", "--json", "x", "--csv", "x")


def test_no_input_is_replaced(refused, csv_file, tmp_path):
    (tmp_path / ".link.csv").symlink_to(csv_file)
    (tmp_path / "pairs.csv").write_text("a,b\n")
    for command in (
        "test rows.csv --json ./rows.csv",
        "test *.csv --csv .link.csv",
        "test rows.csv --pairs pairs.csv --csv pairs.csv",
        "pair rows.csv a b --json rows.csv",
        "diff other.csv rows.csv --csv rows.csv",
        "accumulate . -o rows.csv",
    ):
        output = command.split()[-1]
        line = refused(*command.split(), status=1)
        assert line == f"output: '{output}' is one of the inputs; choose another name."


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no file")
def test_what_cannot_be_written_is_noticed_before_the_work(refused, csv_file, monkeypatch):
    def worked(*given, **options):
        raise AssertionError("something was read or made")

    for name in (
        "tables.files.FileTable._read",
        "sums.save.load_state",
        "cli.simulate.sample_batches",
        "cli.test.load_sp500_returns",
    ):
        monkeypatch.setattr(f"edgewise.{name}", worked)
    for command in (
        *("test rows.csv --json x", "test rows.csv --csv x", "test rows.csv --graph x.gexf"),
        *("test rows.csv --plot x.png", "pair rows.csv a b --json x", "demo --plot x.png"),
        *("diff rows.csv b.csv --json x", "report rows.csv -o x.html", "demo --report x.html"),
        *("accumulate rows.csv -o x", "merge rows.state -o x", "simulate -o x.parquet"),
    ):
        *arguments, name = command.split()
        assert refused(*arguments, f"/proc/self/{name}", status=1).startswith("output: cannot ")


@pytest.mark.parametrize(
    "asked", ["test --json x", "test --csv x", "report --no-compare --no-rows -o x.html"]
)
def test_standard_output_has_what_a_file_has(run_main, csv_file, tmp_path, asked):
    command, *options, name = asked.split()
    run_main(command, "rows.csv", *options, name)
    out, _ = run_main(command, "rows.csv", *options, "-")
    text = (tmp_path / name).read_bytes().decode()
    if command == "report":  # which holds the command that made it
        assert out.startswith("<!doctype html>")
        assert abs(len(out) - len(text)) < 100
    else:
        assert out == text.replace("\r\n", "\n")
    assert {*os.listdir(tmp_path)} - {"x.notes.txt"} == {"rows.csv", name}


def test_the_report_of_a_file(run_main, csv_file, rows, tmp_path):
    """Where nobody says where, beside nothing else, and with the command that makes it again."""
    asked = ["report", "rows.csv", "--alpha", "0.01", "--correction", "bh"]
    out, _ = run_main(*asked)
    result = ew.edge_test(rows, feature_names=list("abcd"), alpha=0.01, correction="bh")
    written = tmp_path / "edgewise-report.html"
    assert out.splitlines() == [
        result.headline(),
        f"The report is in {written}",
        "The page holds up to 500 sampled rows; leave them out with --no-rows.",
    ]
    assert sorted(os.listdir(tmp_path)) == ["edgewise-report.html", "rows.csv"]
    text = page(written)
    assert heading(text) == "rows.csv"
    assert f"{result.n_edges} of 6 pairs are" in text
    assert "score, α = 0.01, bh" in text
    assert compares(text)
    assert command_of(text) == shlex.join(["edgewise", *asked])


def test_reports_of_states_pipes_and_several_files(run_main, csv_file, rows, tmp_path):
    ew.accumulate(rows, n_batches=20).save(tmp_path / "b.ews")
    out, _ = run_main("report", "b.ews", "-o", "b.html")
    assert "sampled rows" not in out
    text = page(tmp_path / "b.html")
    assert heading(text) == "b.ews"
    assert "Tested by method “batch”" in text
    assert not compares(text)
    text = csv_file.read_text(encoding="utf-8")
    run_main("report", "-", "--method", "batch", "-o", "x y.html", input=text)
    text = page(tmp_path / "x y.html")
    assert not compares(text)
    assert command_of(text) == "edgewise report - --method batch -o 'x y.html'"
    for k in range(5):
        np.save(tmp_path / f"{k}.npy", rows[80 * k : 80 * (k + 1)])
    run_main("report", *(f"{k}.npy" for k in range(5)), "--no-compare", "--no-rows")
    text = page(tmp_path / "edgewise-report.html")
    assert heading(text) == "0.npy, 1.npy, 2.npy and 2 more"
    assert not compares(text)


def test_the_page_is_opened(run_main, refused, csv_file, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    run_main("report", "rows.csv", "--no-compare", "-o", "x y.html", "--open")
    assert "a browser needs a file" in refused("report", "rows.csv", "-o", "-", "--open")
    line = refused("report", "rows.csv", "-o", "x.txt")
    assert "expected one of 'html', 'htm'; got 'txt'." in line
    assert opened == [csv_file.with_name("x y.html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    _, err = run_main("report", "rows.csv", "--no-compare", "--open")
    assert err.endswith("edgewise: no browser could be started; open the page yourself.\n")


def test_demo(run_edgewise, tmp_path, require):
    done = run_edgewise("demo", cwd=tmp_path)
    picture, report = tmp_path / "edgewise-demo.png", tmp_path / "edgewise-demo.html"
    assert sorted(os.listdir(tmp_path)) == [report.name, picture.name]
    assert min(require("matplotlib.image").imread(picture).shape[:2]) > 300
    assert f"The report is in {report}" in done.stdout
    # Table, picture and report are of the method that fits.
    result = ew.edge_test(ew.datasets.load_sp500_returns())
    assert result.method == "batch"
    assert result.headline() in done.stdout
    for edge in result.edges()[:15]:
        assert f"{edge.source} – {edge.target}" in done.stdout
    page = report.read_text(encoding="utf-8")
    assert "<h1>Daily returns of 20 S&amp;P 500 companies, 1990–2022</h1>" in page
    assert f"{result.n_edges} of 190 pairs are" in page


def test_what_cannot_be_written(run_main, tmp_path):
    for option in ("--plot", "--report"):
        path = tmp_path / "nowhere" / "x.png"
        _, err = run_main("demo", option, path, status=1)
        assert f"cannot write '{path}'" in err
    assert os.listdir(tmp_path) == []

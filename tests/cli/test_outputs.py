"""Where results go: refused before the work, or written there and nowhere else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import edgewise as ew


@pytest.fixture
def refused(run_main, csv_file, tmp_path):
    """The command is refused with one sentence, and writes nothing."""

    def check(*arguments, status=2):
        before = sorted(os.listdir(tmp_path))
        out, err = run_main(*arguments, status=status)
        assert out == ""
        assert sorted(os.listdir(tmp_path)) == before
        line = err.splitlines()[-1]
        return line.removeprefix("Error: ").removeprefix("edgewise: ")

    return check


class TestOnePlace:
    def test_two_outputs(self, refused, tmp_path):
        line = refused("test", "rows.csv", "--json", "x", "--csv", "x")
        assert line.startswith("--csv and --json: only one of them can go to 'x'")
        assert "--csv and --json" in refused("test", "rows.csv", "--json", "x", "--csv", "./x")
        (tmp_path / "link").symlink_to("x")
        assert "--csv and --json" in refused("test", "rows.csv", "--json", "x", "--csv", "link")
        assert "--csv and --graphml" in refused("test", "rows.csv", "--graphml", "x", "--csv", "x")
        assert "--csv and --json" in refused("diff", "a.csv", "b.csv", "--json", "x", "--csv", "x")

    def test_standard_output(self, refused):
        line = refused("test", "rows.csv", "--json", "-", "--csv", "-")
        assert line.startswith("--csv and --json: only one of them can go to standard output")
        assert "--report and --csv" in refused("test", "rows.csv", "--report", "-", "--csv", "-")
        assert "--csv and --json" in refused("diff", "a.csv", "b.csv", "--json", "-", "--csv", "-")

    def test_a_device_takes_any_number(self, run_main, csv_file):
        out, _ = run_main("test", csv_file, "--json", os.devnull, "--csv", os.devnull)
        assert "possible edges" in out

    def test_an_input(self, refused, tmp_path, csv_file):
        (tmp_path / "link.csv").symlink_to(csv_file)
        for output in ("rows.csv", "./rows.csv", "link.csv"):
            for command in (["test"], ["pair"], ["diff", "other.csv"]):
                more = ["a", "b"] if command == ["pair"] else []
                line = refused(*command, "rows.csv", *more, "--json", output, status=1)
                assert line == f"output: '{output}' is one of the inputs; choose another name."

    @pytest.mark.parametrize("data", [".", "*.csv"])
    def test_an_input_in_a_folder(self, refused, data):
        line = refused("test", data, "--csv", "rows.csv", status=1)
        assert line.startswith("output: 'rows.csv' is one of the inputs")

    def test_the_pairs(self, refused, tmp_path):
        (tmp_path / "pairs.csv").write_text("a,b\n")
        line = refused("test", "rows.csv", "--pairs", "pairs.csv", "--csv", "pairs.csv", status=1)
        assert "'pairs.csv' is one of the inputs" in line


class TestStandardOutput:
    @pytest.mark.parametrize("kind", ["json", "csv", "graphml", "report"])
    def test_has_what_a_file_has(self, run_edgewise, csv_file, tmp_path, kind):
        name = "x.html" if kind == "report" else f"x.{kind}"
        arguments = ["test", csv_file.name, *(["--no-compare"] if kind == "report" else [])]
        run_edgewise(*arguments, f"--{kind}", name, cwd=tmp_path)
        done = run_edgewise(*arguments, f"--{kind}", "-", cwd=tmp_path)
        text = (tmp_path / name).read_bytes().decode()
        if kind == "report":  # which holds the command that made it
            assert done.stdout.startswith("<!doctype html>")
            assert abs(len(done.stdout) - len(text)) < 100
        else:
            assert done.stdout == text.replace("\r\n", "\n")
        assert sorted(os.listdir(tmp_path)) == sorted(["rows.csv", name])

    @pytest.mark.parametrize("kind", ["json", "csv", "report"])
    def test_of_a_comparison(self, run_edgewise, csv_file, tmp_path, rows, write_csv, kind):
        write_csv(tmp_path / "more.csv", "abcd", rows[:200, ::-1])
        done = run_edgewise("diff", "rows.csv", "more.csv", f"--{kind}", "-", cwd=tmp_path)
        start = {"json": "{", "csv": "# ", "report": "<!doctype html>"}[kind]
        assert done.stdout.startswith(start)
        assert "That any pair differs" not in done.stdout or kind == "report"

    def test_other_names_of_it(self, run_edgewise, csv_file, tmp_path):
        if not os.path.exists("/dev/stdout"):
            pytest.skip("has no /dev/stdout")
        done = run_edgewise("test", csv_file, "--json", "/dev/stdout")
        assert json.loads(done.stdout)["n_samples"] == 400
        # The same file as standard output; it is not replaced while it is written.
        with (tmp_path / "x.json").open("w") as file:
            run_edgewise("test", csv_file, "--json", tmp_path / "x.json", stdout=file)
        assert json.loads((tmp_path / "x.json").read_text())["n_samples"] == 400

    def test_a_pair_and_a_page(self, run_edgewise, csv_file):
        answer = json.loads(run_edgewise("pair", csv_file, "a", "b", "--json", "-").stdout)
        assert answer["n_samples"] == 400
        done = run_edgewise("report", csv_file, "--no-compare", "-o", "-")
        assert done.stdout.startswith("<!doctype html>")
        assert done.stdout.endswith("</html>\n") or done.stdout.endswith("</html>")

    def test_a_state(self, run_edgewise, csv_file, tmp_path):
        with (tmp_path / "piped.ews").open("wb") as file:
            done = run_edgewise("accumulate", csv_file, "-o", "-", stdout=file)
        assert done.stderr == "edgewise: 400 rows of 4 columns are in standard output\n"
        assert ew.load_state(tmp_path / "piped.ews").n_samples == 400
        done = run_edgewise("accumulate", csv_file, "-o", "-", "--resume", status=2)
        assert "name a file" in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "hint"),
        [
            (["test", "rows.csv", "--plot", "-"], "name a file that ends in .png, .svg or .pdf"),
            (["compare", "rows.csv", "--plot", "-"], ".png"),
            (["demo", "--plot", "-"], ".png"),
            (["demo", "--report", "-"], "the tables go to standard output; name a file"),
            (["test", "rows.csv", "--graph", "-"], "--graphml -"),
            (["simulate", "-o", "-"], "parquet"),
        ],
    )
    def test_what_makes_no_sense(self, refused, arguments, hint):
        assert hint in refused(*arguments)

    def test_a_file_called_so(self, run_main, csv_file):
        run_main("test", csv_file, "--json", "./-")
        assert json.loads(Path("-").read_text())["n_samples"] == 400


@pytest.mark.parametrize(
    "arguments",
    [
        *(["test", "rows.csv", f"--{kind}", f"x.{kind}"] for kind in ("json", "csv", "graphml")),
        ["test", "rows.csv", "--graph", "x.gexf"],
        ["test", "rows.csv", "--report", "x.html"],
        ["test", "rows.csv", "--plot", "x.png"],
        ["pair", "rows.csv", "a", "b", "--json", "x.json"],
        ["compare", "rows.csv", "--plot", "x.png"],
        ["diff", "rows.csv", "more.csv", "--json", "x.json"],
        ["diff", "rows.csv", "more.csv", "--report", "x.html"],
        ["report", "rows.csv", "-o", "x.html"],
        ["accumulate", "rows.csv", "-o", "x.state"],
        ["accumulate", "rows.csv", "-o", "x.state", "--checkpoint-every", "9"],
        ["merge", "rows.state", "-o", "x.state"],
        ["simulate", "-o", "x.parquet"],
        ["demo", "--plot", "x.png"],
        ["demo", "--report", "x.html"],
    ],
    ids=" ".join,
)
def test_a_folder_that_takes_no_file_is_noticed_before_the_work(
    run_main, csv_file, monkeypatch, arguments
):
    if not os.path.isdir("/proc/self"):
        pytest.skip("has no folder that takes no file, whoever asks")

    def worked(*given, **options):
        raise AssertionError("something was read or made")

    monkeypatch.setattr("edgewise.rows.readers.files.FileTable._read", worked)
    monkeypatch.setattr("edgewise.states.registry.load_state", worked)
    monkeypatch.setattr("edgewise.simulate.sample_batches", worked)
    monkeypatch.setattr("edgewise.datasets.load_sp500_returns", worked)
    there = [name if name[0] != "x" else f"/proc/self/{name}" for name in arguments]
    out, err = run_main(*there, status=1)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("edgewise: output: cannot ")
    assert "/proc/" in line

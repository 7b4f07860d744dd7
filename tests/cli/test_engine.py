"""`edgewise test --engine dask`: the same answer, and one sentence for whatever is wrong."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.rows.clusters.connecting import dask_client

TWO_LEFT_OUT = (
    "edgewise: 2 rows with missing values were left out; left out because of one column alone: "
    "b (2)."
)


@pytest.fixture(scope="module")
def scheduler(require):
    """The address of a cluster of two workers, which are threads of this process."""
    with require("distributed").LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path, rows, write_csv):
    """`rows` in three files, one of them in another order; where commands are run."""
    write_csv(tmp_path / "part1.csv", "abcd", rows[:100])
    write_csv(tmp_path / "part2.csv", "abcd", rows[100:101])
    write_csv(tmp_path / "part3.csv", "dbca", rows[101:, [3, 1, 2, 0]])
    return tmp_path


def one_sentence(out, err):
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("edgewise: ")
    return line


def test_the_cores_of_this_machine(run_edgewise, folder, rows, require):
    """A cluster is made, used and ended, and says nothing of itself."""
    require("distributed")
    done = run_edgewise("test", ".", "--engine", "dask", "--json", "-", cwd=folder)
    assert done.stderr == ""
    document, expected = json.loads(done.stdout), ew.edge_test(rows)
    assert (document["n_samples"], document["feature_names"]) == (400, list("abcd"))
    np.testing.assert_allclose(document["precision"], expected.precision, rtol=1e-12)
    assert document["reject"] == expected.reject.tolist()


def test_a_file_that_cannot_be_tested(run_edgewise, folder, rows, write_csv, require):
    """Workers of other processes have a standard error too."""
    require("distributed")
    X = rows[:100].copy()
    X[7, 1] = np.nan
    write_csv(folder / "part4.csv", "abcd", X)
    done = run_edgewise("test", ".", "--engine", "dask", cwd=folder, status=1)
    line = one_sentence(done.stdout, done.stderr)
    for fragment in ("part4.csv", "'b' (1)", "--missing drop"):
        assert fragment in line


@pytest.mark.parametrize(
    ("arguments", "columns", "options"),
    [
        ([], "abcd", {}),
        (["--columns", "d,a", "--method", "fisher"], "da", {"method": "fisher"}),
        (["--exclude", "c", "--method", "wald"], "abd", {"method": "wald"}),
        (["--method", "batch", "--n-batches", "20"], "abcd", {"method": "batch", "n_batches": 20}),
        (
            ["--method", "spectral", "--radius", "chi2", "--solver", "full"],
            "abcd",
            {"method": "spectral", "radius": "chi2", "solver": "full"},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_a_cluster_elsewhere(run_main, folder, rows, scheduler, arguments, columns, options):
    command = ["test", "part*.csv", "--engine", "dask", "--scheduler", scheduler, "--json", "-"]
    out, _ = run_main(*command, *arguments)
    document = json.loads(out)
    expected = ew.edge_test(rows[:, ["abcd".index(name) for name in columns]], **options)
    assert document["feature_names"] == list(columns)
    assert (document["method"], document["n_samples"]) == (expected.method, 400)
    upper = np.triu_indices(len(columns), k=1)
    found = np.array(document["statistic"], dtype=float)[upper]
    np.testing.assert_allclose(found, expected.statistic[upper], rtol=1e-12)
    assert document["reject"] == expected.reject.tolist()


def test_groups_span_files(run_main, folder, rows, scheduler, write_csv):
    labels = np.arange(400) % 25
    for number, part in enumerate((slice(0, 150), slice(150, 400))):
        write_csv(folder / f"g{number}.csv", "sabcd", np.column_stack([labels, rows])[part])
    command = ["test", "g*.csv", "--engine", "dask", "--scheduler", scheduler, "--json", "-"]
    document = json.loads(run_main(*command, "--groups", "s")[0])
    expected = ew.edge_test(rows, groups=labels)
    assert document["options"] == {"groups": "s", "n_groups": 25}
    np.testing.assert_allclose(
        np.array(document["statistic"], dtype=float), expected.statistic, rtol=1e-12
    )


def test_without_the_matrix(run_main, folder, scheduler):
    asked = ["test", ".", "--method", "eig", "--solver", "matrix-free", "--json", "-"]
    here, _ = run_main(*asked)
    there, _ = run_main(*asked, "--engine", "dask", "--scheduler", scheduler)
    mine, theirs = (json.loads(text)["options"] for text in (here, there))
    assert mine["solver"] == theirs["solver"] == "matrix-free"
    assert mine["iterations"] == theirs["iterations"]


def test_the_table_and_every_output(run_main, folder, scheduler):
    command = ["--engine", "dask", "--scheduler", scheduler, "--csv", "o.csv", "--plot", "o.png"]
    out, err = run_main("test", "part1.csv", "part3.csv", *command, "--report", "o.html")
    assert err == ""
    assert re.match(r"\d of 6 possible edges among 4 variables, from 399 rows", out)
    assert "a – b" in out
    assert {"o.csv", "o.png", "o.html"} <= set(os.listdir(folder))


def test_rows_that_are_left_out(run_main, folder, rows, scheduler, write_csv):
    X = rows.copy()
    X[[3, 9], 1] = np.nan
    write_csv(folder / "holes.csv", "abcd", X)
    for method in ("score", "batch"):
        command = ["--engine", "dask", "--scheduler", scheduler, "--method", method]
        _, err = run_main("test", "holes.csv", *command, "--drop-missing")
        assert err.splitlines() == [TWO_LEFT_OUT, "  b ▏········· 2 missing (0.5 %)"]


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["no/such.csv"], 1, ["no file", "no/such.csv"]),
        (["part1.csv", "--columns", "a,z"], 1, ["'z'", "part1.csv"]),
        (
            ["part1.csv", "part3.csv", "--budget", "1", "--method", "trace"],
            2,
            ["budget", "on a cluster"],
        ),
        (["part1.csv", "--alpha", "0"], 2, ["alpha", "between 0 and 1"]),
        (["part2.csv"], 1, ["at least 3 rows", "n_samples=1"]),
        (["part1.csv", "other.csv"], 1, ["other.csv", "it lacks"]),
        (["part1.csv", "text.csv"], 1, ["text.csv", "'b'", "numbers"]),
        (["part1.csv", "--exclude", "a,b,c"], 1, ["minimum of 2"]),
        (["constant.csv"], 1, ["constant column 'b'"]),
        (["copy.csv"], 1, ["'b' duplicates column 'a'"]),
        (["state.ews"], 1, ["state.ews"]),
        (["part1.csv", "--csv", "nowhere/o.csv"], 1, ["cannot write", "nowhere/o.csv"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_served(run_main, folder, scheduler, rows, arguments, status, fragments):
    (folder / "other.csv").write_text("a,b\n1,2\n")
    (folder / "text.csv").write_text("a,b,c,d\n1,x,2,3\n2,y,2,3\n")
    (folder / "constant.csv").write_text("a,b\n1,2\n3,2\n4,2\n")
    (folder / "copy.csv").write_text("a,b\n1,2\n3,6\n4,8\n")
    ew.accumulate(rows).save(folder / "state.ews")
    command = ["test", *arguments, "--engine", "dask", "--scheduler", scheduler]
    line = one_sentence(*run_main(*command, status=status))
    for fragment in fragments:
        assert fragment in line


def test_standard_input(run_main, folder, scheduler, monkeypatch):
    with (folder / "part1.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        command = ["test", "-", "--engine", "dask", "--scheduler", scheduler]
        line = one_sentence(*run_main(*command, status=1))
    assert "standard input" in line
    assert "write the rows to files" in line


def test_a_cluster_that_does_not_answer(run_main, folder, require, monkeypatch):
    require("distributed")
    monkeypatch.setitem(dask_client.__wrapped__.__kwdefaults__, "timeout", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        command = ["test", "part1.csv", "--engine", "dask", "--scheduler", address]
        line = one_sentence(*run_main(*command, status=2))
    assert address in line
    assert "within 0.5 s" in line


def test_without_dask(run_main, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    line = one_sentence(*run_main("test", "part1.csv", "--engine", "dask", status=1))
    assert "[dask]'`" in line


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        (["--scheduler", "tcp://a:1"], ["--scheduler", "--engine dask"]),
        (["--engine", "local", "--scheduler", "tcp://a:1"], ["--engine dask"]),
        (["--engine", "spark", "--scheduler", "tcp://a:1"], ["--engine dask"]),
        (["--engine", "ray"], ["'ray'", "local", "dask"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(run_main, folder, arguments, fragments):
    out, err = run_main("test", "part1.csv", *arguments, status=2)
    assert out == ""
    for fragment in fragments:
        assert fragment in err


def test_help(run_main):
    text, _ = run_main("test", "--help")
    assert "--engine [local|dask|spark]" in text
    assert "--scheduler ADDRESS" in text


def test_nothing_is_imported_before_it_is_asked_for():
    code = (
        "import sys, edgewise.cli.test\n"
        "print(sorted({'dask', 'distributed', 'pyspark', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_bar_on_a_terminal(folder, scheduler, require):
    """Dask's own, on standard error; standard output has the result alone."""
    pty = require("pty")
    leader, follower = pty.openpty()
    program = Path(sys.executable).parent / "edgewise"
    process = subprocess.Popen(
        [program, "test", ".", "--engine", "dask", "--scheduler", scheduler, "--json", "-"],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=follower,
    )
    os.close(follower)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:  # the other end was closed
        pass
    out, _ = process.communicate(timeout=120)
    os.close(leader)
    assert process.returncode == 0, shown
    assert b"[####" in shown
    assert b"100% Completed" in shown
    assert json.loads(out)["n_samples"] == 400


class TestOtherCommands:
    """Every command that reads rows can have them read by a cluster."""

    @pytest.fixture
    def there(self, scheduler):
        return ["--engine", "dask", "--scheduler", scheduler]

    @pytest.mark.parametrize("kind", ["moments", "batches"])
    def test_accumulate(self, run_main, folder, rows, there, kind):
        asked = ["accumulate", "part*.csv", "-o", "x.state", "--kind", kind, "--n-batches", "20"]
        out, err = run_main(*asked, *there)
        assert (out, err) == ("400 rows of 4 columns are in x.state\n", "")
        state = ew.load_state(folder / "x.state")
        assert state.feature_names == tuple("abcd")
        np.testing.assert_allclose(state.covariance(), np.cov(rows, rowvar=False), rtol=1e-12)
        if kind == "batches":
            stream = ew.accumulate(rows, n_batches=20)
            assert state.batch_counts().tolist() == stream.batch_counts().tolist()

    def test_accumulate_has_no_checkpoints_there(self, run_main, folder, there):
        for option in (["--checkpoint-every", "5"], ["--resume"]):
            _, err = run_main("accumulate", "part1.csv", "-o", "x.state", *option, *there, status=2)
            assert "--engine local" in err

    def test_compare(self, run_main, folder, there):
        here, _ = run_main("compare", ".")
        found, err = run_main("compare", ".", *there)
        assert err == ""
        # All but the seconds that each method took.
        # Its last line says how to go on, there with the engine.
        there, here = (without_times(text).partition("Next, ")[0] for text in (found, here))
        assert there == here

    def test_report(self, run_main, folder, there):
        out, err = run_main("report", ".", "-o", "there.html", *there)
        assert err == ""
        assert "from 400 rows" in out
        page = (folder / "there.html").read_text(encoding="utf-8")
        run_main("report", ".", "-o", "here.html")
        here = (folder / "here.html").read_text(encoding="utf-8")
        # With the facts about the data and every method side by side, as from rows that are here.
        for text in ("times the kurtosis of Gaussian rows", "dependence between rows", "whitened"):
            assert (text in page) == (text in here) == True  # noqa: E712

    def test_rows_that_are_left_out(self, run_main, folder, rows, there, write_csv):
        X = rows.copy()
        X[[3, 9], 1] = np.nan
        write_csv(folder / "holes.csv", "abcd", X)
        for command in (["compare"], ["accumulate", "-o", "x.state"]):
            _, err = run_main(*command, "holes.csv", "part3.csv", "--drop-missing", *there)
            assert err == "edgewise: left out 2 rows with missing or infinite values.\n"
        _, err = run_main("report", "holes.csv", "part3.csv", "--drop-missing", *there)
        assert err.splitlines()[0] == TWO_LEFT_OUT

    @pytest.mark.parametrize("command", ["accumulate -o x.state", "compare", "report"])
    def test_wrong_usage(self, run_main, folder, command):
        asked = [*command.split(), "part1.csv", "--master", "spark://a:1"]
        _, err = run_main(*asked, status=2)
        assert "--engine spark" in err


def without_times(table):
    """A printed table without its last column."""
    return re.sub(r"│[^│\n]*│$", "", table, flags=re.MULTILINE)

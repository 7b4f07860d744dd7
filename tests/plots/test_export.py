"""Results as files: they open again, they are whole, and names in them stay names."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

import edgewise as ew
from edgewise.plots import export
from edgewise.results.result import Edge


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows)


@pytest.fixture(scope="module")
def hostile(require, hostile_names, hostile_rows):
    table = require("pyarrow").table(dict(zip(hostile_names, hostile_rows.T, strict=True)))
    found = ew.edge_test(table)
    assert found.n_edges >= len(hostile_names) - 1
    return found


WRITERS = {
    "csv": export.write_csv,
    "graphml": export.write_graph,
    "gexf": export.write_graph,
    "cyjs": export.write_graph,
    "json": lambda result, path: result.to_json(path),
    "png": lambda result, path: export.write_plot(result.plot(), path),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_missing_folder_is_one_sentence(tmp_path, result, refuses, kind):
    path = tmp_path / "nowhere" / f"x.{kind}"
    refuses(lambda: WRITERS[kind](result, path), ew.errors.DataError, "cannot write", str(path))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "inner"),
    [
        ("csv", "edgewise.results.result.EdgeTestResult.pairs"),
        ("graphml", "networkx.write_graphml_xml"),
        ("gexf", "networkx.write_gexf"),
        ("cyjs", "pathlib.Path.write_text"),
        ("json", "pathlib.Path.write_text"),
        ("png", "matplotlib.figure.Figure.savefig"),
    ],
)
def test_a_failure_half_way_keeps_the_old_file(tmp_path, result, monkeypatch, kind, inner):
    path = tmp_path / f"x.{kind}"
    path.write_text("old")

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inner, fail)
    with pytest.raises(ew.errors.DataError, match="No space left on device"):
        WRITERS[kind](result, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_csv_holds_every_pair_exactly(tmp_path, result):
    path = tmp_path / "x.csv"
    export.write_csv(result, path)
    with path.open(encoding="utf-8", newline="") as file:
        assert next(file) == (
            "# interval_low and interval_high: 95 % interval for all pairs at once\r\n"
        )
        header, *lines = csv.reader(file)
    assert tuple(header) == Edge._fields
    pairs = result.pairs()
    assert len(lines) == len(pairs) == 6
    for line, pair in zip(lines, pairs, strict=True):
        assert line[:2] == [pair.source, pair.target]
        assert [float(cell) for cell in line[2:-2]] == list(pair[2:-2])
        assert line[-2:] == [str(pair.reject), "400"]


def test_csv_has_cautions_at_its_head(tmp_path, result, require):
    path = tmp_path / "x.csv"
    told = ("Rows depend.", "Column 'a,=cmd|' looks; odd,\nit\ud800 does.")
    export.write_csv(replace(result, cautions=told), path)
    _, first, second, header = path.read_text(encoding="utf-8").splitlines()[:4]
    assert first == "# caution: Rows depend."
    # No cell of it begins with a formula, however a program separates the cells.
    assert second == "# caution: Column 'a, =cmd|' looks; odd, it\\ud800 does."
    assert header.replace('"', "").split(",") == list(Edge._fields)
    frame = require("pandas").read_csv(path, comment="#")
    assert list(frame.columns) == list(Edge._fields)
    assert len(frame) == 6


def test_csv_runs_no_formula(tmp_path, hostile, hostile_names):
    path = tmp_path / "x.csv"
    export.write_csv(hostile, path)
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
        cells = {cell for line in list(csv.reader(lines))[1:] for cell in line[:2]}
    assert "'=cmd|' /C calc'!A0" in cells
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert cells - {"'=cmd|' /C calc'!A0"} == set(hostile_names[1:])


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_readers_skip_the_remarks_and_keep_the_names(tmp_path, rows, require, backend):
    names = ["#a", "b # c", 'd"#', "e, =f"]
    result = ew.edge_test(rows, feature_names=names)
    export.write_csv(result, tmp_path / "x.csv")
    comment = {"comment": "#"} if backend == "pandas" else {"comment_prefix": "#"}
    frame = require(backend).read_csv(tmp_path / "x.csv", **comment)
    assert tuple(frame.columns) == Edge._fields
    for column in ("source", "target", "interval_low", "interval_high", "reject"):
        assert list(frame[column]) == [getattr(pair, column) for pair in result.pairs()]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "PNG"])
def test_pictures_are_of_the_kind_that_the_name_says(tmp_path, result, require, kind):
    path = tmp_path / f"x.{kind}"
    require("matplotlib")
    export.write_plot(result.plot(), path)
    content = path.read_bytes()
    if kind == "svg":
        assert ET.fromstring(content).tag.endswith("svg")
    elif kind == "pdf":
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")
    else:
        pixels = require("matplotlib.image").imread(path, format="png")
        assert min(pixels.shape[:2]) > 300
        assert pixels.std() > 0.01  # something is drawn


@pytest.mark.parametrize("name", ["x.gif", "x.jpg", "x", "png"])
def test_other_kinds_of_pictures_are_refused(tmp_path, result, refuses, name):
    path = tmp_path / name
    refuses(
        lambda: export.write_plot(result.plot(), path),
        ew.errors.ParameterError,
        str(path),
        "png",
        "svg",
    )
    assert os.listdir(tmp_path) == []

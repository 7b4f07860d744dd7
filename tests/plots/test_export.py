"""Results as files: they open again, they are whole, and names in them stay names."""

from __future__ import annotations

import os
from xml.etree import ElementTree as ET

import pytest

import edgewise as ew
from edgewise.errors import DataError

KINDS = ("csv", "graphml", "gexf", "cyjs", "json", "png")


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_folder_is_one_sentence(tmp_path, result, refuses, kind):
    path = tmp_path / "nowhere" / f"x.{kind}"
    refuses(lambda: result.save(path), DataError, "cannot write", str(path))
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
def test_a_failure_half_way_keeps_the_old_file(tmp_path, rows, monkeypatch, kind, inner):
    path, result = tmp_path / f"x.{kind}", ew.edge_test(rows)
    path.write_text("old")

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inner, fail)
    with pytest.raises((DataError, OSError), match="No space left on device"):
        result.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "PNG"])
def test_pictures_are_of_the_kind_that_the_name_says(tmp_path, result, require, kind):
    path = tmp_path / f"x.{kind}"
    result.save(path)
    assert require("matplotlib.pyplot").get_fignums() == []
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

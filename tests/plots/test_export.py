"""Results as files: they open again, they are whole, and names in them stay names."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise._text import distinct_texts
from edgewise.errors import DataError, ParameterError
from edgewise.plots.export import GRAPH_KINDS, write_graph

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


# Graphs as files: other programs read the graph that was found, with its names and numbers.


NUMBERS = (
    *("weight", "distance", "partial_correlation", "standard_error"),
    *("interval_low", "interval_high", "precision"),
    *("statistic", "pvalue", "adjusted_pvalue"),
)
every_kind = pytest.mark.parametrize("kind", GRAPH_KINDS)


@pytest.fixture(scope="module")
def hostile(hostile_names, hostile_rows):
    return ew.edge_test(hostile_rows, feature_names=hostile_names)


@pytest.fixture(scope="module")
def read(require):
    nx = require("networkx")
    readers = {
        "graphml": nx.read_graphml,
        "gexf": nx.read_gexf,
        "cyjs": lambda path: nx.cytoscape_graph(json.loads(path.read_bytes())),
    }
    return lambda path: readers[path.suffix.lstrip(".")](path)


def named(result, *names):
    return result.with_measured(feature_names=names)


def assert_same_graph(read, result, names):
    """`read` has the edges of `result`, its variables called `names`."""
    assert list(read.nodes) == list(names)
    place = dict(zip(result.feature_names, names, strict=True))
    assert read.number_of_edges() == result.n_edges
    assert not read.is_directed()
    for source, target, numbers in result.to_networkx().edges(data=True):
        found = read.edges[place[source], place[target]]
        assert {name: found[name] for name in NUMBERS} == numbers


@every_kind
def test_hostile_names_survive(tmp_path, hostile, hostile_names, read, kind):
    path = tmp_path / f"x.{kind}"
    write_graph(hostile, path)
    # XML has no control characters; they are shown by their pictures.
    names = [name if kind == "cyjs" else name.replace("\x1b", "␛") for name in hostile_names]
    assert_same_graph(read(path), hostile, names)


@every_kind
def test_names_that_a_file_cannot_hold_stay_apart(tmp_path, result, read, kind):
    """Gephi and cytoscape.js drop a variable without a name; pandas writes its index so."""
    path = tmp_path / f"x.{kind}"
    for names, shown in (
        (("a\x01", "a\u2401", "\ud800", "\udfff"), ("a\u2401′", "a\u2401", "\ufffd", "\ufffd′")),
        (("", "(unnamed)", " ", "\n"), ("(unnamed)′", "(unnamed)", " ", "\n")),
    ):
        write_graph(named(result, *names), path)
        own = names if kind == "cyjs" and "" not in names else shown
        assert_same_graph(read(path), named(result, *names), own)


AWKWARD = "=\x00\x1f\t\n\r &<>\"'\x7f\x85\u2028\ud800\udfff\ufffe\uffff\ufffd\u2400′a"
awkward_names = st.lists(
    st.text(st.sampled_from(AWKWARD) | st.characters(), max_size=4),
    min_size=4,
    max_size=4,
    unique=True,
)


@every_kind
@settings(max_examples=20)
@given(names=awkward_names)
def test_any_names_give_the_same_graph(tmp_path_factory, result, read, kind, names):
    path = tmp_path_factory.mktemp("any") / f"x.{kind}"
    write_graph(named(result, *names), path)
    graph = read(path)
    assert_same_graph(graph, named(result, *names), list(graph.nodes))
    for name, shown in zip(names, graph.nodes, strict=True):
        plain = name and (kind == "cyjs" or (name.isprintable() and "\ufffd" not in name))
        assert shown == name or not plain


@settings(max_examples=20)
@given(names=awkward_names)
def test_any_names_give_distinct_cells_of_csv(tmp_path_factory, result, names):
    import csv

    path = tmp_path_factory.mktemp("any") / "x.csv"
    named(result, *names).to_csv(path)
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[1:]
    cells = {cell for line in lines for cell in line[:2]}
    assert len(lines) == 6
    assert len(cells) == 4
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for cell in cells)


@every_kind
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_numbers_that_are_not_finite_are_left_out(tmp_path, result, read, kind, value):
    path = tmp_path / f"x.{kind}"
    precision = np.where(result.reject, value, result.precision)
    estimate = replace(result.measurement.estimate, precision=precision)
    write_graph(result.with_measured(estimate=estimate), path)
    for *_, numbers in read(path).edges(data=True):
        assert set(NUMBERS) - set(numbers) == {"precision"}
    content = path.read_text(encoding="utf-8").lower()
    assert ">inf" not in content
    assert "nan" not in content


@pytest.mark.parametrize("kind", ["graphml", "cyjs"])
def test_the_method_is_in_the_file(tmp_path, result, read, kind):
    path = tmp_path / f"x.{kind}"
    write_graph(result, path)
    assert {"method": "score", "alpha": 0.05, "n_samples": 400}.items() <= read(path).graph.items()


def test_gexf_is_what_gephi_reads(tmp_path, result):
    path = tmp_path / "x.gexf"
    write_graph(result, path)
    name = "{http://www.gexf.net/1.2draft}"
    root = ET.parse(path).getroot()
    assert root.tag == f"{name}gexf"
    nodes = root.findall(f".//{name}node")
    assert [(node.get("id"), node.get("label")) for node in nodes] == [
        (feature, feature) for feature in result.feature_names
    ]
    for edge in root.findall(f".//{name}edge"):
        assert 0 < float(edge.get("weight")) < 1
    kinds = {a.get("title"): a.get("type") for a in root.findall(f".//{name}attribute")}
    assert kinds == dict.fromkeys(NUMBERS[1:], "double")


def test_cyjs_is_what_cytoscape_reads(tmp_path, hostile):
    """The desktop wants the object `data` and nodes that edges name; cytoscape.js unique texts."""
    path = tmp_path / "x.cyjs"
    write_graph(hostile, path)
    document = json.loads(path.read_text(encoding="ascii"))
    assert document["data"] == {
        "method": "score",
        "alpha": 0.05,
        "n_samples": 300,
        "intervals": "95 % interval for all pairs at once",
    }
    ids = [node["data"]["id"] for node in document["elements"]["nodes"]]
    assert ids == [node["data"]["name"] for node in document["elements"]["nodes"]]
    assert len(set(ids)) == len(ids) == hostile.n_features
    assert all(isinstance(name, str) and name for name in ids)
    for edge in document["elements"]["edges"]:
        assert {edge["data"]["source"], edge["data"]["target"]} <= set(ids)
        # An id of an edge could be the name of a variable; readers make their own.
        assert "id" not in edge["data"]
        assert all(type(edge["data"][name]) is float for name in NUMBERS)


@pytest.mark.parametrize("name", ["x.json", "x.gml", "x", "gexf", ".gexf", "x.gexf.gz"])
def test_other_kinds_are_refused(tmp_path, result, refuses, name):
    path = tmp_path / name
    refuses(lambda: write_graph(result, path), ParameterError, name, "graphml", "gexf", "cyjs")
    assert os.listdir(tmp_path) == []


def test_distinct_texts_keep_what_needs_no_change():
    names = ["Á", "a", "A", "a′"]
    texts = distinct_texts(names, lambda name: name.replace("Á", "A").lower())
    assert texts == {"Á": "a′′", "a": "a", "A": "a′′′", "a′": "a′"}

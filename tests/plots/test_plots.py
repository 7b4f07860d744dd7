"""Every kind of picture by one door, on the same hard cases."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.plots import plots
from edgewise.plots.export import write_plot

every_kind = pytest.mark.parametrize("kind", plots.KINDS)


def texts_of(axes):
    from matplotlib.text import Text

    return [text for text in axes.figure.findobj(Text) if text.get_text()]


@pytest.mark.parametrize("kind", ["Network", "", "plot", None, 3])
def test_other_kinds_are_refused(rows, refuses, kind):
    result = ew.edge_test(rows)
    refuses(lambda: plots.plot(result, kind), ParameterError, "kind", "'volcano'", repr(kind))


@every_kind
def test_draws_where_told(rows, require, kind):
    figure = require("matplotlib.figure").Figure()
    left, right = figure.subplots(1, 2)
    result = ew.edge_test(rows)
    assert plots.plot(result, kind, ax=right) is right
    assert right.has_data() or right.texts or right.child_axes
    assert not left.has_data()


@every_kind
@pytest.mark.parametrize("p", [2, 12])
def test_without_any_edge(tmp_path, kind, p):
    X = np.random.default_rng(1).standard_normal((50, p))
    result = ew.edge_test(X, alpha=1e-6)
    assert result.n_edges == 0
    write_plot(plots.plot(result, kind), tmp_path / "x.png")


@pytest.mark.parametrize("kind", ["network", "forest"])
def test_the_picture_is_the_same_every_time(rows, kind):
    def draw():
        picture = io.BytesIO()
        plots.plot(ew.edge_test(rows), kind).figure.savefig(picture, format="png", dpi=50)
        return picture.getvalue()

    assert draw() == draw()


@pytest.mark.parametrize(
    ("kind", "ending"),
    [*((kind, "svg") for kind in plots.KINDS), ("network", "png"), ("forest", "pdf")],
)
def test_hostile_names_are_drawn_as_text(
    tmp_path, require, hostile_names, hostile_rows, kind, ending
):
    names = (*hostile_names[:-1], "名前 \U0001f642", hostile_names[-1])
    X = np.column_stack([hostile_rows, np.random.default_rng(0).standard_normal(300)])
    table = require("pyarrow").table(dict(zip(names, X.T, strict=True)))
    axes = plots.plot(ew.edge_test(table), kind)
    texts = texts_of(axes)
    # Without warnings too: those are errors here.
    write_plot(axes, tmp_path / f"x.{ending}")
    assert b"<script>" not in (tmp_path / f"x.{ending}").read_bytes()
    assert not any("\x1b" in text.get_text() for text in texts)
    assert not any("$" in text.get_text() and text.get_parse_math() for text in texts)
    assert max(len(line) for text in texts for line in text.get_text().splitlines()) < 120
    if kind in ("network", "heatmap"):
        assert "$x^2$" in {text.get_text() for text in texts}


def test_drawing_is_loaded_only_when_something_is_drawn():
    code = "import sys, edgewise.plots.plots; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_notebook_shows_it_and_a_file_closes_it(tmp_path, rows, require):
    pyplot = require("matplotlib.pyplot")
    result = ew.edge_test(rows)
    ax = result.plot()
    assert pyplot.get_fignums() == [ax.figure.number]
    write_plot(ax, tmp_path / "x.png")
    assert pyplot.get_fignums() == []

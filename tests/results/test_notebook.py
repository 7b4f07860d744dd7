"""A notebook, run as nbconvert runs it, shows what its cells draw, every kind of result, and the report."""

from __future__ import annotations

import pytest

CELLS = {
    "import": """
        import numpy as np, edgewise as ew
        X = np.random.default_rng(0).standard_normal((300, 4))
        X[:, 1] += X[:, 0]
        result = ew.edge_test(X)
        groups = ew.compare_groups(X[:150], X[150:])
        pair = ew.partial_test(X, "x0", "x1")""",
    "network": "result.plot()",
    "volcano": "ax = result.plot('volcano')",
    "difference": "groups.plot();",
    "forest": "pair.plot()",
    "result": "result",
    "groups": "groups",
    "pair": "pair",
    "methods": "ew.compare_methods(X, methods=['score'])[0]",
    "facts": "ew.diagnose(X)",
    "plan": "ew.plan_sample_size(X, effect=0.3)",
    "null": "ew.check_null(X, methods=['score'], n_shuffles=5)[0]",
    "explore": "result.explore()",
}
PLOTS = ("network", "volcano", "difference", "forest")


@pytest.fixture(scope="module")
def shown(require):
    """What each cell of an executed notebook shows: the kinds of its outputs, with their texts."""
    from textwrap import dedent

    nbclient, nbformat = require("nbclient"), require("nbformat")
    cells = [nbformat.v4.new_code_cell(dedent(code).strip()) for code in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MPLBACKEND", raising=False)  # a kernel has its own, which shows figures
        nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    outputs = {}
    for name, cell in zip(CELLS, notebook.cells, strict=True):
        data = [output.get("data", {}) for output in cell.outputs]
        outputs[name] = {kind: text for one in data for kind, text in one.items()}
    return outputs


@pytest.mark.parametrize("cell", PLOTS)
def test_a_plot_is_seen(shown, cell):
    assert "image/png" in shown[cell]


@pytest.mark.parametrize("cell", ["result", "groups", "pair", "methods", "facts", "plan", "null"])
def test_a_result_is_seen_as_html_and_as_a_short_line(shown, cell):
    html, line = shown[cell]["text/html"], shown[cell]["text/plain"]
    assert html.startswith("<")
    assert "(" in line
    assert len(line) < 250
    assert "\n" not in line


def test_explore_shows_the_report(shown):
    assert shown["explore"]["text/html"].startswith("<iframe srcdoc=")

"""What a report says first: it never promises what the data break."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.cautions import Caution
from edgewise.report import headline
from edgewise.report.payload import shown_graph

BROKEN = Caution("Rows depend on the rows before them.", "dependence", True)
HARMLESS = Caution("The rows are few.", "few rows")


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows)


@pytest.fixture(scope="module")
def nothing():
    return ew.edge_test(np.random.default_rng(3).standard_normal((200, 4)), alpha=1e-6)


def test_the_badge():
    assert headline.badge("score", 0, False) == ("good", "No problems detected for “score”")
    assert headline.badge("score", 2, False).kind == "care"
    for broken, few, why in (
        (True, False, "assumptions fail on these rows"),
        (False, True, "too few"),
    ):
        badge = headline.badge("score", 2, broken, few)
        assert badge.kind == "broken"
        assert why in badge.text


class TestAnswer:
    def test_the_headline_does_not_promise_what_the_data_break(self, result):
        assert "at most 5 %" in headline.answer(result.with_measured(cautions=(HARMLESS,)))
        broken = headline.answer(result.with_measured(cautions=(BROKEN,)))
        assert "at most 5 %" not in broken
        assert "some of these edges may be false" in broken
        tails = Caution("A few rows are extreme.", "far tails", True)
        unavoidable = headline.answer(result.with_measured(cautions=(tails,)))
        assert unavoidable.endswith("Some of these edges may be false: see the cautions.")


def test_sentences(result, nothing):
    told = headline.sentences(result, *shown_graph(result))
    assert told[2:] == [result.why]
    assert "x2 and x1 have the most edges: 2 each." in told[0]
    assert (
        "With 400 rows, this test has 80 % power to detect a partial correlation of about 0."
        in told[1]
    )
    assert "not a proof that there is none" in headline.sentences(nothing, *shown_graph(nothing))[0]


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([(0, 1)], "No variable has more than one edge."),
        ([(0, 1), (0, 2)], "x0 has the most edges: 2."),
        ([(0, 1), (1, 2), (2, 3)], "x1 and x2 have the most edges: 2 each."),
        ([(0, 1), (1, 2), (0, 2)], "x0, x1 and x2 have the most edges: 2 each."),
        ([(0, 1), (1, 2), (2, 3), (0, 3)], "x0 and 3 others have the most edges: 2 each."),
    ],
)
def test_all_who_share_the_first_place_have_the_most_edges(result, pairs, told):
    chosen = np.zeros((4, 4), dtype=bool)
    for i, j in pairs:
        chosen[i, j] = chosen[j, i] = True
    # Equal strengths, so that the order is that of the columns.
    upper = np.triu_indices(4, k=1)
    found = replace(result, decision=replace(result.decision, reject=chosen[upper]))
    estimate = result.measurement.estimate
    rho = np.where(chosen, 0.3, np.eye(4))
    found = found.with_measured(estimate=replace(estimate, partial_correlation=rho))
    assert headline.sentences(found, *shown_graph(found))[0].endswith(f" {told}")


def test_the_edges_from_the_rows_before_are_on_the_page(tmp_path):
    rows = np.cumsum(np.random.default_rng(0).standard_normal((300, 3)), axis=0)
    ew.edge_test(rows, lags=1).report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "From the rows before: 3 of 9 directed edges." in page

"""The panel beside the graph: an overview, a variable, a community, the card of an edge."""

from __future__ import annotations

import json

import numpy as np
from tests.report.browser.shown import chain, signed

import edgewise as ew


def _data(shown):
    return json.loads(shown.text("#data"))


def test_the_panel_is_used_from_the_start(show):
    shown = show("sp500")
    names, reject = shown.result.feature_names, shown.result.reject
    strength = np.where(reject, np.abs(shown.result.partial_correlation), 0).sum(axis=0)
    degree = reject.sum(axis=0)
    hubs = sorted(range(20), key=lambda i: (-degree[i], -strength[i]))[:5]
    data = _data(shown)
    assert shown.all("#side h3") == ["Hubs", "Communities", "Strongest edges"]
    expected = [(names[i], str(degree[i])) for i in hubs]
    for c, name in enumerate(data["communityNames"]):
        expected.append((name, str(data["communities"].count(c))))
    for edge in shown.result.edges()[:5]:
        expected.append((f"{edge.source} – {edge.target}", signed(edge.partial_correlation)))
    texts = zip(shown.all("#side li button"), shown.all("#side li > span"), strict=True)
    assert list(texts) == expected
    # A weaker level has other hubs; without edges it says so.
    shown.set_level(1e-200)
    assert shown.text("#side p") == "No pair is an edge at this level."


def test_a_variable_its_edge_and_back(show):
    shown = show("sp500")
    page, name = shown.page, "JNJ"
    edges = [edge for edge in shown.result.edges() if name in edge[:2]]
    near = [edge.target if edge.source == name else edge.source for edge in edges]
    page.locator("#side li button", has_text=name).first.click()
    assert shown.text("#side h3") == name
    assert shown.text("#side p") == (
        f"{len(near)} neighbours, by strength, with 95 % interval for all pairs at once"
    )
    assert shown.all("#side li button") == near
    assert shown.all("#side li span") == [signed(edge.partial_correlation) for edge in edges]
    assert shown.all("#side li small") == [
        f"{signed(edge.interval_low)} to {signed(edge.interval_high)}" for edge in edges
    ]
    # The focus stays in the panel; a number leads to its edge, by keyboard too.
    assert page.evaluate("document.activeElement.textContent") == "← Back"
    page.locator("#side li span").first.press("Enter")
    assert shown.text("#side h3") == " – ".join(edges[0][:2])
    page.click("#side .back")
    assert shown.text("#side h3") == name
    page.locator("#side li button").first.click()
    assert shown.text("#side h3") == near[0]
    page.keyboard.press("Escape")
    assert shown.all("#side h3")[0] == "Hubs"


def test_a_community(show):
    shown = show("sp500")
    data, strength = _data(shown), np.abs(shown.result.partial_correlation) * shown.result.reject
    shown.page.locator("#side li button", has_text=data["communityNames"][0]).click()
    members = [i for i, c in enumerate(data["communities"]) if c == 0]
    members.sort(key=lambda i: -strength[i].sum())
    assert shown.text("#side h3") == data["communityNames"][0]
    assert shown.all("#side li button") == [data["names"][i] for i in members]
    assert shown.all("#side li span") == [f"{strength[i].sum():.2f}" for i in members]


def test_the_card_of_an_edge(show):
    """Its numbers, what each method says, and points that are residuals of rows."""
    shown = show("maxt")
    X, result = chain(), shown.result
    shown.page.locator("#rows tr").first.click()
    edge = result.edges()[0]
    told = dict(zip(shown.all("#side dt"), shown.all("#side dd:not(.muted)"), strict=True))
    assert told["partial correlation"] == signed(edge.partial_correlation)
    assert told["interval"] == f"{signed(edge.interval_low)} to {signed(edge.interval_high)}"
    assert shown.text("#side dd.muted") == result.interval_label
    assert told["at α = 0.05"] == "an edge"
    agreement = _data(shown)["agreement"]
    i, j = (result.feature_names.index(name) for name in edge[:2])
    at = agreement["pairs"].index([*zip(*np.triu_indices(5, 1), strict=True)].index((i, j)))
    says = {name: found[at] for name, found in zip(*_methods(agreement), strict=True)}
    yes = [f"✓ {name}" for name, said in says.items() if said == "1"]
    no = [f"– {name}" for name, said in says.items() if said == "0"]
    assert shown.all("#side .says li") == [*yes, *no]
    points = np.array(shown.all(".scatter circle", "e => [e.cx, e.cy].map(c => c.baseVal.value)"))
    rest = np.column_stack([np.ones(len(X)), np.delete(X, [i, j], axis=1)])
    left = X[:, [i, j]] - rest @ np.linalg.lstsq(rest, X[:, [i, j]], rcond=None)[0]
    left /= left.std(axis=0)
    end = int(shown.all(".scatter text")[4])
    shown_at = np.column_stack([points[:, 0] - 126, 94 - points[:, 1]]) * end / 90
    assert 490 <= len(points) <= 500
    # Each point is a row, up to the scale that the sample gives and the pixels of the page.
    near = np.abs(shown_at[:, None] - left[None]).max(axis=2).min(axis=1)
    assert near.max() < 0.3
    assert np.median(near) < 0.05
    assert f"the line has slope {signed(edge.partial_correlation)}." in shown.text(".scatter + p")


def _methods(agreement):
    return agreement["methods"], agreement["found"]


def test_a_pointwise_interval_says_what_it_is_not(show, tmp_path):
    result = ew.edge_test(chain(), correction="bh")
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result))
    shown.page.locator("#rows tr").first.click()
    assert shown.text("#side dd.muted") == "95 % interval, pointwise"
    assert "too optimistic" in shown.text("#side .care")
    assert "No rows in this page." in shown.all("#side p")

"""The data of a report, for its script: numbers of tested columns and pairs only."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise._text import distinct_texts
from edgewise.inference.uncertainty import Uncertainty
from edgewise.plots.graph_drawing import community_order
from edgewise.plots.layout import Graph, graph_of, node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.svg import unit_square
from edgewise.report.headline import POWER, PROMISES, broken_promise, detects, is_bound
from edgewise.results.centrality import centralities
from edgewise.results.detectable import detectable_curve
from edgewise.results.result import EdgeTestResult

#: Minimal effects that a reader can choose among; their p-values are computed beforehand.
EFFECTS = (0.0, 0.05, 0.1, 0.2, 0.3)
LONGEST_LABEL = 14
#: With more variables the page keeps only what was tested, to stay small.
_MANY_FEATURES = 300
_SMALLEST_ALPHA, LARGEST_ALPHA = 1e-6, 0.2
#: As many pairs, the strongest, have the decisions of all methods.
_MOST_COMPARED = 2000


def shown_graph(result: EdgeTestResult) -> tuple[Graph, list[str]]:
    """The tested variables by names that are safe and different, and short ones."""
    graph = graph_of(result)
    names = tuple(distinct_texts(graph.feature_names, printable).values())
    return replace(graph, feature_names=names), short_names(names, LONGEST_LABEL)


def payload(
    result: EdgeTestResult,
    graph: Graph,
    short: list[str],
    decisions: Mapping[str, BoolArray],
    scores: FloatArray | None,
) -> dict[str, Any]:
    """All of it, ready for JSON: without NaN."""
    columns, pairs = result.tested_columns(), None
    if result.n_pairs < len(columns) * (len(columns) - 1) // 2:
        pairs = np.transpose(
            [np.searchsorted(columns, one) for one in result.tested_pairs()]
        ).tolist()
    return {
        "names": list(graph.feature_names),
        "short": short,
        "communities": graph.communities.tolist(),
        "communityNames": graph.community_names(short),
        "pairs": pairs,
        "alpha": result.alpha,
        "smallestAlpha": min(_SMALLEST_ALPHA, result.alpha),
        "largestAlpha": max(LARGEST_ALPHA, result.alpha),
        "promises": PROMISES,
        "tests": [_test(result)],
        "positions": unit_square(node_positions(graph.partial_correlation)).round(4).tolist(),
        "order": community_order(graph).tolist(),
        "agreement": _agreement(result, decisions),
        "centrality": _centrality(result, graph),
        "detectable": None if result.n_edges else _detectable(result),
        "sample": None if scores is None else _sample(scores),
    }


def _test(result: EdgeTestResult) -> dict[str, Any]:
    """What the page needs to decide again."""
    upper = result.tested_pairs()
    effects, chosen = _effects(result)
    bound, others, maxt = is_bound(result), result.n_features - 2, result.correction == "maxt"
    if result.selection is not None:
        others = result.selection.sizes()[upper].tolist()
    low = high = None
    if few := result.n_features <= _MANY_FEATURES:
        low, high = (_encoded(end[upper], np.float32) for end in result.shown_interval)
    return {
        "method": result.method,
        "bound": bound,
        "correction": "none" if bound else result.correction or "none",
        "broken": broken_promise(result),
        "others": others,
        "rho": _encoded(result.partial_correlation[upper], np.float32),
        "effects": effects,
        "effect": chosen,
        "maxt": _encoded(np.log(result.adjusted_pvalue[upper]), np.float64) if maxt else None,
        "low": low,
        "high": high,
        "intervalLabel": result.interval_label * few,
    }


def _effects(result: EdgeTestResult) -> tuple[list[dict[str, Any]], int]:
    """Log p-values for each minimal effect that can be chosen, and which one was tested."""
    tested_effect, scale = result.question.effect
    tested = result.log_pvalue[result.tested_pairs()]
    rule = result.uncertainty
    few = result.n_features <= _MANY_FEATURES
    if not few or (tested_effect and scale != "partial_correlation"):
        label = "as tested" if tested_effect else "0: any"
        if tested_effect:
            label = f"{tested_effect:g} ({scale.replace('_', ' ')}, as tested)"
        value = tested_effect if scale == "partial_correlation" else 0.0
        return [{"value": value, "label": label, "logp": _encoded(tested, np.float64)}], 0
    made = []
    values = sorted({*EFFECTS, tested_effect})
    for value in values:
        label = f"{value:g}" if value else "0: any"
        # What was tested is exact; a look at another effect takes half the room.
        single = value != tested_effect
        log_p = _at_effect(result, rule, value) if single else tested
        shown = _encoded(log_p, np.float32 if single else np.float64)
        made.append({"value": value, "label": label, "single": single, "logp": shown})
    return made, values.index(tested_effect)


def _at_effect(result: EdgeTestResult, rule: Uncertainty, value: float) -> FloatArray:
    """Log p-values of the tested pairs for another minimal effect."""
    log_p = rule.log_pvalues(result, value)  # pyright: ignore[reportArgumentType]
    return log_p if result.tested is None else log_p[pairs_of(result.tested)]


def _centrality(result: EdgeTestResult, graph: Graph) -> dict[str, Any]:
    """Strengths and bridge strengths of the edges as tested, with intervals where there are any."""
    shown = result.tested_columns()
    communities = np.full(result.n_features, -1)
    communities[shown] = graph.communities
    found = centralities(result, communities)
    made: dict[str, Any] = {"label": found.interval_label}
    for name in ("strength", "bridge"):
        for end in ("", "_low", "_high"):
            values = getattr(found, name + end)[shown]
            key = name + end[1:].capitalize()
            made[key] = [float(f"{one:.4g}") if np.isfinite(one) else None for one in values]
    return made


def _detectable(result: EdgeTestResult) -> dict[str, Any] | None:
    """Which partial correlations more rows would show, and these do."""
    own = detects(result)
    if math.isnan(own):
        return None
    curve = detectable_curve(result, POWER)
    known = np.isfinite(curve.effects)
    return {
        "rows": curve.rows[known].tolist(),
        "effects": [float(f"{one:.4g}") for one in curve.effects[known]],
        "ownRows": result.n_samples,
        "ownEffect": float(f"{own:.4g}"),
        "power": None if is_bound(result) else POWER,
    }


def _agreement(result: EdgeTestResult, decisions: Mapping[str, BoolArray]) -> dict[str, Any] | None:
    """Which methods call a pair an edge, for the strongest pairs that at least one does."""
    if not decisions:
        return None
    upper = result.tested_pairs()
    found = np.array([edges[upper] for edges in decisions.values()])
    strength = np.abs(result.partial_correlation[upper])
    some = np.flatnonzero(found.any(axis=0))
    shown = some[np.argsort(-strength[some], kind="stable")][:_MOST_COMPARED]
    return {
        "methods": list(decisions),
        "pairs": shown.tolist(),
        "found": ["".join("01"[int(one)] for one in row[shown]) for row in found],
        "more": len(some) - len(shown),
    }


def _sample(scores: FloatArray) -> dict[str, Any]:
    """Sampled rows as bytes, on a scale of square roots for each column: a point to the pixel."""
    scale = np.maximum(np.abs(scores).max(axis=0), 1e-300)
    roots = np.sign(scores) * np.sqrt(np.abs(scores) / scale)
    return {
        "rows": len(scores),
        "scale": [float(f"{one:.4g}") for one in scale],
        "roots": _encoded(np.rint(127 * roots), np.int8),
    }


def _encoded(values: Any, dtype: Any) -> str:
    """Little-endian numbers in base 64: exact, and a third of their size as text."""
    little = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")

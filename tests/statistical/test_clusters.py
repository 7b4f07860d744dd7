"""Rows that belong together: subjects whose rows depend on each other, in shuffled order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.grouped_laws import LAWS, UNRELATED, group_sizes, grouped_rows
from tests.statistical.laws import FULL, PValues, rejects

from edgewise import edge_test
from edgewise.inference.sample import open_sample
from edgewise.methods.registry import method_of
from edgewise.simulate import Contaminated, StudentT, make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
SLACK = 0.012
# Groups, rows of a group on average, their sizes, columns.
SIZES = [
    (20, 20, "equal", 6),
    (30, 20, "unequal", 6),
    (30, 20, "equal", 10),
    (100, 50, "equal", 10),
    (100, 20, "very unequal", 10),
    (200, 20, "unequal", 10),
]
# Independent rows, in clusters nevertheless: few rows are far larger than all others.
INDEPENDENT = {"contaminated": Contaminated(share=0.02, scale=8.0), "t3": StudentT(3.0)}
MANY_COLUMNS = [(100, 5, "equal", 20), (250, 2, "equal", 20)]
EVERY_CELL = [(law, *size) for law in (*LAWS, *INDEPENDENT) for size in SIZES + MANY_COLUMNS]
EVERY_CELL += [(law, 500, 1, "equal", 10) for law in ("t5", *INDEPENDENT)]
FEW_CELLS = [(law, 30, 10, "unequal", 6) for law in LAWS]
FEW_CELLS += [("intercepts-t5", 20, 10, "equal", 10), ("traits", 100, 10, "equal", 10)]
FEW_CELLS += [("contaminated", 250, 2, "equal", 20), ("t3", 30, 10, "unequal", 6)]


def drawn(law, precision, sizes, rng):
    """Rows, and the group of each."""
    if law in INDEPENDENT:
        X = sample(INDEPENDENT[law], precision, int(sizes.sum()), rng=rng)
        return X, np.repeat(np.arange(len(sizes)), sizes)
    return grouped_rows(law, precision, sizes, rng)


class GroupedPValues:
    """The p-values of all pairs above the diagonal; once, `edge_test` must give the same."""

    def __init__(self, method):
        self._method = method_of(method)
        self._checked = False

    def __call__(self, X, labels):
        evidence = open_sample(X, self._method.needs, "the proof", clusters=labels)
        measured = self._method.measure(evidence)
        log_p = measured.uncertainty.log_pvalues(measured)
        if not self._checked:
            result = edge_test(X, method=self._method, clusters=labels)
            pairs = np.triu_indices(result.n_features, k=1)
            np.testing.assert_array_equal(result.log_pvalue[pairs], log_p)
            self._checked = True
        return log_p


def nulls(law, precision):
    """The pairs above the diagonal that have no edge."""
    return np.logical_or(precision == 0, law in UNRELATED)[np.triu_indices(len(precision), k=1)]


@pytest.mark.parametrize(
    ("law", "n_clusters", "rows", "shape", "p"), EVERY_CELL if FULL else FEW_CELLS
)
def test_groups(trial, law, n_clusters, rows, shape, p):
    precision, sizes = make_chain_precision(p), group_sizes(n_clusters, rows, shape)
    null = nulls(law, precision)
    methods = {name: GroupedPValues(name) for name in ("score", "wald")}
    shares, errors = ({name: [] for name in methods} for _ in range(2))
    for rng in trial.draws(40, 1_000):
        X, labels = drawn(law, precision, sizes, rng)
        for name, log_pvalues in methods.items():
            log_p = log_pvalues(X, labels)
            shares[name].append((log_p[null] <= np.log(ALPHA)).mean())
            errors[name].append(rejects(log_p, "holm")[null].any())
    with trial.together():
        for name in methods:
            trial.rate_at_most(f"family-wise error, {name} + Holm", errors[name], ALPHA)
            trial.mean_at_most(f"null pairs below 0.05, {name}", shares[name], ALPHA + SLACK)


@pytest.mark.parametrize(("n_clusters", "rows"), [(30, 20), (100, 10)] if FULL else [(30, 20)])
def test_clusters_with_scales_of_their_own(trial, n_clusters, rows):
    precision = make_chain_precision(10)
    labels, null = np.repeat(np.arange(n_clusters), rows), nulls("gaussian", precision)
    methods = {name: GroupedPValues(name) for name in ("score", "wald")}
    errors = {name: [] for name in methods}
    for rng in trial.draws(40, 600):
        X = sample("gaussian", precision, len(labels), rng=rng)
        X *= np.exp(rng.standard_normal(n_clusters))[labels, np.newaxis]
        for name, log_pvalues in methods.items():
            errors[name].append(rejects(log_pvalues(X, labels), "holm")[null].any())
    with trial.together():
        for name, events in errors.items():
            trial.rate_at_most(f"family-wise error, {name}", events, ALPHA)


@pytest.mark.parametrize("law", ["ar1", "intercepts"])
def test_tests_of_single_rows_fail(trial, law):
    """100 subjects of 50 rows each, shuffled: batches of rows do not know of subjects either."""
    precision, sizes = make_chain_precision(10), group_sizes(100, 50, "equal")
    null = nulls(law, precision)
    errors = {"score, clusters": [], "wald, clusters": [], "score": [], "batch": []}
    of_groups = {name: GroupedPValues(name) for name in ("score", "wald")}
    of_rows = {name: PValues(name) for name in ("score", "batch")}
    for rng in trial.draws(20, 1_000):
        X, labels = grouped_rows(law, precision, sizes, rng)
        for name, log_pvalues in of_groups.items():
            found = rejects(log_pvalues(X, labels), "holm")[null].any()
            errors[f"{name}, clusters"].append(found)
        for name, log_pvalues in of_rows.items():
            errors[name].append(rejects(log_pvalues(X), "holm")[null].any())
    with trial.together():
        for name in ("score, clusters", "wald, clusters"):
            trial.rate_at_most(f"family-wise error, {name}", errors[name], ALPHA)
        for name in ("score", "batch"):
            trial.rate_at_least(f"family-wise error, {name}", errors[name], 0.5)


@pytest.mark.parametrize(("n_clusters", "least"), [(30, 0.75), (100, 0.95)])
def test_what_groups_cost(trial, n_clusters, least):
    """Independent rows in clusters nevertheless: the power beside that of the plain test."""
    precision, sizes = make_chain_precision(6), group_sizes(n_clusters, 300 // n_clusters, "equal")
    edges = ~nulls("t5", precision)
    grouped, plain = GroupedPValues("score"), PValues("score")
    found = {"clusters": [], "rows": []}
    for rng in trial.draws(40, 1_000):
        X, labels = grouped_rows("t5", precision, sizes, rng)
        found["clusters"].append(rejects(grouped(X, labels), "holm")[edges].mean())
        found["rows"].append(rejects(plain(X), "holm")[edges].mean())
    trial.ratio_at_least("power, of that of the plain test", *found.values(), least)


@pytest.mark.parametrize("law", ["ar1", "intercepts", "intercepts-t5", "scales"])
@pytest.mark.parametrize("method", ["score", "wald"])
def test_coverage(trial, partial_correlations, law, method):
    precision, sizes = make_chain_precision(6), group_sizes(60, 10, "unequal")
    upper = np.triu_indices(6, k=1)
    true = partial_correlations(precision)[upper]
    covered = []
    for rng in trial.draws(30, 1_000):
        X, labels = grouped_rows(law, precision, sizes, rng)
        result = edge_test(X, method=method, clusters=labels)
        low, high = result.confidence_interval(0.95, scale="partial_correlation")
        covered.append(((low[upper] <= true) & (true <= high[upper])).mean())
    with trial.together():
        trial.mean_at_least("intervals that hold, at 95 %", covered, 0.95 - SLACK)
        # Degrees of freedom of unequal clusters, and the Gaussian floor, make them a little wider.
        trial.mean_at_most("intervals that hold, at 95 %", covered, 0.985)

"""Which facts matter to which method, and in what words."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.cautions import Assumes, Caution, cautions_of
from edgewise.inference.diagnosis import Diagnosis, DominantRow
from edgewise.methods.registry import registered

ALL = Assumes(0)
for one in Assumes:
    ALL |= one
FAR = {"tail_index": 2.0, "farther_tail_index": 2.0}


def facts(**given):
    usual = {"kurtosis_ratio": 1.0, "dependence_pvalue": 0.5, "scale_ratio": 1.0}
    return Diagnosis(**{"n_samples": 1000, "n_features": 5} | usual | given)


def told(assumes, **given):
    return {one.kind: one for one in cautions_of(facts(**given), assumes)}


def test_a_caution_is_a_text():
    one = Caution("Rows are few.", "few rows", True)
    assert one == "Rows are few."
    for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert (again, again.kind, again.breaks) == ("Rows are few.", "few rows", True)


@pytest.mark.parametrize("method", registered())
def test_nothing_speaks_against(method):
    assert cautions_of(facts(), registered()[method].assumes) == ()


@pytest.mark.parametrize(
    ("kind", "given", "assumption"),
    [
        ("dependence", {"dependence_pvalue": 1e-9}, Assumes.INDEPENDENT_ROWS),
        ("heavy tails", {"kurtosis_ratio": 3.0}, Assumes.GAUSSIAN_ROWS),
        ("far tails", FAR, Assumes.FOURTH_MOMENTS),
        ("few rows", {"n_samples": 24}, Assumes.MANY_ROWS_PER_COLUMN),
        (
            "dominant rows",
            {"dominant_rows": (DominantRow(1, "a", 0.9, 7.0),)},
            Assumes.GAUSSIAN_ROWS,
        ),
        ("rare events", {"n_rare_pairs": 1, "rare_pairs": (("a", "b"),)}, Assumes.GAUSSIAN_ROWS),
        ("discrete columns", {"discrete_columns": ("a",)}, None),
    ],
)
@pytest.mark.parametrize("assumes", [*Assumes, ALL, Assumes.NOTHING], ids=str)
def test_a_fact_breaks_the_methods_that_assume_otherwise(kind, given, assumption, assumes):
    found = told(assumes, **given)
    broken = assumption is not None and assumption in assumes
    assert (kind in found and found[kind].breaks) == broken
    if broken:
        assert "may be false" in found[kind]
    assert set(found) <= {kind}


def test_few_rows_cost_others_only_power():
    found = told(Assumes.NOTHING, n_samples=24)["few rows"]
    assert found == "24 rows are few for 5 columns: only strong edges can be found."
    assert not told(Assumes.MANY_ROWS_PER_COLUMN, n_samples=25)


@pytest.mark.parametrize("skewed", [False, True])
def test_tails_that_matter_only_where_they_are_skewed(skewed):
    found = told(Assumes.FOURTH_MOMENTS_IF_SKEWED, skewed_tails=skewed, **FAR)["far tails"]
    assert found.breaks == skewed
    assert ("cost power" in found) != skewed
    assert "Method 'kendall' needs none." in found
    assert not told(Assumes.NOTHING, skewed_tails=skewed, **FAR)


@pytest.mark.parametrize("method", registered())
def test_levels_break_every_test(method):
    found = told(registered()[method].assumes, level_columns=("a", "b"), dependence_pvalue=0.0)
    assert found["levels"].breaks
    assert "difference them first" in found["levels"]
    # They are why rows depend on the rows before them; "batch" would not help.
    assert "dependence" not in found


def test_what_breaks_comes_first():
    found = cautions_of(
        facts(n_samples=24, discrete_columns=("a",), dependence_pvalue=0.0),
        Assumes.INDEPENDENT_ROWS,
    )
    assert [one.breaks for one in found] == [True, False, False]


def test_many_rows_and_pairs_are_counted():
    rows = tuple(DominantRow(k, f"c{k}", 0.5, 1.0) for k in range(1, 6))
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    found = told(Assumes.NOTHING, dominant_rows=rows, rare_pairs=pairs, n_rare_pairs=4950)
    assert found["dominant rows"].startswith("Row 1, column 'c1' (value 1), carries 50 % of")
    assert "; 2 more likewise. " in found["dominant rows"]
    assert "Row 1 is the first row" in found["dominant rows"]
    assert "4,950 pairs of columns have few joint events ('a' and 'b'; " in found["rare events"]
    assert "'b' and 'c'; …)" in found["rare events"]


def test_names_cannot_break_the_line():
    nasty = "a\n\x1b[31m<b>"
    rows = (DominantRow(3, nasty, 0.8, 1e5),)
    named = {"level_columns": (nasty,), "discrete_columns": (nasty,), "dominant_rows": rows}
    found = told(Assumes.NOTHING, rare_pairs=((nasty, "b"),), n_rare_pairs=1, **named)
    assert len(found) == 4
    assert all(one.isprintable() for one in found.values())


# Mistakes that no error shows: each is said in a caution that names the columns.


rng = np.random.default_rng(1)
X = 3 * rng.standard_normal((500, 6)) + 20
ANSWERS = np.digitize(rng.random((500, 6)), [0.1, 0.3, 0.6, 0.8]) + 1.0
BLOCKS = np.arange(500) // 20
SCALES = 10.0 ** np.arange(20)[:, np.newaxis].repeat(300, axis=1) ** 0.4


def put(values, column, value, share):
    changed = values.copy()
    changed[rng.random(len(changed)) < share, column] = value
    return changed


def by_block(values):
    made = values.copy()
    for block in range(25):
        rows = made[block == BLOCKS]
        made[block == BLOCKS] = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return made


def with_column(values, name, *, names="abcdef"):
    frame = {one: X[:, k] for k, one in enumerate(names)}
    return {**frame, name: values}


MISTAKES = {
    "-999": (put(X, 2, -999, 0.05), "codes", "-999 in 'x2'"),
    "9999": (put(X, 0, 9999, 0.02), "codes", "9999 in 'x0'"),
    "99 among ages": (
        put(np.round(rng.uniform(18, 90, X.shape)), 1, 99, 0.08),
        "codes",
        "99 in 'x1'",
    ),
    "9 among answers": (put(ANSWERS, 3, 9, 0.03), "codes", "9 in 'x3'"),
    "a join": (X[rng.integers(0, 400, 600)], "repeated rows", "are copies of others"),
    "transposed": (
        SCALES * rng.standard_normal((20, 300)),
        "transposed",
        "300 columns and 20 rows",
    ),
    "shares": (np.round(100 * rng.dirichlet(np.ones(4), 500), 1), "constant sum", "'x0', 'x1'"),
    "a total": (
        np.column_stack([X, np.round(X[:, :3].sum(axis=1), 1)]),
        "constant sum",
        "less 'x6'",
    ),
    "standardised": (np.round(by_block(X), 6), "standardised blocks", "25 or more"),
    "an identifier": (
        with_column(rng.permutation(9000)[:500], "customer_id"),
        "identifiers",
        "'customer_id'",
    ),
    "long numbers": (
        with_column(76561198000000000 + rng.integers(0, 10**9, 500), "steam"),
        "identifiers",
        "'steam' hold whole numbers beyond",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said(mistake):
    data, kind, words = MISTAKES[mistake]
    (found,) = [one for one in ew.diagnose(data).mistakes if one.kind == kind]
    if mistake == "a total" and words not in found:
        words = "'x6' less 'x0', 'x1', 'x2'"
    assert words in found
    assert found.endswith(".")
    with np.errstate(all="ignore"):
        assert found in ew.edge_test(data).cautions


def test_a_cumulative_series_is_a_level():
    assert ew.diagnose(np.abs(X).cumsum(axis=0)).level_columns == tuple(f"x{k}" for k in range(6))


@pytest.mark.parametrize("data", [X, ANSWERS, (ANSWERS > 2) * 1.0, X[:10], np.exp(X[:25] / 3)])
def test_clean_data_have_none(data):
    assert ew.diagnose(data).mistakes == ()

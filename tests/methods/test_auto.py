"""`method="auto"`: what it chooses, why, and that its numbers are those of the chosen method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import edgewise as ew
from edgewise.errors import ParameterError

rng = np.random.default_rng(0)
X = rng.standard_normal((400, 4))
AR = lfilter([1], [1, -0.6], rng.standard_normal((400, 4)), axis=0)
HOLES = np.where(rng.random(AR.shape) < 0.05, np.nan, AR)
WEIGHTS = rng.random(400) + 0.5
SUBJECTS = np.arange(400) // 10
WIDE = rng.standard_normal((60, 40))
TWICE = {"missing": "pairwise", "weights": WEIGHTS}

CHOSEN = {
    "independent": (X, {}, "score", "Rows do not seem to depend on the rows before them (p = "),
    "dependent": (AR, {}, "batch", "so batch was used instead of score."),
    "few": (X[:25], {}, "score", "25 rows are too few to show dependence"),
    "wide": (WIDE, {}, "nodewise", "60 rows are few for 40 columns"),
    "wider": (WIDE.T, {}, "nodewise", "40 rows are few for 60 columns"),
    "clusters": (AR, {"clusters": SUBJECTS}, "score", "Rows come in clusters"),
    "weights": (X, {"weights": WEIGHTS}, "score", "so score was used"),
    "dependent, weights": (AR, {"weights": WEIGHTS}, "batch", "Rows depend on"),
    "holes": (HOLES, {"missing": "pairwise"}, "batch", "Rows depend on"),
    "holes and weights": (HOLES, TWICE, "batch", "Rows depend on"),
    "normal scores": (AR, {"transform": "normal-scores"}, "batch", "Rows depend on"),
    "maxt": (X, {"correction": "maxt"}, "batch", "so batch was used"),
    "a state of batches": (ew.accumulate(X, n_batches=20), {}, "batch", "A state has no rows left"),
    "a state of moments": (ew.accumulate(X), {}, "trace", "A state has no rows left"),
}


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize("case", CHOSEN)
def test_the_choice(case):
    data, options, method, why = CHOSEN[case]
    found = ew.edge_test(data, **options)
    assert found.method == method
    assert why in found.why
    assert found.why.endswith(".")
    named = ew.edge_test(data, method=method, **options)
    assert named.why == ""
    for field in ("log_pvalue", "partial_correlation", "reject"):
        np.testing.assert_array_equal(getattr(found, field), getattr(named, field))
    assert found.cautions == named.cautions


def test_rows_that_can_be_read_once():
    found = ew.edge_test(iter(np.array_split(X, 3)))
    assert found.method == "batch"
    assert found.why == "Rows can be read only once, so batch was used instead of score."


def test_both_groups_are_measured_alike():
    for a, b, method in ((X, X[::-1] + 1, "wald"), (X, AR, "batch"), (AR, X, "batch")):
        found = ew.compare_groups(a, b[:, ::1] * 1.5)
        assert found.method == method
        assert f"so {method} was used" in found.why
    levels = np.array(["a", "b", "c", "d"]).repeat(100)
    mixed = np.vstack([X[:300], AR[:100]])
    assert ew.compare_groups(mixed, by=levels).method == "batch"
    assert ew.compare_groups(AR, X, permutations=19).method == "wald"


def test_one_question_and_a_plan():
    assert ew.partial_test(AR, "x0", "x1", given=["x2"]).method == "batch"
    assert ew.plan_sample_size(AR, effect=0.3).method == "batch"
    assert ew.EdgeTest().fit(AR).result_.method == "batch"
    assert ew.EdgeTest().fit(iter([X, X + 1])).result_.method == "batch"


def test_what_no_method_can_do(refuses):
    refuses(
        lambda: ew.edge_test(X, clusters=SUBJECTS, correction="maxt"),
        ParameterError,
        "'maxt' is not supported by method 'score'",
    )
    refuses(lambda: ew.edge_test(X, n_batches=20), ParameterError, "it is an option of 'batch'")


@pytest.mark.parametrize("phi", [0.5, 0.9])
def test_batches_are_as_long_as_the_dependence(phi):
    rows = lfilter([1], [1, -phi], np.random.default_rng(1).standard_normal((3000, 4)), axis=0)
    found = ew.edge_test(rows)
    times = (1 + phi**2) / (1 - phi**2)
    batches = found.options["n_batches"]
    assert 16 <= batches < 200
    assert batches <= max(32, 1.5 * 3000 / (15 * times))
    kinds = {one.kind for one in found.cautions}
    assert ("short batches" in kinds) == (phi == 0.9)
    assert ew.edge_test(rows, method="batch", n_batches=50).options["n_batches"] >= 50

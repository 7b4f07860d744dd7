"""The advice that facts about the data give."""

from __future__ import annotations

import pytest

from edgewise.inference.diagnosis import Diagnosis


def with_facts(**facts):
    usual = {
        "n_samples": 1000,
        "n_features": 5,
        "kurtosis_ratio": 1.0,
        "dependence_pvalue": 0.5,
        "scale_ratio": 1.0,
    }
    return Diagnosis(**usual | facts)


FAR = {"tail_index": 2.0, "farther_tail_index": 2.0}


@pytest.mark.parametrize(
    ("facts", "start", "fragments"),
    [
        ({}, "Use method 'score': ", ["tails look Gaussian", "agrees with 'fisher'"]),
        (
            {"kurtosis_ratio": 2.5},
            "Use method 'score', or 'whitened'",
            ["tails are heavy", "2.5 times the Gaussian kurtosis", "'fisher' finds false edges"],
        ),
        (
            {"n_samples": 24, "n_features": 10},
            "Use method 'nodewise', which assumes a sparse graph: ",
            ["24 rows and 10 columns", "24 rows are few for 10 columns", "strong"],
        ),
        (
            {"dependence_pvalue": 1e-5},
            "Use method 'batch': ",
            ["depend on the rows before them", "p = 1e-05"],
        ),
        ({"dependence_pvalue": 0.0}, "Use method 'batch': ", ["p below 1e-300"]),
        ({"scale_ratio": 500.0}, "Use method 'score': ", ["standardize=True", "scales differ"]),
        (
            {"level_columns": ("a", "b"), "dependence_pvalue": 0.0},
            "Use no method yet. Columns 'a', 'b' look like levels, such as prices",
            ["difference them first", "Then ask again."],
        ),
        (
            {"level_columns": ("a",)},
            "Use no method yet. Column 'a' looks like a level",
            ["leave them out"],
        ),
    ],
    ids=str,
)
def test_the_advice_is_a_sentence(facts, start, fragments):
    found = with_facts(**facts)
    advice = found.advice()
    assert advice.startswith(start)
    first = "no method yet" if found.recommended is None else f"method {found.recommended!r}"
    assert advice.startswith(f"Use {first}")
    assert advice.endswith(".")
    assert "\n" not in advice
    assert "logarithm" not in advice
    for fragment in fragments:
        assert fragment in advice


def test_one_problem_does_not_hide_another():
    everything = with_facts(n_samples=24, dependence_pvalue=0, **FAR)
    for words in ("Use method 'batch'", "tail index 2", "24 rows are few for 5 columns"):
        assert words in everything.advice()


def test_the_kurtosis_of_few_rows_is_noisy():
    assert not with_facts(n_samples=60, n_features=2, kurtosis_ratio=1.3).heavy_tailed
    assert with_facts(n_samples=6000, n_features=2, kurtosis_ratio=1.3).heavy_tailed


def test_what_is_not_known_is_not_claimed():
    nothing = with_facts(kurtosis_ratio=float("nan"), dependence_pvalue=float("nan"))
    assert not nothing.dependent
    assert not nothing.heavy_tailed

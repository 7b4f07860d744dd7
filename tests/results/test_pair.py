"""The answer to one question: its sentence, its numbers, its JSON."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError


@pytest.fixture(scope="module")
def answer(rows):
    return ew.partial_test(rows, "a", "b", given=["c", "d"], feature_names=list("abcd"))


def test_the_sentence_has_every_number(answer):
    low, high = answer.confidence_interval()
    assert answer.sentence() == (
        "The partial correlation of a and b given c and d is "
        f"{answer.partial_correlation:.2f} (95 % interval {low:.2f} to {high:.2f}, "
        f"p = {answer.pvalue:.2g}, n = 400 rows; score test, any distribution)."
    )
    assert answer.summary() == answer.sentence()
    low, high = answer.confidence_interval(0.999)
    assert f"(99.9 % interval {low:.2f} to {high:.2f}, " in answer.sentence(0.999)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "The correlation of a and b is "),
        (("c",), "The partial correlation of a and b given c is "),
        (("c", "d", "e"), "The partial correlation of a and b given c, d and e is "),
    ],
)
def test_the_given_columns(given, words):
    X = np.random.default_rng(0).standard_normal((200, 5))
    test = ew.partial_test(X, "a", "b", given=given, feature_names=list("abcde"))
    assert test.sentence().startswith(words)


def test_digits_follow_the_width_of_the_interval():
    X = np.random.default_rng(0).standard_normal((40_000, 2))
    sentence = ew.partial_test(X, 0, 1, given=[]).sentence()
    low = sentence.partition("interval ")[2].split()[0]
    assert len(low.partition(".")[2]) == 3


def test_p_values_that_no_double_holds():
    x = np.random.default_rng(0).standard_normal(60_000)
    X = np.column_stack([x, x + 0.01 * np.random.default_rng(1).standard_normal(60_000)])
    test = ew.partial_test(X, 0, 1, given=[])
    assert test.log_pvalue < -710
    assert 0 < test.pvalue < 1e-300
    assert "p < 1e-300" in test.sentence()


def test_json_holds_the_same(answer):
    read = json.loads(answer.to_json(indent=2))
    low, high = answer.confidence_interval()
    z = -NormalDist().inv_cdf(answer.pvalue / 2)
    assert read == {
        "x": "a",
        "y": "b",
        "given": ["c", "d"],
        "partial_correlation": answer.partial_correlation,
        "interval_level": 0.95,
        "interval_low": low,
        "interval_high": high,
        "statistic": pytest.approx(z if answer.partial_correlation > 0 else -z),
        "pvalue": answer.pvalue,
        "log_pvalue": answer.log_pvalue,
        "n_samples": 400,
        "n_dropped": 0,
        "method": "score",
        "guarantee": "per edge, any distribution",
        "cautions": [],
    }
    assert math.log(answer.pvalue) == pytest.approx(answer.log_pvalue)


def test_it_is_frozen(answer, refuses):
    with pytest.raises(AttributeError):
        answer.statistic = 0.0
    refuses(lambda: answer.confidence_interval(1.0), ParameterError, "level", "between 0 and 1")

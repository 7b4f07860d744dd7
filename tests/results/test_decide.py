"""A measurement and a question become a result, the same for every method."""

import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import TooFewRowsWarning
from edgewise.inference.question import Question
from edgewise.inference.sample import open_sample
from edgewise.methods.registry import METHODS, method_of
from edgewise.results.result import decide

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
UPPER = np.triu_indices(4, k=1)
every_method = pytest.mark.parametrize("method", list(METHODS))


def measured(rows, method):
    chosen = method_of(method)
    return chosen.measure(open_sample(rows, chosen.needs, "a test"))


@every_method
def test_a_measurement_answers_many_questions(rows, method):
    """Nothing of a decision is left in it: each answer is that of a test made anew, to the bit."""
    measurement = measured(rows, method)
    bound = METHODS[method].simultaneous
    for alpha, correction, effect in (
        (0.05, "holm", 0.0),
        (0.01, "bonferroni", 0.0),
        (0.2, "bh", 0.1),
        (0.05, None, 0.3),
    ):
        own = None if bound else correction
        scale = METHODS[method].effect_scale
        found = decide(measurement, Question(alpha, own, effect, scale))
        expected = ew.edge_test(rows, method=method, alpha=alpha, correction=own, min_effect=effect)
        assert found.to_json() == expected.to_json()


def test_measuring_warns_of_nothing_about_levels(rows):
    """That the rows are too few is known only at a level."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measurement = measured(rows, "trace")
    with pytest.warns(TooFewRowsWarning, match="infinite threshold with 400 rows"):
        decide(measurement, Question(0.05, None))

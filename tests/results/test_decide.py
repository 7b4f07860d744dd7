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


@every_method
def test_carries_estimates_and_errors(rows, method):
    measurement = measured(rows, method)
    result = decide(measurement, Question(0.05, None))
    if method == "kendall":  # the correlations of latent variables
        np.testing.assert_array_equal(result.covariance.diagonal(), 1.0)
    else:
        np.testing.assert_allclose(result.covariance, np.cov(rows, rowvar=False), rtol=1e-12)
    assert (result.method, result.n_samples, result.n_features) == (method, 400, 4)
    assert result.options == dict(measurement.options)
    assert np.isnan(result.statistic.diagonal()).all()
    assert (result.radius is None) != METHODS[method].simultaneous
    np.testing.assert_array_equal(result.reject, result.reject.T)
    assert not result.reject.diagonal().any()
    if METHODS[method].simultaneous:
        assert result.standard_error is None
        return
    own, rho = measurement.uncertainty, result.partial_correlation[UPPER]
    if method in ("score", "nodewise"):
        np.testing.assert_array_equal(result.standard_error, own.precision_error)
        np.testing.assert_allclose(
            result.partial_correlation_standard_error[UPPER],
            own.spread_at(result.partial_correlation)[UPPER] / 400,
            rtol=1e-12,
        )
        return
    spread = own.spread
    np.testing.assert_array_equal(result.standard_error, spread.precision)
    np.testing.assert_allclose(
        result.partial_correlation_standard_error[UPPER],
        spread.fisher_z[UPPER] * (1 - rho**2),
        rtol=1e-12,
    )


@pytest.mark.parametrize("scale", ["precision", "partial_correlation"])
def test_a_minimal_effect_is_recorded(rows, scale):
    measurement = measured(rows, "score")
    result = decide(measurement, Question(0.05, None, 0.2, scale))
    assert result.options == {"min_effect": 0.2, "effect_scale": scale}
    assert decide(measurement, Question(0.05, None, 0.0, scale)).options == {}

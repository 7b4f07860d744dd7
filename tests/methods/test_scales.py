"""Columns in any unit: the same edges, or one sentence; no warning of NumPy, and never NaN."""

import re

import numpy as np
import pytest

import edgewise as ew
from edgewise.questions.compare_methods import all_variants

# The paper's bounds need more rows than there are here, in every unit.
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

RNG = np.random.default_rng(20)
X = RNG.standard_t(6, (2000, 4))
for j in range(1, 4):
    X[:, j] += 0.6 * X[:, j - 1]
OFF = ~np.eye(4, dtype=bool)
METHODS = {
    **dict(all_variants()),
    "trace, standardized": ew.Trace(standardize=True),
    "eig, standardized": ew.Eig(standardize=True, solver="matrix-free"),
    "spectral, standardized": ew.Spectral(standardize=True, radius="chi2"),
}
#: Those that work in the units of the columns, so that their fourth powers must be numbers.
IN_UNITS_OF_THE_COLUMNS = ("spectral, chi2", "spectral, trace", "eig (paper)", "trace (paper)")
#: Those that use only the order of values, which may then be any numbers.
OF_RANKS = ("kendall", "kendall, bound")
SCALES = {
    **{f"{scale:g}": scale for scale in (1e-155, 1e-160, 1e-300, 1e155, 1e160, 1e300)},
    **{f"{scale:g}": scale for scale in (1e-151, 1e-80, 1e80, 1e151)},
    "mixed": np.array([1e-150, 1.0, 1e150, 1e-20]),
    "mixed, one too small": np.array([1e-300, 1.0, 1.0, 1e-20]),
    "mixed, one too large": np.array([1.0, 1.0, 1e300, 1e-20]),
}


@pytest.fixture(scope="module")
def expected():
    return {name: ew.edge_test(X, method=method) for name, method in METHODS.items()}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("scale", SCALES)
def test_same_edges_or_a_sentence(name, scale, expected):
    scales = SCALES[scale]
    testable = name in OF_RANKS or np.all(np.abs(np.log10(scales)) < 152)
    try:
        result = ew.edge_test(X * scales, method=METHODS[name])
    except ew.DataError as error:
        said = str(error)
        if testable:
            assert name in IN_UNITS_OF_THE_COLUMNS
            assert "the fourth-order moments" in said
            assert "standardize=True" in said
        else:
            assert "the column by 1e200" in said
        return
    assert testable
    usual = expected[name]
    for values in ("partial_correlation", "log_pvalue"):
        found = getattr(result, values)[OFF]
        np.testing.assert_allclose(found, getattr(usual, values)[OFF], rtol=1e-8, atol=1e-12)
    np.testing.assert_array_equal(result.reject, usual.reject)
    for values in ("covariance", "precision", "statistic", "threshold"):
        assert not np.isnan(np.broadcast_to(getattr(result, values), (4, 4))[OFF]).any()


def conditional(keep):
    return lambda data: ew.ConditionalTest(data, keep=keep)("x0", "x1", given=["x2", "x3"])


QUESTIONS = {
    "one pair": lambda data: ew.partial_test(data, "x0", "x1", given=["x2"]),
    "many pairs": conditional("rows"),
    "many pairs from moments": conditional("moments"),
    "two groups": lambda data: ew.compare_groups(data[:1000], data[1000:]),
    "groups": lambda data: ew.edge_test(data, groups=np.repeat(np.arange(100), 20)),
    "a plan": lambda data: ew.plan_sample_size(data, effect=0.1),
    "a diagnosis": ew.diagnose,
    "intervals": lambda data: ew.edge_test(data).confidence_interval(simultaneous=True),
    "JSON": lambda data: ew.edge_test(data, min_effect=0.1).to_json(),
    "fourth moments": ew.covariance_of_covariance,
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("scale", SCALES)
def test_questions_answer_or_say_a_sentence(question, scale):
    said = ""
    try:
        QUESTIONS[question](X * SCALES[scale])
    except ew.DataError as error:
        said = str(error)
    assert not said or re.search("by 1e200|standardize=True", said)


@pytest.mark.parametrize("power", [-150, -100, 100, 150])
def test_a_nearly_collinear_question_to_moments(power):
    Y = X.copy()
    Y[:, 3] = Y[:, 2] + 1e-2 * Y[:, 3]  # the slow way
    plain = conditional("moments")(Y)
    scaled = conditional("moments")(Y * 10.0**power)
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-6)

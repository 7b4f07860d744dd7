"""Columns in any unit: the same edges, or one sentence; no warning of NumPy, and never NaN."""

import re

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError

# The paper's bounds need more rows than there are here, in every unit.
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

X = np.random.default_rng(20).standard_t(6, (2000, 4))
for j in range(1, 4):
    X[:, j] += 0.6 * X[:, j - 1]
OFF = ~np.eye(4, dtype=bool)
METHODS = [
    *(
        ew.methods.Score(),
        ew.methods.Wald(),
        ew.methods.Batch(),
        ew.methods.Fisher(),
        ew.methods.Kendall(),
        ew.methods.Whitened(radius="chi2"),
    ),
    *(
        ew.methods.Entrywise(),
        ew.methods.Trace(),
        ew.methods.Spectral(),
        ew.methods.Trace(standardize=True),
    ),
    ew.methods.Spectral(standardize=True, radius="chi2"),
    ew.methods.Eig(standardize=True, solver="matrix-free"),
]
#: Those that work in the units of the columns, so that their fourth powers must be numbers.
IN_UNITS_OF_THE_COLUMNS = (ew.methods.Trace(), ew.methods.Spectral())
SCALES = [
    *(1e-300, 1e-155, 1e-151, 1e-80, 1e80, 1e151, 1e155, 1e300),
    np.array([1e-150, 1.0, 1e150, 1e-20]),
    np.array([1e-300, 1.0, 1.0, 1e-20]),
    np.array([1.0, 1.0, 1e300, 1e-20]),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_same_edges_or_a_sentence(method):
    expected = ew.edge_test(X, method=method)
    for scale in SCALES:
        # Only the order of values counts for "kendall": they may be any numbers.
        testable = method.name == "kendall" or np.all(np.abs(np.log10(scale)) < 152)
        try:
            result = ew.edge_test(X * scale, method=method)
        except DataError as error:
            said = str(error)
            if testable:
                assert method in IN_UNITS_OF_THE_COLUMNS
                assert re.search(r"the fourth-order moments.*standardize=True", said)
            else:
                assert "the column by 1e200" in said
            continue
        assert testable
        for values in ("partial_correlation", "log_pvalue"):
            found, usual = (getattr(one, values)[OFF] for one in (result, expected))
            np.testing.assert_allclose(found, usual, rtol=1e-8, atol=1e-12)
        np.testing.assert_array_equal(result.reject, expected.reject)
        for values in ("covariance", "precision", "statistic", "threshold"):
            assert not np.isnan(np.broadcast_to(getattr(result, values), (4, 4))[OFF]).any()


QUESTIONS = {
    "one pair": lambda data: ew.partial_test(data, "x0", "x1", given=["x2"]),
    "many pairs": lambda data: ew.ConditionalTest(data)("x0", "x1", given=["x2", "x3"]),
    "two groups": lambda data: ew.compare_groups(data[:1000], data[1000:]),
    "clusters": lambda data: ew.edge_test(data, clusters=np.repeat(np.arange(100), 20)),
    "a plan": lambda data: ew.plan_sample_size(data, effect=0.1),
    "a diagnosis": ew.diagnose,
    "JSON": lambda data: ew.edge_test(data, min_effect=0.1).to_json(),
    "fourth moments": ew.covariance_of_covariance,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_answer_or_say_a_sentence(question):
    for scale in SCALES:
        said = ""
        try:
            QUESTIONS[question](X * scale)
        except DataError as error:
            said = str(error)
        assert not said or re.search("by 1e200|standardize=True", said)

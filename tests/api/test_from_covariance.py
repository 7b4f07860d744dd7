"""A covariance or correlation matrix with n as data."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, EdgewiseError, ParameterError
from edgewise.states import Moments


@pytest.mark.parametrize("matrix", [np.cov, np.corrcoef])
def test_fisher_is_that_of_the_rows(rows, matrix):
    state = Moments.from_covariance(
        len(rows), matrix(rows.T), rows.mean(axis=0), names=list("abcd")
    )
    found, expected = ew.edge_test(state), ew.edge_test(rows, method="fisher")
    assert found.method == "fisher"
    assert found.feature_names == ("a", "b", "c", "d")
    np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-9)
    np.testing.assert_array_equal(found.reject, expected.reject)


def test_it_is_a_state_as_others(rows, tmp_path):
    halves = [
        Moments.from_covariance(200, np.cov(half.T), half.mean(axis=0))
        for half in (rows[:200], rows[200:])
    ]
    halves[1].save(tmp_path / "b.state")
    whole = halves[0] + ew.load_state(tmp_path / "b.state")
    np.testing.assert_allclose(whole.covariance(), np.cov(rows.T), rtol=1e-12)
    assert ew.compare_groups(*halves, method="fisher").n_samples == (200, 200)


def test_names_of_a_frame(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    assert Moments.from_covariance(400, frame.corr()).feature_names == ("a", "b", "c", "d")


def test_bounds_of_a_declared_range_hold_without_rows():
    state = Moments.from_covariance(10**7, np.eye(3) / 4)
    found = ew.edge_test(state, method="spectral", radius="hoeffding", support=(-1, 1))
    assert 0 < found.threshold < np.inf


@pytest.mark.parametrize("method", ["score", "wald", "batch", "trace", "eig", "kendall"])
def test_other_methods_say_what_they_lack(refuses, method):
    state = Moments.from_covariance(100, np.eye(3))
    words = ("needs", "which a Moments state does not have", "method='fisher'")
    refuses(lambda: ew.edge_test(state, method=method), DataError, *words)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((1, np.eye(3)), ParameterError, "n_samples: expected a whole number from 2 on"),
        ((9, np.ones((4, 3))), DataError, "covariance: expected a symmetric matrix"),
        ((9, [[1, 0.5], [0.4, 1]]), DataError, "covariance: expected a symmetric matrix"),
        ((9, [[1, np.nan], [np.nan, 1]]), DataError, "covariance: expected a symmetric matrix"),
        ((9, [["a"]]), DataError, "expected numbers"),
        ((9, [[1, 2], [2, 1]]), DataError, "without negative eigenvalues"),
        ((9, np.eye(3), [0, 0]), DataError, "mean: expected a finite number for each of 3"),
    ],
)
def test_refused(refuses, arguments, error, words):
    refuses(lambda: Moments.from_covariance(*arguments), error, words)
    with pytest.raises(EdgewiseError):
        Moments.from_covariance(9, np.eye(3), names=["a", "b"])

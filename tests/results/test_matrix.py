"""A matrix of a result as a data frame with names."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError

NAMES = ("a", "b_1", "c & d", "e")
PLAIN = (
    *("covariance", "precision", "partial_correlation", "statistic", "pvalue", "adjusted_pvalue"),
    *("log_pvalue", "reject", "threshold", "standard_error", "partial_correlation_standard_error"),
)


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows, feature_names=NAMES)


@pytest.mark.parametrize("name", PLAIN)
def test_pandas_has_the_names_on_both_sides(result, name, require):
    require("pandas")
    frame = result.matrix(name, "pandas")
    assert list(frame.index) == list(frame.columns) == list(NAMES)
    np.testing.assert_array_equal(frame.to_numpy(), getattr(result, name))
    assert frame.loc["a", "b_1"] == getattr(result, name)[0, 1]


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_others_have_the_names_in_a_column(result, backend, require):
    require(backend)
    frame = result.matrix("covariance", backend)
    assert type(frame).__module__.partition(".")[0] == backend
    columns = frame.to_pydict() if backend == "pyarrow" else frame.to_dict(as_series=False)
    assert list(columns) == ["variable", *NAMES]
    assert columns.pop("variable") == list(NAMES)
    np.testing.assert_array_equal(np.column_stack([*columns.values()]), result.covariance)


def test_a_variable_that_is_called_variable(rows, require):
    require("polars")
    result = ew.edge_test(rows, feature_names=["variable", "variable_", "b", "c"])
    assert result.matrix("precision", "polars").columns[:2] == ["variable__", "variable"]


def test_the_default_is_the_partial_correlation(result):
    np.testing.assert_array_equal(np.asarray(result.matrix()), result.partial_correlation)


def test_ends_of_intervals(result, require):
    require("pandas")
    for name, end in zip(("interval_low", "interval_high"), result.shown_interval(), strict=True):
        np.testing.assert_array_equal(result.matrix(name, "pandas").to_numpy(), end)


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_one_threshold_for_all(rows, require):
    require("pandas")
    values = ew.edge_test(rows, method="trace").matrix("threshold", "pandas").to_numpy()
    assert np.isnan(values.diagonal()).all()
    assert np.isinf(values[0, 1])


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_an_unknown_name_is_refused_with_the_choices(result, rows, refuses):
    refuses(
        lambda: result.matrix("rho"),
        ParameterError,
        "name: expected one of 'covariance', 'precision', 'partial_correlation'",
        "'interval_high'; got 'rho'",
    )
    bound = ew.edge_test(rows, method="trace")
    refused = refuses(lambda: bound.matrix("standard_error"), ParameterError, "name: expected one")
    assert str(refused).count("'standard_error'") == 1  # what came, and no choice
    refuses(lambda: result.matrix("pvalue", "excel"), ParameterError, "backend: expected one of")


def test_a_frame_is_a_copy(result, require):
    require("pandas")
    frame = result.matrix("precision", "pandas")
    frame.iloc[0, 1] = 7.0
    assert result.precision[0, 1] != 7.0


def test_a_table_for_latex(result, require):
    """What the page on publishing says: three digits, names escaped."""
    require("pandas")
    require("jinja2")
    table = result.to_frame("pandas")
    text = table.to_latex(index=False, float_format="%.3f", escape=True)
    assert text.startswith("\\begin{tabular}{llrrrrrrrrrr}")
    head, *lines = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert head.startswith("source & target & partial\\_correlation")
    assert len(lines) == 6
    assert all(line.count(" & ") == len(table.columns) - 1 for line in lines)
    assert any("c \\& d" in line for line in lines)
    assert all(line.endswith(" & 400 \\\\") for line in lines)

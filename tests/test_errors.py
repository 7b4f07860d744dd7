"""Warnings point at the user's line, whichever way the user came in."""

from __future__ import annotations

import inspect
import warnings

import pytest

import edgewise as ew
from edgewise.errors import EdgewiseWarning, ShortBatchesWarning, TooFewRowsWarning


def only(call, category):
    """The one warning of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (found,) = caught
    assert found.category is category
    assert issubclass(category, EdgewiseWarning)
    assert "\n" not in str(found.message)
    return found


def points_here(found, call):
    lines, start = inspect.getsourcelines(call)
    assert found.filename == __file__
    assert start <= found.lineno < start + len(lines)


@pytest.mark.parametrize(
    ("call", "category"),
    [
        (lambda X: ew.edge_test(X, method="trace"), TooFewRowsWarning),
        (lambda X: ew.edge_test(ew.accumulate(X), method="spectral"), TooFewRowsWarning),
        (lambda X: ew.edge_test(X, method="batch", n_batches=100), ShortBatchesWarning),
        (lambda X: ew.EdgeTest("trace").fit(X), TooFewRowsWarning),
    ],
    ids=["trace", "state", "batch", "fit"],
)
def test_the_warning_is_at_the_callers_line(rows, call, category):
    points_here(only(lambda: call(rows), category), call)


def test_from_within_the_users_functions(rows):
    def analyse():
        return ew.edge_test(rows, method="trace")

    points_here(only(lambda: analyse(), TooFewRowsWarning), analyse)

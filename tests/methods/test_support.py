"""The declared range of the columns: what it may look like, and rows outside it."""

from functools import partial

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.inference.sample import Sample
from edgewise.methods.bounds import check_rows, intervals_of
from edgewise.states import Moments
from edgewise.tables.table import InMemoryRows

NAMES = ("a", "b", "c")
ROWS = np.array([[0.0, -1.0, 5.0], [1.0, 1.0, 5.5], [0.5, 0.0, 6.0]])
FITS = [(0, 1), (-1, 1), (5, 6)]


def check(support, *batches, names=NAMES):
    sample = Sample(
        feature_names=names,
        purpose="a test",
        state=Moments(),
        rows=InMemoryRows(batches or (ROWS,)),
    )
    intervals = intervals_of(support, names)
    sample.scan(partial(check_rows, intervals=intervals, names=names))
    return intervals


def test_one_interval_for_all_columns_or_one_for_each():
    for support in ((-1, 6), [-1.0, 6.0], np.array([-1, 6])):
        np.testing.assert_array_equal(check(support), [[-1, 6]] * 3)
    for kind in (list, tuple, np.array):
        np.testing.assert_array_equal(check(kind(FITS)), FITS)
    # Two intervals for two columns are not one interval of two numbers.
    found = check([(0, 2), (1, 4)], np.ones((3, 2)), names=("a", "b"))
    np.testing.assert_array_equal(found, [[0, 2], [1, 4]])
    for dtype in (np.int8, np.float32, bool):
        batch = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
        np.testing.assert_array_equal(check((0, 1), batch), [[0, 1]] * 3)


def test_what_is_no_interval(refuses):
    wrong = [
        *((0, 1, 2), 3.0, [], [(0, 1)] * 2, [(0, 1)] * 4, [(0, 1, 2)] * 3),
        *([(0, 1), (0, 1), (0,)], [[[0], [1]]] * 3, (6, -1), (2, 2), (-np.inf, np.inf)),
        *((np.nan, 6), [(-9, 9), (-9, 9), (9, -9)], ("low", "high"), {"a": (0, 1)}, "0,1"),
    ]
    for support in wrong:
        said = "support: expected one finite interval"
        refuses(lambda support=support: check(support), ParameterError, said, "got")


def test_a_row_outside_names_the_column_and_the_value(refuses):
    last = np.array([[0.5, 3.5, 5.0]])
    outside = [
        (lambda: check([(0, 1), (-1, 1), (5, 5.9)]), "column 'c' between 5 and 5.9, got 6"),
        (lambda: check([(0, 1), (-0.5, 1), (5, 6)]), "column 'b' between -0.5 and 1, got -1"),
        (lambda: check([(0.1, 1), (-0.5, 1), (5, 6)]), "column 'a' between 0.1 and 1, got 0"),
        (lambda: check(FITS, ROWS, ROWS[:0], last), "column 'b' between -1 and 1, got 3.5"),
    ]
    for call, said in outside:
        refuses(call, DataError, f"every value of {said}")


@pytest.mark.parametrize("radius", ["hoeffding", "bernstein"])
def test_together_with_a_method(radius, refuses):
    X = np.random.default_rng(0).uniform(0, 1, (50, 3))
    for method in ("whitened", "spectral"):
        refuses(
            lambda method=method: ew.edge_test(
                np.add(X, [0, 0, 2]),
                method=method,
                radius=radius,
                support=(0, 1),
                feature_names=NAMES,
            ),
            DataError,
            "column 'c' between 0 and 1, got 2.9",
        )
        if radius == "bernstein":  # the other believes it of the rows of a state
            state = Moments().update(X)
            refuses(
                lambda method=method, state=state: ew.edge_test(
                    state, method=method, radius=radius, support=(0, 1)
                ),
                DataError,
                "needs the rows a second time",
            )

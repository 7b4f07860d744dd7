"""The declared range of the columns: what it may look like, and rows outside it."""

from functools import partial

import numpy as np
import pytest

import edgewise as ew
from edgewise import DataError, Moments, ParameterError
from edgewise.evidence.from_rows import RowEvidence
from edgewise.methods.support import check_rows, intervals_of, plain_support
from edgewise.rows.passes import RowsAtHand

NAMES = ("a", "b", "c")
ROWS = np.array([[0.0, -1.0, 5.0], [1.0, 1.0, 5.5], [0.5, 0.0, 6.0]])


def check(support, *batches, names=NAMES):
    evidence = RowEvidence(
        feature_names=names,
        asked_by="a test",
        state=Moments(),
        rows=RowsAtHand(batches or (ROWS,)),
    )
    intervals = intervals_of(support, names)
    evidence.sums(partial(check_rows, intervals=intervals, names=names))
    return intervals


@pytest.mark.parametrize("support", [(-1, 6), [-1.0, 6.0], np.array([-1, 6])])
def test_one_interval_for_all_columns(support):
    np.testing.assert_array_equal(check(support), [[-1, 6]] * 3)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_one_for_each_column(kind):
    support = kind([(0, 1), (-1, 1), (5, 6)])
    np.testing.assert_array_equal(check(support), [[0, 1], [-1, 1], [5, 6]])


def test_two_columns_with_an_interval_each():
    """Two intervals for two columns are not one interval of two numbers."""
    found = check([(0, 2), (1, 4)], np.ones((3, 2)), names=("a", "b"))
    np.testing.assert_array_equal(found, [[0, 2], [1, 4]])


@pytest.mark.parametrize(
    "support",
    [
        (0, 1, 2),
        3.0,
        [],
        [(0, 1), (0, 1)],
        [(0, 1), (0, 1), (0, 1), (0, 1)],
        [(0, 1, 2)] * 3,
        [(0, 1), (0, 1), (0,)],
        [[[0], [1]]] * 3,
    ],
)
def test_wrong_shapes(support, refuses):
    refuses(
        lambda: check(support), ParameterError, "support: expected one finite interval", "3 columns"
    )


@pytest.mark.parametrize(
    "support",
    [
        (6, -1),
        (2, 2),
        (-np.inf, np.inf),
        (np.nan, 6),
        [(-9, 9), (-9, 9), (9, -9)],
        [(-9, 9), (-9, np.nan), (-9, 9)],
        ("low", "high"),
        {"a": (0, 1)},
        "0,1",
    ],
)
def test_no_intervals(support, refuses):
    refuses(lambda: check(support), ParameterError, "support: expected one finite interval", "got")


@pytest.mark.parametrize(
    ("support", "column", "value"),
    [
        ([(0, 1), (-1, 1), (5, 5.9)], "'c'", "got 6"),
        ([(0, 1), (-0.5, 1), (5, 6)], "'b'", "got -1"),
        ([(0.1, 1), (-0.5, 1), (5, 6)], "'a'", "got 0"),
    ],
)
def test_a_row_outside_names_the_column_and_the_value(support, column, value, refuses):
    refuses(lambda: check(support), DataError, f"every value of column {column} between", value)


def test_every_batch_is_looked_at(refuses):
    last = np.array([[0.5, 3.5, 5.0]])
    refuses(
        lambda: check([(0, 1), (-1, 1), (5, 6)], ROWS, ROWS[:0], last),
        DataError,
        "column 'b' between -1 and 1, got 3.5",
    )


@pytest.mark.parametrize("dtype", [np.int8, np.float32, bool])
def test_any_kind_of_number(dtype):
    batch = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    np.testing.assert_array_equal(check((0, 1), batch), [[0, 1]] * 3)


@pytest.mark.parametrize(
    ("support", "plain"),
    [
        ((0, 1), (0.0, 1.0)),
        ([[0, 1], [2, 3]], ((0.0, 1.0), (2.0, 3.0))),
        (np.array([[0, 1]]), ((0.0, 1.0),)),
        (None, None),
        ("0,1", "0,1"),
        ([(0, 1), (0,)], [(0, 1), (0,)]),
    ],
)
def test_as_tuples(support, plain):
    """So that methods compare and hash; what is no table is left for the check to refuse."""
    assert plain_support(support) == plain


FINITE = pytest.mark.parametrize("radius", ["hoeffding", "bernstein"])


@pytest.mark.parametrize("method", ["whitened", "spectral"])
class TestTogetherWithTheRadius:
    X = np.random.default_rng(0).uniform(0, 1, (50, 3))

    @FINITE
    def test_a_finite_radius_without_support(self, method, radius, refuses):
        refuses(
            lambda: ew.edge_test(self.X, method=method, radius=radius),
            ParameterError,
            "support: expected with radius='hoeffding' or 'bernstein'",
            f"got radius={radius!r} and support=None",
        )

    @pytest.mark.parametrize("radius", ["trace", "chi2", "eig"])
    def test_support_without_hoeffding(self, method, radius, refuses):
        refuses(
            lambda: ew.edge_test(self.X, method=method, radius=radius, support=(0, 1)),
            ParameterError,
            "support: expected with radius='hoeffding' or 'bernstein' and only there",
            f"got radius={radius!r}",
        )

    @FINITE
    def test_a_row_outside(self, method, radius, refuses):
        refuses(
            lambda: ew.edge_test(
                self.X + np.array([0, 0, 2]),
                method=method,
                radius=radius,
                support=(0, 1),
                feature_names=["age", "dose", "level"],
            ),
            DataError,
            "column 'level' between 0 and 1, got 2.9",
        )

    @FINITE
    @pytest.mark.parametrize("outside", [0, 0.1])
    def test_a_state_has_no_rows_to_look_at(self, method, radius, outside, refuses):
        state = ew.Moments().update(self.X)
        options = {"radius": radius, "support": (0, 1), "outside": outside}
        refuses(
            lambda: ew.edge_test(state, method=method, **options),
            DataError,
            "reads the rows twice",
        )

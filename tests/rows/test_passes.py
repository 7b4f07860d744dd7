"""Rows that are elsewhere: every method from sums of partitions, whatever the partitions."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from edgewise import Moments, edge_test
from edgewise.evidence.from_rows import RowEvidence
from edgewise.methods.registry import method_of
from edgewise.results.decide import decide
from edgewise.rows.table import Part

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.EdgewiseWarning")
NAMES = ("a", "b", "c", "d")
CUTS = {
    "one": [],
    "even": [100, 200, 300],
    "uneven": [1, 7, 399],
    "with empty ones": [0, 50, 50, 400],
}
TESTS = [
    ("score", {}),
    ("wald", {}),
    ("elliptical", {}),
    ("trace", {"standardize": True}),
    ("eig", {"solver": "full"}),
    ("eig", {"solver": "matrix-free"}),
    ("spectral", {"radius": "eig"}),
    ("whitened", {}),
    ("whitened", {"radius": "chi2"}),
    ("whitened", {"radius": "hoeffding", "support": (-100.0, 100.0)}),
    ("whitened", {"radius": "bernstein", "support": (-100.0, 100.0)}),
]


class Partitions:
    """Passes see one partition at a time; what they return is all that is added up."""

    in_memory = False

    def __init__(self, X, cuts):
        self.parts = np.split(X, cuts)
        self.passes = 0

    @property
    def table(self):
        """Few rows are gathered, not summed."""
        return self

    def reduce(self, one_pass, merge):
        self.passes += 1
        parts = [
            one_pass(Part(number, "", NAMES, lambda rows=rows: iter([rows])))
            for number, rows in enumerate(self.parts)
        ]
        return functools.reduce(merge, parts)

    def sums(self, one_pass, *, whole=True):
        self.passes += 1
        totals = [one_pass(iter([part])) for part in self.parts]
        return tuple(sum(pieces[1:], start=pieces[0]) for pieces in zip(*totals, strict=True))


def distant_test(scan, X, name, **options):
    method = method_of(name, options)
    state = Moments(order=method.needs.order).update(X)
    evidence = RowEvidence(
        feature_names=NAMES, asked_by="a test", in_memory=False, state=state, rows=scan
    )
    return decide(method.measure(evidence), method.question(0.05))


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(("method", "options"), TESTS)
def test_same_as_rows_that_are_here(rows, method, options, cuts, same_result):
    scan = Partitions(rows, CUTS[cuts])
    found = distant_test(scan, rows, method, **options)
    assert scan.passes >= 1
    expected = edge_test(rows, method=method, **options)
    if options.get("solver") == "matrix-free":
        # Iterations that stop at a tolerance, from a start that sees other rows first.
        np.testing.assert_allclose(found.radius, expected.radius, rtol=1e-3)
        assert found.radius >= edge_test(rows, method=method, solver="full").radius
    else:
        same_result(found, expected, names=NAMES)


def test_nearly_equal_columns_too(rows, same_result):
    """Their pairs are summed in a pass of their own."""
    X = rows.copy()
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    scan = Partitions(X, [130])
    same_result(distant_test(scan, X, "wald"), edge_test(X, method="wald"), names=NAMES)
    assert scan.passes == 2


def test_a_pass_takes_no_rows_with_it(rows):
    """What is sent to the rows is of the size of a p × p matrix."""
    import pickle

    class Measured(Partitions):
        sizes = ()

        def sums(self, one_pass, *, whole=True):
            self.sizes = (*self.sizes, len(pickle.dumps(one_pass)))
            return super().sums(one_pass, whole=whole)

    # The 400 rows are so few that `score` gathers them.
    for method, options in TESTS[1:]:
        scan = Measured(rows, [200])
        distant_test(scan, rows, method, **options)
        assert max(scan.sizes) < 4000 < rows.nbytes

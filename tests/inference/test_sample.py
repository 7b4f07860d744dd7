"""What a method may ask: the same sums from rows and from fourth moments, and one sentence without."""

import numpy as np
import pytest

import edgewise as ew
from edgewise._checks import default_names
from edgewise.errors import DataError
from edgewise.inference.sample import Needs, Sample, open_sample
from edgewise.methods.method import Method
from edgewise.states import ConcordanceMoments, Moments, PairwiseMoments
from edgewise.tables.open import as_table
from edgewise.tables.table import Rescan

UPPER = np.triu_indices(4, k=1)


def from_rows(X, order=4):
    return Sample(
        feature_names=default_names(X.shape[1]),
        purpose="a test",
        state=Moments(order=order).update(X),
        rows=Rescan(as_table(X), len(X)),
    )


def sample_of_state(state, purpose):
    return open_sample(state, Needs(), purpose)


def from_products(X):
    return sample_of_state(Moments(order="all").update(X), "a test")


#: Every method that products of four columns serve.
SERVED = [
    *(ew.methods.Elliptical(), ew.methods.Fisher()),
    *(ew.methods.Trace(), ew.methods.Trace(mu=0.5, standardize=True)),
    *(ew.methods.Eig(solver="full"), ew.methods.Eig(solver="full", standardize=True)),
    *(ew.methods.Whitened(radius=radius, solver="full") for radius in ("trace", "eig")),
    *(ew.methods.Spectral(radius=radius, solver="full") for radius in ("trace", "chi2", "eig")),
    *(ew.methods.Spectral(radius=radius, standardize=True) for radius in ("trace", "chi2")),
]


@pytest.mark.parametrize("method", SERVED, ids=repr)
def test_fourth_moments_measure_what_the_rows_measure(rows, method: Method):
    found, expected = (method.measure(sample(rows)) for sample in (from_products, from_rows))
    assert found.method == expected.method == method.name
    assert found.feature_names == expected.feature_names
    np.testing.assert_allclose(found.precision, expected.precision, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        found.statistic[UPPER], expected.statistic[UPPER], rtol=1e-9, atol=1e-10
    )
    assert found.options.keys() == expected.options.keys()
    for name, value in expected.options.items():
        near = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
        assert found.options[name] == near
    for value in (0.0, 0.05):
        np.testing.assert_allclose(
            found.uncertainty.log_pvalues(found, value),
            expected.uncertainty.log_pvalues(expected, value),
            rtol=1e-8,
            atol=1e-9,
        )
    if method.simultaneous:
        for alpha in (1e-6, 0.05):
            radii = [one.uncertainty.radius.epsilon(alpha) for one in (found, expected)]
            assert radii[0] == pytest.approx(radii[1], rel=1e-9)
    else:
        for name in ("precision", "fisher_z"):
            np.testing.assert_allclose(
                getattr(found.uncertainty.spread, name)[UPPER],
                getattr(expected.uncertainty.spread, name)[UPPER],
                rtol=1e-9,
            )


LACKING = {
    "the rows a second time": {
        "scan": (lambda blocks: (),),
        "rows_again": (),
        "covcov_operator": (),
        "quartics": (np.eye(4),),
        "leading_rows": (7,),
    },
    "fourth-order sums": {"quartics": ()},
    "the rows a second time, or all products of four columns (order='all')": {"covcov_matrix": ()},
    "the moments of batches": {"batches": ()},
    "sums of pairs of columns": {"pairwise_batches": ()},
    "the order of rows": {"concordance": ()},
}


@pytest.mark.parametrize("what", LACKING)
@pytest.mark.parametrize("purpose", ["method 'wald'", "a diagnosis"])
def test_what_is_not_there_is_one_sentence(rows, what, purpose, refuses):
    sample = sample_of_state(Moments(order=2).update(rows), purpose)
    for name, arguments in LACKING[what].items():
        refuses(
            lambda name=name, arguments=arguments: getattr(sample, name)(*arguments),
            DataError,
            f"data: {purpose} needs {what}, which a Moments state does not have; pass the rows, "
            "or use method='fisher'.",
        )


def test_states_that_serve_other_methods(rows, refuses):
    orders = sample_of_state(ConcordanceMoments(10).update(rows), "method 'score'")
    refuses(orders.moments, DataError, "needs means and covariances", "use method='kendall'")
    pairs = sample_of_state(PairwiseMoments(10).update(rows), "method 'eig'")
    refuses(pairs.covcov_matrix, DataError, "the rows a second time", "use method='batch'")
    fourth = from_products(rows)
    refuses(fourth.covcov_operator, DataError, "a test needs the rows a second time")

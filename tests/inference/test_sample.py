"""What a method may ask: the same sums from rows and from fourth moments, and one sentence without."""

import numpy as np
import pytest

import edgewise as ew
from edgewise._checks import default_names
from edgewise.errors import DataError, ParameterError
from edgewise.inference.sample import Needs, Sample, open_sample
from edgewise.methods.method import Method
from edgewise.states import ConcordanceMoments, Moments, PairwiseMoments
from edgewise.tables.open import as_table
from edgewise.tables.table import Rescan, Table

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


class TestSums:
    """Each sum against its definition, from every kind of sample that has it."""

    A = np.random.default_rng(3).standard_normal((4, 4))

    @pytest.fixture(params=["rows", "rows of order 2", "products"])
    def sample(self, request, rows):
        return {
            "rows": lambda: from_rows(rows),
            "rows of order 2": lambda: from_rows(rows, order=2),
            "products": lambda: from_products(rows),
        }[request.param]()

    @pytest.fixture
    def centred(self, rows):
        return rows - rows.mean(axis=0)

    def test_moments(self, sample, rows):
        found = sample.moments()
        assert found.n_samples == 400
        np.testing.assert_allclose(found.mean(), rows.mean(axis=0), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found.covariance(), np.cov(rows, rowvar=False), rtol=1e-11)

    @pytest.mark.parametrize("mapped", [False, True])
    def test_quartics(self, sample, centred, mapped):
        A = self.A if mapped else None
        u = centred @ self.A.T if mapped else centred
        found = sample.quartics(A)
        np.testing.assert_allclose(found.columns, np.mean(u**4, axis=0), rtol=1e-10)
        assert found.norm == pytest.approx(np.mean(np.sum(u**2, axis=1) ** 2), rel=1e-10)

    @pytest.mark.parametrize("frobenius", [False, True])
    @pytest.mark.parametrize("mapped", [False, True])
    def test_covcov_matrix(self, sample, centred, mapped, frobenius):
        A = self.A if mapped else None
        u = centred @ self.A.T if mapped else centred
        i, j = np.triu_indices(4)
        weight = np.where(i < j, np.sqrt(2), 1) if frobenius else 1
        products = u[:, i] * u[:, j] * weight
        expected = 398 / (400 * 399) * np.cov(products, rowvar=False, bias=True)
        found = sample.covcov_matrix(A, frobenius=frobenius)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-11 * expected.max())

    def test_what_only_rows_can_give(self, sample):
        if sample.rows is None:
            return
        product = sample.covcov_operator() @ np.eye(10)
        np.testing.assert_allclose(
            product, sample.covcov_matrix(), rtol=1e-8, atol=1e-11 * product.max()
        )


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
        "pair_sums": (None,),
        "exact_pairs": (None, None, 0.99),
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


@pytest.mark.parametrize(
    "needs",
    [Needs(), Needs(order=4), Needs(in_batches=True, n_batches=20), Needs(reads_again=True)],
)
def test_rows_are_read_once_for_what_is_needed(rows, needs):
    sample = open_sample(rows, needs, "a test")
    assert sample.rows is not None
    assert sample.in_memory
    if needs.in_batches:
        assert sample.batches().n_batches == needs.n_batches
    else:
        assert sample.state.order == needs.order


def test_a_stream_cannot_be_read_again(rows, refuses):
    refuses(
        lambda: open_sample(iter([rows]), Needs(reads_again=True), "a diagnosis"),
        DataError,
        "data: a diagnosis reads the rows twice, and this stream can be read only once",
        "method='batch'",
    )


@pytest.mark.parametrize(
    "choice",
    [
        {"columns": ["x0", "x1"]},
        {"exclude": ["x0"]},
        {"missing": "drop"},
        {"transform": "normal-scores"},
    ],
)
def test_of_a_state_no_rows_can_be_chosen(rows, choice, refuses):
    state = Moments().update(rows)
    refuses(
        lambda: open_sample(state, Needs(), "a test", **choice),
        ParameterError,
        "columns, exclude, missing, client: expected with rows only, got a state",
    )


@pytest.mark.parametrize("n", [300, 800])
@pytest.mark.parametrize("step", [1, -1])
def test_rows_that_change_between_passes(n, step, refuses):
    """Few rows, which the score test keeps, and more, which it sums."""
    X = np.random.default_rng(0).standard_normal((n + 20, 4))

    class Changing(Table):
        """A table that loses or gains rows from pass to pass."""

        feature_names, named, rescannable = default_names(4), False, True
        passes = 0

        def blocks(self):
            self.passes += 1
            yield X[: n + step * (self.passes - 1)]

    refuses(
        lambda: ew.edge_test(Changing()),
        DataError,
        f"the first pass read {n} rows, a later one",
        "method='batch'",
    )

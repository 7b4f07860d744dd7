"""The same sums from rows and from fourth moments, and so the same measurements."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import DataError, Moments
from edgewise._base.checks import default_names
from edgewise.evidence.from_fourth import FourthEvidence
from edgewise.evidence.from_rows import RowEvidence
from edgewise.inference.effect import MinEffect
from edgewise.methods.method import Method
from edgewise.rows.opening import open_table
from edgewise.rows.passes import SameRows
from edgewise.states.fourth import FourthMoments

UPPER = np.triu_indices(4, k=1)


def from_rows(X, order=4):
    return RowEvidence(
        feature_names=default_names(X.shape[1]),
        asked_by="a test",
        state=Moments(order=order).update(X),
        rows=SameRows(open_table(X), len(X)),
    )


def from_fourth(X):
    return FourthEvidence(
        feature_names=default_names(X.shape[1]),
        asked_by="a test",
        fourth=FourthMoments.of(X, X.mean(axis=0) + 0.1),
    )


class TestSums:
    """Each sum against its definition, from every kind of evidence that has it."""

    A = np.random.default_rng(3).standard_normal((4, 4))

    @pytest.fixture(params=["rows", "rows of order 2", "fourth"])
    def evidence(self, request, rows):
        return {
            "rows": lambda: from_rows(rows),
            "rows of order 2": lambda: from_rows(rows, order=2),
            "fourth": lambda: from_fourth(rows),
        }[request.param]()

    @pytest.fixture
    def centred(self, rows):
        return rows - rows.mean(axis=0)

    def test_moments(self, evidence, rows):
        found = evidence.moments()
        assert found.n_samples == 400
        np.testing.assert_allclose(found.mean(), rows.mean(axis=0), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found.covariance(), np.cov(rows, rowvar=False), rtol=1e-11)

    @pytest.mark.parametrize("mapped", [False, True])
    def test_central_covariance(self, evidence, centred, mapped):
        A = self.A if mapped else None
        u = centred @ self.A.T if mapped else centred
        np.testing.assert_allclose(evidence.central_covariance(A), u.T @ u / 400, rtol=1e-11)

    @pytest.mark.parametrize("mapped", [False, True])
    def test_quartics(self, evidence, centred, mapped):
        A = self.A if mapped else None
        u = centred @ self.A.T if mapped else centred
        found = evidence.quartics(A)
        np.testing.assert_allclose(found.columns, np.mean(u**4, axis=0), rtol=1e-10)
        assert found.norm == pytest.approx(np.mean(np.sum(u**2, axis=1) ** 2), rel=1e-10)

    def test_pair_sums(self, evidence, centred):
        v = centred @ self.A
        found = evidence.pair_sums(self.A)
        np.testing.assert_allclose(found.square_square, (v**2).T @ v**2, rtol=1e-10)
        np.testing.assert_allclose(found.cube_linear, (v**3).T @ v, rtol=1e-9, atol=1e-8)

    @pytest.mark.parametrize("frobenius", [False, True])
    @pytest.mark.parametrize("mapped", [False, True])
    def test_covcov_matrix(self, evidence, centred, mapped, frobenius):
        A = self.A if mapped else None
        u = centred @ self.A.T if mapped else centred
        i, j = np.triu_indices(4)
        weight = np.where(i < j, np.sqrt(2), 1) if frobenius else 1
        products = u[:, i] * u[:, j] * weight
        expected = 398 / (400 * 399) * np.cov(products, rowvar=False, bias=True)
        found = evidence.covcov_matrix(A, frobenius=frobenius)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-11 * expected.max())

    def test_what_only_rows_can_give(self, evidence, centred, refuses):
        if isinstance(evidence, FourthEvidence):
            refuses(lambda: evidence.leading_rows(9), DataError, "a test reads the rows twice")
            refuses(lambda: evidence.covcov_operator(), DataError, "a test reads the rows twice")
            refuses(evidence.batches, DataError, "a test needs the moments of batches")
            return
        for most in (9, 200, 1000):
            found = evidence.leading_rows(most)
            np.testing.assert_allclose(found, centred[:most].T, rtol=1e-12, atol=1e-14)
        product = evidence.covcov_operator() @ np.eye(10)
        np.testing.assert_allclose(
            product, evidence.covcov_matrix(), rtol=1e-8, atol=1e-11 * product.max()
        )


#: Every method that fourth moments serve.
SERVED = [
    *(ew.Score(), ew.Wald(), ew.Elliptical(), ew.Fisher()),
    *(ew.Trace(), ew.Trace(mu=0.5, standardize=True)),
    *(ew.Eig(solver="full"), ew.Eig(solver="full", standardize=True)),
    *(ew.Whitened(radius=radius, solver="full") for radius in ("trace", "chi2", "eig")),
    *(ew.Spectral(radius=radius, solver="full") for radius in ("trace", "chi2", "eig")),
    *(ew.Spectral(radius=radius, standardize=True) for radius in ("trace", "chi2")),
]


@pytest.mark.parametrize("method", SERVED, ids=repr)
def test_fourth_moments_measure_what_the_rows_measure(rows, method: Method):
    found, expected = (method.measure(evidence(rows)) for evidence in (from_fourth, from_rows))
    assert found.method == expected.method == method.name
    assert found.feature_names == expected.feature_names
    np.testing.assert_allclose(found.precision, expected.precision, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        found.statistic[UPPER], expected.statistic[UPPER], rtol=1e-9, atol=1e-10
    )
    assert found.record.keys() == expected.record.keys()
    for name, value in expected.record.items():
        near = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
        assert found.record[name] == near
    for value in (0.0, 0.05):
        effect = MinEffect(value, "partial_correlation")
        np.testing.assert_allclose(
            found.uncertainty.log_pvalues(found, effect),
            expected.uncertainty.log_pvalues(expected, effect),
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


@pytest.mark.parametrize("method", [ew.Batch(), ew.Sequential()], ids=repr)
def test_fourth_moments_have_no_batches(rows, method, refuses):
    evidence = from_fourth(rows)
    refuses(lambda: method.measure(evidence), DataError, "needs the moments of batches")

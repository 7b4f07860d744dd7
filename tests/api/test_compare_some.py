"""Two groups: for some pairs only, adjusted for columns, and with rows that belong together."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.inference.corrections import adjust

NAMES = ["a", "b", "c", "age", "sex"]


@pytest.fixture(scope="module")
def two(require):
    """Two groups of 300 rows in 60 subjects; a – b differs."""
    pd = require("pandas")
    rng = np.random.default_rng(8)
    frames = []
    for sign in (1, -1):
        subject = np.arange(300) % 60
        X = rng.standard_normal((300, 5)) + rng.standard_normal((60, 5))[subject]
        X[:, 1] += sign * 0.7 * X[:, 0]
        X[:, 2] += 0.5 * X[:, 3]
        frame = pd.DataFrame(X, columns=NAMES)
        frames.append(frame.assign(subject=[f"{'ab'[sign > 0]}{i}" for i in subject]))
    return frames


def columns(frames):
    return [frame[NAMES] for frame in frames]


class TestFamily:
    def test_only_the_family_shrinks(self, two):
        a, b = columns(two)
        whole, some = ew.compare_groups(a, b), ew.compare_groups(a, b, given=["age", "sex"])
        assert (some.n_pairs, some.n_tests, some.given) == (3, 3, ("age", "sex"))
        assert len(some.pairs()) == len(some.to_frame("pandas")) == 3
        own = some.tested
        np.testing.assert_array_equal(some.log_pvalue[own], whole.log_pvalue[own])
        np.testing.assert_array_equal(some.statistic[own], whole.statistic[own])
        np.testing.assert_array_equal(some.difference, whole.difference)
        assert np.isnan(some.adjusted_pvalue[~own]).all()
        above = np.triu(own, k=1)
        expected = np.exp(adjust(whole.log_pvalue[above], "holm"))
        np.testing.assert_allclose(some.adjusted_pvalue[above], expected, rtol=1e-12)
        assert "3 pairs among 3 variables, adjusted for age and sex, differ" in some.headline()

    def test_permutations_of_some_pairs(self, two):
        a, b = columns(two)
        options = {"permutations": 99, "random_state": 3}
        whole = ew.compare_groups(a, b, **options)
        some = ew.compare_groups(a, b, pairs=[("a", "c"), ("b", "c")], **options)
        own = some.tested
        np.testing.assert_array_equal(some.pvalue[own], whole.pvalue[own])
        assert (some.adjusted_pvalue[own] <= whole.adjusted_pvalue[own]).all()
        assert (some.adjusted_pvalue[own] >= some.pvalue[own]).all()
        assert some.global_pvalue == pytest.approx(np.nanmin(some.adjusted_pvalue))

    def test_each_level_against_the_others(self, two, require):
        pd = require("pandas")
        frame = pd.concat(columns(two))
        levels = np.arange(len(frame)) % 3
        found = ew.compare_groups(frame, by=levels, given=["age", "sex"])
        assert found["0"].n_tests == 9
        assert found["0"].n_pairs == 3

    def test_refused(self, two, refuses):
        a, b = columns(two)
        refuses(lambda: ew.compare_groups(a, b, given="aeg"), DataError, "did you mean 'age'?")
        refuses(lambda: ew.compare_groups(a, b, pairs=[]), ParameterError, "pairs: ")


class TestSubjects:
    def test_it_is_the_jackknife_over_subjects(self, two):
        a, b = two
        result = ew.compare_groups(a, b, clusters="subject")
        each = [ew.edge_test(one, method="wald", clusters="subject") for one in two]
        z = [np.arctanh(one.partial_correlation[0, 1]) for one in each]
        error = [one.uncertainty.spread.fisher_z[0, 1] for one in each]
        expected = (z[0] - z[1]) / np.hypot(*error)
        assert result.statistic[0, 1] == pytest.approx(expected)
        assert result.options["n_clusters"] == 60
        assert "(300 rows in 60 clusters)" in result.headline()
        assert not result.cautions

    def test_a_subject_in_both_groups_is_told(self, two, refuses, require):
        numbered = [one.assign(subject=np.arange(300) % 60) for one in two]
        (caution,) = ew.compare_groups(*numbered, clusters="subject").cautions
        assert "60 of its labels" in caution
        whole = require("pandas").concat([one.assign(g=k) for k, one in enumerate(numbered)])
        refuses(
            lambda: ew.compare_groups(whole, by="g", clusters="subject"),
            DataError,
            "clusters: expected each label with one level only, got 60 of 60",
        )

    def test_missing_labels(self, two, refuses, require):
        whole = require("pandas").concat([one.assign(g=k) for k, one in enumerate(two)])
        whole = whole.reset_index(drop=True)
        whole.loc[3, "subject"] = None
        refuses(
            lambda: ew.compare_groups(whole, by="g", clusters="subject"),
            DataError,
            "clusters: 1 of 600 rows have no label",
        )
        result = ew.compare_groups(whole, by="g", clusters="subject", missing="drop")
        assert result.n_samples == (299, 300)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"method": "batch"}, "clusters: rows in clusters are not supported by method 'batch'"),
            ({"permutations": 99}, "`permutations` and `clusters` cannot be combined"),
            ({"clusters": np.arange(300)}, "clusters: expected the name of a column, or a tuple"),
        ],
    )
    def test_refused(self, two, refuses, options, words):
        asked = {"clusters": "subject", **options}
        refuses(lambda: ew.compare_groups(*two, **asked), ParameterError, words)


class TestIndependence:
    """What the rows themselves say against independent groups."""

    TABLE = np.random.default_rng(2).standard_t(5, (200, 4))

    def kinds(self, *groups):
        return {caution.kind for caution in ew.compare_groups(*groups).cautions}

    def test_common_rows(self):
        assert "common rows" in self.kinds(self.TABLE, self.TABLE[np.r_[0:60, 5:10]])


class TestLattice:
    def test_a_pvalue_of_permutations_keeps_the_level_it_has(self):
        for seed in range(30):
            a, b = np.random.default_rng(seed).standard_normal((2, 40, 3))
            result = ew.compare_groups(a, b, permutations=19)
            off = ~np.eye(3, dtype=bool)
            np.testing.assert_array_equal(result.reject[off], result.adjusted_pvalue[off] <= 0.05)
            assert (result.global_pvalue <= 0.05) == bool(result.n_edges)

    def test_too_few_permutations_for_one_pair_are_told(self):
        a, b = np.random.default_rng(0).standard_normal((2, 60, 6))
        result = ew.compare_groups(a, b, permutations=99, correction="bh")
        assert "299 permutations or more" in result.cautions[-1]
        assert not ew.compare_groups(a, b, permutations=299, correction="bh").cautions


def test_a_constant_level_is_named(refuses):
    X = np.random.default_rng(1).standard_normal((90, 3))
    X[30:60, 1] = 5.0
    refuses(
        lambda: ew.compare_groups(X, by=np.arange(90) // 30),
        DataError,
        "group '1': column 'x1' is constant in it",
    )

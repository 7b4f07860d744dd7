"""`compare_groups`: what it answers, from every kind of data, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.inference.corrections import adjust
from edgewise.simulate import make_chain_precision, sample
from edgewise.sums.score import believed_tau
from edgewise.tables.files import FileTable

NAMES = ("a", "b", "c", "d")
OFF = ~np.eye(4, dtype=bool)


@pytest.fixture(scope="module")
def groups():
    """Two chains with edges of 0.45 and 0.05, different numbers of rows, heavy tails."""
    return (
        sample("t5", make_chain_precision(4, -0.45), 300, rng=1),
        sample("t5", make_chain_precision(4, -0.05), 500, rng=2),
    )


@pytest.fixture(scope="module")
def result(groups):
    return ew.compare_groups(*groups, feature_names=NAMES)


def same(one, other):
    for name in ("difference", "statistic", "log_pvalue", "adjusted_pvalue", "standard_error"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)
    assert one.feature_names == other.feature_names
    assert one.n_samples == other.n_samples


@pytest.mark.parametrize("method", ["batch", "elliptical"])
def test_from_the_results_of_each_group(groups, method):
    """The same numbers from two tests of single groups, whose standard errors are public."""
    found = ew.compare_groups(*groups, method=method)
    a, b = (ew.edge_test(X, method=method) for X in groups)
    error = np.hypot(a.uncertainty.spread.fisher_z, b.uncertainty.spread.fisher_z)
    z = np.arctanh(a.partial_correlation[OFF]) - np.arctanh(b.partial_correlation[OFF])
    np.testing.assert_allclose(found.statistic[OFF], z / error[OFF], rtol=1e-12)
    np.testing.assert_allclose(
        found.standard_error[OFF],
        np.hypot(a.partial_correlation_standard_error, b.partial_correlation_standard_error)[OFF],
        rtol=1e-12,
    )
    np.testing.assert_array_equal(found.difference, a.partial_correlation - b.partial_correlation)


def slow_sandwich(X):
    """z of the first pair and its variance: row by row, from the formulas."""
    n, p = X.shape
    c = X - X.mean(axis=0)
    theta = np.linalg.inv(np.cov(X.T))
    v = c @ theta / np.sqrt(theta.diagonal())
    rho = -theta[0, 1] / math.sqrt(theta[0, 0] * theta[1, 1])
    terms = []
    for k in range(n):
        h = 1 / n + c[k] @ theta @ c[k] / (n - 1)
        tau = believed_tau(
            np.array([((v[k] @ v[k]) * (n - p) / (n - 1) / p - h * (1 - h)) / (1 - h) ** 2]), p
        )[0]
        weight = 1 / ((1 - h) * (1 - h + tau * h))
        terms.append(weight * (v[k, 0] * v[k, 1] + rho / 2 * (v[k, 0] ** 2 + v[k, 1] ** 2)) ** 2)
    variance = max(sum(terms) / (n * (1 - rho**2)) ** 2, 1 / (n - p - 1))
    return math.atanh(rho), variance


def test_wald_weighs_rows_as_the_score_test_does(groups, result):
    (z_a, v_a), (z_b, v_b) = map(slow_sandwich, groups)
    expected = (z_a - z_b) / math.sqrt(v_a + v_b)
    assert result.statistic[0, 1] == pytest.approx(expected, rel=1e-9)
    # 1/(1 − h)², which `edge_test` has, would find less.
    plain = [ew.edge_test(X, method="wald").uncertainty.spread.fisher_z[0, 1] for X in groups]
    assert math.hypot(*plain) > math.sqrt(v_a + v_b)


def test_fisher_is_the_textbook_test(groups):
    found = ew.compare_groups(*groups, method="fisher")
    a, b = found.partial_correlation_a[0, 1], found.partial_correlation_b[0, 1]
    z = (math.atanh(a) - math.atanh(b)) / math.sqrt(1 / (300 - 5) + 1 / (500 - 5))
    assert found.pvalue[0, 1] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)


class TestKindsOfData:
    def test_columns_are_matched_by_name(self, groups, result, require):
        pandas = require("pandas")
        a, b = (pandas.DataFrame(X, columns=NAMES) for X in groups)
        for other in (b[["d", "b", "a", "c"]], b.assign(e=1.0)):
            same(ew.compare_groups(a, other, columns=NAMES), result)
        same(ew.compare_groups(a, b[["c", "a", "d", "b"]]), result)
        polars = require("polars")
        same(ew.compare_groups(a, polars.from_pandas(b)[["d", "c", "b", "a"]]), result)

    def test_files(self, groups, result, tmp_path, write_csv):
        paths = [
            write_csv(tmp_path / f"{name}.csv", NAMES, X)
            for name, X in zip("ab", groups, strict=True)
        ]
        same(ew.compare_groups(*paths), result)
        permuted = ew.compare_groups(*paths, permutations=39)
        direct = ew.compare_groups(*groups, permutations=39)
        np.testing.assert_array_equal(permuted.adjusted_pvalue, direct.adjusted_pvalue)

    def test_states(self, groups, tmp_path):
        states = [ew.accumulate(X, n_batches=100) for X in groups]
        expected = ew.compare_groups(*groups, method="batch")
        same(ew.compare_groups(*states, method="batch"), expected)
        states[1].save(tmp_path / "b.state")
        same(ew.compare_groups(states[0], tmp_path / "b.state", method="batch"), expected)
        same(ew.compare_groups(states[0], groups[1], method="batch"), expected)

    def test_dask(self, groups, result, require, refuses):
        array = require("dask.array")
        a, b = (array.from_array(X, chunks=(170, 4)) for X in groups)
        same(ew.compare_groups(a, b, feature_names=NAMES), result)
        refuses(
            lambda: ew.compare_groups(a, b, permutations=99),
            ParameterError,
            "permutations",
            "cluster",
        )
        refuses(lambda: ew.compare_groups(a, by="x1"), ParameterError, "by", "cluster")

    def test_missing_values(self, groups, refuses):
        a, b = (np.array(X) for X in groups)
        b[3, 1] = np.nan
        refuses(
            lambda: ew.compare_groups(a, b, group_names=("old", "new")),
            NonFiniteError,
            "group 'new': ",
            "'x1' (1)",
        )
        found = ew.compare_groups(a, b, missing="drop")
        assert found.n_samples == (300, 499)
        assert found.n_dropped == (0, 1)
        assert "1 rows of 'b' with missing values were left out." in found.summary()


class TestPermutations:
    def test_exact_where_all_labelings_can_be_counted(self):
        """p = 2 and 5 + 5 rows: many permutations approach the share among all 252 labelings."""
        from itertools import combinations

        from edgewise.methods.wald import Wald

        X = np.random.default_rng(5).standard_normal((10, 2))

        def statistic(chosen):
            mask = np.isin(np.arange(10), chosen)
            (z_a, v_a), (z_b, v_b) = map(Wald().fisher_z_of_rows, (X[mask], X[~mask]))
            return abs(z_a[0] - z_b[0]) / math.sqrt(v_a[0] + v_b[0])

        sizes = [statistic(chosen) for chosen in combinations(range(10), 5)]
        share = np.mean([size >= statistic(range(5)) - 1e-9 for size in sizes])
        found = ew.compare_groups(X[:5].copy(), X[5:].copy(), permutations=1999)
        assert found.pvalue[0, 1] == pytest.approx(share, abs=0.035)  # three standard errors

    @pytest.mark.parametrize(
        ("options", "fragments"),
        [
            ({"permutations": 5}, ("permutations: expected at least 19", "got 5")),
            ({"permutations": 0}, ("permutations: ", "0")),
            ({"permutations": 99, "method": "batch"}, ("permutations: ", "'wald'", "'batch'")),
            ({"permutations": 99, "random_state": -1}, ("random_state: ", "-1")),
        ],
    )
    def test_refused(self, groups, refuses, options, fragments):
        refuses(lambda: ew.compare_groups(*groups, **options), ParameterError, *fragments)


class TestBy:
    @pytest.fixture
    def frame(self, groups, require):
        made = require("pandas").DataFrame(np.concatenate(groups), columns=NAMES)
        made["g"] = ["yes"] * 300 + ["no"] * 500
        return made

    def test_two_levels_of_any_kind_of_data(self, frame, groups, require, tmp_path):
        expected = ew.compare_groups(*groups[::-1], feature_names=NAMES)
        frame.to_csv(tmp_path / "rows.csv", index=False)
        frame.to_parquet(tmp_path / "rows.parquet")
        frame.to_feather(tmp_path / "rows.feather")
        polars = require("polars").from_pandas(frame)
        paths = [tmp_path / f"rows.{kind}" for kind in ("csv", "parquet", "feather")]
        for data in (frame, polars, polars.to_arrow(), *paths):
            found = ew.compare_groups(data, by="g")
            same(found, expected)
            assert found.group_names == ("no", "yes")
        same(ew.compare_groups(frame.drop(columns="g"), by=frame["g"]), expected)
        numbers = np.column_stack([np.concatenate(groups), np.repeat([2.0, 1.0], [300, 500])])
        found = ew.compare_groups(numbers, by="x4")
        np.testing.assert_allclose(found.statistic, expected.statistic)
        assert found.group_names == ("1", "2")
        np.save(tmp_path / "rows.npy", numbers)
        found = ew.compare_groups(tmp_path / "rows.npy", by="x4")
        np.testing.assert_allclose(found.statistic, expected.statistic)

    def test_rows_without_a_level(self, frame, refuses):
        frame.loc[[4, 9], "g"] = None
        frame.loc[5, "b"] = np.nan
        refuses(lambda: ew.compare_groups(frame, by="g"), DataError, "by: 2 of 800 rows")
        found = ew.compare_groups(frame, by="g", missing="drop")
        assert found.n_samples == (500, 297)
        assert found.n_dropped == (0, 1)
        assert "2 rows without a level were left out." in found.summary()

    def test_more_levels_share_one_correction(self, frame):
        frame["g"] = np.arange(len(frame)) % 3 + 9
        found = ew.compare_groups(frame, by="g")
        assert found.levels == ("9", "10", "11")
        log_p = np.concatenate(
            [one.log_pvalue[np.triu_indices(4, 1)] for one in found.comparisons()]
        )
        adjusted = [one.adjusted_pvalue[np.triu_indices(4, 1)] for one in found.comparisons()]
        np.testing.assert_allclose(np.concatenate(adjusted), np.exp(adjust(log_p, "holm")))
        one = found["10"]
        assert one.group_names == ("10", "all but 10")
        assert one.n_tests == 18
        assert sum(one.n_samples) == 800
        assert "holm over 18 tests" in one.headline()
        assert found.global_pvalue == pytest.approx(min(18 * np.exp(log_p.min()), 1))
        assert found.to_frame("pyarrow").num_rows == 18
        assert "3 groups, each against all others pooled" in found.summary()
        permuted = ew.compare_groups(frame, by="g", permutations=39)
        assert 1 / 40 <= permuted.global_pvalue <= 1

    def test_means_and_scales_of_levels_make_no_difference(self, frame):
        """Equal graphs: pooled as they are, levels with other means would seem to differ."""
        level = np.arange(len(frame)) % 3
        frame["g"] = level
        columns = [*NAMES]
        expected = ew.compare_groups(frame, by="g")
        frame[columns] = frame[columns].to_numpy() * (1 + level[:, np.newaxis]) + np.outer(
            level, [5.0, -5.0, 5.0, 0.0]
        )
        found = ew.compare_groups(frame, by="g")
        for name in found.levels:
            np.testing.assert_allclose(found[name].statistic, expected[name].statistic, rtol=1e-6)

    @pytest.mark.parametrize(
        ("by", "fragments"),
        [
            ("h", ("by: X has no column 'h'", "'a', 'b'")),
            ("gg", ("by: ", "did you mean 'g'?")),
            ("one", ("by: expected at least 2 levels, got only '1' in column 'one'",)),
            ("many", ("by: expected at most 12 levels, got 50 in column 'many'",)),
            ([1, 2], ("by: expected a level for each of the 800 rows, got 2",)),
            ("tiny", ("group 'x': ", "at least 3 rows")),
        ],
    )
    def test_refused(self, frame, refuses, by, fragments):
        frame = frame.assign(one=1, many=np.arange(len(frame)) % 50, tiny=["x"] + ["y"] * 799)
        chosen = {"columns": NAMES}
        refuses(lambda: ew.compare_groups(frame, by=by, **chosen), DataError, *fragments)

    def test_wrong_calls(self, frame, groups, refuses):
        for call in (
            lambda: ew.compare_groups(frame),
            lambda: ew.compare_groups(*groups, by="g"),
            lambda: ew.compare_groups(frame, by=7),
            lambda: ew.compare_groups(frame, by="g", columns=["a", "b", "g"]),
            lambda: ew.compare_groups(frame, by="g", group_names=("a", "b")),
            lambda: ew.compare_groups(ew.accumulate(groups[0]), by="g"),
        ):
            refuses(call, ParameterError, "by")
        refuses(lambda: ew.compare_groups(iter([groups[0]]), by="g"), DataError, "by: ")
        refuses(lambda: ew.compare_groups("-", by="g"), DataError, "by: ", "standard input")


class TestRefused:
    def test_rows_that_are_in_both_groups(self, groups, refuses, require, tmp_path, write_csv):
        X = np.concatenate(groups)
        path = write_csv(tmp_path / "rows.csv", NAMES, X)
        frame = require("pandas").DataFrame(X, index=[f"id{i}" for i in range(800)])
        for a, b in (
            (X, X),
            (X, X.copy()),
            (path, path),
            (frame[:500], frame[400:]),
            (ew.accumulate(X), ew.accumulate(X)),
        ):
            method = "fisher" if isinstance(a, ew.states.Moments) else "wald"
            refuses(
                lambda a=a, b=b, method=method: ew.compare_groups(a, b, method=method),
                DataError,
                "independent",
            )
        ew.compare_groups(X[::2], X[1::2])  # their memory is interleaved, but not shared
        ew.compare_groups(frame[:400], frame[400:])

    def test_files_that_are_in_both_groups(self, groups, refuses, tmp_path, write_csv):
        folder = tmp_path / "all"
        folder.mkdir()
        one, two = (
            write_csv(folder / f"{name}.csv", NAMES, X)
            for name, X in zip("ab", groups, strict=True)
        )
        link = tmp_path / "link.csv"
        link.symlink_to(one)
        for a, b in (
            (folder, one),
            (str(two), str(folder / "*.csv")),
            ([one], [two, link]),
            (ew.open_table(folder, sep=","), ew.open_table([str(one)])),
            (FileTable([folder]), two),
            (one, folder / ".." / "all" / "a.csv"),
        ):
            refuses(
                lambda a=a, b=b: ew.compare_groups(a, b),
                DataError,
                "independent",
                "file",
                "in both",
            )
        ew.compare_groups(one, [two])
        refuses(lambda: ew.compare_groups(one, folder / "c.csv"), DataError, "group 'b'", "no file")

    def test_too_few_rows(self, groups, refuses):
        a, b = groups
        refuses(
            lambda: ew.compare_groups(a, b[:6], group_names=("old", "new")),
            DataError,
            "group 'new': expected at least 7 rows for 4 columns, got 6",
        )
        small = ew.states.BatchMoments(10)
        small.update(b[:6])
        refuses(
            lambda: ew.compare_groups(small, b, method="batch"), DataError, "group 'a': ", "got 6"
        )
        ew.compare_groups(a, b[:7])

    def test_other_columns(self, groups, refuses, require):
        pandas = require("pandas")
        a, b = (pandas.DataFrame(X, columns=NAMES) for X in groups)
        refuses(
            lambda: ew.compare_groups(a, b.rename(columns={"c": "z"})),
            DataError,
            "group 'b': columns: ",
            "it lacks 'c'; it also has 'z'",
            "columns=",
        )
        refuses(
            lambda: ew.compare_groups(groups[0], groups[1][:, :3]),
            DataError,
            "group 'b': columns: ",
            "it lacks 'x3'",
        )

    def test_methods_and_options(self, groups, refuses):
        for method in ("score", "trace", "sequential"):
            refuses(
                lambda m=method: ew.compare_groups(*groups, method=m),
                ParameterError,
                "method: ",
                "'wald', 'batch'",
                repr(method),
            )
        refuses(lambda: ew.compare_groups(*groups, bogus=1), ParameterError, "bogus")
        refuses(lambda: ew.compare_groups(*groups, alpha=2), ParameterError, "alpha")
        refuses(lambda: ew.compare_groups(*groups, group_names=("a", "a")), ParameterError, "names")
        refuses(lambda: ew.compare_groups(*groups, group_names="ab"), ParameterError, "names")

    def test_states(self, groups, refuses):
        states = [ew.accumulate(X, n_batches=100) for X in groups]
        refuses(
            lambda: ew.compare_groups(*states, method="wald"), DataError, "group 'a': ", "'batch'"
        )
        refuses(
            lambda: ew.compare_groups(*states, method="batch", columns=["x0", "x1"]),
            ParameterError,
            "columns",
        )
        refuses(
            lambda: ew.compare_groups(states[0], groups[1], permutations=99),
            ParameterError,
            "permutations: expected rows",
            "a state",
        )
        sequence = ew.ConfidenceSequence(tuned_for=1000)
        refuses(lambda: ew.compare_groups(sequence, groups[1]), DataError, "group 'a'")


MORE = ["a", "b", "c", "age", "sex"]


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
        frame = pd.DataFrame(X, columns=MORE)
        frames.append(frame.assign(subject=[f"{'ab'[sign > 0]}{i}" for i in subject]))
    return frames


def columns(frames):
    return [frame[MORE] for frame in frames]


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


@pytest.mark.parametrize("some", [slice(100, 200), np.r_[0:60, 5:10]])
def test_common_rows_are_seen(some):
    X = np.random.default_rng(2).standard_t(5, (200, 4))
    kinds = {caution.kind for caution in ew.compare_groups(X[:150], X[some]).cautions}
    assert "common rows" in kinds


def test_paired_rows_are_seen_and_tied_values_are_not_taken_for_them():
    rng = np.random.default_rng(3)
    answers = rng.integers(0, 2, (2, 400, 5)).astype(float)
    assert not {one.kind for one in ew.compare_groups(*answers).cautions} & {"paired rows"}
    after = np.where(rng.random((400, 5)) < 0.5, *answers)
    kinds = {caution.kind for caution in ew.compare_groups(answers[0], after).cautions}
    assert "paired rows" in kinds


class TestLattice:
    def test_a_pvalue_of_permutations_keeps_the_level_it_has(self):
        for seed in range(30):
            a, b = np.random.default_rng(seed).standard_normal((2, 40, 3))
            result = ew.compare_groups(a, b, permutations=19)
            off = ~np.eye(3, dtype=bool)
            np.testing.assert_array_equal(result.reject[off], result.adjusted_pvalue[off] <= 0.05)
            assert (result.global_pvalue <= 0.05) == bool(result.n_edges)


def test_a_constant_level_is_named(refuses):
    X = np.random.default_rng(1).standard_normal((90, 3))
    X[30:60, 1] = 5.0
    refuses(
        lambda: ew.compare_groups(X, by=np.arange(90) // 30),
        DataError,
        "group '1': ",
        "'x1'",
    )

"""Which pairs are tested: only what counts pairs changes, and bad families are one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.inference.corrections import adjust
from edgewise.methods.registry import registered
from edgewise.tables.arrays import ArrayTable

P = 6
NAMES = tuple("abcdef")
UPPER = np.triu_indices(P, k=1)
PAIRS = [(NAMES[i], NAMES[j]) for i, j in zip(*UPPER, strict=True)]
PER_EDGE = ["score", "wald", "batch", "nodewise"]  # one of each kind of uncertainty
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


def chain(n=600, p=P, seed=4):
    """Weak edges between neighbours, so that a family decides which of them are found."""
    X = np.random.default_rng(seed).standard_t(7, (n, p))
    for j in range(1, p):
        X[:, j] += 0.16 * X[:, j - 1]
    return X


X = chain()
MEASURED = {}


def full(method):
    """The test of all pairs, without a correction; made once."""
    if method not in MEASURED:
        MEASURED[method] = ask(method, correction=None)
    return MEASURED[method]


def ask(method="score", **asked):
    return ew.edge_test(X, method=method, feature_names=NAMES, **asked)


def marked(pairs):
    """The matrix of these pairs."""
    tested = np.zeros((P, P), bool)
    for a, b in pairs:
        tested[NAMES.index(a), NAMES.index(b)] = tested[NAMES.index(b), NAMES.index(a)] = True
    return tested


families = st.one_of(
    st.lists(st.sampled_from(PAIRS), min_size=1, unique=True).map(lambda pairs: {"pairs": pairs}),
    st.lists(st.sampled_from(NAMES), max_size=4, unique=True).map(lambda names: {"given": names}),
)


def expected_pairs(family):
    left_out = set(family.get("given", ()))
    return [pair for pair in family.get("pairs", PAIRS) if not left_out & set(pair)]


class TestDecisions:
    @pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", None])
    @given(family=families, alpha=st.sampled_from([0.01, 0.05, 0.3]))
    @settings(max_examples=12)
    def test_are_those_of_the_pvalues_of_the_family(self, correction, family, alpha):
        """Estimates, statistics and p-values to the bit, because they are measured once."""
        whole, result = full("score"), ask(correction=correction, alpha=alpha, **family)
        own = marked(expected_pairs(family))[UPPER]
        for field in ("precision", "partial_correlation", "standard_error"):
            np.testing.assert_array_equal(getattr(result, field), getattr(whole, field))
        for field in ("statistic", "log_pvalue", "pvalue"):
            found = getattr(result, field)[UPPER]
            np.testing.assert_array_equal(found[own], getattr(whole, field)[UPPER][own])
            assert np.isnan(found[~own]).all()
        adjusted = np.exp(adjust(whole.log_pvalue[UPPER][own], correction))
        np.testing.assert_allclose(result.adjusted_pvalue[UPPER][own], adjusted, rtol=1e-12)
        assert np.isnan(result.adjusted_pvalue[UPPER][~own]).all()
        np.testing.assert_array_equal(result.reject[UPPER][own], adjusted <= alpha)
        assert not result.reject[UPPER][~own].any()
        assert (result.n_pairs, len(result.pairs())) == (own.sum(), own.sum())

    @pytest.mark.parametrize("method", PER_EDGE)
    @pytest.mark.parametrize("effect", [0.0, 0.05])
    @pytest.mark.parametrize("correction", ["holm", "bh"])
    def test_the_threshold_is_that_of_the_family(self, method, effect, correction):
        """What was found is what reaches it, where a pair has a threshold at all."""
        result = ask(method, given="c", min_effect=effect, correction=correction)
        own = marked(expected_pairs({"given": ["c"]}))
        above = np.abs(result.precision) >= result.threshold
        np.testing.assert_array_equal(above[own], result.reject[own])
        assert np.isnan(result.threshold[~own]).all()

    @pytest.mark.parametrize("method", registered())
    def test_the_family_of_all_pairs_changes_nothing(self, method, same_result):
        same_result(ask(method, pairs=PAIRS), ask(method))
        same_result(ask(method, given=[]), ask(method))

    @pytest.mark.parametrize("method", PER_EDGE)
    def test_simultaneous_intervals_are_those_of_bonferroni(self, method):
        result = ask(method, given=["c", "f"], correction="bonferroni")
        own = marked(expected_pairs({"given": ["c", "f"]}))
        low, high = result.confidence_interval(0.95, "partial_correlation", simultaneous=True)
        known = own | np.diag(own.any(axis=0))
        np.testing.assert_array_equal(
            ((low > 0) | (high < 0))[known], (result.reject | np.eye(P, dtype=bool))[known]
        )
        assert np.isnan(low[~known]).all()
        # One by one they are those of all pairs, tested or not; but nodewise always adjusts for
        # given columns, and chooses the others.
        whole = result if method == "nodewise" else full(method)
        alone = whole.confidence_interval(1 - 0.05 / 6, "partial_correlation")
        np.testing.assert_allclose(low[own], alone.low[own], rtol=1e-9, atol=1e-12)
        pointwise = result.confidence_interval(0.9, "partial_correlation")
        np.testing.assert_array_equal(
            pointwise.low, whole.confidence_interval(0.9, "partial_correlation").low
        )


class TestLargestStatistic:
    def test_is_that_of_the_family(self):
        """Against draws of the multipliers of our own, over the pairs of the family only."""
        rows = np.random.default_rng(8).standard_normal((2000, P))
        pairs = [("a", "b"), ("c", "d"), ("e", "f")]
        asked = {"method": "batch", "correction": "maxt", "feature_names": NAMES}
        few = ew.edge_test(rows, pairs=pairs, **asked)
        one = ew.edge_test(rows, pairs=pairs[:1], **asked)
        many = ew.edge_test(rows, **asked)
        own = marked(pairs)
        assert (few.adjusted_pvalue[own] <= many.adjusted_pvalue[own] + 1e-12).all()
        # A family of one is not corrected: draws and Student's p-value agree.
        assert one.adjusted_pvalue[0, 1] == pytest.approx(one.pvalue[0, 1], abs=0.02)
        # Three nearly independent statistics: Šidák's correction, but for the noise of the draws.
        smallest = np.nanmin(few.pvalue)
        sidak = 1 - (1 - smallest) ** 3
        assert np.nanmin(few.adjusted_pvalue) == pytest.approx(sidak, abs=0.03)
        widths = [np.nanmedian(np.subtract(*r.shown_interval[::-1])) for r in (one, few, many)]
        assert widths == sorted(widths)

    def test_entrywise_bounds_the_entries_of_the_family(self):
        whole, result = ask("entrywise"), ask("entrywise", pairs=[("a", "b"), ("c", "d")])
        radius = result.uncertainty.radius
        # Two pairs and the diagonal entries of their four columns.
        assert radius.n_entries == 6
        assert result.radius < whole.radius
        assert radius.maxima.max() <= whole.uncertainty.radius.maxima.max() + 1e-9
        own = marked([("a", "b"), ("c", "d")])
        assert (result.pvalue[own] <= whole.pvalue[own] + 1e-12).all()
        assert np.isnan(result.threshold[~own]).all()


@pytest.mark.parametrize(
    "method", [name for name in registered() if registered()[name].simultaneous]
)
def test_other_bounds_stay_as_they_are(method):
    if method == "entrywise":
        return
    whole, result = ask(method), ask(method, given=["a", "c"])
    own = marked(expected_pairs({"given": ["a", "c"]}))
    assert result.radius == whole.radius
    np.testing.assert_array_equal(result.pvalue[own], whole.pvalue[own])
    np.testing.assert_array_equal(result.reject, whole.reject & own)
    threshold = np.broadcast_to(result.threshold, (P, P))
    np.testing.assert_array_equal(threshold[own], np.broadcast_to(whole.threshold, (P, P))[own])


BATCH = {"given": ["x1"], "method": "batch"}


def test_a_confidence_sequence():
    sequence = ew.ConfidenceSequence(tuned_for=500).update(X)
    by_state = ew.edge_test(sequence, given="x1", method="sequential", correction="bonferroni")
    own = sequence.result(given="x1")
    assert own.n_pairs == 10
    np.testing.assert_array_equal(own.adjusted_pvalue, by_state.adjusted_pvalue)
    chosen = sequence.result(NAMES, pairs=[("a", "b")])
    assert chosen.adjusted_pvalue[0, 1] == chosen.pvalue[0, 1]


TWO = "two different names in each pair, got "
UNKNOWN = "the table has no column "
BAD = [
    (
        {"given": ["bb"], "feature_names": ["age", "b", "c", "d", "e", "f"]},
        DataError,
        f"given: {UNKNOWN}'bb' (did you mean 'b'?); it has 'age', 'b'",
    ),
    ({"pairs": [("x0", "y1")]}, DataError, f"pairs: {UNKNOWN}'y1'; it has 'x0', 'x1', 'x2'"),
    ({"given": [0]}, DataError, "no column '0' (did you mean 'x0'?)"),
    ({"given": ["x1"], "exclude": "x1"}, DataError, f"given: {UNKNOWN}'x1'"),
    ({"pairs": [("x0", "x1")], "exclude": ["x1"]}, DataError, f"pairs: {UNKNOWN}'x1'"),
    ({"given": ["x1"], "columns": ["x0", "x2"]}, DataError, f"given: {UNKNOWN}'x1'"),
    ({"given": ["x0", "x1", "x2", "x3", "x4"]}, DataError, "got 1 ('x5'); give fewer"),
    ({"given": [f"x{j}" for j in range(6)]}, DataError, "to test their pairs, got 0; give fewer"),
    ({"given": {"x1"}}, ParameterError, "given: expected the name of a column"),
    (
        {"given": "x1", "pairs": [("x0", "x1")]},
        ParameterError,
        "pairs: ('x0', 'x1') has the column 'x1', which is in given",
    ),
    ({"pairs": []}, ParameterError, "pairs: expected at least one pair, got none"),
    ({"pairs": [("x2", "x2")]}, ParameterError, f"{TWO}('x2', 'x2')"),
    ({"pairs": ["ab"]}, ParameterError, f"{TWO}'ab'"),
    ({"pairs": [("a", "b", "c")]}, ParameterError, f"{TWO}('a', 'b', 'c')"),
    ({"pairs": [7]}, ParameterError, f"{TWO}7"),
    ({"pairs": "ab"}, ParameterError, "expected a sequence of pairs of names"),
    ({"pairs": 7}, ParameterError, "expected a sequence of pairs"),
]


def test_a_bad_family_is_one_sentence(refuses):
    for family, error, fragment in BAD:
        refuses(lambda family=family: ew.edge_test(X, **family), error, fragment)
    family, error, fragment = BAD[3]
    refuses(lambda: ew.plan_sample_size(X, effect=0.1, **family), error, fragment)


def test_a_wrong_name_costs_no_pass(refuses):
    """It is found before any row is read."""

    class Unread(ArrayTable):
        def reduce(self, *arguments, **options):
            raise AssertionError("the rows were read")

    refuses(lambda: ew.edge_test(Unread(X), given="y"), DataError, "given: the table has no")

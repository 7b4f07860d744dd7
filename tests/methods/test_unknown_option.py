"""Keywords that nobody takes: the message names what was meant."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import EdgeTest, ParameterError
from edgewise.methods.unknown_option import READING_OPTIONS

X = np.random.default_rng(0).standard_normal((60, 4))

MEANT = {
    "an argument": (lambda: ew.edge_test(X, min_efect=0.1), "edge_test", "min_effect?"),
    "in capitals": (lambda: ew.edge_test(X, Method="wald"), "edge_test", "method?"),
    "an option": (
        lambda: ew.edge_test(X, method="batch", n_batchs=9),
        "edge_test",
        "n_batches?",
    ),
    "an option of others": (
        lambda: ew.edge_test(X, standardise=True),
        "edge_test",
        "standardize, which is an option of 'spectral', 'eig' and 'trace'?",
    ),
    "beside a method": (
        lambda: ew.edge_test(X, method=ew.Batch(), corection="bh"),
        "edge_test",
        "correction?",
    ),
    "with a budget": (lambda: ew.edge_test(X, budget=1, alhpa=0.1), "edge_test", "alpha?"),
    "of a plan": (
        lambda: ew.plan_sample_size(X, effect=0.1, pwoer=0.9),
        "plan_sample_size",
        "power?",
    ),
    "of two groups": (
        lambda: ew.compare_groups(X, X, permutation=99),
        "compare_groups",
        "permutations?",
    ),
    "of one pair": (lambda: ew.partial_test(X, "x0", "x1", givn="x2"), "partial_test", "given?"),
}


@pytest.mark.parametrize("what", MEANT)
def test_did_you_mean(what, refuses):
    call, function, meant = MEANT[what]
    error = refuses(call, ParameterError, f"{function} has no such argument (did you mean {meant})")
    assert str(error).count(".") == 1


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("score", "method 'score' does not take it (it has no options)"),
        ("trace", "method 'trace' does not take it (its options are mu, standardize)"),
        (ew.Trace(), "method 'trace' does not take it (its options are mu, standardize)"),
    ],
    ids=str,
)
def test_an_option_of_other_methods(method, sentence, refuses):
    others = "it is an option of 'batch', 'kendall', 'sequential' and 'entrywise'."
    refuses(lambda: ew.edge_test(X, method=method, n_batches=9), ParameterError, sentence, others)


def test_an_option_of_another_method_of_the_estimator(refuses):
    refuses(lambda: EdgeTest(kurtosis=2.0).fit(X), ParameterError, "an option of 'whitened'.")


def test_nothing_like_it(refuses):
    refuses(
        lambda: ew.edge_test(X, method="trace", bogus=1),
        ParameterError,
        "bogus: edge_test has no such argument, and method 'trace' does not take it",
        "its options are mu, standardize.",
    )


@pytest.mark.parametrize("name", READING_OPTIONS)
def test_how_a_file_is_read(name, refuses):
    refuses(
        lambda: ew.edge_test("rows.csv", **{name: ";"}),
        ParameterError,
        f"{name}: edge_test has no such argument; pass ew.read_table(path, {name}=...)",
    )


CHOICES = {
    "method": ({"method": "scor"}, "'score'"),
    "capitals": ({"method": "WALD"}, "'wald'"),
    "correction": ({"correction": "hom"}, "'holm'"),
    "beginning": ({"correction": "bonf"}, "'bonferroni'"),
    "radius": ({"method": "whitened", "radius": "chi"}, "'chi2'"),
    "solver": ({"method": "eig", "solver": "matrixfree"}, "'matrix-free'"),
    "scale": ({"effect_scale": "partial"}, "'partial_correlation'"),
}


@pytest.mark.parametrize("what", CHOICES)
@pytest.mark.parametrize("estimator", [False, True])
def test_the_nearest_choice(what, estimator, refuses):
    arguments, meant = CHOICES[what]

    def call():
        return EdgeTest(**arguments).fit(X) if estimator else ew.edge_test(X, **arguments)

    refuses(call, ParameterError, "expected one of", f"(did you mean {meant}?)")


def test_no_near_choice(refuses):
    error = refuses(lambda: ew.edge_test(X, method="nope"), ParameterError, "got 'nope'.")
    assert "did you mean" not in str(error)


@pytest.mark.parametrize("value", ["yes", 1, None])
@pytest.mark.parametrize("data", [X, ew.Moments().update(X)], ids=["rows", "state"])
def test_drop_missing_is_true_or_false(data, value, refuses):
    refuses(
        lambda: ew.edge_test(data, method="trace", drop_missing=value),
        ParameterError,
        f"drop_missing: expected True or False, got {value!r}.",
    )


def test_no_correction_by_name():
    assert ew.edge_test(X, correction="none").correction is None
    assert EdgeTest(correction="none").fit(X).result_.correction is None

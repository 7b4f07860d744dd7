"""All methods by name, and how a name with options becomes a method."""

from __future__ import annotations

import dataclasses
from inspect import signature

import numpy as np
import pytest

import edgewise as ew
from edgewise import EdgeTest
from edgewise.errors import ParameterError
from edgewise.methods import registry
from edgewise.methods.registry import method_of, method_options, registered

BOUNDS = {"entrywise", "whitened", "spectral", "trace", "eig"}


def test_names_in_the_order_in_which_they_are_shown():
    assert next(iter(registered())) == "score"
    assert [registry.DEFAULT_METHOD, *registered()] == list(registry.CLASSES)
    assert registered() == registered()
    with pytest.raises(AttributeError, match="no attribute 'METHOD'"):
        registry.METHOD  # noqa: B018


def test_descriptions_are_true():
    for name, kind in registered().items():
        assert kind.name == name
        assert getattr(ew.methods, kind.__name__) is kind
        assert kind.simultaneous == (name in BOUNDS)
        assert 3 <= len(kind.guarantee.split()) <= 6
        assert len(kind.condition.split()) > 2
        in_units = name in ("trace", "eig")
        assert kind.effect_scale == ("precision" if in_units else "partial_correlation")
        assert ("maxt" in kind.supports) == (name in ("batch", "kendall"))


def test_every_option_with_the_methods_that_have_it(rows, refuses):
    found = {name: {kind.name for kind in kinds} for name, kinds in method_options().items()}
    assert found["mu"] == {"eig", "trace"}
    assert found["support"] == {"whitened", "spectral"}
    assert found["radius"] == {"whitened", "spectral", "kendall"}
    assert found["n_batches"] == {"batch", "kendall", "sequential", "entrywise"}
    for method, kind in registered().items():
        taken = {field.name for field in dataclasses.fields(kind)}
        assert taken == {option for option, methods in found.items() if method in methods}
        for option in set(found) - taken:
            refuses(
                lambda option=option, method=method: ew.edge_test(
                    rows, method=method, **{option: None}
                ),
                ParameterError,
                f"{option}: method {method!r} does not take it",
                ", ".join(sorted(taken)) if taken else "it has no options",
            )


def test_a_name_is_the_method_without_options(refuses):
    for method, kind in registered().items():
        given = kind()
        assert method_of(method) == given
        assert method_of(given) is given
    for wrong in ("Score", "", "nope", None, 3, ["score"]):
        refuses(
            lambda wrong=wrong: method_of(wrong), ParameterError, "method: expected one of 'auto'"
        )


# Keywords and choices that nobody takes: the message names what was meant.


X = np.random.default_rng(0).standard_normal((60, 4))
TRACE = "method 'trace' does not take it (its options are mu, standardize)"
BATCHES = "it is an option of 'batch', 'kendall', 'sequential' and 'entrywise'."


def edge(**asked):
    return lambda: ew.edge_test(X, **asked)


SAID = [
    (edge(min_efect=0.1), "edge_test has no such argument (did you mean min_effect?)"),
    (edge(Method="wald"), "(did you mean method?)"),
    (edge(method="batch", n_batchs=9), "(did you mean n_batches?)"),
    (
        edge(standardise=True),
        "(did you mean standardize, which is an option of 'spectral', 'eig' and 'trace'?)",
    ),
    (edge(method=ew.methods.Batch(), corection="bh"), "(did you mean correction?)"),
    (edge(alhpa=0.1), "(did you mean alpha?)"),
    (
        lambda: ew.plan_sample_size(X, effect=0.1, pwoer=0.9),
        "plan_sample_size has no such argument (did you mean power?)",
    ),
    (
        lambda: ew.compare_groups(X, X, permutation=99),
        "compare_groups has no such argument (did you mean permutations?)",
    ),
    (lambda: ew.partial_test(X, "x0", "x1", givn="x2"), "(did you mean given?)"),
    (edge(n_batches=9), f"method 'auto' does not take it (its options are lags); {BATCHES}"),
    (edge(method="trace", n_batches=9), f"{TRACE}; {BATCHES}"),
    (edge(method=ew.methods.Trace(), n_batches=9), f"{TRACE}; {BATCHES}"),
    (lambda: EdgeTest(kurtosis=2.0).fit(X), "an option of 'whitened'."),
    (
        edge(method="trace", bogus=1),
        "bogus: edge_test has no such argument, and method 'trace' does",
    ),
    (edge(method="scor"), "expected one of 'auto', 'score'"),
    (edge(method="WALD"), "(did you mean 'wald'?)"),
    (lambda: EdgeTest(method="scor").fit(X), "(did you mean 'score'?)"),
    (edge(correction="hom"), "(did you mean 'holm'?)"),
    (edge(correction="bonf"), "(did you mean 'bonferroni'?)"),
    (edge(method="whitened", radius="chi"), "(did you mean 'chi2'?)"),
    (edge(method="eig", solver="matrixfree"), "(did you mean 'matrix-free'?)"),
    *(
        (lambda call=call: call(), f"(did you mean {ours}?)")
        for call, ours in (
            (edge(correction="fdr_bh"), "'bh'"),
            (edge(method="edgeTest-eig"), "'eig'"),
            (edge(method="spearman"), "'kendall', or transform='normal-scores'"),
            (edge(delta=0.1), "alpha"),
            (edge(covar="x1"), "given"),
            (edge(groups="who"), "clusters"),
            (edge(method="batch", seed=1), "random_state"),
            (lambda: ew.partial_test(X, 0, 1, covar="x2"), "given"),
        )
    ),
    *(
        (lambda name=name: ew.edge_test("rows.csv", **{name: ";"}), f"ew.open_table(path, {name}=")
        for name in signature(ew.open_table).parameters
        if name not in ("data", *signature(ew.edge_test).parameters)
    ),
]


def test_the_sentence(refuses):
    for call, said in SAID:
        refuses(call, ParameterError, said)


def test_no_near_choice(refuses):
    error = refuses(edge(method="nope"), ParameterError, "got 'nope'.")
    assert "did you mean" not in str(error)

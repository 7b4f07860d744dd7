"""All methods by name, and how a name with options becomes a method."""

import dataclasses
import subprocess
import sys

import pytest

import edgewise as ew
from edgewise import ParameterError
from edgewise.methods import registry
from edgewise.methods.registry import METHODS, method_of, method_options, registered

BOUNDS = {"entrywise", "whitened", "spectral", "trace", "eig"}
OPTIONS = {
    *("mu", "standardize", "radius", "support", "n_batches", "random_state", "solver"),
    *("outside", "kurtosis", "tuned_for", "tuned_level", "penalty", "max_neighbours"),
}
every_method = pytest.mark.parametrize("method", list(METHODS))


def test_names_in_the_order_in_which_they_are_shown():
    assert next(iter(METHODS)) == registry.DEFAULT_METHOD == "score"
    per_edge = {"score", "wald", "batch", "sequential", "elliptical", "fisher"}
    assert set(METHODS) >= BOUNDS | per_edge
    assert list(METHODS) == list(registry.CLASSES)
    assert all(name == method.name for name, method in METHODS.items())
    assert METHODS is registered()


@every_method
def test_every_method_is_public(method):
    assert getattr(ew, METHODS[method].__name__) is METHODS[method]


def test_names_are_known_before_the_tests_are_loaded():
    ask = "import sys, edgewise.methods.registry as r; print(*r.CLASSES, 'numpy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [*METHODS, "False"]


def test_nothing_else_is_loaded_by_asking():
    with pytest.raises(AttributeError, match="no attribute 'METHOD'"):
        registry.METHOD  # noqa: B018


@every_method
def test_descriptions_are_true(method):
    described = METHODS[method]
    assert described.simultaneous == (method in BOUNDS)
    assert 3 <= len(described.guarantee.split()) <= 6
    assert len(described.condition.split()) > 2
    assert described.effect_scale == (
        "precision" if method in ("trace", "eig") else "partial_correlation"
    )
    assert described.resamples == (method in ("batch", "kendall"))
    assert described.fits_budget == (method in ("trace", "eig"))


@every_method
def test_options_are_those_it_takes(rows, method, refuses):
    taken = {field.name for field in dataclasses.fields(METHODS[method])}
    assert taken <= OPTIONS
    for option in OPTIONS - taken:
        refuses(
            lambda option=option: ew.edge_test(rows, method=method, **{option: None}),
            ParameterError,
            f"{option}: method {method!r} does not take it",
            ", ".join(sorted(taken)) if taken else "it has no options",
        )


def test_every_option_with_the_methods_that_have_it():
    found = {name: {kind.name for kind in kinds} for name, kinds in method_options().items()}
    assert set(found) == OPTIONS
    assert found["mu"] == {"eig", "trace"}
    assert found["support"] == found["outside"] == {"whitened", "spectral"}
    assert found["radius"] == {"whitened", "spectral", "kendall"}
    assert found["kurtosis"] == {"whitened"}
    assert found["penalty"] == found["max_neighbours"] == {"nodewise"}
    assert found["n_batches"] == {"batch", "kendall", "sequential", "entrywise"}


@every_method
def test_a_name_is_the_method_without_options(method):
    assert method_of(method) == METHODS[method]()
    given = METHODS[method]()
    assert method_of(given) is given


@pytest.mark.parametrize("method", ["Score", "", "nope", None, 3, ["score"]])
def test_no_method(method, refuses):
    refuses(lambda: method_of(method), ParameterError, "method: expected one of 'score'")


def test_a_new_method_is_one_class_and_one_line(rows, monkeypatch, same_result):
    """What `docs/developing` promises: every question then knows it."""

    @dataclasses.dataclass(frozen=True)
    class Twin(ew.Fisher):
        name = "twin"

    monkeypatch.setitem(registered(), "twin", Twin)
    same_result(ew.edge_test(rows, method="twin"), ew.edge_test(rows, method="fisher"))
    assert ew.edge_test(rows, method=Twin()).method == "twin"
    assert [line.label for line in ew.compare_methods(rows)][-1] == "twin"
    assert ew.plan_sample_size(rows, effect=0.1, method="twin").method == "twin"
    assert ew.EdgeTest("twin").fit(rows).result_.method == "twin"
    assert "twin" in ew.EdgeTestResult.from_json(ew.edge_test(rows, method="twin").to_json()).method

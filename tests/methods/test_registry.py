"""All methods by name, and how a name with options becomes a method."""

import dataclasses

import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.methods import registry
from edgewise.methods.registry import METHODS, method_of, method_options, registered

BOUNDS = {"entrywise", "whitened", "spectral", "trace", "eig"}


def test_names_in_the_order_in_which_they_are_shown():
    assert next(iter(METHODS)) == "score"
    assert [registry.DEFAULT_METHOD, *METHODS] == list(registry.CLASSES)
    assert registered() == METHODS
    with pytest.raises(AttributeError, match="no attribute 'METHOD'"):
        registry.METHOD  # noqa: B018


def test_descriptions_are_true():
    for name, kind in METHODS.items():
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
    for method, kind in METHODS.items():
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
    for method, kind in METHODS.items():
        given = kind()
        assert method_of(method) == given
        assert method_of(given) is given
    for wrong in ("Score", "", "nope", None, 3, ["score"]):
        refuses(
            lambda wrong=wrong: method_of(wrong), ParameterError, "method: expected one of 'auto'"
        )

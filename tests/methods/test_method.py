"""Methods as objects: frozen values that say what they need and that test as their names do."""

import dataclasses
import pickle

import numpy as np
import pytest
from tests.methods.simulated import quiet_test

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.inference.sample import open_sample
from edgewise.methods.registry import registered
from edgewise.sums.save import RowState

BOX = {"radius": "hoeffding", "support": (-60, 60)}
M = ew.methods
#: Every method with every option that changes what it does.
VARIANTS = [
    *(M.Score(), M.Score(lags=2), M.Wald(), M.Fisher(), M.Elliptical(), M.Batch(), M.Batch(lags=1)),
    *(M.Nodewise(penalty=1.0, max_neighbours=3), M.Batch(n_batches=20, random_state=3)),
    *(M.Kendall(random_state=3), M.Kendall(n_batches=20), M.Kendall(radius="hoeffding")),
    *(M.Sequential(n_batches=20, tuned_level=0.2), M.Sequential(tuned_for=400)),
    *(M.Entrywise(n_batches=20, random_state=3), M.Whitened(), M.Whitened(**BOX)),
    M.Whitened(radius="eig", solver="matrix-free"),
    M.Whitened(radius="bernstein", support=(-60, 60)),
    M.Whitened(radius="chebyshev", kurtosis=4.0),
    *(M.Spectral(), M.Spectral(standardize=True), M.Spectral(radius="chi2", solver="full")),
    *(M.Spectral(**BOX), M.Eig(mu=0.5, standardize=True, solver="matrix-free")),
    *(M.Trace(mu=0.5), M.Trace(standardize=True)),
]


def given_options(method):
    """Those that are not the default."""
    values = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}
    return {
        field.name: values[field.name]
        for field in dataclasses.fields(method)
        if values[field.name] != field.default
    }


def test_every_method_and_every_option_is_in_the_list():
    for kind in registered().values():
        own = [given_options(method) for method in VARIANTS if isinstance(method, kind)]
        assert set().union(*own) == {field.name for field in dataclasses.fields(kind)}, kind


def test_an_object_is_a_frozen_value():
    for method in VARIANTS:
        kind, options = registered()[method.name], given_options(method)
        assert method == kind(**options) == pickle.loads(pickle.dumps(method))
        assert hash(method) == hash(kind(**options))
        assert (method == kind()) == (options == {})
        assert eval(repr(method), vars(M) | {kind.__name__: kind}) == method
        for name in [*(field.name for field in dataclasses.fields(kind)), "other"]:
            with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
                setattr(method, name, None)
        with pytest.raises(TypeError, match="positional argument"):
            kind(20)
    assert len({*VARIANTS, *VARIANTS}) == len(VARIANTS)


@pytest.mark.exactness
@pytest.mark.parametrize("method", VARIANTS, ids=repr)
def test_every_method(rows, same_result, method):
    """As its name says, from no more than it needs, and again from what the result records."""
    found, needs = quiet_test(rows, method, alpha=0.01), method.needs
    same_result(found, quiet_test(rows, method.name, alpha=0.01, **given_options(method)))
    if not needs.in_batches:
        # Of batches the record says how many there were, not how many were asked for.
        again = registered()[method.name](**method.options_in(found.options))
        same_result(quiet_test(rows, again, alpha=0.01), found)
    state = open_sample(rows, needs, "a test").state
    for once in (state, iter([rows[:150], rows[150:]])):
        serves = needs.products and not isinstance(once, RowState)
        if getattr(method, "solver", "auto") == "matrix-free" or getattr(method, "lags", 0):
            continue
        # A state's rows are believed to lie in the declared range.
        believed = getattr(method, "radius", "") == "hoeffding" and isinstance(once, RowState)
        if not needs.reads_again or serves or believed:
            assert quiet_test(once, method).n_samples == len(rows)
            continue
        with pytest.raises(DataError, match=r"needs the rows a second time|reads the rows twice"):
            ew.edge_test(once, method=method)


WRONG = [
    (ew.methods.Batch, {"n_batches": 1}, ["n_batches", "from 2 on", "got 1"]),
    (ew.methods.Batch, {"random_state": -1}, ["random_state", "got -1"]),
    (ew.methods.Kendall, {"n_batches": 1}, ["n_batches", "from 2 on"]),
    (ew.methods.Kendall, {"radius": "trace"}, ["radius", "got 'trace'"]),
    (ew.methods.Sequential, {"tuned_for": 1}, ["tuned_for", "from 2 on", "got 1"]),
    (ew.methods.Sequential, {"tuned_level": 1}, ["tuned_level", "between 0 and 1"]),
    (ew.methods.Sequential, {"n_batches": 1.5}, ["n_batches", "whole number", "got 1.5"]),
    (ew.methods.Nodewise, {"penalty": 0}, ["penalty", "above 0"]),
    (ew.methods.Nodewise, {"penalty": np.nan}, ["penalty", "above 0"]),
    (ew.methods.Nodewise, {"max_neighbours": 1.5}, ["max_neighbours", "from 1 on"]),
    *(
        (ew.methods.Trace, {"mu": mu}, ["mu", "above 0"])
        for mu in (0, -1, np.nan, np.inf, "1", None)
    ),
    (ew.methods.Eig, {"mu": "1"}, ["mu", "above 0", "got '1'"]),
    (
        ew.methods.Eig,
        {"solver": "x"},
        ["solver: expected one of", "'full'", "'matrix-free'", "got 'x'"],
    ),
    *(
        (ew.methods.Whitened, {"radius": x}, ["radius: expected one of", "'chi2'"])
        for x in ("x", None)
    ),
    (ew.methods.Whitened, {"support": (0, 1)}, ["support", "radius='hoeffding' or 'bernstein'"]),
    (
        ew.methods.Spectral,
        {"radius": "hoeffding"},
        ["support", "radius='hoeffding'", "support=None"],
    ),
    (ew.methods.Spectral, {"radius": "chebyshev"}, ["radius", "'bernstein'", "'chebyshev'"]),
    (ew.methods.Whitened, {"radius": "chebyshev"}, ["kurtosis", "radius='chebyshev'", "None"]),
    (ew.methods.Whitened, {"kurtosis": 2}, ["kurtosis", "radius='chebyshev'", "'trace'"]),
    (ew.methods.Whitened, {"radius": "chebyshev", "kurtosis": 0}, ["kurtosis", "above 0", "got 0"]),
    (ew.methods.Spectral, {"solver": "x"}, ["solver", "'matrix-free'", "got 'x'"]),
]


def test_wrong_options_are_refused_when_it_is_made(refuses):
    for kind, options, fragments in WRONG:
        refuses(lambda kind=kind, options=options: kind(**options), ParameterError, *fragments)


def test_every_question_takes_an_object_where_it_takes_a_name(rows, same_result):
    method = ew.methods.Batch(n_batches=20)
    expected = ew.edge_test(rows, method="batch", n_batches=20)
    (line,) = ew.compare_methods(rows, methods=[method])
    assert line.method is method
    for found in (line.result, ew.EdgeTest(method).fit(rows).result_):
        same_result(found, expected)
    plans = [
        ew.plan_sample_size(rows, effect=0.1, method=ew.methods.Whitened(radius="chi2")),
        ew.plan_sample_size(rows, effect=0.1, method="whitened", radius="chi2"),
    ]
    np.testing.assert_array_equal(plans[0].pairs, plans[1].pairs)


def test_options_beside_an_object_and_classes_are_refused(rows, refuses):
    calls = [
        lambda **more: ew.edge_test(rows, **more),
        lambda **more: ew.plan_sample_size(rows, effect=0.1, **more),
        lambda **more: ew.EdgeTest(**more).fit(rows),
    ]
    said = ["mu: expected as an option of the method object", "Trace(mu=...)"]
    for call in calls:
        refuses(lambda call=call: call(method=ew.methods.Trace(), mu=2.0), ParameterError, *said)
    said = ["method: expected a method object, got the class", "Batch(...)"]
    refuses(lambda: ew.edge_test(rows, method=ew.methods.Batch), ParameterError, *said)


def test_a_bound_needs_no_correction_and_takes_none(rows, refuses, same_result):
    for method in [name for name, kind in registered().items() if kind.simultaneous]:
        for call in (ew.edge_test, lambda X, **more: ew.plan_sample_size(X, effect=0.1, **more)):
            refuses(
                lambda call=call, method=method: call(rows, method=method, correction="bh"),
                ParameterError,
                f"correction: method {method!r} bounds all entries at once and needs none",
                "got 'bh'; leave it out",
            )
        default = quiet_test(rows, method)
        for none in (None, "none", "holm"):  # the last is the default
            found = quiet_test(rows, method, correction=none)
            assert found.correction is default.correction is None
            same_result(found, default)


def test_corrections_by_name(rows, refuses, same_result):
    plain = ew.edge_test(rows, correction="none")
    assert plain.correction is None
    same_result(plain, ew.edge_test(rows, correction=None))
    for method in ("score", "trace"):
        for correction in ("Holm", "", 3, ["holm"]):
            refuses(
                lambda method=method, correction=correction: ew.edge_test(
                    rows, method=method, correction=correction
                ),
                ParameterError,
                "correction: expected one of 'holm'",
            )

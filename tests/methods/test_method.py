"""Methods as objects: frozen values that say what they need and that test as their names do."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise import (
    BatchMoments,
    ConcordanceMoments,
    DataError,
    EdgewiseWarning,
    Moments,
    ParameterError,
)
from edgewise.evidence import opening
from edgewise.evidence.evidence import Needs
from edgewise.methods.method import Method
from edgewise.methods.registry import METHODS

BOX = {"radius": "hoeffding", "support": (-60, 60)}
LOOSE_BOX = {"radius": "bernstein", "support": (-3, 3), "outside": 0.2}
#: Every method with every option that changes what it does, and what it then works from.
NEEDS = [
    (ew.Score, {}, Needs(reads_again=True)),
    (ew.Nodewise, {}, Needs(reads_again=True, wide=True)),
    (ew.Nodewise, {"penalty": 1.0}, Needs(reads_again=True, wide=True)),
    (ew.Nodewise, {"max_neighbours": 3}, Needs(reads_again=True, wide=True)),
    (ew.Wald, {}, Needs(reads_again=True)),
    (ew.Batch, {}, Needs(in_batches=True)),
    (ew.Batch, {"n_batches": 20}, Needs(in_batches=True, n_batches=20)),
    (ew.Batch, {"n_batches": 20, "random_state": 3}, Needs(in_batches=True, n_batches=20)),
    (ew.Kendall, {}, Needs(in_batches=True, concordance=True)),
    (
        ew.Kendall,
        {"n_batches": 20, "random_state": 3},
        Needs(in_batches=True, n_batches=20, concordance=True),
    ),
    (ew.Kendall, {"radius": "hoeffding"}, Needs(in_batches=True, concordance=True)),
    (ew.Sequential, {}, Needs(in_batches=True)),
    (ew.Sequential, {"n_batches": 20, "tuned_level": 0.2}, Needs(in_batches=True, n_batches=20)),
    (ew.Sequential, {"tuned_for": 400}, Needs(in_batches=True)),
    (ew.Entrywise, {}, Needs(in_batches=True)),
    (ew.Entrywise, {"n_batches": 20, "random_state": 3}, Needs(in_batches=True, n_batches=20)),
    (ew.Whitened, {}, Needs(reads_again=True)),
    (ew.Whitened, {"radius": "chi2"}, Needs(reads_again=True)),
    (ew.Whitened, {"radius": "eig", "solver": "matrix-free"}, Needs(reads_again=True)),
    (ew.Whitened, BOX, Needs(reads_again=True)),
    (ew.Whitened, LOOSE_BOX, Needs(reads_again=True)),
    (ew.Whitened, {"radius": "chebyshev", "kurtosis": 4.0}, Needs()),
    (ew.Spectral, {}, Needs(order=4)),
    (ew.Spectral, {"standardize": True}, Needs(reads_again=True)),
    (ew.Spectral, {"radius": "chi2"}, Needs(reads_again=True)),
    (ew.Spectral, {"radius": "eig", "solver": "full"}, Needs(reads_again=True)),
    (ew.Spectral, BOX, Needs(reads_again=True)),
    (ew.Spectral, LOOSE_BOX, Needs(reads_again=True)),
    (ew.Eig, {}, Needs(reads_again=True)),
    (ew.Eig, {"mu": 0.5, "standardize": True}, Needs(reads_again=True)),
    (ew.Eig, {"solver": "matrix-free"}, Needs(reads_again=True)),
    (ew.Trace, {}, Needs(order=4)),
    (ew.Trace, {"mu": 0.5}, Needs(order=4)),
    (ew.Trace, {"standardize": True}, Needs(reads_again=True)),
    (ew.Elliptical, {}, Needs(reads_again=True)),
    (ew.Fisher, {}, Needs()),
]
every_option = pytest.mark.parametrize(
    ("kind", "options", "needs"),
    NEEDS,
    ids=[" ".join([kind.name, *map(str, options.values())]) for kind, options, _ in NEEDS],
)


def quiet(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        return call(*arguments, **options)


def test_every_method_and_every_option_is_in_the_list():
    assert {kind.name for kind, _, _ in NEEDS} == set(METHODS)
    for name, kind in METHODS.items():
        asked = set().union(*(options for other, options, _ in NEEDS if other is kind))
        assert asked == {field.name for field in dataclasses.fields(kind)}, name


class TestObject:
    @every_option
    def test_is_what_its_name_says(self, rows, kind, options, needs):
        """The same operations in the same order, so to the last bit."""
        found = quiet(ew.edge_test, rows, method=kind(**options), alpha=0.01)
        expected = quiet(ew.edge_test, rows, method=kind.name, alpha=0.01, **options)
        assert found.to_json() == expected.to_json()

    @every_option
    def test_is_frozen(self, kind, options, needs):
        method = kind(**options)
        for name in [*(field.name for field in dataclasses.fields(kind)), "other"]:
            with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
                setattr(method, name, None)

    @every_option
    def test_is_a_value(self, kind, options, needs):
        method = kind(**options)
        assert method == kind(**options)
        assert hash(method) == hash(kind(**options))
        assert pickle.loads(pickle.dumps(method)) == method
        assert (method == kind()) == (options == {})
        assert isinstance(method, Method)

    @every_option
    def test_its_repr_is_how_it_is_made(self, kind, options, needs):
        method = kind(**options)
        written = repr(method)
        assert written.startswith(f"{kind.__name__}(")
        assert eval(written, {kind.__name__: kind}) == method

    def test_different_methods_without_options_are_not_equal(self):
        assert len({ew.Score(), ew.Wald(), ew.Fisher(), ew.Elliptical(), ew.Score()}) == 4

    @pytest.mark.parametrize(
        "support", [[(-60, 60)] * 4, np.tile([-60.0, 60.0], (4, 1)), ((-60, 60),) * 4]
    )
    def test_intervals_in_any_form_are_one_value(self, rows, support):
        method = ew.Whitened(radius="hoeffding", support=support)
        again = ew.Whitened(radius="hoeffding", support=((-60.0, 60.0),) * 4)
        assert method == again
        assert hash(method) == hash(again)
        assert eval(repr(method), {"Whitened": ew.Whitened}) == method

    @pytest.mark.parametrize(
        ("make", "fragments"),
        [
            (lambda: ew.Batch(n_batches=1), ["n_batches", "from 2 on", "got 1"]),
            (lambda: ew.Batch(random_state=-1), ["random_state", "got -1"]),
            (lambda: ew.Sequential(tuned_for=1), ["tuned_for", "from 2 on", "got 1"]),
            (lambda: ew.Sequential(tuned_level=1), ["tuned_level", "between 0 and 1"]),
            (lambda: ew.Sequential(n_batches=1.5), ["n_batches", "whole number", "got 1.5"]),
            (lambda: ew.Trace(mu=0), ["mu", "above 0", "got 0"]),
            (lambda: ew.Eig(mu="1"), ["mu", "above 0", "got '1'"]),
            (lambda: ew.Eig(solver="x"), ["solver", "'full'", "got 'x'"]),
            (lambda: ew.Whitened(radius="x"), ["radius", "'chi2'", "got 'x'"]),
            (lambda: ew.Whitened(support=(0, 1)), ["support", "radius='hoeffding'"]),
            (lambda: ew.Spectral(radius="hoeffding"), ["support", "radius='hoeffding'"]),
            (lambda: ew.Spectral(radius="chebyshev"), ["radius", "'bernstein'", "'chebyshev'"]),
            (lambda: ew.Spectral(outside=0.1), ["outside", "support", "got 0.1"]),
            (lambda: ew.Whitened(**BOX, outside=1), ["outside", "between 0 and 1", "got 1"]),
            (lambda: ew.Whitened(**BOX, outside=-0.1), ["outside", "between 0 and 1", "got -0.1"]),
            (lambda: ew.Whitened(**BOX, outside="x"), ["outside", "between 0 and 1", "got 'x'"]),
            (lambda: ew.Whitened(radius="chebyshev"), ["kurtosis", "radius='chebyshev'", "None"]),
            (lambda: ew.Whitened(kurtosis=2), ["kurtosis", "radius='chebyshev'", "'trace'"]),
            (
                lambda: ew.Whitened(radius="chebyshev", kurtosis=0),
                ["kurtosis", "above 0", "got 0"],
            ),
            (lambda: ew.Spectral(solver="x"), ["solver", "'matrix-free'", "got 'x'"]),
        ],
    )
    def test_wrong_options_are_refused_when_it_is_made(self, make, fragments, refuses):
        refuses(make, ParameterError, *fragments)

    @pytest.mark.parametrize("kind", METHODS.values())
    def test_options_go_by_name_only(self, kind):
        with pytest.raises(TypeError, match="positional argument"):
            kind(20)
        with pytest.raises(TypeError, match="unexpected keyword"):
            kind(bogus=1)


class TestQuestions:
    """Every question takes an object where it takes a name."""

    method = ew.Batch(n_batches=20)

    def test_estimator(self, rows, same_result):
        fitted = ew.EdgeTest(self.method).fit(rows)
        same_result(fitted.result_, ew.edge_test(rows, method="batch", n_batches=20))

    def test_plan(self, rows):
        found = ew.plan_sample_size(rows, effect=0.1, method=ew.Whitened(radius="chi2"))
        expected = ew.plan_sample_size(rows, effect=0.1, method="whitened", radius="chi2")
        np.testing.assert_array_equal(found.pairs, expected.pairs)

    def test_compare(self, rows, same_result):
        (line,) = ew.compare_methods(rows, methods=[self.method])
        same_result(line.result, ew.edge_test(rows, method=self.method))
        assert line.method is self.method

    def test_budget(self, rows):
        result = quiet(ew.edge_test, rows, method=ew.Trace(mu=0.5), budget=60)
        assert (result.method, result.options["mu"]) == ("trace", 0.5)

    @pytest.mark.parametrize(
        "call",
        [
            lambda X, **more: ew.edge_test(X, **more),
            lambda X, **more: ew.plan_sample_size(X, effect=0.1, **more),
            lambda X, **more: ew.EdgeTest(**more).fit(X),
            lambda X, **more: ew.edge_test(X, budget=9, **more),
        ],
        ids=["edge_test", "plan", "EdgeTest", "budget"],
    )
    def test_options_beside_an_object_are_refused(self, rows, refuses, call):
        refuses(
            lambda: call(rows, method=ew.Trace(), mu=2.0),
            ParameterError,
            "mu: expected as an option of the method object",
            "Trace(mu=...)",
        )

    def test_a_class_is_not_an_object(self, rows, refuses):
        refuses(
            lambda: ew.edge_test(rows, method=ew.Batch),
            ParameterError,
            "method: expected a method object, got the class",
            "Batch(...)",
        )


class TestNeeds:
    @every_option
    def test_with_these_options(self, kind, options, needs):
        assert kind(**options).needs == needs

    @every_option
    def test_are_what_the_first_pass_keeps(self, rows, monkeypatch, kind, options, needs):
        """No fourth-order sums that nobody uses."""
        kept = []

        def read(*arguments, **asked):
            state, *others = first_pass(*arguments, **asked)
            kept.append(state)
            return state, *others

        first_pass = opening.read_with_glance
        monkeypatch.setattr(opening, "read_with_glance", read)
        quiet(ew.edge_test, rows, method=kind(**options))
        (state,) = kept
        if not needs.in_batches:
            assert isinstance(state, Moments)
            assert state.order == needs.order
        else:
            assert isinstance(state, ConcordanceMoments if needs.concordance else BatchMoments)
            assert state.n_batches == (needs.n_batches or 100)

    @every_option
    def test_a_state_is_enough_where_nothing_is_read_again(self, rows, kind, options, needs):
        state = needs.empty_state().update(rows)
        method = kind(**options)
        if not needs.reads_again:
            assert quiet(ew.edge_test, state, method=method).n_samples == len(rows)
            return
        with pytest.raises(DataError, match=f"method '{kind.name}' reads the rows twice"):
            ew.edge_test(state, method=method)

    @every_option
    def test_a_stream_is_enough_where_nothing_is_read_again(self, rows, kind, options, needs):
        def stream():
            return iter([rows[:150], rows[150:]])

        method = kind(**options)
        if not needs.reads_again:
            assert quiet(ew.edge_test, stream(), method=method).n_samples == len(rows)
            return
        with pytest.raises(DataError, match=f"method '{kind.name}' reads the rows twice"):
            ew.edge_test(stream(), method=method)


class TestCorrection:
    """A bound holds for all entries at once: it needs no correction, and takes none."""

    every_bound = pytest.mark.parametrize(
        "method", [name for name, kind in METHODS.items() if kind.simultaneous]
    )

    @every_bound
    @pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", "maxt"])
    def test_is_refused_for_a_bound(self, rows, method, correction, refuses):
        for call in (
            lambda: ew.edge_test(rows, method=method, correction=correction),
            lambda: ew.plan_sample_size(rows, effect=0.1, method=method, correction=correction),
        ):
            refuses(
                call,
                ParameterError,
                f"correction: method {method!r} bounds all entries at once and needs none",
                f"got {correction!r}; leave it out",
            )

    @every_bound
    def test_none_and_the_default_are_not(self, rows, method, same_result):
        default = quiet(ew.edge_test, rows, method=method)
        assert default.correction is None
        for none in (None, "none"):
            found = quiet(ew.edge_test, rows, method=method, correction=none)
            assert found.correction is None
            same_result(found, default)

    def test_the_word_none_is_no_correction(self, rows, same_result):
        found = ew.edge_test(rows, correction="none")
        assert found.correction is None
        same_result(found, ew.edge_test(rows, correction=None))

    @pytest.mark.parametrize("copy", [pickle.dumps, repr], ids=["pickled", "as it is"])
    def test_the_default_survives_a_pickle(self, rows, copy):
        """A worker process gets the default as a copy."""
        from edgewise.inference.corrections import HOLM

        default = pickle.loads(copy(HOLM)) if copy is pickle.dumps else HOLM
        assert default == "holm"
        assert quiet(ew.edge_test, rows, method="trace", correction=default).correction is None
        assert ew.edge_test(rows, correction=default).correction == "holm"

    @pytest.mark.parametrize("correction", ["Holm", "", 3, ["holm"]])
    @pytest.mark.parametrize("method", ["score", "trace"])
    def test_unknown(self, rows, method, correction, refuses):
        refuses(
            lambda: ew.edge_test(rows, method=method, correction=correction),
            ParameterError,
            "correction: expected one of 'holm'",
        )


@every_option
def test_the_record_says_how_to_get_the_same_again(rows, same_result, kind, options, needs):
    """What a report shows as the call in Python."""
    expected = quiet(ew.edge_test, rows, method=kind(**options))
    again = kind(**kind.asked(expected.options))
    assert kind.asked({}) == {}
    # Of batches the record says how many there were, not how many were asked for.
    if not needs.in_batches:
        same_result(quiet(ew.edge_test, rows, method=again), expected)

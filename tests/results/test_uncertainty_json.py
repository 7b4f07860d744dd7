"""What intervals are made from, as JSON: every kind comes back, what is wrong is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise import DataError, EdgeTestResult, EdgewiseError

BOX = {"support": (-60, 60), "radius": "hoeffding"}
#: A method for each kind of reference, radius and transfer.
RADII = ("normal", "chi2", "hoeffding", "bernstein", "chebyshev", "largest")
TRANSFERS = ("frobenius", "spectral", "whitened", "relative", "entries")
ASKED = {
    "score": ew.Score(),
    "normal": ew.Elliptical(),
    "student of each": ew.Wald(),
    "student, exact": ew.Fisher(),
    "student": ew.Batch(n_batches=20),
    "anytime": ew.Sequential(n_batches=20),
    "frobenius": ew.Trace(standardize=True),
    "whitened, chi2": ew.Whitened(radius="chi2"),
    "whitened, estimated": ew.Whitened(radius="chi2", solver="matrix-free"),
    "spectral, hoeffding": ew.Spectral(**BOX),
    "whitened, bernstein": ew.Whitened(support=(-60, 60), radius="bernstein"),
    "chebyshev": ew.Whitened(radius="chebyshev", kurtosis=4),
    "entries": ew.Entrywise(n_batches=20),
}


@pytest.fixture(scope="module")
def documents():
    X = np.random.default_rng(20).laplace(size=(2000, 4))
    X[:, 1:] += 0.6 * X[:, :-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.EdgewiseWarning)
        results = {name: ew.edge_test(X, method=method) for name, method in ASKED.items()}
        results["maxt"] = ew.edge_test(X, method="batch", n_batches=20, correction="maxt")
    found = {name: json.loads(result.to_json()) for name, result in results.items()}
    for part in (found["maxt"]["uncertainty"], found["entries"]["uncertainty"]["radius"]):
        part["maxima"] = part["maxima"][::100]
    return found


def changed(document, path, value):
    """The text of a document with another value at a path; with `...`, without it."""
    mutant = copy.deepcopy(document)
    holder = mutant
    for key in path[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(mutant)


def test_the_kinds(documents):
    """Every kind that can be written is among the documents."""
    parts = [document["uncertainty"] for document in documents.values()]
    assert {part["kind"] for part in parts} == {"per edge", "score", "bound"}
    assert {part["exact"] for part in parts if "exact" in part} == {False, True}
    found = {
        (name, part[name]["kind"])
        for part in parts
        for name in ("reference", "radius", "transfer")
        if name in part
    }
    assert found == {
        *(("reference", kind) for kind in ("normal", "student", "student of each", "anytime")),
        *(
            ("radius", kind)
            for kind in ("normal", "chi2", "hoeffding", "bernstein", "chebyshev", "largest")
        ),
        *(
            ("transfer", kind)
            for kind in ("frobenius", "spectral", "whitened", "relative", "entries")
        ),
    }


def test_standard_errors_are_not_said_twice(documents):
    for name in ("normal", "score"):
        assert not {"precision", "precision_error"} & set(documents[name]["uncertainty"])
        assert documents[name]["standard_error"] is not None


def numbers_in(value):
    """The numbers and arrays of a part, by name, and of the parts in it."""
    if dataclasses.is_dataclass(value):
        return {f.name: numbers_in(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def assert_same(found, expected):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_same(found[name], expected[name])
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.exactness
@pytest.mark.parametrize("method", [*ASKED.values(), "maxt"], ids=repr)
def test_every_number_comes_back(method):
    """Each one as it was, to the bit: JSON has the shortest text that reads as the same number."""
    X = np.random.default_rng(5).laplace(size=(600, 4))
    X[:, 1:] += 0.3 * X[:, :-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.EdgewiseWarning)
        if method == "maxt":
            result = ew.edge_test(X, method=ew.Batch(n_batches=20), correction="maxt")
        else:
            result = ew.edge_test(X, method=method)
    found = EdgeTestResult.from_json(result.to_json()).uncertainty
    assert type(found) is type(result.uncertainty)
    assert_same(numbers_in(found), numbers_in(result.uncertainty))


NUMBERS = ["0.5", None, True, [], {}, [0.5], -1, 0, 10**400, "NaN", "Infinity", ...]
VECTORS = [None, [], 3, "x", [-1.0] * 4, [1.0] * 3, [1.0, "1", 1.0, 1.0], [None] * 4, [[1.0]] * 4]
VECTORS += [[10**400] * 4, [True] * 4]
MATRICES = [None, 3, "x", [], {}, [[0.1] * 4] * 3, [[0.1] * 3] * 4, [["x"] * 4] * 4, ...]
COUNTS = ["200", None, True, [], {}, -1, 2.5, 10**400, 2**53 + 1, "NaN", ...]
WRONG = {
    ("normal", "kind"): ["PerEdge", "bound ", None, 3, ["bound"], {}, ...],
    ("normal", "fisher_z"): [None, 3, [], [[0.1] * 4] * 3, [["x"] * 4] * 4, ...],
    ("normal", "reference"): [None, "normal", [], {}, {"kind": "cauchy"}, {"kind": ["normal"]}],
    ("normal", "maxima"): [3, [], ["x"], [-1.0], [None], [[1.0]], ...],
    ("normal", "exact"): [True, None, 0, 1, "false", [], ...],
    ("student of each", "exact"): [True, None, ...],
    ("student of each", "reference", "degrees"): [
        *(None, 3, [], [[5.0] * 4] * 3, [["x"] * 4] * 4, [[0.0] * 4] * 4, [[-1.0] * 4] * 4),
        *([[None] * 4] * 4, [["Infinity"] * 4] * 4, ...),
    ],
    **{("score", name): MATRICES for name in ("second", "cross", "ends", "fourth", "sixth")},
    ("score", "n_samples"): [*COUNTS, 1],
    ("score", "degrees"): [*COUNTS, 0],
    ("student", "reference", "df"): NUMBERS,
    ("anytime", "reference", "rho2"): NUMBERS,
    ("anytime", "reference", "n_samples"): [*NUMBERS, 2.5],
    ("anytime", "reference", "student"): [None, {}, {"kind": "normal"}, "student", ...],
    ("frobenius", "radius", "variance"): [value for value in NUMBERS if value != 0],
    ("frobenius", "radius", "max_alpha"): NUMBERS,
    ("frobenius", "transfer", "eigenvalues"): [v for v in VECTORS if v != [-1.0] * 4],
    ("frobenius", "transfer", "mu"): NUMBERS,
    ("whitened, chi2", "radius", "spectrum"): [
        *(v for v in VECTORS if v != [1.0] * 3),
        *([1.7e308], [1e-320, 1.0]),
    ],
    ("whitened, chi2", "radius", "slack"): [value for value in NUMBERS if value != 0],
    ("whitened, estimated", "radius", "counts"): [v for v in VECTORS if v is not None],
    ("whitened, chi2", "transfer", "diagonal"): VECTORS,
    ("entries", "radius", "maxima"): [3, [], None, ["x"], [-1.0], [None], [[1.0]], ...],
    ("entries", "radius", "student"): [None, {}, {"kind": "normal"}, "student", ...],
    ("entries", "radius", "n_entries"): [*NUMBERS, 2.5],
    ("entries", "transfer", "errors"): [*MATRICES, [[0.0] * 4] * 4, [[None] * 4] * 4],
    ("spectral, hoeffding", "radius", "unit"): NUMBERS,
    ("spectral, hoeffding", "radius", "n_samples"): [*NUMBERS, 1, 2.5],
    ("spectral, hoeffding", "radius", "n_entries"): [*NUMBERS, 2.5],
    ("whitened, bernstein", "radius", "n_samples"): [*NUMBERS, 1, 2.5],
    ("whitened, bernstein", "radius", "reach"): [*VECTORS, [0.5, 0.5, 0.5, 1.1]],
    ("whitened, bernstein", "radius", "covariance"): [
        *(*MATRICES, [[-0.1] * 4] * 4, [[1.1] * 4] * 4, [["Infinity"] * 4] * 4),
        [[None] * 4] * 4,
    ],
    ("whitened, bernstein", "radius", "deviation"): [*MATRICES, [[-0.1] * 4] * 4, [[1.1] * 4] * 4],
    ("whitened, bernstein", "radius", "scale"): [*MATRICES, [[-0.1] * 4] * 4, [[1e151] * 4] * 4],
    ("chebyshev", "radius", "variance"): NUMBERS,
    ("chebyshev", "transfer", "diagonal"): VECTORS,
    ("spectral, hoeffding", "transfer", "smallest"): ["0.5", None, True, [], 10**400, ...],
    ("spectral, hoeffding", "transfer", "kind"): ["chi2", "normal", None, ...],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [(path, value) for path, values in WRONG.items() for value in values],
    ids=lambda value: "missing" if value is ... else str(value)[:40],
)
def test_a_wrong_part_is_named(documents, refuses, path, value):
    name, *inside = path
    text = changed(documents[name], ["uncertainty", *inside], value)
    error = refuses(lambda: EdgeTestResult.from_json(text), DataError, "field 'uncertainty'")
    assert f"field '{inside[-1]}': expected" in str(error) or "field 'kind': expected" in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize("count", [1e9, 1e300])
def test_counts_that_no_quantile_is_found_for(documents, refuses, count):
    path = ["uncertainty", "radius", "counts", 0]
    text = changed(documents["whitened, estimated"], path, count)
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "'counts'", "at most 20 in all")


@pytest.mark.parametrize("name", ["normal", "score"])
def test_per_edge_without_standard_errors(documents, refuses, name):
    text = changed(documents[name], ["standard_error"], None)
    refuses(
        lambda: EdgeTestResult.from_json(text),
        DataError,
        "'per edge' or 'score' with standard errors",
    )


@pytest.mark.parametrize("number", [-1e300, -1.0, 0.0, 1e-300, 0.5, 7.0, 1e300])
@pytest.mark.parametrize("name", ["second", "cross", "ends", "fourth", "sixth"])
def test_a_score_test_of_numbers_that_nobody_measured_has_an_answer(documents, name, number):
    document = json.loads(changed(documents["score"], ["uncertainty", name], [[number] * 4] * 4))
    # No edges: their intervals would not be those of the changed numbers, which is noticed.
    document["reject"], document["edges"] = [[False] * 4] * 4, []
    with np.errstate(all="ignore"):
        found = EdgeTestResult.from_json(json.dumps(document))
        for scale in ("precision", "partial_correlation"):
            low, high = found.confidence_interval(0.99, scale)
            assert low.shape == high.shape == (4, 4)


def test_the_number_of_columns_is_that_of_the_result(documents):
    """Nobody can make a bound for more columns than the matrices have."""
    text = changed(
        documents["spectral, hoeffding"], ["uncertainty", "transfer", "n_features"], 10**9
    )
    assert EdgeTestResult.from_json(text).uncertainty.transfer.n_features == 4


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**3), 10**3)
anything = (
    st.none()
    | st.booleans()
    | numbers
    | st.text(max_size=5)
    | st.sampled_from(
        ["normal", "student", "chi2", "bound", "per edge", "score", "Infinity", "NaN", 10**400]
    )
    | st.sampled_from([[], {}, [[]], [{}], [[1.0]], {"kind": "normal"}]).map(copy.deepcopy)
)


def places(value, at=()):
    """Every path into nested lists and objects."""
    yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


def read_or_refused(text):
    try:
        return EdgeTestResult.from_json(text)
    except EdgewiseError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 500
    return None


@given(data=st.data())
@settings(max_examples=400)
def test_a_mutated_uncertainty_is_read_or_refused(documents, data):
    document = documents[data.draw(st.sampled_from(sorted(documents)))]
    level = data.draw(st.sampled_from([0.9, 0.999]))
    mutant = copy.deepcopy(document["uncertainty"])
    for _ in range(data.draw(st.integers(1, 3))):
        inside = [at for at in places(mutant) if at]
        if not inside:
            break
        at = data.draw(st.sampled_from(inside))
        holder = mutant
        for key in at[:-1]:
            holder = holder[key]
        if data.draw(st.booleans()):
            holder[at[-1]] = data.draw(anything)
        else:
            del holder[at[-1]]
    found = read_or_refused(json.dumps(document | {"uncertainty": mutant}))
    if found is None:
        return
    assert found.to_json() == EdgeTestResult.from_json(found.to_json()).to_json()
    # Numbers that nobody measured may give no interval, but an answer or a sentence.
    with np.errstate(all="ignore"):
        try:
            low, high = found.confidence_interval(level)
        except EdgewiseError:
            return
    assert low.shape == high.shape == (4, 4)


@given(data=st.data())
@settings(max_examples=60)
def test_parts_of_one_kind_in_the_place_of_another(documents, data):
    """All of one uncertainty in the result of another method: read or refused."""
    names = st.sampled_from(sorted(documents))
    document, other = (documents[data.draw(names)] for _ in range(2))
    read_or_refused(json.dumps(document | {"uncertainty": other["uncertainty"]}))
    mixed = document["uncertainty"] | other["uncertainty"]
    read_or_refused(json.dumps(document | {"uncertainty": mixed}))

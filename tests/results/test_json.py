"""A result as JSON: it comes back whole, the schema describes it, and bad text is one sentence."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import edgewise as ew
from edgewise import DataError, EdgeTestResult, EdgewiseError
from edgewise.inference.effect import MinEffect
from edgewise.methods.registry import METHODS

BOX = {"support": (-60, 60), "radius": "hoeffding"}
ASKED = {
    **{name: (name, {}) for name in METHODS},
    "score, none": ("score", {"correction": None}),
    "score, bonferroni": ("score", {"correction": "bonferroni", "alpha": 0.2}),
    "score, effect": ("score", {"min_effect": 0.1}),
    "score, effect on precision": ("score", {"min_effect": 0.1, "effect_scale": "precision"}),
    "wald, bh": ("wald", {"correction": "bh"}),
    "fisher, by": ("fisher", {"correction": "by"}),
    "batch, maxt": ("batch", {"correction": "maxt", "n_batches": 20}),
    "sequential, tuned": ("sequential", {"tuned_for": 500, "tuned_level": 0.2, "n_batches": 20}),
    "sequential, effect": ("sequential", {"min_effect": 0.1}),
    "whitened, chi2": ("whitened", {"radius": "chi2"}),
    "whitened, eig": ("whitened", {"radius": "eig", "solver": "matrix-free"}),
    "whitened, chi2 estimated": ("whitened", {"radius": "chi2", "solver": "matrix-free"}),
    "whitened, hoeffding": ("whitened", BOX),
    "whitened, each column": ("whitened", BOX | {"support": np.array([[-60, 60.5]] * 4)}),
    "whitened, effect": ("whitened", {"min_effect": 0.1}),
    "spectral, hoeffding": ("spectral", BOX),
    "spectral, standardised": ("spectral", {"radius": "chi2", "standardize": True}),
    "spectral, eig": ("spectral", {"radius": "eig"}),
    "trace, finite": ("trace", {"standardize": True, "mu": 1e-3, "n": 20_000}),
    "trace, infinite": ("trace", {"n": 20}),
    "eig, infinite": ("eig", {"n": 20}),
}


def sample(n):
    X = np.random.default_rng(20).laplace(size=(n, 4))
    for j in range(1, 4):
        X[:, j] += 0.6 * X[:, j - 1]
    return X


def ask(method="score", *, n=2000, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.EdgewiseWarning)
        return ew.edge_test(sample(n), method=method, **options)


@pytest.fixture(scope="module")
def result():
    return ask()


@pytest.fixture(scope="module")
def document(result):
    return json.loads(result.to_json())


@pytest.fixture
def changed(document):
    """``changed(alpha=2)``: the text with other fields; with `...`, without them."""

    def change(**others):
        fields = copy.deepcopy(document) | others
        return json.dumps({name: value for name, value in fields.items() if value is not ...})

    return change


@pytest.fixture(scope="module")
def valid(require):
    # Not the program of that name, which `require` would take as well.
    validator = require("jsonschema.validators").Draft202012Validator
    schema = EdgeTestResult.json_schema()
    validator.check_schema(schema)
    return lambda text: validator(schema).is_valid(json.loads(text))


def assert_equal(found, expected):
    for field in dataclasses.fields(expected):
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if field.name == "uncertainty":
            assert_same_parts(one, other)
        elif isinstance(other, np.ndarray):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert not one.flags.writeable
            np.testing.assert_array_equal(one, other)
        else:
            assert type(one) is type(other)
            assert one == other


def assert_same_parts(found, expected):
    """An uncertainty is data all the way down: the same kinds, the same numbers."""
    assert type(found) is type(expected)
    if dataclasses.is_dataclass(expected):
        for field in dataclasses.fields(expected):
            assert_same_parts(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected)
    else:
        assert found == expected


def interval_arguments(result):
    """Levels that the result has intervals at, scales, and one by one or all at once."""
    proven = result.options.get("radius") == "trace" or result.method == "trace"
    levels = (0.9, 0.95, 0.999999) if proven else (0.01, 0.5, 0.95, 0.999999)
    return product(levels, ("precision", "partial_correlation"), (False, True))


@pytest.mark.parametrize("asked", ASKED)
def test_every_result_comes_back(asked):
    method, options = ASKED[asked]
    result = ask(method, **options)
    text = result.to_json()
    found = EdgeTestResult.from_json(text)
    assert_equal(found, result)
    assert found.to_json() == text
    assert found.to_json(indent=2) == result.to_json(indent=2)
    assert found.edges() == result.edges()
    assert found.summary() == result.summary()


@pytest.mark.parametrize("asked", ASKED)
def test_intervals_come_back(asked):
    """To the last bit: the same operations on the same numbers."""
    method, options = ASKED[asked]
    result = ask(method, **options)
    found = EdgeTestResult.from_json(result.to_json())
    for level, scale, simultaneous in interval_arguments(result):
        np.testing.assert_array_equal(
            found.confidence_interval(level, scale, simultaneous),
            result.confidence_interval(level, scale, simultaneous),
        )


@pytest.mark.parametrize("asked", ASKED)
def test_pvalues_of_other_effects_come_back(asked):
    method, options = ASKED[asked]
    result = ask(method, **options)
    found = EdgeTestResult.from_json(result.to_json())
    for value, scale in ((0.0, "precision"), (0.2, "precision"), (0.2, "partial_correlation")):
        effect = MinEffect(value, scale)
        np.testing.assert_array_equal(
            found.uncertainty.log_pvalues(found, effect),
            result.uncertainty.log_pvalues(result, effect),
        )


def test_the_intervals_of_a_sequence_come_back():
    sequence = ew.ConfidenceSequence(0.1, tuned_for=500, n_batches=20).update(sample(2000))
    result = sequence.result()
    found = EdgeTestResult.from_json(result.to_json())
    assert_equal(found, result)
    for level, scale, simultaneous in interval_arguments(result):
        np.testing.assert_array_equal(
            found.confidence_interval(level, scale, simultaneous),
            result.confidence_interval(level, scale, simultaneous),
        )


@pytest.mark.parametrize("asked", ASKED)
def test_every_result_fits_the_schema(asked, valid):
    method, options = ASKED[asked]
    assert valid(ask(method, **options).to_json())


def test_the_cases_are_what_they_are_called():
    method, options = ASKED["trace, finite"]
    assert math.isfinite(ask(method, **options).threshold)
    infinite = ask("trace", n=20)
    assert infinite.threshold == math.inf
    assert infinite.rows_needed > 20
    assert ask("score", correction=None).correction is None
    assert ask("whitened").standard_error is None
    assert isinstance(ask("whitened", **BOX).options["support"], list)


def test_the_schema_names_every_field(document):
    schema = EdgeTestResult.json_schema()
    known = {field.name for field in dataclasses.fields(EdgeTestResult)}
    assert set(schema["properties"]) == known | {
        *("format", "schema_version", "given", "interval_level", "interval_family", "edges")
    }
    assert schema["required"] == list(schema["properties"]) == list(document)
    assert schema["properties"]["schema_version"]["const"] == document["schema_version"]
    assert schema["$defs"]["edge"]["required"] == list(ew.Edge._fields)
    assert all("description" in field for field in schema["properties"].values())


def test_dropped_rows_are_counted():
    X = sample(500)
    X[:7, 0] = np.nan
    result = ew.edge_test(X, missing="drop")
    assert EdgeTestResult.from_json(result.to_json()).n_dropped == result.n_dropped == 7


def test_pvalues_below_the_smallest_number_survive():
    result = ask("fisher", n=100_000)
    assert result.log_pvalue[0, 1] < -1000
    found = EdgeTestResult.from_json(result.to_json())
    assert found.log_pvalue[0, 1] == result.log_pvalue[0, 1]
    assert found.pvalue[0, 1] == np.finfo(float).tiny


def test_cautions_come_back_as_texts(valid):
    result = ew.edge_test(sample(2000).cumsum(axis=0))
    assert len(result.cautions) >= 1
    text = result.to_json()
    assert json.loads(text)["cautions"] == list(result.cautions)
    assert valid(text)
    found = EdgeTestResult.from_json(text)
    assert found.cautions == result.cautions
    assert found.summary() == result.summary()


def test_files_without_cautions_are_read(result, changed):
    assert_equal(EdgeTestResult.from_json(changed(cautions=...)), result)


class TestOlderVersions:
    """Files of an older edgewise, which had no uncertainty in them, or another one."""

    @pytest.fixture
    def text(self, changed):
        return changed(schema_version=1, uncertainty=..., cautions=...)

    def test_is_read(self, result, text):
        found, nan = EdgeTestResult.from_json(text), math.nan
        assert found.uncertainty is None
        assert_equal(found, dataclasses.replace(result, uncertainty=None))
        without = [edge._replace(interval_low=nan, interval_high=nan) for edge in result.edges()]
        assert found.edges() == without
        assert found.summary() == result.summary()

    def test_has_no_intervals_and_says_why(self, text, refuses):
        found = EdgeTestResult.from_json(text)
        for arguments in ({}, {"scale": "partial_correlation"}, {"simultaneous": True}):
            refuses(
                lambda arguments=arguments: found.confidence_interval(**arguments),
                ew.ParameterError,
                "read from a file of an older edgewise, which has no intervals",
                "test the data again",
            )

    def test_can_be_written_again(self, text, valid):
        found = EdgeTestResult.from_json(text)
        again = found.to_json()
        assert json.loads(again)["uncertainty"] is None
        assert valid(again)
        assert_equal(EdgeTestResult.from_json(again), found)

    def test_that_of_version_two_is_of_another_kind_and_is_not_read(self, result, changed):
        found = EdgeTestResult.from_json(changed(schema_version=2, uncertainty={"kind": "old"}))
        assert found.uncertainty is None
        assert_equal(found, dataclasses.replace(result, uncertainty=None))

    def test_that_of_version_three_had_all_pairs_and_no_rows_in_its_edges(
        self, result, document, changed
    ):
        edges = [{k: v for k, v in edge.items() if k != "n_samples"} for edge in document["edges"]]
        found = EdgeTestResult.from_json(
            changed(schema_version=3, tested=..., given=..., edges=edges)
        )
        assert_equal(found, result)
        assert found.edges() == result.edges()

    def test_version_three_must_have_it(self, changed, refuses):
        text = changed(uncertainty=...)
        refuses(lambda: EdgeTestResult.from_json(text), DataError, "field 'uncertainty': expected")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("as_text", [True, False])
def test_from_a_file(tmp_path, result, mark, as_text):
    path = tmp_path / "naïve {}.json"
    path.write_bytes(mark + result.to_json(indent=2).encode())
    assert_equal(EdgeTestResult.from_json(str(path) if as_text else path), result)


def test_text_may_start_with_space(result):
    assert_equal(EdgeTestResult.from_json("\ufeff \n" + result.to_json()), result)


def test_further_fields_are_let_be(result, changed):
    assert_equal(EdgeTestResult.from_json(changed(comment="mine", edgewise="9")), result)


def test_numbers_without_a_point_are_numbers(changed):
    found = EdgeTestResult.from_json(changed(threshold=1, radius=0))
    assert (found.threshold, type(found.threshold)) == (1.0, float)
    assert (found.radius, type(found.radius)) == (0.0, float)


# What no test gives today, but a result may hold: any numbers, names and options.
numbers = st.floats(allow_nan=False) | st.just(math.nan)
matrices = hnp.arrays(np.float64, (3, 3), elements=numbers)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names = st.lists(st.text(st.characters()), min_size=3, max_size=3, unique=True).map(tuple)


@st.composite
def results(draw):
    upper = np.triu(draw(hnp.arrays(np.bool_, (3, 3))), k=1)
    whole = st.integers(0, 10**40)
    return EdgeTestResult(
        method=draw(st.text(st.characters())),
        alpha=draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
        correction=draw(st.none() | st.text()),
        options=draw(st.dictionaries(st.text(), plain | st.text(st.characters()), max_size=3)),
        n_samples=draw(st.integers(1, 10**40)),
        n_features=3,
        feature_names=draw(names),
        **{
            name: draw(matrices)
            for name in (
                *("covariance", "precision", "partial_correlation", "statistic"),
                *("log_pvalue", "pvalue", "adjusted_pvalue"),
            )
        },
        reject=upper | upper.T,
        threshold=draw(numbers | matrices),
        radius=draw(st.none() | numbers),
        rows_needed=draw(st.none() | whole),
        standard_error=draw(st.none() | matrices),
        partial_correlation_standard_error=draw(st.none() | matrices),
        n_dropped=draw(whole),
        cautions=draw(st.lists(st.text(st.characters()), max_size=3).map(tuple)),
    )


def same(one, other):
    """Equal, NaN being equal to itself."""
    both = isinstance(one, float) and isinstance(other, float)
    return one == other or (both and math.isnan(one) and math.isnan(other))


@given(results(), st.none() | st.integers(0, 2))
@settings(max_examples=60)
def test_any_result_comes_back(result, indent):
    text = result.to_json(indent)
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    text.encode("utf-8")
    found = EdgeTestResult.from_json(text)
    assert found.to_json(indent) == text
    for field in dataclasses.fields(result):
        one, other = getattr(found, field.name), getattr(result, field.name)
        if isinstance(other, np.ndarray):
            np.testing.assert_array_equal(one, other)
        else:
            assert same(one, other)


@given(result=results())
@settings(max_examples=20)
def test_any_result_fits_the_schema(valid, result):
    assert valid(result.to_json())


MATRIX = [[0.0] * 4 for _ in range(4)]
FALSE = [[False] * 4 for _ in range(4)]
WRONG = {
    "method": [3, None, ["score"], ...],
    "alpha": [0, 1, 5, "0.05", True, None, "NaN", [0.05], 10**400, ...],
    "correction": [1, False, ["holm"], ...],
    "options": [None, [], "mu", ...],
    "n_samples": [0, -1, 2.5, "400", True, None, ...],
    "n_features": [1, 0, -4, 3, 5, 10**400, 4.0, "4", True, None, ...],
    "feature_names": [None, "abcd", ["a", "b", "c", 4], list("abc"), list("abca"), ...],
    "covariance": [
        *(None, 1.0, "1", {}, [], [1.0] * 16, MATRIX[:3], [*MATRIX, MATRIX[0]]),
        *([*MATRIX[:3], [0.0] * 3], [*MATRIX[:3], [0.0] * 5], [*MATRIX[:3], 0.0]),
        *([*MATRIX[:3], [0.0, 0.0, 0.0, "1.0"]], [*MATRIX[:3], [0.0, 0.0, 0.0, True]]),
        *([*MATRIX[:3], [0.0, 0.0, 0.0, [0.0]]], [*MATRIX[:3], [0.0, 0.0, 0.0, 10**400]]),
        *([*MATRIX[:3], [0.0, 0.0, 0.0, "NaN"]], [*MATRIX[:3], [0.0, 0.0, 0.0, "nan"]], ...),
    ],
    "reject": [
        *(None, True, MATRIX, FALSE[:3], [*FALSE[:3], [False, False, False, None]], ...),
        *([[True] * 4] * 4, [[False, True, False, False], *FALSE[1:]]),
    ],
    "threshold": ["inf", True, {}, [0.5], MATRIX[:2], 10**400, ...],
    "radius": ["0.5", False, [0.5], ...],
    "rows_needed": [-1, 1.5, "many", True, ...],
    "standard_error": [0.5, [[0.5]], ...],
    "n_dropped": [-1, None, 0.5, ...],
    "uncertainty": ["none", 3, [], ...],
    "cautions": [None, "a", [3], {}],
    "edges": [None, [], {}, [[]] * 3, ...],
    "schema_version": [0, -1, 1.0, "1", True, None, ...],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in WRONG.items() for value in values],
    ids=lambda value: "missing" if value is ... else str(value)[:30],
)
def test_a_wrong_field_is_named(changed, refuses, name, value):
    # Where the number of variables is another, it is the names that do not fit.
    fits = name == "n_features" and type(value) is int and value >= 2
    about = "feature_names" if fits else name
    error = refuses(lambda: EdgeTestResult.from_json(changed(**{name: value})), DataError)
    assert f"field '{about}': expected" in str(error)
    assert len(str(error)) < 300


# What a schema cannot say: sizes that must agree, symmetry, numbers too large for a float.
BEYOND_THE_SCHEMA = ("n_features", "covariance", "threshold", "reject", "edges", "feature_names")


@pytest.mark.parametrize("name", sorted(set(WRONG) - set(BEYOND_THE_SCHEMA)))
def test_the_schema_refuses_wrong_fields_too(changed, valid, name):
    assert valid(changed())
    for value in WRONG[name]:
        # For a schema 4.0 and 1.0 are whole numbers.
        if value != 1.0 or value is True:
            assert not valid(changed(**{name: value})), value


def test_a_number_too_large_is_named(document, changed, refuses):
    text = changed().replace(str(document["covariance"][0][0]), "1e999")
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "'covariance'", "larger")
    text = changed(radius=12345.5).replace("12345.5", "-1e999")
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "'radius'")


@pytest.mark.parametrize(
    "text",
    [
        *("{", "{]", '{"format": "edgewise-result",}', "{} {}", '{"a": NaN}', '{"a": -Infinity}'),
        *('{"a": ' + "[" * 100_000, '{"a": ' + "9" * 5000 + "}", '{"a": "\x00"}'),
    ],
    ids=lambda text: repr(text)[:20],
)
def test_text_that_is_not_json(refuses, text):
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "is not JSON", "to_json")


@pytest.mark.parametrize(
    "content", ["{}", "[]", "3", "null", '"x"', '{"format": "gexf"}', '{"format": ["a"]}']
)
def test_json_of_something_else(tmp_path, refuses, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    refuses(lambda: EdgeTestResult.from_json(path), DataError, "not a result of edgewise", "x.json")


def test_a_newer_version(changed, refuses):
    text = changed(schema_version=8)
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "version 8", "upgrade edgewise")


def test_a_changed_number_is_found(document, changed, refuses):
    pvalue = copy.deepcopy(document["pvalue"])
    pvalue[0][1] = pvalue[1][0] = 0.01
    text = changed(pvalue=pvalue)
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "'edges'", "matrices")


@pytest.mark.parametrize("depth", [16, 100, 900])
def test_options_too_deep_to_write_again(changed, refuses, depth):
    text = changed(options={}).replace(
        '"options": {}', '"options": {"a": ' + "[" * depth + "]" * depth + "}"
    )
    refuses(lambda: EdgeTestResult.from_json(text), DataError, "'options'", "nested")


def test_a_file_that_is_not_utf8(tmp_path, refuses, result):
    path = tmp_path / "x.json"
    path.write_bytes(result.to_json().encode("utf-16"))
    refuses(lambda: EdgeTestResult.from_json(path), DataError, "not UTF-8", str(path))


@pytest.mark.parametrize("name", ["nowhere.json", "", "a\x00b", "[1, 2]", "two\nlines", "x" * 5000])
def test_a_file_that_is_not_there(tmp_path, monkeypatch, refuses, name):
    monkeypatch.chdir(tmp_path)
    error = refuses(lambda: EdgeTestResult.from_json(name), DataError, "cannot be read", "to_json")
    assert len(str(error)) < 300


def test_a_folder_is_not_a_file(tmp_path, refuses):
    refuses(lambda: EdgeTestResult.from_json(tmp_path), DataError, "cannot be read", str(tmp_path))


@pytest.mark.parametrize("source", [None, 3, b"{}", {}, []])
def test_neither_text_nor_path(refuses, source):
    refuses(lambda: EdgeTestResult.from_json(source), ew.DataTypeError, type(source).__name__)


anything = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([[], {}, [[]], [{}], 10**400, "Infinity", -1, [[1.0]]]).map(copy.deepcopy)
)


def places(value, at=()):
    """Every path into nested lists and objects."""
    yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


def read_or_refused(text):
    """The result, or None where it is refused in a sentence; any other error is a failure."""
    try:
        return EdgeTestResult.from_json(text)
    except EdgewiseError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 400
    return None


@given(data=st.data())
@settings(max_examples=300)
def test_a_mutated_document_is_read_or_refused(document, data):
    mutant = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        field = data.draw(st.sampled_from(sorted(mutant)))
        at = data.draw(st.sampled_from([(field, *at) for at in places(mutant[field])]))
        holder = mutant
        for key in at[:-1]:
            holder = holder[key]
        if data.draw(st.booleans()):
            holder[at[-1]] = data.draw(anything)
        else:
            del holder[at[-1]]
    found = read_or_refused(json.dumps(mutant))
    if found is not None:
        assert_equal(EdgeTestResult.from_json(found.to_json()), found)


@given(data=st.data())
@settings(max_examples=200)
def test_mutated_text_is_read_or_refused(result, data):
    text = result.to_json()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    with_other = text[:start] + data.draw(st.text(max_size=4)) + text[end:]
    read_or_refused(with_other)

"""JSON of results: every number comes back, and what is damaged or hostile is one sentence."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import math
import os
import random
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise import EdgeTestResult
from edgewise.errors import DataError, EdgewiseError, EdgewiseWarning
from edgewise.results.difference import EdgeDifferenceResult

BOX = {"support": (-60, 60), "radius": "hoeffding"}
#: A question for each kind of reference, radius and transfer, and what else a result may hold.
ASKED = {
    "score": {"method": "score", "alpha": 0.2, "correction": "bonferroni"},
    "score, effect": {"min_effect": 0.1},
    "normal": {"method": "elliptical", "correction": None},
    "student of each": {"method": "wald", "correction": "bh"},
    "student, exact": {"method": ew.methods.Fisher(), "given": ["x1"]},
    "student": {"method": ew.methods.Batch(n_batches=20)},
    "maxt": {"method": ew.methods.Batch(n_batches=20), "correction": "maxt"},
    "anytime": {"method": ew.methods.Sequential(n_batches=20)},
    "frobenius": {"method": ew.methods.Trace(standardize=True)},
    "infinite": {"method": "trace", "n": 20},
    "chi2": {"method": ew.methods.Whitened(radius="chi2")},
    "estimated": {"method": ew.methods.Whitened(radius="chi2", solver="matrix-free")},
    "spectral": {"method": ew.methods.Spectral(**BOX)},
    "bernstein": {"method": ew.methods.Whitened(support=(-60, 60), radius="bernstein")},
    "chebyshev": {"method": ew.methods.Whitened(radius="chebyshev", kurtosis=4)},
    "largest": {"method": ew.methods.Entrywise(n_batches=20)},
    "concordance": {"method": ew.methods.Kendall(radius="hoeffding")},
    "selection": {"method": "nodewise"},
    "pairs, missing": {"pairs": [("x0", "x1"), ("x2", "x3")], "holes": True},
    "given, maxt": {
        "given": ["x1"],
        "method": ew.methods.Batch(n_batches=20),
        "correction": "maxt",
    },
}


def rows(n=2000):
    X = np.random.default_rng(20).laplace(size=(n, 4))
    X[:, 1:] += 0.6 * X[:, :-1]
    return X


def ask(n=2000, holes=False, **options):
    X = rows(n)
    if holes:
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
        options["missing"] = "pairwise"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        return ew.edge_test(X, **options)


@pytest.fixture(scope="module")
def results():
    return {name: ask(**options) for name, options in ASKED.items()}


@pytest.fixture(scope="module")
def groups():
    return [rows()[:600], rows()[600:1400] * 2]


@pytest.fixture(scope="module")
def kinds(results, groups):
    """One of everything that is written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        return {
            "result": results["score"],
            "difference": ew.compare_groups(*groups, method="batch"),
            "permutations": ew.compare_groups(*groups, permutations=59),
            "differences": ew.compare_groups(rows(), by=np.arange(2000) // 500),
            "pair": ew.partial_test(rows(), "x0", "x1", given=["x2"]),
        }


@pytest.fixture(scope="module")
def documents(results):
    found = {name: json.loads(result.to_json()) for name, result in results.items()}
    maxt, largest = (found[name]["measurement"]["uncertainty"] for name in ("maxt", "largest"))
    for part in (maxt, largest["radius"]):
        part["maxima"] = part["maxima"][::100]
    return found


def assert_same(found, expected, at=""):
    """Data all the way down: the same kinds, the same numbers, frozen arrays in the result."""
    assert isinstance(expected, type(found)), at
    if dataclasses.is_dataclass(expected):
        for field in dataclasses.fields(expected):
            one, other = getattr(found, field.name), getattr(expected, field.name)
            if field.name not in ("options", "residual_map"):
                assert_same(one, other, f"{at}.{field.name}")
            if at == ".measurement.estimate" and field.name == "covariance":
                assert not one.flags.writeable
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, at)
    elif isinstance(expected, tuple | list):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, f"{at}[]")
    elif isinstance(expected, dict):
        for name, other in expected.items():
            assert_same(found[name], other, f"{at}.{name}")
    else:
        assert found == expected, at


@pytest.mark.exactness
def test_every_result_comes_back_to_the_last_bit(results):
    for name, result in results.items():
        text = result.to_json()
        json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
        found = EdgeTestResult.from_json(text)
        assert_same(found, result)
        assert found.to_json() == text, name
        assert found.options.keys() == result.options.keys()
        np.testing.assert_equal(found.edges(), result.edges())
        assert found.summary() == result.summary()
        levels = (0.9, 0.999999) if result.method == "trace" else (0.01, 0.95, 0.999999)
        scales = ("precision", "partial_correlation")
        for level, scale, at_once in itertools.product(levels, scales, (False, True)):
            np.testing.assert_array_equal(
                found.confidence_interval(level, scale, at_once),
                result.confidence_interval(level, scale, at_once),
            )
        for effect in ((0.0, "precision"), (0.2, "partial_correlation")):
            np.testing.assert_array_equal(
                found.uncertainty.log_pvalues(found, *effect),
                result.uncertainty.log_pvalues(result, *effect),
            )


def test_the_questions_have_every_kind(documents):
    def found(value):
        if isinstance(value, dict):
            yield from (value["kind"] for _ in "1" if "kind" in value)
            yield from (kind for inner in value.values() for kind in found(inner))

    from edgewise.results.serialize import _KINDS

    written = {
        kind
        for document in documents.values()
        for kind in found(document["measurement"]["uncertainty"])
    }
    assert written >= {kind.__name__ for kinds in _KINDS.values() for kind in kinds}
    assert documents["infinite"]["decision"]["radius"] > 0
    assert documents["infinite"]["decision"]["rows_needed"] > 20
    assert documents["normal"]["measurement"]["statistic"][0][0] == "Infinity"


def test_every_kind_of_result_is_written_whole_and_read(kinds, tmp_path):
    path = tmp_path / "naïve {}.json"
    for name, result in kinds.items():
        assert result.to_json(path, indent=2) is None
        assert path.read_text("utf-8") == result.to_json(indent=2) + "\n"
        assert result.to_json(os.fspath(path)) is None
        assert path.read_text("utf-8") == result.to_json() + "\n"
        if name == "pair":
            continue
        for mark in (b"", b"\xef\xbb\xbf"):
            path.write_bytes(mark + result.to_json(indent=1).encode())
            for source in (path, str(path), "\ufeff \n" + result.to_json()):
                found = type(result).from_json(source)
                assert_same(found, result)
                assert found.to_json() == result.to_json()
    for one in kinds["permutations"], kinds["difference"]:
        found = type(one).from_json(one.to_json())
        for scale, at_once in itertools.product(("fisher_z", "partial_correlation"), (False, True)):
            np.testing.assert_array_equal(
                one.confidence_interval(0.9, scale, at_once),
                found.confidence_interval(0.9, scale, at_once),
            )


def test_matrices_of_fewer_digits(results):
    for name, result in results.items():
        text = result.to_json(digits=7)
        found = EdgeTestResult.from_json(text)
        assert len(text) < len(result.to_json())
        for matrix in ("covariance", "precision", "partial_correlation", "statistic"):
            one, other = getattr(found, matrix), getattr(result, matrix)
            np.testing.assert_allclose(one, other, rtol=1e-6, err_msg=name)
        np.testing.assert_array_equal(found.reject, result.reject)


def test_of_a_symmetric_matrix_rows_start_on_the_diagonal(results):
    document = json.loads(results["score"].to_json())
    rows = document["measurement"]["estimate"]["covariance"]
    assert [*map(len, rows)] == [4, 3, 2, 1]
    expected = results["score"].covariance
    assert rows[1] == expected[1, 1:].tolist()
    document["measurement"]["estimate"]["covariance"] = expected.tolist()
    assert_same(EdgeTestResult.from_json(json.dumps(document)), results["score"])


def test_values_that_json_lacks(results):
    options = {"a": math.inf, "b": [math.nan, np.float64(0.1)], "c": np.arange(2), "d": "\0"}
    names = ("\ud800", "b\u2028", "😀", '"')
    result = results["normal"].with_measured(options=options, feature_names=names)
    text = result.to_json()
    text.encode("utf-8")
    found = EdgeTestResult.from_json(text)
    assert found.feature_names == names
    assert found.options == {"a": "Infinity", "b": ["NaN", 0.1], "c": [0, 1], "d": "\0"}
    decision = dataclasses.replace(result.decision, log_pvalue=result.decision.log_pvalue * 1e4)
    tiny = dataclasses.replace(result, decision=decision)
    assert EdgeTestResult.from_json(tiny.to_json()).log_pvalue[0, 1] == tiny.log_pvalue[0, 1]


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


def four(value):
    return [[value] * 4 for _ in range(4)]


def with_entry(matrix, value, i=0, j=1):
    return [
        [value if (a, b) == (i, j) else x for b, x in enumerate(r)] for a, r in enumerate(matrix)
    ]


HUGE = 10**400
FALSE = four(0)
AT = ("measurement", "uncertainty")
#: Values of the right type that no result can have.
OUT_OF_RANGE = {
    ("score", "question", "alpha"): [0, 1, 5, "NaN", HUGE],
    ("score", "n_features"): [1, -1, 10**12, "4", None, 4.0, ...],
    ("score", "measurement", "feature_names"): [["a", "b", "c", 4], list("abc"), list("abca")],
    ("score", "measurement", "estimate", "n_samples"): [0, -1, 2.5, HUGE, 2**53 + 1, "NaN"],
    ("score", "measurement", "estimate", "covariance"): [
        *(four(0.1)[:3], [[0.1] * 3] * 4, four(True), [*four(0.0), [0.0] * 4]),
        *(with_entry(four(0.0), HUGE), with_entry(four(0.0), "nan"), with_entry(four(0.0), 1.0)),
    ],
    ("score", "measurement", "estimate", "partial_correlation"): [four(None), four(1.5)],
    ("score", "decision", "log_pvalue"): [[None] * 6, [0.5] * 6, ["Infinity"] * 6, [-1.0] * 5],
    ("score", "decision", "reject"): [[0.5] * 6, [0] * 5, [2] * 6, [False] * 6, [None] * 6],
    ("score", "decision", "tested"): [FALSE, four(1), four(2), with_entry(FALSE, 1)],
    ("score", "decision", "rows_needed"): [-1, 1.5, True],
    ("score", "decision", "threshold"): [0.5, [0.5], FALSE],
    ("score", "decision", "log_level"): [1.0],
    ("score", "measurement", "cautions"): [[3], [{"text": "a"}]],
    ("score", "measurement", "provenance", "files"): [[{"path": "a", "rows": -1}], [{}]],
    ("score", "measurement", "provenance", "n_missing"): [[1], [-1] * 4, ["1"] * 4],
    ("score", *AT, "degrees"): [-1, 0, four(0.0), four(None)[:2]],
    ("pairs, missing", "measurement", "provenance", "pair_rows"): [
        *(four(0.5), four(-1), four(2**60)),
    ],
    ("selection", "measurement", "selection", "neighbours"): [
        *([], [[1]] * 3, [[9], [], [], []], [[0], [], [], []], [[2, 1], [], [], []]),
    ],
    ("selection", "measurement", "selection", "penalty"): [0, -1],
    ("normal", *AT, "kind"): ["perEdge", "Student", "os.system", ["Bound"]],
    ("normal", *AT, "maxima"): [[], ["x"], [-1.0], [[1.0]]],
    ("student of each", *AT, "reference", "df"): [four(0.0)],
    ("student", *AT, "reference", "df"): [0, -1, "NaN", "Infinity"],
    ("anytime", *AT, "reference", "rho2"): [0, "Infinity"],
    ("frobenius", *AT, "radius", "variance"): [-1, "NaN"],
    ("frobenius", *AT, "transfer", "mu"): [0, -1, "Infinity"],
    ("frobenius", *AT, "transfer", "eigenvalues"): [[1.0] * 3, [], [[1.0]] * 4, [HUGE] * 4],
    ("chi2", *AT, "radius", "spectrum"): [[-1.0], [1e-305], [1e308]],
    ("estimated", *AT, "radius", "counts"): [[1e9], [1.0], [None] * 3],
    ("estimated", *AT, "radius", "slack"): [-1, "NaN"],
    ("spectral", *AT, "radius", "unit"): [0],
    ("spectral", *AT, "radius", "independent_pairs"): [0],
    ("bernstein", *AT, "radius", "reach"): [[2.0] * 4, [-1.0] * 4],
    ("bernstein", *AT, "radius", "covariance"): [four(2.0)],
    ("bernstein", *AT, "radius", "scale"): [four(1e200), four(-1.0)],
    ("chebyshev", *AT, "transfer", "diagonal"): [[1.0] * 3, [-1.0] * 4],
    ("largest", *AT, "radius", "maxima"): [[-1.0]],
    ("largest", *AT, "transfer", "errors"): [four(0.0)],
    ("concordance", *AT, "radius", "offset"): [-1, "NaN"],
}


def fields_of(value, at=()):
    """Every field, as a path: of objects, and of the first object in a list."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield from fields_of(value[0], (*at, 0))
    elif isinstance(value, dict) and at[-1:] != ("options",):
        for name, inner in value.items():
            if name not in ("kind", "text"):
                yield (*at, name)
                yield from fields_of(inner, (*at, name))


def wrong_types(documents):
    """Every field once without a value, and with values of other types."""
    seen = set()
    for name, document in documents.items():
        asked = {key: document[key] for key in ("question", "measurement", "decision")}
        for path in fields_of(asked):
            value = asked
            for key in path:
                value = value[key]
            kind = (
                "text" if isinstance(value, str) and value not in ("NaN", "Infinity") else "other"
            )
            kind = "none" if value is None else kind
            if (path, kind) not in seen:
                seen.add((path, kind))
                wrong = {"none": [], "text": [[3], 3], "other": ["x"]}[kind]
                yield (name, *path), [..., *wrong, *[{"a": 1}] * (path[-1] != "options")]


def test_a_wrong_value_is_named(documents):
    faults = []
    for (name, *path), values in (*OUT_OF_RANGE.items(), *wrong_types(documents)):
        for value in values:
            text = changed(documents[name], path, value)
            try:
                EdgeTestResult.from_json(text)
                faults.append(f"{name}, {path}: {str(value)[:50]} was read")
            except DataError as error:
                said = str(error)
                right = "field '" in said and (str(path[-1]) in said or "uncertainty" in said)
                if not right or len(said) > 300 or "\n" in said:
                    faults.append(f"{name}, {path}: {said}")
    assert not faults, "\n".join(faults)


def test_a_wrong_value_of_a_comparison_is_named(kinds, refuses):
    document = json.loads(kinds["permutations"].to_json())
    one = ("compared", 0)
    wrong = {
        ("compared",): [None, {}, [], [3], [{}]],
        ("permutations",): [0, 1.5, "x"],
        (*one, "groups", "names"): [["a"], ["a", 3], "ab"],
        (*one, "groups", "first", "estimate", "n_samples"): [0, "3", [1]],
        (*one, "log_global"): ["NaN", 1.5, None],
        (*one, "log_pvalue"): [[None] * 5, [2.0] * 6],
        (*one, "uncertainty"): [{}, None],
        (*one, "uncertainty", "first", "standard_error"): [four(-1.0), four(0.5)[:3]],
        (*one, "uncertainty", "second", "degrees"): [four(0.0)],
        (*one, "uncertainty", "permuted", "each"): [[[1.0]], [], [[1.0] * 6, [1.0]]],
    }
    for path, values in wrong.items():
        for value in values:
            text = changed(document, path, value)
            read = lambda text=text: EdgeDifferenceResult.from_json(text)  # noqa: E731
            refuses(read, DataError, path[-1] if value else "field")
    refuses(lambda: ew.EdgeTestResult.from_json(json.dumps(document)), DataError, "not a result")


def test_text_that_is_not_a_result(tmp_path, monkeypatch, refuses, documents):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.json"

    def refused(source, *words):
        error = refuses(lambda: EdgeTestResult.from_json(source), EdgewiseError, *words)
        assert len(str(error)) < 300
        assert "\n" not in str(error)

    for text in (
        *("{", "{]", '{"format": "edgewise result 3",}', "{} {}", '{"a": NaN}', '{"a": -Infinity}'),
        *('{"a": ' + "[" * 100_000, '{"a": ' + "9" * 5000 + "}", '{"a": "\x00"}'),
    ):
        refused(text, "is not JSON", "to_json")
    for text in ("{}", "[]", "3", "null", '"x"', '{"format": ["a"]}', '{"format": "edgewise 0"}'):
        path.write_text(text)
        refused(path, "not a result that this edgewise reads", "'edgewise result 3'", "x.json")
    path.write_bytes(json.dumps(documents["score"]).encode("utf-16"))
    refused(path, "not UTF-8", str(path))
    for name in ("nowhere", "", "a\x00b", "[1, 2]", "two\nlines", "x" * 5000, tmp_path):
        refused(name, "cannot be read", "to_json")
    for source in (None, 3, b"{}", {}, []):
        refused(source, type(source).__name__)
    for depth in (16, 100, 900):
        nested = "[" * depth + "]" * depth
        text = changed(documents["score"], ("measurement", "options"), {"a": "?"}).replace(
            '"?"', nested
        )
        refused(text, "options'", "nested")
    text = changed(documents["score"], ("decision", "radius"), 12345.5)
    refused(text.replace("12345.5", "-1e999"), "radius'", "1.8e308")
    refused(
        text.replace(
            str(documents["score"]["measurement"]["estimate"]["covariance"][0][0]), "1e999"
        ),
        "covariance'",
    )


ANYTHING = [None, True, 0, -1, 1, 5, 10**17, 0.5, 1e-320, 1e300, "", "a", "Infinity", "NaN", ...]
ANYTHING += [[], {}, [[]], [{}], [[1.0]], HUGE]


def places(value, at=()):
    """Every path into nested lists and objects."""
    yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


def read_or_refused(text):
    """Whether it is read and comes back, or is refused in a sentence."""
    try:
        found = EdgeTestResult.from_json(text)
    except EdgewiseError as error:
        said = str(error)
        return said.isprintable() and len(said) < 400
    assert_same(EdgeTestResult.from_json(found.to_json()), found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return bool(found.summary())


def test_mutated_documents_are_read_or_refused(documents):
    rng = random.Random(0)
    for _ in range(400):
        mutant = documents[rng.choice(sorted(documents))]
        for _ in range(rng.randint(1, 3)):
            field = rng.choice(sorted(mutant))
            at = rng.choice([(field, *at) for at in places(mutant[field])])
            mutant = json.loads(changed(mutant, at, rng.choice(ANYTHING)))
        assert read_or_refused(json.dumps(mutant)), (field, at)
        text = json.dumps(mutant)
        start = rng.randrange(len(text))
        assert read_or_refused(text[:start] + rng.choice(',:]}"0e\0') + text[start + 9 :]), start
        assert read_or_refused("{" + text[1:start]), start

"""The result of a comparison: frozen, the same through JSON, and plain to read."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.simulate import make_chain_precision, sample


@pytest.fixture(scope="module")
def groups():
    return [
        sample("t5", make_chain_precision(4, -rho), 400, rng=seed)
        for seed, rho in ((1, 0.4), (2, 0.0))
    ]


@pytest.fixture(scope="module", params=["wald", "permuted", "batch", "fisher"])
def result(groups, request):
    options = {"method": request.param}
    if request.param == "permuted":
        options = {"permutations": 59}
    return ew.compare_groups(*groups, group_names=("drug", "placebo"), **options)


@pytest.fixture(scope="module")
def several(groups):
    return ew.compare_groups(np.concatenate(groups), by=np.arange(800) // 200)


def test_it_is_frozen(result):
    with pytest.raises(FrozenInstanceError):
        result.alpha = 0.1
    with pytest.raises(ValueError, match="read-only"):
        result.pvalue[0, 1] = 0.0


class TestJson:
    def test_everything_comes_back(self, result):
        again = ew.EdgeDifferenceResult.from_json(result.to_json())
        for known in fields(result):
            if known.name == "uncertainty":
                continue
            value, other = getattr(result, known.name), getattr(again, known.name)
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(value, other)
            else:
                assert value == other, known.name
        for level, scale, simultaneous in (
            (0.95, "partial_correlation", True),
            (0.99, "fisher_z", False),
            (0.9, "partial_correlation", False),
        ):
            np.testing.assert_array_equal(
                result.confidence_interval(level, scale, simultaneous),
                again.confidence_interval(level, scale, simultaneous),
            )
        assert again.to_json() == result.to_json()

    def test_from_a_file(self, result, tmp_path):
        path = tmp_path / "difference.json"
        path.write_text(result.to_json(indent=1), encoding="utf-8")
        assert ew.EdgeDifferenceResult.from_json(path).n_edges == result.n_edges

    def test_it_fits_the_schema(self, result, require):
        jsonschema, schema = require("jsonschema"), ew.EdgeDifferenceResult.json_schema()
        document = json.loads(result.to_json())
        jsonschema.Draft202012Validator(schema).validate(document)
        assert set(document) == set(schema["properties"])

    def test_several(self, several, tmp_path):
        path = tmp_path / "levels.json"
        path.write_text(several.to_json(), encoding="utf-8")
        again = ew.EdgeDifferences.from_json(path)
        assert repr(again) == repr(several)
        assert again.global_pvalue == several.global_pvalue
        assert again.to_json() == several.to_json()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("group_names", ["a"]),
            ("n_samples", [0, 1]),
            ("n_dropped", 3),
            ("alpha", 2),
            ("statistic", [[None] * 4] * 4),
            ("edges", []),
            ("uncertainty", {}),
            ("global_pvalue", 1.5),
            ("schema_version", 3),
            ("files", [[]]),
            ("files", [[], [{"path": "a.csv", "rows": -1}]]),
            ("format", "edgewise-result"),
            ("reject", [[True] * 4] * 4),
        ],
    )
    def test_a_wrong_field_is_named(self, groups, refuses, name, value):
        document = json.loads(ew.compare_groups(*groups).to_json()) | {name: value}
        words = {"schema_version": "version 3", "format": "edgewise-difference"}
        refuses(
            lambda: ew.EdgeDifferenceResult.from_json(json.dumps(document)),
            DataError,
            words.get(name, repr(name)),
        )

    def test_files(self, groups, tmp_path):
        paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
        for path, rows in zip(paths, groups, strict=True):
            np.save(path, rows)
        result = ew.compare_groups(*paths)
        again = ew.EdgeDifferenceResult.from_json(result.to_json())
        assert again.files == result.files == tuple(((str(path), 400),) for path in paths)
        by = ew.compare_groups(paths, by=np.arange(800) % 2)
        assert by.files == (tuple((str(path), 400) for path in paths),) * 2

    def test_version_1_has_no_files(self, groups):
        document = json.loads(ew.compare_groups(*groups).to_json()) | {"schema_version": 1}
        del document["files"]
        assert ew.EdgeDifferenceResult.from_json(json.dumps(document)).files == ((), ())

    def test_permutations_are_checked(self, groups, refuses):
        document = json.loads(ew.compare_groups(*groups, permutations=59).to_json())
        document["uncertainty"]["permuted"]["each"][0] = [1.0]
        refuses(
            lambda: ew.EdgeDifferenceResult.from_json(json.dumps(document)), DataError, "'each'"
        )


def test_tables(result, require):
    frame = result.to_frame("pandas")
    assert [*frame.columns] == [*ew.EdgeDifference._fields]
    assert len(frame) == 6
    assert frame["reject"].sum() == result.n_edges
    np.testing.assert_allclose(
        frame["difference"], frame["partial_correlation_a"] - frame["partial_correlation_b"]
    )
    assert (frame["interval_low"] <= frame["difference"]).all()
    assert (frame["difference"] <= frame["interval_high"]).all()


def test_words(result):
    assert "of 6 pairs among 4 variables differ between 'drug' (400 rows)" in result.headline()
    assert result.headline() == result.summary().splitlines()[0]
    assert "That any pair differs: p " in result.summary()
    assert f"differing={result.n_edges}" in repr(result)


def test_nothing_differs(groups):
    halves = groups[0][:200].copy(), groups[0][200:].copy()
    result = ew.compare_groups(*halves)
    assert result.n_edges == 0
    assert "No pair differs. The smallest p-value is that of " in result.summary()


def test_many_pairs_are_cut_short():
    X = sample("gaussian", make_chain_precision(30, -0.45), 1000, rng=0)
    result = ew.compare_groups(X, np.random.default_rng(1).standard_normal(X.shape))
    assert result.n_edges > 10
    assert result.summary().splitlines()[-1] == f"  … and {result.n_edges - 10} more"


def test_wrong_questions(result, refuses):
    refuses(lambda: result.confidence_interval(1.0), ParameterError, "level")
    refuses(lambda: result.confidence_interval(scale="precision"), ParameterError, "scale")

"""`edgewise test STATE`: what was accumulated is tested without its rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import edgewise as ew

NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def saved(tmp_path_factory, rows):
    """A state of every kind, by the name of the kind."""
    folder = tmp_path_factory.mktemp("states")
    sequence = ew.ConfidenceSequence(n_batches=10)
    sequence.state.feature_names = NAMES
    states = {
        "moments": ew.Moments(feature_names=NAMES),
        "second": ew.Moments(order=2, feature_names=NAMES),
        "batches": ew.BatchMoments(10, feature_names=NAMES),
        "unnamed": ew.BatchMoments(10),
        "sequence": sequence,
    }
    for name, state in states.items():
        state.update(rows).save(folder / f"{name}.ews")
    return {name: folder / f"{name}.ews" for name in states}


def document(done):
    return json.loads(done.stdout)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize(
    ("name", "arguments", "method"),
    [
        ("moments", [], "trace"),
        ("moments", ["--method", "trace", "--mu", "0.5"], "trace"),
        ("moments", ["--method", "spectral"], "spectral"),
        ("moments", ["--method", "fisher", "--alpha", "0.2"], "fisher"),
        ("second", ["--method", "fisher"], "fisher"),
        ("batches", [], "batch"),
        ("batches", ["--correction", "maxt"], "batch"),
        ("batches", ["--method", "fisher"], "fisher"),
        ("sequence", [], "sequential"),
        ("sequence", ["--method", "sequential", "--alpha", "0.2"], "sequential"),
    ],
)
def test_is_edge_test_of_the_state(run_edgewise, saved, name, arguments, method):
    found = document(run_edgewise("test", saved[name], "--json", "-", *arguments))
    options = {
        **({"correction": "maxt"} if "maxt" in arguments else {}),
        "alpha": 0.2 if "--alpha" in arguments else 0.05,
        **({"mu": 0.5} if "--mu" in arguments else {}),
    }
    expected = ew.edge_test(ew.load_state(saved[name]), method=method, **options)
    # To the last bit: two processes do the same, on the same CPU with the same BLAS.
    assert found == json.loads(expected.to_json())
    assert (found["method"], found["n_samples"]) == (method, 400)
    assert found["feature_names"] == list(NAMES)


def test_a_sequence_is_tested_by_its_own_test(run_edgewise, saved):
    """Which holds at every look, as `result()` does."""
    found = document(
        run_edgewise("test", saved["sequence"], "--correction", "bonferroni", "--json", "-")
    )
    assert found == json.loads(ew.ConfidenceSequence.load(saved["sequence"]).result().to_json())
    refused = run_edgewise("test", saved["sequence"], "--method", "batch", status=2)
    assert "expected 'sequential' for a ConfidenceSequence, got 'batch'" in refused.stderr


def test_columns_without_names(run_edgewise, saved):
    found = document(run_edgewise("test", saved["unnamed"], "--json", "-"))
    assert found["feature_names"] == ["x0", "x1", "x2", "x3"]


def test_equals_testing_the_rows(tmp_path, run_edgewise, rows, csv_file):
    run_edgewise("accumulate", csv_file, "-o", tmp_path / "x.ews", "--kind", "moments")
    state, data = (
        document(run_edgewise("test", path, "--method", "fisher", "--json", "-"))
        for path in (tmp_path / "x.ews", csv_file)
    )
    assert state["reject"] == data["reject"]
    for field in ("partial_correlation", "precision"):
        np.testing.assert_allclose(state[field], data[field], rtol=1e-11, atol=1e-13)


def test_the_screen_and_the_files(tmp_path, run_edgewise, saved):
    done = run_edgewise("test", saved["batches"], "--csv", tmp_path / "edges.csv", "-v")
    assert "method 'batch'" in done.stdout.splitlines()[0]
    assert "a" in done.stdout
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("peak memory ")
    assert all(line.startswith("edgewise: ") for line in lines[:-1])
    assert len((tmp_path / "edges.csv").read_text().splitlines()) == 2 + 6


class TestRefusals:
    @pytest.mark.parametrize("option", ["--columns", "--exclude"])
    def test_a_state_has_no_columns_to_choose(self, run_edgewise, saved, option):
        done = run_edgewise("test", saved["moments"], option, "a,b", status=2)
        assert "a state has none left" in done.stderr
        assert done.stdout == ""

    @pytest.mark.parametrize(
        ("name", "method"),
        [
            ("moments", "score"),
            ("moments", "batch"),
            ("batches", "score"),
            ("batches", "trace"),
            ("sequence", "eig"),
            ("sequence", "batch"),
            ("sequence", "fisher"),
            ("moments", "sequential"),
            ("second", "trace"),
        ],
    )
    def test_a_method_that_a_state_cannot_serve(self, run_edgewise, saved, name, method):
        done = run_edgewise("test", saved[name], "--method", method, status=None)
        assert done.returncode in (1, 2)
        (line,) = done.stderr.splitlines()
        assert line.startswith("edgewise: ")
        assert done.stdout == ""

    def test_several_states(self, run_edgewise, saved):
        done = run_edgewise("test", saved["moments"], saved["second"], status=1)
        assert "takes a single state, `edgewise merge` several" in done.stderr

    def test_a_damaged_state(self, tmp_path, run_edgewise, saved):
        path = tmp_path / "x.ews"
        path.write_bytes(saved["moments"].read_bytes()[:-5])
        done = run_edgewise("test", path, status=1)
        assert done.stderr.startswith(f"edgewise: state file '{path}' is damaged")
        assert len(done.stderr.splitlines()) == 1

    def test_a_state_of_no_rows(self, tmp_path, run_edgewise):
        for state in (ew.Moments(), ew.BatchMoments(), ew.ConfidenceSequence()):
            state.save(tmp_path / "x.ews")
            done = run_edgewise("test", tmp_path / "x.ews", status=1)
            (line,) = done.stderr.splitlines()
            assert line.startswith("edgewise: ")

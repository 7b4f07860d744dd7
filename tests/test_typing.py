"""Type hints as users see them: mypy --strict on their code, against the installed package."""

from __future__ import annotations

import runpy
import subprocess
import sys

RIGHT = """
from typing import assert_type

import numpy as np
import numpy.typing as npt

import edgewise as ew
from edgewise.api.compare_methods import Comparison
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.diagnosis import Diagnosis
from edgewise.results.result import Edge
from edgewise.api.null import NullComparison
from edgewise.api.plan import SamplePlan

X = np.random.default_rng(0).standard_normal((400, 3))

result = ew.edge_test(X, method="score", alpha=0.05, correction="holm")
assert_type(result, ew.EdgeTestResult)
assert_type(result.feature_names, tuple[str, ...])
assert_type(result.precision, npt.NDArray[np.float64])
assert_type(result.adjusted_pvalue, npt.NDArray[np.float64])
assert_type(result.reject, npt.NDArray[np.bool_])
assert_type(result.threshold, float | npt.NDArray[np.float64])
assert_type(result.rows_needed, int | None)
assert_type(result.edges(), list[Edge])
for edge in result.edges():
    assert_type(edge.source, str)
    assert_type(edge.partial_correlation, float)
assert_type(result.to_json(), str)
assert_type(ew.EdgeTestResult.from_json(result.to_json()), ew.EdgeTestResult)

interval = result.confidence_interval(scale="partial_correlation", simultaneous=True)
assert_type(interval, ConfidenceInterval)
low, high = interval
assert_type(low, npt.NDArray[np.float64])

estimator = ew.EdgeTest(method="batch").fit(X)
assert_type(estimator, ew.EdgeTest)
assert_type(estimator.result_, ew.EdgeTestResult)
assert_type(estimator.adjacency_, npt.NDArray[np.bool_])

assert_type(
    ew.accumulate(X),
    ew.states.Moments | ew.states.BatchMoments | ew.states.PairwiseMoments | ew.states.ConcordanceMoments,
)
moments, batches = ew.states.Moments().update(X), ew.states.BatchMoments(20).update(X)
assert_type(moments + moments.copy(), ew.states.Moments)
assert_type(moments.covariance(), npt.NDArray[np.float64])
assert_type(batches.n_features, int | None)
batches.save("rows.state")
assert_type(ew.states.BatchMoments.load("rows.state"), ew.states.BatchMoments)
assert_type(
    ew.load_state("rows.state"),
    ew.states.Moments
    | ew.states.BatchMoments
    | ew.states.ConcordanceMoments
    | ew.states.PairwiseMoments
    | ew.ConfidenceSequence,
)

sequence = ew.ConfidenceSequence(alpha=0.05, tuned_for=400).update(X)
assert_type(sequence.result(), ew.EdgeTestResult)

method = ew.methods.Batch(n_batches=50)
assert_type(ew.edge_test(X, method=method), ew.EdgeTestResult)
assert_type(ew.EdgeTest(method=ew.methods.Whitened(radius="chi2")).fit(X), ew.EdgeTest)

lines = ew.compare_methods(X, methods=["score", ew.methods.Trace(standardize=True)])
assert_type(lines, list[Comparison])
assert_type(lines[0].result, ew.EdgeTestResult | None)
nulls = ew.check_null(X, methods=["fisher"], n_shuffles=2)
assert_type(nulls, list[NullComparison])
facts = ew.diagnose(X)
assert_type(facts, Diagnosis)

plan = ew.plan_sample_size(X, effect=0.1, method=ew.methods.Score())
assert_type(plan, SamplePlan)

assert_type(ew.datasets.load_sachs_consensus(), list[tuple[str, str]])
assert_type(ew.covariance_of_covariance(X), npt.NDArray[np.float64])
"""

# Each line is a mistake, and what must be said about it.
WRONG = {
    "import edgewise as ew": None,
    "result = ew.edge_test([[0.0, 1.0]], alpha='small')": 'has incompatible type "str"',
    "result.edgse()": 'has no attribute "edgse"',
    "result.alpha = 0.1": "read-only",
    "result.confidence_interval(scale='correlation')": "Literal['correlation']",
    "ew.states.BatchMoments(2) + ew.states.Moments()": "Unsupported operand types",
    "ew.plan_sample_size([[0.0, 1.0]])": 'Missing named argument "effect"',
    "ew.methods.Batch(n_batches='many')": 'has incompatible type "str"',
    "ew.methods.Score(n_batches=2)": 'Unexpected keyword argument "n_batches"',
    "ew.methods.Batch().n_batches = 3": "read-only",
    "ew.edge_test([[0.0, 1.0]], method=ew.methods.Batch)": 'has incompatible type "type[Batch]"',
    "ew.edgetest": 'Module has no attribute "edgetest"',
    "n: str = ew.states.Moments().n_samples": 'variable has type "str"',
}


def test_mypy(tmp_path, require, request, monkeypatch):
    """One test, because mypy starts slowly; without a configuration, as in a user's folder."""
    require("mypy")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text("\n".join(WRONG))
    kept = getattr(request.config, "cache", None)
    cache = tmp_path / "cache" if kept is None else kept.mkdir("mypy")
    options = ("--strict", "--no-error-summary", "--no-pretty", "--cache-dir", str(cache))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "right.py", "wrong.py"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("right.py")] == []
    for number, (code, complaint) in enumerate(WRONG.items(), 1):
        errors = [line for line in said if line.startswith(f"wrong.py:{number}: error")]
        assert len(errors) == (complaint is not None), (code, errors)
        assert complaint is None or complaint in errors[0], (code, errors)
    assert {line.split(":")[0] for line in said} == {"wrong.py"}, "our own errors reach users"
    monkeypatch.chdir(tmp_path)
    runpy.run_path("right.py")

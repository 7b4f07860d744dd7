"""A new method is one file and one line: every front of the package then has it."""

import sys

import numpy as np
import pytest

import edgewise as ew
import edgewise.methods
from edgewise.errors import ParameterError
from edgewise.methods import registry

FILE = '''"""Fisher's z over the spread of halves, thirds, …: a method for a test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise.inference.references import Student
from edgewise.inference.uncertainty import PerEdge, floored_spread
from edgewise.methods.method import Assumes, Method, option


@dataclass(frozen=True)
class Plain(Method):
    """Gaussian standard errors, times a factor.

    Parameters
    ----------
    widening : float
        The factor.
    """

    widening: float = option(1.0, "What standard errors are multiplied by.", kind=float)

    name: ClassVar[str] = "plain"
    guarantee: ClassVar[str] = "per edge, for a test"
    condition: ClassVar[str] = "independent Gaussian rows"
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.GAUSSIAN_ROWS

    def measure(self, sample):
        estimate = self.estimate(sample)
        rho = estimate.partial_correlation
        nothing = np.zeros_like(rho)
        spread = floored_spread(estimate, nothing, nothing)
        spread = type(spread)(spread.precision, spread.fisher_z * self.widening)
        own = PerEdge(spread, Student(estimate.n_samples - len(rho)))
        options = {"widening": self.widening}
        return self.measurement(sample, estimate, own.statistic(rho), own, options=options)

'''


@pytest.fixture
def plain(tmp_path, monkeypatch):
    """The file, found among the methods, and the line."""
    (tmp_path / "plain.py").write_text(FILE)
    monkeypatch.setattr(edgewise.methods, "__path__", [*edgewise.methods.__path__, str(tmp_path)])
    monkeypatch.setitem(registry.CLASSES, "plain", "plain:Plain")
    registry.registered.cache_clear()
    for name in [name for name in sys.modules if name.startswith("edgewise.cli")]:
        monkeypatch.delitem(sys.modules, name)  # which reads the lines when it starts
    yield ew.methods.Plain
    monkeypatch.undo()
    registry.registered.cache_clear()
    sys.modules.pop("edgewise.methods.plain", None)
    vars(edgewise.methods).pop("plain", None)


def test_every_front_has_it(plain, rows, tmp_path, same_result, refuses, run_edgewise):
    result = ew.edge_test(rows, method="plain", widening=2.0)
    n, p = rows.shape
    theta = np.linalg.inv(np.cov(rows, rowvar=False))
    z = np.arctanh(-theta[0, 1] / np.sqrt(theta[0, 0] * theta[1, 1]))
    assert result.statistic[0, 1] == pytest.approx(z * np.sqrt(n - p - 1) / 2)
    assert (result.method, result.options) == ("plain", {"widening": 2.0})
    low, high = result.confidence_interval(0.95, "partial_correlation")
    assert (low <= high).all()
    same_result(ew.edge_test(rows, method=plain(widening=2.0)), result)
    same_result(ew.EdgeTest(method="plain").set_params(widening=2.0).fit(rows).result_, result)
    same_result(ew.EdgeTest(method=plain(widening=2.0)).fit(rows).result_, result)
    assert ew.EdgeTestResult.from_json(result.to_json()).method == "plain"
    assert "plain" in [line.method.name for line in ew.compare_methods(rows)]
    assert ew.plan_sample_size(rows, effect=0.1, method="plain").n_samples > n
    refuses(
        lambda: ew.edge_test(rows, method="plain", widening=-1.0),
        ParameterError,
        "widening: expected a number above 0",
    )
    refuses(
        lambda: ew.edge_test(rows, method="plain", clusters=np.arange(n)),
        ParameterError,
        "clusters",
        "not supported by method 'plain'",
    )
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b,c,d", comments="")
    shown = run_edgewise("test", tmp_path / "rows.csv", "--method", "plain", "--widening", "2")
    assert "method 'plain'" in shown.stdout

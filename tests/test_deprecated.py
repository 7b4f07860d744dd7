"""Names that have moved still work, and say where they are now."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import edgewise as ew


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("comparison", "compare_methods"),
        ("comparison", "Comparison"),
        ("comparison", "LADDER"),
        ("comparison", "Rung"),
        ("diagnostics", "diagnose"),
        ("diagnostics", "Diagnosis"),
    ],
)
def test_every_name_warns_and_says_where_it_is_now(module, name):
    """In a process of its own, because a module is loaded only once."""
    use = f"from edgewise.{module} import {name}"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", use], capture_output=True, text=True, check=True
    )
    assert "DeprecationWarning: " in done.stderr
    assert f"edgewise.{module}" in done.stderr
    assert "use edgewise." in done.stderr or "edgewise.compare_methods" in done.stderr
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", use],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "DeprecationWarning" in done.stderr.splitlines()[-1]


class TestComparison:
    @pytest.fixture
    def former(self):
        """The module as it is when it is first asked for."""
        sys.modules.pop("edgewise.comparison", None)

        def get(name):
            with pytest.warns(DeprecationWarning, match="edgewise.comparison"):
                value = getattr(importlib.import_module("edgewise.comparison"), name)
            sys.modules.pop("edgewise.comparison", None)
            return value

        return get

    def test_compare_methods(self, former, rows, same_result):
        compare_methods = former("compare_methods")
        with_rungs = compare_methods(rows, 0.05, "holm", [ew.Score(), ew.Fisher()])
        assert [line.label for line in with_rungs] == ["score", "fisher"]
        same_result(with_rungs[0].result, ew.edge_test(rows))
        named = compare_methods(rows, rungs=[ew.Wald()])
        assert [line.label for line in named] == ["wald"]
        assert all(isinstance(line, ew.Comparison) for line in named)

    def test_classes_are_the_same(self, former):
        assert former("Comparison") is ew.Comparison

    def test_ladder_and_rung(self, former, rows):
        ladder = former("LADDER")
        assert ladder[0] == ew.Score()
        rung = former("Rung")
        assert rung("batch", "mine", {"n_batches": 20}) == ew.Batch(n_batches=20)
        assert rung("score") == ew.Score()
        lines = ew.compare_methods(rows, methods=ladder[:2])
        assert [line.label for line in lines] == ["score", "nodewise"]


def test_diagnostics():
    sys.modules.pop("edgewise.diagnostics", None)
    with pytest.warns(DeprecationWarning, match="edgewise.diagnostics"):
        from edgewise.diagnostics import diagnose
    assert diagnose is ew.diagnose


def test_importing_edgewise_warns_of_nothing():
    ask = "import edgewise as ew; ew.compare_methods, ew.diagnose, ew.EdgeTest, ew.calibrate"
    subprocess.run([sys.executable, "-W", "error", "-c", ask], check=True)

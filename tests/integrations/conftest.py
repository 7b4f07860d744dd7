"""Rows for programs of causal discovery, and those programs taken away."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from edgewise.simulate import make_chain_precision, sample


@pytest.fixture(scope="session")
def chain():
    """1000 rows of a Gaussian chain of 5 columns."""
    X = sample("gaussian", make_chain_precision(5, -0.4), 1000, rng=7)
    X.flags.writeable = False
    return X


@pytest.fixture(scope="session")
def edges_of_chain():
    return {(0, 1), (1, 2), (2, 3), (3, 4)}


@pytest.fixture
def without(monkeypatch):
    """``without("causallearn", "causal_learn")``: that adapter as it is without the package."""

    def load(package, adapter):
        for name in [*sys.modules]:
            if name.startswith(f"{package}."):
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)
        spec = importlib.util.find_spec(f"edgewise.integrations.{adapter}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load

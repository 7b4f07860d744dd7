"""Advice ends: from every method, "Next" leads in one step at most to a method that stays."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, EdgewiseError
from edgewise.methods.registry import registered
from edgewise.simulate import DISTRIBUTIONS, AutoRegressive, make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

CHAIN = make_chain_precision(5)


def simulated(law, n=300, seed=0):
    return sample(law, CHAIN, n, rng=seed)


def walk(seed):
    return np.cumsum(np.random.default_rng(seed).standard_normal((300, 4)), axis=0)


def volatile(rng):
    scale = np.exp(np.cumsum(rng.standard_normal(500)) / 20)
    return scale[:, np.newaxis] * rng.standard_normal((500, 4))


rng = np.random.default_rng(5)
DATA = {
    **{law: simulated(law) for law in ("gaussian", "laplace", "t5", "exponential", "lognormal")},
    "contaminated": simulated("contaminated"),
    "Cauchy": rng.standard_cauchy((300, 4)),
    "skewed and shared": np.exp(rng.standard_normal((600, 1)) + rng.standard_normal((600, 4))),
    "counts": rng.poisson(1, (300, 4)).astype(float),
    "rare events": (rng.random((400, 4)) < 0.04).astype(float),
    "answers": rng.integers(1, 6, (300, 4)).astype(float),
    "few rows": simulated("gaussian", 40)[:, :3],
    "wide": rng.standard_normal((60, 40)),
    "AR(0.3)": simulated(AutoRegressive(DISTRIBUTIONS["gaussian"], memory=0.3)),
    "AR(0.8)": simulated(AutoRegressive(DISTRIBUTIONS["t5"], memory=0.8), 1000),
    "volatile": volatile(rng),
    "a walk": walk(1),
    "an outlier": np.vstack([simulated("gaussian"), [[1e4, 0, 0, 0, 0]]]),
    "repeated": np.repeat(simulated("gaussian", 100), 4, axis=0),
    "returns": np.asarray(ew.datasets.load_sp500_returns())[:1500, :8],
    "sachs": np.asarray(ew.datasets.load_sachs())[:1500],
}
STARTS = [name for name, kind in registered().items() if not kind.simultaneous or name == "trace"]


def following(run_main, words):
    """The next command, if it is another test."""
    _, err = run_main(*words)
    step = re.search(r"^Next: .*edgewise (test .*)$", err, re.M)
    if "Next: leave --method out" in err:
        return words[:2]
    return None if step is None else shlex.split(step[1])


@pytest.mark.parametrize("name", DATA)
def test_advice_ends_after_one_step(run_main, tmp_path, name):
    np.save(tmp_path / "rows.npy", DATA[name])
    auto = ["test", "rows.npy"]
    step = following(run_main, auto)  # of trends, to test differences
    assert step is None or following(run_main, step) is None
    seen = [auto]
    for method in STARTS:
        try:
            ew.edge_test(DATA[name], method=method)
        except EdgewiseError:
            continue  # too few rows for it
        after = following(run_main, [*auto, "--method", method])
        if after is not None and after not in seen:
            assert following(run_main, after) is None
            seen.append(after)


@pytest.mark.parametrize("name", DATA)
def test_nothing_speaks_against_the_end_that_another_method_avoids(name):
    """Of the methods that ask the same question, none has fewer cautions that break it."""
    breaking = {}
    for method in ("auto", "score", "wald", "batch"):
        try:
            found = ew.edge_test(DATA[name], method=method)
        except DataError:
            continue
        breaking[method] = {one.kind for one in found.cautions if one.breaks}
    assert not [method for method, kinds in breaking.items() if kinds < breaking["auto"]]

"""The page of all tests on all distributions: its cells, its marks, and its numbers as CSV."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import calibration, worker
from benchmarks.calibration import Contestant
from benchmarks.machine import ROOT
from benchmarks.worker import XTX, Ask, Call, WorkerError, answer

from edgewise import edge_test
from edgewise.calibrate import calibrate
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.validity
P = calibration.P
NOWHERE = "a-package-that-no-one-has"


def always(X):
    return np.zeros((P, P))


def never(X):
    return np.ones((P, P))


#: Ours as they are, peers without their packages, and two whose rates are known.
CONTESTANTS = (
    *(
        contestant if contestant.package == "edgewise" else replace(contestant, package=NOWHERE)
        for contestant in calibration.CONTESTANTS
    ),
    Contestant("always", always, 1000, promise="wrong"),
    Contestant("never", never, 4000),
)
HEADS = ["gauss", "laplace", "t5", "t3", "contam", "expon", "lognorm"]
HEADS += ["pareto comp.", "shared tail", "ar1"]
LAWS = list(calibration.LAWS)


def run(path, *options):
    """Two or four draws of few rows, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "CONTESTANTS", CONTESTANTS)
        patch.setattr(calibration, "N", 60)
        patch.setattr(
            calibration, "calibrate", lambda *a, **options: calibrate(*a, **options | {"n_jobs": 1})
        )
        patch.setattr(sys, "argv", ["calibration", "--output", str(path), *options])
        calibration.main()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("docs") / "page.md"
    run(path, "--share", "0.001")
    return path


@pytest.fixture(scope="module")
def table(page):
    """The family-wise errors, by the name of the test."""
    rows = [cells_of(line) for line in parts(page)["Family-wise error"] if line.startswith("|")]
    assert {len(row) for row in rows} == {1 + len(LAWS)}
    assert rows[0] == ["test", *HEADS]
    return {name: cells for name, *cells in rows[2:]}


def parts(page):
    found = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.splitlines()[0]: part.splitlines()[1:] for part in found}


def cells_of(line):
    return [cell.strip() for cell in line[1:-1].split("|")]


def test_a_row_for_every_test_and_rates_that_are_known(table):
    assert list(table) == [contestant.name for contestant in CONTESTANTS]
    assert table["always"] == ["**1.000**"] * len(LAWS)
    assert table["never"] == ["0.000"] * len(LAWS)


def test_the_page_of_the_site_is_that_of_its_table(tmp_path, monkeypatch):
    (tmp_path / "calibration.csv").write_bytes(calibration.PAGE.with_suffix(".csv").read_bytes())
    monkeypatch.setattr(
        sys,
        "argv",
        ["calibration", "--page-only", "--output", str(tmp_path / "calibration.md")],
    )
    calibration.main()
    assert (tmp_path / "calibration.md").read_bytes() == calibration.PAGE.read_bytes()


@pytest.fixture(scope="module")
def rows():
    return sample("laplace", make_chain_precision(P), 300, rng=0)


@pytest.mark.parametrize(
    ("call", "package", "within"),
    [
        # The same t-test; and the normal approximation to it.
        (calibration.pingouin_pvalues, "pingouin", 1e-9),
        (calibration.causal_learn_pvalues, "causallearn", 1e-3),
    ],
)
@pytest.mark.filterwarnings("ignore")  # what peers warn of is theirs
def test_peers_compute_the_pvalues_of_fisher(rows, call, package, within):
    pytest.importorskip(package)
    found, expected = call(rows), edge_test(rows, method="fisher").pvalue
    pairs = np.triu_indices(P, k=1)
    np.testing.assert_allclose(found[pairs], expected[pairs], rtol=0, atol=within)
    np.testing.assert_array_equal(found, found.T)


# A process that measures: what it is told, what it says, whose code it ran.


def test_a_process_of_its_own_on_one_core():
    found = answer(Ask((Call(XTX), Call("fisher")), (300, 4), repeats=2))
    unit, method = found.seconds
    assert 0 < unit < method
    assert found.ratio() == method / unit
    assert found.home.startswith(str(ROOT / "src"))
    assert found.peak > 20


def test_what_fails_says_why():
    with pytest.raises(WorkerError, match=r"nothing on array of .*: .*method: expected"):
        answer(Ask((Call("nothing"),), (300, 4)))


def test_every_named_call_runs():
    X = np.random.default_rng(0).standard_normal((100, 3))
    for name, call in worker._CALLS.items():
        if name != worker.SCAN:
            call(X)

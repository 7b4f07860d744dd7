"""The page of all tests on all distributions: its cells, its marks, and its numbers as CSV."""

import csv
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import calibration
from benchmarks.calibration import FEW_ROWS, FEW_ROWS_LAWS, FEW_ROWS_TESTS, Contestant

from edgewise import edge_test
from edgewise.calibrate import RATES, Estimate, calibrate
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.validity
P = calibration.P
NOWHERE = "a-package-that-no-one-has"
UNKNOWN = Estimate(math.nan, math.nan, math.nan)


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
OURS = [c.name for c in CONTESTANTS if c.package == "edgewise"]
PEERS = [c.name for c in CONTESTANTS if c.package == NOWHERE]
HEADS = ["gauss", "laplace", "t5", "t3", "contam", "expon", "lognorm"]
HEADS += ["pareto comp.", "shared tail", "ar1"]
LAWS = list(calibration.LAWS)
FEW = [f"{law}: {word}" for law in ("gauss", "t5", "contam") for word in ("error", "power")]


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


@pytest.fixture(scope="module")
def numbers(page):
    with page.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_for_every_test(table):
    assert list(table) == [contestant.name for contestant in CONTESTANTS]


def test_rates_that_are_known(table, numbers):
    assert table["always"] == ["**1.000**"] * len(LAWS)
    assert table["never"] == ["0.000"] * len(LAWS)
    for rate, wrong, right in [
        ("family_wise_error", 1, 0),
        ("false_positive_rate", 1, 0),
        ("power", 1, 0),
        ("false_discovery_rate", 0.8, 0),  # 36 of 45 pairs
        # Of p-values there is no interval.
        ("coverage", math.nan, math.nan),
    ]:
        for name, value in (("always", wrong), ("never", right)):
            found = [
                float(row["value"])
                for row in numbers
                if row["test"] == name and row["rate"] == rate
            ]
            assert found == pytest.approx([value] * len(LAWS), nan_ok=True)


def test_the_csv_holds_every_number_of_the_page(table, numbers):
    many = [row for row in numbers if row["rows"] == "60"]
    few = len(FEW_ROWS) * len(FEW_ROWS_LAWS) * len(FEW_ROWS_TESTS) * len(RATES)
    assert len(many) == len(OURS) * len(LAWS) * len(RATES) == len(numbers) - few
    keys = ["test", "package", "distribution", "rows", "draws", "rate", "value", "low", "high"]
    assert list(numbers[0]) == keys
    for row in many:
        value, low, high = (float(row[key]) for key in ("value", "low", "high"))
        assert math.isnan(value) or 0 <= low <= high <= 1
        if row["rate"] == "family_wise_error":
            shown = dict(zip(LAWS, table[row["test"]], strict=True))[row["distribution"]]
            assert float(shown.strip("*")) == pytest.approx(value, abs=6e-4)
            assert shown.startswith("**") == shown.endswith("**") == (low > 0.05)


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

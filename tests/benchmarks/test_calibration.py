"""The page of all tests on all distributions: its cells, its marks, and its numbers as CSV."""

import csv
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import calibration
from benchmarks.calibration import FEW_ROWS, FEW_ROWS_LAWS, FEW_ROWS_TESTS, Contestant, Run

from edgewise import edge_test
from edgewise.simulate import DISTRIBUTIONS, make_chain_precision, sample
from edgewise.studies.calibration import RATES, Estimate, calibrate

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


def test_a_figure_for_every_rate(page):
    assert set(calibration._FIGURES) == set(RATES)
    for rate, (title, *_) in calibration._FIGURES.items():
        (shown,) = [line for line in parts(page)[title] if "{figure}" in line]
        assert shown.endswith(f"/calibration-{rate.replace('_', '-')}.svg")


def test_a_row_for_every_test(table):
    assert list(table) == [contestant.name for contestant in CONTESTANTS]


def test_what_is_not_installed_is_said_so(page, table, numbers):
    assert len(PEERS) == 3
    for name in PEERS:
        assert table[name] == ["not installed"] * len(LAWS)
    assert not any("not installed" in table[name] for name in OURS)
    assert f"{NOWHERE} (not installed)" in page.read_text(encoding="utf-8")
    assert {row["test"] for row in numbers} == set(OURS)


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


def test_tables_of_few_rows(page, numbers):
    rows = [cells_of(line) for line in parts(page)["Power with few rows"] if "|" in line]
    each = 2 + len(FEW_ROWS_TESTS)
    assert len(rows) == each * len(FEW_ROWS)
    value = {
        (row["test"], row["distribution"], row["rows"], row["rate"]): float(row["value"])
        for row in numbers
    }
    for n, (head, _, *tests) in zip(FEW_ROWS, (rows[:each], rows[each:]), strict=True):
        assert head == [f"{n} rows", *FEW]
        assert [name for name, *_ in tests] == list(FEW_ROWS_TESTS)
        for name, *cells in tests:
            expected = [
                value[name, law, str(n), rate]
                for law in FEW_ROWS_LAWS
                for rate in ("family_wise_error", "power")
            ]
            shown = [float(cell.strip("*")) for cell in cells]
            assert shown == pytest.approx(expected, abs=6e-4)


def test_the_page_is_made_from_its_table_alone(page, tmp_path):
    table = page.with_suffix(".csv").read_bytes()
    (tmp_path / "page.csv").write_bytes(table)
    run(tmp_path / "page.md", "--page-only")
    assert (tmp_path / "page.md").read_bytes() == page.read_bytes()
    # Drawn again, the few rows are the same, and the rest is kept.
    kept = table.replace(b"always,edgewise", b"always,other")
    (tmp_path / "page.csv").write_bytes(kept)
    run(tmp_path / "page.md", "--few-rows", "--share", "0.001")
    assert (tmp_path / "page.csv").read_bytes() == kept


def test_only_what_is_named_is_drawn_again(page, tmp_path):
    table = page.with_suffix(".csv").read_bytes()
    old = table.replace(b",edgewise", b",other")
    (tmp_path / "page.csv").write_bytes(old)
    run(tmp_path / "page.md", "--only", "score", "--laws", "t3", "--share", "0.001")
    before, after = old.splitlines(), (tmp_path / "page.csv").read_bytes().splitlines()
    changed = [new for was, new in zip(before, after, strict=True) if was != new]
    assert len(changed) == len(RATES)
    assert all(line.startswith(b"score,edgewise") and b",t3,60," in line for line in changed)
    # As it was drawn with all others.
    assert set(changed) <= set(table.splitlines())


def test_what_was_not_drawn_is_a_dash(page, tmp_path):
    rows = page.with_suffix(".csv").read_text(encoding="utf-8").splitlines(keepends=True)
    left = [row for row in rows if not (row.startswith("fisher,") and ",t3," in row)]
    (tmp_path / "page.csv").write_text("".join(left), encoding="utf-8")
    run(tmp_path / "page.md", "--page-only")
    (line,) = [
        line
        for line in parts(tmp_path / "page.md")["Family-wise error"]
        if line.startswith("| fisher |")
    ]
    assert cells_of(line)[1 + LAWS.index("t3")] == "–"


def test_the_page_of_the_site_is_that_of_its_table(tmp_path, monkeypatch):
    (tmp_path / "calibration.csv").write_bytes(calibration.PAGE.with_suffix(".csv").read_bytes())
    monkeypatch.setattr(
        sys,
        "argv",
        ["calibration", "--page-only", "--output", str(tmp_path / "calibration.md")],
    )
    calibration.main()
    assert (tmp_path / "calibration.md").read_bytes() == calibration.PAGE.read_bytes()


def test_the_share_is_that_of_the_draws(page, numbers):
    draws = {row["test"]: int(row["draws"]) for row in numbers}
    assert draws["never"] == 4
    # Two are the least that have a spread.
    assert draws["always"] == draws["eig (paper)"] == 2
    text = page.read_text(encoding="utf-8")
    assert "\n| always | wrong | 2 |\n| never | per edge, then Holm | 4 |\n" in text
    assert f"\n| {PEERS[0]} | `partial_corr`: per edge, then Holm, which we added | 0 |\n" in text


def test_every_law_is_explained(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    explained = [cells_of(line) for line in calibration._laws()[2:]]
    assert len(explained) == len(LAWS) == len(HEADS)
    for (panel, call, _), law, head in zip(explained, LAWS, HEADS, strict=True):
        assert panel in (head, f"{calibration.TITLES[law]}, {head}")
        assert law not in DISTRIBUTIONS or call == f"`{law}`"
    assert set(DISTRIBUTIONS) <= set(LAWS)
    assert set(calibration._laws()) <= set(lines)


def test_what_to_read_from_it_has_the_numbers_of_the_run(page, numbers):
    reading = page.read_text(encoding="utf-8").split("## What the figures show")[1]
    assert "contains a false edge in an unknown share of Gaussian data sets" in reading
    power = next(
        float(row["value"])
        for row in numbers
        if (row["test"], row["distribution"], row["rate"]) == ("score", "gaussian", "power")
    )
    assert f"`score` finds {power:.3f}," in reading


@pytest.mark.parametrize(
    ("rate", "estimate", "cell"),
    [
        ("family_wise_error", (0.07, 0.0501, 0.1), "**0.070**"),
        ("family_wise_error", (0.07, 0.05, 0.1), "0.070"),
        ("family_wise_error", (0.07, 0.04, 0.1), "0.070"),
        ("false_positive_rate", (0.07, 0.06, 0.08), "**0.070**"),
        ("false_discovery_rate", (0.07, 0.06, 0.08), "**0.070**"),
        ("false_discovery_rate", (0.01, 0.0, 0.02), "0.010"),
        ("power", (0.9, 0.8, 1.0), "0.900"),
        ("power", (0.0, 0.0, 0.01), "0.000"),
        ("coverage", (0.9, 0.88, 0.9499), "**0.900**"),
        ("coverage", (0.9, 0.85, 0.96), "0.900"),
        ("coverage", (0.99, 0.98, 1.0), "0.990"),
        ("coverage", UNKNOWN, "–"),
        ("family_wise_error", UNKNOWN, "–"),
    ],
)
def test_bold_is_what_its_band_convicts(rate, estimate, cell):
    rates = dict.fromkeys(RATES, Estimate(*UNKNOWN)) | {rate: Estimate(*estimate)}
    assert calibration._cell(Run(10, "edgewise 0", rates), rate) == cell
    assert calibration._cell(None, rate) == "not installed"


def test_contestants():
    names = [contestant.name for contestant in calibration.CONTESTANTS]
    assert len(set(names)) == len(names)
    assert calibration._version(NOWHERE) is None
    assert calibration._version("edgewise")


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


def test_the_support_of_the_lasso_is_a_graph(rows):
    found = calibration.graphical_lasso_support(rows)
    assert found.dtype == bool
    assert found.shape == (P, P)
    assert found.diagonal(1).all()

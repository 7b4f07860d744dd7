"""The tables of howto/causal_discovery.md: false and found edges with two tests each.

PC of causal-learn on chains, with `fisherz` and with `edgewise`; PCMCI and PCMCI+ of
tigramite on series, with `ParCorr` and with `ScoreCI`. Both tests see the same rows.
Writes docs/integrations_tables.csv and, from it alone, the tables into the page.

    python docs/integrations_tables.py                     all rows; a few minutes
    python docs/integrations_tables.py --rows pc-t5        some; the others are kept
    python docs/integrations_tables.py --page-only         the page, from the numbers
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgewise.simulate import StudentT, make_chain_precision, sample

TABLE = Path(__file__).parent / "integrations_tables.csv"
PAGE = Path(__file__).parent / "howto" / "causal_discovery.md"
KEYS = ("row", "test")
HEADER = (*KEYS, "runs", "false", "error", "null", "found", "edges", "seconds")
RUNS = 100
# PC: chains of ten columns.
COLUMNS, ROWS, ALPHA = 10, 1000, 0.05
# PCMCI: four series, each with a memory of 0.5, in a chain of links of 0.3.
SERIES, LENGTH, LAGS, LEVEL = 4, 500, 2, 0.01
LINKS = 0.5 * np.eye(SERIES) + 0.3 * np.eye(SERIES, k=-1)
BURN_IN = 200

Rows = Callable[[np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Count:
    """What one run found: false edges of how many, true ones of how many."""

    false: int
    null: int
    found: int
    edges: int


def chain(law: str, strength: float, rows: int = ROWS) -> Rows:
    precision = make_chain_precision(COLUMNS, -strength)
    return lambda rng: sample(law, precision, rows, rng=rng)


def counts(rng: np.random.Generator, mean: float = 0.1) -> np.ndarray:
    """Poisson counts in a chain: half of the column before is kept, and new ones come.

    Such a chain has the correlations of x_j = x_{j−1}/2 + noise, so neighbours have a
    partial correlation of 0.4 here, too.
    """
    X = rng.poisson(mean, (ROWS, COLUMNS))
    for j in range(1, COLUMNS):
        X[:, j] = rng.binomial(X[:, j - 1], 0.5) + rng.poisson(mean / 2, ROWS)
    return X.astype(float)


def gaussian(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal((n, SERIES))


def student(rng: np.random.Generator, n: int) -> np.ndarray:
    """One scale for all series at a time, but none that lasts."""
    return StudentT(5).rows(rng, n, SERIES)


def volatile(rng: np.random.Generator, n: int, own: bool = False) -> np.ndarray:
    """Noise whose scale wanders; its logarithm has a memory of 0.95."""
    from scipy.signal import lfilter

    steps = 0.3 * rng.standard_normal((n, SERIES if own else 1))
    scale = np.exp(lfilter([1.0], [1.0, -0.95], steps, axis=0) / 2)
    return scale * rng.standard_normal((n, SERIES))


def each_volatile(rng: np.random.Generator, n: int) -> np.ndarray:
    return volatile(rng, n, own=True)


def series(noise: Callable, late: float = 0.0) -> Rows:
    """Series with these links; `late` is a further memory, of twice the lags asked for."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        X = noise(rng, LENGTH + BURN_IN)
        for t in range(2 * LAGS, len(X)):
            X[t] += LINKS @ X[t - 1] + late * X[t - 2 * LAGS]
        return X[BURN_IN:]

    return draw


def pc(X: np.ndarray, test: str) -> Count:
    from causallearn.search.ConstraintBased.PC import pc as search

    from edgewise.integrations.causal_learn import register

    register()
    graph = search(X, ALPHA, test, show_progress=False).G.graph
    place = np.arange(COLUMNS)
    true = np.abs(np.subtract.outer(place, place)) == 1
    return counted(graph != 0, true, np.tri(COLUMNS, k=-1, dtype=bool))


def pcmci(X: np.ndarray, test: str) -> Count:
    """Links from earlier times, at the level for each."""
    found = searching(X, test).run_pcmci(tau_max=LAGS, pc_alpha=0.05)
    true = np.zeros((SERIES, SERIES, LAGS + 1), dtype=bool)
    true[:, :, 1] = LINKS.T != 0
    earlier = np.ones_like(true)
    earlier[:, :, 0] = False
    return counted(found["p_matrix"] < LEVEL, true, earlier)


def pcmciplus(X: np.ndarray, test: str) -> Count:
    """Links within the same time, of which there are none."""
    found = searching(X, test).run_pcmciplus(tau_max=1, pc_alpha=LEVEL)
    now = found["graph"][:, :, 0] != ""
    return counted(now, np.zeros_like(now), np.tri(SERIES, k=-1, dtype=bool))


def searching(X: np.ndarray, test: str):
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    from edgewise.integrations.tigramite import ScoreCI

    return PCMCI(DataFrame(X), {"ParCorr": ParCorr, "ScoreCI": ScoreCI}[test]())


def counted(found: np.ndarray, true: np.ndarray, asked: np.ndarray) -> Count:
    numbers = found & ~true, ~true, found & true, true
    return Count(*(int((cells & asked).sum()) for cells in numbers))


@dataclass(frozen=True)
class Row:
    """One row of a table: a law, a search, and the two tests."""

    title: str
    draw: Rows
    search: Callable[[np.ndarray, str], Count]
    tests: tuple[str, str]


PC = (pc, ("fisherz", "edgewise"))
TIGRAMITE = ("ParCorr", "ScoreCI")
TABLES: dict[str, dict[str, Row]] = {
    "pc": {
        "pc-gaussian": Row("Gaussian", chain("gaussian", 0.4), *PC),
        "pc-gaussian-weak": Row("Gaussian, weaker edges", chain("gaussian", 0.3), *PC),
        "pc-t5": Row("t₅", chain("t5", 0.4), *PC),
        "pc-t5-weak": Row("t₅, weaker edges", chain("t5", 0.3), *PC),
        "pc-gaussian-short": Row(
            "Gaussian, weaker edges, 200 rows", chain("gaussian", 0.3, rows=200), *PC
        ),
        "pc-t5-short": Row(
            "t₅, weaker edges, 200 rows", chain("t5", 0.3, rows=200), *PC
        ),
        "pc-contaminated": Row(
            "5 % of the rows five times as large", chain("contaminated", 0.4), *PC
        ),
        "pc-exponential": Row("exponential components", chain("exponential", 0.4), *PC),
        "pc-lognormal": Row("log-normal components", chain("lognormal", 0.4), *PC),
        "pc-counts": Row("Poisson counts, mean 0.1", counts, *PC),
    },
    "pcmci": {
        "pcmci-volatile": Row(
            "one wandering scale for all series", series(volatile), pcmci, TIGRAMITE
        ),
        "pcmci-gaussian": Row("Gaussian", series(gaussian), pcmci, TIGRAMITE),
        "pcmci-t5": Row("t₅, independent times", series(student), pcmci, TIGRAMITE),
        "pcmci-own": Row(
            "a wandering scale for each series", series(each_volatile), pcmci, TIGRAMITE
        ),
        "pcmci-late": Row(
            "Gaussian, with a memory beyond the lags asked for",
            series(gaussian, late=0.3),
            pcmci,
            TIGRAMITE,
        ),
    },
    "pcmciplus": {
        "pcmciplus-gaussian": Row("Gaussian", series(gaussian), pcmciplus, TIGRAMITE),
        "pcmciplus-t5": Row(
            "t₅, independent times", series(student), pcmciplus, TIGRAMITE
        ),
        "pcmciplus-volatile": Row(
            "one wandering scale for all series", series(volatile), pcmciplus, TIGRAMITE
        ),
    },
}
ALL_ROWS = {name: row for table in TABLES.values() for name, row in table.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", default=[*ALL_ROWS], choices=ALL_ROWS)
    parser.add_argument("--page-only", action="store_true")
    asked = parser.parse_args()
    for name in () if asked.page_only else asked.rows:
        write(read() | measured(name, RUNS))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")


def measured(name: str, runs: int) -> dict[tuple[str, str], tuple[float, ...]]:
    """The two cells of a row, by its name and the test."""
    row = ALL_ROWS[name]
    seeds = np.random.SeedSequence(zlib.crc32(name.encode())).spawn(runs)
    runs_of = {test: [] for test in row.tests}
    seconds = dict.fromkeys(row.tests, 0.0)
    for test in row.tests:  # imports what it needs before the clock runs
        row.search(row.draw(np.random.default_rng(0)), test)
    for seed in seeds:
        X = row.draw(np.random.default_rng(seed))
        for test in row.tests:
            start = time.process_time()
            runs_of[test].append(row.search(X.copy(), test))
            seconds[test] += time.process_time() - start
    cells = {}
    for test, many in runs_of.items():
        false = np.array([one.false for one in many])
        sums = [
            sum(getattr(one, key) for one in many) for key in ("null", "found", "edges")
        ]
        error = math.sqrt(runs * false.var(ddof=1))
        cells[name, test] = (runs, false.sum(), error, *sums, seconds[test])
        print(
            name, test, *(f"{number:.6g}" for number in cells[name, test]), flush=True
        )
    return cells


def read() -> dict[tuple[str, str], tuple[float, ...]]:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["row"], row["test"]): tuple(float(row[key]) for key in HEADER[2:])
            for row in csv.DictReader(file)
        }


def write(cells: dict) -> None:
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for name, row in ALL_ROWS.items():
            for test in row.tests:
                if (name, test) in cells:
                    numbers = (f"{number:.6g}" for number in cells[name, test])
                    writer.writerow([name, test, *numbers])


def filled(page: str, cells: dict) -> str:
    """The page with its tables, which stand between two comments each."""
    for table, rows in TABLES.items():
        lines = "\n".join(lines_of(table, rows, cells))
        page, times = re.subn(
            rf"(<!-- {table} -->\n).*?(<!-- end of {table} -->)",
            lambda found, lines=lines: f"{found[1]}\n{lines}\n\n{found[2]}",
            page,
            flags=re.DOTALL,
        )
        if times != 1:
            raise SystemExit(f"{PAGE}: expected one place for the table {table}")
    return page


def lines_of(table: str, rows: dict[str, Row], cells: dict):
    usual, ours = next(iter(rows.values())).tests
    what = "false edges in 100 runs" if table == "pc" else "false links"
    true = [f"found, `{usual}`", f"found, `{ours}`"] if table != "pcmciplus" else []
    head = ["rows", f"{what}, `{usual}`", f"`{ours}`", *true, "time of ours / usual"]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for name, row in rows.items():
        pair = [cells[name, test] for test in row.tests]
        line = [row.title, *(shown_false(table, cell) for cell in pair)]
        line += [f"{100 * cell[4] / cell[5]:.1f} %" for cell in pair] if true else []
        yield f"| {' | '.join([*line, f'{pair[1][6] / pair[0][6]:.1f}'])} |"


def shown_false(table: str, cell: tuple[float, ...]) -> str:
    """With its standard error over the runs."""
    runs, false, error, null, *_ = cell
    if table == "pc":
        return f"{100 * false / runs:.0f} ± {100 * error / runs:.0f}"
    return f"{100 * false / null:.1f} ± {100 * error / null:.1f} %"


if __name__ == "__main__":
    main()

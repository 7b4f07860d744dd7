"""The table of how-to/repeated-subjects: rows that belong together; about 15 minutes.

For each law of rows and number of groups: how often any false edge is found (Holm's correction at
0.05), which share of the edges of a chain is found, and how often intervals at 95 % hold, by the
tests with groups and, in one size, without. Rows are shuffled. Writes docs/groups.csv.

    PYTHONPATH=. python docs/groups.py                        all cells
    PYTHONPATH=. python docs/groups.py --laws ar1 --draws 100  some of them; the others are kept
    PYTHONPATH=. python docs/groups.py --part 0.5             with one λ for all; writes nothing
"""

from __future__ import annotations

import argparse
import csv
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from tests.statistical.grouped_laws import LAWS as OF_GROUPS
from tests.statistical.grouped_laws import UNRELATED, group_sizes, grouped_rows

from edgewise import edge_test
from edgewise.errors import EdgewiseWarning
from edgewise.methods import leave_one_out
from edgewise.simulate import Contaminated, make_chain_precision, sample

TABLE = Path(__file__).parent / "groups.csv"
# Independent rows that are in groups nevertheless; two in a hundred are eight times as large.
INDEPENDENT = {"contaminated": Contaminated(share=0.02, scale=8.0)}
LAWS = (*(law for law in OF_GROUPS if law not in UNRELATED), *INDEPENDENT, *UNRELATED)
# Groups, rows of a group on average, their sizes, columns.
CELLS = (
    (20, 20, "equal", 6),
    (30, 20, "unequal", 6),
    (30, 20, "equal", 10),
    (100, 50, "equal", 10),
    (100, 20, "very unequal", 10),
    (200, 20, "unequal", 10),
    (100, 5, "equal", 20),
    (250, 2, "equal", 20),
)
TESTS = {
    "score, groups": ("score", True),
    "wald, groups": ("wald", True),
    "score": ("score", False),
    "batch": ("batch", False),
}
# The tests of single rows are compared in one size only.
COMPARED = CELLS[3]
KEYS = ("law", "groups", "rows", "sizes", "columns", "test")
RATES = ("family_wise_error", "null_pairs", "power", "coverage")
ALPHA = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--laws", nargs="+", default=LAWS, choices=LAWS)
    parser.add_argument(
        "--cells", type=int, nargs="+", default=[*range(len(CELLS))], metavar="NUMBER"
    )
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument(
        "--part", type=float, help="λ of all groups; nothing is written"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore", EdgewiseWarning)
    if asked.part is not None:
        leave_one_out._part_lost = lambda kept, tau: np.full_like(kept, asked.part)
    for law, number in product(asked.laws, asked.cells):
        cells = measured(law, *CELLS[number], asked.draws)
        if asked.part is None:
            write(read() | cells)


def measured(
    law: str, n_clusters: int, rows: int, shape: str, p: int, draws: int
) -> dict:
    """The rates of one cell, by test."""
    # A chain with partial correlations of −0.3.
    precision, upper = make_chain_precision(p), np.triu_indices(p, k=1)
    root = np.sqrt(precision.diagonal())
    true = -(precision / np.outer(root, root))[upper] * (law not in UNRELATED)
    null, sizes = true == 0, group_sizes(n_clusters, rows, shape)
    compared = (n_clusters, rows, shape, p) == COMPARED
    tests = {test: how for test, how in TESTS.items() if how[1] or compared}
    found = {test: [] for test in tests}
    for seed in np.random.SeedSequence(19, spawn_key=(n_clusters, p)).spawn(draws):
        X, labels = drawn(law, precision, sizes, np.random.default_rng(seed))
        for test, (method, grouped) in tests.items():
            result = edge_test(X, method=method, clusters=labels if grouped else None)
            interval = result.confidence_interval(0.95, scale="partial_correlation")
            low, high = interval.low[upper], interval.high[upper]
            reject = result.reject[upper]
            found[test].append(
                (
                    reject[null].any(),
                    (result.pvalue[upper][null] <= ALPHA).mean(),
                    reject[~null].mean() if (~null).any() else np.nan,
                    ((low <= true) & (true <= high)).mean(),
                )
            )
    cells = {}
    for test, numbers in found.items():
        rates = np.mean(np.array(numbers, dtype=float), axis=0)
        cells[law, n_clusters, rows, shape, p, test] = (draws, *rates)
        shown = "  ".join(
            f"{name} {rate:.3f}" for name, rate in zip(RATES, rates, strict=True)
        )
        print(
            f"{law} {n_clusters} × {rows} {shape}, p = {p}, {test}: {shown}", flush=True
        )
    return cells


def drawn(law: str, precision, sizes, rng):
    """Rows, and the group of each."""
    if law in INDEPENDENT:
        X = sample(INDEPENDENT[law], precision, int(sizes.sum()), rng=rng)
        return X, np.repeat(np.arange(len(sizes)), sizes)
    return grouped_rows(law, precision, sizes, rng)


def read() -> dict:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (
                row["law"],
                int(row["groups"]),
                int(row["rows"]),
                row["sizes"],
                int(row["columns"]),
                row["test"],
            ): (int(row["draws"]), *(float(row[rate]) for rate in RATES))
            for row in csv.DictReader(file)
        }


def write(cells: dict) -> None:
    def place(key):
        law, *size, test = key
        return LAWS.index(law), CELLS.index(tuple(size)), [*TESTS].index(test)

    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*KEYS, "draws", *RATES])
        for key in sorted(cells, key=place):
            draws, *rates = cells[key]
            writer.writerow([*key, draws, *(f"{rate:.4g}" for rate in rates)])


if __name__ == "__main__":
    main()

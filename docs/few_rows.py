"""The numbers on few rows per column of limits.md.

Rows of a chain with partial correlations of −0.3, from 2 to 50 rows per column, Holm's correction
at 0.05. Writes docs/few_rows.csv; the figure is drawn from it when the pages are built.

    python docs/few_rows.py                                  `score`, all sizes; ten minutes
    python docs/few_rows.py --columns 10 20 --ratios 5       some sizes; the others are kept
    python docs/few_rows.py --method fisher --laws gaussian  another test
"""

from __future__ import annotations

import argparse
import csv
import warnings
from itertools import product
from pathlib import Path

from edgewise.calibrate import calibrate
from edgewise.errors import EdgewiseWarning
from edgewise.simulate import make_chain_precision

TABLE = Path(__file__).parent / "few_rows.csv"
RATIOS = (2, 3, 5, 10, 20, 50)
DRAWS = {10: 500, 20: 250, 50: 200, 100: 100}
LAWS = ("gaussian", "t5", "contaminated", "lognormal")
RATES = ("family_wise_error", "false_positive_rate", "power", "coverage")
KEYS = ("test", "law", "columns", "ratio")
HEADER = (*KEYS, "draws", "rate", "value", "low", "high")
ALPHA = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--method", default="score")
    parser.add_argument("--laws", nargs="+", default=[*LAWS], choices=LAWS)
    parser.add_argument(
        "--columns", type=int, nargs="+", default=[*DRAWS], choices=DRAWS
    )
    parser.add_argument("--ratios", type=int, nargs="+", default=RATIOS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", EdgewiseWarning)
    for p, law, ratio in product(asked.columns, asked.laws, asked.ratios):
        write(read() | measured(asked.method, law, p, ratio))


def measured(method: str, law: str, p: int, ratio: int) -> dict:
    """The rates of one cell, by its key: value, low and high end, number of draws."""
    rates = calibrate(
        method,
        law,
        precision=make_chain_precision(p),
        n_samples=ratio * p,
        n_draws=DRAWS[p],
        alpha=ALPHA,
    )
    error = rates.family_wise_error
    print(method, law, f"{ratio * p} × {p}: {error.value:.3f}", flush=True)
    return {
        (method, law, p, ratio, rate): (DRAWS[p], *getattr(rates, rate))
        for rate in RATES
    }


def read() -> dict:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (
                row["test"],
                row["law"],
                int(row["columns"]),
                int(row["ratio"]),
                row["rate"],
            ): (
                int(row["draws"]),
                *(float(row[end]) for end in ("value", "low", "high")),
            )
            for row in csv.DictReader(file)
        }


def write(cells: dict) -> None:
    def place(key):
        method, law, p, ratio, rate = key
        return (
            method != "score",
            method,
            p,
            LAWS.index(law),
            ratio,
            RATES.index(rate),
        )

    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for key in sorted(cells, key=place):
            *cell, rate = key
            draws, *numbers = cells[key]
            writer.writerow([*cell, draws, rate, *(f"{one:.5g}" for one in numbers)])


if __name__ == "__main__":
    main()

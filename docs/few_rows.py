"""The numbers and the figure on few rows per column of limits.md.

Rows of a chain with partial correlations of −0.3, from 2 to 50 rows per column, Holm's correction
at 0.05. Writes docs/few_rows.csv and, from it alone, docs/images/few-rows.svg.

    python docs/few_rows.py                                  `score`, all sizes; ten minutes
    python docs/few_rows.py --columns 10 20 --ratios 5       some sizes; the others are kept
    python docs/few_rows.py --method fisher --laws gaussian  another test
    python docs/few_rows.py --figure-only                    the figure, from the numbers
"""

from __future__ import annotations

import argparse
import csv
import warnings
from itertools import product
from pathlib import Path

from edgewise.errors import EdgewiseWarning
from edgewise.simulate import make_chain_precision
from edgewise.studies import calibrate

TABLE = Path(__file__).parent / "few_rows.csv"
FIGURE = Path(__file__).parent / "images" / "few-rows.svg"
RATIOS = (2, 3, 5, 10, 20, 50)
DRAWS = {10: 500, 20: 250, 50: 200, 100: 100}
LAWS = {
    "gaussian": "Gaussian",
    "t5": "t₅",
    "contaminated": "contaminated",
    "lognormal": "log-normal",
}
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
    parser.add_argument("--figure-only", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", EdgewiseWarning)
    if not asked.figure_only:
        for p, law, ratio in product(asked.columns, asked.laws, asked.ratios):
            write(read() | measured(asked.method, law, p, ratio))
    draw(read())


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
            [*LAWS].index(law),
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


#: Okabe and Ito's colours, and a marker for each number of columns.
STYLES = {
    10: ("#0072B2", "o"),
    20: ("#E69F00", "s"),
    50: ("#009E73", "^"),
    100: ("#CC79A7", "D"),
}


def draw(cells: dict) -> None:
    """Dots with bands against rows per column: a panel for each law, errors above power."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(
        {"svg.hashsalt": "edgewise", "svg.fonttype": "none", "font.size": 8}
    ):
        figure = Figure(figsize=(8.6, 4.6), layout="constrained")
        grid = figure.subplots(2, len(LAWS), sharex=True, sharey="row")
        for (law, title), (above, below) in zip(LAWS.items(), grid.T, strict=True):
            above.set_title(title, fontsize=9)
            above.axhline(ALPHA, color="0.35", linewidth=0.8, linestyle="--")
            for axes, rate in ((above, "family_wise_error"), (below, "power")):
                panel(axes, cells, law, rate)
        grid[0, 0].set(ylabel="data sets with any false edge", ylim=(-0.004, 0.16))
        grid[1, 0].set(ylabel="edges that are found", ylim=(-0.03, 1.03))
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=4, frameon=False
        )
        figure.supxlabel("rows per column", fontsize=9)
        figure.savefig(
            FIGURE, metadata={"Date": None} if FIGURE.suffix == ".svg" else None
        )


def panel(axes, cells: dict, law: str, rate: str) -> None:
    axes.set_xscale("log")
    axes.set_xticks(RATIOS, [str(ratio) for ratio in RATIOS])
    axes.set_xticks([], minor=True)
    axes.grid(color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for side, (p, (colour, marker)) in enumerate(STYLES.items()):
        found = {
            ratio: cells["score", law, p, ratio, rate]
            for ratio in RATIOS
            if ("score", law, p, ratio, rate) in cells
        }
        for ratio, (_, value, low, high) in found.items():
            x = ratio * 1.07 ** (side - 1.5)  # beside each other
            axes.plot([x, x], [low, high], color=colour, linewidth=1.2)
            axes.plot(x, value, marker, color=colour, markersize=3.6)
        axes.plot([], [], marker, color=colour, markersize=4, label=f"{p} columns")


if __name__ == "__main__":
    main()

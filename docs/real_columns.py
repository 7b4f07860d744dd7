"""The table "Real columns, no edges" of evidence.md; about ten minutes.

Each column of the data that come with edgewise is shuffled by itself, so that nothing is connected.
Cells are the percentage of 200 shuffles in which a test finds any edge; 5 is promised.
"""

from __future__ import annotations

import numpy as np

import edgewise as ew

METHODS = ("score", "wald", "batch", "elliptical", "fisher")
SHUFFLES = 200


def evenly(table, rows: int):
    """That many rows of a table, at equal distances."""
    return table.take(np.linspace(0, table.num_rows - 1, rows).astype(int))


def main() -> None:
    sachs, returns = ew.datasets.load_sachs(), ew.datasets.load_sp500_returns()
    data = {
        "Sachs, 1,000 × 11": evenly(sachs, 1000),
        "Sachs, 7,466 × 11": sachs,
        "returns, 200 × 20": evenly(returns, 200),
        "returns, 8,312 × 20": returns,
    }
    print("| columns of |", " | ".join(METHODS), "|")
    for name, table in data.items():
        lines = ew.check_null(table, methods=METHODS, n_shuffles=SHUFFLES)
        cells = [f"{100 * line.share:.1f}" for line in lines]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

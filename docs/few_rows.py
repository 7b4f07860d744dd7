"""The table "few rows per column" of choosing.md: `python docs/few_rows.py`, about 20 minutes.

Family-wise error of a test with Holm's correction on rows of a chain, for few rows per column.
"""

from __future__ import annotations

import sys
import warnings

from edgewise.errors import EdgewiseWarning
from edgewise.simulate import make_chain_precision
from edgewise.studies import calibrate

RATIOS = (2, 3, 5, 10, 20, 50)
DRAWS = {10: 2000, 20: 2000, 50: 1000, 100: 500}
LAWS = {"gaussian": "Gaussian", "t5": "t₅"}
ALPHA = 0.05


def cell(method: str, law: str, p: int, ratio: int) -> str:
    rates = calibrate(
        method,
        law,
        precision=make_chain_precision(p),
        n_samples=ratio * p,
        n_draws=DRAWS[p],
        alpha=ALPHA,
    )
    error = rates.family_wise_error
    return f"**{error.value:.2f}**" if error.low > ALPHA else f"{error.value:.2f}"


def main(method: str = "score") -> None:
    warnings.simplefilter("ignore", EdgewiseWarning)
    print("| rows per column |", " | ".join(map(str, RATIOS)), "|")
    print("|---|" + "---:|" * len(RATIOS))
    for law, name in LAWS.items():
        for p in DRAWS:
            cells = [cell(method, law, p, ratio) for ratio in RATIOS]
            print(f"| {name}, {p} columns |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

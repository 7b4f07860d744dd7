"""The numbers on few rows per column of choosing.md.

Family-wise error of a test with Holm's correction on rows of a chain, for few rows per column.

    python docs/few_rows.py                                     the table; about 20 minutes
    python docs/few_rows.py wald                                the same of another test
    python docs/few_rows.py --columns 100 --ratios 100          other sizes
    python docs/few_rows.py --rate false_positive_rate          single p-values up to 0.05
"""

from __future__ import annotations

import argparse
import warnings

from edgewise.errors import EdgewiseWarning
from edgewise.simulate import make_chain_precision
from edgewise.studies import calibrate

RATIOS = (2, 3, 5, 10, 20, 50)
DRAWS = {10: 2000, 20: 2000, 50: 1000, 100: 500}
LAWS = {"gaussian": "Gaussian", "t5": "t₅"}
ALPHA = 0.05


def cell(method: str, rate: str, law: str, p: int, ratio: int) -> str:
    rates = calibrate(
        method,
        law,
        precision=make_chain_precision(p),
        n_samples=ratio * p,
        n_draws=DRAWS[p],
        alpha=ALPHA,
    )
    error = getattr(rates, rate)
    return f"**{error.value:.2f}**" if error.low > ALPHA else f"{error.value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", nargs="?", default="score")
    parser.add_argument("--rate", default="family_wise_error")
    parser.add_argument(
        "--columns", type=int, nargs="+", default=[*DRAWS], choices=DRAWS
    )
    parser.add_argument("--ratios", type=int, nargs="+", default=RATIOS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", EdgewiseWarning)
    print("| rows per column |", " | ".join(map(str, asked.ratios)), "|")
    print("|---|" + "---:|" * len(asked.ratios))
    for law, name in LAWS.items():
        for p in asked.columns:
            cells = [
                cell(asked.method, asked.rate, law, p, ratio) for ratio in asked.ratios
            ]
            print(f"| {name}, {p} columns |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

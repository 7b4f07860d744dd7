"""The numbers of theory/ranks.md: how often tests of ranks err, and what they find.

Writes docs/ranks.csv, a line for each cell.

    python docs/ranks.py levels     kendall on elliptical chains with ever heavier tails
    python docs/ranks.py beside     other tests on the same rows, and normal scores
    python docs/ranks.py ordinal    a latent Gaussian chain, cut into few levels
    python docs/ranks.py table      prints the tables, from the numbers

Each draw has a seed of its own, so single cells can be made again. `levels` takes about 40 minutes
on one core.
"""

from __future__ import annotations

import csv
import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
from scipy import stats

import edgewise as ew
from edgewise.simulate import make_chain_precision, sample

TABLE = Path(__file__).parent / "ranks.csv"
KEYS = ("study", "law", "rows", "columns", "method")
NUMBERS = ("draws", "family_wise", "below_05", "power", "coverage")
DEGREES = {"t3": 3, "t2": 2, "cauchy": 1, "exp(t2)": 2}
#: The shares of values below each cut.
SHARES_BELOW = {
    "2 levels": [0.5],
    "2 levels, 20 % ones": [0.8],
    "3 levels": [1 / 3, 2 / 3],
    "5 levels": [0.2, 0.4, 0.6, 0.8],
    "5 levels, skewed": [0.5, 0.75, 0.88, 0.96],
    "7 levels": [k / 7 for k in range(1, 7)],
}
METHODS = {
    "score": {"method": "score"},
    "wald": {"method": "wald"},
    "batch": {"method": "batch"},
    "fisher": {"method": "fisher"},
    "kendall": {"method": "kendall"},
    "normal scores, score": {"method": "score", "transform": "normal-scores"},
    "normal scores, wald": {"method": "wald", "transform": "normal-scores"},
}


def rows_of(
    law: str, precision: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Elliptical rows, or a Gaussian chain cut into levels."""
    X = sample("gaussian", precision, n, rng=rng)
    if law in SHARES_BELOW:
        scale = np.sqrt(np.linalg.inv(precision).diagonal())
        return np.digitize(X / scale, stats.norm.ppf(SHARES_BELOW[law])).astype(float)
    if law in DEGREES:
        X /= np.sqrt(rng.chisquare(DEGREES[law], (n, 1)) / DEGREES[law])
    # Beyond 300 the exponential would overflow; a few values are then tied.
    return np.exp(np.clip(X, -300, 300)) if law.startswith("exp") else X


def cell(study: str, law: str, n: int, p: int, method: str, draws: int) -> None:
    precision = make_chain_precision(p)
    root = np.sqrt(precision.diagonal())
    truth = -precision / np.outer(root, root)
    upper = np.triu_indices(p, 1)
    null = (precision == 0)[upper]
    found = []
    for draw in range(draws):
        seed = [draw, zlib.crc32(f"{law} {n} {p}".encode())]
        X = rows_of(law, precision, n, np.random.default_rng(seed))
        result = ew.edge_test(X, **METHODS[method])
        reject, p_value = result.reject[upper], result.pvalue[upper]
        interval = result.confidence_interval(0.95, scale="partial_correlation")
        inside = ((interval.low <= truth) & (truth <= interval.high))[upper]
        found.append(
            (
                reject[null].any(),
                (p_value[null] < 0.05).mean(),
                reject[~null].mean(),
                inside.mean(),
            )
        )
    line = [
        study,
        law,
        n,
        p,
        method,
        draws,
        *(f"{x:.4f}" for x in np.mean(found, axis=0)),
    ]
    keep(dict(zip(KEYS + NUMBERS, map(str, line), strict=True)))
    print(*line, flush=True)


def read() -> list[dict[str, str]]:
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(line: dict[str, str]) -> None:
    """Write the line in place of an older one of the same cell."""
    lines = [old for old in read() if any(old[key] != line[key] for key in KEYS)]
    order = sorted([*lines, line], key=_place)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, KEYS + NUMBERS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(order)


def _place(line: dict[str, str]) -> tuple:
    names = line["study"], line["law"], line["method"]
    return names[0], int(line["columns"]), int(line["rows"]), *names[1:]


def levels() -> None:
    for p in (6, 10, 20):
        for n in (1000, 5000):
            draws = 500 if n * p <= 30_000 else 300 if n * p <= 50_000 else 200
            for law in ("gaussian", "t3", "t2", "cauchy", "exp(t2)"):
                cell("levels", law, n, p, "kendall", draws)


def beside(draws: int = 300) -> None:
    for n in (500, 2000):
        for law in ("gaussian", "t3", "t2", "cauchy"):
            for method in METHODS:
                cell("beside", law, n, 10, method, draws)


def ordinal(draws: int = 200) -> None:
    for n in (500, 2000, 10_000):
        for law in SHARES_BELOW:
            for method in ("score", "kendall", "normal scores, score"):
                cell("ordinal", law, n, 6, method, draws)


def table() -> None:
    found = {tuple(line[key] for key in KEYS): line for line in read()}
    sizes = [(p, n) for p in ("6", "10", "20") for n in ("1000", "5000")]
    show("rows", *(f"{n} × {p}" for p, n in sizes))
    for law in ("gaussian", "t3", "t2", "cauchy", "exp(t2)"):
        cells = [found["levels", law, n, p, "kendall"] for p, n in sizes]
        show(
            law,
            *(
                f"{share(one['family_wise'])} ({share(one['coverage'])})"
                for one in cells
            ),
        )
    cases = [
        (law, n) for n in ("500", "2000") for law in ("gaussian", "t3", "t2", "cauchy")
    ]
    show("test", *(f"{law}, {n}" for law, n in cases))
    for method in METHODS:
        cells = [found["beside", law, n, "10", method] for law, n in cases]
        show(
            method,
            *(f"{share(one['family_wise'])} / {share(one['power'])}" for one in cells),
        )
    methods = ("score", "normal scores, score", "kendall")
    show("classes", *methods)
    for law in SHARES_BELOW:
        cells = [
            [found["ordinal", law, n, "6", method] for n in ("500", "2000", "10000")]
            for method in methods
        ]
        show(
            law,
            *(
                " / ".join(share(one["family_wise"]) for one in three)
                for three in cells
            ),
        )


def share(text: str) -> str:
    return f"{float(text):.3f}".removeprefix("0") if float(text) < 1 else "1"


def show(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
    for name in sys.argv[1:] or ("levels", "beside", "ordinal", "table"):
        {"levels": levels, "beside": beside, "ordinal": ordinal, "table": table}[name]()

"""How often the covariance leaves its radius: the tables of theory/bounds.md.

    python docs/radii.py                         all sizes; about an hour on one core
    python docs/radii.py --columns 6 --rows 1000 some sizes; the others are kept
    python docs/radii.py --show                  the tables, from the numbers

Rows of a chain, at the level 0.05. Writes docs/radii.csv, one line per law and size: the shares of
draws in which the error was larger than its radius. `before` is of the whitened χ² radius as it
once was: without the rows' leverage, and for the error in units of Σ̂ in place of Σ.
"""

from __future__ import annotations

import argparse
import csv
import math
import zlib
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np

from edgewise.inference.sample import Needs, Sample, open_sample
from edgewise.methods.bounds import radius_of
from edgewise.paper.radii import ChiSquareRadius, NormalRadius, Radius
from edgewise.simulate import make_chain_precision, sample

TABLE = Path(__file__).parent / "radii.csv"
ALPHA = 0.05
LAWS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "t5": "$t_5$",
    "contaminated": "contaminated",
    "exponential": "exponential",
    "lognormal": "log-normal",
}
COLUMNS = (6, 10, 20)
ROWS = (1000, 5000, 20_000, 50_000)
# Columns, rows: draws. The larger the slower; 50,000 rows for the fewest columns only.
DRAWS = {
    **{(p, 1000): 1000 for p in (6, 10)},
    (6, 5000): 400,
    (6, 20_000): 300,
    (6, 50_000): 200,
    (10, 5000): 300,
    (10, 20_000): 150,
    (20, 1000): 200,
    (20, 5000): 100,
    (20, 20_000): 60,
}
SHARES = ("trace", "chi2", "before", "plain_trace", "plain_chi2", "plain_eig")
HEADER = ("law", "columns", "rows", "draws", *SHARES)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--laws", nargs="+", default=[*LAWS], choices=LAWS)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if not asked.show:
        for n, p, law in product(asked.rows, asked.columns, asked.laws):
            if (p, n) in DRAWS:
                write(read() | {(law, p, n): measured(law, p, n)})
    show(read())


def measured(law: str, p: int, n: int) -> tuple[float, ...]:
    """The number of draws, and the shares of them that left each radius."""
    precision = make_chain_precision(p)
    draws = DRAWS[p, n]
    seed = np.random.SeedSequence(zlib.crc32(f"{law} {p} {n}".encode()))
    left = [
        one_draw(sample(law, precision, n, rng=np.random.default_rng(child)), precision)
        for child in seed.spawn(draws)
    ]
    return draws, *(float(share) for share in np.mean(left, axis=0))


def one_draw(X: np.ndarray, precision: np.ndarray) -> tuple[bool, ...]:
    """Which radii the error of these rows left, in the order of SHARES."""
    evidence = open_sample(X, Needs(reads_again=True), "a table")
    estimate = evidence.moments().covariance()
    inverse = np.linalg.inv(np.linalg.cholesky(estimate))
    # Σ^(−½) Σ̂ Σ^(−½) has the eigenvalues of ΘΣ̂; in units of Σ̂ an error e is e/(1 + e).
    own = np.linalg.eigvals(precision @ estimate).real - 1
    error = np.linalg.norm(own)
    before = chi_square(evidence, inverse, whitened=False)
    after = chi_square(evidence, inverse, whitened=True)
    plain = chi_square(evidence, None, whitened=False)
    plain_error = estimate - np.linalg.inv(precision)
    size = np.linalg.norm(plain_error)
    return (
        leaves(NormalRadius(before.spectrum.sum()), error),
        leaves(after, error),
        leaves(before, np.linalg.norm(own / (1 + own))),
        leaves(NormalRadius(plain.spectrum.sum()), size),
        leaves(plain, size),
        leaves(NormalRadius(plain.spectrum.max()), np.linalg.norm(plain_error, 2)),
    )


def leaves(radius: Radius, error: float) -> bool:
    """Whether the error is above the radius: one tail, where a quantile takes ten."""
    return bool(radius.log_level(np.array([error]))[0] < math.log(ALPHA))


def chi_square(
    evidence: Sample, A: np.ndarray | None, *, whitened: bool
) -> ChiSquareRadius:
    radius, _ = radius_of(
        "chi2", evidence, A, support=None, solver="full", whitened=whitened
    )
    if not isinstance(radius, ChiSquareRadius):
        raise TypeError("radius: expected a weighted chi-square")
    return radius


def read() -> dict[tuple[str, int, int], tuple[float, ...]]:
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {
            (line["law"], int(line["columns"]), int(line["rows"])): (
                int(line["draws"]),
                *(float(line[name]) for name in SHARES),
            )
            for line in csv.DictReader(file)
        }


def write(cells: dict[tuple[str, int, int], tuple[float, ...]]) -> None:
    place = list(LAWS).index
    keys = sorted(cells, key=lambda key: (place(key[0]), *key[1:]))
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(HEADER)
        for key in keys:
            draws, *shares = cells[key]
            lines.writerow([*key, draws, *(f"{share:.4f}" for share in shares)])


def show(cells: dict[tuple[str, int, int], tuple[float, ...]]) -> None:
    """Tables of one radius before and after, and of the one without whitening."""
    for title, cell in {
        "whitened χ², before → now": lambda c: f"{c[3]:.3f} → {marked(c[2], c[0])}",
        "whitened, trace": lambda c: marked(c[1], c[0]),
        "not whitened, χ²": lambda c: marked(c[5], c[0]),
        "not whitened, trace": lambda c: marked(c[4], c[0]),
        "not whitened, eig": lambda c: marked(c[6], c[0]),
    }.items():
        table(title, cells, cell)


def table(title: str, cells: dict, cell: Callable) -> None:
    sizes = [size for size in sorted(DRAWS) if any(key[1:] == size for key in cells)]
    line(title, *(f"{p} × {n:,}" for p, n in sizes))
    line("---", *("---:" for _ in sizes))
    for law, name in LAWS.items():
        found = (cells.get((law, *size)) for size in sizes)
        line(name, *("" if one is None else cell(one) for one in found))
    print()


def marked(share: float, draws: float) -> str:
    """In bold where it is above the level by more than three standard errors."""
    clear = share > ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / draws)
    return f"**{share:.3f}**" if clear else f"{share:.3f}"


def line(*cells: str) -> None:
    print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()

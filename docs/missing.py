"""The numbers of theory/missing.md: how often tests err where values are missing, or rows weighted.

Writes docs/missing.csv, a line for each cell.

    python docs/missing.py levels      values missing completely at random
    python docs/missing.py power       the same beside dropping rows, 1000 rows of 30 columns
    python docs/missing.py weights     weights that have nothing to do with the rows
    python docs/missing.py selection   weights that undo a selection of rows
    python docs/missing.py depends     values that are missing where another column is high
    python docs/missing.py table       prints the tables, from the numbers

Each draw has a seed of its own, so single cells can be made again. `levels` takes about 40 minutes
on one core.
"""

from __future__ import annotations

import csv
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import stats

import edgewise as ew
from edgewise.simulate import make_chain_precision

TABLE = Path(__file__).parent / "missing.csv"
KEYS = ("study", "law", "rows", "columns", "missing", "method")
NUMBERS = ("draws", "family_wise", "below_05", "power", "coverage", "cautions")
LAWS = ("gaussian", "t5", "exponential")
PAIRWISE = {
    method: {"method": method, "missing": "pairwise"}
    for method in ("score", "wald", "batch")
}


def rows_of(
    law: str, precision: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows with this precision: elliptical ones, or sums of skewed variables."""
    root, shape = np.linalg.cholesky(np.linalg.inv(precision)), (n, len(precision))
    if law == "exponential":
        return (rng.exponential(1.0, shape) - 1) @ root.T
    X = rng.standard_normal(shape) @ root.T
    return X * np.sqrt(5 / rng.chisquare(5, (n, 1))) if law == "t5" else X


def holes(X: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(X.shape) < share, np.nan, X)


def measure(
    cell: tuple, draws: int, make: Callable[[np.random.Generator], tuple], methods: dict
) -> Iterator[dict]:
    """A line for each method: errors, power, coverage and cautions over the draws.

    `make` gives the rows, options of their own, and the precision.
    """
    found = {name: [] for name in methods}
    for draw in range(draws):
        rng = np.random.default_rng([zlib.crc32(repr(cell).encode()), draw])
        X, own, precision = make(rng)
        upper = np.triu_indices(len(precision), 1)
        scale = np.sqrt(precision.diagonal())
        truth = (-precision / np.outer(scale, scale))[upper]
        edge = truth != 0
        for name, options in methods.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    result = ew.edge_test(
                        X,
                        **options,
                        **{k: v for k, v in own.items() if k not in options},
                    )
                except ew.errors.DataError:
                    found[name].append((False, 0.0, 0.0, np.nan, 0.0))
                    continue
                interval = result.confidence_interval(0.95, scale="partial_correlation")
            inside = (interval.low[upper] <= truth) & (truth <= interval.high[upper])
            found[name].append(
                (
                    bool(result.reject[upper][~edge].any()),
                    float((result.pvalue[upper][~edge] < 0.05).mean()),
                    float(result.reject[upper][edge].mean()),
                    float(inside.mean()),
                    float(
                        any(
                            caution.kind == "missing values"
                            for caution in result.cautions
                        )
                    ),
                )
            )
    for name, lines in found.items():
        means = np.nanmean(np.array(lines, dtype=float), axis=0)
        numbers = [draws, *(f"{mean:.4f}" for mean in means)]
        yield dict(zip(KEYS + NUMBERS, [*cell, name, *numbers], strict=True))


def levels() -> Iterator[dict]:
    for n, p, draws in (
        (500, 10, 400),
        (5000, 10, 400),
        (500, 30, 200),
        (5000, 30, 200),
    ):
        precision = make_chain_precision(p)
        for law in LAWS:
            for share in (0.02, 0.1, 0.3):

                def make(rng, law=law, share=share, n=n, precision=precision):
                    return (
                        holes(rows_of(law, precision, n, rng), share, rng),
                        {},
                        precision,
                    )

                yield from measure(("levels", law, n, p, share), draws, make, PAIRWISE)


def power() -> Iterator[dict]:
    precision = make_chain_precision(30)
    methods = {
        **PAIRWISE,
        "score, rows dropped": {"method": "score", "missing": "drop"},
    }
    for law in LAWS:

        def make(rng, law=law):
            return holes(rows_of(law, precision, 1000, rng), 0.1, rng), {}, precision

        yield from measure(("power", law, 1000, 30, 0.1), 200, make, methods)


def weights() -> Iterator[dict]:
    precision = make_chain_precision(10)
    methods = {name: {"method": name} for name in ("score", "wald", "batch")}
    for n, draws in ((500, 500), (5000, 300)):
        for law in LAWS:
            for share in (0.0, 0.1):

                def make(rng, law=law, n=n, share=share):
                    own = {"weights": rng.exponential(1.0, n)}
                    if share:
                        own["missing"] = "pairwise"
                    return (
                        holes(rows_of(law, precision, n, rng), share, rng),
                        own,
                        precision,
                    )

                yield from measure(("weights", law, n, 10, share), draws, make, methods)


def selection() -> Iterator[dict]:
    """Rows are sampled more often where the first and the last column are high together."""
    precision = make_chain_precision(6)
    methods = {
        **{name: {"method": name} for name in ("score", "wald", "batch")},
        "score, no weights": {"method": "score", "weights": None},
        "fisher, no weights": {"method": "fisher", "weights": None},
    }
    for law in LAWS:

        def make(rng, law=law):
            X = rows_of(law, precision, 4000, rng)
            chance = 0.08 + 0.9 * stats.norm.cdf(1.5 * (X[:, 0] + X[:, -1]) - 1)
            kept = rng.random(len(X)) < chance
            return X[kept], {"weights": 1 / chance[kept]}, precision

        yield from measure(("selection", law, 4000, 6, 0.0), 300, make, methods)


def depends() -> Iterator[dict]:
    """Half of the values of a column are missing where its neighbour, and one more, are high."""
    precision = make_chain_precision(6)
    for law in LAWS:

        def make(rng, law=law):
            X = rows_of(law, precision, 1000, rng)
            lost = (X[:, 1] + X[:, 3] > 0) & (rng.random(len(X)) < 0.5)
            X[lost, 2] = np.nan
            return X, {}, precision

        methods = {
            **PAIRWISE,
            "score, rows dropped": {"method": "score", "missing": "drop"},
        }
        yield from measure(("depends", law, 1000, 6, 0.5), 300, make, methods)


def table() -> None:
    """The tables of the page: errors of score / wald / batch, in percent."""
    lines = {tuple(line[key] for key in KEYS): line for line in read()}

    def percent(
        cell: tuple, column: str, methods: tuple = ("score", "wald", "batch")
    ) -> str:
        found = [lines.get((*cell, method)) for method in methods]
        return " / ".join(
            "–" if line is None else f"{100 * float(line[column]):.1f}"
            for line in found
        )

    shares = ("0.02", "0.1", "0.3")
    for column in ("family_wise", "coverage", "power"):
        print(f"\n{column}, %\n\n| rows × columns | law | 2 % missing | 10 % | 30 % |")
        print("|---|---|---|---|---|")
        for n, p in (("500", "10"), ("5000", "10"), ("500", "30"), ("5000", "30")):
            for law in LAWS:
                cells = (
                    percent(("levels", law, n, p, share), column) for share in shares
                )
                print(f"| {n} × {p} | {law} |", " | ".join(cells), "|")
    print(
        "\n| law | found by score / wald / batch | by score, rows dropped |\n|---|---|---|"
    )
    for law in LAWS:
        cell = ("power", law, "1000", "30", "0.1")
        dropped = percent(cell, "power", ("score, rows dropped",))
        print(f"| {law} | {percent(cell, 'power')} | {dropped} |")
    print("\n| rows × columns | law | complete | 10 % missing |\n|---|---|---|---|")
    for n in ("500", "5000"):
        for law in LAWS:
            cells = (
                percent(("weights", law, n, "10", x), "family_wise")
                for x in ("0.0", "0.1")
            )
            print(f"| {n} × 10 | {law} |", " | ".join(cells), "|")
    print(
        "\n| law | weighted | score, no weights | fisher, no weights |\n|---|---|---|---|"
    )
    for law in LAWS:
        cell = ("selection", law, "4000", "6", "0.0")
        plain = (
            percent(cell, "family_wise", (f"{x}, no weights",))
            for x in ("score", "fisher")
        )
        print(f"| {law} | {percent(cell, 'family_wise')} |", " | ".join(plain), "|")


def read() -> list[dict]:
    return list(csv.DictReader(TABLE.open(encoding="utf-8"))) if TABLE.exists() else []


def write(new: list[dict]) -> None:
    """Replace the lines of the same cells."""
    lines = {tuple(str(line[key]) for key in KEYS): line for line in [*read(), *new]}
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, KEYS + NUMBERS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[key] for key in sorted(lines))


if __name__ == "__main__":
    studies = {
        "levels": levels,
        "power": power,
        "weights": weights,
        "selection": selection,
        "depends": depends,
    }
    for name in sys.argv[1:]:
        if name == "table":
            table()
            continue
        for line in studies[name]():
            write([line])
            print(line, flush=True)

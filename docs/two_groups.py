"""The numbers of theory/two_groups.md: how often `compare_groups` errs, and what it finds.

Writes docs/two_groups.csv, a line for each cell and kind of number.

    python docs/two_groups.py error --columns 10        equal graphs, Holm; five minutes
    python docs/two_groups.py permuted --columns 10     the same by permutations
    python docs/two_groups.py power                     a chain against one with a weaker edge
    python docs/two_groups.py table                     prints the tables, from the numbers

Every cell has a seed of its own, so single cells can be made again (--sizes, --laws).
"""

from __future__ import annotations

import argparse
import csv
import warnings
import zlib
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.api.compare_groups import permuted_statistics
from edgewise.inference.corrections import adjust
from edgewise.inference.differences import PermutedTests
from edgewise.inference.sample import open_sample
from edgewise.methods.wald import Wald
from edgewise.results.difference import TwoGroups
from edgewise.simulate import make_chain_precision, sample

TABLE = Path(__file__).parent / "two_groups.csv"
HEADER = (
    *("number", "law_a", "law_b", "n_a", "n_b", "columns", "graph"),
    *("draws", "value", "per_pair"),
)
ALPHA, PERMUTATIONS = 0.05, 199
SIZES = ("200+200", "500+500", "300+1500")
LAWS = (
    "gaussian",
    "t5",
    "contaminated",
    "exponential",
    "lognormal",
    "poisson 0.05",
    "gaussian|t5",
    "t5|gaussian",
)
WALD = Wald()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("error", "permuted", "power", "table"))
    parser.add_argument("--columns", type=int, nargs="+", default=[10])
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--laws", nargs="+", default=LAWS)
    parser.add_argument("--draws", type=int, default=1000)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
    if asked.part == "table":
        print(tables(read()))
        return
    for p in asked.columns:
        for size in asked.sizes:
            for laws in asked.laws:
                a, _, b = laws.partition("|")
                cell = (a, b or a, *map(int, size.split("+")), p)
                if a == "t5" and b and cell[2] == cell[3]:
                    continue  # the other order is the same cell
                PARTS[asked.part](cell, asked.draws)


def error(cell: tuple, draws: int) -> None:
    """Any false difference, and the share of pairs below 0.05, between equal graphs."""
    a, b, n_a, n_b, p = cell
    for graph, precision in graphs(a, p).items():
        rng = generator(f"{a}|{b}|{n_a}+{n_b}|{p}|{graph}")
        found, share = [], []
        for _ in range(draws):
            log_p = log_pvalues(
                rows(a, precision, n_a, rng), rows(b, precision, n_b, rng)
            )
            found.append((adjust(log_p, "holm") <= np.log(ALPHA)).any())
            share.append((log_p <= np.log(ALPHA)).mean())
        write("error", (*cell, graph), draws, np.mean(found), np.mean(share))


def permuted(cell: tuple, draws: int) -> None:
    """Any false difference by permutations: of D, and of the plain difference of ρ̂."""
    a, b, n_a, n_b, p = cell
    graph, precision = list(graphs(a, p).items())[-1]
    rng = generator(f"permuted {a}|{b}|{n_a}+{n_b}|{p}|{graph}")
    ours, plain, share = [], [], []
    for draw in range(draws):
        A, B = rows(a, precision, n_a, rng), rows(b, precision, n_b, rng)
        tests = by_permutations(A, B, draw)
        ours.append((tests.log_adjusted <= np.log(ALPHA)).any())
        share.append((tests.log_pvalue <= np.log(ALPHA)).mean())
        if "poisson" not in a:  # half of the rows may have a constant column
            plain.append(plain_permutations(A, B, rng).any())
    write("permuted", (*cell, graph), draws, np.mean(ours), np.mean(share))
    if plain:
        write("plain permuted", (*cell, graph), draws, np.mean(plain), np.nan)


def power(cell: tuple, draws: int) -> None:
    """How often each edge of a chain is found to differ whose ρ is −0.3 against 0, in every fourth.

    `value` is the share of the differing edges that are found, `per_pair` the share of data sets
    with a false one.
    """
    a, b, n_a, n_b, p = cell
    if "poisson" in a:
        return
    whole = make_chain_precision(p)
    partial = -whole / np.sqrt(np.outer(whole.diagonal(), whole.diagonal()))
    for i in range(1, p - 1, 4):
        partial[i, i + 1] = partial[i + 1, i] = 0.0
    np.fill_diagonal(partial, -1.0)
    other = scaled(-partial)
    i, j = np.triu_indices(p, k=1)
    differ = ((whole != 0) != (other != 0))[i, j]
    rng = generator(f"power {a}|{b}|{n_a}+{n_b}|{p}")
    found = {"holm": [], "permuted": [], "plain permuted": []}
    for draw in range(draws):
        A, B = rows(a, whole, n_a, rng), rows(b, other, n_b, rng)
        found["holm"].append(adjust(log_pvalues(A, B), "holm") <= np.log(ALPHA))
        found["permuted"].append(
            by_permutations(A, B, draw).log_adjusted <= np.log(ALPHA)
        )
        found["plain permuted"].append(plain_permutations(A, B, rng))
    for name, rejected in found.items():
        decided = np.array(rejected)
        write(
            f"power, {name}",
            (*cell, "chain"),
            draws,
            decided[:, differ].mean(),
            decided[:, ~differ].any(axis=1).mean(),
        )


def scaled(precision: np.ndarray) -> np.ndarray:
    """The precision matrix of the same graph with unit variances."""
    deviation = np.sqrt(np.linalg.inv(precision).diagonal())
    return precision * np.outer(deviation, deviation)


def plain_permutations(A, B, rng) -> np.ndarray:
    """Which pairs differ by permutations of |ρ̂_A − ρ̂_B|, not studentised.

    As NetworkComparisonTest does (van Borkulo et al. 2022), but with partial correlations that are
    not shrunk, and stepping down from the largest difference, which is never less powerful than
    Holm's correction of its p-values.
    """
    pooled, n = np.concatenate([A, B]), len(A)

    def differences(order):
        return np.abs(correlations(pooled[order[:n]]) - correlations(pooled[order[n:]]))

    observed = differences(np.arange(len(pooled)))
    draws = np.array(
        [differences(rng.permutation(len(pooled))) for _ in range(PERMUTATIONS)]
    )
    return PermutedTests.of(observed, draws).log_adjusted <= np.log(ALPHA)


def correlations(X) -> np.ndarray:
    precision = np.linalg.inv(np.cov(X.T))
    root = np.sqrt(precision.diagonal())
    return (-precision / np.outer(root, root))[np.triu_indices(len(root), k=1)]


def by_permutations(A, B, seed: int) -> PermutedTests:
    """Our permutations, without what a result needs."""
    (z_a, v_a), (z_b, v_b) = WALD.fisher_z_of_rows(A), WALD.fisher_z_of_rows(B)
    draws = permuted_statistics([A, B], WALD, PERMUTATIONS, seed)
    return PermutedTests.of(np.abs(z_a - z_b) / np.sqrt(v_a + v_b), np.abs(draws))


def log_pvalues(A, B) -> np.ndarray:
    """Those of `compare_groups`, without what a result needs."""
    measured = [
        WALD.measure_group(open_sample(X, WALD.needs, "the study")) for X in (A, B)
    ]
    return TwoGroups(("a", "b"), *measured).difference(1).log_pvalues()


def graphs(law: str, p: int) -> dict[str, np.ndarray]:
    """Counts are drawn independently; the others also from chains, with edges of either sign."""
    if "poisson" in law:
        return {"independent": np.eye(p)}
    return {
        "independent": np.eye(p),
        "chain −": make_chain_precision(p),
        "chain +": make_chain_precision(p, -0.3),
    }


def rows(law: str, precision: np.ndarray, n: int, rng) -> np.ndarray:
    if "poisson" not in law:
        return sample(law, precision, n, rng=rng)
    rate, p = float(law.split()[1]), len(precision)
    X = rng.poisson(rate, (n, p)).astype(float)
    while (constant := np.ptp(X, axis=0) == 0).any():  # it would be refused
        X[:, constant] = rng.poisson(rate, (n, int(constant.sum())))
    return X


def generator(cell: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(cell.encode()))


def read() -> dict:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            tuple(row[name] for name in HEADER[:7]): [row[name] for name in HEADER[7:]]
            for row in csv.DictReader(file)
        }


def write(number: str, cell: tuple, draws: int, value, per_pair) -> None:
    known = read()
    known[(number, *map(str, cell))] = [
        str(draws),
        f"{value:.4g}",
        "" if np.isnan(per_pair) else f"{per_pair:.4g}",
    ]
    print(number, *cell, f"{value:.4f} {per_pair:.4f}", flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for key in sorted(known):
            writer.writerow([*key, *known[key]])


NAMES = {
    "gaussian": "Gaussian",
    "t5": "t₅",
    "lognormal": "log-normal",
    "poisson 0.05": "Poisson(0.05)",
}


def tables(known: dict) -> str:
    """The tables of the page as Markdown; of each law, the worst of its graphs."""
    parts = []
    for number, columns in (
        ("error", (10, 20)),
        ("permuted", (10, 20)),
        ("plain permuted", (10,)),
    ):
        heads = [f"{size} × {p}" for p in columns for size in SIZES]
        lines = [f"| {number} | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        for laws in LAWS:
            a, _, b = laws.partition("|")
            cells = [
                worst(known, (number, a, b or a, *size.split("+"), str(p)))
                for p in columns
                for size in SIZES
            ]
            name = " against ".join(NAMES.get(law, law) for law in laws.split("|"))
            lines.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    lines = ["| rows | Holm | permuted | plain permuted |", "|---|---|---|---|"]
    for laws in LAWS:
        for size in SIZES:
            cells = [
                worst(known, (f"power, {how}", laws, laws, *size.split("+"), "10"))
                for how in ("holm", "permuted", "plain permuted")
            ]
            if "–" not in cells:
                name = NAMES.get(laws, laws)
                lines.append(f"| {name}, {size} | {' | '.join(cells)} |")
    return "\n\n".join([*parts, "\n".join(lines)])


def worst(known: dict, key: tuple) -> str:
    values = [float(value[1]) for cell, value in known.items() if cell[:-1] == key]
    return f"{max(values):.3f}" if values else "–"


PARTS = {"error": error, "permuted": permuted, "power": power}

if __name__ == "__main__":
    main()

"""The numbers of theory/nodewise.md: how often method 'nodewise' errs, and what it finds.

Writes docs/nodewise.csv, a line for each cell.

    python docs/nodewise.py cells --sizes 100x150 150x200     every graph and law of these sizes
    python docs/nodewise.py cells --graphs chain --laws gaussian --penalties 1.0 1.25 1.5
    python docs/nodewise.py table                             prints the tables, from the numbers
    python docs/nodewise.py agreement                         the edges of `score`, with many rows
    python docs/nodewise.py ceiling                           the best power without a distribution
    python docs/nodewise.py silggm FOLDER                     the same rows as SILGGM, its p-values

100 × 150 takes 0.1 s a draw on two cores, 300 × 1000 about 4 s. Each draw has a seed of its own, so
single cells can be made again.
"""

from __future__ import annotations

import argparse
import csv
import warnings
import zlib
from functools import partial
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.inference.corrections import adjust
from edgewise.inference.references import log_two_sided_tail
from edgewise.inference.sample import open_sample
from edgewise.methods.nodewise import DEFAULT_PENALTY
from edgewise.simulate import (
    make_chain_precision,
    make_erdos_renyi_precision,
    make_hub_precision,
    sample,
)

TABLE = Path(__file__).parent / "nodewise.csv"
KEYS = ("rows", "columns", "graph", "law", "penalty")
NUMBERS = (
    *("draws", "below_05", "below_001", "family_wise", "power", "fdr", "bh_power"),
    *("fisher_family_wise", "fisher_power", "neighbours", "cautioned"),
)
ALPHA = 0.05
SIZES = {"100x150": 200, "150x200": 150, "300x500": 40, "300x1000": 10}
LAWS = ("gaussian", "t5", "contaminated", "exponential", "lognormal")
GRAPHS = {
    "chain": make_chain_precision,
    "hub": lambda p: make_hub_precision(p, n_hubs=p // 10),
    "cluster": partial(make_erdos_renyi_precision, size=5, probability=1, weight=0.25),
    "band": lambda p: make_chain_precision(p, (0.6, 0.3)),
    "erdos-renyi": lambda p: make_erdos_renyi_precision(p, probability=2 / p, rng=0),
    # Every column has 19 neighbours: not sparse beside 100 or 300 rows.
    "dense clusters": partial(
        make_erdos_renyi_precision, size=20, probability=1, weight=-0.045
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "part", choices=("cells", "table", "agreement", "ceiling", "silggm")
    )
    parser.add_argument("folder", nargs="?", help="of SILGGM's p-values")
    parser.add_argument("--sizes", nargs="+", default=list(SIZES))
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS)[:4])
    parser.add_argument("--laws", nargs="+", default=LAWS[:4])
    parser.add_argument("--penalties", nargs="+", type=float, default=[DEFAULT_PENALTY])
    parser.add_argument("--draws", type=int)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
    if asked.part == "silggm":
        beside_silggm(Path(asked.folder))
    others = {
        "table": lambda: print(tables(read())),
        "agreement": agreement,
        "ceiling": ceiling,
    }
    if asked.part != "cells":
        others.get(asked.part, lambda: None)()
        return
    for size in asked.sizes:
        n, p = map(int, size.split("x"))
        draws = asked.draws or SIZES[size]
        for graph in asked.graphs:
            for law in asked.laws:
                for penalty in asked.penalties:
                    cell(n, p, graph, law, penalty, draws)


def cell(n: int, p: int, graph: str, law: str, penalty: float, draws: int) -> None:
    """Errors and power in one cell; null pairs are counted in multiples of the level."""
    precision = GRAPHS[graph](p)
    edge = precision[np.triu_indices(p, k=1)] != 0
    seed = zlib.crc32(f"{n}x{p} {graph} {law}".encode())
    found = []
    for draw in range(draws):
        X = sample(law, precision, n, rng=np.random.default_rng([seed, draw]))
        found.append(outcomes(X, edge, penalty))
    write((n, p, graph, law, penalty), (draws, *np.mean(found, axis=0)))


def outcomes(X: np.ndarray, edge: np.ndarray, penalty: float) -> list[float]:
    """One draw: what the test did, and Fisher's test given the same columns."""
    method = ew.methods.Nodewise(penalty=penalty)
    measured = method.measure(open_sample(X, method.needs, "the study"))
    log_p = measured.uncertainty.log_pvalues(measured)
    pairs = np.triu_indices(X.shape[1], k=1)
    r = measured.partial_correlation[pairs]
    degrees = len(X) - 2.0 - measured.selection.sizes()[pairs]
    fisher = log_two_sided_tail(r * np.sqrt(degrees / (1 - r * r)), degrees)
    holm, bh, fisher_holm = (
        adjust(values, correction) <= np.log(ALPHA)
        for values, correction in ((log_p, "holm"), (log_p, "bh"), (fisher, "holm"))
    )
    return [
        *(np.mean(log_p[~edge] <= np.log(level)) / level for level in (0.05, 0.001)),
        *(holm[~edge].any(), holm[edge].mean()),
        *((bh & ~edge).sum() / max(bh.sum(), 1), bh[edge].mean()),
        *(fisher_holm[~edge].any(), fisher_holm[edge].mean()),
        np.mean([len(own) for own in measured.selection.neighbours]),
        any(caution.kind == "many neighbours" for caution in measured.cautions),
    ]


def agreement() -> None:
    """Pairs on which `nodewise` and `score` disagree, where rows are many; weak chains."""
    for n, p in ((400, 20), (1000, 40), (2000, 100)):
        for law in ("gaussian", "t5", "exponential"):
            counts = []
            for seed in range(20):
                X = sample(law, make_chain_precision(p, 0.2), n, rng=seed)
                score, own = (
                    ew.edge_test(X, method=name) for name in ("score", "nodewise")
                )
                differ = np.count_nonzero(score.reject != own.reject) / 2
                counts.append((differ, score.n_edges, own.n_edges))
            print(n, p, law, *np.round(np.mean(counts, axis=0), 2), flush=True)


def ceiling(n: int = 300, p: int = 500, rho: float = 0.3, draws: int = 20_000) -> None:
    """The power of exact sign flips and of Fisher's test of one pair, at the level of all pairs.

    By the saddlepoint formula for all n signs; nothing is fitted, and there is no floor.
    """
    from scipy.special import log_ndtr

    level = np.log(ALPHA / (p * (p - 1) / 2))
    rng = np.random.default_rng(0)
    x, noise = rng.standard_normal((2, draws, n))
    y = rho * x + np.sqrt(1 - rho**2) * noise
    r = np.sum(x * y, axis=1) / np.sqrt(np.sum(x * x, axis=1) * np.sum(y * y, axis=1))
    fisher = log_two_sided_tail(r * np.sqrt((n - 1) / (1 - r * r)), n - 1.0)
    a = np.abs(x * y)
    t = np.abs(np.sum(x * y, axis=1)) / np.sqrt(np.sum(a * a, axis=1))
    a /= np.sqrt(np.sum(a * a, axis=1))[:, np.newaxis]
    s = t.copy()
    for _ in range(40):  # Newton's method for K'(s) = t
        tanh = np.tanh(a * s[:, np.newaxis])
        curvature = np.sum(a * a * (1 - tanh * tanh), axis=1)
        s -= (np.sum(a * tanh, axis=1) - t) / curvature
    logs = np.logaddexp(a * s[:, np.newaxis], -a * s[:, np.newaxis]) - np.log(2)
    root = np.sqrt(2 * (s * t - np.sum(logs, axis=1)))
    tail = np.log(2) + log_ndtr(-(root + np.log(s * np.sqrt(curvature) / root) / root))
    found = np.mean(tail <= level), np.mean(fisher <= level)
    print(
        "sign flips {:.3f}, Fisher {:.3f}: {:.3f}".format(*found, found[0] / found[1])
    )


def beside_silggm(folder: Path) -> None:
    """Holm and BH on p-values of SILGGM 1.0.0 and ours, for the same 150 × 200 rows of a chain."""
    rows, columns = np.triu_indices(200, k=1)
    edge = columns == rows + 1
    for name in ("gauss", "t5", "logn"):
        with np.load(folder / f"{name}_150x200.npz") as data:
            result = ew.edge_test(data["X"].astype(float), method="nodewise")
            values = {
                "D-S_NW_SL": np.log(np.maximum(data["p_DS_NW_SL"], 1e-300)),
                "B_NW_SL": np.log(np.maximum(data["p_B_NW_SL"], 1e-300)),
                "nodewise": result.log_pvalue[rows, columns],
            }
        for who, log_p in values.items():
            shares = [np.mean(log_p[~edge] <= np.log(a)) / a for a in (0.05, 0.001)]
            counts = []
            for correction in ("holm", "bh"):
                found = adjust(log_p, correction) <= np.log(ALPHA)
                counts += [found[edge].sum(), found[~edge].sum()]
            print(name, who, *np.round(shares, 2), *counts)


def read() -> dict[tuple[str, ...], dict[str, str]]:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {tuple(row[key] for key in KEYS): row for row in csv.DictReader(file)}


def write(keys: tuple, numbers: tuple) -> None:
    rows = read()
    own = tuple(map(str, keys))
    texts = [str(numbers[0]), *(f"{value:.4g}" for value in numbers[1:])]
    rows[own] = dict(zip((*KEYS, *NUMBERS), (*own, *texts), strict=True))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*KEYS, *NUMBERS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    print(*own, *texts, flush=True)


def tables(rows: dict[tuple[str, ...], dict[str, str]]) -> str:
    """Markdown: a line for each cell, at the default penalty."""
    lines = [
        "| rows × columns | graph | law | draws | below .05 | below .001 | family-wise | power | "
        "FDR | Fisher, family-wise | power |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    order = {key: place for place, key in enumerate((*SIZES, *GRAPHS, *LAWS))}

    def place(row: dict[str, str]) -> tuple[int, ...]:
        size = f"{row['rows']}x{row['columns']}"
        return order[size], order[row["graph"]], order[row["law"]]

    usual = [row for row in rows.values() if float(row["penalty"]) == DEFAULT_PENALTY]
    for row in sorted(usual, key=place):
        numbers = (
            f"{float(row['below_05']):.2f}",
            f"{float(row['below_001']):.2f}",
            *(
                f"{float(row[name]):.3f}".removeprefix("0")
                for name in ("family_wise", "power", "fdr", "fisher_family_wise")
            ),
            f"{float(row['fisher_power']):.3f}".removeprefix("0"),
        )
        cells = (
            f"{row['rows']} × {row['columns']}",
            row["graph"],
            row["law"],
            row["draws"],
        )
        lines.append("| " + " | ".join((*cells, *numbers)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

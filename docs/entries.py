"""The table of thresholds for each entry of theory/bounds.md.

`python docs/entries.py` prints it in about 20 minutes; `python docs/entries.py 6` the lines of
six columns. Rows of a chain, level 0.05. Thresholds are on |Θ̂_ij|: medians over the draws of the
median over the pairs, and for "entrywise" also of the smallest and the largest. "missed" is the
share of draws in which |Θ̂_ij − Θ_ij| was above its threshold for any entry, the diagonal included.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from itertools import product

import numpy as np

from edgewise.errors import EdgewiseWarning
from edgewise.inference.sample import open_sample
from edgewise.inference.uncertainty import Bound
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.simulate import make_chain_precision, sample

ALPHA = 0.05
LAWS = {"gaussian": "Gaussian", "laplace": "Laplace", "t5": "$t_5$"}
COLUMNS = (6, 14)
DRAWS = {10_000: 300, 100_000: 100}
# The other bounds differ little between draws, and never miss.
FEW_DRAWS = 12
OTHERS = {
    "paper, trace": method_of("trace"),
    "paper, eig": method_of("eig"),
    "spectral, trace": method_of("spectral"),
    "whitened, trace": method_of("whitened"),
    "whitened, χ²": method_of("whitened", {"radius": "chi2"}),
}
OWN = method_of("entrywise")


def bound_of(method: Method, X: np.ndarray) -> tuple[np.ndarray, Bound]:
    """The estimate, and the bound on all of its entries."""
    measured = method.measure(open_sample(X, method.needs, "a table"))
    bound = measured.uncertainty
    if not isinstance(bound, Bound):
        raise TypeError("method: expected a bound")
    return measured.precision, bound


def cells(law: str, p: int, n: int) -> list[str]:
    precision, (i, j) = make_chain_precision(p), np.triu_indices(p)
    pairs = i < j
    seed = np.random.SeedSequence(zlib.crc32(f"{law} {p} {n}".encode()))
    thresholds: dict[str, list[float]] = {name: [] for name in OTHERS}
    own, missed, missed_by_others = [], [], 0
    for draw, child in enumerate(seed.spawn(DRAWS[n])):
        X = sample(law, precision, n, rng=np.random.default_rng(child))
        estimate, bound = bound_of(OWN, X)
        error = np.abs(estimate - precision)[i, j]
        half = bound.half_width(ALPHA)[i, j]
        union = bound.radius.of_union(ALPHA) / bound.radius.epsilon(ALPHA) * half
        shown = half[pairs]
        own.append(
            [shown.min(), np.median(shown), shown.max(), np.median(union[pairs])]
        )
        missed.append([(error > half).any(), (error > union).any()])
        for name, method in OTHERS.items() if draw < FEW_DRAWS else ():
            _, other = bound_of(method, X)
            other_half = other.half_width(ALPHA)[i, j]
            thresholds[name].append(float(np.median(other_half[pairs])))
            missed_by_others += int((error > other_half).any())
    smallest, median, largest, union = np.median(own, axis=0)
    rates = np.mean(missed, axis=0)
    return [
        *(number(np.median(found)) for found in thresholds.values()),
        f"{number(median)} ({number(smallest)}–{number(largest)})",
        number(union),
        f"{rates[0]:.3f}, {rates[1]:.3f}",
        str(missed_by_others),
    ]


def number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "∞"


def main() -> None:
    warnings.simplefilter("ignore", EdgewiseWarning)
    show("rows", "p × n", *OTHERS, "entrywise", "union", "missed", "missed by others")
    asked = [int(p) for p in sys.argv[1:]] or COLUMNS
    for p, n, (law, name) in product(asked, DRAWS, LAWS.items()):
        show(name, f"{p} × {n:,}", *cells(law, p, n))


def show(*texts: str) -> None:
    print("|", " | ".join(texts), "|", flush=True)


if __name__ == "__main__":
    main()

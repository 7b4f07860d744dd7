"""The tables on tails, transformations and logarithms of choosing.md.

`python docs/tails.py` makes all of them in about ten minutes, `python docs/tails.py logs` one.
Cells are shares of data sets in percent, with their 95 % bands (Clopper and Pearson).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats

import edgewise as ew
from edgewise.simulate import StudentT, make_chain_precision, sample
from edgewise.studies import calibrate

P, ROWS, DRAWS = 10, 5000, 1000
NO_EDGES, CHAIN = np.eye(P), make_chain_precision(P)


def spherical_t(df: float) -> Callable:
    """Any df above 0; `StudentT` refuses those without a variance."""

    def rows(n, rng):
        size = np.sqrt(rng.chisquare(df, (n, 1)) / df)
        return rng.standard_normal((n, P)) / size

    return rows


LAWS = {
    "Gaussian": "gaussian",
    "t₅": spherical_t(5),
    "t₃": spherical_t(3),
    "t₂": spherical_t(2),
    "Cauchy (t₁)": spherical_t(1),
    "Pareto 1.5": lambda n, rng: rng.pareto(1.5, (n, P)),
}


def as_it_is(X):
    return X


def asinh(X):
    middle = np.median(X, axis=0)
    return np.arcsinh((X - middle) / stats.median_abs_deviation(X, axis=0))


def clipped(X):
    return np.clip(X, *np.quantile(X, [0.01, 0.99], axis=0))


def normal_scores(X):
    return stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))


CHANGES = {
    "as it is": as_it_is,
    "asinh": asinh,
    "clipped": clipped,
    "normal scores": normal_scores,
}


def judge(X, change, method):
    try:
        return ew.edge_test(change(X), method=method)
    except ew.errors.DataError:  # a few huge values make columns look collinear
        return np.ones((P, P))  # p-values: no edge is declared


def rates(law, truth, change=as_it_is, method="score", n=ROWS, draws=DRAWS):
    return calibrate(
        partial(judge, change=change, method=method),
        law,
        precision=truth,
        n_samples=n,
        n_draws=draws,
    )


def percent(estimate) -> str:
    value, low, high = (100 * number for number in estimate)
    mark = "**" if low > 5 else ""
    return f"{mark}{value:.1f}{mark} ({low:.1f}–{high:.1f})"


def shares() -> None:
    """Of a column's Σx⁴, what its largest value makes, and the kurtosis; medians of 200."""
    laws = {"Gaussian": None, "t₅": 5, "t₃": 3, "t₂": 2, "Cauchy (t₁)": 1}
    sizes = (500, 5000, 50_000)
    show("rows", *(f"{n:,}" for n in sizes))
    for name, df in laws.items():
        cells = []
        for n in sizes:
            found = np.array([share_and_kurtosis(df, n, seed) for seed in range(200)])
            share, kurtosis = np.median(found, axis=0)
            cells.append(f"{share:.0%}, {kurtosis:,.0f}")
        show(name, *cells)


def share_and_kurtosis(df, n, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) if df is None else rng.standard_t(df, n)
    fourth = (x - x.mean()) ** 4
    return fourth.max() / fourth.sum(), fourth.mean() / x.var() ** 2


def tails() -> None:
    """No edges: every edge is false, before and after a change of the columns."""
    show("rows", "score", "batch", *list(CHANGES)[1:])
    for name, law in LAWS.items():
        found = [rates(law, NO_EDGES), rates(law, NO_EDGES, method="batch")]
        found += [rates(law, NO_EDGES, change) for change in list(CHANGES.values())[1:]]
        cells = [percent(one.family_wise_error) for one in found]
        show(name, *cells)


def chain() -> None:
    """A chain of edges: those outside it, after a change of the columns."""
    show("rows", "number", *CHANGES)
    for name, law in {"Gaussian": "gaussian", "t₃": StudentT(3)}.items():
        for n, draws in ((5000, DRAWS), (50_000, 250)):
            found = [
                rates(law, CHAIN, change, n=n, draws=draws)
                for change in CHANGES.values()
            ]
            show(name, f"{n:,}", *(percent(one.family_wise_error) for one in found))
            show("", "found", *(f"{one.power.value:.3f}" for one in found))


def million() -> None:
    """The mean partial correlation of second neighbours in a chain, from a million rows."""
    show("rows", *CHANGES)
    for name, law in {"Gaussian": "gaussian", "t₃": StudentT(3)}.items():
        X = sample(law, CHAIN, 1_000_000, rng=0)
        cells = []
        for change in CHANGES.values():
            theta = np.linalg.inv(np.corrcoef(change(X), rowvar=False))
            rho = -theta / np.sqrt(np.outer(theta.diagonal(), theta.diagonal()))
            cells.append(f"{rho.diagonal(2).mean():.4f}")
        show(name, *cells)


def skewed() -> None:
    """Log-normal components on a chain, with more and more rows."""
    sizes = (2000, 8000, 32_000)
    show("rows", *(f"{n:,}" for n in sizes))
    found = [rates("lognormal", CHAIN, n=n, draws=2000) for n in sizes]
    show("score", *(percent(one.family_wise_error) for one in found))


def logs() -> None:
    """Positive values whose logarithms have a known graph."""
    show("logarithms", "values", "power", "logarithms", "power")
    for law, name in {"gaussian": "Gaussian", "t5": "t₅"}.items():
        for truth, graph in ((NO_EDGES, "no edges"), (CHAIN, "a chain")):
            found = [rates(law, truth, change) for change in (np.exp, as_it_is)]
            errors = [percent(one.family_wise_error) for one in found]
            powers = [
                f"{one.power.value:.3f}" if truth is CHAIN else "–" for one in found
            ]
            show(f"{name}, {graph}", errors[0], powers[0], errors[1], powers[1])


def show(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


TABLES = {
    "skewed": skewed,
    "logs": logs,
    "shares": shares,
    "tails": tails,
    "chain": chain,
    "million": million,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
    for name in sys.argv[1:] or TABLES:
        TABLES[name]()

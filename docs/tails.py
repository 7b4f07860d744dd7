"""The tables on counts, skewness and tails of limits.md.

`python docs/tails.py` makes all of them in about 20 minutes, `python docs/tails.py logs` one.
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
from edgewise.calibrate import calibrate
from edgewise.simulate import (
    ClaytonPareto,
    Pareto,
    StudentT,
    make_chain_precision,
    sample,
)

P, ROWS, DRAWS = 10, 5000, 500
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
    if change is normal_scores:  # as the library makes them
        return ew.edge_test(X, method=method, transform="normal-scores")
    try:
        return ew.edge_test(change(X), method=method)
    except ew.errors.DataError:  # a few huge values make columns look collinear
        return np.ones((P, P))  # p-values: no edge is declared


def rates(law, truth, change=as_it_is, method="score", n=ROWS, test=None):
    return calibrate(
        partial(judge, change=change, method=method) if test is None else test,
        law,
        precision=truth,
        n_samples=n,
        n_draws=DRAWS,
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
    show("rows", "score", "batch", "kendall", *list(CHANGES)[1:])
    for name, law in LAWS.items():
        found = [
            rates(law, NO_EDGES, method=method)
            for method in ("score", "batch", "kendall")
        ]
        found += [rates(law, NO_EDGES, change) for change in list(CHANGES.values())[1:]]
        cells = [percent(one.family_wise_error) for one in found]
        show(name, *cells)


def chain() -> None:
    """A chain of edges: those outside it, after a change of the columns."""
    show("rows", *CHANGES)
    for name, law in {"Gaussian": "gaussian", "t₃": StudentT(3)}.items():
        found = [rates(law, CHAIN, change) for change in CHANGES.values()]
        show(name, *(percent(one.family_wise_error) for one in found))
        show("found", *(f"{one.power.value:.3f}" for one in found))


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


COUNTS = {
    "Poisson(0.02), 5,000 rows": (5000, lambda n, rng: rng.poisson(0.02, (n, P))),
    "Poisson(0.05), 1,000 rows": (1000, lambda n, rng: rng.poisson(0.05, (n, P))),
    "Poisson(1), 1,000 rows": (1000, lambda n, rng: rng.poisson(1.0, (n, P))),
    "0/1, 1 % ones, 5,000 rows": (5000, lambda n, rng: rng.random((n, P)) < 0.01),
    "0/1, 5 % ones, 1,000 rows": (1000, lambda n, rng: rng.random((n, P)) < 0.05),
    "log-normal, 5 % not zero, 5,000 rows": (
        5000,
        lambda n, rng: rng.lognormal(size=(n, P)) * (rng.random((n, P)) < 0.05),
    ),
    "five levels, skewed, 1,000 rows": (
        1000,
        lambda n, rng: rng.choice(5, (n, P), p=[0.7, 0.15, 0.08, 0.05, 0.02]),
    ),
}


def counts() -> None:
    """Independent columns of counts and rare events: every edge is false."""
    show("rows", "score", "batch", "wald", "fisher")
    for name, (n, law) in COUNTS.items():
        found = [
            rates(as_floats(law), NO_EDGES, method=method, n=n)
            for method in ("score", "batch", "wald", "fisher")
        ]
        show(name, *(percent(one.family_wise_error) for one in found))


def as_floats(law: Callable) -> Callable:
    return lambda n, rng: law(n, rng).astype(float)


def logs() -> None:
    """Independent columns, as they are and after log(1 + x) or log x."""
    laws = {
        "Poisson(0.02)": (lambda n, rng: rng.poisson(0.02, (n, P)), np.log1p),
        "Poisson(1)": (lambda n, rng: rng.poisson(1.0, (n, P)), np.log1p),
        "log-normal": (lambda n, rng: rng.lognormal(size=(n, P)), np.log),
    }
    show("rows", "score", "score, log", "fisher", "fisher, log")
    for name, (law, log) in laws.items():
        found = [
            rates(as_floats(law), NO_EDGES, change, method=method)
            for method in ("score", "fisher")
            for change in (as_it_is, log)
        ]
        show(name, *(percent(one.family_wise_error) for one in found))


def skewed() -> None:
    """Independent skewed components on a chain, with more and more rows."""
    sizes = (500, 2000, 8000)
    show("score", *(f"{n:,}" for n in sizes))
    laws = {"log-normal": "lognormal", "Pareto, shape 3": Pareto(3.0)}
    for name, law in laws.items():
        found = [rates(law, CHAIN, n=n) for n in sizes]
        show(name, *(percent(one.family_wise_error) for one in found))
        show("found", *(f"{one.power.value:.3f}" for one in found))


def shared() -> None:
    """Skewed rows whose columns are large together, on a chain; and with the true residuals."""
    sizes = (500, 5000, 20_000)
    show("score", *(f"{n:,}" for n in sizes))
    for shape in (6.0, 10.0, 20.0):
        found = [rates(ClaytonPareto(shape), CHAIN, n=n) for n in sizes]
        show(f"shape {shape:g}", *(percent(one.family_wise_error) for one in found))
    found = [rates(ClaytonPareto(6.0), CHAIN, n=n, test=true_residuals) for n in sizes]
    cells = [percent(one.family_wise_error) for one in found]
    show("shape 6, true residuals", *cells)


def true_residuals(X):
    """P-values of Σεε/√Σε²ε² with the true residuals ε of null pairs: nothing is fitted."""
    e = X @ CHAIN
    T = (e.T @ e) / np.sqrt((e**2).T @ e**2)
    np.fill_diagonal(T, 0.0)
    return 2 * stats.norm.sf(np.abs(T))


def show(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


TABLES = {
    "counts": counts,
    "logs": logs,
    "skewed": skewed,
    "shared": shared,
    "shares": shares,
    "tails": tails,
    "chain": chain,
    "million": million,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
    for name in sys.argv[1:] or TABLES:
        TABLES[name]()

"""Pictures of results: what the code of a page draws, drawn anew whenever the pages are built."""

from __future__ import annotations

from functools import cache

import matplotlib as mpl
import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure
from scipy.stats import norm

import edgewise as ew
from drawing.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    RED,
    STYLE,
    WIDTH,
    panels,
)


@cache
def returns_result(method: str = "batch"):
    return ew.edge_test(ew.datasets.load_sp500_returns(), method=method)


def network(result, width: float, height: float) -> Figure:
    """A graph in a figure of that size, so that its letters are not made smaller."""
    figure = Figure(figsize=(width, height), layout="constrained")
    result.plot("network", ax=figure.subplots())
    return figure


def returns() -> Figure:
    """The graph of the tutorial."""
    return network(returns_result(), 6.4, 5.6)


def home() -> Figure:
    """The same for the first page, where it stands beside the question."""
    return network(returns_result(), 5.0, 4.6)


def forest() -> Figure:
    return returns_result().plot("forest").figure


def two_groups() -> Figure:
    names = ["Date", "JPM", "BAC", "XOM", "CVX", "KO", "PEP", "MSFT", "WMT"]
    table = ew.datasets.load_sp500_returns(dates=True).select(names)
    early = pc.less(pc.year(table["Date"]), 2008)
    result = ew.compare_groups(
        table.filter(early),
        table.filter(pc.invert(early)),
        exclude="Date",
        method="batch",
        group_names=("before 2008", "since 2008"),
    )
    figure = Figure(figsize=(WIDTH, 6.2), layout="constrained")
    (first, second), (difference, unused) = figure.subplots(2, 2)
    unused.axis("off")
    result.plot(axes=(first, second, difference))
    return figure


def covariates() -> Figure:
    """Six shares, adjusted for the others, and with the others left out."""
    table = ew.datasets.load_sp500_returns()
    six = ["AAPL", "AMD", "KO", "MSFT", "PEP", "PG"]
    others = [name for name in table.column_names if name not in six]
    adjusted = ew.edge_test(table, given=others, method="batch")
    alone = ew.edge_test(table, columns=six, method="batch")
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, result, title in (
        (left, adjusted, "adjusted for the other 14"),
        (right, alone, "the other 14 left out"),
    ):
        result.plot("network", ax=axes)
        axes.set_title(f"{title}: {result.n_edges} edges", fontsize=10)
    return figure


def chain_of_regions() -> Figure:
    """The edges of thirty subjects: the chain that was drawn."""
    from scipy.signal import lfilter

    rng = np.random.default_rng(0)
    chain = ew.simulate.make_chain_precision(6)
    subjects = [
        lfilter([1], [1, -0.5], ew.simulate.sample("t5", chain, 300, rng=rng), axis=0)
        for _ in range(30)
    ]
    rows = np.vstack([series - series.mean(axis=0) for series in subjects])
    regions = ["V1", "V2", "MT", "IPS", "FEF", "DLPFC"]
    who = np.repeat(np.arange(30), 300)
    result = ew.edge_test(rows, clusters=who, feature_names=regions)
    return network(result, 5.6, 3.6)


def cells() -> Figure:
    """Eleven proteins in single cells."""
    return network(ew.edge_test(ew.datasets.load_sachs()), 6.2, 5.4)


def one_pair() -> Figure:
    """The same pair, given less and given more."""
    table = ew.datasets.load_sp500_returns()
    names = table.column_names
    rest = [name for name in names if name not in ("KO", "PEP")]
    given = {
        "nothing": [],
        "PG and WMT": ["PG", "WMT"],
        "all 18 others": rest,
    }
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 2.1, width=5.6)
        axes.grid(axis="y", visible=False)
        for height, columns in enumerate(given.values()):
            result = ew.edge_test(
                table,
                columns=["KO", "PEP", *columns],
                pairs=[("KO", "PEP")],
                method="batch",
            )
            (pair,) = (p for p in result.pairs() if not np.isnan(p.pvalue))
            axes.plot(
                [pair.interval_low, pair.interval_high], [height] * 2, color=BLUE, lw=2
            )
            axes.plot(pair.partial_correlation, height, "o", color=BLUE, markersize=6)
        axes.axvline(0, color="#444444", linewidth=0.9)
        axes.set_yticks(range(len(given)), [f"given {name}" for name in given])
        axes.set_ylim(len(given) - 0.5, -0.5)
        axes.set_xlim(-0.03, 0.75)
        axes.set_xlabel("correlation of KO and PEP, with its 95 % interval")
    return figure


def planning() -> Figure:
    """Rows that a typical pair needs against the effect, for three tests."""
    pilot = ew.datasets.load_sp500_returns()
    effects = np.array([0.03, 0.05, 0.07, 0.1, 0.15, 0.2])
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.3, width=5.6)
        for method, colour, marker in (
            ("batch", GREEN, "s"),
            ("score", BLUE, "o"),
            ("whitened", ORANGE, "^"),
        ):
            rows = [
                ew.plan_sample_size(pilot, effect=effect, method=method).n_samples
                for effect in effects
            ]
            axes.plot(effects, rows, marker=marker, color=colour, label=method)
        axes.axhline(pilot.num_rows, color=GREY, linestyle=":")
        axes.annotate(
            f"these data: {pilot.num_rows:,} rows",
            (effects[-1], pilot.num_rows),
            (0, 4),
            textcoords="offset points",
            ha="right",
            color="#444444",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(effects, [f"{effect:g}" for effect in effects])
        axes.set_xticks([], minor=True)
        axes.set(
            xlabel="partial correlation to be found, with power 0.8",
            ylabel="rows, typical pair",
        )
        axes.legend(loc="upper right")
    return figure


def sequence() -> Figure:
    """Intervals that hold at every look: one edge, one pair without an edge."""
    truth = ew.simulate.make_chain_precision(6, 0.12)
    stream = ew.ConfidenceSequence(alpha=0.05, tuned_for=2000)
    seen: dict = {(0, 1): [], (0, 3): []}
    looks = []
    for rows in ew.simulate.sample_batches(
        "laplace", truth, 4000, rng=1, batch_rows=100
    ):
        result = stream.update(rows).result()
        if stream.n_samples < 300:
            continue
        low, high = result.confidence_interval(
            scale="partial_correlation", simultaneous=True
        )
        looks.append(stream.n_samples)
        for i, j in seen:
            estimate = result.partial_correlation[i, j]
            seen[i, j].append((low[i, j], estimate, high[i, j]))
    with mpl.rc_context(STYLE):
        figure, (left, right) = panels(2, 2, 2.7, sharex=True, sharey=True)
        for axes, pair, true, title in (
            (left, (0, 1), -0.12, "an edge: x0 – x1"),
            (right, (0, 3), 0.0, "no edge: x0 – x3"),
        ):
            low, middle, high = np.transpose(seen[pair])
            axes.fill_between(looks, low, high, color=BLUE, alpha=0.25, linewidth=0)
            axes.plot(looks, middle, color=BLUE, linewidth=1.3, label="estimate")
            axes.axhline(true, color=RED, linestyle="--", linewidth=1.1, label="truth")
            axes.axhline(0, color="#444444", linewidth=0.8)
            axes.set_title(title)
        left.set_ylabel("partial correlation")
        left.legend(loc="lower right")
        figure.supxlabel("rows seen so far; a look after every hundred", fontsize=9.5)
    return figure


def why_not_fisher() -> Figure:
    """What Fisher's test believes about an estimate, and what it does on heavy tails."""
    rng = np.random.default_rng(0)
    n, draws = 500, 4000
    theta = np.eye(4)
    with mpl.rc_context(STYLE):
        figure, grid = panels(2, 2, 2.5, sharex=True, sharey=True)
        for axes, law, title in zip(
            grid, ("gaussian", "t5"), ("Gaussian rows", "heavy tails, t₅"), strict=True
        ):
            rows = ew.simulate.sample(law, theta, n * draws, rng=rng)
            parts = rows.reshape(-1, n, 4)
            parts = parts - parts.mean(axis=1, keepdims=True)
            inverse = np.linalg.inv(parts.transpose(0, 2, 1) @ parts)
            found = -inverse[:, 0, 1] / np.sqrt(inverse[:, 0, 0] * inverse[:, 1, 1])
            z = np.sqrt(n - 4) * np.arctanh(found)
            axes.hist(
                z, bins=np.arange(-6, 6.1, 0.4), density=True, color=BLUE, alpha=0.55
            )
            x = np.linspace(-6, 6, 300)
            axes.plot(x, norm.pdf(x), color=RED, linewidth=1.6)
            axes.set_title(title)
            beyond = np.mean(np.abs(z) > 1.96)
            axes.text(
                0.98,
                0.85,
                f"beyond ±1.96:\n{100 * beyond:.0f} %",
                transform=axes.transAxes,
                ha="right",
                va="center",
            )
            axes.set_yticks([])
        figure.supxlabel(
            "Fisher's statistic of a pair without an edge; red: what the test believes",
            fontsize=9.5,
        )
    return figure


def corrections() -> Figure:
    """The smallest p-values of the returns, and where three corrections draw the line."""
    result = ew.edge_test(
        ew.datasets.load_sp500_returns(), method="batch", correction=None
    )
    upper = np.triu_indices(20, 1)
    p = np.sort(result.pvalue[upper])
    m, shown = len(p), 90
    k = np.arange(1, m + 1)
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.2, width=6.2)
        axes.plot(k[:shown], p[:shown], ".", color="#333333", markersize=5)
        for line, colour, style, name in (
            (np.full(m, 0.05), GREY, ":", "no correction"),
            (0.05 * k / m, GREEN, "-", "Benjamini–Hochberg"),
            (0.05 / (m - k + 1), BLUE, "-", "Holm"),
            (np.full(m, 0.05 / m), ORANGE, "--", "Bonferroni"),
        ):
            axes.plot(
                k[:shown], line[:shown], style, color=colour, linewidth=1.6, label=name
            )
        axes.set_yscale("log")
        axes.set_ylim(1e-8, 1)
        axes.set(xlabel="pairs, in the order of their p-values", ylabel="p-value")
        axes.legend(loc="lower right")
    return figure


def numerics() -> Figure:
    """Lost digits against the distance of the mean, for two ways to sum."""
    rng = np.random.default_rng(0)
    rows = np.round(rng.standard_t(5, (20_000, 4)) * 2**15) / 2**15
    truth = np.cov(rows, rowvar=False)
    unit = truth.diagonal().max()
    powers = np.arange(0, 11)
    found: dict = {"textbook sums": [], "numpy.cov": [], "edgewise": []}
    for power in powers:
        far = rows + (10.0**power if power else 0.0)
        mean = far.mean(axis=0)
        naive = (far.T @ far - len(far) * np.outer(mean, mean)) / (len(far) - 1)
        for name, covariance in (
            ("textbook sums", naive),
            ("numpy.cov", np.cov(far, rowvar=False)),
            ("edgewise", ew.accumulate(far).covariance()),
        ):
            error = np.abs(covariance - truth).max() / unit
            found[name].append(max(error, 1e-17))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.1, width=5.6)
        looks = ((RED, "D"), (ORANGE, "s"), (BLUE, "o"))
        for (name, errors), (colour, marker) in zip(found.items(), looks, strict=True):
            axes.plot(powers, errors, marker=marker, color=colour, label=name)
        axes.set_yscale("log")
        axes.set_xticks(powers[::2], [f"$10^{{{power}}}$" for power in powers[::2]])
        axes.set(
            xlabel="mean of the columns, in standard deviations (about)",
            ylabel="error of the covariance",
        )
        axes.axhline(1, color="#444444", linewidth=0.8, linestyle="--")
        axes.legend(loc="upper left")
    return figure


def methods() -> Figure:
    """Edges of the returns by each test."""
    from drawing.pages import plain, table

    _, *lines = table("choosing.md", "| `method` | promise |")
    names, edges, colours = [], [], []
    for method, promise, *_, found in lines:
        names.append(plain(method).strip('"'))
        edges.append(int(found.split()[0]))
        believed = "only" in promise
        colours.append(RED if believed else BLUE if "per edge" in promise else PINK)
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.6, width=5.6)
        axes.grid(axis="y", visible=False)
        axes.barh(range(len(names)), edges, color=colours, height=0.6)
        for height, count in enumerate(edges):
            axes.text(count + 0.8, height, str(count), va="center")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 82)
        axes.set_xlabel("edges among 20 companies (190 pairs, 8,312 days)")
        for colour, name in (
            (BLUE, "per edge, any distribution"),
            (PINK, "all at once"),
            (RED, "Gaussian or elliptical rows only"),
        ):
            axes.barh([0], [0], color=colour, label=name)
        # Beside the bars of length zero.
        axes.legend(loc="center right", bbox_to_anchor=(1, 0.33))
    return figure


PICTURES = {
    "returns": returns,
    "home": home,
    "forest": forest,
    "two-groups": two_groups,
    "covariates": covariates,
    "regions": chain_of_regions,
    "cells": cells,
    "one-pair": one_pair,
    "planning": planning,
    "sequence": sequence,
    "why-not-fisher": why_not_fisher,
    "corrections": corrections,
    "numerics": numerics,
    "methods": methods,
}

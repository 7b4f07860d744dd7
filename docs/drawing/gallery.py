"""The pictures of the gallery: each kind of plot, of 20 variables and of 100.

They are drawn as the program draws them; the pages of the functions show them too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import edgewise as ew
from drawing.style import WIDTH
from edgewise.plots.plots import KINDS, plot_difference

SIZES = (20, 100)
#: Options of a plot, where a page has less room than a sheet of paper.
OPTIONS = {
    "forest": {"most": 20},
    "centrality": {"most": 20},
}


def hub_rows(theta: np.ndarray, seed: int = 0) -> np.ndarray:
    """Rows with heavy tails; every fourth variable is turned around, so that signs differ."""
    rows = ew.simulate.sample("t5", theta, 3000, rng=seed)
    rows[:, ::4] *= -1
    return rows


@cache
def hubs() -> np.ndarray:
    """Five stars of twenty variables each."""
    return ew.simulate.make_hub_precision(100, n_hubs=5, weight=-0.2)


@cache
def data(size: int):
    return ew.datasets.load_sp500_returns() if size == 20 else hub_rows(hubs())


@cache
def result(size: int):
    return ew.edge_test(data(size), method="batch" if size == 20 else "score")


@cache
def difference(size: int):
    """The returns before and since 2008; the hubs, and the same with one star gone."""
    if size == 20:
        table = ew.datasets.load_sp500_returns(dates=True)
        early = pc.less(pc.year(table["Date"]), 2008)
        return ew.compare_groups(
            table.filter(early),
            table.filter(pc.invert(early)),
            exclude="Date",
            method="batch",
            group_names=("before 2008", "since 2008"),
        )
    less = hubs().copy()
    star = np.arange(5, 100, 5)
    less[0, star] = less[star, 0] = 0
    return ew.compare_groups(
        data(100), hub_rows(less, seed=1), group_names=("five hubs", "four hubs")
    )


def of_result(kind: str, size: int) -> Figure:
    return lighter(result(size).plot(kind, **OPTIONS.get(kind, {})))


def of_groups(size: int) -> Figure:
    """Two graphs above, what differs below: side by side they would be too small for a page."""
    figure = Figure(figsize=(WIDTH, 7.8))
    boxes = ((0, 0.57), (0.5, 0.57), (0.25, 0.09))
    axes = [figure.add_axes((left + 0.01, low, 0.48, 0.38)) for left, low in boxes]
    plot_difference(difference(size), axes=axes)
    return figure


def several_groups() -> Figure:
    """Three times eleven years, each against the others, of eight companies."""
    names = ["JPM", "BAC", "XOM", "CVX", "KO", "PEP", "MSFT", "WMT"]
    table = ew.datasets.load_sp500_returns(dates=True)
    years = pc.year(table["Date"]).to_numpy()
    spells = np.where(years < 2001, "first", np.where(years < 2012, "second", "third"))
    found = ew.compare_groups(table.select(names), by=spells, method="batch")
    figure = Figure(figsize=(WIDTH + 1.2, 10))
    for row, one in enumerate(found.comparisons()):
        low = 0.08 + (2 - row) / 3
        axes = [figure.add_axes((k / 3 + 0.01, low, 0.313, 0.215)) for k in range(3)]
        plot_difference(one, axes=axes)
    return figure


def lighter(axes: Axes) -> Figure:
    """Thousands of points as one image, so that a page need not draw each of them."""
    for points in axes.collections:
        offsets = points.get_offsets()
        points.set_rasterized(len(offsets) > 1000)
    axes.figure.set_dpi(200)
    return axes.figure


PICTURES: dict[str, Callable[[], Figure]] = {
    **{
        f"plot-{kind}-{size}": partial(of_result, kind, size)
        for kind in KINDS
        for size in SIZES
    },
    **{f"plot-difference-{size}": partial(of_groups, size) for size in SIZES},
    "plot-difference-levels": several_groups,
}

"""Sketches: boxes, arrows and dots that show an idea where there is no result to show."""

from __future__ import annotations

import re
from itertools import pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from drawing.pages import DOCS, plain, table
from drawing.style import BLUE, GREEN, GREY, ORANGE, RED, STYLE, WIDTH, panels

INK = "#333333"


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty page whose units are inches."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return figure, axes


def box(
    axes: Axes, x: float, y: float, text: str, *, colour=BLUE, width=1.3, height=0.5
) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=colour,
            alpha=0.16,
            linewidth=0,
        )
    )
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor="none",
            edgecolor=colour,
            linewidth=1.3,
        )
    )
    axes.text(x, y, text, ha="center", va="center", fontsize=9.5, color=INK)


def arrow(axes: Axes, start, end, *, colour=GREY, curve: float = 0.0) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=11,
            color=colour,
            linewidth=1.3,
            connectionstyle=f"arc3,rad={curve}",
        )
    )


def note(axes: Axes, x: float, y: float, text: str, **options) -> None:
    axes.text(
        x,
        y,
        text,
        **{"ha": "center", "va": "center", "fontsize": 9, "color": INK} | options,
    )


def theory_map() -> Figure:
    """Two ways from rows to edges."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas(WIDTH, 2.5)
        box(axes, 0.6, 1.25, "rows", colour=GREY, width=0.8)
        box(axes, 1.85, 1.25, r"covariance $\hat\Sigma$", colour=GREY, width=1.2)
        arrow(axes, (1.0, 1.25), (1.24, 1.25))
        for y, names, colour, title in (
            (
                1.95,
                ("its covariance", r"radius $\varepsilon$", "transfer", "edges"),
                ORANGE,
                "bounds: one radius for all entries at once",
            ),
            (
                0.6,
                ("residuals", "p-values", "correction", "edges"),
                BLUE,
                "per edge: one variance for each pair",
            ),
        ):
            places = (3.3, 4.5, 5.62, 6.75)
            note(axes, 5.0, y + (0.42 if y > 1 else -0.42), title)
            arrow(
                axes,
                (2.45, 1.25),
                (2.72, y),
                colour=colour,
                curve=0.25 if y > 1 else -0.25,
            )
            for place, name in zip(places, names, strict=True):
                box(
                    axes,
                    place,
                    y,
                    name,
                    colour=colour,
                    width=1.14 if place < 4 else 0.92,
                )
            for left, right in pairwise(places):
                start = left + (0.57 if left < 4 else 0.46)
                arrow(axes, (start, y), (right - 0.46, y), colour=colour)
    return figure


def ball() -> Figure:
    """The paper's idea: a ball around the estimate, carried over to the inverse."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas(6.2, 2.5)
        for x, name, radius, truth in (
            (1.45, r"$\hat\Sigma$", 0.85, r"$\Sigma$"),
            (4.75, r"$\hat\Theta$", 0.95, r"$\Theta$"),
        ):
            circle = mpl.patches.Circle((x, 1.3), radius, color=ORANGE, alpha=0.2, lw=0)
            axes.add_patch(circle)
            axes.add_patch(
                mpl.patches.Circle((x, 1.3), radius, fill=False, color=ORANGE, lw=1.4)
            )
            axes.plot(x, 1.3, "o", color=BLUE)
            note(axes, x - 0.18, 1.42, name, fontsize=11)
            axes.plot(x + 0.35, 0.95, "D", color=RED)
            note(axes, x + 0.56, 0.9, truth, fontsize=11)
            edge = (x + radius * np.cos(0.6), 1.3 + radius * np.sin(0.6))
            arrow(axes, (x, 1.3), edge, colour=INK)
            label = r"$\varepsilon$" if x < 3 else "$t$"
            note(
                axes,
                x + 0.5 * radius * 0.9,
                1.3 + 0.34 * radius + 0.14,
                label,
                fontsize=11,
            )
        arrow(axes, (2.5, 1.3), (3.6, 1.3), curve=-0.25)
        note(axes, 3.05, 1.72, "invert")
        note(axes, 1.45, 0.2, r"radius: the truth is this near")
        note(axes, 4.75, 0.14, r"threshold: an edge if $|\hat\Theta_{ij}| \geq t$")
    return figure


def three_links() -> Figure:
    """The chain of the argument, and which link is what."""
    links = (
        (r"$\hat\Sigma - \Sigma$ is normal", "limit", BLUE),
        (
            r"$\Vert\hat\Sigma - \Sigma\Vert \leq \varepsilon$",
            "trace, χ²: limit\neigenvalue: false",
            RED,
        ),
        (r"$|\hat\Theta_{ij} - \Theta_{ij}| \leq t$", "theorem", GREEN),
    )
    with mpl.rc_context(STYLE):
        figure, axes = canvas(6.4, 1.5)
        for k, (text, verdict, colour) in enumerate(links):
            x = 1.05 + 2.15 * k
            box(axes, x, 1.05, text, colour=colour, width=1.7, height=0.6)
            note(axes, x, 0.4, verdict)
            if k:
                arrow(axes, (x - 1.3, 1.05), (x - 0.86, 1.05))
    return figure


def seven_cases() -> Figure:
    """Which of the four indices are equal: the seven patterns, as pairs of entries."""
    cases = ("ij kl", "ii kk", "ii kl", "ij il", "ij ij", "ii il", "ii ii")
    with mpl.rc_context(STYLE):
        figure, axes = canvas(WIDTH, 1.55)
        for k, case in enumerate(cases):
            x0 = 0.58 + 1.03 * k
            indices = case.replace(" ", "")
            places = dict(
                zip(
                    "ijkl",
                    ((-0.28, 0.22), (0.28, 0.22), (-0.28, -0.3), (0.28, -0.3)),
                    strict=True,
                )
            )
            first, second = case.split()
            for pair, colour, rise in ((first, BLUE, 0.05), (second, ORANGE, -0.05)):
                (xa, ya), (xb, yb) = (places[name] for name in pair)
                if pair[0] == pair[1]:
                    axes.add_patch(
                        mpl.patches.Circle(
                            (x0 + xa, 0.95 + ya),
                            0.17 + rise,
                            fill=False,
                            color=colour,
                            lw=2,
                        )
                    )
                else:
                    axes.plot(
                        [x0 + xa, x0 + xb],
                        [0.95 + ya + rise, 0.95 + yb + rise],
                        color=colour,
                        lw=2.2,
                    )
            for name in dict.fromkeys(indices):
                x, y = places[name]
                axes.plot(
                    x0 + x, 0.95 + y, "o", color="#444444", markersize=5, zorder=4
                )
                note(axes, x0 + x, 0.95 + y + (0.24 if y > 0 else -0.24), f"${name}$")
            label = rf"$\hat\Sigma_{{{first}}},\ \hat\Sigma_{{{second}}}$"
            note(axes, x0, 0.16, label, fontsize=10)
    return figure


def verdict_counts() -> Figure:
    """How many items of the paper have which verdict."""
    _, *lines = table("theory/verdicts.md", "| item | what it says |")
    counts = {"holds": 0, "holds after repair": 0, "false": 0}
    names: dict = {verdict: [] for verdict in counts}
    for item, *_rest in lines:
        verdict = next(plain(cell) for cell in _rest if plain(cell) in counts)
        counts[verdict] += 1
        names[verdict].append(item)
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 1.7, width=6.2)
        axes.grid(visible=False)
        left = 0
        for (verdict, count), colour in zip(
            counts.items(), (BLUE, ORANGE, RED), strict=True
        ):
            axes.barh(0, count - 0.15, left=left, color=colour, alpha=0.85, height=0.5)
            axes.text(left + count / 2, 0.42, verdict, ha="center", va="bottom")
            axes.text(
                left + count / 2, 0, str(count), ha="center", va="center", color="white"
            )
            left += count
        false = ", ".join(
            item.replace("claim: ", "“") + ("”" if "claim" in item else "")
            for item in names["false"]
        )
        axes.text(left - 0.15, -0.42, f"false: {false}", ha="right", va="top")
        axes.set(ylim=(-0.75, 0.8), yticks=[], xticks=[])
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


def states() -> Figure:
    """Rows become sums of a fixed size; states are added, saved and tested."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas(6.6, 2.1)
        for k, y in enumerate((1.7, 1.05, 0.4)):
            name = ("Monday", "Tuesday", "Wednesday")[k]
            box(axes, 0.85, y, f"rows of {name}", colour=GREY, width=1.45, height=0.42)
            arrow(axes, (1.6, y), (2.0, y))
            box(axes, 2.5, y, "state", colour=ORANGE, width=0.9, height=0.42)
            arrow(axes, (2.97, y), (3.62, 1.05 + 0.1 * (1 - k)), curve=0.0)
        box(axes, 4.15, 1.05, "state, added", colour=ORANGE, width=1.05)
        arrow(axes, (4.7, 1.05), (5.15, 1.05))
        box(axes, 5.75, 1.05, "test", colour=BLUE, width=1.1)
        note(axes, 4.15, 0.5, "the same size,\nhowever many rows")
    return figure


def cluster() -> Figure:
    """Rows stay where they are; small states travel and are merged in a tree."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas(6.6, 2.5)
        for k in range(4):
            x = 0.9 + 1.6 * k
            box(
                axes,
                x,
                0.45,
                f"worker {k + 1}\nits own files",
                colour=GREY,
                width=1.25,
                height=0.6,
            )
            arrow(
                axes,
                (x, 0.77),
                (1.7 + 3.2 * (k // 2) + (-0.25 if k % 2 == 0 else 0.25), 1.2),
            )
        for k in range(2):
            x = 1.7 + 3.2 * k
            box(axes, x, 1.4, "state", colour=ORANGE, width=1.0, height=0.38)
            arrow(axes, (x, 1.6), (3.3 + (-0.5 if k == 0 else 0.5), 2.02))
        box(axes, 3.3, 2.2, "one state → the test", colour=BLUE, width=1.9, height=0.42)
        note(axes, 5.6, 2.2, "sums travel, rows do not")
    return figure


def walk() -> Figure:
    """From the file to the printed edge."""
    stops = (
        ("file", "tables/", GREY),
        ("sums", "states/", ORANGE),
        ("Σ̂ and Θ̂", "estimators/", ORANGE),
        ("statistic", "methods/", BLUE),
        ("p-value,\ncorrection", "inference/", BLUE),
        ("result", "results/", GREEN),
    )
    with mpl.rc_context(STYLE):
        figure, axes = canvas(WIDTH, 1.35)
        for k, (name, folder, colour) in enumerate(stops):
            x = 0.65 + 1.2 * k
            box(axes, x, 0.85, name, colour=colour, width=0.95, height=0.55)
            note(axes, x, 0.35, folder)
            if k:
                arrow(axes, (x - 0.72, 0.85), (x - 0.48, 0.85))
    return figure


def edge_or_not() -> Figure:
    """Correlated, but not connected: a chain of three."""
    rng = np.random.default_rng(1)
    sun = rng.standard_normal(300)
    visits = sun + 0.7 * rng.standard_normal(300)
    ices = visits + 0.7 * rng.standard_normal(300)

    def without(y, x):
        return y - x * (x @ y) / (x @ x)

    with mpl.rc_context(STYLE):
        figure, (left, right, graph) = panels(3, 3, 2.3)
        left.plot(sun, ices, ".", color=BLUE, alpha=0.5, markersize=4)
        left.set_title("sun and ices: correlated")
        right.plot(
            without(sun, visits),
            without(ices, visits),
            ".",
            color=BLUE,
            alpha=0.5,
            markersize=4,
        )
        right.set_title("given visits: not")
        for axes in (left, right):
            axes.set(xticks=[], yticks=[])
        left.set(xlabel="sun", ylabel="ices sold")
        right.set(xlabel="sun, visits taken out", ylabel="ices, visits taken out")
        graph.axis("off")
        graph.set(xlim=(0, 1), ylim=(0, 1))
        graph.set_title("so the graph is")
        places = ((0.5, 0.85, "sun"), (0.5, 0.5, "visits"), (0.5, 0.15, "ices"))
        for (x, y, _), (u, v, _) in pairwise(places):
            graph.plot([x, u], [y, v], color=BLUE, linewidth=3, zorder=1)
        for x, y, name in places:
            graph.text(
                x,
                y,
                name,
                ha="center",
                va="center",
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": "#dcebf5",
                    "edgecolor": BLUE,
                },
            )
    return figure


def reproduced() -> Figure:
    """How many claims of each study have which verdict, counted on the pages."""
    verdicts = ("supported", "not refuted", "refuted")
    found = {}
    for page in sorted((DOCS.parent / "reproduction" / "results").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        cells = re.findall(r"\| \*\*(supported|not refuted|refuted)\*\*", text)
        found[page.stem] = [cells.count(verdict) for verdict in verdicts]
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 2.7, width=5.8)
        axes.grid(axis="y", visible=False)
        left = np.zeros(len(found))
        for k, (verdict, colour) in enumerate(
            zip(verdicts, (BLUE, ORANGE, RED), strict=True)
        ):
            counts = np.array([numbers[k] for numbers in found.values()])
            axes.barh(
                range(len(found)),
                counts,
                left=left,
                color=colour,
                label=verdict,
                height=0.62,
            )
            for height, (count, start) in enumerate(zip(counts, left, strict=True)):
                if count:
                    axes.text(
                        start + count / 2,
                        height,
                        str(count),
                        ha="center",
                        va="center",
                        color="white",
                    )
            left += counts
        axes.set_yticks(
            range(len(found)),
            [
                name.replace("fig", "Figure ")
                .replace("lemma", "Lemma ")
                .replace("theorem", "Theorem ")
                for name in found
            ],
        )
        axes.invert_yaxis()
        axes.set_xlabel("claims")
        figure.legend(loc="outside upper center", ncols=3)
    return figure


PICTURES = {
    "theory-map": theory_map,
    "ball": ball,
    "three-links": three_links,
    "seven-cases": seven_cases,
    "verdict-counts": verdict_counts,
    "states": states,
    "cluster": cluster,
    "walk": walk,
    "edge-or-not": edge_or_not,
    "reproduced": reproduced,
}

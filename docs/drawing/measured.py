"""Pictures of what was measured, from the files of numbers and the tables of the pages."""

from __future__ import annotations

from collections import defaultdict
from math import isnan, nan

import matplotlib as mpl
from matplotlib.figure import Figure

from drawing.pages import percent, plain, rows_of, table
from drawing.style import (
    BLUE,
    GREEN,
    LEVEL,
    ORANGE,
    PINK,
    RED,
    STYLE,
    TESTS,
    WIDTH,
    dots,
    draw_lines,
    legend_above,
    level_line,
    panels,
    rate_axis,
)

ANY_FALSE_EDGE = "share of data sets with any false edge (dashed: 5 % is promised)"
FOUND = "share of the edges that are found"
LAWS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "t5": "heavy tails, t₅",
    "t3": "no fourth moments, t₃",
    "contaminated": "5 % large rows",
    "exponential": "exponential",
    "lognormal": "log-normal",
    "pareto components": "Pareto",
    "pareto": "shared heavy tail",
    "ar1": "rows in time, AR(1)",
}


#: The same where there is little room.
SHORT = {
    **LAWS,
    "t5": "t₅",
    "t3": "t₃",
    "contaminated": "large rows",
    "pareto": "shared tail",
    "ar1": "AR(1)",
}
#: A test that did not judge a law.
ABSENT = ((nan, nan, nan), 0)


def calibration() -> dict:
    """By test, law, rows and rate: (value, low, high) and the number of data sets."""
    return {
        (row["test"], row["distribution"], int(row["rows"]), row["rate"]): (
            tuple(float(row[end]) for end in ("value", "low", "high")),
            int(row["draws"]),
        )
        for row in rows_of("calibration.csv")
    }


def false_edges() -> Figure:
    """The claim in one picture: the default and Fisher's test, on six laws.

    Where rows depend on the rows before them, the default takes `batch`, else `score`.
    """
    found = calibration()
    lines = {}
    for law in ("gaussian", "t5", "t3", "contaminated", "lognormal", "ar1"):
        default = "batch" if law == "ar1" else "score"
        lines[LAWS[law]] = {
            name: found[test, law, 5000, "family_wise_error"][0]
            for name, test in {"score": default, "fisher": "fisher"}.items()
        }
    return dots(
        {"": lines},
        label=ANY_FALSE_EDGE,
        draws=2000,
        width=5.2,
        row_height=0.34,
        names={"score": "edgewise, the default", "fisher": "Fisher's test"},
    )


#: Of each rate of the calibration: what the axis says, its ticks, and whether a level is promised.
RATES = {
    "family_wise_error": (
        "share of data sets with any false edge",
        (0, 0.05, 0.2, 0.5, 1),
        True,
    ),
    "false_positive_rate": (
        "share of null pairs with p ≤ 0.05",
        (0, 0.05, 0.2, 0.5),
        True,
    ),
    "false_discovery_rate": (
        "mean share of false edges among those declared",
        (0, 0.05, 0.2, 0.5),
        True,
    ),
    "power": (FOUND, (0, 0.05, 0.2, 0.5, 1), False),
    "coverage": ("share of entries outside their interval", (0, 0.05, 0.2, 0.5), True),
}
#: The bounds err never, and share a line each; the peers are Fisher's test in other packages.
_CALIBRATED = (
    "score",
    "wald",
    "batch",
    "whitened, chi2",
    "whitened, trace",
    "eig (paper)",
    "trace (paper)",
    "elliptical",
    "fisher",
    "pingouin",
    "causal-learn",
    "graphical lasso",
)


def calibration_rate(rate: str) -> Figure:
    """A panel for each law, a line for each test, with its band; broken promises are diamonds."""
    found = calibration()
    label, ticks, promised = RATES[rate]
    tests = [test for test in _CALIBRATED if (test, "gaussian", 5000, rate) in found]
    with mpl.rc_context(STYLE):
        figure, grid = panels(
            len(LAWS), 5, 0.55 + 0.2 * len(tests), sharex=True, sharey=True
        )
        for axes, (law, title) in zip(grid, SHORT.items(), strict=True):
            axes.set_title(title)
            axes.grid(axis="y", visible=False)
            if promised:
                level_line(axes, None)
            for height, test in enumerate(tests):
                axes.axhline(height, color="#eeeeee", linewidth=0.7, zorder=0.5)
                value, low, high = found.get((test, law, 5000, rate), ABSENT)[0]
                if isnan(value):
                    continue
                if rate == "coverage":
                    value, low, high = 1 - value, 1 - high, 1 - low
                broken = promised and low > LEVEL
                colour, marker = (RED, "D") if broken else (BLUE, "o")
                axes.plot([low, high], [height] * 2, color=colour, linewidth=1.5)
                axes.plot(
                    value, height, marker, color=colour, markersize=4.5, clip_on=False
                )
            rate_axis(axes, ticks, unit=False)
        grid[0].set_yticks(range(len(tests)), tests)
        grid[0].set_ylim(len(tests) - 0.5, -0.5)
        figure.supxlabel(f"{label}, in percent", fontsize=9.5)
    return figure


def calibration_few_rows() -> Figure:
    """Errors beside power, for 200 and 500 rows."""
    found = calibration()
    tests = ("score", "wald", "batch", "elliptical", "fisher")
    laws = ("gaussian", "t5", "contaminated")
    looks = {test: TESTS[test] for test in tests}
    with mpl.rc_context(STYLE):
        figure, grid = panels(4, 2, 1.9, sharey=True)
        for n, pair in zip((200, 500), (grid[:2], grid[2:]), strict=True):
            for axes, rate, label in zip(
                pair,
                ("family_wise_error", "power"),
                ("data sets with any false edge", "edges that are found"),
                strict=True,
            ):
                axes.set_title(f"{n} rows: {label}")
                if rate == "family_wise_error":
                    level_line(axes, 2000)
                lines = {
                    LAWS[law]: {test: found[test, law, n, rate][0] for test in tests}
                    for law in laws
                }
                draw_lines(axes, lines, looks, {})
                rate_axis(axes)
        grid[0].set_yticks(range(3), [LAWS[law] for law in laws])
        grid[0].set_ylim(2.5, -0.5)
        legend_above(figure, grid[0])
    return figure


def few_rows() -> Figure:
    """Errors and power of `score` against rows per column, for four laws."""
    found = {
        (row["law"], int(row["columns"]), int(row["ratio"]), row["rate"]): tuple(
            float(row[end]) for end in ("value", "low", "high")
        )
        for row in rows_of("few_rows.csv")
        if row["test"] == "score"
    }
    looks = {10: (BLUE, "o"), 20: (ORANGE, "s"), 50: (GREEN, "^"), 100: (PINK, "D")}
    ratios = sorted({ratio for _, _, ratio, _ in found})
    laws = ("gaussian", "t5", "contaminated", "lognormal")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        grid = figure.subplots(2, len(laws), sharex=True, sharey="row")
        for law, (above, below) in zip(laws, grid.T, strict=True):
            above.set_title(LAWS[law].partition(",")[0])
            level_line(above, None, vertical=True)
            for axes, rate in ((above, "family_wise_error"), (below, "power")):
                for side, (p, (colour, marker)) in enumerate(looks.items()):
                    at = [r for r in ratios if (law, p, r, rate) in found]
                    places = [r * 1.07 ** (side - 1.5) for r in at]
                    cells = [found[law, p, r, rate] for r in at]
                    axes.vlines(
                        places,
                        [low for _, low, _ in cells],
                        [high for _, _, high in cells],
                        color=colour,
                        linewidth=1.3,
                    )
                    values = [value for value, _, _ in cells]
                    axes.plot(
                        places,
                        values,
                        marker,
                        color=colour,
                        markersize=4,
                        label=f"{p} columns",
                    )
                axes.set_xscale("log")
                axes.set_xticks(ratios, [str(ratio) for ratio in ratios])
                axes.set_xticks([], minor=True)
        grid[0, 0].set(ylabel="data sets with\nany false edge", ylim=(-0.004, 0.18))
        grid[0, 0].set_yticks((0, 0.05, 0.1, 0.15), ("0", "5 %", "10 %", "15 %"))
        grid[1, 0].set(ylabel="edges that\nare found", ylim=(-0.03, 1.03))
        grid[1, 0].set_yticks((0, 0.5, 1), ("0", "50 %", "100 %"))
        legend_above(figure, grid[0, 0])
        figure.supxlabel("rows per column", fontsize=9.5)
    return figure


def of_page(page: str, first: str, **options) -> Figure:
    """The dots of a table of percentages: lines of the table, a colour for each column."""
    head, *lines = table(page, first)
    tests = [plain(cell) for cell in head[1:]]
    shown = {
        plain(line[0]): {
            test: percent(cell) for test, cell in zip(tests, line[1:], strict=True)
        }
        for line in lines
        if percent(line[1])
    }
    return dots({"": shown}, **{"label": ANY_FALSE_EDGE, "draws": 500} | options)


def counts() -> Figure:
    return of_page("limits.md", "| rows | `score` | `batch` | `wald` | `fisher` |")


def logarithms() -> Figure:
    head, *lines = table("limits.md", "| rows | `score`, values")
    shown: dict = {"values": {}, "logarithms": {}}
    for name, *cells in lines:
        for column, cell in zip(head[1:], cells, strict=True):
            test, what = plain(column).split(", ")
            shown[what].setdefault(name, {})[test] = percent(cell)
    return dots(shown, label=ANY_FALSE_EDGE, draws=500)


def shared_tail() -> Figure:
    """Errors against the number of rows, for three weights of the tail."""
    head, *lines = table("limits.md", "| rows | 500 | 5,000 | 20,000 |")
    looks = ((RED, "D"), (ORANGE, "s"), (GREEN, "^"), ("#666666", "X"))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.0, width=5.2)
        level_line(axes, 500, vertical=True)
        sizes = [int(cell.replace(",", "")) for cell in head[1:]]
        for (colour, marker), (name, *cells) in zip(looks, lines, strict=True):
            rates = [percent(cell) for cell in cells]
            axes.plot(
                sizes,
                [r[0] for r in rates],
                marker=marker,
                color=colour,
                label=name,
                linewidth=1.2,
                markersize=5,
            )
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.set_xticks([], minor=True)
        axes.set_yticks((0, 0.05, 0.1, 0.15, 0.2), ("0", "5 %", "10 %", "15 %", "20 %"))
        axes.set(xlabel="rows", ylabel="data sets with any false edge", ylim=(0, 0.21))
        axes.legend(loc="upper right", ncols=2)
    return figure


def fourth_moments() -> Figure:
    """The share of the largest value in the sum of x⁴: it falls, or it does not."""
    head, *lines = table("limits.md", "| rows | 500 | 5,000 | 50,000 |")
    sizes = [int(cell.replace(",", "")) for cell in head[1:]]
    looks = ((BLUE, "o"), (GREEN, "s"), (ORANGE, "^"), (RED, "D"), (PINK, "v"))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.0, width=5.6)
        for (colour, marker), (name, *cells) in zip(looks, lines, strict=True):
            shares = [percent(cell)[0] for cell in cells]
            axes.plot(sizes, shares, marker=marker, color=colour, linewidth=1.3)
            axes.annotate(
                name.partition(",")[0],
                (sizes[-1], shares[-1]),
                (7, 0),
                textcoords="offset points",
                va="center",
                color=colour,
            )
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.set_xticks([], minor=True)
        axes.set_xlim(400, 190_000)
        axes.set_yticks((0, 0.25, 0.5, 0.75, 1), ("0", "25 %", "50 %", "75 %", "100 %"))
        axes.set(xlabel="rows", ylabel="share of the largest\nvalue in the sum of x⁴")
    return figure


def tails() -> Figure:
    return of_page(
        "limits.md",
        "| rows | `score` | `batch` | `kendall` |",
        ticks=(0, 0.05, 0.1),
        row_height=0.5,
    )


def real_columns() -> Figure:
    """Before and after, and Fisher's test: shuffled real columns."""
    _, *lines = table("evidence.md", "| columns of |")
    lines = [[plain(name).replace("the same,", "…"), *cells] for name, *cells in lines]
    shown: dict = {"tests as they were at first": {}, "tests as they are": {}}
    for name, *cells in lines:
        for test, cell in zip(
            ("score", "wald", "batch", "elliptical", "fisher"), cells, strict=True
        ):
            before, _, after = cell.partition("→")
            for panel, value in zip(shown, (before, after or before), strict=True):
                short = name.replace("proteins in cells (Sachs)", "proteins")
                shown[panel].setdefault(short, {})[test] = percent(value)[0]
    return dots(
        shown,
        label="share of shuffles with any edge, all of them false",
        draws=200,
        row_height=0.45,
    )


_GROUP_LAWS = {
    "ar1": "days with a memory",
    "ar1-t5": "… and t₅ tails",
    "intercepts": "persons differ",
    "intercepts-t5": "… and t₅ tails ",
    "scales": "… in variance",
    "t5": "independent t₅",
    "contaminated": "some rows large",
    "counts": "rare events",
    "traits": "traits of persons",
    "lognormal": "log-normal",
}


WITH_GROUPS = {
    "score, groups": (BLUE, "o"),
    "wald, groups": (GREEN, "v"),
    "score, no groups": (RED, "D"),
    "batch, no groups": (ORANGE, "s"),
}


def groups() -> Figure:
    """Tests with and without groups, and those with groups in all sizes."""
    found = rows_of("groups.csv")
    one_size = {"groups": "100", "rows": "50"}
    shown: dict = {
        "100 persons of 50 rows": defaultdict(dict),
        "with groups, all sizes": defaultdict(dict),
    }
    first, second = shown.values()
    for law, name in _GROUP_LAWS.items():
        for row in found:
            if row["law"] != law:
                continue
            value = float(row["family_wise_error"])
            if all(row[key] == one for key, one in one_size.items()):
                test = row["test"]
                first[name][test if "groups" in test else f"{test}, no groups"] = value
            elif row["test"] == "score, groups":
                old = second[name].get("score, groups", (0, 1, 0))
                ends = min(old[1], value), max(old[2], value)
                second[name]["score, groups"] = (ends[1], *ends)
    return dots(
        {title: dict(lines) for title, lines in shown.items()},
        label=ANY_FALSE_EDGE,
        draws=300,
        row_height=0.38,
        looks=WITH_GROUPS,
    )


def group_parts() -> Figure:
    """How much of a group its own residuals lose: three fixed shares, and ours."""
    _, *lines = table("theory/groups.md", "| rows | groups × rows, columns |")
    shown = {
        f"{plain(law).replace('$t_5$', 't₅')}, {size}": {
            name: float(cell.split()[1])
            for name, cell in zip(
                ("nothing taken off", "all of it", "half", "ours"), cells, strict=True
            )
        }
        for law, size, *cells in lines
    }
    looks = ((RED, "D"), (ORANGE, "s"), (PINK, "^"), (BLUE, "o"))
    return dots(
        {"": shown},
        label=ANY_FALSE_EDGE,
        draws=300,
        row_height=0.4,
        looks=dict(zip(next(iter(shown.values())), looks, strict=True)),
    )


def by_law(lines: dict) -> dict:
    """In the order of the laws, Gaussian rows first."""
    return {law: lines[law] for law in LAWS.values() if law in lines}


def missing() -> Figure:
    """Errors with values missing at random, by law, and what dropping rows costs."""
    found = rows_of("missing.csv")
    sizes = (("500", "10"), ("5000", "10"), ("500", "30"), ("5000", "30"))
    shown: dict = {
        f"{100 * float(s):.0f} % missing": {} for s in ("0.02", "0.1", "0.3")
    }
    for row in found:
        if row["study"] != "levels":
            continue
        panel = shown[f"{100 * float(row['missing']):.0f} % missing"]
        for size in sizes:
            for law in ("gaussian", "t5", "exponential"):
                name = f"{int(size[0]):,} × {size[1]}, {LAWS[law].split(', ')[-1]}"
                line = panel.setdefault(name, {})
                if (row["rows"], row["columns"], row["law"]) == (*size, law):
                    line[row["method"]] = float(row["family_wise"])
    return dots(shown, label=ANY_FALSE_EDGE, draws=200, ticks=(0, 0.05, 0.15))


def missing_power() -> Figure:
    """Of 1000 rows × 30 columns with 10 % missing, 42 are complete: edges that are found."""
    lines: dict = {}
    for row in rows_of("missing.csv"):
        if row["study"] == "power":
            name = LAWS[row["law"]]
            lines.setdefault(name, {})[row["method"]] = float(row["power"])
    return dots(
        {"": by_law(lines)},
        label=FOUND,
        level=None,
        width=5.6,
        row_height=0.4,
        ticks=(0, 0.2, 0.5, 1),
    )


def selection() -> Figure:
    """Sampled by their values: with weights, and without."""
    lines: dict = {}
    for row in rows_of("missing.csv"):
        if row["study"] == "selection":
            lines.setdefault(LAWS[row["law"]], {})[row["method"]] = float(
                row["family_wise"]
            )
    names = {test: f"{test}, weighted" for test in ("score", "wald", "batch")}
    return dots(
        {"": by_law(lines)},
        label=ANY_FALSE_EDGE,
        draws=300,
        width=6.2,
        row_height=0.45,
        names=names,
    )


def nodewise() -> Figure:
    """More columns than rows: nodewise, and Fisher's test given the same columns."""
    shown: dict = {}
    for row in rows_of("nodewise.csv"):
        size = f"{row['rows']} rows × {row['columns']} columns"
        if row["penalty"] != "1.25" or int(row["draws"]) < 150:
            continue
        line = shown.setdefault(size, {}).setdefault(
            f"{row['graph']}, {LAWS[row['law']].split(', ')[-1]}", {}
        )
        line["nodewise"] = float(row["family_wise"])
        line["fisher"] = float(row["fisher_family_wise"])
    for panel in shown.values():
        order = [
            f"{graph}, {law}"
            for graph in ("chain", "hub", "cluster", "band")
            for law in ("Gaussian", "t₅", "5 % large rows", "exponential")
        ]
        for name in order:
            panel[name] = panel.pop(name)
    return dots(
        shown,
        label=ANY_FALSE_EDGE,
        draws=150,
        row_height=0.24,
        names={"fisher": "Fisher's test, given the same columns"},
    )


def nodewise_penalty() -> Figure:
    """The error against the penalty, of three graphs."""
    _, *lines = table("theory/nodewise.md", "| times $")
    looks = {"chain": (BLUE, "o"), "hub": (ORANGE, "s"), "band": (RED, "D")}
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 2.8, width=5.2)
        level_line(axes, 40, vertical=True)
        times = [float(line[0]) for line in lines]
        for place, (graph, (colour, marker)) in enumerate(looks.items(), 1):
            rates = [float(line[place].split()[0]) for line in lines]
            axes.plot(times, rates, marker=marker, color=colour, label=graph)
        rate_axis(axes, (0, 0.05, 0.2, 0.5), vertical=True)
        axes.set_ylim(-0.001, 0.6)
        axes.set(
            xlabel="penalty, as a multiple of the usual one; edgewise uses 1.25",
            ylabel="data sets with\nany false edge",
        )
        axes.axvline(1.25, color="#444444", linewidth=0.8, linestyle=":")
        axes.legend(loc="upper left")
    return figure


_RANK_LAWS = {"gaussian": "Gaussian", "t3": "t₃", "t2": "t₂", "cauchy": "Cauchy"}


def ranks() -> Figure:
    """Errors and power beside other tests, 500 rows of ever heavier tails."""
    shown: dict = {"any false edge": {}, "edges that are found": {}}
    for law, name in _RANK_LAWS.items():
        for row in rows_of("ranks.csv"):
            if (row["study"], row["law"], row["rows"]) == ("beside", law, "500"):
                for panel, rate in zip(shown, ("family_wise", "power"), strict=True):
                    shown[panel].setdefault(name, {})[row["method"]] = float(row[rate])
    return dots(
        shown,
        label="share of 300 data sets, share of edges",
        draws=300,
        row_height=0.6,
        promised=("any false edge",),
    )


def rank_levels() -> Figure:
    """Kendall's level from Gaussian rows to rows without a mean."""
    names = _RANK_LAWS | {"exp(t2)": "exp of t₂"}
    shown: dict = {}
    for p in ("6", "10", "20"):
        for n in ("1000", "5000"):
            panel = shown.setdefault(f"{int(n):,} × {p}", {})
            for law, name in names.items():
                for row in rows_of("ranks.csv"):
                    key = (row["study"], row["law"], row["rows"], row["columns"])
                    if key == ("levels", law, n, p):
                        panel[name] = {"kendall": float(row["family_wise"])}
    return dots(shown, label=ANY_FALSE_EDGE, draws=200, columns=3, ticks=(0, 0.05, 0.1))


def ordinal() -> Figure:
    """Columns of few values: edges that the variables behind them do not have."""
    shown: dict = {}
    for n in ("500", "2000", "10000"):
        panel = shown.setdefault(f"{int(n):,} rows", {})
        for row in rows_of("ranks.csv"):
            if (row["study"], row["rows"]) == ("ordinal", n):
                line = panel.setdefault(row["law"].replace("levels", "values"), {})
                line[row["method"]] = float(row["family_wise"])
    return dots(
        shown,
        label="share of data sets with an edge outside the latent chain",
        draws=200,
        row_height=0.4,
    )


def two_groups() -> Figure:
    """Groups with the same graph: how often a difference is found."""
    tests = (
        ("Student and Holm", "| Student and Holm |"),
        ("permuted D", "| permuted D |"),
        ("plain permutations", "| plain |"),
    )
    shown: dict = {}
    for test, first in tests:
        head, *lines = table("theory/two_groups.md", first)
        for place, size in enumerate(head[1:4], 1):
            panel = shown.setdefault(size.replace(" × 10", " rows"), {})
            for line in lines:
                found = panel.setdefault(line[0].replace("against", "/"), {})
                if line[place] != "–":
                    found[test] = float(line[place])
    return dots(
        shown,
        label="share of data sets with any false difference, 10 columns",
        draws=200,
        row_height=0.36,
        ticks=(0, 0.05, 0.3),
        looks={
            "Student and Holm": (BLUE, "o"),
            "permuted D": (GREEN, "s"),
            "plain permutations": (RED, "D"),
        },
    )


def radii() -> Figure:
    """How often the error of a covariance is above each radius."""
    names = {
        "chi2": "whitened, χ²",
        "plain_chi2": "spectral, χ²",
        "plain_eig": "eigenvalue (Lemma 1)",
        "trace": "whitened, trace",
    }
    shown: dict = {}
    for p in ("6", "10", "20"):
        panel = shown.setdefault(f"{p} columns, 5,000 rows", {})
        for row in rows_of("radii.csv"):
            if (row["columns"], row["rows"]) == (p, "5000"):
                panel[LAWS[row["law"]].split(", ")[-1]] = {
                    name: float(row[key]) for key, name in names.items()
                }
    looks = ((BLUE, "o"), (GREEN, "s"), (RED, "D"), (ORANGE, "^"))
    return dots(
        shown,
        label="share of draws whose error is above the radius",
        draws=300,
        looks=dict(zip(names.values(), looks, strict=True)),
    )


def causal_discovery() -> Figure:
    """False edges of the PC algorithm in 100 runs, with the usual test and with ours."""
    _, *lines = table("howto/causal_discovery.md", "| rows | false edges in 100 runs")
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 0.8 + 0.32 * len(lines), width=6.6)
        axes.grid(axis="y", visible=False)
        for side, (test, colour, marker) in enumerate(
            (("edgewise", BLUE, "o"), ("fisherz", RED, "D"))
        ):
            axes.plot([], [], marker, color=colour, label=test)
            for height, line in enumerate(lines):
                count, error = (
                    float(part) for part in line[2 - side].replace("±", " ").split()
                )
                at = height + 0.2 * (side - 0.5)
                axes.plot(
                    [count - 2 * error, count + 2 * error],
                    [at, at],
                    color=colour,
                    linewidth=1.5,
                )
                axes.plot(count, at, marker, color=colour, markersize=5)
        axes.set_yticks(range(len(lines)), [line[0] for line in lines])
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xlim(0)
        axes.set_xlabel("false edges in 100 runs of PC, with two standard errors")
        legend_above(figure, axes)
    return figure


def leverage() -> Figure:
    """False positives as multiples of the level: three weights, and ours."""
    _, *lines = table("theory/per-edge.md", "| rows | $p$ | $n$ |")
    names = ("no weight", "1/(1 − h)", "1/(1 − h)²", "ours", "ours, measured")
    looks = ((RED, "D"), (ORANGE, "s"), (PINK, "^"), (BLUE, "o"), (GREEN, "*"))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 3.0, width=6.2)
        axes.grid(axis="y", visible=False)
        for place, (name, (colour, marker)) in enumerate(
            zip(names, looks, strict=True)
        ):
            values = [float(line[3 + place].split()[0]) for line in lines]
            axes.plot(
                values,
                range(len(lines)),
                marker,
                color=colour,
                markersize=8 if marker == "*" else 5.5,
                label=name,
            )
        labels = [f"{law}, {n} × {p}".replace("$t_5$", "t₅") for law, p, n, *_ in lines]
        axes.set_yticks(range(len(lines)), labels)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.set_xticks((0.5, 1, 2, 4), ("½", "1", "2", "4"))
        axes.set_xticks([], minor=True)
        axes.axvline(1, color="#444444", linewidth=0.9, linestyle="--")
        axes.set_xlabel(
            "false positives of a null pair, as a multiple of the level 0.05"
        )
        legend_above(figure, axes)
    return figure


def sequences() -> Figure:
    """What looking as often as you like costs: the factor on the standard error."""
    _, *lines = table("theory/sequences.md", "| | $\\delta = 0.05$ |")
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(1, 1, 2.5, width=6.2)
        axes.grid(axis="y", visible=False)
        for place, (delta, colour, marker) in enumerate(
            (("δ = 0.05", BLUE, "o"), ("δ = 0.005", ORANGE, "s")), 1
        ):
            axes.plot(
                [float(line[place]) for line in lines],
                range(len(lines)),
                marker,
                color=colour,
                markersize=6,
                label=delta,
            )
        axes.set_yticks(range(len(lines)), [plain(line[0]) for line in lines])
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xlim(0)
        axes.set_xlabel("half width of the interval, in standard errors")
        axes.legend(loc="lower left")
    return figure


PICTURES = {
    "false-edges": false_edges,
    **{
        f"calibration-{rate.replace('_', '-')}": (
            lambda rate=rate: calibration_rate(rate)
        )
        for rate in RATES
    },
    "calibration-few-rows": calibration_few_rows,
    "few-rows": few_rows,
    "counts": counts,
    "logarithms": logarithms,
    "shared-tail": shared_tail,
    "fourth-moments": fourth_moments,
    "tails": tails,
    "real-columns": real_columns,
    "groups": groups,
    "group-parts": group_parts,
    "missing": missing,
    "missing-power": missing_power,
    "selection": selection,
    "nodewise": nodewise,
    "nodewise-penalty": nodewise_penalty,
    "ranks": ranks,
    "rank-levels": rank_levels,
    "ordinal": ordinal,
    "two-groups-errors": two_groups,
    "radii": radii,
    "causal-discovery": causal_discovery,
    "leverage": leverage,
    "sequences": sequences,
}

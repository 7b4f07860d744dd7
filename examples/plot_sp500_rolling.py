"""
The S&P 500 through time
========================

**Which companies always move together, which only for a while, and how much of the apparent change
comes from the test?**

We test the graph of 20 companies in a window of five years that moves in steps of a quarter, from
1990 to 2022. An edge joins two companies whose daily returns are correlated beyond what the other
18 explain.
"""

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

import edgewise as ew

returns = ew.datasets.load_sp500_returns(dates=True)
days = returns["Date"].to_numpy()
returns = returns.drop_columns(["Date"])
WINDOW, STEP = 5 * 252, 63
starts = range(0, len(days) - WINDOW + 1, STEP)
ends = np.array([days[start + WINDOW - 1] for start in starts])

METHODS = ("fisher", "score", "batch")
rolling = {
    method: [
        ew.edge_test(returns.slice(start, WINDOW), method=method) for start in starts
    ]
    for method in METHODS
}
print(f"{len(starts)} windows of {WINDOW} days each, from {days[0]} to {days[-1]}")

# %%
# Three tests, three stories
# --------------------------
#
# Fisher's test assumes Gaussian returns. The score test does not, but it assumes that days are
# independent. Batch means allow for both: heavy tails, and calm and wild days that come in spells.

STYLES = {
    "fisher": ("#D55E00", "--"),
    "score": ("#777777", "-."),
    "batch": ("#0072B2", "-"),
}
CRASHES = {"Lehman": "2008-09-15", "Covid-19": "2020-03-11"}

counts = {
    method: np.array([result.n_edges for result in rolling[method]])
    for method in METHODS
}
fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
for method, (color, style) in STYLES.items():
    ax.plot(ends, counts[method], style, color=color, linewidth=1.8, label=method)
for name, date in CRASHES.items():
    first = np.datetime64(date)
    # The window holds the crash until its first day has passed it.
    last = min(first + np.timedelta64(5 * 365, "D"), ends[-1])
    ax.axvspan(first, last, color="#eeeeee", zorder=0)
    note = f" the window\n holds\n {name}"
    ax.text(first, 1.0, note, fontsize=8.5, color="#444444", va="bottom")
ax.set_xlim(ends[0], ends[-1])
ax.set_ylim(0, counts["fisher"].max() + 3)
ax.set_xlabel("last day of the window")
ax.set_ylabel("edges")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left", ncols=3)
plt.show()

in_crash = np.zeros(len(ends), dtype=bool)
for date in CRASHES.values():
    in_crash |= (ends >= np.datetime64(date)) & (
        days[list(starts)] <= np.datetime64(date)
    )
for method in METHODS:
    calm, wild = counts[method][~in_crash].mean(), counts[method][in_crash].mean()
    print(
        f"{method:7} {calm:5.1f} edges in windows without a crash, {wild:5.1f} with one"
    )

# %%
# According to Fisher's test, the market is much more connected after each crash, and less so once
# the crash leaves the window. The other two tests show hardly any of this. A crash is a few weeks
# with huge returns. A test that treats all days as alike counts these weeks as if they were years
# of evidence.
#
# Which ties last
# ---------------
#
# Each line is a pair, and each column is a window. The colour is the partial correlation, where
# batch means find an edge. The picture shows the pairs found in the most windows.

MOST = 28
names = returns.column_names
found = np.stack([result.reject for result in rolling["batch"]])
strength = np.stack([result.partial_correlation for result in rolling["batch"]])
pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
often = sorted(pairs, key=lambda pair: -found[:, *pair].mean())[:MOST]
shown = np.array(
    [np.where(found[:, i, j], strength[:, i, j], np.nan) for i, j in often]
)

years = ends.astype("datetime64[D]").astype(float) / 365.2425 + 1970
fig, ax = plt.subplots(figsize=(9, 6.6), layout="constrained")
image = ax.imshow(
    shown,
    aspect="auto",
    interpolation="nearest",
    cmap="viridis_r",
    vmin=0,
    extent=(years[0], years[-1], len(often) - 0.5, -0.5),
)
ax.set_yticks(
    range(len(often)),
    labels=[f"{names[i]} – {names[j]}  {found[:, i, j].mean():4.0%}" for i, j in often],
    fontsize=8.5,
)
ax.set_xlabel("last day of the window")
ax.spines[["top", "right"]].set_visible(False)
fig.colorbar(image, label="partial correlation, where there is an edge", shrink=0.7)
ax.set_title(
    f"The {MOST} pairs found most often, with the share of the windows that find them"
)
plt.show()

always = [f"{names[i]} – {names[j]}" for i, j in pairs if found[:, i, j].all()]
ever = int(found.any(axis=0).sum()) // 2
print(
    f"{ever} of {len(pairs)} pairs are an edge in some window, {len(always)} in every window:"
)
print(", ".join(always))
length = WINDOW / rolling["batch"][0].options["n_batches"]
print(f"a batch has about {length:.0f} days")

# %%
# Three windows that share no day
# -------------------------------
#
# Companies of the same branch are next to each other on the ring and have the same colour. Wider
# lines are stronger ties; ties between branches are grey.

BRANCHES = [
    ["AAPL", "AMD", "MSFT"],
    ["BBY", "HD", "WMT"],
    ["KO", "PEP", "PG"],
    ["UNH", "JNJ", "LLY", "MRK", "PFE"],
    ["CVX", "RRC", "XOM"],
    ["BAC", "JPM"],
    ["GE"],
]
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#555555", "#56B4E9", "#000000"]
branch = {name: k for k, some in enumerate(BRANCHES) for name in some}
places = nx.circular_layout(list(branch))
fig, axes = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
for ax, k in zip(axes, (0, len(starts) // 2, len(starts) - 1), strict=True):
    graph = rolling["batch"][k].to_networkx()
    for a, b, edge in graph.edges(data=True):
        # Bent towards the middle, so that neighbours on the ring are seen to be joined.
        curve = Path([places[a], (places[a] + places[b]) / 5, places[b]], [1, 3, 3])
        color = COLORS[branch[a]] if branch[a] == branch[b] else "#999999"
        ax.add_patch(
            PathPatch(curve, fill=False, color=color, linewidth=9 * edge["weight"])
        )
    for name, place in places.items():
        ax.plot(*place, "o", color=COLORS[branch[name]], markersize=6)
        ax.text(*(1.18 * place), name, ha="center", va="center", fontsize=8)
    inside = sum(branch[a] == branch[b] for a, b in graph.edges)
    first, last = days[starts[k]], days[starts[k] + WINDOW - 1]
    ax.set_title(
        f"{str(first)[:7]} to {str(last)[:7]}\n"
        f"{graph.number_of_edges()} edges, {inside} of them inside a branch",
        fontsize=10,
    )
    ax.set(xlim=(-1.35, 1.35), ylim=(-1.28, 1.28), aspect="equal")
    ax.set_axis_off()
plt.show()

# %%
# Has a tie really changed?
# -------------------------
#
# An edge that is found in one window and not in the next may still be there: the second window may
# just fall short of significance. To claim a change, we must test for a change. Here we compare the
# two halves of the 33 years. If simultaneous 97.5 % intervals do not overlap, we say that the
# partial correlation has changed. The probability of any false claim is then at most 5 %, in the
# limit of long halves. We make the intervals in two ways: with a bootstrap of the largest error
# (``"maxt"``), and by Bonferroni with critical values that allow for the uncertainty of the
# standard errors.

half = len(days) // 2
print(f"from {days[0]} to {days[half - 1]}, and from {days[half]} to {days[-1]}:")
for correction in ("maxt", "bonferroni"):
    early, late = (
        ew.edge_test(part, method="batch", correction=correction)
        for part in (returns[:half], returns[half:])
    )
    before, after = (
        result.confidence_interval(
            level=0.975, scale="partial_correlation", simultaneous=True
        )
        for result in (early, late)
    )
    apart = (before.high < after.low) | (after.high < before.low)
    changed = [(i, j) for i, j in pairs if apart[i, j]]
    print(f"  {correction}: {len(changed)} of {len(pairs)} pairs have changed")
    for i, j in changed:
        was, now = early.partial_correlation[i, j], late.partial_correlation[i, j]
        print(f"    {names[i]} – {names[j]}: {was:+.2f}, then {now:+.2f}")

# %%
# The more cautious way finds no change at all, although the graphs of single windows differ
# everywhere. So rolling graphs make changes look larger than they are. But a change that was not
# found may still exist: intervals that must not overlap are a strict rule.
#
# What this shows, and what it does not
# -------------------------------------
#
# - Three ties, in oil, soft drinks and banks, appear in nearly every window. Most others come and
#   go, partly by chance: in a window of this length many pairs are close to the threshold, on one
#   side or the other.
# - Neighbouring windows share 95 % of their days. So a stripe of twenty windows is not twenty times
#   the evidence; it may come from one quarter of a year that is in all twenty.
# - The error is controlled in each window, not over all windows: up to one window in twenty may
#   contain a false edge.
# - Wild spells last for months, longer than a batch. Batch means allow for most of the dependence,
#   but not for all of it.
# - A window averages over five years: it cannot tell when a tie changed, only that it did.
# - All these companies existed through all 33 years. Companies that failed, above all in 2008, are
#   not in the graph.
# - The returns are of the same day, without lags. A partial correlation does not show a cause. And
#   an edge is given the 18 other companies, not given the whole market.

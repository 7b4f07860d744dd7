"""
Proteins against their known pathway
====================================

**Does a graph of partial correlations recover a signalling pathway that biologists already know?**

Sachs et al. (Science 308:523–529, 2005) measured 11 proteins and lipids in thousands of single T
cells. It is largely known which molecule acts on which, so we can score each method: how many of
the edges that it finds are in the pathway (precision), and how much of the pathway does it find
(recall)?

The answer is disappointing, mostly for reasons that no test can change.
"""

# sphinx_gallery_thumbnail_number = 2
import itertools
import warnings

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from scipy import stats

import edgewise as ew

cells = ew.datasets.load_sachs()
names = cells.column_names
values = np.column_stack([cells[name].to_numpy() for name in names])
kurtosis = stats.kurtosis(values)
print(f"{values.shape[0]} cells, {values.shape[1]} molecules:")
print("   ", ", ".join(names))
print(f"excess kurtosis {kurtosis.min():.0f} to {kurtosis.max():.0f}; a Gaussian has 0")

# %%
# What the pathway predicts
# -------------------------
#
# The pathway is a list of arrows: the consensus of the literature, taken from the Causal Discovery
# Toolbox. The names are those of the data set: p44/42 is Erk, pakts473 is Akt, plcg is PLC-gamma.
#
# Partial correlations have no direction. They are not even meant to find the arrows without their
# heads (the *skeleton*). Suppose the molecules follow linear equations :math:`x = Bx + e` with
# uncorrelated noise of variances :math:`\Omega`. Then the precision matrix is
#
# .. math:: \Theta = (I - B)^\top \Omega^{-1} (I - B),
#
# so :math:`\Theta_{ij}` can be nonzero where there is an arrow between i and j, *and* where both
# act on the same third molecule. Given their common effect, two causes become dependent. The graph
# with these "married" parents is the *moral graph*, and the tests should be scored against it. The
# formula does not require that the arrows form no cycle, which is good, because this pathway has
# one.

arrows = ew.datasets.load_sachs_consensus()
pathway = nx.DiGraph(arrows)
skeleton = {frozenset(arrow) for arrow in arrows}
moral = skeleton | {
    frozenset(couple)
    for child in pathway
    for couple in itertools.combinations(pathway.predecessors(child), 2)
}
all_pairs = len(names) * (len(names) - 1) // 2
by_chance = len(moral) / all_pairs
cycle = [cause for cause, _ in nx.find_cycle(pathway)]

print(
    f"{len(skeleton)} pairs in the skeleton,",
    f"{len(moral)} of {all_pairs} in the moral graph",
)
print("married only:", "; ".join(" – ".join(sorted(pair)) for pair in moral - skeleton))
print("a cycle:", " → ".join([*cycle, cycle[0]]))
print(f"precision of a graph drawn at random: {by_chance:.2f}")

# %%
# Every method, on two scales
# ---------------------------
#
# The raw values are extremely heavy-tailed, and it is common to use their logarithms. We test both.
# The last column is the probability that the same number of edges, drawn at random, has at least as
# many in the moral graph.

METHODS = {
    "fisher": {},
    "elliptical": {},
    "wald": {},
    "score": {},
    "batch": {},
    "whitened, chi2": {"radius": "chi2"},
    "trace (paper)": {"standardize": True},
}
scales = {"raw": values, "log": np.log(values)}


def found_by(result):
    return {frozenset((edge.source, edge.target)) for edge in result.edges()}


results = {}
print(f"{'scale':5} {'method':15} edges  right  precision  recall  random")
for scale, data in scales.items():
    for label, options in METHODS.items():
        method = label.split()[0].rstrip(",")
        with warnings.catch_warnings():
            # Too few rows is an answer here: no edges.
            warnings.simplefilter("ignore", ew.errors.TooFewRowsWarning)
            result = ew.edge_test(data, method=method, feature_names=names, **options)
        results[scale, label] = result
        found = found_by(result)
        right = len(found & moral)
        if found:
            lot = stats.hypergeom.sf(right - 1, all_pairs, len(moral), len(found))
            marks = f"{right / len(found):9.2f} {right / len(moral):7.2f} {lot:7.3f}"
        else:
            marks = f"needs {result.rows_needed:,} rows"
        print(f"{scale:5} {label:15} {len(found):5} {right:6}  {marks}")

more = found_by(results["raw", "fisher"]) - found_by(results["raw", "score"])
print(
    f"\nraw: Fisher's test finds {len(more)} edges that the score test does not find;",
    f"{len(more & moral)} of them are right",
)

# %%
# Filled markers are the raw values, hollow ones the logarithms. A method that finds no edge has no
# precision.

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"

fig, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4.4), sharey=True, layout="constrained"
)
for scale, color, marker, face, shift in (
    ("raw", BLUE, "o", BLUE, -0.13),
    ("log", ORANGE, "s", "white", 0.13),
):
    style = {"color": color, "marker": marker, "markerfacecolor": face, "markersize": 7}
    for y, label in enumerate(METHODS):
        found = found_by(results[scale, label])
        if found:
            left.plot(len(found & moral) / len(found), y + shift, **style)
        right.plot(len(found & moral) / len(moral), y + shift, **style)
    name = {"raw": "raw values", "log": "logarithms"}[scale]
    left.plot([], [], linestyle="none", label=name, **style)
left.axvline(by_chance, color=GREY, linestyle=":", label="edges drawn at random")
left.set_yticks(range(len(METHODS)), labels=list(METHODS))
left.invert_yaxis()
left.set_title("precision: edges that are in the moral graph", fontsize=10)
right.set_title("recall: share of the moral graph that is found", fontsize=10)
for ax in (left, right):
    ax.set_xlim(-0.04, 1.04)
    ax.grid(axis="x", color="#e5e5e5")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
fig.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# Two things stand out. On the raw values Fisher's test claims more edges than the tests that do not
# assume Gaussian data. Of the edges that it has beyond the score test, no more are right than in a
# random draw. On the logarithms, whose tails are light, the per-edge tests agree with each
# other, but they connect most pairs: their recall is high, and their precision is little better
# than that of a random draw.
#
# Which edges are right
# ---------------------
#
# This is the score test on both scales. Solid blue edges are in the skeleton, green ones are
# married parents, and dashed orange ones are in neither. Dotted grey lines are arrows of the
# pathway that were not found.

ring = [
    "praf",
    "pmek",
    "p44/42",
    "pakts473",
    "PIP3",
    "PIP2",
    "plcg",
    "PKC",
    "P38",
    "pjnk",
    "PKA",
]
places = nx.circular_layout(ring)
fig, axes = plt.subplots(1, 2, figsize=(10, 5.4), layout="constrained")
for ax, scale in zip(axes, scales, strict=True):
    found = found_by(results[scale, "score"])
    graph = nx.Graph()
    graph.add_nodes_from(ring)
    for some, color, style, width in (
        (found - moral, ORANGE, (0, (4, 2)), 1.2),
        (skeleton - found, GREY, ":", 1.6),
        (found & (moral - skeleton), GREEN, "-", 2.4),
        (found & skeleton, BLUE, "-", 2.8),
    ):
        pairs = [tuple(pair) for pair in some]
        nx.draw_networkx_edges(
            graph, places, pairs, ax=ax, edge_color=color, style=style, width=width
        )
    nx.draw_networkx_labels(
        graph,
        places,
        ax=ax,
        font_size=9,
        bbox={
            "boxstyle": "round,pad=0.3",
            "facecolor": "white",
            "edgecolor": "#333333",
        },
    )
    wrong = len(found - moral)
    ax.set_title(
        f"{scale}: {len(found)} edges, {wrong} of them outside the moral graph"
    )
    ax.margins(0.12)
    ax.set_axis_off()
fig.legend(
    handles=[
        plt.Line2D([], [], color=BLUE, linewidth=2.8, label="found, in the skeleton"),
        plt.Line2D([], [], color=GREEN, linewidth=2.4, label="found, married parents"),
        plt.Line2D(
            [], [], color=ORANGE, linestyle="--", label="found, not in the pathway"
        ),
        plt.Line2D(
            [], [], color=GREY, linestyle=":", linewidth=1.6, label="arrow not found"
        ),
    ],
    loc="outside lower center",
    ncols=4,
    frameon=False,
)
plt.show()

# %%
# Strength helps more than significance
# -------------------------------------
#
# With thousands of cells even a small partial correlation is significant. Significance answers "is
# it zero?", which is rarely what a biologist asks. If we sort the pairs by strength, the first ones
# are more often right than the later ones.

for scale in scales:
    weakest = results[scale, "score"].edges()[-1]
    size = weakest.partial_correlation
    print(f"{scale}: the weakest edge has the partial correlation {size:.3f}")

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for scale, color, style in (("raw", BLUE, "o-"), ("log", ORANGE, "s--")):
    pairs = results[scale, "score"].pairs()
    right = [frozenset((pair.source, pair.target)) in moral for pair in pairs]
    share = np.cumsum(right) / np.arange(1, all_pairs + 1)
    ax.plot(
        range(1, all_pairs + 1), share, style, color=color, markersize=4, label=scale
    )
ax.axhline(by_chance, color=GREY, linestyle=":", label="at random")
ax.set_xlabel("number of pairs, strongest first")
ax.set_ylabel("share in the moral graph")
ax.set_ylim(0, 1.05)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# With ``min_effect`` the test itself asks for strength: an edge is then a partial correlation that
# is significantly *above* that size. On the logarithms:

strong = ew.edge_test(scales["log"], min_effect=0.2, feature_names=names)
print(f"{strong.n_edges} partial correlations are above 0.2 in size")
for edge in strong.edges():
    pair = frozenset((edge.source, edge.target))
    note = (
        ""
        if pair in skeleton
        else "  (married)"
        if pair in moral
        else "  (not in the pathway)"
    )
    print(f"    {edge.source} – {edge.target}: {edge.partial_correlation:+.2f}{note}")

# %%
# One cell can decide
# -------------------
#
# On the raw values Erk (p44/42) and Akt have the largest partial correlation, but other pairs have
# far smaller p-values. Now leave out the one cell with the most Erk:

brightest = int(values[:, names.index("p44/42")].argmax())
for what, data in (
    ("all cells", values),
    ("all but one", np.delete(values, brightest, axis=0)),
):
    result = ew.edge_test(data, feature_names=names)
    pair = next(
        pair
        for pair in result.pairs()
        if {pair.source, pair.target} == {"p44/42", "pakts473"}
    )
    print(
        f"{what}: partial correlation {pair.partial_correlation:.2f},",
        f"p = {pair.pvalue:.1g}, {'an edge' if pair.reject else 'no edge'};",
        f"{result.n_edges} edges in all",
    )

# %%
# The partial correlation hardly changes, but the p-value does, by dozens of orders of magnitude.
# The test asks whether many cells agree, and with that cell included most of the sum comes from one
# cell.
#
# What this shows, and what it does not
# -------------------------------------
#
# - The choice of test matters on the raw values: tests that allow for heavy tails claim fewer
#   edges, and a larger share of them is right.
# - The choice of scale matters more. Zero partial correlation of the values and zero partial
#   correlation of their logarithms are different statements about the cells, and no test can say
#   which one you want.
# - "Not in the pathway" is not "false". The list is a consensus of its time: Sachs et al.
#   themselves drew an arrow from Erk (p44/42) to Akt (pakts473) and confirmed it by experiment, but
#   the list does not contain it. It is one of the strongest edges on the logarithms.
# - The cells are pooled over experiments that activate or inhibit single molecules. Each experiment
#   has its own graph, so there is no single truth that the rows were drawn from, and the experiment
#   acts like a hidden common cause of everything it changes. That alone connects many pairs.
# - The cells of one experiment are next to each other in the file, so rows are not independent
#   either. ``batch``, which allows for dependence that is shorter than a batch, finds fewer edges
#   on both scales.
# - The effects are not linear, molecules that were not measured also act, and because of the cycle
#   even directed methods for acyclic graphs cannot be entirely right.
# - The guarantees hold in the limit of many rows, and with tails like those of the raw values one
#   cell still matters. But shuffled by themselves, so that nothing is connected, these columns give
#   the score test an edge in none of 200 shuffles, and Fisher's test in 31 % (see Evidence).
# - The last column of the table treats all graphs of that size as equally likely, and scores many
#   methods on the same data. Read it as a rough guide, not as a proof.

"""
More genes than cells
=====================

**Which genes are directly connected if there are 765 genes and only 700 cells?**

The cells are blood cells of one healthy person (Zheng et al., Nature Communications 8:14049, 2017).
A small part of them comes with the package scanpy, as ``scanpy.datasets.pbmc68k_reduced()``. This
example only reads that file; it does not import scanpy.
"""

import textwrap
import time
import warnings
from importlib.metadata import files

import anndata
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.stats import false_discovery_control
from sklearn.covariance import GraphicalLassoCV

import edgewise as ew

name = "10x_pbmc68k_reduced.h5ad"
path = next(file.locate() for file in files("scanpy") if file.name == name)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # the file has an old layout
    cells = anndata.read_h5ad(path)
print(f"{cells.n_obs} cells, {cells.n_vars} genes")
print(cells.obs["bulk_labels"].value_counts().to_string())

# %%
# The file has the expression twice, and neither is documented. A few numbers tell what they are.

logs = cells.raw.to_adata()  # the same cells and genes
genes = logs.var_names
values = logs.X.toarray().astype(float)
as_counts = np.expm1(values)
same = [np.corrcoef(cells.X[:, k], as_counts[:, k])[0, 1] for k in range(len(genes))]
print(f"correlation of X with exp(raw) - 1, gene by gene: at least {min(same):.4f}")
print(f"largest value of X: {cells.X.max():.0f} standard deviations")
print(f"values of raw that are zero: {(values == 0).mean():.0%}")

# %%
# ``raw`` holds logarithms of counts per 10,000. ``X`` holds the same counts, each gene in standard
# units, but without the logarithm. There one cell can be 28 standard deviations away from the mean,
# and such cells would decide what is found. We use the logarithms. Two thirds of them are zero: no
# molecule of this gene was caught in this cell.
#
# Why partial correlations of all genes do not work
# -------------------------------------------------
#
# The partial correlation of two genes asks what connects them beyond all other genes. So it first
# predicts each of the two from all others. With 765 genes and 700 cells this is impossible, and
# edgewise says so:

try:
    ew.edge_test(logs.to_df())
except ew.errors.DataError as error:
    print(textwrap.fill(str(error), 88))

# %%
# With 70 genes less it is possible, but not useful. Here CD3D, a gene of T cells, is predicted from
# a growing number of other genes. "Shuffled" means that the values of each gene are put into a
# random order, separately for each gene. Then no gene can tell anything about another.

rng = np.random.default_rng(0)
shuffled = rng.permuted(values, axis=0)
target = genes.get_loc("CD3D")
others = rng.permutation(np.delete(np.arange(len(genes)), target))


def explained(table, n_others):
    table = table - table.mean(axis=0)
    y, X = table[:, target], table[:, others[:n_others]]
    left = y - X @ np.linalg.lstsq(X, y)[0]
    return 1 - np.sum(left**2) / np.sum(y**2)


print("other genes   variance of CD3D that they explain")
print(f"{'':13} {'real cells':>10}  {'shuffled':>8}")
for n_others in (50, 200, 400, 600, 690):
    real, chance = (explained(table, n_others) for table in (values, shuffled))
    print(f"{n_others:11} {real:12.1%} {chance:9.1%}")

# %%
# With 690 genes chance alone explains nearly everything. What is left of CD3D is noise, and a
# partial correlation is the correlation of such remains.
#
# What ``nodewise`` finds
# -----------------------
#
# The method ``"nodewise"`` does not adjust for all genes. For every gene a lasso chooses the few
# other genes that predict it. Each pair is then tested given the genes that were chosen for either
# of the two. This is right if the graph is *sparse*: each gene is directly connected to few others.

start = time.perf_counter()
result = ew.edge_test(logs.to_df(), method="nodewise")
print(f"{time.perf_counter() - start:.0f} seconds for {result.n_pairs:,} pairs")
chosen = [len(neighbours) for neighbours in result.selection.neighbours]
print(
    f"genes chosen for a gene: {np.median(chosen):.0f} (median), {max(chosen)} (most)"
)

upper = np.triu_indices(len(genes), k=1)


def count(tested):
    """Edges with Holm's correction, and with that of Benjamini and Hochberg."""
    discoveries = false_discovery_control(tested.pvalue[upper]) <= tested.alpha
    return tested.n_edges, int(discoveries.sum())


holm, bh = count(result)
print(f"{holm} edges with Holm's correction, {bh} with 'bh'")

# %%
# Holm's correction allows any false edge in at most 5 % of all studies. ``correction="bh"`` allows
# that 5 % of the edges are false, on average. The p-values are the same for both. So the function
# above takes them from the result, which saves the time of a second test.
#
# These are the strongest edges:

for edge in result.edges()[:15]:
    i, j = genes.get_loc(edge.source), genes.get_loc(edge.target)
    given = len(result.selection.adjusted_for(i, j))
    print(
        f"{edge.source:>8} – {edge.target:8} {edge.partial_correlation:+.2f}",
        f"  corrected p {edge.adjusted_pvalue:.0e}, given {given} genes",
    )

# %%
# Most of them are what a biologist would expect:
#
# - C1QA and C1QB are two chains of one protein, C1q. S100A8 and S100A9 together form calprotectin.
# - HLA-DRA is part of MHC class II, which presents antigens. CD74 is the invariant chain of MHC
#   class II.
# - HLA-DRB1 and HLA-DRB5 have similar sequences, and so have HLA-DQA1 and HLA-DQA2. A read can be
#   counted for the wrong one of the two. Part of these edges may come from that.
# - FCER1A and CLEC10A mark one kind of dendritic cell. IRF8 is high in other kinds, and its edge
#   with FCER1A is negative.
# - FCER1G and TYROBP are adaptors: both pass on the signals of receptors at the surface of a cell.
# - STMN1 and HMGB2 are high in cells that divide. GZMK and CCL5 are genes of T cells that kill.
#
# In the picture each gene has the colour of the cells that have most of it. Dark lines are the
# edges with Holm's correction. Light lines are those that only ``"bh"`` has.

KINDS = {
    "CD4+": "T cells",
    "CD8+": "T cells",
    "CD56+": "NK cells",
    "CD19+": "B cells",
    "CD14+": "monocytes",
    "Dendritic": "dendritic cells",
    "CD34+": "stem cells",
}
COLORS = {
    "T cells": "#A6D0F0",
    "NK cells": "#D9C7EC",
    "B cells": "#A8DDB5",
    "monocytes": "#F7B89A",
    "dendritic cells": "#F6E08A",
    "stem cells": "#DDDDDD",
}
labels = cells.obs["bulk_labels"].astype(str)
kinds = labels.map(lambda label: KINDS[label.replace("/", " ").split()[0]]).to_numpy()
means = np.array([values[kinds == kind].mean(axis=0) for kind in COLORS])
color_of = dict(
    zip(genes, np.array(list(COLORS.values()))[means.argmax(axis=0)], strict=True)
)

adjusted = np.ones(result.pvalue.shape)
adjusted[upper] = false_discovery_control(result.pvalue[upper])
graph = nx.Graph()
for i, j in np.argwhere(adjusted <= result.alpha):
    graph.add_edge(
        genes[i],
        genes[j],
        rho=result.partial_correlation[i, j],
        sure=result.reject[i, j],
    )
parts = sorted(nx.connected_components(graph), key=len, reverse=True)

# Each part of the graph has a box of its own, six wide in a row, and its longest side as its axis.
places = {}
left, top, lowest = 0, 0, 0
for part in parts:
    width, height = (3, 2) if len(part) > 3 else (1, 2) if len(part) == 3 else (1, 1)
    if left + width > 6:
        left, top = 0, lowest
    names = sorted(part)  # the same picture every time
    first = nx.circular_layout(names)
    own = nx.kamada_kawai_layout(graph.subgraph(part), pos=first)
    spots = np.array([own[gene] for gene in names])
    spots -= spots.mean(axis=0)
    spots = spots @ np.linalg.svd(spots)[2].T  # along its longest side, and across
    if height > width or len(part) == 2:
        spots = spots[:, ::-1]
    spots /= np.maximum(np.abs(spots).max(axis=0), 0.1)
    spots = spots * (width / 2 - 0.25, height / 2 - 0.25) + (width / 2, height / 2)
    places |= zip(names, spots + np.array((left, top)), strict=True)
    left, lowest = left + width, top + height

fig, ax = plt.subplots(figsize=(9.5, 6.4), layout="constrained")
for gene, other, tie in graph.edges(data=True):
    (x0, y0), (x1, y1) = places[gene], places[other]
    ax.plot(
        (x0, x1),
        (y0, y1),
        color="#333333" if tie["sure"] else "#AAAAAA",
        linestyle="-" if tie["rho"] > 0 else (0, (3, 2)),
        linewidth=1 + 7 * abs(tie["rho"]),
        zorder=1,
    )
for gene, (x, y) in places.items():
    box = {
        "boxstyle": "round,pad=0.3",
        "facecolor": color_of[gene],
        "edgecolor": "white",
    }
    ax.text(x, y, gene, ha="center", va="center", fontsize=9, bbox=box)
for kind, color in COLORS.items():
    if color in {color_of[gene] for gene in graph}:
        ax.plot([], [], "s", color=color, markersize=10, label=kind)
ax.plot([], [], color="#AAAAAA", linewidth=3, label="only with 'bh'")
ax.plot([], [], color="#333333", linewidth=3, linestyle=(0, (3, 2)), label="negative")
ax.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0))
ax.set_xlim(0, 6)
ax.set_ylim(lowest, 0)
ax.set_axis_off()
plt.show()

# %%
# Some famous pairs are missing: CD3D and CD3E of T cells, CD79A and CD79B of B cells, NKG7 and GNLY
# of killer cells.

for one, other in (("CD3D", "CD3E"), ("CD79A", "CD79B"), ("NKG7", "GNLY")):
    i, j = genes.get_loc(one), genes.get_loc(other)
    print(
        f"{one:>5} – {other:5}  correlation {np.corrcoef(values[:, [i, j]].T)[0, 1]:.2f},",
        f"partial {result.partial_correlation[i, j]:.2f}, p {result.pvalue[i, j]:.0e}",
    )

# %%
# All three are correlated. But other genes of the same cells explain most of that, and what remains
# is not strong enough among so many pairs. A study about these three pairs alone, with ``pairs=``,
# would correct for three tests, and would find them all. It must choose them before it sees the
# data.
#
# Data without any edges
# ----------------------
#
# In the shuffled cells every edge is false. Zeros and outliers are still there.

of_nothing = ew.edge_test(shuffled, method="nodewise", feature_names=genes)
holm, bh = count(of_nothing)
print(f"shuffled: {holm} edges with Holm's correction, {bh} with 'bh'")
below = (of_nothing.pvalue[upper] < 0.05).mean()
print(f"p-values below 0.05: {below:.1%} of {of_nothing.n_pairs:,}")

# %%
# The test finds nothing, as it should. Somewhat less than 5 % of the p-values are below 0.05: the
# test is a little careful with genes that are zero in most cells.
#
# Types of cells
# --------------
#
# The cells are of different types, and a type switches many genes on together. The type is then a
# common cause of them all. Here we subtract from each gene its mean in cells of the same label, and
# test what is left.

within = values.copy()
for label in labels.unique():
    own = (labels == label).to_numpy()
    within[own] -= within[own].mean(axis=0)
inside = ew.edge_test(within, method="nodewise", feature_names=genes)
holm, bh = count(inside)
kept = (result.reject & inside.reject)[upper].sum()
print(f"within labels: {holm} edges with Holm's correction, {bh} with 'bh'")
print(f"{kept} of the {result.n_edges} edges from above are among the {holm}")

# %%
# Beside the graphical lasso
# --------------------------
#
# Many people would use the graphical lasso, with its penalty chosen by cross-validation. On all
# genes it takes minutes, too long for this page. So both methods get the 150 genes of the largest
# variance.

TOP = 150
top = np.sort(np.argsort(values.var(axis=0))[-TOP:])
few = np.triu_indices(TOP, k=1)
print(f"{'cells':9} {'method':17} seconds  edges of {few[0].size:,} pairs")
drawn = {}
for label, table in (("real", values), ("shuffled", shuffled)):
    table = table[:, top]
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    start = time.perf_counter()
    tested = ew.edge_test(
        table, method="nodewise", correction="bh", feature_names=genes[top]
    )
    drawn[label, "nodewise"] = tested.reject
    print(
        f"{label:9} {'nodewise, bh':17} {time.perf_counter() - start:7.1f} {tested.n_edges:6}"
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that do not converge, see below
        lasso = GraphicalLassoCV(cv=5).fit(table)
    drawn[label, "lasso"] = lasso.precision_ != 0
    edges = drawn[label, "lasso"][few].sum()
    failed = np.isinf(lasso.cv_results_["mean_test_score"]).sum()
    print(
        f"{label:9} {'GraphicalLassoCV':17} {time.perf_counter() - start:7.1f} {edges:6}"
        f"   penalty {lasso.alpha_:.2f}, failed at {failed} of"
        f" {len(lasso.cv_results_['alphas'])} penalties"
    )
both = (drawn["real", "nodewise"] & drawn["real", "lasso"])[few].sum()
print(f"\n{both} of the edges of nodewise in the real cells are edges of the lasso too")

# %%
# Each dot is an edge in the real cells. Similar genes are next to each other. As in the picture
# above, the colours at the left say which cells have most of a gene.

order = leaves_list(linkage(values[:, top].T, "average", metric="correlation"))
strip = [color_of[gene] for gene in genes[top][order]]
fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.2), layout="constrained")
for ax, method, title in (
    (axes[0], "nodewise", "nodewise, bh"),
    (axes[1], "lasso", "graphical lasso, cross-validated"),
):
    edges = drawn["real", method][np.ix_(order, order)]
    np.fill_diagonal(edges, False)
    ax.plot(*np.nonzero(edges), "s", color="#333333", markersize=2)
    ax.barh(range(TOP), 6, height=1, left=-9, color=strip)
    ax.set_title(f"{title}: {edges.sum() // 2} edges", fontsize=11)
    ax.set_xlim(-9, TOP)
    ax.set_ylim(TOP, -1)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"{TOP} genes")
axes[0].set_ylabel(f"{TOP} genes")
for kind, color in COLORS.items():
    axes[0].plot([], [], "s", color=color, markersize=10, label=kind)
fig.legend(frameon=False, ncols=6, loc="outside lower center")
plt.show()

# %%
# The graphical lasso connects hundreds of pairs, in blocks that have one colour: genes of the same
# cells. In the shuffled cells it connects next to nothing, so it does not make edges out of noise
# here. But its edges in the real cells come without p-values. Cross-validation chooses the penalty
# that predicts best, and this does not limit the number of false edges. In these cells it could not
# even choose freely, because the fits with smaller penalties failed.
#
# Among 150 genes ``nodewise`` finds more edges than among 765. It corrects for fewer pairs. And it
# can adjust only for genes that are in the table: two genes that a third one connects have an edge
# if the third one is left out.
#
# What edgewise warns about
# -------------------------

for caution in result.cautions:
    print(textwrap.fill(f"- {caution}", 88))

# %%
# What this shows, and what it does not
# -------------------------------------
#
# - With more genes than cells, ``nodewise`` tests all pairs of genes. It finds few edges here, and
#   most of them have a known reason. In shuffled cells it finds none.
# - The shuffled cells show that zeros and outliers alone make no edges. They do not show that the
#   graph of the real cells is sparse. The method assumes that, and these data do not fully support
#   it: in theory a gene should have far fewer neighbours than √n / log p, which is 4 here, and the
#   lasso chose 8 for the median gene. Do not rely on an edge whose p-value is near the limit.
# - 700 cells show strong edges only. A pair without an edge can still be connected.
# - Some edges come from the types of cells: 11 of 16 stay if the mean of each label is subtracted.
#   The labels are coarse, and they were themselves made from the expression of the cells. Finer
#   types, stages of a cell and genes outside the table remain as common causes.
# - All cells are from one person, and they are no random sample of that person's blood cells: a
#   third has the label "Dendritic", and in such samples about one cell in a hundred is dendritic.
# - The method assumes independent rows. With cells of several people this is not so, and
#   ``nodewise`` does not take ``groups``. The how-to page on single cells says what to do then.
# - The edges are linear connections of the logarithms. A zero can mean that a gene is silent, or
#   that its molecules were missed. Counts per 10,000 also tie genes together a little, because all
#   genes share the same total.

"""
More genes than cells
=====================

**Which genes are directly connected if there are 765 genes and only 700 cells?**

The cells are blood cells of one healthy person (Zheng et al., Nature Communications 8:14049, 2017).
A small part of them comes with the package scanpy, as ``scanpy.datasets.pbmc68k_reduced()``. This
example only reads that file; it does not import scanpy.
"""

import time
import warnings
from importlib.metadata import files

import anndata
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from scipy.stats import false_discovery_control

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
    ew.edge_test(logs)
except ew.DataError as error:
    print(error)

# %%
# To leave out 70 genes makes it possible, but not useful. Here CD3D, a gene of T cells, is predicted
# from a growing number of other genes. "Shuffled" means: the values of each gene are put into a
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
    print(f"{n_others:11} {real:12.0%} {chance:9.0%}")

# %%
# With 690 genes chance alone explains nearly everything. What is left of CD3D is noise, and a
# partial correlation is the correlation of such remains.
#
# What ``nodewise`` finds
# -----------------------
#
# The method ``"nodewise"`` does not adjust for all genes. For every gene a lasso chooses the few
# other genes that predict it. Each pair is then tested given the genes chosen for either of the two.
# This is right if the graph is *sparse*: if each gene is directly connected to few others.

start = time.perf_counter()
result = ew.edge_test(logs, method="nodewise")
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
# Holm's correction allows a false edge in 5 % of all studies. ``correction="bh"`` allows that 5 % of
# the edges are false, on average. The p-values are the same for both. So we take them from the
# result, and save the time of a second test.
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
# - C1QA and C1QB are two chains of one protein, C1q. S100A8 and S100A9 form calprotectin together.
# - HLA-DRA belongs to MHC class II, and CD74 is its invariant chain. Such molecules present
#   antigens.
# - HLA-DRB1 and HLA-DRB5 have similar sequences, and so have HLA-DQA1 and HLA-DQA2. A read can be
#   counted for the wrong one of the two. Part of these edges may come from that.
# - FCER1A and CLEC10A mark the same kind of dendritic cell, and IRF8 is strong in other kinds. That
#   edge is negative.
# - FCER1G and TYROBP pass on the signals of the same receptors. STMN1 and HMGB2 are high in cells
#   that divide.
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
    spots = np.array(list(nx.kamada_kawai_layout(graph.subgraph(part)).values()))
    spots -= spots.mean(axis=0)
    spots = spots @ np.linalg.svd(spots)[2].T  # along its longest side, and across
    if height > width or len(part) == 2:
        spots = spots[:, ::-1]
    spots /= np.maximum(np.abs(spots).max(axis=0), 0.1)
    spots = spots * (width / 2 - 0.25, height / 2 - 0.25) + (width / 2, height / 2)
    places |= zip(graph.subgraph(part), spots + (left, top), strict=True)
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
ax.plot([], [], color="#333333", linestyle=(0, (3, 2)), label="negative")
ax.legend(frameon=False, ncols=6, loc="upper center", bbox_to_anchor=(0.5, 0))
ax.set_xlim(0, 6)
ax.set_ylim(lowest, 0)
ax.set_axis_off()
plt.show()

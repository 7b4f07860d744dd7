"""
A stream of sensors, looked at again and again
==============================================

**Sensors send readings all the time. When can you say that two of them are tied, without waiting
for a day fixed in advance, and without fooling yourself by looking too often?**

A test at level 5 % keeps its promise for one look. Repeated every hour, it has a new chance to err
every hour, and in the end it does. A confidence sequence keeps the promise over all hours together:
you may look after every batch, stop at any time, or go on.

We simulate nine sensors on a 3 × 3 grid. Each is weakly tied to its neighbours, the readings have
heavy tails, and every reading depends on the one before it.
"""

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

import edgewise as ew
from edgewise.simulate import (
    AutoRegressive,
    StudentT,
    make_grid_precision,
    sample_batches,
)

TIE = 0.06
theta = make_grid_precision(9, weight=-TIE)
law = AutoRegressive(StudentT(df=8), memory=0.5)
names = [f"row {row} col {column}" for row in "123" for column in "123"]
upper = np.triu_indices(9, k=1)
tied = theta[upper] != 0
print(
    f"{tied.sum()} of {tied.size} pairs are tied, each by a partial correlation of {TIE}"
)

# %%
# One stream
# ----------
#
# After every 1000 rows we update the sequence and ask for its intervals. It keeps no rows, only
# sums over batches, so an endless stream needs no more memory than a short one. For comparison we
# also run the ordinary test of batch means on the same state.

sequence = ew.ConfidenceSequence(alpha=0.05, tuned_for=20_000)
rows, anytime, ordinary, found = [], [], [], []
for batch in sample_batches(law, theta, 40_000, rng=11, batch_rows=1000):
    sequence.update(batch)
    result = sequence.result(feature_names=names)
    again = ew.edge_test(sequence.state, method="batch")
    rows.append(sequence.n_samples)
    found.append(result.reject[upper])
    for intervals, of in ((anytime, result), (ordinary, again)):
        intervals.append(
            of.confidence_interval(
                level=0.95, scale="partial_correlation", simultaneous=True
            )
        )
rows, found = np.array(rows), np.array(found)
print(
    f"after {rows[-1]:,} rows: {found[-1][tied].sum()} of {tied.sum()} ties found, ",
    end="",
)
print(f"{found.any(axis=0)[~tied].sum()} false ones at any of {len(rows)} looks")

# %%
# The picture shows two pairs: two neighbours, and two opposite corners of the grid. The blue band
# is the confidence sequence. The dotted lines are ordinary intervals. They also hold for all pairs
# at once, but only for a single look.

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"

fig, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True, layout="constrained")
for ax, (i, j), truth in ((axes[0], (0, 1), TIE), (axes[1], (0, 8), 0.0)):
    low, high = (
        np.array([interval[end][i, j] for interval in anytime]) for end in (0, 1)
    )
    ax.fill_between(
        rows, low, high, color=BLUE, alpha=0.25, linewidth=0, label="at all times"
    )
    for end in (0, 1):
        edge = [interval[end][i, j] for interval in ordinary]
        ax.plot(rows, edge, ":", color=ORANGE, label="at one look" if end else None)
    ax.axhline(0, color="#333333", linewidth=0.8)
    ax.axhline(truth, color=GREY, linestyle="--", linewidth=1, label="truth")
    clear = np.flatnonzero((low > 0) | (high < 0))
    if clear.size:
        ax.axvline(rows[clear[0]], color=BLUE, linewidth=1)
        ax.text(
            rows[clear[0]],
            0.19,
            f" an edge after {rows[clear[0]]:,} rows",
            color=BLUE,
            fontsize=9,
        )
    ax.set_title(f"{names[i]} and {names[j]}", fontsize=10)
    ax.set_xlabel("rows so far")
    ax.set_xlim(rows[0], rows[-1])
    ax.set_xticks(np.arange(10_000, 40_001, 10_000))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylim(-0.22, 0.22)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("partial correlation")
axes[1].legend(frameon=False, loc="lower right")
plt.show()

# %%
# The graph at the last look:

fig = plt.figure(figsize=(7, 5.6))
result.plot(ax=fig.add_axes((0.02, 0.08, 0.96, 0.82)))
plt.show()

# %%
# What looking costs
# ------------------
#
# To count errors we now simulate many streams, and look at each of them every 1000 rows. A stream
# counts as wrong from its first false edge on, because a person watching it would have acted then.

STREAMS, LOOKS, EVERY = 60, 20, 1000
wrong = {
    "batch": np.zeros((STREAMS, LOOKS), dtype=bool),
    "sequence": np.zeros((STREAMS, LOOKS), dtype=bool),
}
for stream in range(STREAMS):
    sequence = ew.ConfidenceSequence(alpha=0.05, tuned_for=20_000)
    batches = sample_batches(
        law, theta, LOOKS * EVERY, rng=1000 + stream, batch_rows=EVERY
    )
    for look, batch in enumerate(batches):
        sequence.update(batch)
        wrong["sequence"][stream, look] = sequence.result().reject[upper][~tied].any()
        tested = ew.edge_test(sequence.state, method="batch")
        wrong["batch"][stream, look] = tested.reject[upper][~tied].any()

fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
looked_at = EVERY * np.arange(1, LOOKS + 1)
for method, color, style, label in (
    ("batch", ORANGE, "s--", "batch means, repeated at every look"),
    ("sequence", BLUE, "o-", "confidence sequence"),
):
    so_far = np.logical_or.accumulate(wrong[method], axis=1).sum(axis=0)
    share = so_far / STREAMS
    bands = [stats.binomtest(int(count), STREAMS).proportion_ci() for count in so_far]
    ax.plot(looked_at, share, style, color=color, markersize=4, label=label)
    ax.fill_between(
        looked_at, *np.transpose(bands), color=color, alpha=0.15, linewidth=0
    )
    print(f"{label}: {share[0]:.2f} after one look, {share[-1]:.2f} after {LOOKS}")
ax.axhline(0.05, color=GREY, linestyle=":", label="promised: 5 %")
ax.set_xlabel("rows so far")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.set_ylabel("share of streams with any false edge so far")
ax.set_ylim(bottom=-0.01)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()

# %%
# What this shows, and what it does not
# -------------------------------------
#
# - Looking at all times has a cost: the band is wider than the ordinary interval, so it takes more
#   rows to find an edge. In exchange you do not need to fix a day in advance, and looking often
#   does no harm.
# - The promise holds only in the limit. The first looks have few batches, and batches must be
#   longer than the memory of the sensors. Wait for a thousand rows or more before the first look.
# - ``tuned_for`` says where the band is narrowest. Choose it before you see the data.
# - The sequence is about the average of all rows so far. If a tie breaks after a year, the rows of
#   that year keep it an edge for a long time. To follow changes, start a new sequence from time to
#   time, and divide ``alpha`` among the sequences.
# - The shaded bands of the last picture are 95 % bands for the shares. With this number of streams
#   the shares are rough.

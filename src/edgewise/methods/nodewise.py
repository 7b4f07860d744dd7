"""The score test given few chosen columns: more columns than rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from edgewise._text import listed
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.estimate.nodewise import NodewiseFit, nodewise_fit
from edgewise.inference.cautions import Caution
from edgewise.inference.measurement import Measurement, Selection
from edgewise.inference.sample import Needs, Sample
from edgewise.methods.method import Assumes, Feature, Method, option
from edgewise.methods.score import score_test
from edgewise.sums.pairs import selected_score_sums
from edgewise.sums.score import sums_of_pairs

DEFAULT_PENALTY = 1.25
# The share of columns with too many neighbours that speaks against a sparse graph.
_MANY_CUT = 0.1


@dataclass(frozen=True)
class Nodewise(Method):
    """The score test of each pair, given the few columns that a lasso chooses.

    The scaled lasso of each column on all others chooses its neighbours A_i, and the pair (i, j) is
    adjusted for (A_i ∪ A_j) ∖ {i, j} (double selection, Belloni, Chernozhukov & Hansen 2014). So
    the test holds with more columns than rows, if the graph is sparse: s log p small beside √n.

    Parameters
    ----------
    penalty : float
        The penalty of the lasso, in units of √(2 log(p/√n)/n). A smaller one chooses more columns,
        some by chance, which makes p-values too small.
    max_neighbours : int, optional
        The most neighbours that a column keeps; by default one for eight rows.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> X = sample("t5", make_chain_precision(60), 50, rng=0)
    >>> result = ew.edge_test(X, method=ew.methods.Nodewise(max_neighbours=5))
    >>> result.n_features, max(map(len, result.selection.neighbours)) <= 5
    (60, True)
    """

    penalty: float = option(
        DEFAULT_PENALTY, "The penalty of the lasso, in units of √(2 log(p/√n)/n).", kind=float
    )
    max_neighbours: int | None = option(
        None,
        "The most neighbours that a column keeps: one for eight rows, unless given.",
        kind=int,
        at_least=1,
    )

    needs: ClassVar[Needs] = Needs(reads_again=True, wide=True)
    name: ClassVar[str] = "nodewise"
    guarantee: ClassVar[str] = "per edge, sparse graph"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, and a sparse graph"
    )
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS_IF_SKEWED
    supports: ClassVar[frozenset[Feature]] = frozenset({"transform"})

    def fit(self, sample: Sample) -> NodewiseFit:
        return nodewise_fit(
            sample.moments(),
            sample.feature_names,
            sample.first_look,
            penalty=self.penalty,
            most=self.max_neighbours,
            given=[sample.feature_names.index(name) for name in sample.given],
        )

    def estimate(self, sample: Sample) -> PrecisionEstimate:
        return self.fit(sample).estimate(sample.feature_names)

    def measure(self, sample: Sample) -> Measurement:
        fit = self.fit(sample)
        n = fit.moments.n_samples
        one_pass = partial(
            selected_score_sums,
            centre=fit.moments.centre(),
            scale=fit.scale,
            correlation=fit.correlation,
            sets=fit.sets,
            n_samples=n,
        )
        of_pairs, diagonal = sample.scan(one_pass)
        estimate = fit.estimate(sample.feature_names, of_pairs[6])
        if sample.first_look is not None:
            rows = sample.first_look.spread.rows
            estimate = replace(estimate, live_share=fit.live_share(rows))
        chosen = fit.neighbours
        selection = Selection(chosen.penalty, tuple(tuple(own.tolist()) for own in chosen.of))
        # Those of the model of a pair, and of the regression of a single column.
        n_columns = selection.sizes().astype(np.float64) + 2
        np.fill_diagonal(n_columns, [len(own) + 1.0 for own in chosen.of])
        uncertainty = score_test(
            estimate,
            sums_of_pairs(of_pairs[:6], len(estimate.precision), diagonal),
            n + 1 - n_columns,
        )
        measured = self.measurement(
            sample,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            options=self._options(),
        )
        cautions = measured.cautions
        if self == Nodewise():  # who chooses more on purpose knows it
            cautions = (*_about_neighbours(fit, sample.feature_names), *cautions)
        return replace(measured, selection=selection, cautions=cautions)

    def _options(self) -> dict[str, float | int]:
        if self.max_neighbours is None:
            return {"penalty": self.penalty}
        return {"penalty": self.penalty, "max_neighbours": self.max_neighbours}


def _about_neighbours(fit: NodewiseFit, names: Sequence[str]) -> tuple[Caution, ...]:
    """What the number of chosen neighbours says against a sparse graph; a few hubs are harmless."""
    cut = fit.neighbours.cut
    if cut.size < _MANY_CUT * len(names):
        return ()
    most = fit.neighbours.most
    which = listed([repr(names[int(column)]) for column in cut])
    return (
        Caution(
            f"The lasso chose more than {most} neighbours for {cut.size:,} of {len(names):,} "
            f"columns ({which}), and only the {most} with the largest coefficients were kept. "
            "Heavy tails do this too. If the graph is not sparse, which this method assumes, some "
            "of its edges may be false.",
            "many neighbours",
        ),
    )

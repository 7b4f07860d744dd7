"""The default: a test of partial correlations, chosen by what the rows are like."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

from edgewise.inference.diagnosis import choice, diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Needs, Sample
from edgewise.methods.method import Assumes, Feature, Method, lags_option
from edgewise.methods.registry import registered
from edgewise.tables.options import NORMAL_SCORES

# The first that can do what is asked for, unless the rows speak for another.
_CANDIDATES = ("score", "wald", "batch", "nodewise")
# Below this, the covariance without a batch has hardly an inverse.
_FEWEST_ROWS_PER_COLUMN = 1.5


@dataclass(frozen=True)
class Auto(Method):
    """The method that suits the rows: `Score`, `Batch` or `Nodewise`; `result.why` says why.

    All ask whether a partial correlation is zero. The choice looks at the rows and never at the
    edges: `nodewise` where they are too few for the columns, `batch` where they depend on the rows
    before them or can be read only once, else `score`; or what else can do what is asked for.

    Parameters
    ----------
    lags : int
        Adjust each row for so many rows before it.

    Examples
    --------
    >>> import edgewise as ew
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns())
    >>> result.method
    'batch'
    >>> print(result.why[:39])
    Rows depend on the rows before them (p
    """

    lags: int = lags_option()

    needs: ClassVar[Needs] = Needs(in_batches=True, undecided=True)
    name: ClassVar[str] = "auto"
    guarantee: ClassVar[str] = "per edge, chosen by the rows"
    condition: ClassVar[str] = "what the chosen method assumes"
    assumes: ClassVar[Assumes] = Assumes(0)
    supports: ClassVar[frozenset[Feature]] = frozenset(get_args(Feature)) - {"latent variables"}

    def resolved(self, sample: Sample, *features: Feature) -> tuple[Method, Sample]:
        wanted: set[Feature] = {*features}
        if sample.clusters is not None:
            wanted.add("clusters")
        if sample.pairwise is not None:
            wanted.add("weights" if sample.pairwise.weighted else "missing")
        if sample.transform == NORMAL_SCORES:
            wanted.add("transform")
        if sample.lags:
            wanted.add("lags")
        able = [name for name in _CANDIDATES if wanted <= registered()[name].supports]
        if not able:  # none can do all of it, and this says what the first cannot do
            registered()[_CANDIDATES[0]]().check_supports(*sorted(wanted))
        if sample.clusters is not None:
            name, why = able[0], f"Rows come in clusters, so {able[0]} was used."
        elif sample.rows is not None:
            n, p = sample.state.n_samples, len(sample.feature_names)
            name, why = choice(n, p, math.nan, able)
            if name != "nodewise" or n >= _FEWEST_ROWS_PER_COLUMN * p:  # there is an inverse
                estimate = registered()[able[0]]().estimate(sample)
                facts = diagnosis_of(
                    estimate,
                    sample.first_look,
                    sample.feature_names,
                    sample.given if sample.lags else (),
                )
                sample = replace(sample, facts=facts, estimate=estimate)
                name, why = choice(n, p, facts.dependence_pvalue, able)
        elif sample.first_look is None:
            name = sample.state.default_method
            if not wanted <= registered()[name].supports:
                name = "batch" if "batch" in able else able[0]
            why = f"A state has no rows left, so {name} was used, which this state is for."
        else:
            name = "batch" if "batch" in able else able[0]
            why = f"Rows can be read only once, so {name} was used instead of {able[0]}."
        if name == "batch":
            sample = sample.in_batches()
        options = {"lags": self.lags} if self.lags else {}
        method = registered()[name](**options)
        purpose = f"method {name!r}"
        return method, replace(sample, why=why, purpose=purpose)

    def measure(self, sample: Sample) -> Measurement:
        method, sample = self.resolved(sample)
        return method.measure(sample)

    def measure_group(self, sample: Sample) -> Measurement:
        method, sample = self.resolved(sample, "two groups")
        return method.measure_group(sample)

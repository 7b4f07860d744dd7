"""The default: a test of partial correlations, chosen by what the rows are like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from edgewise.inference.diagnosis import Diagnosis, choice, diagnosis_of, wants_nodewise
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Evidence, Needs
from edgewise.inference.sample_of_rows import RowEvidence
from edgewise.inference.sample_of_state import StateEvidence
from edgewise.methods.method import Assumes, Feature, Method
from edgewise.methods.planning import RowPlanner
from edgewise.methods.registry import registered

# The first that can do what is asked for, unless the rows speak for another.
_CANDIDATES = ("score", "wald", "batch", "nodewise")
# Below this, the covariance without a batch has hardly an inverse.
_FEWEST_ROWS_PER_COLUMN = 1.5


@dataclass(frozen=True)
class Auto(Method):
    """The method that suits the rows: `Score`, `Batch` or `Nodewise`; `result.why` says why.

    All of them ask the same question, whether a partial correlation is zero, so p-values mean the
    same. The choice looks at the rows and never at the edges: `nodewise` where there are too few
    rows for the columns, `batch` where rows depend on the rows before them (a test at the level
    0.01) or can be read only once, else `score`. Where few methods can do what is asked for, such
    as clusters or a comparison of two groups, it chooses among these.

    Examples
    --------
    >>> import edgewise as ew
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns())
    >>> result.method
    'batch'
    >>> print(result.why[:39])
    Rows depend on the rows before them (p
    """

    name: ClassVar[str] = "auto"
    guarantee: ClassVar[str] = "per edge, chosen by the rows"
    condition: ClassVar[str] = "what the chosen method assumes"
    assumes: ClassVar[Assumes] = Assumes(0)
    supports: ClassVar[frozenset[Feature]] = frozenset(
        {"clusters", "missing", "weights", "transform", "maxt", "two groups", "permutations"}
    )

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, undecided=True)

    def resolved(self, evidence: Evidence, *features: Feature) -> tuple[Method, Evidence]:
        wanted = {*features, *_features_of(evidence)}
        able = [name for name in _CANDIDATES if wanted <= registered()[name].supports]
        if not able:  # none can do all of it, and this says what the first cannot do
            registered()[_CANDIDATES[0]]().check_supports(*sorted(wanted))
        facts = None
        if evidence.clusters is not None:
            name, why = able[0], f"Rows come in clusters, so {able[0]} was used."
        elif isinstance(evidence, RowEvidence):
            facts = _facts(evidence, able)
            pvalue = math.nan if facts is None else facts.dependence_pvalue
            name, why = choice(evidence.n_samples, len(evidence.feature_names), pvalue, able)
        elif isinstance(evidence, StateEvidence) and evidence.first_look is None:
            name = evidence.state.default_method
            if not wanted <= registered()[name].supports:
                name = "batch" if "batch" in able else able[0]
            why = f"A state has no rows left, so {name} was used, which this state is for."
        else:
            name = "batch" if "batch" in able else able[0]
            why = f"Rows can be read only once, so {name} was used instead of {able[0]}."
        if name == "batch":
            evidence = evidence.in_batches()
        method = registered()[name]()
        asked_by = f"method {name!r}"
        return method, replace(evidence, facts=facts, why=why, asked_by=asked_by)

    def measure(self, evidence: Evidence) -> Measurement:
        method, evidence = self.resolved(evidence)
        return method.measure(evidence)

    def measure_group(self, evidence: Evidence) -> Measurement:
        method, evidence = self.resolved(evidence, "two groups")
        return method.measure_group(evidence)

    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        method, evidence = self.resolved(evidence)
        return method.row_planner(evidence, measurement)


def _features_of(evidence: Evidence) -> list[Feature]:
    """What the rows themselves ask of a method."""
    found: list[Feature] = []
    if evidence.clusters is not None:
        found.append("clusters")
    if evidence.uneven is not None:
        found.append("weights" if evidence.uneven.weighted else "missing")
    if evidence.transform is not None:
        found.append("transform")
    return found


def _facts(evidence: RowEvidence, able: Sequence[str]) -> Diagnosis | None:
    """What the rows are like; None if they are too few for the covariance to have an inverse."""
    names = evidence.feature_names
    wide = evidence.n_samples < _FEWEST_ROWS_PER_COLUMN * len(names)
    if wide and wants_nodewise(evidence.n_samples, len(names), able):
        return None
    estimate = registered()[able[0]]().estimate(evidence)
    return diagnosis_of(estimate, evidence.first_look, names)

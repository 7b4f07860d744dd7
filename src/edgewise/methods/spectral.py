"""The spectral bound: the paper's guarantee without its sum over eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgewise._base.checks import check_choice
from edgewise.bounds.transfer import SpectralTransfer
from edgewise.covcov.solver import SOLVERS
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement
from edgewise.methods.bound_method import BoundMethod
from edgewise.methods.method import Method
from edgewise.methods.options import (
    RADII,
    radius_option,
    solver_option,
    standardize_option,
    support_option,
)
from edgewise.methods.radius import check_support_goes_with, radius_of
from edgewise.methods.support import plain_support


@dataclass(frozen=True)
class Spectral(BoundMethod):
    """Edge where |Θ̂_ij| ≥ ε/(α̂_p(α̂_p − ε)): never above the paper's threshold, and without a μ.

    Guarantee: all entries at once.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding"}
        What bounds the error of Σ̂; `Whitened` says what each needs.
    support : interval or intervals, optional
        The lowest and the highest value that every column, or each one, can take.
    standardize : bool
        Divide the columns by their standard deviations first.
    solver : {"auto", "full", "matrix-free"}
        How eigenvalues are found.

    Examples
    --------
    >>> import edgewise as ew
    >>> sachs = ew.datasets.load_sachs()
    >>> ew.edge_test(sachs, method=ew.Spectral(standardize=True)).options
    {'radius': 'trace', 'standardize': True}
    """

    radius: str = radius_option()
    support: Sequence[Any] | None = support_option()
    standardize: bool = standardize_option()
    solver: str = solver_option()

    name: ClassVar[str] = "spectral"
    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        check_choice("radius", self.radius, RADII)
        check_choice("solver", self.solver, SOLVERS)
        check_support_goes_with(self.radius, self.support)
        object.__setattr__(self, "support", plain_support(self.support))

    @property
    def needs(self) -> Needs:
        one_pass = self.radius == "trace" and not self.standardize
        return Needs(order=4) if one_pass else Needs(reads_again=True)

    @property
    def slow_with_many_columns(self) -> bool:
        return self.radius in ("chi2", "eig")

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return (("spectral, chi2", cls(radius="chi2")), ("spectral, trace", cls()))

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        A = estimate.standardization if self.standardize else None
        radius, record = radius_of(
            self.radius, evidence, A, support=self.support, solver=self.solver
        )
        if self.standardize:
            estimate = estimate.standardized()
        smallest = float(np.linalg.eigvalsh(estimate.covariance)[0])
        transfer = SpectralTransfer(smallest, len(evidence.feature_names))
        record |= {"standardize": self.standardize}
        return self.bounded(evidence, estimate, radius, transfer, record)

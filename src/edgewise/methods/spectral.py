"""The spectral bound: the paper's guarantee without its sum over eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.checks import check_flag
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Evidence, Needs
from edgewise.methods.options import standardize_option
from edgewise.methods.radius import RadiusMethod, radius_of
from edgewise.paper.transfers import SpectralTransfer


@dataclass(frozen=True)
class Spectral(RadiusMethod):
    r"""Edge where \|Θ̂_ij\| ≥ ε/(α̂_p(α̂_p − ε)): never above the paper's threshold, and without a μ.

    Guarantee: all entries at once.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding", "bernstein"}
        What bounds the error of Σ̂; `Whitened` says what each needs.
    support : interval or intervals, optional
        The lowest and the highest value that every column, or each one, can take.
    outside : float
        The share of rows that may lie outside the support; `Whitened` says what it means.
    solver : {"auto", "full", "matrix-free"}
        How eigenvalues are found.
    standardize : bool
        Divide the columns by their standard deviations first.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((5000, 3))
    >>> ew.edge_test(X, method=ew.Spectral(standardize=True)).options
    {'radius': 'trace', 'standardize': True}
    """

    standardize: bool = standardize_option()

    name: ClassVar[str] = "spectral"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "standardize", check_flag("standardize", self.standardize))

    @property
    def needs(self) -> Needs:
        one_pass = self.radius == "trace" and not self.standardize
        return Needs(order=4) if one_pass else Needs(reads_again=True)

    def measure_inside(self, evidence: Evidence) -> Measurement:
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

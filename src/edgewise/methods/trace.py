"""The paper's Algorithm 1 with the trace radius, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.checks import check_choice, check_flag, check_real
from edgewise._base.matrices import population_covariance
from edgewise._base.types import FloatArray
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Evidence, Needs
from edgewise.methods.method import BoundMethod, Method, option
from edgewise.methods.options import solver_option, standardize_option
from edgewise.methods.radius import covcov_largest
from edgewise.paper.covcov import SOLVERS, trace_from_quartics
from edgewise.paper.radii import TRACE_MAX_ALPHA, NormalRadius
from edgewise.paper.transfers import FrobeniusTransfer


@dataclass(frozen=True)
class Trace(BoundMethod):
    """Algorithm 1 with the trace radius, ε = √(2 Tr Cov(U(Σ̂))) z_{1−α/2}.

    Guarantee: with probability 1 − α no zero of Θ is declared an edge, for independent rows of any
    distribution with fourth moments (Corollary 1, by Székely & Bakirov 2003, for α ≤ 0.2152).
    P-values above that limit are reported as 1: no proven level rejects.

    Parameters
    ----------
    mu : float
        The paper's constant.
    standardize : bool
        Divide the columns by their standard deviations first.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((5000, 3))
    >>> ew.edge_test(X, method=ew.Trace(standardize=True)).options
    {'mu': 1.0, 'standardize': True}
    """

    mu: float = option(1.0, "The paper's constant.", kind=float)
    standardize: bool = standardize_option()

    name: ClassVar[str] = "trace"
    guarantee: ClassVar[str] = "all at once, in the limit"
    effect_scale: ClassVar[str] = "precision"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", check_real("mu", self.mu, above=0))
        object.__setattr__(self, "standardize", check_flag("standardize", self.standardize))

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True) if self.standardize else Needs(order=4)

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return (("trace (paper)", cls()),)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        A = estimate.standardization if self.standardize else None
        quartics = evidence.quartics(A)
        if self.standardize:
            estimate = estimate.standardized()
        n = estimate.n_samples
        trace = trace_from_quartics(n, population_covariance(estimate.covariance, n), quartics)
        return self.bounded(
            evidence,
            estimate,
            NormalRadius(2 * trace, TRACE_MAX_ALPHA),
            paper_transfer(estimate, self.mu),
            {"mu": self.mu, "standardize": self.standardize},
        )


def paper_transfer(estimate: PrecisionEstimate, mu: float) -> FrobeniusTransfer:
    """The paper's t = μ √Σ_k (ε/(α̂_k(α̂_k − ε)))², from all eigenvalues of Σ̂."""
    eigenvalues: FloatArray = np.linalg.eigvalsh(estimate.covariance).astype(np.float64)
    return FrobeniusTransfer(eigenvalues, mu)


@dataclass(frozen=True)
class Eig(BoundMethod):
    """Algorithm 1 with the eigenvalue radius, ε = √(2 λ_max(Cov(U(Σ̂)))) z_{1−α/2}.

    This radius rests on the paper's Lemma 1, which is not a bound on ‖Σ̂ − Σ‖₂ (it fails in 64 %
    of draws of 10,000 rows at p = 6). The error of a single entry still has probability at most α,
    in the limit. All entries together were conservative in every simulation, because other steps
    of the threshold have slack.

    Parameters
    ----------
    mu : float
        The paper's constant.
    standardize : bool
        Divide the columns by their standard deviations first.
    solver : {"auto", "full", "matrix-free"}
        "full" builds the covariance matrix of all entries of Σ̂, with p⁴/4 entries of its own.
        "matrix-free" only multiplies with it, and adds the residual of its largest eigenvalue to
        it; the result records how much that is. "auto" takes the one that should be faster.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((5000, 3))
    >>> ew.edge_test(X, method=ew.Eig(standardize=True)).options["solver"]
    'full'
    """

    mu: float = option(1.0, "The paper's constant.", kind=float)
    standardize: bool = standardize_option()
    solver: str = solver_option()

    name: ClassVar[str] = "eig"
    guarantee: ClassVar[str] = "all at once, heuristic"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, as far as simulations go "
        "(its radius is not a proven bound)"
    )
    effect_scale: ClassVar[str] = "precision"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", check_real("mu", self.mu, above=0))
        object.__setattr__(self, "standardize", check_flag("standardize", self.standardize))
        check_choice("solver", self.solver, SOLVERS)

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    @property
    def slow_with_many_columns(self) -> bool:
        return True

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return (("eig (paper)", cls()),)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        A = estimate.standardization if self.standardize else None
        largest, record = covcov_largest(evidence, A, solver=self.solver)
        if self.standardize:
            estimate = estimate.standardized()
        return self.bounded(
            evidence,
            estimate,
            NormalRadius(2 * largest),
            paper_transfer(estimate, self.mu),
            {"mu": self.mu, "standardize": self.standardize, **record},
        )

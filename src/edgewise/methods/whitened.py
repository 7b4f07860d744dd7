"""The whitened bound: affine invariant, the paper's guarantee with far fewer rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from edgewise._base.checks import check_choice
from edgewise.bounds.transfer import WhitenedTransfer
from edgewise.covcov.solver import SOLVERS
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement
from edgewise.methods.bound_method import BoundMethod
from edgewise.methods.method import Method
from edgewise.methods.options import RADII, radius_option, solver_option, support_option
from edgewise.methods.radius import check_support_goes_with, radius_of
from edgewise.methods.support import plain_support


@dataclass(frozen=True)
class Whitened(BoundMethod):
    """Edge where |ρ̂_ij| ≥ ε/(1 − ε), ε bounding the error of the whitened covariance.

    Guarantee: all entries at once, whatever the units and the conditioning of the columns.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding"}
        For independent rows of any distribution with fourth moments, in the limit: "trace"
        (α ≤ 0.2152; ε is a closed form in Mardia's kurtosis) and "chi2" (sharper, all levels; the
        spectrum it needs is exact up to 63 columns, and beyond them estimated from products, ε
        being widened by three standard errors of that). For every n and any distribution within
        the declared `support`: "hoeffding". Not a bound for many variables, like the paper's
        Lemma 1: "eig".
    support : interval or intervals, optional
        The lowest and the highest value that every column, or each one, can take.
    solver : {"auto", "full", "matrix-free"}
        How eigenvalues are found.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> ew.edge_test(returns, method=ew.Whitened(radius="chi2")).correction is None
    True
    """

    radius: str = radius_option()
    support: Sequence[Any] | None = support_option()
    solver: str = solver_option()

    name: ClassVar[str] = "whitened"
    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        check_choice("radius", self.radius, RADII)
        check_choice("solver", self.solver, SOLVERS)
        check_support_goes_with(self.radius, self.support)
        object.__setattr__(self, "support", plain_support(self.support))

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    @property
    def slow_with_many_columns(self) -> bool:
        return self.radius in ("chi2", "eig")

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return (("whitened, chi2", cls(radius="chi2")), ("whitened, trace", cls()))

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        radius, record = radius_of(
            self.radius, evidence, estimate.whitening, support=self.support, solver=self.solver
        )
        transfer = WhitenedTransfer(estimate.precision.diagonal())
        return self.bounded(evidence, estimate, radius, transfer, record)

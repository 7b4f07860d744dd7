"""The whitened bound: affine invariant, the paper's guarantee with far fewer rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from edgewise._base.checks import check_real
from edgewise.errors import ParameterError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Evidence, Needs
from edgewise.methods.options import RADII, kurtosis_option, radius_option
from edgewise.methods.radius import RadiusMethod, chebyshev_radius, contradicted_kurtosis, radius_of
from edgewise.paper.transfers import RelativeTransfer, WhitenedTransfer


@dataclass(frozen=True)
class Whitened(RadiusMethod):
    r"""Edge where \|ρ̂_ij\| ≥ ε/(1 − ε), ε bounding the error of the whitened covariance.

    Guarantee: all entries at once, whatever the units and the conditioning of the columns.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding", "bernstein", "chebyshev"}
        For independent rows of any distribution with fourth moments, in the limit: "trace"
        (α ≤ 0.2152; ε is a closed form in Mardia's kurtosis) and "chi2" (sharper, all levels; the
        spectrum it needs is exact up to 63 columns; for more it is estimated from products, and ε
        is widened by three standard errors of that). Both bound ‖Σ^{−½}Σ̂Σ^{−½} − I‖, from which the
        threshold follows with room to spare. At the level 0.05 the error left "chi2" in 0.05 of
        draws up to chance, from six distributions, 6 to 20 columns and 1000 to 50 000 rows, and in
        fewer where a few rows with heavy tails or 20 columns made it too large. For every n and
        any distribution within the declared `support`: "hoeffding", and "bernstein", which uses the
        variances that the rows show and is far sharper. For every n and any distribution whose
        kurtosis is at most the declared `kurtosis`: "chebyshev". Like the paper's Lemma 1, "eig" is
        not a bound for many variables.
    support : interval or intervals, optional
        The lowest and the highest value that every column, or each one, can take.
    outside : float
        The share of rows that may lie outside the support. They are left out and counted, and the
        bound is about the distribution of the rows inside. With 0 a row outside is an error.
    solver : {"auto", "full", "matrix-free"}
        How eigenvalues are found.
    kurtosis : float, optional
        The most that Mardia's kurtosis E(yᵀΘy)², y = x − E x, can be, in multiples of that of
        Gaussian rows.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> ew.edge_test(returns, method=ew.Whitened(radius="chi2")).correction is None
    True
    """

    radius: str = radius_option((*RADII, "chebyshev"))
    kurtosis: float | None = kurtosis_option()

    name: ClassVar[str] = "whitened"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.kurtosis is not None) != (self.radius == "chebyshev"):
            raise ParameterError(
                "kurtosis: expected with radius='chebyshev' and only there, got "
                f"radius={self.radius!r} and kurtosis={self.kurtosis!r}; declare how many times "
                "the kurtosis of Gaussian rows it can be at most."
            )
        if self.kurtosis is not None:
            object.__setattr__(self, "kurtosis", check_real("kurtosis", self.kurtosis, above=0))

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=self.kurtosis is None)

    def measure_inside(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        if self.kurtosis is not None:
            return self._relative(evidence, estimate, self.kurtosis)
        radius, record = radius_of(
            self.radius,
            evidence,
            estimate.whitening,
            support=self.support,
            solver=self.solver,
            whitened=True,
        )
        transfer = WhitenedTransfer(estimate.precision.diagonal())
        return self.bounded(evidence, estimate, radius, transfer, record)

    def _relative(
        self, evidence: Evidence, estimate: PrecisionEstimate, kurtosis: float
    ) -> Measurement:
        """The bound on Σ̂ relative to Σ, which needs no more than Σ̂."""
        radius = chebyshev_radius(evidence, kurtosis)
        transfer = RelativeTransfer(estimate.precision.diagonal())
        record = {"radius": self.radius, "kurtosis": kurtosis}
        measured = self.bounded(evidence, estimate, radius, transfer, record)
        return contradicted_kurtosis(measured, evidence, kurtosis)

"""The whitened bound: affine invariant, the paper's guarantee with far fewer rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from edgewise.bounds.transfer import WhitenedTransfer
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement
from edgewise.methods.radius import radius_of
from edgewise.methods.radius_method import RadiusMethod


@dataclass(frozen=True)
class Whitened(RadiusMethod):
    r"""Edge where \|ρ̂_ij\| ≥ ε/(1 − ε), ε bounding the error of the whitened covariance.

    Guarantee: all entries at once, whatever the units and the conditioning of the columns.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding"}
        For independent rows of any distribution with fourth moments, in the limit: "trace"
        (α ≤ 0.2152; ε is a closed form in Mardia's kurtosis) and "chi2" (sharper, all levels; the
        spectrum it needs is exact up to 63 columns; for more it is estimated from products, and ε
        is widened by three standard errors of that). Both bound ‖Σ^{−½}Σ̂Σ^{−½} − I‖, from which the
        threshold follows with room to spare. At the level 0.05 the error left "chi2" in 0.05 of
        draws up to chance, from six distributions, 6 to 20 columns and 1000 to 50 000 rows, and in
        fewer where a few rows with heavy tails or 20 columns made it too large. For every n and
        any distribution within the declared `support`: "hoeffding". Like the paper's Lemma 1,
        "eig" is not a bound for many variables.
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

    name: ClassVar[str] = "whitened"

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
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

"""The base of the bounds whose radius the user chooses."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from edgewise._base.checks import check_choice, check_real
from edgewise.covcov.solver import SOLVERS
from edgewise.errors import ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.inference.measurement import Measurement
from edgewise.methods.bound_method import BoundMethod
from edgewise.methods.finite_radius import Inside, plain_support
from edgewise.methods.method import Assumes, Method
from edgewise.methods.options import outside_option, radius_option, solver_option, support_option
from edgewise.methods.radius import check_support_goes_with


@dataclass(frozen=True)
class RadiusMethod(BoundMethod):
    """A bound with the options `radius`, `support`, `outside` and `solver`."""

    radius: str = radius_option()
    support: Sequence[Any] | None = support_option()
    outside: float = outside_option()
    solver: str = solver_option()

    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        check_choice("radius", self.radius, self.radii())
        check_choice("solver", self.solver, SOLVERS)
        check_support_goes_with(self.radius, self.support)
        object.__setattr__(self, "support", plain_support(self.support))
        object.__setattr__(self, "outside", _checked_share(self.outside, self.support))

    @classmethod
    def radii(cls) -> tuple[str, ...]:
        """The radii that it can have."""
        (field,) = (field for field in dataclasses.fields(cls) if field.name == "radius")
        return tuple(field.metadata["choices"])

    @abstractmethod
    def measure_inside(self, evidence: Evidence) -> Measurement:
        """The measurement, from rows of which none may be outside the support."""

    def measure(self, evidence: Evidence) -> Measurement:
        if not self.outside:
            return self.measure_inside(evidence)
        inside = Inside.of(evidence, self.support, self.outside)
        return inside.marked(self.measure_inside(inside.evidence))

    @property
    def relies_on(self) -> Assumes:
        if self.support is None:
            return self.assumes
        return self.assumes & ~Assumes.FOURTH_MOMENTS  # values in a known range have all moments

    @property
    def slow_with_many_columns(self) -> bool:
        return self.radius in ("chi2", "eig")

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return ((f"{cls.name}, chi2", cls(radius="chi2")), (f"{cls.name}, trace", cls()))


def _checked_share(outside: object, support: Any) -> float:
    if type(outside) in (int, float) and outside == 0:
        return 0.0
    hint = " With 0, the default, a row outside the support is an error."
    share = check_real("outside", outside, above=0, below=1, hint=hint)
    if support is None:
        raise ParameterError(
            f"outside: expected with a support, got {share:g} and no support; declare each "
            "column's (lowest, highest) value."
        )
    return share

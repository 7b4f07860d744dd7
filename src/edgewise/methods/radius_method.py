"""The base of the bounds whose radius the user chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from edgewise._base.checks import check_choice
from edgewise.covcov.solver import SOLVERS
from edgewise.methods.bound_method import BoundMethod
from edgewise.methods.method import Method
from edgewise.methods.options import RADII, radius_option, solver_option, support_option
from edgewise.methods.radius import check_support_goes_with
from edgewise.methods.support import plain_support


@dataclass(frozen=True)
class RadiusMethod(BoundMethod):
    """A bound with the options `radius`, `support` and `solver`."""

    radius: str = radius_option()
    support: Sequence[Any] | None = support_option()
    solver: str = solver_option()

    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        check_choice("radius", self.radius, RADII)
        check_choice("solver", self.solver, SOLVERS)
        check_support_goes_with(self.radius, self.support)
        object.__setattr__(self, "support", plain_support(self.support))

    @property
    def slow_with_many_columns(self) -> bool:
        return self.radius in ("chi2", "eig")

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return ((f"{cls.name}, chi2", cls(radius="chi2")), (f"{cls.name}, trace", cls()))

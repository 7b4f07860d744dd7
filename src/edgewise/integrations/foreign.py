"""What stands in for packages that are not installed."""

from __future__ import annotations

from typing import Any

from edgewise._base.parts import missing_package
from edgewise.errors import MissingPartError


def stand_in(requirement: str, module: str, error: ImportError) -> Any:
    """A base class in place of one that could not be imported: objects of it cannot be made.

    So an adapter's own class is there in any case, with its documentation, and whoever makes an
    object of it without the package learns how to install it.
    """
    refusal = not_installed(requirement, module, error)

    class Missing:
        def __init__(self, *args: object, **options: object) -> None:
            raise refusal

    return Missing


def not_installed(requirement: str, module: str, error: ImportError) -> MissingPartError:
    """The error for an adapter whose package is missing or too old."""
    package = requirement.partition(">")[0]
    return missing_package(requirement, module, f"The adapter for {package}", error)

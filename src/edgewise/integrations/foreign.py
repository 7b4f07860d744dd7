"""What stands in for packages that are not installed."""

from __future__ import annotations

from typing import Any

from edgewise._base.text import one_line
from edgewise.errors import ParameterError


def stand_in(requirement: str, error: ImportError) -> Any:
    """A base class in place of one that could not be imported: objects of it cannot be made.

    So an adapter's own class is there in any case, with its documentation, and whoever makes an
    object of it without the package learns how to install it.
    """
    refusal = not_installed(requirement, error)

    class Missing:
        def __init__(self, *args: object, **options: object) -> None:
            raise refusal

    return Missing


def not_installed(requirement: str, error: Exception) -> ParameterError:
    return ParameterError(
        f"edgewise.integrations: {requirement} is not installed ({one_line(error)}); install it "
        f"with `pip install '{requirement}'`."
    )

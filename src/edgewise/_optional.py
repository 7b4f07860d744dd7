"""Optional dependencies: import one, or say in a sentence what needs it and how to install it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from edgewise._text import one_line
from edgewise.errors import MissingDependencyError

# Packages whose modules have another name.
_PACKAGES = {"sklearn": "scikit-learn"}


def require(module: str, extra: str | None, what: str) -> Any:
    """Import an optional module; if it is missing, say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_dependency(module, extra, what, error) from error


def check_installed(module: str, extra: str, what: str) -> None:
    """Refuse before long work that needs a module which is not installed; nothing is imported."""
    if not is_installed(module):
        raise missing_dependency(module, extra, what)


def is_installed(module: str) -> bool:
    """Whether a module of the top level can be found; it is not imported."""
    return find_spec(module) is not None


def missing_dependency(
    module: str,
    extra: str | None,
    what: str,
    error: ImportError | None = None,
    requirement: str | None = None,
) -> MissingDependencyError:
    """The error for a module that cannot be imported; an index has what no extra brings."""
    name = module.partition(".")[0]
    package = requirement or _PACKAGES.get(name, name)
    command = f"pip install '{package}'" if extra is None else install_command(extra)
    # What is there, but broken or too old, has a reason of its own.
    broken = error is not None and not (
        isinstance(error, ModuleNotFoundError) and (error.name or name).partition(".")[0] == name
    )
    why = f"cannot be imported ({one_line(error)})" if error and broken else "is not installed"
    return MissingDependencyError(
        f"{what} needs {package}, which {why}; install it with `{command}`."
    )


def stand_in(requirement: str, module: str, error: ImportError) -> Any:
    """A base class in place of one that could not be imported; making an object of it fails."""
    what = f"The adapter for {requirement.partition('>')[0]}"
    refusal = missing_dependency(module, None, what, error, requirement)

    class Missing:
        def __init__(self, *args: object, **options: object) -> None:
            raise refusal

    return Missing


@cache
def install_command(extra: str) -> str:
    """The command that adds an extra to the copy of edgewise that is running, where it is from."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution("edgewise").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:  # a folder on the path
        origin = {"url": Path(__file__).parents[2].as_uri(), "dir_info": {"editable": True}}
    if origin.get("dir_info", {}).get("editable"):
        folder = unquote(urlparse(origin["url"]).path)
        return f"pip install -e '{folder}[{extra}]'"
    source = f" @ {origin['url']}" if origin else ""
    return f"pip install 'edgewise[{extra}]{source}'"

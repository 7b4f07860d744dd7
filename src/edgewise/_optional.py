"""Parts that are installed only where they are used: how to get one that is missing."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from edgewise._text import one_line
from edgewise.errors import MissingDependencyError

# Packages whose modules have another name.
_PACKAGES = {"sklearn": "scikit-learn"}


def require(module: str, extra: str, what: str) -> Any:
    """Import an optional module; if it is missing, say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_dependency(module, extra, what, error) from error


def check_installed(module: str, extra: str, what: str) -> None:
    """Refuse early, before long work, if a module that it will need is not installed.

    The arguments are those of `require`. The module is looked for, but not imported.
    """
    if not is_installed(module):
        raise missing_dependency(module, extra, what)


def is_installed(module: str) -> bool:
    """Whether a module of the top level can be found; it is not imported."""
    return find_spec(module) is not None


def missing_dependency(
    module: str, extra: str, what: str, error: ImportError | None = None
) -> MissingDependencyError:
    """The error for a part that cannot be imported: what needs it, and how to install it."""
    package = module.partition(".")[0]
    return _missing(_PACKAGES.get(package, package), package, install_command(extra), what, error)


def missing_package(
    requirement: str, module: str, what: str, error: ImportError
) -> MissingDependencyError:
    """The error for a package that no extra brings; a package index has it."""
    return _missing(requirement, module, _pip_install(requirement), what, error)


def stand_in(requirement: str, module: str, error: ImportError) -> Any:
    """A base class in place of one that could not be imported; making an object of it fails."""
    refusal = adapter_missing(requirement, module, error)

    class Missing:
        def __init__(self, *args: object, **options: object) -> None:
            raise refusal

    return Missing


def adapter_missing(requirement: str, module: str, error: ImportError) -> MissingDependencyError:
    """The error for an adapter whose package, which no extra brings, is missing or too old."""
    what = f"The adapter for {requirement.partition('>')[0]}"
    return missing_package(requirement, module, what, error)


def _missing(
    package: str, module: str, command: str, what: str, error: ImportError | None
) -> MissingDependencyError:
    # What is there, but broken or too old, has a reason of its own.
    absent = error is None or (
        isinstance(error, ModuleNotFoundError)
        and (error.name or module).partition(".")[0] == module.partition(".")[0]
    )
    why = "is not installed" if absent else f"cannot be imported ({one_line(error)})"  # type: ignore[arg-type]
    return MissingDependencyError(
        f"{what} needs {package}, which {why}; install it with `{command}`."
    )


@cache
def install_command(extra: str) -> str:
    """The command that adds an extra to the copy of edgewise that is running.

    A copy from a folder or a file is named by its path, since the package index may not have it.
    """
    # Imported where something is missing: every test imports this module, and these are slow.
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlparse
    from urllib.request import url2pathname

    try:
        written = distribution("edgewise").read_text("direct_url.json")
    except PackageNotFoundError:  # it was never installed: a folder on the path
        return _from_folder(Path(__file__).parents[2], extra)
    if written is None:
        return _pip_install(f"edgewise[{extra}]")
    origin = json.loads(written)
    url = origin["url"]
    address = urlparse(url)
    place = Path(url2pathname(address.path))
    if address.scheme != "file" or place.is_file():  # a file is a wheel or an sdist
        return _pip_install(f"edgewise[{extra}] @ {url}")
    editable = origin.get("dir_info", {}).get("editable", False)
    return _from_folder(place, extra, "-e " if editable else "")


def _from_folder(folder: Path, extra: str, option: str = "") -> str:
    """The command for a copy of the repository; a folder that is gone can install nothing."""
    if not (folder / "pyproject.toml").is_file():
        return _pip_install(f"edgewise[{extra}]")
    return _pip_install(f"{folder}[{extra}]", option)


def _pip_install(requirement: str, option: str = "") -> str:
    # The prompt of Windows knows only double quotes.
    mark = '"' if os.name == "nt" else "'"
    return f"pip install {option}{mark}{requirement}{mark}"

"""Parts that are installed only where they are used: how to get one that is missing."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any
from urllib.parse import unquote, urlparse

from edgewise._base.text import one_line
from edgewise.errors import MissingPartError


def part(module: str, extra: str, what: str) -> Any:
    """Import an optional module; if it is missing, say which extra brings it.

    Parameters
    ----------
    module : str
        The name of the module.
    extra : str
        The extra of edgewise that installs it.
    what : str
        What needs it, as the subject of the sentence.

    Examples
    --------
    >>> part("math", "tables", "a circle").pi > 3
    True
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_part(module, extra, what, error) from error


def missing_part(module: str, extra: str, what: str, error: ImportError) -> MissingPartError:
    """The error for a part that cannot be imported: what needs it, and how to install it."""
    package = module.partition(".")[0]
    # A part that is there but broken says so itself.
    broken = error.name is not None and error.name.partition(".")[0] != package
    why = f" ({one_line(error)})" if broken else ""
    return MissingPartError(
        f"{what} needs {package}, which is not installed{why}; install it with "
        f"`{install_command(extra)}`."
    )


@cache
def install_command(extra: str) -> str:
    """The command that adds an extra to the copy of edgewise that is running.

    A copy from a folder is named by its folder, since the package index may not have it.
    """
    try:
        url = distribution("edgewise").read_text("direct_url.json")
    except PackageNotFoundError:
        url = None
    if url is None:
        return f"pip install 'edgewise[{extra}]'"
    origin = json.loads(url)
    address = urlparse(origin["url"])
    if address.scheme != "file":
        return f"pip install 'edgewise[{extra}] @ {origin['url']}'"
    folder = unquote(address.path)
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    if folder.endswith((".whl", ".tar.gz")):
        return f"pip install 'edgewise[{extra}] @ {origin['url']}'"
    return f"pip install {editable}'{folder}[{extra}]'"

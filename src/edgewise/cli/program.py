"""The `edgewise` program: what runs before any part that may be missing is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without the packages that it needs, say how to install them."""
    from edgewise._base.parts import check_part
    from edgewise.errors import MissingPartError

    try:
        for module in ("click", "rich"):
            check_part(module, "cli", "The program edgewise")
    except MissingPartError as error:
        print(f"edgewise: {error}", file=sys.stderr)
        sys.exit(1)
    from edgewise.cli.main import main as run

    run()

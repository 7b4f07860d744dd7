"""The pictures of the pages, made anew when the pages are built.

`measured` draws numbers of files and tables, `results` what the code of a page draws,
`gallery` every kind of plot, `sketches` ideas. `style` has one look for all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from drawing import gallery, measured, results, sketches, style
from edgewise.errors import EdgewiseWarning

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "_build" / "pictures"
PICTURES: dict[str, Callable[[], Figure]] = {
    **measured.PICTURES,
    **results.PICTURES,
    **gallery.PICTURES,
    **sketches.PICTURES,
}


def draw_all(folder: Path = FOLDER) -> None:
    """Draw every picture for light and dark pages, if one is older than what it is made of."""
    paths = {name: folder / f"{name}.svg" for name in PICTURES}
    newest = max(path.stat().st_mtime for path in _made_of())
    if all(path.exists() and path.stat().st_mtime > newest for path in paths.values()):
        return
    for name, path in paths.items():
        draw(name, path)
        style.save_dark(path)


def draw(name: str, path: Path, **options) -> None:
    """Draw one picture; a page says what a caution says, where it matters."""
    with (
        warnings.catch_warnings(),
        rc_context({"svg.hashsalt": style.STYLE["svg.hashsalt"]}),
    ):
        warnings.simplefilter("ignore", EdgewiseWarning)
        style.save(PICTURES[name](), path, **options)


def _made_of() -> Iterator[Path]:
    """The program, the drawing, the numbers and the tables."""
    yield from (DOCS.parent / "src").rglob("*.py")
    yield from Path(__file__).parent.glob("*.py")
    for kind in ("csv", "md"):
        yield from (
            path for path in DOCS.rglob(f"*.{kind}") if "_build" not in path.parts
        )

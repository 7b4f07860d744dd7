"""The README's two pictures, which are kept in the repository: `python docs/readme_pictures.py`.

All other pictures are drawn when the pages are built. These have a white ground of their own,
since the README is read where its ground may be dark.
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
NAMES = ("home", "false-edges")


def main() -> None:
    sys.path.insert(0, str(DOCS))
    import drawing

    for name in NAMES:
        drawing.draw(name, DOCS / "images" / f"{name}.svg", ground=True)


if __name__ == "__main__":
    main()

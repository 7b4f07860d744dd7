"""Fails when README.md or the pages of docs/ have more words than a reader should be asked to read.

Words of prose and tables: code, formulas and options of directives do not count.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: Folders of docs/ that `make docs` writes; "reproduction" is a copy.
MADE_BY_SPHINX = {"_build", "auto_examples", "generated", "reproduction"}
MOST = {"README.md": 600, "docs": 40_000}
_NO_WORDS = re.compile(
    r"^(`{3,}).*?^\1 *$|^\$\$.*?^\$\$|\$[^$\n]+\$|^:\w+:.*$", re.DOTALL | re.MULTILINE
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def words(path: Path) -> int:
    return len(_WORD.findall(_NO_WORDS.sub("", path.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    readme = words(ROOT / "README.md")
    pages = [path for path in DOCS.rglob("*.md") if not MADE_BY_SPHINX & {*path.parts}]
    found = {"README.md": readme, "docs": sum(map(words, pages))}
    for name, most in MOST.items():
        print(f"{name}: {found[name]:,} words; at most {most:,} are allowed")
    if any(found[name] > most for name, most in MOST.items()):
        sys.exit("Say it shorter.")

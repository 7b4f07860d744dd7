"""Fails when `src` has more lines than pyproject.toml allows: the cap is on the whole."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

if __name__ == "__main__":
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    cap = settings["tool"]["edgewise"]["max-lines"]
    files = list((ROOT / "src").rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    print(f"src: {lines} lines in {len(files)} files; at most {cap} are allowed")
    if lines > cap:
        sys.exit("Take something away, or raise max-lines and say why in CHANGELOG.md.")

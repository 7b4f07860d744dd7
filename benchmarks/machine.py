"""The facts without which a benchmark means nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

ROOT = Path(__file__).parents[1]
_PACKAGES = ("edgewise", "numpy", "scipy", "scikit-learn")


def machine_facts() -> dict[str, str]:
    """Processor, cores, and the versions of all that does arithmetic."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, which is to be listed

    facts = {
        "CPU": cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
        "Python": platform.python_version(),
    }
    facts |= {package: version(package) for package in _PACKAGES}
    blas = {
        f"{pool['internal_api']} {pool['version']}, {pool.get('architecture', '?')}, "
        f"{pool['num_threads']} threads ({_owner(pool['filepath'])})"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    return facts | {"BLAS": "; ".join(sorted(blas)), "commit": commit() or "unknown"}


def commit() -> str | None:
    """The commit of this folder, and whether the code differs from it; None without git."""
    revision = git("rev-parse", "HEAD")
    changed = revision and git("status", "--porcelain", "--", "src")
    return f"{revision} with changes" if changed else revision


def git(*arguments: str) -> str | None:
    """What git says of this folder; None if there is no git, or it has no answer."""
    try:
        done = subprocess.run(
            ["git", *arguments], check=True, capture_output=True, text=True, cwd=ROOT
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _owner(library: str) -> str:
    """NumPy and SciPy wheels carry a BLAS each; say whose this one is."""
    return next(
        (part.removesuffix(".libs") for part in Path(library).parts if part.endswith(".libs")),
        "system",
    )


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        "unknown",
    )

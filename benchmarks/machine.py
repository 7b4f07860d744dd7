"""The facts without which a benchmark means nothing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

_PACKAGES = ("edgewise", "numpy", "scipy", "scikit-learn")


def machine_facts() -> dict[str, str]:
    """Processor, cores, and the versions of all that does arithmetic."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, which is to be listed

    facts = {
        "CPU": _cpu_model(),
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
    return facts | {"BLAS": "; ".join(sorted(blas))}


def load() -> str:
    """Processes that wanted a core in the last minute.

    Threads of a BLAS wait for each other, so with all of them at work a single other process
    makes anything many times slower: a run with a load above the cores says little of threads.
    """
    return f"{os.getloadavg()[0]:.1f}"


def _owner(library: str) -> str:
    """NumPy and SciPy wheels carry a BLAS each; say whose this one is."""
    return next(
        (part.removesuffix(".libs") for part in Path(library).parts if part.endswith(".libs")),
        "system",
    )


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        "unknown",
    )

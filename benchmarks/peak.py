"""Peak memory of a process, as Linux tells it; elsewhere what `getrusage` knows.

`ru_maxrss` starts at the peak of the process that started this one; VmHWM starts at nothing, and
can be set back.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_BYTES = 1 if sys.platform == "darwin" else 1024


def peak_kilobytes(pid: int | str = "self") -> int:
    """The most memory that a process ever had, or had since `forget_peak`; 0 if it has ended."""
    return _entry("VmHWM", pid)


def resident_megabytes() -> float:
    """What this process has in memory now; where nobody tells, the most it ever had."""
    return _entry("VmRSS") * 1024 / 1e6 if _linux() else peak_megabytes()


def peak_megabytes() -> float:
    if _linux():
        return peak_kilobytes() * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES / 1e6


def forget_peak() -> None:
    """Let the peak of this process begin at what it has now, where the system can do so."""
    if _linux():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _linux() -> bool:
    return sys.platform == "linux"


def _entry(name: str, pid: int | str = "self") -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith(name)), 0)

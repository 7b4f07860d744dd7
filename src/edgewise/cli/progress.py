"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(
    total: int | None, what: str, unit: str = "rows"
) -> Iterator[Callable[[int], None]]:
    """Show how much is done, its share, its rate and the time left.

    It yields a function, to be called with how much was just done. Nothing is shown in the first
    second, nor if standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    rate = TextColumn(f"{{task.completed:,.0f}} {unit}, {{task.fields[rate]:,.3g}}/s")
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), rate)
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=total, rate=0.0, visible=False)

        def tell(done: int) -> None:
            progress.advance(task, done)
            known = progress.tasks[0]
            if known.total is not None and known.completed > known.total:
                # More passes than expected (a matrix-free solver): a full bar would be wrong.
                known.total = None
            elapsed = known.elapsed or 0.0
            speed = known.completed / elapsed if elapsed else 0.0
            progress.update(task, rate=speed, visible=elapsed > 1)

        yield tell


def peak_memory() -> str:
    """The largest memory use of this process so far, for --verbose."""
    try:
        import resource
    except ImportError:  # Windows
        return "peak memory unknown"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    return f"peak memory {most * unit / 2**20:,.0f} MB"

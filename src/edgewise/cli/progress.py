"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def rows_progress(total: int | None, what: str) -> Iterator[Callable[[int], None]]:
    """Yields a function to be told of rows; shows rows, share, rate and time left.

    Nothing is shown when standard error is not a terminal, nor before a second has passed.
    """
    if not sys.stderr.isatty():
        yield lambda rows: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    rate = TextColumn("{task.completed:,.0f} rows, {task.fields[rate]:,.0f}/s")
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), rate)
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=total, rate=0.0, visible=False)

        def tell(rows: int) -> None:
            progress.advance(task, rows)
            known = progress.tasks[0]
            if known.total is not None and known.completed > known.total:
                # More passes than foreseen (a matrix-free solver): a full bar would be a lie.
                known.total = None
            elapsed = known.elapsed or 0.0
            speed = known.completed / elapsed if elapsed else 0.0
            progress.update(task, rate=speed, visible=elapsed > 1)

        yield tell


def peak_memory() -> str:
    """The largest resident size so far, for --verbose."""
    try:
        import resource
    except ImportError:  # Windows
        return "peak memory unknown"
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"peak memory {kilobytes / 1024:,.0f} MB"

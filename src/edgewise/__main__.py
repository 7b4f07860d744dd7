"""The program: `edgewise`, which is also `python -m edgewise`.

Nothing slow is imported at the head of this file, so that a Ctrl-C soon after the start meets a
program that can answer it.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Load the command line and run it."""
    # A shell that starts the program in the background lets it ignore Ctrl-C; so it stays.
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeds:
        signal.signal(signal.SIGINT, _stop_at_once)
    try:
        from edgewise.cli.main import main as run
    except ImportError as error:
        _tell_what_is_missing(error)
        sys.exit(1)
    if heeds:
        signal.signal(signal.SIGINT, _stop)
    run()


def _stop_at_once(number: int, frame: FrameType | None) -> None:
    """End while modules are loaded: there is nothing to clean up, and no one expects an error."""
    os.write(2, b"edgewise: stopped\n")
    os._exit(130)


def _stop(number: int, frame: FrameType | None) -> None:
    """End the work as Python does, but not inside its import system, which can lose the error."""
    if frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        from _thread import interrupt_main
        from threading import Timer

        again = Timer(0.01, interrupt_main)
        again.daemon = True
        again.start()
        return
    raise KeyboardInterrupt


def _tell_what_is_missing(error: ImportError) -> None:
    from edgewise._optional import missing_dependency

    absent = (error.name or "").partition(".")[0]
    if absent != "click":
        raise error
    print(
        f"edgewise: {missing_dependency('click', 'cli', 'the command line', error)}",
        file=sys.stderr,
    )


# Processes that a study spawns import this file again, and must not run it.
if __name__ == "__main__":
    main()

"""Where results go: checked before the work, and "-" is standard output for every writer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import click

#: Files whose names say what they hold, and what to do where there is no name.
_NAMED = {
    "--plot": "name a file that ends in .png, .svg or .pdf",
    "--graph": "name a file, or use --graphml -",
}


def checked_outputs(
    outputs: Mapping[str, str | None], inputs: Iterable[str] = ()
) -> dict[str, str | None]:
    """The outputs of a command by their options, with "-" for what goes to standard output.

    Refuses what should not cost a long run first: a file that cannot be written, that is an input,
    or whose name does not say what it is, and two outputs to one place.
    """
    from edgewise._base.atomic import check_writable

    sources = list(inputs)
    found = {
        option: "-" if path is not None and _is_standard_output(path) else path
        for option, path in outputs.items()
    }
    places: dict[str, str] = {}
    for option, path in found.items():
        if path is None:
            continue
        if path == "-" and option in _NAMED:
            raise click.UsageError(
                f"{option}: the ending of a file decides what is written, and standard output has "
                f"none; {_NAMED[option]}."
            )
        if path != "-":
            check_writable(path, sources)
            _check_ending(option, path)
        place = "-" if path == "-" else os.path.realpath(path)
        if place in places and (path == "-" or not _is_special(place)):
            where = "standard output" if path == "-" else f"'{path}'"
            raise click.UsageError(
                f"{places[place]} and {option}: only one of them can go to {where}; name another "
                "file for the other."
            )
        places[place] = option
    return found


def _check_ending(option: str, path: str) -> None:
    """Refuse a name that does not say what the file is, where it should."""
    from edgewise._base.checks import check_ending
    from edgewise._base.parts import check_part
    from edgewise.view import export

    if option == "--plot":
        export.plot_kind(path)
    elif option == "--graph":
        export.graph_kind(path)
    elif option == "--report":
        check_ending("report", path, ("html", "htm"))
        check_part("jinja2", "plot", "A report")


def checked_state_output(path: str, inputs: Iterable[str] = ()) -> str:
    """Where a state goes: a path, or "-"; not to a terminal, since it is not text."""
    place = checked_outputs({"--output": path}, inputs)["--output"] or path
    if place == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "--output: a state is not text for a terminal; name a file, or send it to a program."
        )
    return place


def _is_standard_output(path: str) -> bool:
    """Whether a path is "-" or another name of this process's standard output."""
    if path == "-":
        return True
    try:
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # no such file yet; a stream without a number, in a notebook
        return False


def _is_special(path: str) -> bool:
    """Whether a path is a device or a pipe, which can take any number of outputs."""
    return os.path.exists(path) and not os.path.isfile(path)


def write_outputs(
    outputs: Mapping[str, str | None], writers: Mapping[str, Callable[[str], object]]
) -> None:
    """Write every output that was asked for, each by the writer of its option."""
    for option, write in writers.items():
        if (path := outputs[option]) is not None:
            with written(path, ".html" if option == "--report" else "") as file:
                write(file)


@contextmanager
def written(path: str, ending: str = "") -> Iterator[str]:
    """The path of a file to write; what is written to "-" goes to standard output at the end."""
    if path != "-":
        yield path
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from edgewise.cli.streams import write_bytes

    with TemporaryDirectory(prefix="edgewise-") as folder:
        file = Path(folder, f"output{ending}")
        yield str(file)
        write_bytes(file.read_bytes())

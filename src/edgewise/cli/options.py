"""The options of all commands, in one list, and help that reads like a page of a manual."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, fields
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgewise._text import did_you_mean
from edgewise.errors import DataError
from edgewise.methods.registry import CLASSES, method_options

if TYPE_CHECKING:
    _ClickChoice = click.Choice[str]
else:
    _ClickChoice = click.Choice  # not generic in older versions

_Command = TypeVar("_Command", bound=Callable[..., Any])

# The shell completes file names here. Paths are not checked here: the code that reads or writes
# them reports errors in one sentence.
PATH = click.Path(readable=False)


class Choice(_ClickChoice):
    """One of some words; for another one that is near, the message says which."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            guess = did_you_mean(str(value), map(str, self.choices))
            raise click.BadParameter(error.message + guess, ctx, param) from error


def _names(name: str, help: str) -> Callable[[Any], Any]:
    """Names of columns; given more than once, all of them count."""
    return click.option(name, metavar="NAMES", multiple=True, help=f"{help}, separated by commas.")


def column_names(texts: Sequence[str]) -> list[str] | None:
    """The names in an option given any number of times, each a line of CSV; None if never.

    An empty text is the column whose name is empty; between commas, what is empty is no name.
    """
    names: list[str] = []
    for text in texts:
        line = next(csv.reader([text], skipinitialspace=True), [])
        # Spaces in quotes are meant.
        line = line if '"' in text else [name.strip() for name in line]
        names += [name for name in line if name] if len(line) > 1 else line or [""]
    return names or None


def _correction(name: str | None) -> str:
    return name or "holm"


def _written(what: str, metavar: str = "FILE|-") -> dict[str, Any]:
    return {"type": PATH, "metavar": metavar, "help": what}


#: Everything that two commands or more can be given.
_SHARED: dict[str, Callable[[Any], Any]] = {
    "data": click.argument("data", nargs=-1, required=True, type=PATH, metavar="DATA..."),
    "columns": _names("--columns", "Columns to test"),
    "exclude": _names("--exclude", "Columns to leave out"),
    "given": _names("--given", "Columns to adjust for only"),
    "pairs": click.option(
        "--pairs",
        type=PATH,
        metavar="FILE",
        help="Test only these pairs, two names on each line of CSV.",
    ),
    "missing": click.option(
        "--missing",
        type=Choice(("raise", "drop", "pairwise")),
        default="raise",
        metavar="HOW",
        help="Missing values: raise an error, drop such rows, or pairwise, the rows that have both "
        "columns of a pair (score, wald, batch).  [default: raise]",
    ),
    "weights": click.option(
        "--weights", metavar="NAME", help="A column of weights of the rows (score, wald, batch)."
    ),
    "weight-kind": click.option(
        "--weight-kind",
        type=Choice(("sampling", "frequency")),
        metavar="KIND",
        default="sampling",
        show_default=True,
        help="sampling (unequal chances), or frequency (how often a row was seen).",
    ),
    "transform": click.option(
        "--transform",
        type=Choice(("normal-scores",)),
        metavar="KIND",
        help="normal-scores: test these in place of values, per edge; right if rows are Gaussian "
        "up to an increasing change of each column.",
    ),
    "clusters": click.option(
        "--clusters",
        metavar="NAME",
        help="A column that says which rows belong together, as subjects (score, wald).",
    ),
    "sep": click.option("--sep", metavar="CHAR", help="Between cells: CHAR, tab or whitespace."),
    "decimal": click.option("--decimal", metavar="CHAR", help="The decimal point: . or ,"),
    "encoding": click.option("--encoding", metavar="NAME", help="As in latin-1 or utf-16."),
    "quote": click.option("--quote", metavar="CHAR", help="The quotes around cells: \" or '"),
    "skip": click.option("--skip", type=int, metavar="N", help="Lines above the names."),
    "na-values": click.option(
        "--na-values", metavar="TEXT", multiple=True, help="A further text for a missing value."
    ),
    "header": click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns."
    ),
    "index-col": click.option(
        "--index-col",
        metavar="NAME|PLACE",
        help="The column that numbers the rows, by name or place (0: the first), or none.",
    ),
    "sheet": click.option("--sheet", metavar="NAME", help="The sheet of an .xlsx file.  [first]"),
    "alpha": click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="Significance level."
    ),
    "correction": click.option(
        "--correction",
        type=Choice(("holm", "bonferroni", "bh", "by", "maxt", "none")),
        metavar="NAME",
        callback=lambda *given: _correction(given[2]),
        help="For many edges: holm, bonferroni, bh, by, maxt, none.  [default: holm]",
    ),
    "json": click.option("--json", **_written("Write the whole result as JSON.")),
    "csv": click.option("--csv", **_written("Write every tested pair as a line of CSV.")),
    "report": click.option(
        "--report", **_written("Write a page to explore in a browser.", "FILE.html")
    ),
    "plot": click.option("--plot", **_written("Draw a picture.", "FILE.png|svg|pdf")),
    "state": click.option(
        "-o", "--output", "state", required=True, **_written("The state file to write.", "STATE|-")
    ),
    "seed": click.option(
        "--seed", type=int, default=0, show_default=True, help="Seed of random numbers."
    ),
    "verbose": click.option(
        "-v", "--verbose", is_flag=True, help="Say which files were read, and their rows."
    ),
}
READING = (
    "sep",
    "decimal",
    "encoding",
    "quote",
    "skip",
    "na-values",
    "header",
    "index-col",
    "sheet",
)


def method_option(help: str, **settings: Any) -> Callable[[Any], Any]:
    # All names are too long for a line.
    return click.option(
        "--method", type=Choice(tuple(CLASSES)), metavar="METHOD", help=help, **settings
    )


def section(title: str, *options: str | Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Give a command options, shared ones by name and others, under a title in its help."""

    def add(command: _Command) -> _Command:
        for one in reversed(options):
            command = (_SHARED[one] if isinstance(one, str) else one)(command)
            command.__click_params__[-1].section = title  # type: ignore[attr-defined]
        return command

    return add


reading_section = section("Reading files, where their first lines do not tell", *READING)


class Manual(click.Command):
    """A command that ends its help with examples; the tests run every one of them."""

    def __init__(self, *arguments: Any, examples: str, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            # Arguments stand in the usage line, and the text below explains them.
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "section", None) or "Options"
                sections.setdefault(title, []).append(record)
        if len(sections) > 1:
            sections["Other options"] = sections.pop("Options")
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: str) -> None:
    """Write the commands as they are typed; lines that begin with # explain them."""
    with formatter.section("Examples"):
        for line in cleandoc(examples).splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class MethodManual(Manual):
    """A command that also takes the options of all methods, which `edgewise help methods` lists."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *method_parameters()]


def method_parameters() -> list[click.Option]:
    """A hidden option without a default for each field of any method, with the choices of all."""
    made = []
    for name, kinds in method_options().items():
        own = [field for kind in kinds for field in fields(kind) if field.name == name]
        widest = max(own, key=lambda field: len(field.metadata["choices"]))
        made.append(option_of(widest, hidden=True))
    return made


def option_of(field: Field[Any], *, hidden: bool = False) -> click.Option:
    """A field of a method as an option, whose help shows the default of the field."""
    known = field.metadata
    without = field.default is None or field.default is False
    return click.Option(
        [f"--{field.name.replace('_', '-')}"],
        type=Choice(known["choices"]) if known["choices"] else known["kind"],
        is_flag=known["kind"] is bool,
        default=None,
        metavar=known["metavar"],
        help=known["help"] + ("" if without else f"  [default: {field.default}]"),
        hidden=hidden,
    )


def given_method_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of methods that the user gave on the command line, ready to pass on."""
    found = {}
    for name, kinds in method_options().items():
        value = options.get(name)
        if value is not None and value is not False:
            parsers = [one.metadata["parse"] for one in fields(kinds[0]) if one.name == name]
            found[name] = value if parsers[0] is None else parsers[0](value)
    return found


#: First lines that name the columns of the file, if the data have no such columns.
_HEADINGS = (("source", "target"), ("from", "to"), ("x", "y"), ("variable1", "variable2"))


def family_of(options: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """`given` and `pairs` of the functions, checked against the names of the data's columns."""
    from edgewise._checks import check_known
    from edgewise.inference.question import checked_family, family_mask

    given, path = column_names(options["given"]), options["pairs"]
    chosen = {name: column_names(options[name]) for name in ("columns", "exclude")}
    family_mask(names, *checked_family(given, **chosen))
    if path is None:
        return {"given": given, "pairs": None}
    pairs = []
    for where, found in _lines(path, names):
        if len(found) != 2 or not all(name or name in names for name in found):
            raise DataError(
                f"{where}: expected two names with a comma between them, got {', '.join(found)!r}."
            )
        check_known(where, found, names)
        if found[0] == found[1]:
            raise DataError(f"{where}: expected two different columns, got {found[0]!r} twice.")
        pairs.append((found[0], found[1]))
    if not pairs:
        raise DataError(
            f"pairs: expected two names on each line of '{path}', got no line; leave --pairs out "
            "to test all pairs."
        )
    checked_family(given, pairs, **chosen)
    return {"given": given, "pairs": pairs}


def _lines(path: str, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The names on each line, and what to call the line in a message.

    A file of `--csv` can be given back: without its remarks, further columns and safe spellings.
    """
    from edgewise._shown import safe_cell
    from edgewise.plots.safe_names import distinct_texts

    originals = {text: name for name, text in distinct_texts(names, safe_cell).items()}
    text, remarks = _text(path), 0
    while text.startswith("#"):
        text, remarks = text.partition("\n")[2], remarks + 1
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    columns, first, written_by_us = slice(None), True, False
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            # In a file of `edgewise diff` the group comes before.
            start = int([word.lower() for word in stripped[:3]] == ["group", "source", "target"])
            two = stripped[start : start + 2]
            heading = tuple(word.lower() for word in two) in _HEADINGS and not {*two} <= {*names}
            if first and heading:
                columns, written_by_us = slice(start, start + 2), len(cells) > 2
            else:
                yield (
                    f"pairs: line {remarks + reader.line_num} of '{path}'",
                    [
                        originals[cell]
                        if written_by_us and cell in originals
                        else next(
                            (known for known in (cell, cell.strip()) if known in names),
                            originals.get(cell.strip(), cell.strip()),
                        )
                        for cell in cells[columns]
                    ],
                )
            first = False
    except csv.Error as error:
        line = remarks + reader.line_num
        raise DataError(f"pairs: line {line} of '{path}' is not CSV: {error}.") from error


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(
            f"pairs: '{path}' cannot be read: {reason}; give a CSV file with two names on each "
            "line."
        ) from error

"""The options of all commands, in one list, and help that reads like a page of a manual."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
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

# The shell completes file names here. Paths are checked by the code that reads or writes them.
PATH = click.Path(readable=False)


class Choice(_ClickChoice):
    """One of some words; for another one that is near, the message says which."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            guess = did_you_mean(str(value), map(str, self.choices))
            raise click.BadParameter(error.message + guess, ctx, param) from error


def _file(help: str, metavar: str = "FILE|-") -> dict[str, Any]:
    return {"type": PATH, "metavar": metavar, "help": help}


def _names(help: str) -> dict[str, Any]:
    return {"metavar": "NAMES", "multiple": True, "help": f"{help}, separated by commas."}


def _one_of(words: Iterable[str], help: str, **how: Any) -> dict[str, Any]:
    return {"type": Choice(tuple(words)), "metavar": "WORD", "help": help, **how}


_KINDS = ("network", "heatmap", "volcano", "forest", "pvalues", "centrality")
#: How files are read, where their first lines do not show it; `edgewise help files` lists these.
_READING: dict[str, dict[str, Any]] = {
    "--sep": {"metavar": "CHAR", "help": "Between cells: CHAR, tab or whitespace."},
    "--decimal": {"metavar": "CHAR", "help": "The decimal point: . or ,"},
    "--encoding": {"metavar": "NAME", "help": "As in latin-1 or utf-16."},
    "--quote": {"metavar": "CHAR", "help": "The quotes around cells: \" or '"},
    "--skip": {"type": int, "metavar": "N", "help": "Lines above the names."},
    "--na-values": {
        "metavar": "TEXT",
        "multiple": True,
        "help": "A further text for a missing value.",
    },
    "--header/--no-header": {"default": None, "help": "Whether the first line names the columns."},
    "--index-col": {
        "metavar": "NAME|INDEX",
        "help": "The column that numbers the rows, by name or index (0: the first), or none.",
    },
    "--sheet": {"metavar": "NAME", "help": "The sheet of an .xlsx file.  [default: the first]"},
}
#: Every option that is not of a single command.
_OPTIONS: dict[str, dict[str, Any]] = {
    "--columns": _names("Columns to test"),
    "--exclude": _names("Columns to leave out"),
    "--given": _names("Columns to adjust for only"),
    "--pairs": _file("Test only these pairs, two names on each line of CSV.", "FILE"),
    "--missing": _one_of(
        ("auto", "drop", "pairwise", "raise"),
        "Missing values: drop their rows, pairwise, all rows that have both columns of a pair, or "
        "raise an error; auto is pairwise where the method can.",
        default="auto",
        show_default=True,
    ),
    "--weights": {"metavar": "NAME", "help": "A column that says how much each row counts."},
    "--weight-kind": _one_of(
        ("sampling", "frequency"),
        "sampling (unequal chances), or frequency (copies).",
        default="sampling",
        show_default=True,
    ),
    "--clusters": {"metavar": "NAME", "help": "A column that says which rows belong together."},
    "--transform": _one_of(
        ("normal-scores", "diff", "log-diff"),
        "Test normal-scores, or the diff or log-diff of consecutive rows.",
    ),
    "--method": _one_of(CLASSES, "", metavar="METHOD"),
    "--alpha": {
        "type": float,
        "default": 0.05,
        "show_default": True,
        "help": "Significance level.",
    },
    "--correction": _one_of(
        ("holm", "bonferroni", "bh", "by", "maxt", "none"),
        "For many pairs: holm, bonferroni, bh, by, maxt, none.  [default: holm]",
        metavar="NAME",
        callback=lambda *given: given[2] or "holm",
    ),
    "--min-effect": {
        "type": float,
        "default": 0.0,
        "metavar": "RHO",
        "help": "Declare an edge only where the partial correlation is larger.",
    },
    "--json": _file("Write the whole result as JSON."),
    "--csv": _file("Write every tested pair as a line; notes go into FILE.notes.txt."),
    "--graph": _file("Write the graph, by the ending .graphml, .gexf or .cyjs.", "FILE"),
    "--plot": _file("Draw a picture.", "FILE.png|svg|pdf"),
    "--plot-kind": _one_of(_KINDS, f"{', '.join(_KINDS[:-1])}, {_KINDS[-1]}.", metavar="KIND"),
    "--all-edges": {"is_flag": True, "help": "Print all edges, not only the 15 strongest."},
    "--compare/--no-compare": {
        "default": None,
        "help": "All other methods in the page, or none.",
    },
    "--no-rows": {"is_flag": True, "help": "No sampled rows in the page."},
    "--open": {"is_flag": True, "help": "Open the page in your browser."},
    "--report": _file("Write a page to explore in a browser.", "FILE.html"),
    "--seed": {"type": int, "default": 0, "show_default": True, "help": "Of random numbers."},
    "--verbose": {"is_flag": True, "help": "Say which files were read, and the time and memory."},
    **{name: {**how, "hidden": True} for name, how in _READING.items()},
}
READING = tuple(name.partition("/")[0][2:].replace("-", "_") for name in _READING)


def option(name: str, **how: Any) -> Callable[[_Command], _Command]:
    """An option of the list, or a new one; what is said here goes first."""
    names = ("-v", name) if name == "--verbose" else (name,)
    return click.option(*names, **{**_OPTIONS.get(name, {}), **how})


def section(title: str, *options: str | Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Give a command options, those of the list by name, under a title in its help."""

    def add(command: _Command) -> _Command:
        for one in reversed(options):
            command = (option(one) if isinstance(one, str) else one)(command)
            parameters: list[Any] = vars(command)["__click_params__"]
            parameters[-1].section = title
        return command

    return add


data_argument = click.argument("data", nargs=-1, required=True, type=PATH, metavar="DATA...")
reading_section = section("Files", *_READING)


class Manual(click.Command):
    """A command that ends its help with examples; the tests run every one of them."""

    def __init__(self, *arguments: Any, examples: str, methods: bool = False, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._examples, self._methods = examples, methods

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *(method_parameters() if self._methods else ())]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        parameters = self.get_params(ctx)
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            # Arguments stand in the usage line, and the text below explains them.
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "section", "")
                sections.setdefault(title or next(reversed(sections), "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
        topics = ["`edgewise help methods`: the options of each method."] * self._methods
        if any(parameter.name == READING[0] for parameter in parameters):
            topics.append("`edgewise help files`: options for files that are read wrongly.")
        if topics:
            with formatter.section("More"):
                formatter.write("".join(f"  {topic}\n" for topic in topics))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self._examples)


def write_examples(formatter: click.HelpFormatter, examples: str) -> None:
    """Write the commands as they are typed; lines that begin with # explain them."""
    with formatter.section("Examples"):
        for line in cleandoc(examples).splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def reading_options() -> list[click.Option]:
    """The options of files, with their help."""
    return [click.Option([name], **how) for name, how in _READING.items()]


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


#: First lines that name the columns of the file, if the data have no such columns.
_HEADINGS = (["source", "target"], ["from", "to"], ["x", "y"], ["variable1", "variable2"])


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
    for number, found in _pairs_in(path, names):
        where = f"pairs: line {number} of '{path}'"
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


def _pairs_in(path: str, names: Sequence[str]) -> Iterable[tuple[int, list[str]]]:
    """The number of each line that is not empty, and the names on it; a file of `--csv` will do."""
    known, places = set(names), slice(None)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, skipinitialspace=True)
            lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or (
            f"it is not CSV ({error})" if isinstance(error, csv.Error) else "it is not UTF-8 text"
        )
        raise DataError(
            f"pairs: '{path}' cannot be read: {reason}; give a CSV file with two names on each "
            "line."
        ) from error
    if lines:
        first = [cell.strip().lower() for cell in lines[0][1]]
        for start in (0, 1):  # in a file of `edgewise diff` the group may come before
            two = first[start : start + 2]
            if two in _HEADINGS and (len(first) > start + 2 or not {*two} <= known):
                places, lines = slice(start, start + 2), lines[1:]
                break
    for number, cells in lines:
        yield number, [_name_in(cell, known) for cell in cells[places]]


def _name_in(cell: str, known: set[str]) -> str:
    """The column that a cell names: as it stands, without spaces, or without its apostrophe."""
    spellings = (cell, cell.strip(), cell.removeprefix("'"), cell.strip().removeprefix("'"))
    return next((name for name in spellings if name in known), cell.strip())


#: Options of single commands that messages name.
_OWN = ("effect", "power", "shuffles", "permutations", "by", "rows", "features")


def as_typed(sentence: str) -> str:
    """A sentence of the library with options in place of the arguments of Python."""
    names = [name.partition("/")[0][2:].replace("-", "_") for name in _OPTIONS]
    for name in (*names, *_OWN, *method_options()):
        option = f"--{name.replace('_', '-')}"
        sentence = re.sub(rf"^{name}(?=: )|(?<=`){name}(?=`)", option, sentence)
        sentence = re.sub(
            rf"\b{name}=(?:'([^']*)'|\"([^\"]*)\"|(\d[\d.]*)|True|None|\.\.\.)",
            lambda found, option=option: " ".join([option, *filter(None, found.groups())]),  # type: ignore[misc]
            sentence,
        )
    # Where the library names both.
    sentence = re.sub(r"(--[a-z-]+(?: \w+)?)(?:(?: of edge_test)?, \1\b| \(\1\))", r"\1", sentence)
    return sentence.removeprefix("X: ")

"""The options of all commands, in one table, and help that reads like a page of a manual."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from inspect import cleandoc, signature
from typing import Any

import click

from edgewise.errors import DataError
from edgewise.methods.registry import method_options

# The shell completes file names here. Paths are checked by the code that reads or writes them.
PATH = click.Path(readable=False)


def _text(metavar: str | None, help: str, **how: Any) -> dict[str, Any]:
    return {"metavar": metavar, "help": help, **how}


def _file(help: str, metavar: str = "FILE|-") -> dict[str, Any]:
    return _text(metavar, help, type=PATH)


def _names(help: str) -> dict[str, Any]:
    return _text("NAMES", f"{help}, separated by commas.", multiple=True)


def _flag(help: str, **how: Any) -> dict[str, Any]:
    return {"is_flag": True, "help": help, **how}


#: How files are read, where their first lines do not show it.
_READING: dict[str, dict[str, Any]] = {
    "--sep": _text("CHAR", "Between cells: CHAR, tab or whitespace."),
    "--decimal": _text("CHAR", "The decimal point: . or ,"),
    "--encoding": _text("NAME", "As in latin-1 or utf-16."),
    "--quote": _text("CHAR", "The quotes around cells: \" or '"),
    "--skip": _text("N", "Lines above the names.", type=int),
    "--na-values": _text("TEXT", "A further text for a missing value.", multiple=True),
    "--header/--no-header": _flag("Whether the first line names the columns.", default=None),
    "--index-col": _text("NAME|INDEX", "The column that numbers the rows (0: the first), or none."),
    "--sheet": _text("NAME", "The sheet of an .xlsx file.  [default: the first]"),
}
READING = tuple(name.partition("/")[0][2:].replace("-", "_") for name in _READING)
#: The options of all commands. The functions that take words check them, and guess what was meant.
OPTIONS: dict[str, dict[str, Any]] = {
    "--columns": _names("Columns to test"),
    "--exclude": _names("Columns to leave out"),
    "--given": _names("Columns to adjust for only"),
    "--pairs": _file("Test only these pairs, two names on each line of CSV.", "FILE"),
    "--missing": _text(
        "WORD",
        "Missing values: drop their rows, pairwise (all rows with both columns of a pair), raise "
        "an error, or auto: pairwise where the method can.",
        default="auto",
    ),
    "--weights": _text("NAME", "A column that says how much each row counts."),
    "--clusters": _text("NAME", "A column that says which cluster a row belongs to."),
    "--transform": _text("WORD", "normal-scores, or the diff or log-diff of consecutive rows."),
    "--by": _text("COLUMN", "The column of DATA that tells the groups apart; it may hold text."),
    "--method": _text(
        "METHOD",
        "auto, score, wald, batch, nodewise, kendall, sequential, fisher, elliptical, or a bound: "
        "entrywise, whitened, spectral, trace, eig.  [default: auto, by the rows]",
    ),
    "--alpha": _text(None, "Significance level.", default=0.05),
    "--correction": _text("NAME", "holm, bonferroni, bh, by, maxt or none.", default="holm"),
    "--min-effect": _text("RHO", "Edges have partial correlations above RHO.", type=float),
    "--permutations": _text("N", "P-values from N permutations; 999 is usual.", type=int),
    "--effect": _text("RHO", "The partial correlation that should be found.", type=float),
    "--power": _text(None, "The probability of finding it.", default=0.8),
    "--all": _flag("Also the bounds on all entries at once."),
    "--null": _flag("Shuffle the columns, and show instead how often each method finds an edge."),
    "--shuffles": _text("N", "Shuffles of --null.  [default: 100]", type=int),
    "--seed": _text(None, "Of random numbers.", type=int, default=0),
    "--rows": _text(None, "How many.", default=10_000),
    "--features": _text(None, "How many variables.", default=10),
    "--distribution": _text(
        "LAW",
        "gaussian, laplace (omega), t (df), contaminated (share, scale), gamma (shape), lognormal "
        "(sigma), pareto (shape).",
        default="gaussian",
    ),
    "--memory": _text(None, "AR(1): the share of the previous row that stays.", type=float),
    "--kind": _text(
        "WORD",
        "batches serve method batch, moments the methods trace, spectral and fisher, products (of "
        "at most 60 columns) also eig, concordance method kendall.",
        default="batches",
    ),
    "--checkpoint-every": _text("SECONDS", "How often to save a checkpoint.", type=float),
    "--resume": _flag("Continue from the checkpoint of an interrupted run."),
    "--csv": _file("Write every tested pair as a line; notes go into FILE.notes.txt."),
    "--json": _file("Write the whole result as JSON."),
    "--graph": _file("Write the graph, by the ending .graphml, .gexf or .cyjs.", "FILE"),
    "--plot": _file("Draw a picture.", "FILE.png|svg|pdf"),
    "--plot-kind": _text("KIND", "network, heatmap, volcano, forest, pvalues, centrality."),
    "--report": _file("Write a page to explore in a browser.", "FILE.html"),
    "--output": _file("The file to write.", "FILE"),
    "--all-edges": _flag("Print all edges, not only the 15 strongest."),
    "--compare/--no-compare": _flag("All other methods in the page, or none.", default=None),
    "--no-rows": _flag("No sampled rows in the page."),
    "--open": _flag("Open the page in your browser."),
    **_READING,
}
_SHORT = {"--output": "-o", "--rows": "-n", "--features": "-p"}
#: Options with another name in Python.
_TYPED = {"every": "--all", "random_state": "--seed", "n_shuffles": "--shuffles"}
_IN_PYTHON = {option: name for name, option in _TYPED.items()}


def option(name: str, **how: Any) -> click.Option:
    """An option of the table; what is said here goes first."""
    names = [one for one in (_SHORT.get(name), name, _IN_PYTHON.get(name)) if one]
    return click.Option(names, **{**OPTIONS[name], **how})


def data_argument() -> click.Argument:
    return click.Argument(["data"], nargs=-1, required=True, type=PATH, metavar="DATA...")


class Manual(click.Command):
    """A command with its options in sections, and examples; the tests run every one of them."""

    examples = ""
    of_methods = False

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        names = {one.name for one in own}
        more = method_parameters() if self.of_methods else ()
        return [*own, *(one for one in more if one.name not in names)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            # Arguments stand in the usage line, and the text below explains them.
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "section", "")
                if not title:  # the help, which click adds last
                    title = "Output" if "Output" in sections else next(iter(sections), "Options")
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
        if self.of_methods:
            formatter.write("\nMore: `edgewise help methods` has the options of each method.\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)


def command(
    name: str,
    sections: Mapping[str, Sequence[str | click.Parameter]],
    examples: str,
    *,
    of_methods: bool = False,
    reads_files: bool = True,
) -> Callable[[Callable[..., Any]], Manual]:
    """Make a command of a function: options of the table by name, or others, under titles."""

    def made(function: Callable[..., Any]) -> Manual:
        parameters: list[Any] = []
        files = {"Files that are read wrongly": _READING} if reads_files else {}
        for title, options in {**sections, **files}.items():
            for one in options:
                parameters.append(option(one) if isinstance(one, str) else one)
                parameters[-1].section = title
        about = cleandoc(function.__doc__ or "")
        found = Manual(name, callback=function, params=parameters, help=about)
        found.examples, found.of_methods = examples, of_methods
        return found

    return made


def write_examples(formatter: click.HelpFormatter, examples: str) -> None:
    """Write the commands as they are typed; lines that begin with # explain them."""
    with formatter.section("Examples"):
        for line in cleandoc(examples).splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def method_parameters() -> list[click.Option]:
    """A hidden option without a default for each field of any method."""
    return [
        option_of(next(one for one in fields(kinds[0]) if one.name == name), hidden=True)
        for name, kinds in method_options().items()
    ]


def option_of(field: Field[Any], *, hidden: bool = False) -> click.Option:
    """A field of a method as an option, whose help shows the default of the field."""
    known, parse = field.metadata, field.metadata["parse"]
    without = field.default is None or field.default is False
    return click.Option(
        [_TYPED.get(field.name, f"--{field.name.replace('_', '-')}"), field.name],
        type=known["kind"],
        is_flag=known["kind"] is bool,
        default=None,
        callback=lambda _, __, value: value if value is None or parse is None else parse(value),
        metavar=known["metavar"] or "|".join(known["choices"]) or None,
        help=known["help"] + ("" if without else f"  [default: {field.default}]"),
        hidden=hidden,
    )


def given_method_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of methods that the user gave."""
    return {name: options[name] for name in method_options() if options[name] not in (None, False)}


def arguments(function: Callable[..., Any], options: dict[str, Any], *only: str) -> dict[str, Any]:
    """What a function takes of the options that were given, or some of it, as Python has it."""
    names = only or {*signature(function).parameters} - {"data"}
    found = {name: options[name] for name in names if options.get(name) is not None}
    for name in {"columns", "exclude", "given"} & found.keys():
        found[name] = column_names(found[name])
    if "pairs" in found:
        found["pairs"] = _pairs_in(found["pairs"])
    return {name: value for name, value in found.items() if value is not None}


def column_names(texts: Sequence[str]) -> list[str] | None:
    """The names in an option given any number of times, each a line of CSV; None if never."""
    lines = csv.reader(texts, skipinitialspace=True)
    names = [name.strip() for line in lines for name in line if name.strip()]
    return names or ([""] if texts else None)  # which no column is called


def _pairs_in(path: str) -> list[tuple[str, str]]:
    """The pairs of names in a file: the first two cells of each line, or "source" and "target"."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file, skipinitialspace=True) if any(line)]
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is no CSV in UTF-8"
        raise DataError(
            f"pairs: '{path}' cannot be read: {reason}; give a CSV file with two names on each "
            "line."
        ) from error
    places = [0, 1]
    if lines and {"source", "target"} <= {*lines[0]}:  # a file of `--csv`
        places = [lines[0].index("source"), lines[0].index("target")]
        lines = lines[1:]
    elif wrong := [line for line in lines if len(line) != 2]:
        raise DataError(
            f"pairs: expected two names with a comma between them on each line of '{path}', got "
            f"{', '.join(wrong[0])!r}."
        )
    return [(line[places[0]].strip(), line[places[1]].strip()) for line in lines]


def as_typed(sentence: str) -> str:
    """A sentence of the library with options in place of the arguments of Python."""
    known = {name.partition("/")[0] for name in OPTIONS} - {"--output"}
    names = {name: f"--{name.replace('_', '-')}" for name in method_options()}
    names |= {one[2:].replace("-", "_"): one for one in known} | _TYPED
    some = "|".join(sorted(names, key=len, reverse=True))
    sentence = re.sub(
        rf"^({some})(?=: )|(?<=`)({some})(?=`)", lambda found: names[found[0]], sentence
    )
    sentence = re.sub(
        rf"\b({some})=(?:'([^']*)'|\"([^\"]*)\"|(\d[\d.]*)|True|False|None|\.\.\.)",
        lambda found: " ".join([names[found[1]], *filter(None, found.groups()[1:])]),
        sentence,
    )
    # Where the library names both.
    sentence = re.sub(r"(--[a-z-]+(?: \w+)?)(?:(?: of edge_test)?, \1\b| \(\1\))", r"\1", sentence)
    return sentence.removeprefix("X: ")

"""Help that reads like a page of a manual: options in sections, then examples."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


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
                sections.setdefault(getattr(parameter, "section", ""), []).append(record)
        others = "Other options" if len(sections) > 1 else "Options"
        for title, records in sections.items():
            with formatter.section(title or others):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: str) -> None:
    """Write the commands as they are typed; lines that begin with # explain them."""
    with formatter.section("Examples"):
        for line in cleandoc(examples).splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def section(title: str) -> Callable[[_Command], _Command]:
    """Put the options below this decorator, down to the next one, under a title in the help."""

    def mark(command: _Command) -> _Command:
        for parameter in getattr(command, "__click_params__", ()):
            # Decorators are applied from the bottom: a marked option belongs to a section below.
            if isinstance(parameter, click.Option) and not hasattr(parameter, "section"):
                parameter.section = title  # type: ignore[attr-defined]
        return command

    return mark

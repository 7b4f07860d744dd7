"""What a mistyped word on the command line was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from edgewise._base.text import nearest

if TYPE_CHECKING:
    _ClickChoice = click.Choice[str]
else:
    _ClickChoice = click.Choice  # not generic in older versions


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question to end a message with; empty if nothing is near.

    Examples
    --------
    >>> did_you_mean("tset", ["test", "pair"])
    " Did you mean 'test'?"
    """
    near = nearest(word, known)
    return "" if near is None else f" Did you mean {near!r}?"


class Choice(_ClickChoice):
    """One of some words; for another one that is near, the message says which."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            guess = did_you_mean(str(value), map(str, self.choices))
            raise click.BadParameter(error.message + guess, ctx, param) from error

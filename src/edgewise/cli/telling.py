"""The two ways to speak: results on standard output, all else on standard error."""

from __future__ import annotations

import click

from edgewise.view.safe_names import printable


def remark(sentence: str) -> None:
    """A sentence about the work, on standard error."""
    click.echo(f"edgewise: {printable(sentence)}", err=True)


def say(sentence: str) -> None:
    """A sentence that is the answer, on standard output."""
    click.echo(printable(sentence))


def say_or_remark(place: str, sentence: str) -> None:
    """The sentence on standard output, or on standard error if the result itself goes there."""
    remark(sentence) if place == "-" else say(sentence)

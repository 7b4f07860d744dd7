"""The columns of a question about one pair: by name or by place, each checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real

from edgewise._base.checks import check_known
from edgewise.errors import DataError, EdgewiseError, ParameterError

#: A column by its name, or by its place.
Column = str | int


def places(
    x: Column, y: Column, given: Column | Iterable[Column], names: Sequence[str]
) -> tuple[int, int, tuple[int, ...]]:
    """The places of x, of y and of the given columns, which count once if they are there twice.

    Examples
    --------
    >>> places("b", 0, ["c", 2], ["a", "b", "c"])
    (1, 0, (2,))
    """
    place = {name: k for k, name in enumerate(names)}
    i, j = _place("x", x, names, place), _place("y", y, names, place)
    if i == j:
        raise ParameterError(f"y: expected another column than x, got {names[i]!r} for both.")
    others = tuple(dict.fromkeys(_place("given", k, names, place) for k in given_columns(given)))
    for argument, k in (("x", i), ("y", j)):
        if k in others:
            raise ParameterError(
                f"given: expected other columns than x and y, got {names[k]!r}, which is "
                f"{argument}; leave it out."
            )
    return i, j, others


def given_columns(given: Column | Iterable[Column]) -> tuple[Column, ...]:
    """One column or several, as a tuple."""
    if isinstance(given, str | Real):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise ParameterError(
            "given: expected the names or the places of columns, got "
            f"{'None' if given is None else type(given).__name__}; leave it out for none."
        )
    return tuple(given)


def _place(argument: str, column: object, names: Sequence[str], place: dict[str, int]) -> int:
    if isinstance(column, str):
        check_known(argument, [column], names)
        return place[column]
    if isinstance(column, Integral) and not isinstance(column, bool):
        if 0 <= int(column) < len(names):
            return int(column)
        raise ParameterError(
            f"{argument}: expected a place from 0 to {len(names) - 1}, since there are "
            f"{len(names)} columns, got {int(column)}."
        )
    raise ParameterError(
        f"{argument}: expected the name of a column, or its place as a whole number, got "
        f"{column!r}."
    )


def check_rows_of_question(n_samples: int, n_given: int) -> None:
    """Refuse fewer rows than the regressions on the given columns need."""
    if n_samples >= n_given + 3:
        return
    if not n_given:
        raise DataError(
            f"data: expected at least 3 rows to relate two columns, got {n_samples}; collect more "
            "rows."
        )
    columns = f"{n_given} given column{'s' * (n_given != 1)}"
    raise DataError(
        f"given: expected at least {n_given + 3} rows for {columns} (their number + 3), got "
        f"{n_samples}; give fewer columns or collect more rows."
    )


def _by_argument(wanted: Sequence[str]) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    return wanted[:1], wanted[1:2], wanted[2:]


@contextmanager
def naming_arguments(wanted: Sequence[str], known: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Errors about columns that data do not have name the arguments x, y and given.

    Parameters
    ----------
    wanted : sequence of str
        The columns of the question: x, y, and the given ones.
    known : callable
        Gives all columns of the data. It may fail, for example because a column is text.
    """
    try:
        yield
    except DataError as error:
        if not str(error).startswith("columns: "):
            raise
        try:
            names = known()
        except EdgewiseError:
            names = wanted
        for argument, columns in zip(("x", "y", "given"), _by_argument(wanted), strict=True):
            check_known(argument, columns, names)
        raise DataError("x, y, given" + str(error).removeprefix("columns")) from error

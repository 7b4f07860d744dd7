"""`open_table`: what the user says about how to read data; the rest is worked out from them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from numbers import Integral
from typing import Any

from edgewise._checks import check_choice, check_count, check_flag, check_names
from edgewise.errors import ParameterError

#: Options of text files, and of everything that holds text cells.
TEXT = frozenset({"sep", "decimal", "encoding", "quote", "skip"})
CELLS = frozenset({"na_values", "header", "index_col"})


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of `open_table`, checked; None for what is worked out from the data."""

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    quote: str | None = None
    skip: int | None = None
    na_values: tuple[str, ...] = ()
    header: bool | None = None
    index_col: str | int | bool | None = None
    sheet: str | int | None = None

    @classmethod
    def checked(cls, **options: Any) -> Reading:
        """The options of a user, each checked."""
        given = {name: value for name, value in options.items() if value is not None}
        return cls(**{name: _CHECKS[name](value) for name, value in given.items()})

    def given(self) -> list[str]:
        """The names of the options that were given."""
        return [one.name for one in fields(self) if getattr(self, one.name) not in (None, ())]

    def refuse_unless(self, known: Collection[str], what: str) -> None:
        """Refuse options that mean nothing for this kind of data."""
        wrong = [name for name in self.given() if name not in known]
        if wrong:
            raise ParameterError(
                f"{wrong[0]}: expected {_MEANT_FOR[wrong[0]]}, got {what}; leave the option out."
            )


_MEANT_FOR = {
    **dict.fromkeys(TEXT, "text files such as .csv"),
    **dict.fromkeys(CELLS, "text files and workbooks"),
    "sheet": "a workbook (.xlsx)",
}


def _sep(sep: object) -> str:
    named = {"tab": "\t", "\\t": "\t", "space": "whitespace", r"\s+": "whitespace"}
    text = named.get(sep, sep) if isinstance(sep, str) else ""
    if text != "whitespace" and (len(text) != 1 or text in '\n\r"' or not text.isascii()):
        raise ParameterError(
            "sep: expected one character between the cells, such as ';' or 'tab', or 'whitespace', "
            f"got {sep!r}."
        )
    return "whitespace" if text == " " else text


def _one_of(name: str, first: str, second: str, value: object) -> str:
    if value not in (first, second):
        raise ParameterError(f"{name}: expected {first!r} or {second!r}, got {value!r}.")
    return str(value)


def _encoding(encoding: object) -> str:
    try:
        return codecs.lookup(encoding).name  # type: ignore[arg-type]
    except (LookupError, TypeError, ValueError):
        raise ParameterError(
            "encoding: expected the name of an encoding, such as 'utf-8', 'latin-1' or 'utf-16', "
            f"got {encoding!r}."
        ) from None


def _na_values(values: object) -> tuple[str, ...]:
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    return tuple(map(str, values if several else [values]))  # type: ignore[call-overload]


def _place(name: str, value: object) -> str | int | bool:
    if isinstance(value, str) or (value is False and name == "index_col"):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    raise ParameterError(f"{name}: expected a name or a place from 0 on, got {value!r}.")


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "sep": _sep,
    "decimal": partial(_one_of, "decimal", ".", ","),
    "encoding": _encoding,
    "quote": partial(_one_of, "quote", '"', "'"),
    "skip": partial(check_count, "skip", at_least=0),
    "na_values": _na_values,
    "header": partial(check_flag, "header"),
    "index_col": partial(_place, "index_col"),
    "sheet": partial(_place, "sheet"),
}


@dataclass(frozen=True, eq=False, slots=True)
class DataToRead:
    """Data and how to read them; every function that takes data takes this too.

    Nothing is read until a function needs it, and then only the columns that it asks for.

    Attributes
    ----------
    data : object
        What `open_table` was given.
    reading : Reading
        How it is read.
    client : distributed.Client or None
        The Dask cluster that reads it.
    weight_kind : str
        What weights mean.
    feature_names : tuple of str or None
        Names of all columns, in place of those that come with the data.

    Examples
    --------
    >>> import edgewise as ew
    >>> ew.open_table("rows.csv", sep=";", decimal=",")
    open_table('rows.csv', sep=';', decimal=',')
    """

    data: Any
    reading: Reading
    client: Any = None
    weight_kind: str = "sampling"
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        said = "".join(f", {name}={getattr(self.reading, name)!r}" for name in self.reading.given())
        return f"open_table({self.data!r}{said})"


def open_table(
    data: Any,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    skip: int | None = None,
    na_values: str | Sequence[str] = (),
    header: bool | None = None,
    index_col: str | int | bool | None = None,
    sheet: str | int | None = None,
    feature_names: Sequence[str] | None = None,
    client: Any = None,
    weight_kind: str = "sampling",
) -> DataToRead:
    """Say how to read data, if edgewise cannot work it out from the first lines.

    Text files rarely need an option: edgewise works out the separator, the decimal point, the
    encoding, the names and whether a column numbers the rows. A `FormatGuessWarning` names
    whatever is unusual. What you set is never guessed.

    Parameters
    ----------
    data : path or list of paths
        A file, a folder, a pattern, or several of them; with the last three options any data.
    sep : str, optional
        The character between the cells of a text file, such as ";"; "tab"; or "whitespace" for one
        or more blanks.
    decimal : {".", ","}, optional
        The decimal point of a text file.
    encoding : str, optional
        The encoding of a text file, such as "latin-1" or "utf-16".
    quote : {'"', "'"}, optional
        The quotes around cells of a text file.
    skip : int, optional
        How many lines above the names (or the first row) of a text file are a title, say.
    na_values : str or sequence of str
        Further texts that stand for missing values, such as "?" or "-999".
    header : bool, optional
        Whether the first line holds the names of the columns.
    index_col : str, int or False, optional
        The column that numbers or names the rows and is not a variable, by name or by place (0 is
        the first); False if there is none.
    sheet : str or int, optional
        The sheet of a workbook (.xlsx), by name or by place; by default the first.
    feature_names : sequence of str, optional
        Names of the columns of numbers, in place of those that come with the data.
    client : distributed.Client, optional
        A Dask cluster that reads the files, or works on the data of Dask.
    weight_kind : {"sampling", "frequency"}
        Whether weights are inverse probabilities of sampling, or say how often a row was seen.

    Returns
    -------
    DataToRead
        What `edge_test` and all other functions take as data. Nothing is read yet.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import edgewise as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rows.csv"
    >>> _ = path.write_text("a;b\\n1,5;2\\n0,5;-999\\n2,5;1\\n0,1;0\\n")
    >>> rows = ew.open_table(path, sep=";", decimal=",", na_values="-999")
    >>> ew.edge_test(rows, missing="drop").n_samples
    3
    >>> folder.cleanup()
    """
    reading = Reading.checked(
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        quote=quote,
        skip=skip,
        na_values=na_values,
        header=header,
        index_col=index_col,
        sheet=sheet,
    )
    check_choice("weight_kind", weight_kind, ("sampling", "frequency"))
    names = None if feature_names is None else check_names(feature_names)
    return DataToRead(data, reading, client, weight_kind, names)


def weight_kind_of(data: Any) -> str:
    """What weights of these data mean."""
    return data.weight_kind if isinstance(data, DataToRead) else "sampling"


def data_and_reading(data: Any) -> tuple[Any, Reading | None]:
    """What `open_table` was given, and its options; other data as they are."""
    return (data.data, data.reading) if isinstance(data, DataToRead) else (data, None)

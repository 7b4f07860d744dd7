"""`read_table`: data, and how to read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgewise.rows.reading import Reading


@dataclass(frozen=True, eq=False, slots=True)
class DataToRead:
    """Data and how to read them; every function that takes data takes this too.

    Nothing is read until a function needs it, and then only the columns that it asks for.

    Attributes
    ----------
    data : object
        The data.
    reading : Reading
        How to read them.

    Examples
    --------
    >>> import edgewise as ew
    >>> ew.read_table("rows.csv", sep=";", decimal=",")
    read_table('rows.csv', sep=';', decimal=',')
    """

    data: Any
    reading: Reading

    def __repr__(self) -> str:
        said = "".join(f", {name}={getattr(self.reading, name)!r}" for name in self.reading.given())
        return f"read_table({self.data!r}{said})"


def read_table(
    data: Any,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: str | Sequence[str] = (),
    header: bool | None = None,
    index_col: str | int | bool | None = None,
    sheet: str | int | None = None,
) -> DataToRead:
    """Say how to read data, if edgewise cannot work it out from the first lines.

    Text files rarely need an option: edgewise works out the separator, the decimal point, the
    encoding, the names and whether a column numbers the rows. A `GuessedFormatWarning` names
    whatever is unusual. What you set is never guessed.

    Parameters
    ----------
    data : path or list of paths
        A file, a folder, a pattern, or several of them.
    sep : str, optional
        The character between the cells of a text file, such as ";"; "tab"; or "whitespace" for one
        or more blanks.
    decimal : {".", ","}, optional
        The decimal point of a text file.
    encoding : str, optional
        The encoding of a text file, such as "latin-1" or "utf-16".
    na_values : str or sequence of str
        Further texts that stand for missing values, such as "?" or "-999".
    header : bool, optional
        Whether the first line holds the names of the columns.
    index_col : str, int or False, optional
        The column that numbers or names the rows and is not a variable, by name or by place (0 is
        the first); False if there is none.
    sheet : str or int, optional
        The sheet of a workbook (.xlsx), by name or by place; by default the first.

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
    >>> rows = ew.read_table(path, sep=";", decimal=",", na_values="-999")
    >>> ew.edge_test(rows, missing="drop").n_samples
    3
    >>> folder.cleanup()
    """
    reading = Reading.checked(
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        na_values=na_values,
        header=header,
        index_col=index_col,
        sheet=sheet,
    )
    return DataToRead(data, reading)


def data_and_reading(data: Any) -> tuple[Any, Reading | None]:
    """What `read_table` was given, and its options; other data as they are."""
    return (data.data, data.reading) if isinstance(data, DataToRead) else (data, None)

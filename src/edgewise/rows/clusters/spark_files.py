"""Files that Spark reads."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgewise.errors import DataError
from edgewise.rows.clusters.spark import SparkTable, spark_errors, spark_reason
from edgewise.rows.readers.cells import BLANKS, MISSING, missing_numbers
from edgewise.rows.readers.files import FileTable
from edgewise.rows.readers.layout import asked_place
from edgewise.rows.readers.sniffing import TextFormat
from edgewise.rows.reading import CELLS, TEXT, Reading
from edgewise.rows.selection import selected_names

_CSV = (".csv", ".csv.gz", ".csv.bz2", ".tsv", ".tsv.gz", ".tsv.bz2", ".txt", ".txt.gz")
_PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class _Text:
    """The form of CSV files as Spark reads them; `names` in the order of their cells, if known."""

    sep: str
    quote: str
    encoding: str
    decimal: str
    header: bool
    na_values: tuple[str, ...]
    multiline: bool = False
    names: tuple[str, ...] | None = None


def spark_file_table(
    session: Any,
    paths: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    along: Sequence[str] = (),
    reading: Reading | None = None,
) -> SparkTable:
    """The rows of Parquet or CSV files of the same columns, by path or by URL (s3a://, hdfs://)."""
    reading = Reading() if reading is None else reading
    chosen: Sequence[str] | None = None
    here = not any("://" in path for path in paths)
    forms: list[TextFormat | None] = []
    if here:
        # Files on this machine are checked first: the messages are better, and come earlier.
        files = FileTable(paths, columns=columns, exclude=exclude, along=along, reading=reading)
        if not files.rescannable:
            raise DataError("data: a cluster cannot read standard input; write the rows to files.")
        paths, chosen, forms = files.paths, files.feature_names, files.forms()
    is_csv = _check_kinds(paths)
    text = _text_of(forms, reading) if is_csv else None
    reading.refuse_unless((TEXT | CELLS) if is_csv else (), "Parquet files")
    try:
        frame = _frame(session, [_literal(path) if here else path for path in paths], text)
        names = list(frame.columns) if text is None or text.names is None else list(text.names)
        if chosen is None:
            index = _index(reading, names)
            chosen = selected_names(names, columns, exclude, "the data", along, index)
        # By place, because a file may have columns without a name.
        own = frame.toDF(*[f"c{k}" for k in range(len(names))])
        wanted = (_column(f"c{names.index(name)}", name, text, name in along) for name in chosen)
        table = SparkTable(own.select(*wanted), along=along)
    except spark_errors() as error:
        raise DataError(f"data: Spark cannot read the files: {spark_reason(error)}.") from error
    table.files = files.rows_read() if here else [(path, None) for path in paths]
    if here:
        table.check_files = files.unchanged_check()  # of a moment before, and of each format
    return table


def _index(reading: Reading, names: Sequence[str]) -> Sequence[str]:
    """The column that numbers the rows, where the user names it; Spark does not look for one."""
    asked = reading.index_col
    if asked is None or asked is False:
        return ()
    return (names[asked_place(asked, names, "the data")],)


def _check_kinds(paths: Sequence[str]) -> bool:
    """Whether all are CSV; otherwise all must be Parquet."""
    if all(path.lower().endswith(_CSV) for path in paths):
        return True
    # A URL without a known ending is the folder of a table, which is usually Parquet.
    if all(path.lower().endswith(_PARQUET) or "://" in path for path in paths):
        return False
    raise DataError(
        "data: expected .parquet files only or .csv files only for Spark, got "
        f"{', '.join(repr(path) for path in paths[:3])}; convert them, or use --engine local."
    )


def _text_of(forms: Sequence[TextFormat | None], reading: Reading) -> _Text:
    """The common form of all files, or for files elsewhere what the user says about it."""
    found = {_spark_form(form) for form in forms if form is not None}
    if not found and reading.sep == BLANKS:
        raise _no_form()
    if not found:
        return _Text(
            sep=reading.sep or ",",
            quote='"',
            encoding=reading.encoding or "utf-8",
            decimal=reading.decimal or ".",
            header=reading.header is not False,
            na_values=reading.na_values,
        )
    if len(found) > 1:
        raise DataError(
            "data: expected CSV files of one form for Spark (separator, decimal point, encoding, "
            "order of columns), got several; use --engine dask or --engine local."
        )
    return found.pop()


def _spark_form(form: TextFormat) -> _Text:
    layout = form.layout
    plain = form.sep != BLANKS and layout.places == tuple(range(layout.n_cells))
    if not plain or form.skip != layout.header or "utf-32" in form.encoding:
        raise _no_form()
    # Spark takes a mark at the front of UTF-8 away itself.
    encoding = "utf-8" if form.encoding.startswith("utf-8") else form.encoding
    return _Text(
        *(form.sep, form.quote, encoding, form.decimal, layout.header, form.na_values),
        multiline=form.multiline,
        names=layout.names,
    )


def _no_form() -> DataError:
    return DataError(
        "data: Spark reads CSV with one line of names before the rows, a character between cells "
        "and a name for every column, got another form of text; use --engine dask or --engine "
        "local."
    )


def _literal(path: str) -> str:
    """The file at a path, escaped: Spark would read * and ? in it as a pattern."""
    if os.path.basename(path).startswith(("_", ".")):
        raise DataError(
            f"data: Spark leaves out files whose names begin with _ or .: '{path}'; rename it, "
            "or use --engine local."
        )
    return "file://" + re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", os.path.abspath(path))


def _frame(session: Any, paths: list[str], text: _Text | None) -> Any:
    if text is None:
        return session.read.parquet(*paths)
    # Columns are read as text, so Spark needs no extra pass to guess types. Quotes are doubled
    # inside quotes, as usual. Lines of another length, or files of another order, are errors.
    options = {"escape": text.quote, "mode": "FAILFAST", "enforceSchema": False}
    options |= {"columnPruning": False, "sep": text.sep, "quote": text.quote}
    options |= {"encoding": text.encoding, "multiLine": text.multiline}
    return session.read.options(**options).csv(paths, header=text.header)


_NUMBER = r"(?i)^\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)\s*$"


def _column(place: str, name: str, text: _Text | None, is_label: bool) -> Any:
    """A column under its name; CSV text becomes a number."""
    from pyspark.sql import functions

    column = functions.col(place)
    if text is None:
        return column.alias(name)
    if is_label:
        return functions.when(~column.isin([*MISSING, *text.na_values]), column).alias(name)
    return _number(column, name, text)


def _number(cell: Any, name: str, text: _Text) -> Any:
    """Text as a number or as missing, by the same rules as CSV that is read locally."""
    from pyarrow.csv import ConvertOptions
    from pyspark.sql import functions

    rules = ConvertOptions()
    wrong = functions.concat(
        functions.lit(f"column {name!r} of "),
        functions.input_file_name(),
        functions.lit(" must hold numbers, got '"),
        cell,
        functions.lit("'"),
    )
    other = (
        functions.when(cell.isNull() | cell.isin([*MISSING, *text.na_values]), None)
        .when(cell.isin(rules.true_values), 1.0)
        .when(cell.isin(rules.false_values), 0.0)
        .otherwise(functions.raise_error(wrong))
    )
    digits = cell
    if text.decimal == ",":
        # A point is then no part of a number.
        swapped = functions.regexp_replace(cell, ",", ".")
        digits = functions.when(~cell.contains("."), swapped)
    # Java also reads 12d, 3F and 0x1p3 as numbers; other CSV readers do not. A number may also be
    # what the user calls missing.
    is_number = digits.rlike(_NUMBER) & ~cell.isin(list(text.na_values) or [""])
    number = functions.when(is_number, digits.try_cast("double"))
    read = functions.coalesce(number, other)
    # -999 also stands for -999.0.
    missing = list(missing_numbers(text.na_values, text.decimal))
    return (functions.when(~read.isin(missing), read) if missing else read).alias(name)

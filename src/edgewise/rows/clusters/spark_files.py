"""Files that Spark reads."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from edgewise.errors import DataError
from edgewise.rows.clusters.spark import SparkTable, spark_errors, spark_reason
from edgewise.rows.readers.files import FileTable
from edgewise.rows.selection import selected_names

_CSV = (".csv", ".csv.gz", ".csv.bz2")
_PARQUET = (".parquet", ".pq")


def spark_file_table(
    session: Any,
    paths: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    along: Sequence[str] = (),
) -> SparkTable:
    """The rows of Parquet or CSV files of the same columns, by path or by URL (s3a://, hdfs://)."""
    chosen: Sequence[str] | None = None
    here = not any("://" in path for path in paths)
    if here:
        # Files on this machine are checked first: the messages are better, and come earlier.
        files = FileTable(paths, columns=columns, exclude=exclude, along=along)
        if not files.rescannable:
            raise DataError("data: a cluster cannot read standard input; write the rows to files.")
        paths, chosen = files.paths, files.feature_names
    is_csv = _check_kinds(paths)
    try:
        frame = _frame(session, [_literal(path) if here else path for path in paths], is_csv)
        if chosen is None:
            chosen = selected_names(frame.columns, columns, exclude, "the data", along)
        wanted = (_column(name, is_csv, name in along) for name in chosen)
        return SparkTable(frame.select(*wanted), along=along)
    except spark_errors() as error:
        raise DataError(f"data: Spark cannot read the files: {spark_reason(error)}.") from error


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


def _literal(path: str) -> str:
    """The file at a path, escaped: Spark would read * and ? in it as a pattern."""
    if os.path.basename(path).startswith(("_", ".")):
        raise DataError(
            f"data: Spark leaves out files whose names begin with _ or .: '{path}'; rename it, "
            "or use --engine local."
        )
    return "file://" + re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", os.path.abspath(path))


def _frame(session: Any, paths: list[str], is_csv: bool) -> Any:
    if not is_csv:
        return session.read.parquet(*paths)
    # Columns are read as text, so Spark needs no extra pass to guess types. Quotes are doubled
    # inside quotes, as usual. Lines of another length, or files of another order, are errors.
    options = {"escape": '"', "mode": "FAILFAST", "enforceSchema": False, "columnPruning": False}
    return session.read.options(**options).csv(paths, header=True)


_NUMBER = r"(?i)^\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)\s*$"


def _column(name: str, is_csv: bool, is_label: bool) -> Any:
    """A column by its name, which may hold dots and backticks; CSV text becomes a number."""
    from pyarrow.csv import ConvertOptions
    from pyspark.sql import functions

    column = functions.col("`" + name.replace("`", "``") + "`")
    if is_csv and is_label:
        missing = column.isin(ConvertOptions().null_values)
        return functions.when(~missing, column).alias(name)
    return _number(column, name) if is_csv else column


def _number(text: Any, name: str) -> Any:
    """Text as a number or as missing, by the same rules as CSV that is read locally."""
    from pyarrow.csv import ConvertOptions
    from pyspark.sql import functions

    rules = ConvertOptions()
    wrong = functions.concat(
        functions.lit(f"column {name!r} of "),
        functions.input_file_name(),
        functions.lit(" must hold numbers, got '"),
        text,
        functions.lit("'"),
    )
    other = (
        functions.when(text.isNull() | text.isin(rules.null_values), None)
        .when(text.isin(rules.true_values), 1.0)
        .when(text.isin(rules.false_values), 0.0)
        .otherwise(functions.raise_error(wrong))
    )
    # Java also reads 12d, 3F and 0x1p3 as numbers; other CSV readers do not.
    number = functions.when(text.rlike(_NUMBER), text.try_cast("double"))
    return functions.coalesce(number, other).alias(name)

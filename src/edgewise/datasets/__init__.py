"""Two real data sets, small enough to ship; data/README.md says where they come from."""

from __future__ import annotations

import csv
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from edgewise._optional import require

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_sachs", "load_sachs_consensus", "load_sp500_returns"]

_NEED = "A bundled data set"


def load_sp500_returns(*, dates: bool = False) -> pa.Table:
    """Daily returns of 20 companies of the S&P 500, 1990–2022: 8312 rows, heavy tails.

    Parameters
    ----------
    dates : bool
        Keep the ``Date`` column, as the first one.

    Returns
    -------
    pyarrow.Table
        ``price(t)/price(t−1) − 1``, one column per company. ``.to_pandas()`` and
        ``polars.from_arrow`` turn it into a data frame.

    Examples
    --------
    >>> from edgewise import datasets
    >>> datasets.load_sp500_returns().shape
    (8312, 20)
    """
    require("pyarrow", "tables", _NEED)
    import pyarrow as pa

    pc = require("pyarrow.compute", "tables", _NEED)
    prices = _load("sp500_prices.parquet")
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    for name in prices.column_names:
        column = prices[name]
        if name != "Date":
            ratio = pc.divide(column.slice(1), column.slice(0, len(column) - 1))
            columns[name] = pc.subtract(ratio, 1.0)
        elif dates:
            columns[name] = column.slice(1)
    return pa.table(columns)


def load_sachs() -> pa.Table:
    """Flow cytometry of 11 phosphorylated proteins and lipids in 7466 single T cells.

    The raw scale of Sachs et al. (Science 308:523–529, 2005), all conditions pooled: extremely
    heavy-tailed (excess kurtosis 18 to 1520).

    Returns
    -------
    pyarrow.Table
        One column per protein or lipid.

    Examples
    --------
    >>> from edgewise import datasets
    >>> datasets.load_sachs().shape
    (7466, 11)
    """
    return _load("sachs.parquet")


def load_sachs_consensus() -> list[tuple[str, str]]:
    """The 18 consensus signalling edges of Sachs et al., cause first.

    Returns
    -------
    list of tuple of str
        Pairs of column names of `load_sachs`.

    Examples
    --------
    >>> from edgewise import datasets
    >>> datasets.load_sachs_consensus()[0]
    ('PIP2', 'PKC')
    """
    text = (files(__name__) / "data" / "sachs_target.csv").read_text(encoding="utf-8")
    return [(row["Cause"], row["Effect"]) for row in csv.DictReader(text.splitlines())]


def _load(name: str) -> pa.Table:
    parquet = require("pyarrow.parquet", "tables", _NEED)
    with as_file(files(__name__) / "data" / name) as path:
        table: pa.Table = parquet.read_table(path)
    return table

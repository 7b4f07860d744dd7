"""Whose data these are, without importing anybody."""

from __future__ import annotations

from typing import Any


def is_dask(data: Any) -> bool:
    """Whether `data` is a collection of Dask, without importing it."""
    # Its type is asked: a `Delayed` itself says that it has whatever it is asked for.
    kind = type(data)
    return kind.__module__.partition(".")[0] == "dask" and hasattr(kind, "__dask_graph__")


def is_spark(data: Any) -> bool:
    """Whether `data` is a Spark data frame (classic or Connect), without importing pyspark."""
    # Its type is asked: a column itself says that it has whatever it is asked for.
    kind = type(data)
    return kind.__module__.startswith("pyspark.sql") and hasattr(kind, "mapInArrow")

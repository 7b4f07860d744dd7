"""Whether data lie on a cluster, and on which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgewise.errors import ParameterError
from edgewise.rows.clusters.kinds import is_dask, is_spark
from edgewise.rows.clusters.partitioned import PartitionedSource
from edgewise.rows.opening import is_path_like


def partitioned_source(
    data: Any,
    *,
    client: Any = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> PartitionedSource | None:
    """A source of rows that a cluster reads; None where the data are here."""
    if (is_dask(data) or is_spark(data)) and not (columns is None and exclude is None):
        raise ParameterError(
            "columns, exclude: expected with files or with rows that are here, got rows on a "
            f"cluster ({type(data).__name__}); select their columns first."
        )
    if client is None and is_dask(data):
        from edgewise.rows.clusters.dask import current_client

        client = current_client()
    if client is not None:
        from edgewise.rows.clusters.connecting import check_client

        check_client(client)
    if is_dask(data) or (client is not None and is_path_like(data)):
        from edgewise.rows.clusters.dask import dask_source

        return dask_source(data, client=client, columns=columns, exclude=exclude)
    if client is not None:
        raise ParameterError(
            "client: expected with a dask.array, a dask.dataframe or a list of files, got "
            f"{type(data).__name__}; leave client out."
        )
    if is_spark(data):
        from edgewise.rows.clusters.spark import SparkSource

        return SparkSource(data)
    return data if isinstance(data, PartitionedSource) else None

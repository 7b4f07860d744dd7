"""Files of simulated rows, and of the truth about them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._checks import check_ending
from edgewise._files import atomic_path
from edgewise._linalg import FloatArray, root_outer, upper_pairs
from edgewise._optional import check_installed, require
from edgewise._version import __version__
from edgewise.simulate.distributions import Distribution

_NEED = "A file of simulated rows"


def row_kind(path: str | os.PathLike[str]) -> str:
    """The format that a file's name asks for, if it can be written."""
    kind = check_ending("output", path, ("parquet", "csv"))
    check_installed("pyarrow", "tables", _NEED)
    return kind


def truth_paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The files for the truth about the rows at `path`: JSON and GraphML."""
    return Path(f"{os.fspath(path)}.truth.json"), Path(f"{os.fspath(path)}.truth.graphml")


def write_rows(
    path: str | os.PathLike[str], names: tuple[str, ...], batches: Iterable[FloatArray]
) -> int:
    """Write the rows batch by batch, with one batch in memory; return how many there were."""
    parquet, text = (require(f"pyarrow.{kind}", "tables", _NEED) for kind in ("parquet", "csv"))
    import pyarrow as pa

    kind, n = row_kind(path), 0
    schema = pa.schema([(name, pa.float64()) for name in names])
    open_writer = parquet.ParquetWriter if kind == "parquet" else text.CSVWriter
    with atomic_path(path) as temporary, open_writer(temporary, schema) as writer:
        for batch in batches:
            columns = [pa.array(np.ascontiguousarray(column)) for column in batch.T]
            writer.write_table(pa.table(columns, schema=schema))
            n += len(batch)
    return n


def write_truth(
    path: str | os.PathLike[str],
    names: tuple[str, ...],
    precision: FloatArray,
    distribution: Distribution,
    record: dict[str, Any],
) -> None:
    """Write Θ, Σ and the edges of the rows at `path`, as JSON and as GraphML."""
    require("networkx", "plot", "A GraphML file")
    import networkx as nx

    partial = -precision / root_outer(precision)
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    for i, j in zip(*upper_pairs(len(names)), strict=True):
        if precision[i, j] != 0:
            numbers = {
                "precision": float(precision[i, j]),
                "partial_correlation": float(partial[i, j]),
            }
            graph.add_edge(names[i], names[j], **numbers)
    truth = {
        "edgewise": __version__,
        **record,
        "distribution": _described(distribution),
        "feature_names": list(names),
        "precision": precision.tolist(),
        "covariance": np.linalg.inv(precision).tolist(),
        "edges": [{"source": a, "target": b, **both} for a, b, both in graph.edges(data=True)],
    }
    json_path, graphml_path = truth_paths(path)
    with atomic_path(json_path) as temporary:
        temporary.write_text(json.dumps(truth, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    with atomic_path(graphml_path) as temporary:
        nx.write_graphml_xml(graph, temporary)


def _described(law: Distribution) -> dict[str, Any]:
    """A law as its name and parameters, and likewise the law of its innovations."""
    known: dict[str, Any] = {"law": type(law).__name__, **asdict(law)}  # type: ignore[call-overload]
    if "innovations" in known:
        known["innovations"] = _described(vars(law)["innovations"])
    return known

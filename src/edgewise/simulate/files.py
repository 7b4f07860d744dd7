"""Files of simulated rows, and of the truth about them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.atomic import atomic_path
from edgewise._base.checks import check_ending
from edgewise._base.matrices import upper_pairs
from edgewise._base.parts import check_part, part
from edgewise._base.types import FloatArray
from edgewise._version import __version__
from edgewise.simulate.distributions import Distribution

ROW_KINDS = ("parquet", "csv")
_NEED = "A file of simulated rows"


def row_kind(path: str | os.PathLike[str]) -> str:
    """The format that a file's name asks for, if it can be written."""
    kind = check_ending("output", path, ROW_KINDS)
    check_part("pyarrow", "tables", _NEED)
    return kind


def truth_paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The files for the truth about the rows at `path`: JSON and GraphML."""
    rows = Path(path)
    return (rows.with_name(rows.name + ".truth.json"), rows.with_name(rows.name + ".truth.graphml"))


def write_rows(
    path: str | os.PathLike[str], names: tuple[str, ...], batches: Iterable[FloatArray]
) -> int:
    """Write the rows batch by batch, with one batch in memory; return how many there were."""
    part("pyarrow", "tables", _NEED)
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    kind = row_kind(path)
    schema = pa.schema([(name, pa.float64()) for name in names])
    n = 0
    with atomic_path(path) as temporary:
        open_writer = pa.parquet.ParquetWriter if kind == "parquet" else pa.csv.CSVWriter
        with open_writer(temporary, schema) as writer:
            for batch in batches:
                columns = [pa.array(np.ascontiguousarray(column)) for column in batch.T]
                writer.write_table(pa.table(columns, schema=schema))
                n += len(batch)
    return n


def _described(law: Distribution) -> dict[str, Any]:
    """A law as its name and parameters, and likewise the law of its innovations."""
    known = {field.name: getattr(law, field.name) for field in fields(law)}  # type: ignore[arg-type]
    return {"law": type(law).__name__} | {
        name: _described(value) if isinstance(value, Distribution) else value
        for name, value in known.items()
    }


def write_truth(
    path: str | os.PathLike[str],
    names: tuple[str, ...],
    precision: FloatArray,
    distribution: Distribution,
    record: dict[str, Any],
) -> None:
    """Write Θ, Σ and the edges of the rows at `path`, as JSON and as GraphML."""
    part("networkx", "plot", "A GraphML file")
    import networkx as nx

    json_path, graphml_path = truth_paths(path)
    root = np.sqrt(precision.diagonal())
    partial = -precision / np.outer(root, root)
    edges = [
        {
            "source": names[i],
            "target": names[j],
            "precision": float(precision[i, j]),
            "partial_correlation": float(partial[i, j]),
        }
        for i, j in zip(*upper_pairs(len(names)), strict=True)
        if precision[i, j] != 0
    ]
    kurtosis = distribution.mardia_kurtosis(len(names))
    truth = {
        "edgewise": __version__,
        **record,
        "distribution": _described(distribution),
        # JSON has no infinity; a law without fourth moments has no kurtosis to state.
        "mardia_kurtosis": kurtosis if np.isfinite(kurtosis) else None,
        "feature_names": list(names),
        "precision": precision.tolist(),
        "covariance": np.linalg.inv(precision).tolist(),
        "edges": edges,
    }
    with atomic_path(json_path) as temporary:
        temporary.write_text(json.dumps(truth, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    for edge in edges:
        values = {key: edge[key] for key in ("precision", "partial_correlation")}
        graph.add_edge(str(edge["source"]), str(edge["target"]), **values)
    with atomic_path(graphml_path) as temporary:
        nx.write_graphml_xml(graph, temporary)

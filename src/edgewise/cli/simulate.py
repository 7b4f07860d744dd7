"""`edgewise simulate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any

import click
import numpy as np

from edgewise import simulate
from edgewise._checks import check_count, default_names
from edgewise._files import check_writable, locked
from edgewise._optional import check_installed
from edgewise._text import did_you_mean
from edgewise.cli.options import command, option
from edgewise.cli.run import progress_bar
from edgewise.cli.show import output
from edgewise.simulate import AutoRegressive, sample_batches
from edgewise.simulate.files import row_kind, truth_paths, write_rows, write_truth

#: The functions and classes of `edgewise.simulate` by the names of graphs and of laws.
_GRAPHS = {
    "chain": "make_chain_precision",
    "hub": "make_hub_precision",
    "grid": "make_grid_precision",
    "erdos-renyi": "make_erdos_renyi_precision",
    "sparse": "make_sparse_precision",
    "gram": "make_gram_covariance",
}
_LAWS = {
    "gaussian": "Gaussian",
    "laplace": "PowerExponential",
    "t": "StudentT",
    "contaminated": "Contaminated",
    "gamma": "Gamma",
    "lognormal": "LogNormal",
    "pareto": "ClaytonPareto",
}


@command(
    "simulate",
    {
        "Options": (
            option("--output", required=True, metavar="FILE.parquet|csv", help="The rows."),
            *("--rows", "--features"),
            option(
                "--graph",
                metavar="GRAPH",
                default="chain",
                help="chain (weight), hub (n_hubs, weight), grid (weight), erdos-renyi "
                "(probability), sparse (n_edges), gram (n_factors: the paper's, all pairs are "
                "edges).",
            ),
            *("--distribution", "--memory", "--seed"),
        )
    },
    """
    # 10,000 Gaussian rows of a chain of 10 variables
    edgewise simulate -o chain.parquet
    # Heavy tails, two hubs
    edgewise simulate -o hubs.csv --graph hub:n_hubs=2 --distribution t:df=5
    # A random graph; every row has half of the previous row
    edgewise simulate -o series.parquet --graph erdos-renyi --memory 0.5 --seed 7
    """,
    reads_files=False,
)
def simulate_command(**options: Any) -> None:
    """Write rows with a known graph, and the truth in files beside them.

    FILE.parquet comes with FILE.parquet.truth.json (Θ, Σ, the edges, the law, the seed) and
    FILE.parquet.truth.graphml. The names in brackets are the parameters of a graph or a law, as in
    `--graph hub:n_hubs=2,weight=0.1`.
    """
    path, graph = options["output"], options["graph"]
    n = check_count("rows", options["rows"], at_least=1)
    p = check_count("features", options["features"], at_least=2)
    seed = check_count("seed", options["random_state"], at_least=0)
    row_kind(path)
    check_installed("networkx", "plot", "A GraphML file")
    for one in (path, *truth_paths(path)):
        check_writable(one)
    # The graph and the rows do not share randomness: more rows do not change the graph.
    graph_rng, rows_rng = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    usual = {"n_features": p, "n_edges": min(p, p * (p - 1) // 2), "rng": graph_rng}
    precision = _made("--graph", graph, _GRAPHS, usual)
    if graph.partition(":")[0] == "gram":  # whose maker makes a covariance
        inverse = np.linalg.inv(precision)
        precision = (inverse + inverse.T) / 2
    law = _made("--distribution", options["distribution"], _LAWS, {})
    if options["memory"] is not None:
        law = AutoRegressive(law, options["memory"])
    names = default_names(p)
    record = {"graph": graph, "n_samples": n, "n_features": p, "seed": seed}
    # The rows and their truth belong together: two runs into one file must not mix them.
    with locked(path), progress_bar("simulating", n, "rows") as bar:

        def batches() -> Iterator[Any]:
            for batch in sample_batches(law, precision, n, rng=rows_rng):
                yield batch
                bar.advance(len(batch))

        write_rows(path, names, batches())
        write_truth(path, names, precision, law, record)
    count = int((precision != 0).sum() - p) // 2
    truth = " and ".join(map(str, truth_paths(path)))
    output(f"{n:,} rows of {p} variables, {count} edges, in {path}; the truth is in {truth}")


def _made(option: str, text: str, makers: Mapping[str, str], usual: dict[str, Any]) -> Any:
    """What ``NAME:PARAMETER=NUMBER,…`` stands for."""
    name, _, rest = text.partition(":")
    if name not in makers:
        known = ", ".join(makers)
        raise click.UsageError(
            f"{option}: {name!r} is not one of {known}{did_you_mean(name, makers)}."
        )
    make = getattr(simulate, makers[name])
    takes = signature(make).parameters
    given = {key: value for key, value in usual.items() if key in takes}
    for pair in filter(None, rest.split(",")):
        parameter, _, number = pair.partition("=")
        if parameter not in takes or parameter in ("n_features", "rng"):
            raise click.UsageError(f"{option}: {name} has no parameter {parameter!r}.")
        try:
            given[parameter] = int(number) if parameter.startswith("n_") else float(number)
        except ValueError as error:
            raise click.UsageError(f"{option}: {pair!r} has no number for {parameter}.") from error
    return make(**given)

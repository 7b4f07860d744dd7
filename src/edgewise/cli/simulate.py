"""`edgewise simulate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from edgewise._text import did_you_mean
from edgewise.cli.options import PATH, Manual, section
from edgewise.cli.run import progress_bar
from edgewise.cli.streams import output as print_output

#: The functions and classes of `edgewise.simulate` by the names of graphs and of laws.
_GRAPHS = {
    "chain": "make_chain_precision",
    "hub": "make_hub_precision",
    "grid": "make_grid_precision",
    "erdos-renyi": "make_erdos_renyi_precision",
    "sparse": "make_sparse_precision",
    "gram": "make_gram_covariance",
    "gram-sparse": "make_gram_precision",
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


@click.command(
    "simulate",
    cls=Manual,
    short_help="Write data whose graph is known.",
    examples="""
    # 10,000 Gaussian rows of a chain of 10 variables
    edgewise simulate -o chain.parquet
    # Heavy tails, two hubs
    edgewise simulate -o hubs.csv --graph hub:n_hubs=2 --distribution t:df=5
    # A random graph; every row has half of the previous row
    edgewise simulate -o series.parquet --graph erdos-renyi --memory 0.5 --seed 7
    """,
)
@section(
    "Options",
    click.option(
        "-o", "--output", required=True, type=PATH, metavar="FILE.parquet|csv", help="The rows."
    ),
    click.option("-n", "--rows", type=int, default=10_000, show_default=True, help="How many."),
    click.option(
        "-p", "--features", type=int, default=10, show_default=True, help="How many variables."
    ),
    click.option(
        "--graph",
        default="chain",
        show_default=True,
        metavar="GRAPH",
        help="chain (weight), hub (n_hubs, weight), grid (weight), erdos-renyi (probability), "
        "sparse (n_edges), gram (n_factors: the paper's, all pairs are edges), gram-sparse "
        "(n_edges, n_factors).",
    ),
    click.option(
        "--distribution",
        metavar="LAW",
        default="gaussian",
        show_default=True,
        help="gaussian, laplace (omega), t (df), contaminated (share, scale), gamma (shape), "
        "lognormal (sigma), pareto (shape).",
    ),
    click.option("--memory", type=float, help="AR(1): the share of the previous row that stays."),
    "--seed",
)
def simulate_command(
    output: str,
    rows: int,
    features: int,
    graph: str,
    distribution: str,
    memory: float | None,
    seed: int,
) -> None:
    """Write rows with a known graph, and the truth in files beside them.

    FILE.parquet comes with FILE.parquet.truth.json (Θ, Σ, the edges, the law, the seed) and
    FILE.parquet.truth.graphml. The names in brackets are the parameters of a graph or a law, as in
    `--graph hub:n_hubs=2,weight=0.1`.
    """
    import numpy as np

    from edgewise._checks import check_count, default_names
    from edgewise._files import check_writable, locked
    from edgewise._optional import check_installed
    from edgewise.simulate import AutoRegressive, sample_batches
    from edgewise.simulate.files import row_kind, truth_paths, write_rows, write_truth

    check_count("rows", rows, at_least=1)
    check_count("features", features, at_least=2)
    check_count("seed", seed, at_least=0)
    row_kind(output)
    check_installed("networkx", "plot", "A GraphML file")
    for path in (output, *truth_paths(output)):
        check_writable(path)
    # The graph and the rows do not share randomness: more rows do not change the graph.
    graph_rng, rows_rng = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    n_edges = min(features, features * (features - 1) // 2)
    usual = {"n_features": features, "n_edges": n_edges, "rng": graph_rng}
    precision = _made("--graph", graph, _GRAPHS, usual)
    if graph.partition(":")[0] == "gram":  # whose maker makes a covariance
        inverse = np.linalg.inv(precision)
        precision = (inverse + inverse.T) / 2
    law = _made("--distribution", distribution, _LAWS, {})
    if memory is not None:
        law = AutoRegressive(law, memory)
    names = default_names(features)
    record = {"graph": graph, "n_samples": rows, "n_features": features, "seed": seed}
    # The rows and their truth belong together: two runs into one file must not mix them.
    with locked(output), progress_bar("simulating", rows) as bar:

        def batches() -> Any:
            for batch in sample_batches(law, precision, rows, rng=rows_rng):
                yield batch
                bar.advance(len(batch))

        write_rows(output, names, batches())
        write_truth(output, names, precision, law, record)
    count = int((precision != 0).sum() - features) // 2
    truth = " and ".join(map(str, truth_paths(output)))
    print_output(
        f"{rows:,} rows of {features} variables, {count} edges, in {output}; the truth is in {truth}"
    )


def _made(option: str, text: str, makers: Mapping[str, str], usual: dict[str, Any]) -> Any:
    """What ``NAME:PARAMETER=NUMBER,…`` stands for."""
    from inspect import signature

    from edgewise import simulate

    name, _, rest = text.partition(":")
    if name not in makers:
        known = ", ".join(makers)
        raise click.UsageError(
            f"{option}: {name!r} is not one of {known}{did_you_mean(name, makers)}."
        )
    make = getattr(simulate, makers[name])
    takes = signature(make).parameters
    given: dict[str, Any] = {}
    for pair in filter(None, rest.split(",")):
        parameter, _, number = pair.partition("=")
        if parameter not in takes or parameter in ("n_features", "rng"):
            raise click.UsageError(f"{option}: {name} has no parameter {parameter!r}.")
        try:
            given[parameter] = int(number) if parameter.startswith("n_") else float(number)
        except ValueError as error:
            raise click.UsageError(f"{option}: {pair!r} has no number for {parameter}.") from error
    return make(**{key: value for key, value in usual.items() if key in takes} | given)

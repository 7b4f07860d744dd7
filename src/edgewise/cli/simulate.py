"""`edgewise simulate`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.options import PATH, Choice, Manual, section
from edgewise.cli.run import progress_bar
from edgewise.cli.streams import output as print_output

#: What each name stands for: a function or class of `edgewise.simulate`, whose signature decides
#: which options go with it, and the arguments that the name itself decides.
_GRAPHS: dict[str, tuple[str, dict[str, Any]]] = {
    "chain": ("make_chain_precision", {}),
    "star": ("make_hub_precision", {"n_hubs": 1}),
    "hub": ("make_hub_precision", {}),
    "grid": ("make_grid_precision", {}),
    "erdos-renyi": ("make_erdos_renyi_precision", {}),
    "sparse": ("make_sparse_precision", {}),
    "gram": ("make_gram_covariance", {}),
    "gram-sparse": ("make_gram_precision", {}),
}
_LAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "gaussian": ("Gaussian", {}),
    "laplace": ("PowerExponential", {"omega": 1.0}),
    "power-exponential": ("PowerExponential", {}),
    "t": ("StudentT", {}),
    "contaminated": ("Contaminated", {}),
    "gamma": ("Gamma", {}),
    "exponential": ("Gamma", {"shape": 1.0}),
    "lognormal": ("LogNormal", {}),
    "pareto": ("ClaytonPareto", {}),
}
#: The options of graphs and of laws, by the argument that each is.
_GRAPH_OPTIONS = {
    "weight": ("--weight", float, "Minus the partial correlation along an edge."),
    "n_hubs": ("--hubs", int, "How many centres (hub).  [default: 2]"),
    "probability": ("--probability", float, "Of an edge (erdos-renyi).  [default: 0.1]"),
    "n_edges": ("--edges", int, "How many (sparse, gram-sparse).  [default: as variables]"),
    "n_factors": ("--factors", int, "Length of the g_i (gram…).  [default: 3 × variables]"),
}
_LAW_OPTIONS = {
    "omega": ("--omega", float, "Exponent (power-exponential): 1 Laplace, 2 Gaussian."),
    "df": ("--df", float, "Degrees of freedom (t).  [default: 5]"),
    "shape": ("--shape", float, "Of gamma [default: 1] or pareto [default: 6]."),
    "sigma": ("--sigma", float, "Spread of the logarithms (lognormal).  [default: 1]"),
    "share": ("--share", float, "Share of large rows (contaminated).  [default: 0.05]"),
    "scale": ("--scale", float, "How much larger they are (contaminated).  [default: 5]"),
}
_options = {
    name: click.option(flag, name, type=kind, help=help)
    for name, (flag, kind, help) in (_GRAPH_OPTIONS | _LAW_OPTIONS).items()
}


@click.command(
    "simulate",
    cls=Manual,
    short_help="Write data whose graph is known.",
    examples="""
    # 10,000 Gaussian rows of a chain of 10 variables
    edgewise simulate -o chain.parquet
    # Heavy tails, two hubs
    edgewise simulate -o hubs.csv -n 5000 --graph hub --distribution t --df 5
    # A random graph; every row keeps half of the previous row
    edgewise simulate -o series.parquet --graph erdos-renyi --memory 0.5 --seed 7
    """,
)
@section(
    "Rows",
    click.option(
        "-o",
        "--output",
        required=True,
        type=PATH,
        metavar="FILE.parquet|csv",
        help="Where the rows go.",
    ),
    click.option("-n", "--rows", type=int, default=10_000, show_default=True, help="How many."),
    click.option(
        "-p", "--features", type=int, default=10, show_default=True, help="How many variables."
    ),
    "--seed",
)
@section(
    "Graph",
    click.option(
        "--graph",
        type=Choice(tuple(_GRAPHS)),
        default="chain",
        show_default=True,
        metavar="GRAPH",
        help="chain, star, hub (several stars), grid, erdos-renyi, sparse (random edges of random "
        "strengths), gram (the paper's covariance: all pairs are edges), gram-sparse (the same "
        "with pairs that are not).",
    ),
    *(_options[name] for name in _GRAPH_OPTIONS),
)
@section(
    "Distribution",
    click.option(
        "--distribution",
        type=Choice(tuple(_LAWS)),
        metavar="LAW",
        default="gaussian",
        show_default=True,
        help=f"The law of the rows: {', '.join(_LAWS)}.",
    ),
    *(_options[name] for name in _LAW_OPTIONS),
    click.option("--memory", type=float, help="AR(1): the share of the previous row that stays."),
)
def simulate_command(
    output: str, rows: int, features: int, seed: int, memory: float | None, **options: Any
) -> None:
    """Write rows with a known graph, and the truth in files beside them.

    FILE.parquet comes with FILE.parquet.truth.json (Θ, Σ, the edges, the law, the seed) and
    FILE.parquet.truth.graphml. Rows are written as they are made, so only the disk limits their
    number.
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
    graph, distribution = options.pop("graph"), options.pop("distribution")
    given = {name: value for name, value in options.items() if value is not None}
    # The graph and the rows do not share randomness: more rows do not change the graph.
    graph_rng, rows_rng = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    usual = {
        "n_features": features,
        "n_hubs": 2,
        "n_edges": min(features, features * (features - 1) // 2),
        "rng": graph_rng,
    }
    of_graph = {name: value for name, value in given.items() if name in _GRAPH_OPTIONS}
    of_law = {name: value for name, value in given.items() if name in _LAW_OPTIONS}
    precision = _made("--graph", graph, _GRAPHS[graph], usual, of_graph)
    if graph == "gram":  # whose maker makes a covariance
        inverse = np.linalg.inv(precision)
        precision = (inverse + inverse.T) / 2
    law = _made("--distribution", distribution, _LAWS[distribution], {}, of_law)
    if memory is not None:
        law = AutoRegressive(law, memory)
    names = default_names(features)
    record = {
        "graph": graph,
        "graph_options": {_GRAPH_OPTIONS[name][0]: value for name, value in of_graph.items()},
        "n_samples": rows,
        "n_features": features,
        "seed": seed,
    }
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


def _made(
    kind: str,
    name: str,
    choice: tuple[str, dict[str, Any]],
    usual: dict[str, Any],
    given: dict[str, Any],
) -> Any:
    """Call the maker with those of the `usual` arguments that it has, and the `given` options."""
    from inspect import signature

    from edgewise import simulate

    maker, fixed = choice
    make = getattr(simulate, maker)
    takes = set(signature(make).parameters)
    for option in given:
        if option not in takes - set(fixed):
            flag = (_GRAPH_OPTIONS | _LAW_OPTIONS)[option][0]
            raise click.UsageError(f"{flag} does not go with {kind} {name}.")
    known = {argument: value for argument, value in usual.items() if argument in takes}
    return make(**{**known, **fixed, **given})

"""`edgewise simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.manual import Manual, section
from edgewise.cli.options import PATH

if TYPE_CHECKING:
    from edgewise._base.types import FloatArray
    from edgewise.simulate.distributions import Distribution

_GRAPHS = ("chain", "star", "hub", "grid", "erdos-renyi", "sparse", "gram", "gram-sparse")
_LAWS = (
    "gaussian",
    "laplace",
    "power-exponential",
    "t",
    "contaminated",
    "gamma",
    "exponential",
    "lognormal",
    "pareto",
)


@click.command(
    "simulate",
    cls=Manual,
    short_help="Write data whose graph is known.",
    examples="""
    # 10,000 Gaussian rows of a chain of 10 variables
    edgewise simulate -o chain.parquet
    # Heavy tails, two hubs
    edgewise simulate -o hubs.csv -n 5000 --graph hub --distribution t --df 5
    # A random graph; every row keeps half of the row before
    edgewise simulate -o series.parquet --graph erdos-renyi --memory 0.5 --seed 7
    """,
)
@section("Rows")
@click.option(
    "-o",
    "--output",
    required=True,
    type=PATH,
    metavar="FILE.parquet|csv",
    help="Where the rows go.",
)
@click.option("-n", "--rows", type=int, default=10_000, show_default=True, help="How many rows.")
@click.option(
    "-p", "--features", type=int, default=10, show_default=True, help="How many variables."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides every number.")
@section("Graph")
@click.option(
    "--graph", type=click.Choice(_GRAPHS), default="chain", show_default=True, help="The graph."
)
@click.option("--weight", type=float, help="Minus the partial correlation along an edge.")
@click.option("--hubs", type=int, help="Centres (hub).  [default: 2]")
@click.option("--probability", type=float, help="Of an edge (erdos-renyi).  [default: 0.1]")
@click.option(
    "--edges", type=int, help="How many (sparse, gram-sparse).  [default: as many as variables]"
)
@click.option("--factors", type=int, help="Length of the g_i (gram…).  [default: 3 × variables]")
@section("Distribution")
@click.option(
    "--distribution",
    type=click.Choice(_LAWS),
    metavar="LAW",
    default="gaussian",
    show_default=True,
    help=f"The law of the rows: {', '.join(_LAWS)}.",
)
@click.option("--omega", type=float, help="Of power-exponential: 1 Laplace, 2 Gaussian.")
@click.option("--df", type=float, help="Degrees of freedom (t).  [default: 5]")
@click.option("--shape", type=float, help="Of gamma [1] or pareto [6].")
@click.option("--sigma", type=float, help="Of lognormal.  [default: 1]")
@click.option("--share", type=float, help="Of outlying rows (contaminated).  [default: 0.05]")
@click.option("--scale", type=float, help="Of outlying rows (contaminated).  [default: 5]")
@click.option("--memory", type=float, help="AR(1) rows that keep so much of the row before.")
def command(
    output: str,
    rows: int,
    features: int,
    graph: str,
    weight: float | None,
    hubs: int | None,
    probability: float | None,
    edges: int | None,
    factors: int | None,
    distribution: str,
    omega: float | None,
    df: float | None,
    shape: float | None,
    sigma: float | None,
    share: float | None,
    scale: float | None,
    memory: float | None,
    seed: int,
) -> None:
    """Write rows with a known graph, and beside them the truth.

    FILE.parquet comes with FILE.parquet.truth.json (Θ, Σ, the edges, the law, the seed) and
    FILE.parquet.truth.graphml.
    Rows are written as they are made: their number is limited by the disk only.

    \b
    Graphs:
      chain, star, grid  what they are called
      hub                several stars
      erdos-renyi        each pair is an edge with the same probability
      sparse             random edges of random signs and strengths
      gram               the paper's random covariance: all pairs are edges
      gram-sparse        the same with pairs that are none
    """
    import numpy as np

    from edgewise._base.atomic import check_writable
    from edgewise._base.checks import check_count, default_names
    from edgewise.cli.progress import progress_bar
    from edgewise.simulate.files import row_kind, truth_paths, write_rows, write_truth
    from edgewise.simulate.samplers import sample_batches

    check_count("rows", rows, at_least=1)
    check_count("features", features, at_least=2)
    check_count("seed", seed, at_least=0)
    row_kind(output)
    for path in (output, *truth_paths(output)):
        check_writable(path)
    of_graph = {
        "weight": weight,
        "n_hubs": hubs,
        "probability": probability,
        "n_edges": edges,
        "n_factors": factors,
    }
    of_law = {
        "omega": omega,
        "df": df,
        "shape": shape,
        "sigma": sigma,
        "share": share,
        "scale": scale,
    }
    # The graph and the rows do not share randomness: more rows do not change the graph.
    graph_rng, rows_rng = (
        np.random.default_rng(words) for words in np.random.SeedSequence(seed).spawn(2)
    )
    precision = _graph(graph, features, graph_rng, _given(of_graph))
    law = _law(distribution, memory, _given(of_law))
    names = default_names(features)
    with progress_bar(rows, "simulating") as tell:

        def told() -> Any:
            for batch in sample_batches(law, precision, rows, rng=rows_rng):
                yield batch
                tell(len(batch))

        write_rows(output, names, told())
    options = {_OPTION_OF.get(name, f"--{name}"): value for name, value in _given(of_graph).items()}
    record = {
        "graph": graph,
        "graph_options": options,
        "n_samples": rows,
        "n_features": features,
        "seed": seed,
    }
    write_truth(output, names, precision, law, record)
    count = int((precision != 0).sum() - features) // 2
    click.echo(
        f"{rows:,} rows of {features} variables, {count} edges, in {output}; the truth is in "
        f"{' and '.join(str(path) for path in truth_paths(output))}"
    )


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


_OPTION_OF = {"n_hubs": "--hubs", "n_edges": "--edges", "n_factors": "--factors"}


def _graph(name: str, features: int, rng: Any, options: dict[str, Any]) -> FloatArray:
    import numpy as np

    from edgewise import simulate

    takes = {
        "chain": ("weight",),
        "star": ("weight",),
        "hub": ("weight", "n_hubs"),
        "grid": ("weight",),
        "erdos-renyi": ("weight", "probability"),
        "sparse": ("n_edges",),
        "gram": ("n_factors",),
        "gram-sparse": ("n_edges", "n_factors"),
    }[name]
    _refuse_others(options, takes, f"--graph {name}")
    if name == "chain":
        return simulate.make_chain_precision(features, **options)
    if name in ("star", "hub"):
        hubs = {"n_hubs": 2} if name == "hub" else {}
        return simulate.make_hub_precision(features, **{**hubs, **options})
    if name == "grid":
        return simulate.make_grid_precision(features, **options)
    if name == "erdos-renyi":
        return simulate.make_erdos_renyi_precision(features, rng=rng, **options)
    if name == "gram":
        inverse = np.linalg.inv(simulate.make_gram_covariance(features, rng=rng, **options))
        return np.asarray((inverse + inverse.T) / 2)
    n_edges = options.pop("n_edges", min(features, features * (features - 1) // 2))
    make = simulate.make_sparse_precision if name == "sparse" else simulate.make_gram_precision
    return make(features, n_edges, rng=rng, **options)


def _law(name: str, memory: float | None, options: dict[str, Any]) -> Distribution:
    from edgewise import simulate

    make, takes = {
        "gaussian": (simulate.Gaussian, ()),
        "laplace": (simulate.PowerExponential, ()),
        "power-exponential": (simulate.PowerExponential, ("omega",)),
        "t": (simulate.StudentT, ("df",)),
        "contaminated": (simulate.Contaminated, ("share", "scale")),
        "gamma": (simulate.Gamma, ("shape",)),
        "exponential": (simulate.Gamma, ()),
        "lognormal": (simulate.LogNormal, ("sigma",)),
        "pareto": (simulate.ClaytonPareto, ("shape",)),
    }[name]
    _refuse_others(options, takes, f"--distribution {name}")
    law: Distribution = make(**options)
    return law if memory is None else simulate.AutoRegressive(law, memory)


def _refuse_others(options: dict[str, Any], takes: tuple[str, ...], choice: str) -> None:
    for name in options:
        if name not in takes:
            option = _OPTION_OF.get(name, f"--{name}")
            raise click.UsageError(f"{option} does not go with {choice}.")

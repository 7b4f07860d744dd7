"""`edgewise simulate`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual, section
from edgewise.cli.options import PATH
from edgewise.cli.telling import say

if TYPE_CHECKING:
    from edgewise._base.types import FloatArray
    from edgewise.simulate import Distribution


class _Choice(NamedTuple):
    """What a name on the command line stands for.

    `maker` is a function or class of `edgewise.simulate`, and its signature decides which options
    go with the name. It is a string because the help is shown without loading that module.
    `fixed` are arguments that the name itself decides.
    """

    maker: str
    fixed: Mapping[str, Any] = MappingProxyType({})


_GRAPHS = {
    "chain": _Choice("make_chain_precision"),
    "star": _Choice("make_hub_precision", {"n_hubs": 1}),
    "hub": _Choice("make_hub_precision"),
    "grid": _Choice("make_grid_precision"),
    "erdos-renyi": _Choice("make_erdos_renyi_precision"),
    "sparse": _Choice("make_sparse_precision"),
    "gram": _Choice("make_gram_covariance"),
    "gram-sparse": _Choice("make_gram_precision"),
}
_GRAPH_OPTIONS = ("weight", "n_hubs", "probability", "n_edges", "n_factors")
_LAWS = {
    "gaussian": _Choice("Gaussian"),
    "laplace": _Choice("PowerExponential", {"omega": 1.0}),
    "power-exponential": _Choice("PowerExponential"),
    "t": _Choice("StudentT"),
    "contaminated": _Choice("Contaminated"),
    "gamma": _Choice("Gamma"),
    "exponential": _Choice("Gamma", {"shape": 1.0}),
    "lognormal": _Choice("LogNormal"),
    "pareto": _Choice("ClaytonPareto"),
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
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random numbers.")
@section("Graph")
@click.option(
    "--graph",
    type=Choice(tuple(_GRAPHS)),
    default="chain",
    show_default=True,
    help="The graph.",
)
@click.option("--weight", type=float, help="Minus the partial correlation along an edge.")
@click.option("--hubs", "n_hubs", type=int, help="How many centres (hub).  [default: 2]")
@click.option(
    "--probability", type=float, help="How likely an edge is (erdos-renyi).  [default: 0.1]"
)
@click.option(
    "--edges",
    "n_edges",
    type=int,
    help="How many (sparse, gram-sparse).  [default: as many as variables]",
)
@click.option(
    "--factors", "n_factors", type=int, help="Length of the g_i (gram…).  [default: 3 × variables]"
)
@section("Distribution")
@click.option(
    "--distribution",
    type=Choice(tuple(_LAWS)),
    metavar="LAW",
    default="gaussian",
    show_default=True,
    help=f"The law of the rows: {', '.join(_LAWS)}.",
)
@click.option("--omega", type=float, help="Exponent (power-exponential): 1 Laplace, 2 Gaussian.")
@click.option("--df", type=float, help="Degrees of freedom (t).  [default: 5]")
@click.option("--shape", type=float, help="Shape of gamma [default: 1] or pareto [default: 6].")
@click.option("--sigma", type=float, help="Spread of the logarithms (lognormal).  [default: 1]")
@click.option("--share", type=float, help="Share of large rows (contaminated).  [default: 0.05]")
@click.option("--scale", type=float, help="How much larger they are (contaminated).  [default: 5]")
@click.option("--memory", type=float, help="AR(1) rows: the share of the previous row that stays.")
def command(
    output: str,
    rows: int,
    features: int,
    seed: int,
    graph: str,
    distribution: str,
    memory: float | None,
    **options: float | None,
) -> None:
    """Write rows with a known graph, and the truth in files beside them.

    FILE.parquet comes with FILE.parquet.truth.json (Θ, Σ, the edges, the law, the seed) and
    FILE.parquet.truth.graphml.
    Rows are written as they are made, so only the disk limits their number.

    \b
    Graphs:
      chain, star, grid  as their names say
      hub                several stars
      erdos-renyi        each pair is an edge with the same probability
      sparse             random edges of random signs and strengths
      gram               the paper's random covariance: all pairs are edges
      gram-sparse        the same, with pairs that are not edges
    """
    import numpy as np

    from edgewise._base.atomic import check_writable, locked
    from edgewise._base.checks import check_count, default_names
    from edgewise._base.parts import check_part
    from edgewise.simulate.files import row_kind, truth_paths, write_truth

    check_count("rows", rows, at_least=1)
    check_count("features", features, at_least=2)
    check_count("seed", seed, at_least=0)
    row_kind(output)
    check_part("networkx", "plot", "A GraphML file")
    for path in (output, *truth_paths(output)):
        check_writable(path)
    given = {name: value for name, value in options.items() if value is not None}
    of_graph = {name: value for name, value in given.items() if name in _GRAPH_OPTIONS}
    of_law = {name: value for name, value in given.items() if name not in _GRAPH_OPTIONS}
    # The graph and the rows do not share randomness: more rows do not change the graph.
    graph_rng, rows_rng = (
        np.random.default_rng(words) for words in np.random.SeedSequence(seed).spawn(2)
    )
    precision = _precision(graph, features, graph_rng, of_graph)
    law = _law(distribution, memory, of_law)
    names = default_names(features)
    record = {
        "graph": graph,
        "graph_options": {_flag(name): value for name, value in of_graph.items()},
        "n_samples": rows,
        "n_features": features,
        "seed": seed,
    }
    # The rows and their truth belong together: two runs into one file must not mix them.
    with locked(output):
        _write_rows(output, names, law, precision, rows, rows_rng)
        write_truth(output, names, precision, law, record)
    count = int((precision != 0).sum() - features) // 2
    say(
        f"{rows:,} rows of {features} variables, {count} edges, in {output}; the truth is in "
        f"{' and '.join(str(path) for path in truth_paths(output))}"
    )


def _precision(graph: str, features: int, rng: Any, given: dict[str, Any]) -> FloatArray:
    import numpy as np

    usual = {
        "n_features": features,
        "n_hubs": 2,
        "n_edges": min(features, features * (features - 1) // 2),
        "rng": rng,
    }
    matrix: FloatArray = _made("--graph", graph, _GRAPHS[graph], usual, given)
    if graph != "gram":
        return matrix
    inverse = np.linalg.inv(matrix)  # this maker makes a covariance
    return np.asarray((inverse + inverse.T) / 2)


def _law(name: str, memory: float | None, given: dict[str, Any]) -> Distribution:
    from edgewise.simulate import AutoRegressive

    law: Distribution = _made("--distribution", name, _LAWS[name], {}, given)
    return law if memory is None else AutoRegressive(law, memory)


def _made(
    kind: str, name: str, choice: _Choice, usual: dict[str, Any], given: dict[str, Any]
) -> Any:
    """Call the maker with those of the `usual` arguments that it has, and the `given` options."""
    from inspect import signature

    from edgewise import simulate

    make = getattr(simulate, choice.maker)
    takes = set(signature(make).parameters)
    for option in given:
        if option not in takes - set(choice.fixed):
            raise click.UsageError(f"{_flag(option)} does not go with {kind} {name}.")
    known = {argument: value for argument, value in usual.items() if argument in takes}
    return make(**{**known, **choice.fixed, **given})


def _flag(name: str) -> str:
    """The name of a parameter on the command line."""
    return next(option.opts[0] for option in command.params if option.name == name)


def _write_rows(
    output: str,
    names: tuple[str, ...],
    law: Distribution,
    precision: FloatArray,
    n_samples: int,
    rng: Any,
) -> None:
    from edgewise.cli.progress import progress_bar
    from edgewise.simulate import sample_batches
    from edgewise.simulate.files import write_rows

    with progress_bar(n_samples, "simulating") as tell:

        def told() -> Any:
            for batch in sample_batches(law, precision, n_samples, rng=rng):
                yield batch
                tell(len(batch))

        write_rows(output, names, told())

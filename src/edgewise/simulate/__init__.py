"""Data with a known graph: precision matrices, and rows of many distributions that have them."""

from edgewise.simulate.distributions import (
    DISTRIBUTIONS,
    AutoRegressive,
    ClaytonPareto,
    Contaminated,
    Distribution,
    Gamma,
    Gaussian,
    LogNormal,
    Pareto,
    PowerExponential,
    StudentT,
    sample,
    sample_batches,
)
from edgewise.simulate.graphs import (
    make_chain_precision,
    make_erdos_renyi_precision,
    make_gram_covariance,
    make_grid_precision,
    make_hub_precision,
    make_sparse_precision,
)

__all__ = [
    "DISTRIBUTIONS",
    "AutoRegressive",
    "ClaytonPareto",
    "Contaminated",
    "Distribution",
    "Gamma",
    "Gaussian",
    "LogNormal",
    "Pareto",
    "PowerExponential",
    "StudentT",
    "make_chain_precision",
    "make_erdos_renyi_precision",
    "make_gram_covariance",
    "make_grid_precision",
    "make_hub_precision",
    "make_sparse_precision",
    "sample",
    "sample_batches",
]

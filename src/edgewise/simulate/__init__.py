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
)
from edgewise.simulate.graphs import (
    make_band_precision,
    make_chain_precision,
    make_cluster_precision,
    make_erdos_renyi_precision,
    make_grid_precision,
    make_hub_precision,
)
from edgewise.simulate.random_matrices import (
    make_gram_covariance,
    make_gram_precision,
    make_sparse_precision,
)
from edgewise.simulate.samplers import sample, sample_batches

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
    "make_band_precision",
    "make_chain_precision",
    "make_cluster_precision",
    "make_erdos_renyi_precision",
    "make_gram_covariance",
    "make_gram_precision",
    "make_grid_precision",
    "make_hub_precision",
    "make_sparse_precision",
    "sample",
    "sample_batches",
]

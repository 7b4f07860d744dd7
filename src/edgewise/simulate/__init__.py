"""Data with a known graph."""

from edgewise.simulate.graphs import chain_precision
from edgewise.simulate.samplers import SAMPLERS, sample

__all__ = ["SAMPLERS", "chain_precision", "sample"]

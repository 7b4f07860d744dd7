"""The laws that `sample` and `calibrate` know by a name."""

from edgewise.simulate.distributions.components import Gamma, LogNormal
from edgewise.simulate.distributions.distribution import Distribution
from edgewise.simulate.distributions.elliptical import (
    Contaminated,
    Gaussian,
    PowerExponential,
    StudentT,
)
from edgewise.simulate.distributions.pareto import ClaytonPareto
from edgewise.simulate.distributions.serial import AutoRegressive

#: The laws that have a name.
DISTRIBUTIONS: dict[str, Distribution] = {
    "gaussian": Gaussian(),
    "laplace": PowerExponential(1.0),
    "t5": StudentT(5.0),
    "contaminated": Contaminated(),
    "exponential": Gamma(1.0),
    "lognormal": LogNormal(1.0),
    "pareto": ClaytonPareto(),
    "ar1": AutoRegressive(),
}

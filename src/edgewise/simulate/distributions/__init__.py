"""Laws of rows with mean zero and identity covariance, to be mixed into any covariance.

The families break tests in different ways. Row-wise scale mixtures (elliptical: power exponential,
t, contaminated) have residuals that are uncorrelated but dependent, which exposes Gaussian tests.
Independent components keep their skewness and heavy tails in single residuals. Serially dependent
rows break every test that counts rows as independent.
"""

from edgewise.simulate.distributions.components import Gamma, IndependentComponents, LogNormal
from edgewise.simulate.distributions.distribution import Distribution
from edgewise.simulate.distributions.elliptical import (
    Contaminated,
    Gaussian,
    PowerExponential,
    StudentT,
)
from edgewise.simulate.distributions.pareto import ClaytonPareto
from edgewise.simulate.distributions.serial import AutoRegressive

__all__ = [
    "DISTRIBUTIONS",
    "AutoRegressive",
    "ClaytonPareto",
    "Contaminated",
    "Distribution",
    "Gamma",
    "Gaussian",
    "IndependentComponents",
    "LogNormal",
    "PowerExponential",
    "StudentT",
]

#: The laws that go by a name.
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

"""SciPy's special functions, imported when the first of them is used.

They take 0.2 s to import. `edgewise test --help` needs none of them, because it imports the methods
only to name their options, and the default test of a small table needs none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._linalg import FloatArray

if TYPE_CHECKING:
    from scipy.special import betainc as betainc
    from scipy.special import betaln as betaln
    from scipy.special import expit as expit
    from scipy.special import log_ndtr as log_ndtr
    from scipy.special import ndtr as ndtr
    from scipy.special import ndtri as ndtri
    from scipy.special import ndtri_exp as ndtri_exp
    from scipy.special import stdtr as stdtr
    from scipy.special import stdtrit as stdtrit
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):  # `from edgewise._special import …` looks for __path__
            raise AttributeError(name)
        from scipy import special

        found = globals()[name] = getattr(special, name)
        return found


# For more numbers a loop takes longer than SciPy; to import that takes as long as a million.
_FEW = 2048
_ROOT_HALF = math.sqrt(0.5)
_HALF_LOG_TWO_PI = math.log(2 * math.pi) / 2
# From here on the asymptotic series has all digits, and below the complementary error function.
_FAR = 30.0


def log_upper_tails(z: FloatArray) -> FloatArray:
    """log P(Z > z) of a standard normal Z, for each of the numbers."""
    if z.size > _FEW:
        from scipy import special

        return np.asarray(special.log_ndtr(-z))
    return np.array([log_upper_tail(one) for one in z.ravel().tolist()]).reshape(z.shape)


def log_upper_tail(z: float) -> float:
    """The same for one number."""
    if z <= 0:
        return math.log1p(-math.erfc(-z * _ROOT_HALF) / 2)
    if z < _FAR:
        return math.log(math.erfc(z * _ROOT_HALF) / 2)
    # P(Z > z) = φ(z)/z · (1 − 1/z² + 3/z⁴ − 15/z⁶ + …)
    x = z**-2
    series = -x * (1 - 3 * x * (1 - 5 * x * (1 - 7 * x * (1 - 9 * x * (1 - 11 * x)))))
    return -z * z / 2 - math.log(z) - _HALF_LOG_TWO_PI + math.log1p(series)

"""SciPy's special functions, imported when the first of them is used.

They take 0.2 s to import, and `edgewise test --help` needs none of them: it imports the methods
only to name their options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        from scipy import special

        return getattr(special, name)

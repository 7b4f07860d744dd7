"""What the data are like, and which test suits them."""

from __future__ import annotations

from typing import Any

from edgewise.errors import DataError
from edgewise.inference.diagnosis import Diagnosis as Diagnosis
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.sample import Needs, open_sample
from edgewise.methods.nodewise import Nodewise
from edgewise.methods.score import Score


def diagnose(data: Any) -> Diagnosis:
    """Look at the tails, the scales, the values and the order of the rows.

    The rows are read once. Tails, order and values are looked at in the first rows (up to 8192),
    sums and the values farthest out in all rows.

    Parameters
    ----------
    data : array-like, data frame, path or list of paths
        The rows, as for `edge_test`.

    Returns
    -------
    Diagnosis
        What was found, and advice.

    Examples
    --------
    >>> import edgewise as ew
    >>> print(ew.diagnose(ew.datasets.load_sp500_returns()).advice()[:24])
    Use method 'batch': rows
    """
    sample = open_sample(data, Needs(wide=True), "a diagnosis")
    if sample.first_look is None:
        raise DataError(
            "data: a diagnosis looks at rows, got a state, which has none left; pass the rows."
        )
    moments = sample.moments()
    method = Score() if moments.n_samples > len(sample.feature_names) else Nodewise()
    return diagnosis_of(method.estimate(sample), sample.first_look, sample.feature_names)

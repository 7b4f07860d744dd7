"""A matrix of a result as a data frame with the names of the variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.checks import check_choice
from edgewise._base.types import AnyArray
from edgewise.results.edge import FrameKind, frame_kind, new_frame
from edgewise.results.intervals import Intervals

_MATRICES = (
    *("covariance", "precision", "partial_correlation", "statistic", "pvalue", "adjusted_pvalue"),
    *("log_pvalue", "reject", "threshold"),
    *("standard_error", "partial_correlation_standard_error"),
)
_ENDS = ("interval_low", "interval_high")
_VARIABLE = "variable"


class Matrices(Intervals):
    """How `EdgeTestResult` shows its matrices."""

    def matrix(self, name: str = "partial_correlation", backend: FrameKind | None = None) -> Any:
        """A matrix of the result as a data frame with the names of the variables.

        Parameters
        ----------
        name : str
            The name of a matrix: "partial_correlation", "precision", "covariance", "statistic",
            "pvalue", "adjusted_pvalue", "log_pvalue", "reject", "threshold", "interval_low",
            "interval_high", and where the method has standard errors "standard_error" (of the
            precision) and "partial_correlation_standard_error".
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.

        Returns
        -------
        data frame
            With pandas, the names are the index and the columns. The other two have no index: the
            names are in a first column, "variable" (with an underscore more where that is the name
            of a variable).
        """
        kind, names = frame_kind(backend), list(self.feature_names)
        columns = dict(zip(names, self._matrix(name).T.tolist(), strict=True))
        if kind == "pandas":
            return new_frame(columns, kind).set_axis(names, axis="index")
        heading = _VARIABLE
        while heading in names:
            heading += "_"
        return new_frame({heading: names, **columns}, kind)

    def _matrix(self, name: str) -> AnyArray:
        known = [one for one in _MATRICES if getattr(self, one) is not None]
        if self.uncertainty is not None:
            known += _ENDS
        check_choice("name", name, known)
        if name in _ENDS:
            return self.shown_interval()[_ENDS.index(name)]
        values = np.asarray(getattr(self, name))
        if values.ndim == 0:  # one threshold for all pairs
            values = np.full((self.n_features, self.n_features), float(values))
            np.fill_diagonal(values, np.nan)
        return values

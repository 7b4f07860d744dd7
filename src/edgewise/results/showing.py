"""How a result shows itself: pictures, and a page for a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from edgewise.results.result import EdgeTestResult


class Shows:
    """What `EdgeTestResult` draws and writes for eyes."""

    def plot(
        self,
        kind: str = "network",
        *,
        lines: Sequence[Any] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Draw the result.

        Parameters
        ----------
        kind : str
            Which picture: "network", "heatmap", "volcano", "forest", "pvalues" or "centrality"; of
            several methods on the same data "agreement" or "ladder".
        lines : sequence of Comparison, optional
            What `compare_methods` found on the same data, for "agreement" and "ladder".
        ax : matplotlib axes, optional
            Where to draw; by default a new figure that pyplot does not keep alive.
        **options
            Further options of that picture; `edgewise.view.plots` has a function for each.

        Returns
        -------
        matplotlib axes
            Where it was drawn; ``ax.figure`` is the page.
        """
        from edgewise.view.plots import plot

        return plot(cast("EdgeTestResult", self), kind, lines=lines, ax=ax, **options)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        data: Any = None,
        compare: bool | None = None,
        title: str | None = None,
        rows: bool = True,
    ) -> None:
        """Write one HTML file to look at, explore and send.

        It needs no network and no Python. The level, the correction and the minimal effect can be
        changed in the browser, which then decides as `edge_test` would.

        Parameters
        ----------
        path : path
            Where to write it.
        data : optional
            The data that were tested, as `edge_test` takes them. With them the report also says
            what they are like (tails, dependence, scales) and shows every method side by side.
        compare : bool, optional
            Whether to run all other methods too, which takes as long as `edgewise compare`; by
            default those that do not take long.
        title : str, optional
            The title of the page.
        rows : bool
            Whether the page may hold up to 500 sampled rows of `data`, as residuals, for scatter
            plots of single edges. Say False if the rows are confidential.
        """
        from edgewise.questions.reporting import write_report

        write_report(
            cast("EdgeTestResult", self), path, data=data, compare=compare, title=title, rows=rows
        )

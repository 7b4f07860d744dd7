"""What every picture shares: colours, widths and sizes. The page has its own: report/style/base.css."""

from __future__ import annotations

import numpy as np

from edgewise._linalg import FloatArray

# Okabe & Ito's blue and vermillion, which people with any common colour blindness can tell apart.
POSITIVE, NEGATIVE = "#0072B2", "#D55E00"
# Pairs that are not edges, and remarks.
QUIET, NOTE = "#9a9a9a", "#444444"
# Text and outlines, the page, and lines that only help to read.
INK, PAPER, GUIDE = "#222222", "#ffffff", "#dddddd"
#: Behind what is outside of the possible or expected.
SHADE = "#f0f0f0"
#: From the most negative to the most positive partial correlation, and pairs that were not tested.
SCALE = ("#8f3f00", NEGATIVE, PAPER, POSITIVE, "#004d78")
UNTESTED = "#d9d9d9"
#: Fills of communities, the largest first; further ones and single variables are grey. They differ
#: from the colours of the signs, and in lightness from each other.
COMMUNITIES = (
    "#009E73",
    "#E69F00",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#8466B0",
    "#A6761D",
    "#9ACD5A",
)
NO_COMMUNITY = "#C8C8C8"
#: Partial correlations whose width a key shows.
KEY = (0.05, 0.1, 0.3, 0.6)
#: The smallest font, in points at the width of a column of a page.
SMALLEST_FONT = 8.0


def edge_width(partial_correlation: FloatArray | float) -> FloatArray:
    """The width of an edge in points: the same for the same strength, in every picture."""
    return np.asarray(0.2 + 8 * np.abs(partial_correlation))


def community_colour(community: int) -> str:
    """The fill of a community; grey for variables without one, and after the last colour."""
    known = 0 <= community < len(COMMUNITIES)
    return COMMUNITIES[community] if known else NO_COMMUNITY


def edge_opacity(partial_correlation: FloatArray) -> FloatArray:
    """How opaque an edge is: weak ones are faint, those of 0.3 and more are nearly solid."""
    return np.asarray(0.35 + 0.6 * np.minimum(np.abs(partial_correlation) / 0.3, 1.0))


def dashes(width: float) -> tuple[float, tuple[float, float]]:
    """The dashes of a negative edge of that width; of thin ones too long enough to be seen."""
    width = float(width)
    return 0.0, (max(2.2, 3.2 / width), max(1.1, 2.0 / width))


def tint(colour: str, share: float = 0.18) -> str:
    """A colour mixed with white, for areas behind other things."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in parts)

"""All tests of edges by name, in the order in which they are shown."""

from __future__ import annotations

from edgewise.edges.batch import BATCH
from edgewise.edges.fisher import ELLIPTICAL, FISHER
from edgewise.edges.method import Method
from edgewise.edges.paper import EIG, TRACE
from edgewise.edges.score import SCORE
from edgewise.edges.sharp import SPECTRAL, WHITENED
from edgewise.edges.wald import WALD

METHODS: dict[str, Method] = {
    method.name: method
    for method in (SCORE, WALD, BATCH, WHITENED, SPECTRAL, TRACE, EIG, ELLIPTICAL, FISHER)
}

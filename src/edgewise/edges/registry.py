"""All tests of edges by name."""

from __future__ import annotations

from edgewise.edges.bound import EIG, TRACE
from edgewise.edges.fisher import FISHER
from edgewise.edges.method import Method
from edgewise.edges.score import SCORE

METHODS: dict[str, Method] = {method.name: method for method in (SCORE, FISHER, TRACE, EIG)}

"""Array aliases used in annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]

#: Starts a fresh pass over the rows, as numeric n × p batches.
Scan: TypeAlias = Callable[[], Iterator[AnyArray]]

"""Arrays of other libraries (PyTorch, CuPy, JAX, …), through NumPy's protocols or DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.text import one_line
from edgewise._base.types import AnyArray
from edgewise.errors import DataTypeError
from edgewise.rows.readers.arrays import ArrayTable

_ON_THE_CPU = (1, 3, 11, 13)  # DLPack: CPU, and memory that CUDA, ROCm and all devices share


class TensorTable(ArrayTable):
    """A tensor whose values this process can read, without a copy if possible."""

    def __init__(self, data: Any, **chosen: Any) -> None:
        super().__init__(from_tensor(data), **chosen)


def from_tensor(data: Any) -> AnyArray:
    """The numbers of a tensor as an array, without a copy if possible."""
    try:
        as_array = np.asarray if hasattr(type(data), "__array__") else np.from_dlpack
        values = as_array(data)
        if values.dtype.kind == "V" and values.dtype.names is None:
            # Short floats such as JAX's bfloat16, which are new to NumPy; a float32 holds them.
            values = values.astype(np.float32)
    except Exception as error:
        raise _unreadable(data, error) from error
    return values


def _unreadable(data: Any, error: Exception) -> DataTypeError:
    """The error for a tensor that is not an array of this process: why not, and the remedy."""
    kind = f"a {type(data).__module__.partition('.')[0]} {type(data).__name__}"
    if getattr(getattr(data, "device", None), "type", None) == "meta":
        return DataTypeError(
            f"X: expected numbers, got {kind} on the meta device, which has no values; make it on "
            "the CPU."
        )
    reasons, remedy = [], "data"
    if getattr(data, "requires_grad", False) is True:
        reasons.append("that requires a gradient")
        remedy += ".detach()"
    if str(getattr(data, "layout", "torch.strided")) != "torch.strided":
        reasons.append(f"with the layout {data.layout}")
        remedy += ".to_dense()"
    if not _on_the_cpu(data):
        reasons.append(f"on the device {getattr(data, 'device', 'of a GPU')}")
        remedy += ".get()" if hasattr(data, "get") else ".cpu()"
    dtype = str(getattr(data, "dtype", ""))
    if "bfloat" in dtype or "float8" in dtype:
        reasons.append(f"of {dtype}")
        remedy += ".float()"
    if not reasons:
        reasons.append(f"that NumPy cannot read ({one_line(error)})")
        remedy = "it as a NumPy array"
    return DataTypeError(
        f"X: expected numbers in memory that NumPy reads, got {kind} {', '.join(reasons)}; pass "
        f"{remedy}."
    )


def _on_the_cpu(data: Any) -> bool:
    try:
        return data.__dlpack_device__()[0] in _ON_THE_CPU
    except Exception:
        return True  # it does not say

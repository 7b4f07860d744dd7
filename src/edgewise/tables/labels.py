"""Labels of clusters as numbers: the same label is the same number wherever it comes from.

A column of labels is read along with the variables, so it has to be a column of numbers. Whole
numbers stand for themselves, also as text, because a CSV file says "12" where a Parquet file says
12. Other labels become 53 bits of a digest, which a float64 holds exactly. Two of a million labels
share a number with a probability of 1e-4; their clusters are then one, which costs nothing but a
little power.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from hashlib import blake2b
from math import isnan, nan
from numbers import Integral, Real
from typing import Any

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError

_EXACT = 1 << 53  # whole numbers below are exact as float64
# The whole numbers that str(int(…)) writes, and those that pandas writes where labels are missing.
_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,14})(\.0*)?")

# NumPy makes such texts of missing labels beside texts.
_MISSING = ("", "nan", "NaN", "NaT")


def label_number(label: object) -> float:
    """The number of one label; NaN where it is missing (None, NaN, NaT, an empty text)."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return nan
    if isinstance(label, Integral | np.bool_):
        return float(label) if abs(int(label)) < _EXACT else _digest(str(int(label)))
    if isinstance(label, Real):
        value = float(label)
        if not isnan(value) and not value.is_integer():
            raise not_a_label(value)
        return value if isnan(value) else label_number(int(value))
    if isinstance(label, bytes):
        return _digest(label)
    text = str(label).strip()  # as the cells of a CSV file are, which people align
    if text in _MISSING:
        return nan
    whole = _WHOLE.fullmatch(text)
    return _digest(text) if whole is None else float(int(whole[1]))


def label_numbers(labels: Any) -> FloatArray:
    """The numbers of labels that a user passes as an array, one for each row."""
    values = _one_dimensional(labels)
    if values.dtype.kind in "iub":
        if not values.size or -_EXACT < values.min() <= values.max() < _EXACT:
            return values.astype(np.float64)
        values = values.astype(object)
    if values.dtype.kind == "f":
        wrong = values[(values != np.floor(values)) & ~np.isnan(values)]
        if wrong.size:
            raise not_a_label(float(wrong[0]))
    if values.dtype.kind != "O":
        different, place = np.unique(values, return_inverse=True)
        return _numbers(different.tolist())[place]
    number: dict[Hashable, float] = {}
    try:
        for label in values:
            if label not in number:
                number[label] = label_number(label)
    except TypeError as error:
        raise ParameterError(
            "clusters: expected labels such as text, whole numbers or dates, got one that cannot be "
            f"compared ({error}); pass one plain label for each row."
        ) from error
    return np.array([number[label] for label in values], dtype=np.float64)


def not_a_label(value: float) -> DataError:
    """The error for a number that is not whole: it measures, and does not name."""
    return DataError(
        f"clusters: expected labels, such as text or whole numbers, got {value:g}; is it a column of "
        "measurements? Name the column that says which rows belong together."
    )


def _numbers(labels: Sequence[object]) -> FloatArray:
    return np.array([label_number(label) for label in labels], dtype=np.float64)


def _digest(label: str | bytes) -> float:
    text = label if isinstance(label, bytes) else label.encode("utf-8", "surrogatepass")
    return float(int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 11)


def _one_dimensional(labels: Any) -> AnyArray:
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist()  # None in place of what is masked
    if isinstance(labels, list | tuple):
        # Without this, a list of tuples would be an array of two dimensions.
        values = np.empty(len(labels), dtype=object)
        for place, label in enumerate(labels):
            values[place] = label
        return values
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ParameterError(
            "clusters: expected the name of a column or one label for each row, got "
            f"{type(labels).__name__} of {values.ndim} dimensions."
        )
    return values

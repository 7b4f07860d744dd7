"""What cases of the corpus are made of, and what a case is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NAMES = ("a", "b", "c", "d")
DEFAULT = ("x0", "x1", "x2", "x3")


@dataclass(frozen=True)
class Kit:
    """What cases are made of: the rows, optional packages, a folder for files."""

    rows: np.ndarray
    require: Callable[[str], Any]
    folder: Any
    opened: list[Any] = field(default_factory=list)

    def close_later(self, thing):
        self.opened.append(thing)
        return thing

    @property
    def columns(self):
        return {name: self.rows[:, j].copy() for j, name in enumerate(NAMES)}

    @property
    def records(self):
        return [dict(zip(NAMES, row, strict=True)) for row in self.rows.tolist()]

    @property
    def arrow(self):
        return self.require("pyarrow").table(self.columns)

    @property
    def pandas(self):
        return self.require("pandas").DataFrame(self.columns)

    @property
    def frame(self):
        self.require("pyarrow")  # edgewise reads frames through it
        return self.pandas

    @property
    def polars(self):
        return self.require("polars").DataFrame(self.columns)

    @property
    def holes(self):
        X = self.rows.copy()
        X[[3, 7], [1, 2]] = np.nan
        return X


@dataclass(frozen=True)
class Case:
    """An object, the columns and rows that are read, or parts of the sentence that refuses it."""

    make: Callable[[Kit], Any]
    names: tuple[str, ...] = NAMES
    rows: Callable[[Kit], Any] = lambda kit: kit.rows
    says: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def quietly(make, *arguments):
    """Make an object whose package warns of something that is not the point here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments)


def unnamed(make, **more):
    return Case(make, DEFAULT, **more)


def refused(make, *says, **options):
    return Case(make, says=says, options=options)


def batches(kit, n=8):
    return np.split(kit.rows, n)


def sparse_with_zeros(kit):
    return np.where(np.abs(kit.rows) < 1, 0, kit.rows)

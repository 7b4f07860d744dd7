"""Copies are found among many files, without comparing all pairs or reading all rows."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.rows.readers.file_kinds import open_file
from edgewise.rows.readers.twins import refuse_twins

RNG = np.random.default_rng(5)


def written(path, X):
    path.write_text("a,b\n" + "".join(f"{a:.9f},{b:.9f}\n" for a, b in X))
    return path


def checked(paths):
    refuse_twins([open_file(path) for path in paths], ["a", "b"])


@pytest.fixture
def files(tmp_path):
    """20 files of one size."""
    return [written(tmp_path / f"{k}.csv", RNG.uniform(1, 2, (50, 2))) for k in range(20)]


def test_others(files):
    checked(files)


@pytest.mark.parametrize("place", [0, 7, 19])
def test_a_copy(files, tmp_path, refuses, place):
    copy = tmp_path / "copy.csv"
    copy.write_bytes(files[place].read_bytes())
    refuses(lambda: checked([*files, copy]), ew.DataError, "copy.csv", files[place].name, "twice")


def test_rows_that_are_the_same_for_a_while(tmp_path):
    """A later row differs: of the same size, and no copy."""
    X = RNG.uniform(1, 2, (50, 2))
    Y = X.copy()
    Y[-1] += 0.1
    checked([written(tmp_path / "1.csv", X), written(tmp_path / "2.csv", Y)])


@pytest.mark.parametrize(("n", "different"), [(29, 29), (50, 10)])
def test_too_few_to_tell(tmp_path, n, different):
    """Small files, and files of rows that repeat, may be the same by chance."""
    X = np.repeat(RNG.uniform(1, 2, (different, 2)), n // different, axis=0)
    paths = [written(tmp_path / "1.csv", X), written(tmp_path / "2.csv", X)]
    if n < 30:
        checked(paths)
    else:  # but a copy of enough rows, byte by byte, is one
        with pytest.raises(ew.DataError, match="same rows"):
            checked(paths)


@pytest.mark.parametrize("digits", [9, 4])
def test_another_kind(tmp_path, refuses, digits):
    X = RNG.standard_normal((60, 2))
    X[3, 1] = np.nan
    one = written(tmp_path / "1.csv", X)
    two = tmp_path / "2.jsonl"
    rows = [f'{{"a": {a:.{digits}f}, "b": {b:.{digits}f}}}\n' for a, b in X]
    two.write_text("".join(rows).replace("nan", "null"))
    refuses(lambda: checked([one, two]), ew.DataError, "same rows")


def test_gaps_in_other_places(tmp_path):
    X = RNG.standard_normal((60, 2))
    Y = X.copy()
    Y[0, 0], X[5, 1] = np.nan, np.inf
    checked([written(tmp_path / "1.csv", X), written(tmp_path / "2.txt", Y)])

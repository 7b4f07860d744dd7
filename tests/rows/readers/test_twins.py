"""Copies are found among many files, without comparing all pairs or reading all rows."""

from __future__ import annotations

import gzip
import tracemalloc

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


@pytest.mark.parametrize(("different", "refused"), [(1, False), (2, False), (3, True)])
@pytest.mark.parametrize("n", [60, 1500])
def test_copies_of_few_different_rows(tmp_path, n, different, refused):
    """Rows of zeros may be chance; rows that differ late are found as well."""
    X = np.zeros((n, 2))
    X[-different:, 0] = np.arange(different)
    paths = [written(tmp_path / "1.csv", X), written(tmp_path / "2.csv", X)]
    if refused:
        with pytest.raises(ew.DataError, match="same rows"):
            checked(paths)
    else:
        checked(paths)


def crlf(path, rows):
    path.write_bytes(written(path, rows).read_bytes().replace(b"\n", b"\r\n"))
    return path


def compressed(path, rows):
    content = crlf(path, rows).read_bytes()
    path.unlink()
    packed = path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(content))
    return packed


def utf16(path, rows):
    path.write_text(written(path, rows).read_text(), "utf-16")
    return path


def semicolons(path, rows):
    path.write_text(written(path, rows).read_text().replace(",", ";").replace(".", ","))
    return path


def other_digits(path, rows):
    return written(path, rows.round(4))


def other_order(path, rows):
    path.write_text("b,a\n" + "".join(f"{b:.9f},{a:.9f}\n" for a, b in rows))
    return path


def array(path, rows):
    path = path.with_suffix(".npy")
    np.save(path, np.array([*map(tuple, rows)], [("a", "f4"), ("b", "f4")]))
    return path


FORMS = [written, crlf, compressed, utf16, semicolons, other_digits, other_order, array]


@pytest.mark.parametrize(("n", "later"), [(1500, 1500), (700, 1500), (1500, 700), (30, 1500)])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_file_that_has_grown(tmp_path, refuses, form, n, later):
    """The shorter is the beginning of the longer, in whatever form."""
    X = RNG.standard_normal((1500, 2))
    one, two = written(tmp_path / "1.csv", X[:n]), form(tmp_path / "2.csv", X[:later])
    refuses(lambda: checked([one, two]), ew.DataError, "same rows", one.name, two.name)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_other_rows_of_each_form(tmp_path, form):
    X = RNG.standard_normal((1500, 2))
    X[7] = 1e9  # in both: it must not hide how the others differ
    Y = X + 0.05 * RNG.standard_normal(X.shape)
    Y[7] = 1e9
    checked([written(tmp_path / "1.csv", X), form(tmp_path / "2.csv", Y)])


def test_too_few_rows_in_the_shorter(tmp_path):
    X = RNG.standard_normal((100, 2))
    checked([written(tmp_path / "1.csv", X[:29]), written(tmp_path / "2.csv", X)])


@pytest.fixture
def many(tmp_path):
    """``many(write)``: 70 files of one form, more than are all compared by their rows."""
    return lambda write: [
        write(tmp_path / f"{k}.csv", RNG.standard_normal((45, 2))) for k in range(70)
    ]


@pytest.mark.parametrize("form", [written, crlf, compressed, utf16], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [30, 44, 60])
def test_a_grown_one_of_many(tmp_path, refuses, many, form, n):
    X = RNG.standard_normal((60, 2))
    paths = [*many(form), form(tmp_path / "old.csv", X[:n])]
    checked(paths)
    paths.append(form(tmp_path / "new.csv", X))
    refuses(lambda: checked(paths), ew.DataError, "old.csv", "new.csv", "same rows")


@pytest.mark.parametrize("form", FORMS[1:], ids=lambda form: form.__name__)
def test_one_of_many_in_another_form(tmp_path, refuses, many, form):
    """Digits cut off are seen only among few files."""
    X = RNG.standard_normal((60, 2))
    paths = [*many(written), written(tmp_path / "old.csv", X[:50]), form(tmp_path / "new.csv", X)]
    if form is other_digits:
        checked(paths)
    else:
        refuses(lambda: checked(paths), ew.DataError, "old.csv", "new.", "same rows")


def test_the_last_line_may_have_no_end(tmp_path, refuses, many):
    X = RNG.standard_normal((60, 2))
    old = written(tmp_path / "old.csv", X[:30])
    old.write_text(old.read_text().rstrip())
    paths = [*many(written), old, written(tmp_path / "new.csv", X)]
    refuses(lambda: checked(paths), ew.DataError, "old.csv", "new.csv")


def test_a_long_header(tmp_path, refuses, many):
    """Names of more bytes than are read at first."""
    paths = [*many(written), *(written(tmp_path / f"x{k}.csv", np.eye(60, 2)) for k in range(2))]
    X = RNG.standard_normal((60, 2))
    long = "long" * 20_000
    for k, path in enumerate(paths):
        rows = X[: 50 + k - 70] if k >= 70 else RNG.standard_normal((40, 2))
        path.write_text(written(path, rows).read_text().replace("a,b", f"{long},b"))
    files = [open_file(path) for path in paths]
    refuses(lambda: refuse_twins(files, [long, "b"]), ew.DataError, "x0.csv", "x1.csv")


def test_many_arrays(tmp_path, refuses, many):
    paths = many(array)
    checked(paths)
    copy = tmp_path / "copy.npy"
    copy.write_bytes(paths[7].read_bytes())
    refuses(lambda: checked([*paths, copy]), ew.DataError, "copy.npy", "7.npy")


def test_memory_of_many_kinds(tmp_path):
    """Of each file only a few means are kept, not its first rows."""
    X = RNG.standard_normal((1000, 32))
    names = [f"x{k}" for k in range(32)]
    for k in range(80):
        np.save(tmp_path / f"{k}.npy", X + k)
    np.savez(tmp_path / "other.npz", X - 1)
    files = [open_file(path) for path in sorted(tmp_path.iterdir())]
    tracemalloc.start()
    refuse_twins(files, names)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes


def test_a_file_that_cannot_be_read(tmp_path, refuses):
    """It is told when its rows are read, not by a comparison."""
    X = RNG.standard_normal((60, 2))
    one, two = written(tmp_path / "1.csv", X), written(tmp_path / "2.csv", X)
    files = [open_file(one), open_file(two)]
    two.write_text(two.read_text()[:200] + "oops,1\n")
    refuse_twins(files, ["a", "b"])


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

"""What reviewers broke: no row lost, none counted twice, no variable lost, no number misread."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, FormatGuessWarning, ParameterError, StateFileError
from edgewise.tables.files import FileTable
from edgewise.tables.open import Reading


@pytest.fixture
def written(tmp_path):
    """``written("x.csv", lines)``: a file of these lines."""

    def write(name, lines):
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def cells(X, sep=","):
    return [sep.join(map(repr, row)) for row in np.asarray(X).tolist()]


class TestQuotes:
    """A quote that is not closed swallows rows, if its column is not read."""

    def lines(self, rows, notes):
        body = zip(cells(rows), notes, strict=True)
        return ["a,b,c,d,note", *(f"{line},{note}" for line, note in body)]

    def test_two_that_swallow_what_is_between(self, written, rows, refuses):
        notes = ["ok"] * 400
        notes[100], notes[140] = '"5 inch', '"7 inch'
        path = written("x.csv", self.lines(rows, notes))
        refuses(lambda: ew.edge_test(path, exclude="note"), DataError, "line 102", "quote")

    def test_two_far_down(self, written, rows, refuses):
        many = np.tile(rows, (100, 1))
        notes = ["ok"] * len(many)
        notes[39_000], notes[39_100] = '"5 inch', '"7 inch'
        path = written("x.csv", self.lines(many, notes))
        assert path.stat().st_size > 2**21
        refuses(lambda: ew.edge_test(path, exclude="note"), DataError, "line 39002", "quote")

    def test_proper_ones_over_several_lines(self, written, rows, same_result):
        notes = ['"in ""quotes"",\nand lines"' if k % 7 == 0 else "ok" for k in range(400)]
        path = written("x.csv", self.lines(rows, notes))
        same_result(ew.edge_test(path, exclude="note"), ew.edge_test(rows), names="abcd")


class TestThousands:
    def test_points_between_semicolons(self, written, refuses):
        numbers = np.random.default_rng(0).integers(1, 3000, (60, 2))
        lines = [";".join(f"{n:,}".replace(",", ".") for n in row) for row in numbers.tolist()]
        path = written("x.csv", ["a;b", *lines])
        refuses(lambda: ew.edge_test(path), DataError, "thousands", "--decimal .")
        told = ew.open_table(path, sep=";", decimal=".")
        assert ew.edge_test(told).n_samples == 60


class TestRowNumbers:
    """All files decide together, in whatever order they come."""

    def files(self, written, rows, *columns):
        parts = np.array_split(rows, len(columns))
        return [
            written(
                f"{k}.csv",
                ["id,a,b,c,d", *(f"{n},{line}" for n, line in zip(column, cells(X), strict=False))],
            )
            for k, (column, X) in enumerate(zip(columns, parts, strict=True))
        ]

    def test_a_first_file_of_few_rows(self, written, rows):
        files = self.files(written, rows, [1], range(1, 300))
        assert FileTable(files).feature_names == tuple("abcd")
        assert FileTable(files[::-1]).feature_names == tuple("abcd")

    def test_files_that_disagree(self, written, rows):
        files = self.files(written, rows, range(1, 201), np.linspace(0, 1, 200).tolist())
        for some in (files, files[::-1]):
            table = FileTable(some)
            assert table.feature_names == ("id", *"abcd")
            assert not any("left out" in note for note in table.notes)

    def test_what_is_asked_for_is_not_called_left_out(self, written, rows, recwarn):
        path = self.files(written, rows, range(1, 401))[0]
        assert ew.edge_test(path, columns=["id", "a", "b"]).feature_names == ("id", "a", "b")
        assert not [one for one in recwarn.list if issubclass(one.category, FormatGuessWarning)]


def test_a_decimal_comma_far_down(written, rows, refuses):
    lines = ["a;b", *["1;2"] * 600_000, "-4,128;3"]
    path = written("x.csv", lines)
    refuses(
        lambda: ew.edge_test(ew.open_table(path, sep=";")), DataError, "--decimal ,", "line 600002"
    )
    said = Reading(sep=";", decimal=",")
    other = written("y.csv", ["a;b", "1.5;2", "2.5;3", "4;5"])
    refuses(lambda: [*FileTable([other], reading=said).blocks()], DataError, "--decimal .")


def test_other_options_do_not_resume(written, rows, tmp_path, refuses):
    X = rows.astype(object).copy()
    X[::50, 0] = -999
    paths = [
        written("1.csv", ["a,b,c,d", *cells(X[:200])]),
        written("2.csv", ["a,b,c,d", *cells(X[200:])]),
    ]
    checkpoint = tmp_path / "x.checkpoint"
    said = ew.open_table(paths, na_values="-999")

    class StopError(Exception):
        pass

    def stop(done):
        raise StopError

    with pytest.raises(StopError):
        ew.accumulate(said, missing="drop", checkpoint=checkpoint, every=1e-9, progress=stop)
    assert checkpoint.exists()
    refuses(
        lambda: ew.accumulate(paths, missing="drop", checkpoint=checkpoint, resume=True),
        StateFileError,
        "other ways of reading",
    )


def test_labels_go_by_position_and_not_against_the_index(require, rows, refuses):
    pd = require("pandas")
    frame = pd.DataFrame(rows, columns=list("abcd"))
    labels = pd.Series(np.arange(400) // 10)
    mixed = frame.sample(frac=1, random_state=0)
    refuses(
        lambda: ew.edge_test(mixed, clusters=labels), ParameterError, "clusters.loc[data.index]"
    )
    aligned = ew.edge_test(mixed, clusters=labels.loc[mixed.index])
    np.testing.assert_allclose(
        aligned.statistic, ew.edge_test(frame, clusters=labels).statistic, rtol=1e-9
    )
    some = frame[frame.a > 0]
    assert ew.edge_test(some, clusters=pd.Series(range(len(some)))).n_samples == len(some)

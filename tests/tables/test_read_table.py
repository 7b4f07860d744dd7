"""Data together with how they are to be read."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, FormatGuessWarning, ParameterError
from edgewise.tables.open import data_and_reading


@pytest.fixture
def german(tmp_path, rows):
    """`rows` as half of Europe writes them, with a column of text."""
    lines = [
        f"t{k};" + ";".join(f"{x:.12f}".replace(".", ",") for x in row)
        for k, row in enumerate(rows)
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["Zeit;a;b;c;d", *lines]) + "\n")
    return path


def test_nothing_is_read_before_it_is_needed(rows):
    missing = ew.open_table("no/such.csv", sep=";", na_values=["?", "-"])
    assert repr(missing) == "open_table('no/such.csv', sep=';', na_values=('?', '-'))"
    data, reading = data_and_reading(missing)
    assert (data, reading.sep, reading.given()) == ("no/such.csv", ";", ["sep", "na_values"])
    assert data_and_reading(rows) == (rows, None)


def test_what_is_said_is_not_guessed(german, rows, same_result, recwarn):
    expected = ew.edge_test(np.round(rows, 12))
    told = ew.open_table(german, sep=";", decimal=",", header=True, index_col="Zeit")
    same_result(ew.edge_test(told), expected, names="abcd")
    same_result(ew.edge_test(told, columns=["a", "b", "c", "d"]), expected, names="abcd")
    assert not recwarn.list
    with pytest.warns(FormatGuessWarning, match="is read with separator ';' and decimal comma"):
        guessed = ew.edge_test(german, exclude="Zeit")
    same_result(guessed, expected, names="abcd")
    assert guessed.files == ((str(german), 400),)


QUESTIONS = {
    "edge_test": lambda data: ew.edge_test(data, exclude="Zeit").partial_correlation[0, 1],
    "fit": lambda data: ew.EdgeTest().fit(data).partial_correlation_[0, 1],
    "accumulate": lambda data: ew.edge_test(
        ew.accumulate(data, exclude="Zeit"), method="fisher"
    ).partial_correlation[0, 1],
    "partial_test": lambda data: (
        ew.partial_test(data, "a", "b", given=["c", "d"]).partial_correlation
    ),
    "ConditionalTest": lambda data: (
        ew.ConditionalTest(data)("a", "b", given=["c", "d"]).partial_correlation
    ),
    "compare_methods": lambda data: next(
        line.result.partial_correlation[0, 1]
        for line in ew.compare_methods(data)
        if line.result is not None
    ),
    "compare_groups": lambda data: (
        ew.compare_groups(data, by=np.arange(400) % 2, columns=["a", "b", "c", "d"]).feature_names
        == ("a", "b", "c", "d")
    ),
    "diagnose": lambda data: ew.diagnose(data).n_samples == 400,
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_takes_it(german, rows, name):
    data = ew.open_table(german, sep=";", decimal=",", index_col="Zeit")
    answer = QUESTIONS[name](data)
    if isinstance(answer, bool):
        assert answer
    else:
        expected = ew.edge_test(np.round(rows, 12)).partial_correlation[0, 1]
        assert answer == pytest.approx(expected, rel=1e-9)


def test_levels_of_a_column(german):
    halves = german.with_name("halves.csv")
    lines = german.read_text().splitlines()
    marked = [lines[0], *("first" + line[line.index(";") :] for line in lines[1:201])]
    marked += ["second" + line[line.index(";") :] for line in lines[201:]]
    halves.write_text("\n".join(marked) + "\n")
    result = ew.compare_groups(ew.open_table(halves, sep=";", decimal=","), by="Zeit")
    assert result.group_names == ("first", "second")


def test_options(refuses):
    for said, kept in (
        ({"sep": ";"}, ";"),
        ({"sep": "tab"}, "\t"),
        ({"sep": "\\t"}, "\t"),
        ({"sep": " "}, "whitespace"),
        ({"decimal": ","}, ","),
        ({"encoding": "UTF8"}, "utf-8"),
        ({"encoding": "latin1"}, "iso8859-1"),
        ({"na_values": "?"}, ("?",)),
        ({"na_values": -999}, ("-999",)),
        ({"na_values": ["?", -1.5]}, ("?", "-1.5")),
        ({"header": False}, False),
        ({"index_col": np.int64(0)}, 0),
        ({"index_col": False}, False),
        ({"sheet": 2}, 2),
    ):
        (name,) = said
        _, reading = data_and_reading(ew.open_table("x.csv", **said))
        assert (getattr(reading, name), reading.given()) == (kept, [name])
    wrong = {
        "sep": ["", ";;", "\n", '"', "ü", 5],
        "decimal": [";", True],
        "encoding": ["latin-99", 8],
        "header": ["yes"],
        "index_col": [-1, 1.5, True],
        "sheet": [-1, 1.5],
    }
    for name, values in wrong.items():
        for value in values:
            call = lambda given={name: value}: ew.open_table("x.csv", **given)  # noqa: E731
            refuses(call, ParameterError, f"{name}: expected", "got")


def test_options_that_mean_nothing_for_the_data(refuses, rows, tmp_path):
    np.save(tmp_path / "r.npy", rows)
    said = ew.open_table(tmp_path / "r.npy", sep=";")
    refuses(lambda: ew.edge_test(said), ParameterError, "sep", "text files", "r.npy")
    refuses(lambda: ew.edge_test(ew.open_table(rows, sep=";")), ParameterError, "sep", "ndarray")


def test_a_column_that_is_not_there(refuses, german):
    said = ew.open_table(german, index_col="Ziet")
    refuses(lambda: ew.edge_test(said), DataError, "index_col", "'Ziet'", "'Zeit'")
    refuses(lambda: ew.edge_test(ew.open_table(german, index_col=9)), DataError, "index_col", "9")


def test_names(rows, same_result, refuses):
    weights = np.arange(400) % 4 + 1
    X, names = np.column_stack([rows, weights]), [*"abcd", "w"]
    data = ew.open_table(X, feature_names=names)
    result = ew.edge_test(data, weights="w", method="score")
    expected = ew.edge_test(rows, weights=weights, method="score")
    same_result(result, expected, names="abcd")
    some = ew.edge_test(data, columns=["c", "a"], method="score")
    same_result(some, ew.edge_test(rows[:, [2, 0]], method="score"), names="ca")
    clusters = ew.open_table(np.column_stack([rows, np.arange(400) // 10]), feature_names=names)
    grouped = ew.edge_test(clusters, clusters="w", method="score")
    assert (grouped.feature_names, grouped.provenance.n_clusters) == (tuple("abcd"), 40)
    few = ew.open_table(X, feature_names=["a"])
    refuses(lambda: ew.edge_test(few), ParameterError, "expected 5 names")

"""What commands say on standard error about the files that they read."""

from __future__ import annotations

import warnings

import pytest

from edgewise._base.warn import warn
from edgewise.cli.telling import remarked_warnings
from edgewise.errors import EdgewiseWarning

COMMANDS = {
    "test": (),
    "report": ("--no-compare",),
    "compare": (),
    "compare --null": ("--null", "--shuffles", 1),
    "plan": ("--effect", 0.3),
    "pair": ("a", "b"),
    "diff": (),
}


@pytest.fixture
def two_files(tmp_path, rows, write_csv):
    write_csv(tmp_path / "first.csv", "abcd", rows[:150])
    write_csv(tmp_path / "second.csv", "abcd", rows[150:])
    return "first.csv", "second.csv"


def told(err):
    return [line for line in err.splitlines() if line.startswith("edgewise: read ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_verbose_names_each_file_with_its_rows(run_main, two_files, command):
    asked = command.split()[0], *two_files, *COMMANDS[command]
    _, err = run_main(*asked, "-v")
    assert told(err) == [
        "edgewise: read 150 rows of 'first.csv'.",
        "edgewise: read 250 rows of 'second.csv'.",
    ]
    assert not told(run_main(*asked)[1])


def test_the_levels_of_a_column_share_their_files(run_main, tmp_path, rows, write_csv):
    rows = rows.copy()
    for k, name in enumerate(("first.csv", "second.csv")):
        rows[:, 3] = range(k, k + len(rows))
        rows[:, 3] %= 3
        rows[:, :3] += k
        write_csv(tmp_path / name, "abcd", rows)
    _, err = run_main("diff", "first.csv", "second.csv", "--by", "d", "--verbose")
    assert [line.split()[-1] for line in told(err)] == ["'first.csv'.", "'second.csv'."]


def test_warnings_come_as_remarks_at_once(capsys):
    with remarked_warnings():
        warn("the disk is full.", EdgewiseWarning)
        assert capsys.readouterr().err == "edgewise: the disk is full.\n"


def test_warnings_of_others_stay_as_they_are():
    with pytest.warns(UserWarning, match="of others"), remarked_warnings():
        warnings.warn("of others", UserWarning, stacklevel=1)

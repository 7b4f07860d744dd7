"""Tables that fit the terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from edgewise.cli.fitting import Column, fitted

COLUMNS = (
    Column("edge", "pairs", justify="left"),
    Column("partial correlation"),
    Column("95 % interval for all pairs at once", worth=2),
    Column("statistic", worth=1),
    Column("what it promises", "words", worth=3, justify="left"),
)
ROW = (("temperature_inside", "temperature_outside"), Text("+0.500"), "-0.409 to -0.187", "+5.98")
PROMISE = "per edge, any distribution"


def drawn(width, columns=COLUMNS, rows=((*ROW, PROMISE),), encoding="utf-8", terminal=True):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    out = Console(
        file=file, width=width, highlight=False, force_terminal=terminal, color_system=None
    )
    out.print(fitted("Some edges", columns, rows, out))
    file.seek(0)
    return file.read()


def body(text, frame="│"):
    """The cells of the lines below the heading."""
    lines = [line for line in text.splitlines() if line.startswith(frame)]
    return [[cell.strip() for cell in line.strip(frame).split(frame)] for line in lines]


def test_all_of_it_where_there_is_room():
    text = drawn(160)
    assert body(text) == [["temperature_inside – temperature_outside", *map(str, ROW[1:]), PROMISE]]
    assert "No room" not in text
    assert len([line for line in text.splitlines() if line.startswith("┃")]) == 1


@pytest.mark.parametrize("width", range(30, 161, 5))
def test_no_word_is_broken_and_no_line_too_long(width):
    text = drawn(width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    known = {word for column in COLUMNS for word in column.heading.split()}
    known |= {*PROMISE.split(), "+0.500", "-0.409", "to", "-0.187", "+5.98", "–"}
    known |= {"Some", "edges", "No", "room", "for:"}
    for word in "".join(character if character not in "┃│" else " " for character in text).split():
        if not set(word) & set("┏━┓┡╇┩└┴┘┳…") and not word.startswith("temperature"):
            assert word.strip(",.") in {one.strip(",.") for one in known}, word


def test_the_least_worth_leaves_first():
    assert "No room for: statistic." in drawn(80)
    left = " ".join(drawn(60).partition("No room for: ")[2].split())
    assert left == "95 % interval for all pairs at once, statistic."
    narrow = body(drawn(40))
    assert [len(line) for line in narrow] == [2]
    assert narrow[0][1] == "+0.500"


def test_long_names_keep_their_ends_and_stay_apart():
    first, second, third = (f"measurement_{number}_of_site_a" for number in (1, 2, 3))
    columns, rows = COLUMNS[:2], [((first, second), "+0.1"), ((third, "b"), "+0.1")]
    for width in (100, 60, 50, 40, 34, 30):
        names = [cells[0] for cells in body(drawn(width, columns, rows))]
        ends = {name for text in names for name in text.split(" – ")}
        assert len(ends) == 4
        assert all(name.startswith("m") and "a" in name for name in ends - {"b"})
    assert "measurement_1_of_site_a – measurement_2_of_site_a" in drawn(100, columns, rows)


def test_nothing_is_lost_in_a_pipe():
    names = ("x" * 100, "y" * 100)
    text = drawn(80, rows=((names, *ROW[1:], PROMISE),), terminal=False)
    assert text.count("x") == 100
    assert text.count("y") == 100 + PROMISE.count("y")
    assert "No room" not in text
    assert "…" not in text


def test_wide_characters_count_twice():
    text = drawn(40, COLUMNS[:2], [(("漢字" * 20, "b"), "+0.1")])
    assert all(cell_len(line) <= 40 for line in text.splitlines())
    assert "…" in text


def test_names_cannot_act():
    text = drawn(100, COLUMNS[:2], [(("[red]x", "a\x1b[31mb"), "[b]1[/b]")])
    assert "[red]x – a\ufffd[31mb" in text
    assert "[b]1[/b]" in text


def test_frames_are_straight_where_letters_are_spelled_out():
    columns = (Column("|Θ|"), Column("ρ – x", "words"))
    lines = drawn(60, columns, [("Σ", "a – b"), ("1", "×")], encoding="ascii").splitlines()
    assert len({len(line) for line in lines[1:]}) == 1
    assert "|Theta|" in lines[2]
    assert "rho - x" in lines[2]


def test_no_rows():
    assert "partial correlation" in drawn(120, COLUMNS, [])


@pytest.mark.parametrize("width", ["80", "60", "40", "0", "7", "abc"])
def test_on_a_terminal(csv_file, require, width):
    """The real program, as wide as COLUMNS says."""
    pty = require("pty")
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": width, "TERM": "xterm", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "edgewise", "test", str(csv_file)], stdout=follower, env=environment
    )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 4096):
            shown += part
    except OSError:  # the other end was closed
        pass
    finally:
        os.close(leader)
        assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    limit = {"0": 80, "7": 30, "abc": 80}.get(width) or int(width)
    *lines, command = text.splitlines()
    assert all(cell_len(line) <= limit for line in lines)
    # What is to be copied is not broken.
    assert command == f"  edgewise report {csv_file} --open"
    assert "a – b" in text
    assert "correlation" in text

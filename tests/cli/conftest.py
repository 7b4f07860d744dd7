"""Fixtures of the tests of the command line."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def table_of():
    """The table that a command printed: the cells of each line, by the first of them."""

    def cells(text):
        lines = [line for line in text.splitlines() if line.startswith("│ ")]
        rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
        return {first: others for first, *others in rows}

    return cells


@pytest.fixture
def run_main(run_edgewise, tmp_path):
    """``run_main("test", "x.csv")``: in `tmp_path`, what is on both streams."""

    def run(*arguments, status=0, input=None):
        done = run_edgewise(*arguments, status=status, cwd=tmp_path, input=input)
        return done.stdout, done.stderr

    return run


@pytest.fixture
def refused(run_main, tmp_path):
    """``refused("test", "x.csv", status=1)``: the sentence of an error; nothing is written."""

    def run(*arguments, status=2, input=None):
        before = sorted(tmp_path.rglob("*"))
        out, err = run_main(*arguments, status=status, input=input)
        assert out == ""
        assert sorted(tmp_path.rglob("*")) == before
        if status == 1:
            assert len(err.splitlines()) == 1
        return err.splitlines()[-1].removeprefix("Error: ").removeprefix("edgewise: ")

    return run

"""Fixtures of the tests of the command line."""

from __future__ import annotations

import pytest

from edgewise.cli.main import main


@pytest.fixture(scope="session")
def table_of():
    """The table that a command printed: the cells of each line, by the first of them."""

    def cells(done):
        lines = [line for line in done.stdout.splitlines() if line.startswith("│ ")]
        rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
        return {first: others for first, *others in rows}

    return cells


@pytest.fixture
def run_main(capsys, monkeypatch, tmp_path):
    """As `run_edgewise` in `tmp_path`, but within this process: for many cases of the same."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, status=0):
        monkeypatch.setattr("sys.argv", ["edgewise", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        assert code == status, err
        return out, err

    return run

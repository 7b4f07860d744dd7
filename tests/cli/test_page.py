"""The page of a report: in the browser at once, and without rows."""

from __future__ import annotations

import webbrowser

import pytest

import edgewise as ew


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was asked to open."""
    asked = []
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or True)
    return asked


@pytest.mark.parametrize("written", [["report", "-o"], ["test", "--report"]], ids=" ".join)
def test_the_page_is_opened(run_main, csv_file, opened, written):
    command, option = written
    _, err = run_main(command, "rows.csv", "--no-compare", option, "x y.html", "--open")
    assert err == ""
    assert opened == [csv_file.with_name("x y.html").as_uri()]


def test_without_a_browser_it_says_so_and_all_is_well(run_main, csv_file, monkeypatch):
    def fails(address):
        raise webbrowser.Error("could not locate runnable browser")

    for answer in (fails, lambda address: False):
        monkeypatch.setattr(webbrowser, "open", answer)
        out, err = run_main("report", "rows.csv", "--no-compare", "--open")
        assert "The report is in" in out
        assert err == "edgewise: no browser could be started; open the page yourself.\n"


def test_a_page_on_standard_output_is_not_opened(run_main, csv_file, opened):
    for asked in (["report", "-o"], ["test", "--report"]):
        _, err = run_main(asked[0], "rows.csv", asked[1], "-", "--open", status=2)
        assert "a browser needs a file" in err
    assert opened == []


@pytest.mark.parametrize("flag", ["--open", "--no-rows", "--compare", "--no-compare"])
def test_options_of_a_page_that_is_not_written(run_main, csv_file, flag):
    _, err = run_main("test", "rows.csv", flag, status=2)
    assert f"{flag.replace('no-c', 'c')} is an option of the report" in err


def test_what_the_page_contains(run_main, csv_file, rows, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "edgewise.questions.reporting.write_report", lambda *page, **how: asked.append(how["rows"])
    )
    kept = "The page holds up to 500 sampled rows; leave them out with --no-rows."
    without = "The page holds no sampled rows."
    assert kept in run_main("report", "rows.csv")[0]
    assert without in run_main("report", "rows.csv", "--no-rows")[0]
    assert kept in run_main("test", "rows.csv", "--report", "x.html")[0]
    assert without in run_main("test", "rows.csv", "--report", "x.html", "--no-rows")[0]
    assert asked == [True, False, True, False]
    ew.accumulate(rows).save(tmp_path / "a.ews")
    assert without in run_main("report", "a.ews")[0]
    assert "The page" not in run_main("test", "rows.csv")[0]

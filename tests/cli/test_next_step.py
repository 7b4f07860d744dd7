"""What to do now: the one line that commands end with."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from types import SimpleNamespace

import click
import numpy as np
import pytest

import edgewise as ew
from edgewise.cli.main import cli
from edgewise.cli.next_step import (
    after_advice,
    after_null,
    after_plan,
    after_test,
    same_data,
)
from edgewise.inference.cautions import Caution


@pytest.fixture
def given():
    """A command line, as the functions see it."""

    def inside(line):
        name, *words = shlex.split(line)
        return cli.get_command(click.Context(cli), name).make_context(name, words)

    return inside


@pytest.fixture(scope="module")
def result():
    X = np.random.default_rng(0).standard_normal((300, 3))
    X[:, 1] += X[:, 0]
    return ew.edge_test(X)


def breaks(kind):
    return (Caution("Some sentence.", kind, True),)


def test_the_other_command_has_the_same_data_and_options(given):
    line = "test 'a b.csv' c.csv --exclude x,y --exclude z --alpha 0.01 --no-header -v --csv p.csv"
    with given(line):
        assert same_data("report", "--open") == (
            "edgewise report 'a b.csv' c.csv --exclude x,y --exclude z --no-header --alpha 0.01 "
            "--open"
        )
        assert "--correction" not in same_data("plan")


def test_options_go_nowhere_without_the_file_they_are_about(given):
    line = "test x.csv --report p.html --no-rows --compare --plot p.png --plot-kind forest"
    with given(f"{line} --graph g.gexf"):
        assert same_data("test") == "edgewise test x.csv"
        # A page without rows leads to another without rows.
        assert same_data("report") == "edgewise report x.csv --compare --no-rows"


def test_a_file_whose_name_begins_like_an_option_stands_behind_all_options(given):
    with given("test --alpha 0.01 -- -x.csv y.csv"):
        assert same_data("report", "--open") == (
            "edgewise report --alpha 0.01 --open -- -x.csv y.csv"
        )


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("dependence", "batch"),
        ("heavy tails", "score"),
        ("few rows", "score"),
        ("far tails", "kendall"),
    ],
)
def test_a_broken_guarantee_leads_to_the_method_that_holds(given, result, kind, method):
    wald = replace(result, method="wald", cautions=breaks(kind))
    with given("test x.csv --method wald --alpha 0.01"):
        step = after_test(wald)
    chosen = "" if method == "score" else f" --method {method}"
    assert f"use method '{method}'" in step.what
    assert step.command == f"edgewise test x.csv --alpha 0.01{chosen}"


def test_options_of_a_method_do_not_go_to_another(given, result):
    with given("test x.csv --method trace --mu 0.5"):
        step = after_test(replace(result, method="trace", cautions=breaks("dependence")))
    assert step.command == "edgewise test x.csv --method batch"


def test_no_method_is_named_that_does_not_take_the_data(given, result):
    far = replace(result, cautions=breaks("far tails"))
    for option in ("--weights w", "--groups g", "--missing pairwise", "--transform normal-scores"):
        with given(f"test x.csv {option}"):
            assert after_test(far).command == f"edgewise report x.csv {option} --open"


def test_no_plan_is_named_that_does_not_take_the_data(given, result):
    none = replace(result, reject=np.zeros((3, 3), dtype=bool))
    for option in ("--weights w", "--groups g", "--missing pairwise"):
        with given(f"test x.csv {option}"):
            assert after_test(none).command == f"edgewise report x.csv {option} --open"


def test_another_method_has_neither_a_budget_nor_resampling(given, result):
    dependent = replace(result, method="fisher", cautions=breaks("dependence"))
    with given("test x.csv --correction maxt"):
        assert "--correction maxt" in after_test(dependent).command
        few = after_test(replace(result, method="batch", cautions=breaks("few rows")))
        assert few.command == "edgewise test x.csv"
    with given("test x.parquet --budget 5"):
        assert after_test(replace(result, rows_needed=9)).command == "edgewise test x.parquet"


def test_rows_from_a_pipe_must_come_again(given, result):
    with given("test - --method batch"):
        step = after_test(result, again=False)
    assert step.what.startswith("pipe the same rows into another command")
    assert step.command == "edgewise report - --method batch --open"


def test_trends_first(given, result):
    told = breaks("dependence") + breaks("levels")
    with given("test x.csv"):
        step = after_test(replace(result, cautions=told))
    assert step.command == ""
    assert "trends" in step.what


def test_edges_are_looked_at_and_none_are_planned_for(given, result):
    none = replace(result, reject=np.zeros((3, 3), dtype=bool))
    with given("test x.csv --correction bh"):
        assert after_test(result).command == "edgewise report x.csv --correction bh --open"
        assert after_test(result, page="x.html").what == "open x.html in a browser"
        assert after_test(none).command == "edgewise plan x.csv"
        assert after_test(replace(none, rows_needed=9)).command == (
            "edgewise test x.csv --correction bh"
        )
        # A state cannot be tested or planned for in another way.
        assert after_test(none, again=False).command.startswith("edgewise report x.csv")


def test_after_advice(given):
    with given("compare x.csv"):
        assert after_advice(SimpleNamespace(recommended="score")).command == "edgewise test x.csv"
        batch = after_advice(SimpleNamespace(recommended="batch"))
        assert batch.command == "edgewise test x.csv --method batch"
        assert after_advice(SimpleNamespace(recommended=None)).command == ""


def test_after_shuffles(given):
    def line(name, low):
        return SimpleNamespace(method=SimpleNamespace(name=name), band=(low, 1.0))

    with given("compare x.csv --null"):
        step = after_null([line("fisher", 0.2), line("wald", 0.01)], 0.05, corrected=True)
        assert step.command == "edgewise test x.csv --method wald"
        for lines, corrected in (([line("fisher", 0.2)], True), ([line("wald", 0.0)], False)):
            step = after_null(lines, 0.05, corrected=corrected)
            assert step.command == "edgewise compare x.csv"


def test_after_a_plan(given):
    plan = SimpleNamespace(n_samples=1500)
    with given("plan x.csv --effect 0.1"):
        assert after_plan(plan, "batch", 500, 0.2).what.startswith("collect 1,000 more rows")
        enough = after_plan(plan, "batch", 1500, 0.2)
        assert enough.command == "edgewise test x.csv --method batch"
    with given("plan x.csv"):
        assert after_plan(None, "score", 500, 0.2).command == "edgewise plan x.csv --effect 0.1"
        assert after_plan(None, "score", 5, np.nan).command == "edgewise plan x.csv --effect 0.5"


def test_it_stays_out_of_what_programs_read(run_main, csv_file):
    out, err = run_main("test", "rows.csv")
    assert out.splitlines()[-1] == (
        "Next, explore the graph in a browser: edgewise report rows.csv --open"
    )
    out, err = run_main("test", "rows.csv", "--json", "-")
    assert json.loads(out)["n_samples"] == 400
    assert "Next" not in err
    assert "Next" not in run_main("test", "rows.csv", "--csv", "-")[0]

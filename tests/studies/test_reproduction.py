"""Studies at the smallest scale, and what `reproduce` refuses."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from edgewise.errors import DataError, ParameterError
from edgewise.studies import reproduce
from edgewise.studies.reproduction import STUDIES, total_draws
from edgewise.studies.study import SCALES

LENGTHS = {
    "fig1": 2 * 2 * 4 * 6,  # distributions, p, methods, sizes
    "fig2": 2 * (6 + 8) * 2 * 10,  # distributions, eigenvalues, sizes, draws
    "fig3": 2 * (5 + 2 * 4) * 103,  # distributions, methods and kinds, levels
    "fig4": 2 * 7 * 2 * 6,  # distributions, methods, kinds of entries, sizes
    "lemma1": 2 * 3 * 4,  # distributions, p, events
    "theorem8": 2 * 2 * 5,  # distributions, tests, budgets
}


def check_files(folder, printed, names):
    """Every study has its table, pictures and page, whose links lead somewhere."""
    assert {"draws", *names} <= {path.name for path in folder.iterdir()}
    for name in names:
        study = STUDIES[name]
        expected = ["README.md", f"{name}.csv", f"{name}.png", f"{name}.svg"]
        assert sorted(path.name for path in (folder / name).iterdir()) == expected
        with (folder / name / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert len(rows) == LENGTHS[name]
        assert {len(row) for row in rows} == {len(header)}
        page = (folder / name / "README.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {study.title}\n")
        assert study.design(study.cells("smoke")) in page
        links = re.findall(r"\]\(([^)]+)\)", page)
        assert {f"{name}.png", f"{name}.csv", f"{name}.svg"} <= set(links)
        assert all((folder / name / link).is_file() for link in links)
        assert study.title in printed


def assert_same_files(ours, theirs, names):
    for name in names:
        for kind in ("csv", "svg", "png"):
            file = Path(name) / f"{name}.{kind}"
            assert (ours / file).read_bytes() == (theirs / file).read_bytes(), file


@pytest.mark.validity
def test_all_studies(run_edgewise, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    done = run_edgewise("reproduce", "all", "--scale", "smoke", "-o", first, "--jobs", 1)
    check_files(first, done.stdout, list(LENGTHS))
    overview = (first / "README.md").read_text(encoding="utf-8")
    assert all(f"]({name}/README.md)" in overview for name in LENGTHS)
    # However few the draws are, only Lemma 1 is refuted.
    refuted = re.findall(r"^\| (.*?) \|.*\*\*refuted\*\*", overview, re.M)
    assert [says.partition(":")[0] for says in refuted] == ["Lemma 1"]
    run_edgewise("reproduce", "fig1", "fig2", "fig3", "--scale", "smoke", "-o", second, "--jobs", 2)
    assert_same_files(first, second, ["fig1", "fig2", "fig3"])


def test_one_study_and_again_from_its_draws(run_edgewise, tmp_path, monkeypatch):
    folder, again = tmp_path / "first", tmp_path / "again"
    done = run_edgewise("reproduce", "theorem8", "--scale", "smoke", "-o", folder, "--jobs", 1)
    check_files(folder, done.stdout, ["theorem8"])
    again.mkdir()
    (again / "draws").symlink_to(folder / "draws")
    monkeypatch.setattr(
        "edgewise.studies.draws._Unit.__call__", lambda unit: pytest.fail("it draws again")
    )
    told = []
    (found,) = reproduce("theorem8", scale="smoke", output=again, n_jobs=1, tell=told.append)
    assert sum(told) == found.n_draws == total_draws("theorem8", "smoke")
    assert_same_files(again, folder, ["theorem8"])


@pytest.mark.parametrize("name", LENGTHS)
def test_scales_grow_and_say_where_they_differ(name):
    study = STUDIES[name]
    smoke, quick, paper = (total_draws(name, scale) for scale in SCALES)
    assert smoke < quick < paper
    designs = {study.design(study.cells(scale)) for scale in SCALES}
    assert len(designs) == 3
    here, there = (study.deviations(study.cells(scale)) for scale in ("smoke", "paper"))
    assert sum(row.here == row.paper for row in here) <= sum(r.here == r.paper for r in there)


@pytest.mark.parametrize(
    ("options", "error", "fragments"),
    [
        ({"names": ["fig1", "nope"]}, ParameterError, ["names:", "'nope'", "'lemma1'", "'all'"]),
        ({"scale": "huge"}, ParameterError, ["scale:", "'huge'", "'smoke'", "'paper'"]),
        ({"seed": -1}, ParameterError, ["seed:", "-1"]),
        ({"n_jobs": 0}, ParameterError, ["n_jobs:", "0"]),
        ({"n_jobs": True}, ParameterError, ["n_jobs:", "True"]),
        ({"n_jobs": 1, "client": "it"}, ParameterError, ["n_jobs: expected None together with"]),
        ({"output": __file__}, DataError, ["cannot make the folder", "choose another place"]),
    ],
)
def test_refusals(refuses, tmp_path, options, error, fragments):
    target = tmp_path / "out"
    asked = {"names": "fig2", "scale": "smoke", "output": target} | options
    refuses(lambda: reproduce(**asked), error, *fragments)
    assert not target.exists()

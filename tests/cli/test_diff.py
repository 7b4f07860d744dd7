"""`edgewise diff`, as it is typed."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import edgewise as ew
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.simulate import make_chain_precision, sample

DRAWN = (("report", "html"), ("plot", "svg"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, write_csv):
    made = tmp_path_factory.mktemp("diff")
    a = sample("t5", make_chain_precision(4, -0.45), 400, rng=1)
    b = sample("t5", make_chain_precision(4), 500, rng=2)
    write_csv(made / "a.csv", "wxyz", a)
    write_csv(made / "b.csv", "zyxw", b[:, ::-1])
    labels = np.repeat(["drug", "placebo"], [400, 500]).astype(object)
    both = np.column_stack([labels, np.concatenate([a, b]).astype(object)])
    write_csv(made / "trial.csv", ["arm", *"wxyz"], both)
    subjects = np.repeat(np.arange(100), 9)[:, np.newaxis]
    subjects[:400] -= 1000
    write_csv(made / "subjects.csv", ["arm", *"wxyz", "subject"], np.hstack([both, subjects]))
    both[:, 0] = np.arange(900) % 3
    write_csv(made / "three.csv", ["arm", *"wxyz"], both)
    return made


def test_two_files(run_edgewise, folder):
    done = run_edgewise("diff", "a.csv", "b.csv", cwd=folder)
    expected = ew.compare_groups(folder / "a.csv", folder / "b.csv", group_names=("a", "b"))
    shown = " ".join(done.stdout.split())
    assert expected.headline() in shown
    assert f"{expected.n_edges} pairs that differ" in shown
    assert "95 % interval for all pairs at once" in shown
    assert "That any pair differs: p " in shown
    assert "w – x" in shown


def test_by_a_column(run_edgewise, folder, tmp_path):
    done = run_edgewise(
        *("diff", folder / "trial.csv", "--by", "arm", "--permutations", 99, "--seed", 7),
        *("--json", tmp_path / "d.json", "--csv", tmp_path / "d.csv", "--exclude", "z"),
    )
    result = EdgeDifferenceResult.from_json(tmp_path / "d.json")
    same = ew.compare_groups(
        folder / "trial.csv", by="arm", permutations=99, random_state=7, exclude="z"
    )
    assert result.to_json() == same.to_json()
    assert "99 permutations" in " ".join(done.stdout.split())
    with open(tmp_path / "d.csv", encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert [row["source"] for row in rows] == [pair.source for pair in result.pairs()]
    assert [float(row["difference"]) for row in rows] == [p.difference for p in result.pairs()]


def test_some_pairs_subjects_a_page_and_a_picture(folder, run_edgewise, tmp_path):
    (tmp_path / "pairs.csv").write_text("source,target\nw,x\nx,y\n", encoding="utf-8")
    outputs = [f"--{kind}={tmp_path}/d.{ending}" for kind, ending in DRAWN]
    asked = ["--given", "z", "--pairs", f"{tmp_path}/pairs.csv", "--clusters", "subject"]
    done = run_edgewise("diff", "subjects.csv", "--by", "arm", *asked, *outputs, cwd=folder)
    shown = " ".join(done.stdout.split())
    assert "of 2 chosen pairs among 3 variables, adjusted for z," in shown
    assert "(400 rows in 45 clusters)" in shown
    assert "adjusted for z" in (tmp_path / "d.html").read_text(encoding="utf-8")
    assert (tmp_path / "d.svg").stat().st_size > 1000


def test_three_levels(folder, run_edgewise, tmp_path):
    def printed(*more):
        return run_edgewise("diff", "three.csv", "--by", "arm", *more, cwd=folder).stdout

    page, picture = tmp_path / "d.html", tmp_path / "d.svg"
    shown = " ".join(printed("--report", page, "--plot", picture).split())
    assert "3 groups, each against all others pooled" in shown
    assert shown.count("'all but ") == 3
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg viewBox") == 9
    assert "2 against all but 2" in text
    assert picture.stat().st_size > 1000
    assert [*json.loads(printed("--json", "-"))["levels"]] == ["0", "1", "2"]
    lines = printed("--csv", "-").splitlines()
    assert lines[0].startswith("source,target,")
    assert lines[0].endswith(",group_a,group_b")
    assert len(lines) == 1 + 3 * 6


def test_states(run_edgewise, folder, tmp_path):
    for name in "ab":
        run_edgewise("accumulate", folder / f"{name}.csv", "-o", tmp_path / name, "--n-batches", 50)
    done = run_edgewise("diff", tmp_path / "a", tmp_path / "b")
    assert "method 'batch'" in " ".join(done.stdout.split())


def test_refused(folder, run_edgewise):
    for arguments, status, words in (
        (["a.csv"], 2, "expected two groups, got 1"),
        (["a.csv", "b.csv", "trial.csv"], 2, "--by COLUMN"),
        (["a.csv", "b.csv", "--json", "-", "--csv", "-"], 2, "only one of them"),
        (["a.csv", "a.csv"], 1, "the same data twice"),
        (["a.csv", "missing.csv"], 1, "group 'missing': data: there is no file"),
        (["a.csv", "trial.csv"], 1, "column 'arm'"),
        (["trial.csv", "--by", "ram"], 1, "did you mean 'arm'?"),
        (["a.csv", "b.csv", "--method", "score"], 2, "method: "),
        (["a.csv", "b.csv", "--permutations", "3"], 2, "permutations: expected at least 19"),
        (["a.csv", "b.csv", "--n-batches", "50"], 2, "n_batches"),
        (["a.csv", "b.csv", "--csv", "a.csv"], 1, "one of the inputs"),
    ):
        done = run_edgewise("diff", *arguments, cwd=folder, status=None)
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
        assert words in done.stderr.splitlines()[-1]


def test_cautions_go_to_standard_error(run_edgewise, folder, tmp_path, write_csv):
    walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=0)
    path = write_csv(tmp_path / "walk.csv", "wxyz", walk)
    done = run_edgewise("diff", folder / "a.csv", path, "--json", "-")
    assert "edgewise: caution: Group 'walk': " in done.stderr
    assert json.loads(done.stdout)["cautions"]

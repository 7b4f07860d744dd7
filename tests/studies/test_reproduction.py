"""All studies at the smallest scale through the real program, and what `reproduce` refuses."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from edgewise.errors import DataError, ParameterError
from edgewise.studies import reproduce
from edgewise.studies.claims import VERDICTS
from edgewise.studies.reproduction import STUDIES, total_draws
from edgewise.studies.study import SCALES

NAMES = ("fig1", "fig2", "fig3", "fig4", "lemma1", "theorem8")
# The columns that say which observation a row of a table is; the others are numbers.
KEYS = {
    "fig1": ("distribution", "p", "method", "n"),
    "fig2": ("distribution", "p", "n", "eigenvalue", "draw"),
    "fig3": ("distribution", "kind", "method", "delta"),
    "fig4": ("distribution", "method", "entries", "n"),
    "lemma1": ("distribution", "p", "event"),
    "theorem8": ("distribution", "test", "budget"),
}
LENGTHS = {
    "fig1": 2 * 2 * 4 * 6,  # distributions, p, methods, sizes
    "fig2": 2 * (6 + 8) * 2 * 10,  # distributions, eigenvalues, sizes, draws
    "fig3": 2 * (5 + 2 * 4) * 103,  # distributions, methods and kinds, levels
    "fig4": 2 * 7 * 2 * 6,  # distributions, methods, kinds of entries, sizes
    "lemma1": 2 * 3 * 4,  # distributions, p, events
    "theorem8": 2 * 2 * 5,  # distributions, tests, budgets
}
ALL = pytest.mark.parametrize("name", NAMES)
HEADING = ["claim", "measured", "verdict"]


@pytest.fixture(scope="module")
def smoke(run_edgewise, tmp_path_factory):
    """`edgewise reproduce all --scale smoke`, once: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("smoke") / "made by the program"
    done = run_edgewise("reproduce", "all", "--scale", "smoke", "-o", folder, "--jobs", 1)
    assert done.stderr == ""
    return folder, done.stdout


@pytest.fixture(scope="module")
def folder(smoke):
    return smoke[0]


def claim_tables(page: Path) -> list[list[list[str]]]:
    """The tables of claims on a page: their lines, as cells."""
    tables: list[list[list[str]]] = []
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells == HEADING:
            tables.append([])
        elif cells and tables and len(cells) == 3 and set(cells[0]) != {"-"}:
            tables[-1].append([cell.replace("\\|", "|") for cell in cells])
    return tables


@pytest.fixture(scope="module")
def verdicts(folder):
    """Of each claim of each study, as its page has it."""
    found = {}
    for name in NAMES:
        (table,) = claim_tables(folder / name / "README.md")
        for says, _, said in table:
            verdict = re.fullmatch(r"\*\*(.+)\*\* \([^)]+ s\.e\.[^)]*\)", said)[1]
            assert verdict in VERDICTS
            found[says] = verdict
    return found


class TestFiles:
    def test_nothing_else_is_there(self, folder):
        """No temporary file is left, and no study is missing."""
        assert tuple(STUDIES) == NAMES
        assert sorted(path.name for path in folder.iterdir()) == ["README.md", "draws", *NAMES]
        for name in NAMES:
            expected = ["README.md", f"{name}.csv", f"{name}.png", f"{name}.svg"]
            assert sorted(path.name for path in (folder / name).iterdir()) == expected
        assert {path.suffix for path in (folder / "draws").iterdir()} == {".npz"}

    @ALL
    def test_table_is_tidy(self, folder, name):
        with (folder / name / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert len(rows) == LENGTHS[name]
        assert len(set(header)) == len(header)
        assert {len(row) for row in rows} == {len(header)}
        records = [dict(zip(header, row, strict=True)) for row in rows]
        # One observation a row.
        assert len({tuple(record[key] for key in KEYS[name]) for record in records}) == len(rows)
        words = {"distribution", "method", "kind", "entries", "event", "test"}
        for record in records:
            for column, value in record.items():
                if column in words:
                    assert value
                else:
                    assert float(value) == float(value), f"{column} is not a number"
        assert {record["distribution"] for record in records} == {"gaussian", "laplace"}

    @ALL
    def test_pictures(self, folder, name, require):
        picture = folder / name / f"{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        assert min(require("matplotlib.image").imread(picture).shape[:2]) > 250
        root = ET.parse(folder / name / f"{name}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        # Otherwise the same picture were another file each day.
        assert "date" not in {element.tag.split("}")[-1] for element in root.iter()}

    @ALL
    def test_page(self, folder, name):
        study, page = STUDIES[name], folder / name / "README.md"
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {study.title}\n")
        assert study.paper in text
        assert f"**Here, at the scale `smoke`.** {study.design(study.cells('smoke'))}" in text
        assert f"`edgewise reproduce {name} --scale smoke`" in text
        (claims,) = claim_tables(page)
        assert len(claims) >= 2
        assert all(cell for line in claims for cell in line)
        links = re.findall(r"\]\(([^)]+)\)", text)
        assert {f"{name}.png", f"{name}.csv", f"{name}.svg"} <= set(links)
        assert f"![{study.title}]({name}.svg)" in text
        for link in links:
            assert (page.parent / link).is_file()

    def test_overview(self, folder):
        text = (folder / "README.md").read_text(encoding="utf-8")
        for name, study in STUDIES.items():
            assert f"## [{study.title}]({name}/README.md)" in text
        pages = [claim_tables(folder / name / "README.md")[0] for name in NAMES]
        assert claim_tables(folder / "README.md") == pages

    def test_a_page_states_its_own_design(self, folder):
        """Draws, n and p are those of the run, not of the paper."""
        for name, own in {
            "fig1": ["2 draws", "p = 4, 6.", "110 000 (6 even steps)"],
            "fig2": ["10 draws", "n = 10 000 and 50 000"],
            "fig3": ["40 draws", "n = 20 000"],
            "fig4": ["6 growing samples", "210 000 (6 even steps)"],
            "lemma1": ["20 draws", "p = 2, 6, 14;"],
        }.items():
            design = STUDIES[name].design(STUDIES[name].cells("smoke"))
            caption = re.search(
                r"^\*(.+)\*$", (folder / name / "README.md").read_text("utf-8"), re.M
            )
            for text in own:
                assert text in design
            assert own[0].split()[0] + " draws" in caption[1]
            assert design != STUDIES[name].design(STUDIES[name].cells("paper"))

    def test_deviations_in_one_table(self, folder):
        text = (folder / "README.md").read_text(encoding="utf-8")
        *_, table = text.split("## Where the studies differ from the paper")
        rows = [line for line in table.splitlines() if line.startswith("| [fig")]
        for name in ("fig1", "fig2", "fig3", "fig4"):
            study = STUDIES[name]
            listed = [row for row in rows if row.startswith(f"| [{name}]({name}/README.md)")]
            assert len(listed) == len(study.deviations(study.cells("smoke")))
            page = (folder / name / "README.md").read_text(encoding="utf-8")
            for row in listed:
                assert row.split(" | ", 1)[1] in page
        # The paper's own draws and rows are no deviation.
        for what in ("| draws |", "| rows |"):
            assert what in (folder / "fig3" / "README.md").read_text(encoding="utf-8")
        paper = STUDIES["fig3"].deviations(STUDIES["fig3"].cells("paper"))
        assert [row.what for row in paper if row.here == row.paper] == ["rows"]

    def test_what_was_printed(self, smoke):
        folder, text = smoke
        for name, study in STUDIES.items():
            assert study.title in text
            draws = sum(cell.n_draws for cell in study.cells("smoke"))
            assert re.search(
                rf"^{draws} draws, \d+ s of computing; in {re.escape(str(folder / name))}$",
                text,
                re.M,
            )
        assert "\x1b" not in text

    def test_ends_with_a_count(self, smoke, verdicts):
        folder, text = smoke
        found = Counter(verdicts.values())
        line = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS)
        assert line in text.splitlines()
        assert f"In all: {line}." in (folder / "README.md").read_text(encoding="utf-8")


class TestClaims:
    """What must come out however few the draws are, with this seed or any other."""

    def test_only_lemma_1_is_refuted(self, verdicts, smoke):
        lemma = "Lemma 1: ‖Σ̂ − Σ‖₂ exceeds ε_Eig with probability 0.05 at most"
        assert [says for says, verdict in verdicts.items() if verdict == "refuted"] == [lemma]
        line = next(line for line in smoke[1].splitlines() if line.startswith("│ Lemma 1:"))
        assert " refuted " in line

    def test_so_few_draws_support_little(self, verdicts):
        """A rate of 0.05 cannot be told from 0 in ten, twenty or forty draws."""
        for says, verdict in verdicts.items():
            if "with probability" in says or "any entry" in says:
                assert verdict != "supported"


def assert_same_files(ours, theirs, names):
    for name in names:
        for kind in ("csv", "svg", "png"):
            file = Path(name) / f"{name}.{kind}"
            assert (ours / file).read_bytes() == (theirs / file).read_bytes(), file


class TestAgain:
    """Every study's files a second time, in one of two ways."""

    def test_other_workers_make_the_same_files(self, folder, run_edgewise, tmp_path):
        names = ("fig1", "fig2", "fig3")
        run_edgewise("reproduce", *names, "--scale", "smoke", "-o", tmp_path, "--jobs", 2)
        assert_same_files(tmp_path, folder, names)

    def test_a_cluster_makes_the_same_files(self, folder, run_edgewise, require, tmp_path):
        require("distributed")
        done = run_edgewise(
            "reproduce", "fig1", "--scale", "smoke", "-o", tmp_path, "--engine", "dask"
        )
        assert done.stderr == ""
        assert_same_files(tmp_path, folder, ["fig1"])
        text = (tmp_path / "fig1" / "README.md").read_text("utf-8")
        assert re.search(r"8 draws, \d+ s of computing on one core, \d+ s on a Dask cluster", text)
        assert "`edgewise reproduce fig1 --scale smoke`" in text

    def test_finished_draws_are_used(self, folder, tmp_path, monkeypatch):
        """With the draws of the first run nothing is drawn at all."""
        names = ("fig4", "lemma1")
        (tmp_path / "draws").symlink_to(folder / "draws")
        monkeypatch.setattr(
            "edgewise.studies.draws._Unit.__call__", lambda unit: pytest.fail("it draws again")
        )
        told = []
        done = reproduce(names, scale="smoke", output=tmp_path, n_jobs=1, tell=told.append)
        assert [one.n_draws for one in done] == [12, 120]
        assert sum(told) == total_draws(names, "smoke") == 132
        assert_same_files(tmp_path, folder, names)
        # The time of the draws is that of the first run.
        assert min(one.core_seconds for one in done) > 0

    def test_another_seed(self, folder, tmp_path):
        (done,) = reproduce("fig4", scale="smoke", output=tmp_path, n_jobs=1, seed=7)
        assert done.folder == tmp_path / "fig4"
        file = Path("fig4") / "fig4.csv"
        assert (tmp_path / file).read_bytes() != (folder / file).read_bytes()
        assert "--scale smoke --seed 7`" in (done.folder / "README.md").read_text("utf-8")


class TestChoice:
    def test_total_draws(self):
        for scale in SCALES:
            each = [total_draws(name, scale) for name in NAMES]
            assert min(each) > 0
            assert total_draws("all", scale) == sum(each)
            assert total_draws(["fig3", "fig1", "fig3"], scale) == each[0] + each[2]
            assert total_draws(["fig3", "all"], scale) == sum(each)

    @ALL
    def test_scales_grow(self, name):
        smoke, quick, paper = (total_draws(name, scale) for scale in SCALES)
        assert smoke < quick < paper

    @pytest.mark.parametrize(
        ("options", "fragments"),
        [
            ({"names": "fig9"}, ["names:", "'fig9'", "'lemma1'", "'all'"]),
            ({"names": ["fig1", "nope"]}, ["names:", "'nope'"]),
            ({"scale": "huge"}, ["scale:", "'huge'", "'smoke'", "'paper'"]),
            ({"scale": None}, ["scale:", "None"]),
            ({"seed": -1}, ["seed:", "-1"]),
            ({"seed": 1.5}, ["seed:", "1.5"]),
            ({"n_jobs": 0}, ["n_jobs:", "0"]),
            ({"n_jobs": -2}, ["n_jobs:", "-2"]),
            ({"n_jobs": True}, ["n_jobs:", "True"]),
            ({"n_jobs": "2"}, ["n_jobs:", "'2'"]),
        ],
        ids=str,
    )
    def test_refusals(self, refuses, tmp_path, options, fragments):
        target = tmp_path / "out"
        refuses(
            lambda: reproduce(**({"names": "fig2", "output": target} | options)),
            ParameterError,
            *fragments,
        )
        assert not target.exists()

    @pytest.mark.parametrize("n_jobs", [1, -1, 0])
    def test_processes_and_a_cluster(self, refuses, client, tmp_path, n_jobs):
        target = tmp_path / "out"
        refuses(
            lambda: reproduce("fig2", output=target, n_jobs=n_jobs, client=client),
            ParameterError,
            "n_jobs: expected None together with client",
            f"got {n_jobs};",
        )
        assert not target.exists()

    def test_no_client_at_all(self, refuses, require, tmp_path):
        require("distributed")
        target = tmp_path / "out"
        for wrong in (object(), "tcp://nowhere:8786"):
            refuses(
                lambda wrong=wrong: reproduce("fig2", output=target, client=wrong),
                ParameterError,
                "client: expected a distributed.Client",
            )
        assert not target.exists()

    def test_output_that_is_a_file(self, refuses, tmp_path):
        (tmp_path / "file").write_text("precious")
        for output in (tmp_path / "file", tmp_path / "file" / "below"):
            refuses(
                lambda output=output: reproduce("fig2", scale="smoke", output=output),
                DataError,
                f"cannot make the folder '{output}",
                "choose another place",
            )
        assert (tmp_path / "file").read_text() == "precious"

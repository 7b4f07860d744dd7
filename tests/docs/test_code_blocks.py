"""Every code block of the README and of the documentation runs, and prints what the page shows.

A page is one story: its blocks run in order, in one namespace and one temporary folder. What
decides is the language after the fence:

- ``python`` runs; with ``>>>`` prompts it is a doctest.
- ``bash`` runs as a script; in ``console`` the lines after ``$`` run, one by one.
- ``output`` is what the block before it prints; ``...`` stands for anything.
- ``python no-run: why`` (or bash, console) does not run, and says why; such blocks must be few.
- ``r`` is R, ``text`` and the others of `SHOWN` are not code.

A block without a language fails, so that nothing is left out by accident.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
MADE_BY_SPHINX = ("_build", "auto_examples", "generated")
RUN = ("python", "bash", "console")
SHOWN = ("text", "r", "json", "toml", "yaml")
MOST_NOT_RUN = 12
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: where it begins, what is written after its fence, and what is in it."""

    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        return (self.info.split() or [""])[0]

    @property
    def reason_not_to_run(self) -> str | None:
        found = re.fullmatch(r"\w+ no-run:(.*)", self.info)
        return found and found[1].strip()


def blocks_of(text: str, first_line: int = 1) -> Iterator[Block]:
    """The fenced blocks of a Markdown text, also those within directives of MyST."""
    lines = iter(enumerate(text.splitlines(), first_line))
    for number, line in lines:
        opening = re.fullmatch(r"( *)(`{3,}|~{3,})(.*)", line)
        if not opening:
            continue
        indent, fence, info = opening.groups()
        inside: list[str] = []
        for _, content in lines:
            if re.fullmatch(rf" *{fence[0]}{{{len(fence)},}} *", content):
                break
            inside.append(content.removeprefix(indent))
        block = Block(number, info.strip(), "".join(f"{content}\n" for content in inside))
        if block.info.startswith("{"):
            yield from blocks_of(block.text, number + 1)
        else:
            yield block


def pages() -> list[Path]:
    written = (
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not {*MADE_BY_SPHINX} & {*page.parts}
        and not page.is_relative_to(ROOT / "docs" / "reproduction")  # a copy, made by Sphinx
    )
    return [ROOT / "README.md", ROOT / "reproduction" / "README.md", *written]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


BLOCKS = {name_of(page): list(blocks_of(page.read_text(encoding="utf-8"))) for page in pages()}


class Story:
    """The blocks of one page, told in order."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.namespace: dict[str, object] = {"__name__": "__main__"}

    def tell(self, blocks: Sequence[Block]) -> None:
        printed: str | None = None
        for block in blocks:
            where = f"{self.page}:{block.line}"
            if block.language == "output":
                assert printed is not None, f"{where}: no block that ran is before this output"
                same = doctest.OutputChecker().check_output(block.text, printed, OPTIONS)
                assert same, f"{where}: the page shows\n{block.text}\nbut this came:\n{printed}"
                continue
            printed = None
            if block.language in RUN and block.reason_not_to_run is None:
                printed = getattr(self, block.language)(block, where)

    def python(self, block: Block, where: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            if block.text.startswith(">>>"):
                self._doctest(block, where)
            else:
                # The lines of the page, so that a traceback points into it.
                source = "\n" * block.line + block.text
                exec(compile(source, where, "exec", dont_inherit=True), self.namespace)
        return out.getvalue()

    def _doctest(self, block: Block, where: str) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, where, self.page, block.line
        )
        said = io.StringIO()
        failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(
            test, out=said.write, clear_globs=False
        )
        self.namespace.update(test.globs)
        assert not failed, said.getvalue()

    def bash(self, block: Block, where: str) -> str:
        """What the lines print: `edgewise` in this process, all else in a shell."""
        text = re.sub(r"(^|  )#.*", "", block.text.replace("\\\n", " "), flags=re.MULTILINE)
        if not re.search(r"[|<>$&;()]|^(?!edgewise |\s*$)", text, re.MULTILINE):
            from edgewise.cli.main import cli

            printed = ""
            for _, *arguments in filter(None, map(shlex.split, text.splitlines())):
                done = CliRunner().invoke(cli, arguments, prog_name="edgewise")
                assert done.exit_code == 0, f"{where}: {arguments}\n{done.output}"
                printed += done.output
            return printed
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            env={**os.environ, "PATH": path, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{where}: status {done.returncode}\n{done.stdout}"
        return done.stdout

    def console(self, block: Block, where: str) -> str:
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            printed = self.bash(Block(block.line, "bash", command), where)
            same = doctest.OutputChecker().check_output(shown, printed, OPTIONS)
            assert same or not shown, f"{where}: $ {command}\nshows\n{shown}\ncame:\n{printed}"
        return ""


def files_of_the_readme() -> None:
    """What the commands of the README read; the other pages make their own files."""
    from pyarrow import csv, parquet

    import edgewise as ew

    returns = ew.datasets.load_sp500_returns(dates=True)[:2000]
    parquet.write_table(returns, "returns.parquet")
    csv.write_csv(returns.drop_columns("Date")[:1000], "before.csv")
    csv.write_csv(returns.drop_columns("Date")[1000:], "after.csv")


#: Pages whose blocks take long run in CI and `make validity`.
SLOW = {
    *("docs/api/command-line.md", "docs/report.md", "docs/theory/verdicts.md"),
    *(f"docs/howto/{name}.md" for name in ("causal_discovery", "cluster", "coming-from")),
    *(f"docs/howto/{name}.md" for name in ("covariates", "missing", "planning")),
}


# anndata asks pandas for an option that it knows by itself since version 3.
@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.validity) if page in SLOW else page
        for page, blocks in BLOCKS.items()
        if any(block.language in RUN for block in blocks)
    ],
)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page == "README.md":
        files_of_the_readme()
    Story(page).tell(BLOCKS[page])


def test_every_block_says_what_it_is_and_few_do_not_run():
    unknown, left_out = [], []
    for page, blocks in BLOCKS.items():
        for block in blocks:
            where = f"{page}:{block.line}: ```{block.info}"
            known = block.language in (*RUN, *SHOWN, "output")
            if not known or (block.info != block.language and not block.reason_not_to_run):
                unknown.append(where)
            if block.reason_not_to_run is not None:
                left_out.append(where)
    assert unknown == [], f"expected one of {RUN}, output, {SHOWN}"
    assert len(left_out) <= MOST_NOT_RUN, "\n".join(left_out)


class TestTheTestItself:
    def test_sees_what_is_wrong(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for story in (
            "```python\n1 / 0\n```",
            "```python\nprint(1)\n```\n\n```output\n2\n```",
            "```python\n>>> 1 + 1\n3\n```",
            "```bash\nfalse\n```",
            "```bash\necho a\n```\n```output\nb\n```",
            "```console\n$ echo a\nb\n```",
            "```output\nfrom nowhere\n```",
            "````{container}\n```python\n1 / 0\n```\n````",
            "1. a list\n\n   ```python\n   1 / 0\n   ```",
            "```python\nx = 1\n```\n```python\n>>> x\n2\n```",
        ):
            with pytest.raises((AssertionError, ZeroDivisionError)):
                Story("a page").tell(list(blocks_of(story)))

"""The README's Python example runs and prints what the README says."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_python_example_prints_what_the_readme_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples write files
    example, printed = re.search(
        r"```python\n(.*?)```\s+```\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    namespace = {}
    exec(compile(example, str(README), "exec"), namespace)
    assert capsys.readouterr().out == printed
    assert namespace["adjacency"].sum() == 2 * namespace["result"].n_edges
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    for block in blocks[1:]:
        exec(compile(block, str(README), "exec"), namespace)


def test_every_method_is_in_the_table():
    from edgewise.edges.registry import METHODS

    text = README.read_text(encoding="utf-8")
    assert all(f'| `"{name}"`' in text for name in METHODS)

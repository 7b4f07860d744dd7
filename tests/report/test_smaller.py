"""Smaller scripts and styles say the same."""

from __future__ import annotations

import re
import subprocess

import pytest

from edgewise.report import page
from edgewise.report.smaller import smaller_script, smaller_style


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ('  // A remark, with "quotes".\n  a = b + c;\n', "a=b+c;\n"),
        ("a = b + +c; d = e - -1; f++ + g;", "a=b + +c;d=e - -1;f++ +g;"),
        ('x = "a = b , c" + \'d : "e"\';', 'x="a = b , c"+\'d : "e"\';'),
        (
            'return /[",# ]/.test(s) ? `"${a ? `b ${ c } ` : "} `"} , d` : e;',
            'return /[",# ]/.test(s)?`"${a ? `b ${ c } ` : "} `"} , d`:e;',
        ),
        ("const f = (a) => a / b / c;", "const f=(a)=>a/b/c;"),
        ('s.replace(/ = /g, " = ");', 's.replace(/ = /g," = ");'),
        ("for (const a of b) if (c in d) return e;", "for(const a of b)if(c in d)return e;"),
        ("const t = `a\\`b { c } ${ {a: 1}.a } d`;", "const t=`a\\`b { c } ${ {a: 1}.a } d`;"),
    ],
)
def test_scripts(long, short):
    assert smaller_script(long) == short


def test_styles():
    text = "/* Why. */\n.a:hover, b > i {\n  margin: 0 1rem;\n  --c0: #fff;\n}\n"
    text += "@media (x: 1) { p { a: b } }\n"
    assert smaller_style(text) == ".a:hover,b > i{margin:0 1rem;--c0:#fff;}@media (x:1){p{a:b}}"


def test_our_own_script_has_the_sentences_of_its_files():
    whole = page.script()
    for name in page._SCRIPTS:
        text = re.sub(r"(?m)^\s*//.*$", "", page.own_file(f"script/{name}.js"))
        for words in re.findall(r'"([A-Z][a-z]+ [^"`$()\n]*)"', text):
            assert words in whole


def test_our_own_script_is_a_program(tmp_path):
    """Node reads it, where there is one; the browser tests run it."""
    file = tmp_path / "script.js"
    file.write_text(page.script(), encoding="utf-8")
    try:
        node = subprocess.run(["node", "--check", file], capture_output=True, check=False)
    except FileNotFoundError:
        return
    assert node.returncode == 0, node.stderr

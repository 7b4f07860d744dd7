"""Script and style without what only their readers need: comments, indentation, loose spaces.

Only for our own files, which keep to this: a comment has a line of its own, and no text goes over
several lines. Strings, template literals and regular expressions stay as they are.
"""

from __future__ import annotations

import re

_COMMENT_LINES = re.compile(r"^[ \t]*//.*\n|^/\*.*\*/\n", re.MULTILINE)
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_STRING = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
# A slash begins a regular expression where no value can have ended: after a sign or `return`.
_REGEX = (
    r"(?:(?<=[(,=:\[!&|?{};])[ ]?|(?<=\breturn ))"
    r"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"
)
_OPAQUE = re.compile(rf"{_STRING}|`|{_REGEX}")
_LOOSE = re.compile(r" ?([=+\-*/%<>!&|?:;,{}()\[\]]) ?")


def smaller_script(text: str) -> str:
    """The same program in fewer letters.

    Examples
    --------
    >>> print(smaller_script('// Why.\\n  const a = (b) => `x ${ b + 1 } y` + "c , d";\\n'))
    const a=(b)=>`x ${ b + 1 } y`+"c , d";
    """
    lines = _INDENTATION.sub("", _COMMENT_LINES.sub("", text))
    made, at = [], 0
    while (found := _OPAQUE.search(lines, at)) is not None:
        end = _end_of_template(lines, found.end()) if found[0] == "`" else found.end()
        made += [_tightened(lines[at : found.start()]), lines[found.start() : end]]
        at = end
    made.append(_tightened(lines[at:]))
    return "".join(made)


def smaller_style(text: str) -> str:
    """The same rules in fewer letters.

    Examples
    --------
    >>> print(smaller_style("/* Why. */\\na > b {\\n  margin: 0 1rem;\\n}\\n"), end="")
    a > b{margin:0 1rem;}
    """
    lines = _INDENTATION.sub("", _COMMENT_LINES.sub("", text))
    return re.sub(r"\s*([{};,])\s*|(?<=[a-z\d]):\s+", lambda found: found[1] or ":", lines)


def _tightened(code: str) -> str:
    """Code without the spaces around its signs, where none keeps two signs apart."""

    def tight(found: re.Match[str]) -> str:
        before, after = code[max(found.start() - 1, 0) : found.start()], code[found.end() :][:1]
        apart = found[1] in "+-" and found[1] in (before, after)
        return found[0] if apart else found[1]

    return _LOOSE.sub(tight, code)


def _end_of_template(text: str, at: int) -> int:
    """Where the template literal ends that began before `at`; those inside it count."""
    depth = 0
    while True:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif text.startswith("${", at):
            depth += 1
            at += 1
        elif letter == "{" and depth:
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
        elif letter == "`":
            if not depth:
                return at + 1
            at = _end_of_template(text, at + 1) - 1
        elif depth and (string := re.compile(_STRING).match(text, at)):
            at = string.end() - 1
        at += 1

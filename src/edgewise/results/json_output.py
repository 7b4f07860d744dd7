"""`to_json` of a result: its text, or a file of it."""

from __future__ import annotations

import json
import os
from typing import Any, overload

from edgewise._base.atomic import atomic_path


class WritesJson:
    """A result that can be written as JSON."""

    def _document(self) -> dict[str, Any]:
        raise NotImplementedError

    @overload
    def to_json(self, path: int | None = None, *, indent: int | None = None) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str], *, indent: int | None = None) -> None: ...
    def to_json(
        self, path: str | os.PathLike[str] | int | None = None, *, indent: int | None = None
    ) -> str | None:
        """The whole result as JSON, which `from_json` reads.

        JSON has neither NaN nor infinity: null is NaN, "Infinity" is a text, and a threshold of
        null is the infinite one. `json_schema` describes the document, where there is one.

        Parameters
        ----------
        path : str or path, optional
            A file to write, in UTF-8; it appears when it is complete. By default nothing is
            written, and the text is returned. A number stands for `indent`, which came first in
            older versions.
        indent : int, optional
            Spaces by which each level is indented; by default everything is on one line.

        Returns
        -------
        str or None
            The text; None if it was written to a file.
        """
        if isinstance(path, int):
            path, indent = None, path
        return text_or_file(json_text(self._document(), indent), path)


def text_or_file(text: str, path: str | os.PathLike[str] | None) -> str | None:
    """The text, or None after it was written to a file."""
    if path is None:
        return text
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    return None


def json_text(document: dict[str, Any], indent: int | None = None) -> str:
    """The document as text that any program can read; names are escaped only if they must be."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # A name that is not proper Unicode (half a surrogate pair) can still be escaped.
        return json.dumps(document, indent=indent, allow_nan=False)
    return text

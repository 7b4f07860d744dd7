"""The encoding of a text, worked out from its first bytes."""

from __future__ import annotations

import codecs

from edgewise._base.text import one_line
from edgewise.errors import DataError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SHOWN = 200  # bytes whose zeros tell of wide characters
# Bytes that Windows' own encoding does not know.
_UNDEFINED = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_CONTROLS = "\t\n\r\f\v\x1a\x1b"  # also the end of a file on MS-DOS, and colours
_LOOKED_AT = 1 << 16
_MOST_UNSEEN = 0.01  # the share of a text; a name may have some


def encoding_of(head: bytes, whole: bool) -> str:
    """The encoding: what the byte order mark says, or UTF-8 if it fits, or Windows', or Latin-1.

    Examples
    --------
    >>> encoding_of("a,b".encode("utf-16-be"), True), encoding_of("Größe".encode("latin-1"), True)
    ('utf-16-be', 'cp1252')
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    if (wide := _wide(head[:_SHOWN])) is not None:
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        return "latin-1" if any(byte in _UNDEFINED for byte in head) else "cp1252"
    return "utf-8"


def _wide(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: separators and digits have one byte that is not 0."""
    zeros = start.count(0)
    if 2 * zeros > len(start):
        for name, bytes_of_zero in (("utf-32-le", (2, 3)), ("utf-32-be", (0, 1))):
            if not any(byte for k in bytes_of_zero for byte in start[k::4]):
                return name
    if 4 * zeros <= len(start):
        return None
    return "utf-16-le" if start[1::2].count(0) > start[0::2].count(0) else "utf-16-be"


def decoded(head: bytes, encoding: str, whole: bool, where: str) -> str:
    """The first bytes as text; a character that is cut off at the end is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeError as error:
        raise DataError(
            f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
            "(encoding=... of read_table, --encoding)."
        ) from error


def refuse_binary(text: str, where: str) -> None:
    """Refuse what no text has: zeros, or many characters that nobody can see."""
    start = text[:_LOOKED_AT]
    unseen = [c for c in start if c < " " and c not in _CONTROLS]
    if "\0" in unseen or len(unseen) > _MOST_UNSEEN * len(start):
        strange = min(unseen)
        raise DataError(
            f"data: {where} is not text, because it holds the character {strange!r}; is it of the "
            "kind that its name says, and in the encoding that was named?"
        )

"""Looking at the head of a stream without losing it."""

from __future__ import annotations

import io
from typing import BinaryIO


class PeekedStream(io.RawIOBase):
    """A binary stream whose first bytes can be looked at before they are read."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._ahead = b""

    def head(self, size: int) -> bytes:
        """Up to `size` bytes from the front; they will be read again."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            whole, self._ahead = self._ahead + (self._stream.read() or b""), b""
            return whole
        if self._ahead:
            part, self._ahead = self._ahead[:size], self._ahead[size:]
            return part
        return self._stream.read(size) or b""

"""Bring a large file to the disk while it is still being written.

One sync at the end would wait for the disk after all the work; a thread that syncs on the way lets
both go on at the same time.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import BinaryIO

_EVERY = 48 << 20  # bytes between two syncs


class EarlySync:
    """Counts what is written to a stream, and syncs now and then."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._since = 0
        self._thread: threading.Thread | None = None

    def wrote(self, size: int) -> None:
        """Count; start a sync if there is much, and none is under way."""
        self._since += size
        if self._since < _EVERY or (self._thread is not None and self._thread.is_alive()):
            return
        self._since = 0
        self._stream.flush()
        self._thread = threading.Thread(target=self._sync, daemon=True)
        self._thread.start()

    def _sync(self) -> None:
        with suppress(OSError):  # the last sync reports what is wrong
            os.fsync(self._stream.fileno())

    def done(self) -> None:
        """Wait for a sync that is under way: its file may be closed after this."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def finish(self) -> None:
        """Bring the rest to the disk, so that no rename comes before its content."""
        self.done()
        self._stream.flush()
        os.fsync(self._stream.fileno())

"""What keeps a model_dir whole: one trainer at a time, a last checkpoint at SIGTERM."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def only_trainer(model_dir: str) -> Iterator[None]:
    """Holds a lock on the folder, which goes with the process, however that ends.

    File systems without locks, remote ones among them, are not guarded.

    Args:
      model_dir: The folder; it exists.

    Raises:
      RuntimeError: If someone else trains in it.
    """
    try:
        folder = os.open(model_dir, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        if fcntl is not None:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RuntimeError(
                    f"Another training{_holder(folder)} writes to model_dir {model_dir!r}: the two "
                    "would overwrite each other's checkpoints. Wait for it, end it, or give "
                    "another model_dir. In a cluster TF_CONFIG tells who is the only one to write."
                ) from None
            except OSError as e:
                tf.logging.debug("No lock on %s: %s", model_dir, e)
        yield
    finally:
        os.close(folder)


def _holder(folder: int) -> str:
    """Who holds the lock, where Linux tells."""
    found = os.fstat(folder)
    inode = f":{found.st_ino}"
    with contextlib.suppress(OSError), open("/proc/locks", encoding="ascii") as locks:
        for line in locks:
            fields = line.split()
            if "FLOCK" in fields and any(f.endswith(inode) for f in fields):
                return f" (process {fields[4]})"
    return ""


class Termination:
    """Whether SIGTERM has come; then the trainer saves before it dies of it.

    TF1 dies at once, with all that was trained since the last checkpoint. A handler of the
    program's own stays, and so does what it does.
    """

    def __init__(self) -> None:
        self.came = False
        self._installed = False

    def __enter__(self) -> Termination:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        ):
            signal.signal(signal.SIGTERM, self._come)
            self._installed = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._installed:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if self.came:
                os.kill(os.getpid(), signal.SIGTERM)

    def _come(self, number: int, frame: Any) -> None:
        self.came = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the next one ends it at once

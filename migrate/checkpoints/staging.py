"""Output that is there whole or not at all: written into a hidden folder beside, then renamed.

The index of a V2 checkpoint comes last, so that at no time a half one loads. What is replaced is
moved aside first and deleted last.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.engine.write import TEMPORARY, sync_folder

_SLACK = 1 << 20
_STATE = "checkpoint"
_INDEX = ".index"
_ASIDE = f"old{TEMPORARY}"


class Stage:
    """Where to write, until ``commit``."""

    def __init__(self, out: str, bundle: bool) -> None:
        self.out, self.bundle = out, bundle
        self.target = os.path.dirname(os.path.abspath(out))
        self.name = os.path.basename(out)
        self.folder = os.path.join(
            self.target, f".{self.name}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY}"
        )
        self.path = os.path.join(self.folder, self.name)
        self.made: list[str] = []

    def commit(self) -> None:
        """Put the finished files in place."""
        fresh = sorted(
            (name for name in os.listdir(self.folder) if not name.endswith(TEMPORARY)),
            key=_comes_last,
        )
        if self.bundle and (old := present(self.out, True)):
            aside = os.path.join(self.folder, _ASIDE)
            os.mkdir(aside)
            for path in sorted(old, key=_comes_last, reverse=True):
                os.rename(path, os.path.join(aside, os.path.basename(path)))
        for name in fresh:
            os.replace(os.path.join(self.folder, name), os.path.join(self.target, name))
        sync_folder(self.target)
        if self.bundle:
            self._state()

    def _state(self) -> None:
        """Name the checkpoint in its folder's `checkpoint`, as a Saver does, if there is none."""
        path = os.path.join(self.target, _STATE)
        quoted = self.name.replace("\\", "\\\\").replace('"', '\\"')
        text = f'model_checkpoint_path: "{quoted}"\nall_model_checkpoint_paths: "{quoted}"\n'
        with suppress(FileExistsError), open(path, "x", encoding="utf-8") as stream:
            stream.write(text)


def present(out: str, bundle: bool) -> list[str]:
    """Files that are there already under the name of an output."""
    found = [out] if os.path.lexists(out) and not (bundle and os.path.isdir(out)) else []
    if bundle:
        pattern = re.compile(re.escape(os.path.basename(out)) + r"\.data-\d{5}-of-\d{5}$")
        data = glob.glob(glob.escape(out) + ".data-?????-of-?????")
        found += sorted(path for path in data if pattern.search(path))
        if os.path.lexists(out + ".index"):
            found.append(out + ".index")
    return found


@contextmanager
def staged(out: str, *, bundle: bool, size: int, overwrite: bool) -> Iterator[Stage]:
    """A stage for ``size`` bytes; whatever ends the work before ``commit`` leaves nothing.

    Raises:
        Usage: the output is there already, and may not be replaced.
        CheckpointError: no room, or no right to write.
    """
    stage = Stage(out, bundle)
    _forget_dead(stage)
    there = present(out, bundle)
    if there and not overwrite:
        raise Usage(f"{there[0]} is there already; --overwrite replaces it")
    if not stage.name or os.path.isdir(out):
        raise Usage(f"{out}: a folder; give the name of a file or the prefix of a checkpoint")
    try:
        made = _make_folders(stage.target)
    except OSError as error:
        raise CheckpointError(f"{stage.target}: cannot be made: {error.strerror}") from None
    try:
        free = shutil.disk_usage(stage.target).free
        if free < size + _SLACK:
            raise CheckpointError(
                f"{stage.target}: {size + _SLACK:,} bytes are needed and {free:,} are free; "
                "nothing was written"
            )
        with _ended_by_signals():
            try:
                os.mkdir(stage.folder)
                yield stage
            finally:
                _remove(stage.folder)
    except OSError as error:
        raise CheckpointError(
            f"{out}: cannot be written: {error.strerror or error}; nothing was changed"
        ) from error
    finally:
        for folder in reversed(made):
            with suppress(OSError):
                os.rmdir(folder)


def _make_folders(target: str) -> list[str]:
    missing = []
    while not os.path.isdir(target):
        missing.append(target)
        target = os.path.dirname(target)
    made = []
    for folder in reversed(missing):
        os.mkdir(folder)
        made.append(folder)
    return made


def _comes_last(path: str) -> bool:
    """The file without which the others don't load."""
    return path.endswith(_INDEX)


def _remove(folder: str) -> None:
    """Remove a stage. An old checkpoint that no new one has replaced yet comes back first."""
    aside = os.path.join(folder, _ASIDE)
    with suppress(FileNotFoundError):
        names = sorted(os.listdir(aside), key=_comes_last)
        target = os.path.dirname(folder)
        if names and not os.path.lexists(os.path.join(target, _index_of(names))):
            for name in names:
                os.replace(os.path.join(aside, name), os.path.join(target, name))
    shutil.rmtree(folder, ignore_errors=True)


def _index_of(names: list[str]) -> str:
    """The index that belongs to some files of a checkpoint."""
    return re.sub(r"(\.index|\.data-\d{5}-of-\d{5})$", "", names[0]) + _INDEX


def _forget_dead(stage: Stage) -> None:
    """Remove what runs left that were killed; an old checkpoint that they moved comes back."""
    pattern = f".{glob.escape(stage.name)}.*-????????{TEMPORARY}"
    for folder in glob.glob(os.path.join(glob.escape(stage.target), pattern)):
        match = re.search(r"\.(\d+)-[0-9a-f]{8}" + re.escape(TEMPORARY) + "$", folder)
        if match and not _lives(int(match[1])):
            _remove(folder)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the work as Ctrl-C does, so that it is cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    names = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {name: signal.signal(name, end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)

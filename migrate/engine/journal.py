"""What a run wrote, so that ``migrate undo`` can give every file back, whenever the run died.

``.migrate/journal/RUN/manifest.jsonl`` gets a line, synced, before each file is replaced;
``RUN/before/SHA256`` holds what the file held. Nothing is ever restored over work done since.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from types import TracebackType
from typing import Any

from migrate import __version__
from migrate.engine import write
from migrate.engine.write import WriteError

FOLDER = ".migrate"
_MANIFEST = "manifest.jsonl"


class JournalError(Exception):
    """A journal that cannot be kept or is not there; the message says which."""


@dataclass(slots=True)
class Run:
    """A run that wrote files."""

    name: str  # its folder: time and process
    folder: str
    command: tuple[str, ...]
    time: str  # UTC, ISO 8601
    entries: list[dict[str, Any]]
    undone: bool

    @property
    def paths(self) -> list[str]:
        """The files that were written, each once, relative to the root where inside of it."""
        return list(dict.fromkeys(entry["path"] for entry in self.entries))


@dataclass(slots=True)
class Undone:
    """What ``undo`` did."""

    run: str
    restored: list[str] = field(default_factory=list)  # as before the run; created ones removed
    already: list[str] = field(default_factory=list)  # were as before the run
    refused: list[tuple[str, str]] = field(default_factory=list)  # path, reason


class Journal:
    """Records and does the writing of one run; its folder is made with the first file."""

    def __init__(self, root: str, command: Sequence[str] = ()) -> None:
        self.root = os.path.realpath(root)
        self.command = tuple(command)
        self.folder: str | None = None
        self._manifest: int | None = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more will be written; the journal stays."""
        if self._manifest is not None:
            os.close(self._manifest)
            self._manifest = None

    def replace(self, path: str, before: bytes, after: bytes) -> None:
        """Record and then do ``write_atomic``; WriteError where the file is refused."""
        if write.leaves(path, self.root):
            raise WriteError(f"a symbolic link that leaves {self.root}")
        if before == after:
            return
        temporary = write.temporary_name(path)
        self._keep(before)
        self._record(self._entry(os.path.realpath(path), before, after, temporary))
        with self._void_if_refused(temporary):
            write.write_atomic(path, before, after, root=self.root, temporary=temporary)

    def create(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Record and then write a file that must not exist, with its folders (``--out``)."""
        real = os.path.realpath(path)
        if write.leaves(path, self.root):
            raise WriteError(f"a symbolic link that leaves {self.root}")
        folders: list[str] = []
        parent = os.path.dirname(real)
        while not os.path.isdir(parent):
            folders.append(self._relative(parent))
            parent = os.path.dirname(parent)
        temporary = write.temporary_name(path)
        entry = self._entry(real, None, data, temporary)
        entry["folders"] = folders
        self._record(entry)
        with self._void_if_refused(temporary):
            try:
                os.makedirs(os.path.dirname(real), exist_ok=True)
            except OSError as error:
                raise WriteError(f"cannot make its folder: {error.strerror}") from error
            write.create_atomic(real, data, mode=mode, temporary=temporary)

    @contextmanager
    def _void_if_refused(self, temporary: str) -> Iterator[None]:
        try:
            yield
        except WriteError:
            self._append({"void": temporary})
            raise

    def _entry(
        self, real: str, before: bytes | None, after: bytes, temporary: str
    ) -> dict[str, Any]:
        return {
            "path": self._relative(real),
            "before": None if before is None else sha256(before).hexdigest(),
            "after": sha256(after).hexdigest(),
            "temporary": temporary,
        }

    def _relative(self, real: str) -> str:
        return os.path.relpath(real, self.root) if write.is_inside(real, self.root) else real

    def _start(self) -> str:
        if self.folder is not None:
            return self.folder
        try:
            home = _home(self.root)
            os.makedirs(home, exist_ok=True)
            ignore = os.path.join(self.root, FOLDER, ".gitignore")
            if not os.path.lexists(ignore):
                with open(ignore, "w", encoding="ascii") as stream:
                    stream.write("*\n")
            folder = _fresh_folder(home)
            os.mkdir(os.path.join(folder, "before"))
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._manifest = os.open(os.path.join(folder, _MANIFEST), flags, 0o600)
            write.sync_folder(home)
        except OSError as error:
            raise JournalError(f"cannot keep a journal in {FOLDER}: {error.strerror}") from error
        self.folder = folder
        self._append(
            {
                "version": 1,
                "tool": __version__,
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "command": self.command,
            }
        )
        return folder

    def _keep(self, before: bytes) -> None:
        """Store a file's bytes, durably, before anything happens to it."""
        _store(self._start(), before)

    def _record(self, entry: dict[str, Any]) -> None:
        self._start()
        self._append(entry)

    def _append(self, line: dict[str, Any]) -> None:
        if self._manifest is None:
            raise JournalError("the journal is closed")
        _append(self._manifest, line)


def list_runs(root: str) -> list[Run]:
    """The runs that wrote files below a root, oldest first."""
    home = _home(os.path.realpath(root))
    try:
        names = sorted(os.listdir(home))
    except FileNotFoundError:
        return []
    runs = []
    for name in names:
        folder = os.path.join(home, name)
        lines = list(_lines(os.path.join(folder, _MANIFEST)))
        if not lines:
            continue
        void = {line["void"] for line in lines if isinstance(line.get("void"), str)}
        entries = [
            line
            for line in lines
            if isinstance(line.get("path"), str) and line.get("temporary") not in void
        ]
        if entries:
            runs.append(
                Run(
                    name=name,
                    folder=folder,
                    command=tuple(str(word) for word in lines[0].get("command", ())),
                    time=str(lines[0].get("time", "")),
                    entries=entries,
                    undone=any("undone" in line for line in lines),
                )
            )
    return runs


def undo(root: str, run: str | None = None, *, force: bool = False) -> Undone:
    """Give the files of a run back: of the newest that has not been undone, or of the one named.

    A file edited since is refused unless forced; then what it held is kept in the journal.
    """
    root = os.path.realpath(root)
    chosen = _choose(list_runs(root), run, root)
    result = Undone(chosen.name)
    by_path: dict[str, list[dict[str, Any]]] = {}
    for entry in chosen.entries:
        by_path.setdefault(entry["path"], []).append(entry)
    for path, entries in by_path.items():
        changed = _try_restore(root, chosen, path, entries, force)
        if isinstance(changed, str):
            result.refused.append((path, changed))
        else:
            (result.restored if changed else result.already).append(path)
    _remove_folders(root, chosen.entries)
    if not result.refused:
        _append_to(chosen.folder, {"undone": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
    return result


def _choose(runs: list[Run], name: str | None, root: str) -> Run:
    if name is None:
        open_runs = [run for run in runs if not run.undone]
        if not open_runs:
            raise JournalError(f"there is no run to undo in {root}")
        return open_runs[-1]
    for run in runs:
        if run.name == name:
            return run
    raise JournalError(f"there is no run {name!r} in {root}")


def _try_restore(
    root: str, run: Run, path: str, entries: list[dict[str, Any]], force: bool
) -> bool | str:
    """As ``_restore``; the reason where it refuses or fails."""
    try:
        return _restore(root, run, path, entries, force)
    except (OSError, WriteError, JournalError) as error:
        return getattr(error, "reason", None) or str(error)


def _restore(root: str, run: Run, path: str, entries: list[dict[str, Any]], force: bool) -> bool:
    """Make one file what it was before the run; whether there was anything to do."""
    full = os.path.join(root, path)
    inside = write.is_inside(os.path.normpath(full), root)
    if (not inside or write.leaves(full, root)) and not force:
        # The journal may have come with the project: it must not reach out of it by itself.
        raise WriteError(f"the file is outside of {root}; pass --force to restore it")
    for entry in entries:
        name = os.path.basename(str(entry.get("temporary", "")))
        if name.startswith(".") and name.endswith(write.TEMPORARY):
            write.remove_quietly(os.path.join(os.path.dirname(full), name))
    original = entries[0]["before"]
    states = {original, *(entry["after"] for entry in entries)}
    try:
        with open(full, "rb") as stream:
            data = stream.read()
        present = sha256(data).hexdigest()
    except FileNotFoundError:
        data, present = b"", None
    if present == original:
        return False
    if present not in states:
        if not force:
            what = "deleted" if present is None else "edited"
            raise WriteError(f"the file was {what} since; pass --force to restore it all the same")
        if present is not None:
            _store(run.folder, data)
            _append_to(run.folder, {"discarded": present, "of": path})
    if original is None:
        os.unlink(full)
        write.sync_folder(os.path.dirname(full))
        return True
    before = _stored(run.folder, original)
    if present is None:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        write.create_atomic(full, before)
    else:
        write.write_atomic(full, data, before)
    return True


def _remove_folders(root: str, entries: list[dict[str, Any]]) -> None:
    """Remove the folders that were made for files, where they are empty again."""
    for entry in reversed(entries):
        with suppress(OSError):
            for folder in entry.get("folders", ()):
                os.rmdir(os.path.join(root, folder))


def _home(root: str) -> str:
    """Where a root's journals are; a link there could lead anywhere and is refused."""
    home = os.path.join(root, FOLDER, "journal")
    if os.path.islink(os.path.join(root, FOLDER)) or os.path.islink(home):
        raise JournalError(f"{home} is a symbolic link")
    return home


def _fresh_folder(home: str) -> str:
    while True:
        now = time.time()
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
        folder = os.path.join(home, f"{stamp}.{int(now % 1 * 1e6):06d}-{os.getpid()}")
        try:
            os.mkdir(folder)
        except FileExistsError:
            continue
        return folder


def _store(folder: str, data: bytes) -> None:
    name = sha256(data).hexdigest()
    path = os.path.join(folder, "before", name)
    if os.path.lexists(path):
        return
    try:
        write.create_atomic(path, data, mode=0o600)
    except WriteError as error:
        raise JournalError(f"cannot keep a copy in {folder}: {error.reason}") from error


def _stored(folder: str, name: str) -> bytes:
    if not isinstance(name, str) or len(name) != 64 or not name.isalnum():
        raise JournalError("the journal is damaged")
    with open(os.path.join(folder, "before", name), "rb") as stream:
        data = stream.read()
    if sha256(data).hexdigest() != name:
        raise JournalError("the journal's copy is damaged")
    return data


def _append(descriptor: int, line: dict[str, Any]) -> None:
    data = (json.dumps(line) + "\n").encode()
    try:
        if os.write(descriptor, data) != len(data):
            raise JournalError("the journal cannot be written: no space left")
        os.fsync(descriptor)
    except OSError as error:
        raise JournalError(f"the journal cannot be written: {error.strerror}") from error


def _append_to(folder: str, line: dict[str, Any]) -> None:
    # A line that was cut off by a crash must not swallow this one.
    path = os.path.join(folder, _MANIFEST)
    with open(path, "rb") as stream:
        torn = not stream.read().endswith(b"\n")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        if torn:
            os.write(descriptor, b"\n")
        _append(descriptor, line)
    finally:
        os.close(descriptor)


def _lines(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as stream:
            raw = stream.read()
    except OSError:
        return
    for part in raw.split(b"\n"):
        try:
            line = json.loads(part)
        except ValueError:  # cut off by a crash: what it announced never began
            continue
        if isinstance(line, dict):
            yield line

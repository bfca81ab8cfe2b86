"""Where ``upgrade`` writes: in place with a journal, into a folder, into one file."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import click

from migrate.commands.shared import note
from migrate.engine import names_file, write
from migrate.engine.findings import FileResult
from migrate.engine.journal import Journal, JournalError
from migrate.engine.options import Options
from migrate.engine.write import WriteError


class Target(Protocol):
    """Takes results one by one; what cannot be written becomes a failed result."""

    def take(self, result: FileResult) -> None: ...
    def finish(self) -> None: ...
    def interrupted(self) -> None: ...


def _failed(result: FileResult, reason: str) -> None:
    """What was to be fixed is not: say so, and keep the findings."""
    result.status, result.reason = "failed", reason
    result.left, result.fixed = [*result.left, *result.fixed], []
    result.before = result.after = None


class _Names:
    """The `migrate-names.json` of each folder that gets one, once its programs are written."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, list[dict[str, Any]]]] = {}

    def take(self, result: FileResult, target: str) -> None:
        """Remember the names of a program that was written there."""
        if result.names:
            folder = self._of.setdefault(names_file.beside(target), {})
            folder[os.path.basename(target)] = result.names

    def write(self, put: Callable[[str, bytes | None, bytes], None]) -> None:
        """Write them with ``put``: a path, its bytes before and after."""
        for path, programs in self._of.items():
            shown = os.path.relpath(path)
            try:
                before = None
                if os.path.lexists(path):
                    with open(path, "rb") as stream:
                        before = stream.read()
                after = names_file.merged(before, programs)
                if after is None:
                    note(f"{shown}: left alone: it isn't of an upgrade; move it and upgrade again")
                elif after != before:
                    put(path, before, after)
            except (OSError, WriteError, JournalError) as error:
                note(f"{shown}: not written: {getattr(error, 'reason', None) or error}")
        self._of.clear()


class InPlace:
    """The files themselves, each whole or not at all; the journal holds what they were."""

    def __init__(
        self, options: Options, paths: Sequence[str], allow_dirty: bool, allow_no_vcs: bool
    ) -> None:
        self._root = options.root
        _require_clean(options, paths, allow_dirty, allow_no_vcs)
        self._journal = Journal(options.root, ("migrate", *sys.argv[1:]))
        self._written = 0
        self._names = _Names()

    @property
    def run(self) -> str | None:
        """The run's name in the journal; None if nothing was written."""
        return os.path.basename(self._journal.folder) if self._journal.folder else None

    def take(self, result: FileResult) -> None:
        """Write a file that changed."""
        if result.status != "changed" or result.before is None or result.after is None:
            return
        try:
            self._journal.replace(
                os.path.join(self._root, result.path), result.before, result.after
            )
        except (WriteError, JournalError) as error:
            _failed(result, getattr(error, "reason", None) or str(error))
        else:
            self._written += 1
            self._names.take(result, os.path.join(self._root, result.path))

    def finish(self) -> None:
        """Write what TF 1 called variables, and close the journal."""
        self._names.write(self._put)
        self._journal.close()

    def _put(self, path: str, before: bytes | None, after: bytes) -> None:
        if before is None:
            self._journal.create(path, after)
        else:
            self._journal.replace(path, before, after)

    def interrupted(self) -> None:
        """Say what has been written so far."""
        self.finish()
        if self._written:
            note(f"{self._written} files were written; `migrate undo {self.run}` takes them back.")


def _require_clean(
    options: Options, paths: Sequence[str], allow_dirty: bool, allow_no_vcs: bool
) -> None:
    from migrate.engine import files, vcs

    if allow_dirty:  # git need not be asked: nothing in its answer could stop the run
        if not allow_no_vcs and any(vcs.worktree(_folder(path)) is None for path in paths):
            raise click.UsageError(vcs.ALLOW_NO_VCS.format(path=paths[0]))
        return
    found = files.discover(
        paths, root=options.root, include=options.include, exclude=options.exclude
    )
    targets = [getattr(item, "path", item) for item in found]
    changed = vcs.dirty(targets, options.root)
    if changed is None:
        if not allow_no_vcs:
            raise click.UsageError(vcs.ALLOW_NO_VCS.format(path=paths[0]))
    elif changed:
        listed = [f"    {path}" for path in changed[:10]]
        if len(changed) > 10:
            listed.append(f"    and {len(changed) - 10} more")
        raise click.UsageError(vcs.ALLOW_DIRTY.format(files="\n".join(listed)))


def _folder(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))


class _Elsewhere:
    """Writing apart from the input: files that are there already are replaced."""

    def __init__(self, options: Options) -> None:
        self._root = options.root
        self._names = _Names()

    def finish(self) -> None:
        """Write what TF 1 called variables."""
        self._names.write(lambda path, _, after: _place(path, after, 0o644))

    def _put(self, result: FileResult, target: str) -> None:
        source = os.path.join(self._root, result.path)
        try:
            data = result.after
            if data is None:
                with open(source, "rb") as stream:
                    data = stream.read()
            _place(target, data, stat.S_IMODE(os.stat(source).st_mode))
            self._names.take(result, target)
        except OSError as error:
            _failed(result, f"{target} cannot be written: {error.strerror or error}")
        except WriteError as error:
            _failed(result, f"{target}: {error.reason}")

    def interrupted(self) -> None:
        """Nothing of the user's own has been touched."""


def _place(target: str, data: bytes, mode: int) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.lexists(target):
        write.create_atomic(target, data, mode=mode)
        os.chmod(target, mode)
        return
    if os.path.islink(target):
        raise WriteError("a symbolic link stands there; remove it first")
    with open(target, "rb") as stream:
        before = stream.read()
    if before != data:
        write.write_atomic(target, before, data)


class IntoFile(_Elsewhere):
    """``--infile A --outfile B``."""

    def __init__(self, options: Options, target: str) -> None:
        super().__init__(options)
        self._target = os.path.abspath(target)

    def take(self, result: FileResult) -> None:
        """Write the one file."""
        self._put(result, self._target)


class IntoFolder(_Elsewhere):
    """``--out DIR``: a tree beside the first, that runs as it stands."""

    def __init__(
        self, options: Options, paths: Sequence[str], folder: str, copy_other_files: bool
    ) -> None:
        super().__init__(options)
        self._folder = os.path.abspath(folder)
        self._paths = [os.path.abspath(path) for path in paths]
        parents = [path if os.path.isdir(path) else os.path.dirname(path) for path in self._paths]
        self._base = os.path.commonpath(parents)
        self._copy = copy_other_files
        self._seen: set[str] = set()
        real = os.path.realpath(self._folder)
        for path in self._paths:
            source = os.path.realpath(path)
            if write.is_inside(real, source):
                raise click.UsageError(
                    f"--out {folder} lies inside {os.path.relpath(path)}, which is read; "
                    "name a folder beside it, or leave --out out to rewrite in place."
                )
            if write.is_inside(source, real):
                raise click.UsageError(
                    f"--out {folder} holds {os.path.relpath(path)}, which is read; "
                    "name another folder."
                )

    def take(self, result: FileResult) -> None:
        """Write one file, changed or not."""
        source = os.path.join(self._root, result.path)
        self._seen.add(os.path.normpath(source))
        self._put(result, self._target(source))

    def finish(self) -> None:
        """Copy the rest, if asked."""
        super().finish()
        if not self._copy:
            return
        for path in self._paths:
            if os.path.isdir(path):
                self._copy_folder(path)

    def _copy_folder(self, folder: str) -> None:
        from migrate.engine.journal import FOLDER

        skipped = {".git", ".hg", ".svn", "__pycache__", FOLDER, ".migrate_cache"}
        for parent, folders, files in os.walk(folder):
            links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
            folders[:] = [name for name in folders if name not in skipped and name not in links]
            os.makedirs(self._target(parent), exist_ok=True)
            for name in (*files, *links):
                source = os.path.join(parent, name)
                if source not in self._seen:
                    self._copy_one(source)

    def _copy_one(self, source: str) -> None:
        target = self._target(source)
        try:
            if os.path.islink(source):
                self._copy_link(source, target)
            elif os.path.isfile(source):
                if os.path.islink(target):
                    raise WriteError("a symbolic link stands there; remove it first")
                shutil.copy2(source, target)
            else:
                note(f"{os.path.relpath(source)}: not copied: not a regular file")
        except OSError as error:
            note(f"{os.path.relpath(source)}: not copied: {error.strerror or error}")
        except WriteError as error:
            note(f"{os.path.relpath(source)}: not copied: {error.reason}")

    def _copy_link(self, source: str, target: str) -> None:
        text = os.readlink(source)
        leads = os.path.normpath(os.path.join(os.path.dirname(source), text))
        if os.path.isabs(text) or not write.is_inside(leads, self._base):
            raise WriteError(f"a symbolic link that leaves {self._base}")
        if not os.path.lexists(target):
            os.symlink(text, target)

    def _target(self, source: str) -> str:
        return os.path.normpath(os.path.join(self._folder, os.path.relpath(source, self._base)))

"""Which files a run is about: folders searched, symlinks kept inside the root."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence

SUFFIXES = (".py", ".ipynb")
SKIPPED_FOLDERS = frozenset(
    (
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".migrate",
        ".migrate_cache",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "build",
        "node_modules",
        "site-packages",
        "venv",
    )
)


class PathError(Exception):
    """A path given on the command line that cannot be meant; the message names it."""


def discover(
    paths: Iterable[str],
    *,
    root: str,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    respect_gitignore: bool = True,
    refused: Callable[[str, str], None] | None = None,
) -> Iterator[str]:
    """The files to work on as absolute paths, sorted, each once.

    Files that are named are taken whatever they are called if they are Python by their first line;
    in folders those with a suffix of Python or a notebook, or that fit ``include``. ``exclude``
    holds for both: a pre-commit hook names every file. What may not be touched is given to
    ``refused`` as (path, reason). A path that does not exist raises PathError.
    """
    top = os.path.abspath(root)
    real_top = os.path.realpath(root)
    refuse = refused or (lambda path, reason: None)
    named: list[str] = []
    found: dict[str, bool] = {}  # path -> whether it was named itself
    bases = [real_top]
    for given in paths:
        path = os.path.abspath(given)
        if not os.path.lexists(path):
            raise PathError(f"no such file or folder: {given}")
        named.append(path)
        if not _inside(path, top):
            bases.append(os.path.realpath(path))  # outside by the user's own word
    for path in named:
        if not os.path.isdir(path):
            found[path] = True
            continue
        if not _allowed(os.path.realpath(path), bases):
            refuse(path, f"a symbolic link that leaves {top}")
            continue
        for inner in _search(path, include, exclude, top, respect_gitignore):
            found.setdefault(inner, False)
    real_paths: dict[str, str] = {}
    for path in sorted(found, key=lambda path: (os.path.islink(path), path)):
        if exclude and _matches(path, top, exclude):
            continue
        reason = _refusal(path, found[path], include, top)
        real = os.path.realpath(path)
        if not reason and not _allowed(real, bases):
            reason = f"a symbolic link that leaves {top}"
        if reason:
            refuse(path, reason)
        else:
            real_paths.setdefault(real, path)
    yield from sorted(real_paths.values())


def _search(
    folder: str, include: Sequence[str], exclude: Sequence[str], top: str, gitignore: bool
) -> Iterator[str]:
    """The files below a folder that are Python or notebooks by their name."""
    listed = None
    if gitignore:
        from migrate.engine import vcs

        listed = vcs.list_files(folder)
    if listed is None:
        listed = _walk(folder, exclude, top)
    for name in listed:
        path = os.path.join(folder, name)
        if not SKIPPED_FOLDERS.isdisjoint(name.split(os.sep)[:-1]):
            continue
        if name.endswith(os.sep) or (gitignore and _is_folder(path)):
            # Another repository inside this one: git names it and does not look into it.
            if os.path.basename(path.rstrip(os.sep)) not in SKIPPED_FOLDERS:
                yield from _search(path.rstrip(os.sep), include, exclude, top, gitignore)
        elif _wanted(path, include, top):
            yield path


def _is_folder(path: str) -> bool:
    """Whether this is a folder itself; not a link to one, which is never followed."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _walk(folder: str, exclude: Sequence[str], top: str) -> list[str]:
    names: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if name not in SKIPPED_FOLDERS
            and not (exclude and _matches(os.path.join(parent, name), top, exclude))
        ]
        prefix = os.path.relpath(parent, folder)
        names += files if prefix == "." else [os.path.join(prefix, name) for name in files]
    return names


def _wanted(path: str, include: Sequence[str], top: str) -> bool:
    if not (_matches(path, top, include) if include else path.endswith(SUFFIXES)):
        return False
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # tracked by git but deleted
        return False
    return stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and not os.path.isdir(path))


def _refusal(path: str, named: bool, include: Sequence[str], top: str) -> str:
    """Why a file is not to be read at all; empty if it is."""
    if not os.path.exists(path):
        return "a symbolic link to nothing"
    if not os.path.isfile(path):
        return "not a regular file"
    if not named or path.endswith(SUFFIXES) or (include and _matches(path, top, include)):
        return ""
    try:
        with open(path, "rb") as stream:
            first = stream.readline(200)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if first.startswith(b"#!") and b"python" in first:
        return ""
    return "neither a Python file nor a notebook"


def _matches(path: str, top: str, patterns: Sequence[str]) -> bool:
    """Whether a path, relative to the root, fits one of the globs."""
    from migrate.engine.options import path_matches

    relative = os.path.relpath(path, top).replace(os.sep, "/")
    return any(path_matches(relative, pattern) for pattern in patterns)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _allowed(real: str, bases: Iterable[str]) -> bool:
    return any(_inside(real, base) for base in bases)

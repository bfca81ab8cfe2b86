"""What git says about files: which are there, and which have changes not committed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

ALLOW_DIRTY = (
    "these files have changes that are not committed, which an upgrade in place would mix with "
    "its own:\n{files}\ncommit or stash them, or pass --allow-dirty"
)
ALLOW_NO_VCS = (
    "no git repository was found for {path}, so an upgrade in place could only be taken back by "
    "`migrate undo`; pass --allow-no-vcs to go on"
)


def worktree(folder: str) -> str | None:
    """The top of the git working tree that a folder is in; found without running git."""
    folder = os.path.realpath(folder)
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def git(folder: str, *arguments: str) -> bytes | None:
    """What a git command prints; None where there is no git or it fails.

    The repository's settings may name programs to run: those that such commands read are off.
    """
    import subprocess

    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in _REPOSITORY_VARIABLES and not name.startswith("GIT_CONFIG")
    }
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


# Set by git for its hooks; they would point every command at the repository of the hook.
_REPOSITORY_VARIABLES = frozenset(
    ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")
)


def list_files(folder: str) -> list[str] | None:
    """The files below a folder that git tracks or would add, relative to it; None: not in git."""
    if worktree(folder) is None:
        return None
    listed = git(folder, "ls-files", "-co", "--exclude-standard", "-z", "--", ".")
    if listed is None:
        return None
    if not listed and git(folder, "check-ignore", "-q", ".") is not None:
        return None  # an ignored folder that was named: all of it is meant
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})


def dirty(paths: Iterable[str], root: str) -> list[str] | None:
    """The files below ``paths`` with changes that are not committed, relative to the root.

    None where one of the paths is in no git repository (or git cannot be run), as for a path in a
    repository's ignored part, which git could not give back either. Untracked files count.
    """
    found: set[str] = set()
    for top, names in _by_worktree(paths).items():
        if top is None:
            return None
        for start in range(0, len(names), 500):
            part = names[start : start + 500]
            status = git(top, "status", "--porcelain", "-z", "--untracked-files=all", "--", *part)
            if status is None:
                return None
            plain = [name.removeprefix(":(literal)") for name in part]
            if git(top, "check-ignore", "-q", "--", *(f"./{name}" for name in plain)) is not None:
                return None
            found.update(os.path.join(top, name) for name in _status_names(status))
    base = os.path.realpath(root)
    return sorted(os.path.relpath(path, base) for path in found)


def _by_worktree(paths: Iterable[str]) -> dict[str | None, list[str]]:
    """Which paths are in which working tree, as absolute pathspecs."""
    groups: dict[str | None, list[str]] = {}
    tops: dict[str, str | None] = {}
    for path in paths:
        real = os.path.realpath(path)
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        if folder not in tops:
            tops[folder] = worktree(folder)
        top = tops[folder]
        name = os.path.relpath(real, top) if top else real
        groups.setdefault(top, []).append(":(literal)" + name if name != "." else ".")
    return groups


def _status_names(status: bytes) -> Sequence[str]:
    """The paths in ``git status --porcelain -z``; a rename names two."""
    names: list[str] = []
    fields = iter(status.split(b"\0"))
    for field in fields:
        if not field:
            continue
        names.append(os.fsdecode(field[3:]))
        if field[:1] in b"RC":
            next(fields, None)
    return names

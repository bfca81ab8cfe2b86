"""A folder for one run: a copy of the program's folder to work in, and what the run wrote there."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

SKIPPED = {
    "__pycache__", "node_modules", "venv", ".venv", ".git", ".hg", ".svn", ".tox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".hypothesis", ".migrate_cache",
}  # fmt: skip
COPY_BYTES = 16 * 2**20
TOTAL_BYTES = 256 * 2**20
ENTRIES = 20_000
KEEP_BYTES = 8 * 2**20
KEEP_TOTAL = 64 * 2**20

Stamp = tuple[int, int, int]


def mirror(source: Path, target: Path) -> list[str]:
    """Copy a folder so that a program can work in it; returns notes on what was only linked.

    Files above 16 MiB, and what comes after 256 MiB or 20,000 entries, become symbolic links: a
    program that overwrites such a file in place overwrites the original, as it would without us.
    """
    notes: list[str] = []
    copied = entries = linked = 0
    target.mkdir(parents=True, exist_ok=True)
    for root, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        relative = Path(root).relative_to(source)
        for name in folders:
            (target / relative / name).mkdir(exist_ok=True)
        for name in sorted(names):
            entries += 1
            path, place = Path(root) / name, target / relative / name
            try:
                status = path.stat()
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            if entries > ENTRIES:
                notes.append(f"only the first {ENTRIES} files of {source} are in its working copy")
                return notes
            if status.st_size > COPY_BYTES or copied + status.st_size > TOTAL_BYTES:
                place.symlink_to(path.resolve())
                linked += 1
            else:
                shutil.copy2(path, place)
                copied += status.st_size
    if linked:
        notes.append(f"{linked} large files of {source} are linked, not copied")
    return notes


def manifest(folder: Path) -> dict[str, Stamp]:
    """Regular files below a folder: size, time of change and inode of each."""
    found: dict[str, Stamp] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            try:
                status = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                key = path.relative_to(folder).as_posix()
                found[key] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def written(folder: Path, before: dict[str, Stamp]) -> tuple[dict[str, bytes], list[str]]:
    """Files that are new or changed since ``before``, and notes on those too large to keep."""
    files: dict[str, bytes] = {}
    notes: list[str] = []
    total = 0
    for key, stamp in sorted(manifest(folder).items()):
        if before.get(key) == stamp or "__pycache__/" in key:
            continue
        if stamp[0] > KEEP_BYTES or total + stamp[0] > KEEP_TOTAL:
            notes.append(f"{key} ({stamp[0]} bytes) was written but is too large to be compared")
            continue
        total += stamp[0]
        try:
            files[key] = (folder / key).read_bytes()
        except OSError as error:
            notes.append(f"{key} was written but can't be read: {error}")
    return files, notes


def unpack(files: dict[str, bytes], folder: Path) -> None:
    """Write files of a bundle below a folder; paths that would leave it are refused."""
    root = folder.resolve()
    for key, data in files.items():
        path = (root / key).resolve()
        if not path.is_relative_to(root):
            raise ValueError(f"a bundle holds the path {key!r}, which leaves its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

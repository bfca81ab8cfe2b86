"""Files written whole or not at all: a temporary file beside, synced, renamed over the old one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from migrate.engine.source import SourceError

TEMPORARY = ".migrate-tmp"  # the suffix of temporary files; their names begin with a dot


class WriteError(SourceError):
    """A file that may not or cannot be written; it is as it was."""


def write_atomic(
    path: str, before: bytes, after: bytes, *, root: str | None = None, temporary: str = ""
) -> None:
    """Replace a file's content, which must still be ``before``; mode and owner stay.

    A symbolic link is followed and stays a link; one that leaves the root is refused. Whatever
    goes wrong, and whenever the process dies, the file holds either ``before`` or ``after``.
    """
    real = os.path.realpath(path)
    if root is not None and leaves(path, root):
        raise WriteError(f"a symbolic link that leaves {os.path.abspath(root)}")
    try:
        status = os.stat(real)
        if not stat.S_ISREG(status.st_mode):
            raise WriteError("not a regular file")
        if not status.st_mode & 0o222 or not os.access(real, os.W_OK):
            raise WriteError("the file is read-only")
        _require(real, before)
        folder = os.path.dirname(real)
        scratch = os.path.join(folder, temporary or temporary_name(real))
        try:
            _write_scratch(scratch, after, status)
            _require(real, before)
            os.replace(scratch, real)
        except BaseException:
            remove_quietly(scratch)
            raise
        sync_folder(folder)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from error


def create_atomic(path: str, data: bytes, *, mode: int = 0o644, temporary: str = "") -> None:
    """Write a file that must not exist yet; its folder must."""
    folder = os.path.dirname(os.path.abspath(path))
    scratch = os.path.join(folder, temporary or temporary_name(path))
    try:
        try:
            _write_scratch(scratch, data, None, mode)
            try:
                os.link(scratch, path)  # unlike a rename, fails where the name is taken
            except FileExistsError:
                raise WriteError("the file exists already") from None
            except OSError:  # a file system without hard links
                if os.path.lexists(path):
                    raise WriteError("the file exists already") from None
                os.replace(scratch, path)
        finally:
            remove_quietly(scratch)
        sync_folder(folder)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from error


def leaves(path: str, root: str) -> bool:
    """Whether a path that is named inside of the root leads out of it by a symbolic link."""
    top = os.path.realpath(root)
    if is_inside(os.path.realpath(path), top):
        return False
    named = os.path.abspath(path)
    while (parent := os.path.dirname(named)) != named:
        if os.path.realpath(parent) == top:
            return True
        named = parent
    return False


def is_inside(path: str, folder: str) -> bool:
    """Whether one absolute path is the other or below it, by name."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def temporary_name(path: str) -> str:
    """A fresh name for a temporary file, without its folder."""
    stem = os.fsencode(os.path.basename(path))[:100].decode("ascii", "ignore")
    return f".{stem}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY}"


def remove_quietly(path: str) -> None:
    """Remove a file if it is there."""
    with suppress(OSError):
        os.unlink(path)


def sync_folder(folder: str) -> None:
    """Make a rename in a folder durable, where the system can."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _require(real: str, before: bytes) -> None:
    with open(real, "rb") as stream:
        if stream.read() != before:
            raise WriteError("the file changed while it was worked on")


def _write_scratch(
    scratch: str, data: bytes, like: os.stat_result | None, mode: int = 0o644
) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    flags |= getattr(os, "O_BINARY", 0)
    descriptor = os.open(scratch, flags, 0o600 if like is not None else mode)
    with open(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        if like is not None:
            if hasattr(os, "fchown"):
                made = os.fstat(descriptor)
                if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                    with suppress(OSError):
                        os.fchown(descriptor, like.st_uid, like.st_gid)
            os.chmod(scratch, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)

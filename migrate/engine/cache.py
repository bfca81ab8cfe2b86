"""Results by content: an unchanged file in an unchanged setting is not looked at again.

Entries are JSON in files named by their key. Losing one costs time only: writes are atomic but
not synced, and whatever does not read back as it was written counts as not there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

FOLDER = ".migrate_cache"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by migrate; can be deleted.\n"


class Cache:
    """The cache of one root; a cache without a folder never holds anything."""

    def __init__(self, folder: str | None, setting: str, *, limit: int = 64_000_000) -> None:
        self.folder = folder
        self.limit = limit  # in bytes; beyond it the oldest entries go
        self.hits = self.misses = 0
        self._setting = setting.encode()
        self._stored = 0

    def key(self, data: bytes, *more: str) -> str:
        """The key of a file's content; ``more`` is what else its result depends on."""
        from hashlib import sha256

        digest = sha256(self._setting)
        for part in more:
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(raw))
            digest.update(raw)
        digest.update(b"|")
        digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> Any | None:
        """The value stored under a key; None where there is none."""
        value = self._read(key)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
        return value

    def put(self, key: str, value: Any) -> None:
        """Store a JSON value, which may not be None; silently nothing where that fails."""
        if self.folder is None:
            return
        import json
        from zlib import crc32

        body = json.dumps(value, separators=(",", ":")).encode()
        path = self._path(key)
        scratch = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(scratch, "xb") as stream:
                stream.write(b"%08x\n" % crc32(body) + body)
            os.replace(scratch, path)
        except OSError:
            with suppress(OSError):
                os.unlink(scratch)
            return
        self._stored += len(body)

    def close(self) -> None:
        """Keep the folder bounded, if this run has added to it."""
        if self._stored and self.folder is not None:
            self._stored = 0
            prune(self.folder, self.limit)

    def _path(self, key: str) -> str:
        return os.path.join(self.folder or "", key[:2], key[2:])

    def _read(self, key: str) -> Any | None:
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            with open(path, "rb") as stream:
                raw = stream.read()
                age = os.fstat(stream.fileno()).st_mtime
        except OSError:
            return None
        import json
        import time
        from zlib import crc32

        head, _, body = raw.partition(b"\n")
        try:
            if int(head, 16) != crc32(body):
                return None
            value = json.loads(body)
        except ValueError:
            return None
        if time.time() - age > 86_400:  # in use: not among the oldest
            with suppress(OSError):
                os.utime(path)
        return value


def open_cache(root: str, digest: str, *, enabled: bool = True) -> Cache:
    """The cache of a root for options with this digest, in this version of tool and Python.

    In ``.migrate_cache``, or in the user's cache folder where the root is read-only.
    """
    import sys

    from migrate import __version__

    if not enabled:
        return Cache(None, "")
    version = (__version__, *state_of(os.path.dirname(os.path.dirname(__file__))))
    setting = repr((2, version, sys.version_info[:3], digest))
    return Cache(_folder(os.path.realpath(root)), setting)


def state_of(package: str) -> tuple[int, ...]:
    """What tells one state of a checkout's code from another; nothing of an installed package.

    A release has its version; who works on the tool would be shown what it did before.
    """
    if not os.path.exists(os.path.join(os.path.dirname(package), "pyproject.toml")):
        return ()
    stamps = [
        os.stat(os.path.join(parent, name)).st_mtime_ns
        for parent, _, names in os.walk(package)
        for name in names
        if name.endswith((".py", ".json", ".txt"))
    ]
    return (len(stamps), max(stamps, default=0))


def prune(folder: str, limit: int) -> None:
    """Remove the entries longest unused until what stays is well below the limit."""
    entries: list[tuple[float, int, str]] = []
    total = 0
    for parent, _, names in os.walk(folder):
        if parent == folder:
            continue
        for name in names:
            path = os.path.join(parent, name)
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError:
                continue
            entries.append((status.st_mtime, status.st_size, path))
            total += status.st_size
    if total <= limit:
        return
    for _, size, path in sorted(entries):
        try:
            os.unlink(path)
        except OSError:
            continue
        total -= size
        if total <= limit * 3 // 4:
            return


def _folder(root: str) -> str | None:
    for folder in (os.path.join(root, FOLDER), _user_folder(root)):
        if os.path.islink(folder):  # could lead anywhere
            continue
        if os.path.isdir(folder) and os.access(folder, os.W_OK):
            return folder
        try:
            os.makedirs(folder)
            for name, content in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as stream:
                    stream.write(content)
        except OSError:
            continue
        return folder
    return None


def _user_folder(root: str) -> str:
    from hashlib import sha256

    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    name = sha256(os.fsencode(root)).hexdigest()[:16]
    return os.path.join(base, "migrate", name)

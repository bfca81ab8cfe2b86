from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.engine import cache as module
from migrate.engine.cache import Cache, open_cache, prune


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if path.is_file()]


def test_round_trip(tmp_path: Path) -> None:
    cache = open_cache(str(tmp_path), "options")
    key = cache.key(b"x = 1\n", "a.py")
    assert cache.get(key) is None
    cache.put(key, {"findings": ["ü\ud800", 3]})
    assert cache.get(key) == {"findings": ["ü\ud800", 3]}
    assert (cache.hits, cache.misses) == (1, 1)
    assert open_cache(str(tmp_path), "options").get(key) is not None
    assert (tmp_path / ".migrate_cache/.gitignore").read_text() == "*\n"
    assert (tmp_path / ".migrate_cache/CACHEDIR.TAG").read_text().startswith("Signature: 8a47")


def test_keys_tell_everything_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = open_cache(str(tmp_path), "options")
    keys = {
        cache.key(b"x"),
        cache.key(b"y"),
        cache.key(b"x", "a"),
        cache.key(b"x", "a", ""),
        cache.key(b"x", "", "a"),
        cache.key(b"ax"),
        cache.key(b"1:ax"),
        open_cache(str(tmp_path), "other").key(b"x"),
    }
    monkeypatch.setattr("migrate.__version__", "9")
    keys.add(open_cache(str(tmp_path), "options").key(b"x"))
    assert len(keys) == 9


def test_disabled() -> None:
    cache = open_cache("/nowhere", "options", enabled=False)
    cache.put(cache.key(b""), 1)
    assert cache.get(cache.key(b"")) is None
    cache.close()


@pytest.mark.parametrize("damage", [b"", b"x", b"00000000\n1", b"\xff\n[1]", b"83dcefb7\n1 "])
def test_damaged_entries_are_not_there(tmp_path: Path, damage: bytes) -> None:
    cache = open_cache(str(tmp_path), "options")
    key = cache.key(b"")
    cache.put(key, [1])
    [path] = entries(tmp_path / ".migrate_cache")
    path.write_bytes(damage)
    assert cache.get(key) is None
    cache.put(key, [2])
    assert cache.get(key) == [2]


def test_every_damaged_byte_is_seen(tmp_path: Path) -> None:
    cache = open_cache(str(tmp_path), "options")
    key = cache.key(b"")
    cache.put(key, {"a": [1, 2, 3]})
    [path] = entries(tmp_path / ".migrate_cache")
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert cache.get(key) in (None, {"a": [1, 2, 3]})
        path.write_bytes(data[:at])
        assert cache.get(key) is None


def test_bounded(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path), "x", limit=1000)
    keys = [cache.key(b"%d" % n) for n in range(20)]
    for n, key in enumerate(keys):
        cache.put(key, "x" * 100)
        os.utime(tmp_path / key[:2] / key[2:], (n, n))
    assert cache.get(keys[0]) == "x" * 100  # used: no longer the oldest
    cache.close()
    kept = [key for key in keys if cache.get(key) is not None]
    assert kept == [keys[0], *keys[-len(kept) + 1 :]]
    assert 3 <= len(kept) <= 7
    prune(str(tmp_path / "missing"), 0)


def test_unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    cache = open_cache(str(tmp_path / "file"), "options")
    assert cache.folder is not None
    assert cache.folder.startswith(str(tmp_path / "xdg/migrate"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache = open_cache(str(tmp_path / "file"), "options")
    assert cache.folder is None
    cache = Cache(str(tmp_path / "file"), "x")
    cache.put(cache.key(b""), 1)
    assert cache.get(cache.key(b"")) is None


def test_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "other").mkdir()
    (tmp_path / module.FOLDER).symlink_to("other")
    cache = open_cache(str(tmp_path), "options")
    assert cache.folder is not None
    assert cache.folder.startswith(str(tmp_path / "home/.cache/migrate"))


WRITER = """
import sys
from migrate.engine.cache import open_cache
cache = open_cache(sys.argv[1], "x")
cache.limit = 20_000
for n in range(200):
    key = cache.key(b"%d" % (n % 50))
    value = cache.get(key)
    assert value in (None, [str(n % 50)] * 100), value
    cache.put(key, [str(n % 50)] * 100)
    if n % 20 == 0:
        cache.close()
"""


def test_several_processes_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-c", WRITER, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    running = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert not list((tmp_path / ".migrate_cache").glob("*/*.tmp"))


def test_a_checkout_s_code_is_a_part_of_the_key(tmp_path: Path) -> None:
    package = tmp_path / "tool"
    (package / "rules").mkdir(parents=True)
    rule = package / "rules" / "rule.py"
    rule.write_text("")
    assert module.state_of(str(package)) == ()  # installed: its version says it
    (tmp_path / "pyproject.toml").write_text("")
    first = module.state_of(str(package))
    assert first == module.state_of(str(package))
    os.utime(rule, ns=(0, rule.stat().st_mtime_ns + 10**9))
    second = module.state_of(str(package))
    (package / "data.json").write_text("{}")
    os.utime(package / "data.json", ns=(0, 0))
    assert len({first, second, module.state_of(str(package))}) == 3

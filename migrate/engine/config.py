"""``[tool.migrate]`` of the nearest pyproject.toml. Nothing in it is guessed or passed over."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.options import SELECTOR

LEVELS = ("native", "compat")
TARGETS = ("estimator", "keras")
KERAS = ("3", "legacy")


class ConfigError(ValueError):
    """A setting that is not understood; the message names file, key and what was received."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project; None where the file says nothing."""

    path: str | None = None  # the pyproject.toml
    level: str | None = None
    to: str | None = None
    keras: str | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    unsafe: bool | None = None
    jobs: int | None = None
    baseline: str | None = None  # absolute
    extra: Mapping[str, Any] = field(default_factory=dict)  # other rooms' tables, unread here

    @property
    def folder(self) -> str | None:
        """The folder that relative paths and globs in the file start from."""
        return None if self.path is None else os.path.dirname(self.path)


def find(start: str) -> Config:
    """Read the settings that hold for ``start``: the nearest pyproject.toml with [tool.migrate]."""
    folder = os.path.abspath(start)
    while True:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path) and (config := load(path)) is not None:
            return config
        parent = os.path.dirname(folder)
        if parent == folder:
            return Config()
        folder = parent


def load(path: str) -> Config | None:
    """Read one pyproject.toml; None if it has no [tool.migrate]."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if b"migrate" not in data:  # most files: not worth a TOML parser at start-up
        return None
    table = _table(path, data)
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.migrate] is not a table. Received: {table!r}")
    for key in table:
        if key not in _READERS and key not in _OTHERS:
            raise ConfigError(_unknown(path, key))
    values = {
        key.replace("-", "_"): read(_Setting(path, key), table[key])
        for key, read in _READERS.items()
        if key in table
    }
    extra = {key: table[key] for key in _OTHERS if key in table}
    return Config(path=os.path.abspath(path), extra=extra, **values)


def _table(path: str, data: bytes) -> Any:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,unused-ignore,no-redef]
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    tool = document.get("tool", {})
    return tool.get("migrate") if isinstance(tool, dict) else None


def _unknown(path: str, key: str) -> str:
    import difflib

    known = sorted((*_READERS, *_OTHERS))
    close = difflib.get_close_matches(key.replace("_", "-"), known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else f" Known keys: {', '.join(known)}."
    return f"{path}: [tool.migrate] has no key {key!r}.{hint}"


@dataclass(slots=True, eq=False, repr=False)
class _Setting:
    path: str
    key: str

    def wrong(self, wanted: str, received: object) -> ConfigError:
        return ConfigError(
            f"{self.path}: [tool.migrate] {self.key} must be {wanted}. Received: {received!r}"
        )


def _one_of(choices: Sequence[str]) -> Callable[[_Setting, Any], str]:
    def read(setting: _Setting, value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise setting.wrong("one of " + ", ".join(map(repr, choices)), value)
        return value

    return read


def _strings(setting: _Setting, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise setting.wrong("a list of strings", value)
    return tuple(value)


def _globs(setting: _Setting, value: Any) -> tuple[str, ...]:
    globs = _strings(setting, value)
    if not all(globs):
        raise setting.wrong("a list of globs, none of them empty", value)
    return globs


def _selectors(setting: _Setting, value: Any) -> tuple[str, ...]:
    selectors = _strings(setting, value)
    for selector in selectors:
        if not SELECTOR.match(selector):
            raise setting.wrong("a list of rule ids or their beginnings, like TFM2", selector)
    return selectors


def _per_file(setting: _Setting, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise setting.wrong("a table of glob = [rule ids]", value)
    return tuple(
        (glob, _selectors(_Setting(setting.path, f"{setting.key}.{glob!r}"), selectors))
        for glob, selectors in value.items()
    )


def _boolean(setting: _Setting, value: Any) -> bool:
    if not isinstance(value, bool):
        raise setting.wrong("true or false", value)
    return value


def _count(setting: _Setting, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise setting.wrong("a whole number from 0 (0: one per core)", value)
    return value


def _file(setting: _Setting, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise setting.wrong("the path of a file", value)
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(setting.path)), value))


_READERS: dict[str, Callable[[_Setting, Any], Any]] = {
    "level": _one_of(LEVELS),
    "to": _one_of(TARGETS),
    "keras": _one_of(KERAS),
    "select": _selectors,
    "extend-select": _selectors,
    "ignore": _selectors,
    "per-file-ignores": _per_file,
    "include": _globs,
    "exclude": _globs,
    "unsafe": _boolean,
    "jobs": _count,
    "baseline": _file,
}
_OTHERS = ("parity",)  # read by the room of that name

"""``[tool.migrate.parity]`` of pyproject.toml: the programs to compare and how.

[tool.migrate.parity]
timeout = 600                    # seconds for one run
devices = ["cpu"]                # cpu, xla, gpu, tpu
golden = "tests/golden"          # bundles: verified where they exist

[[tool.migrate.parity.programs]]
name = "mnist"
before = "old/train.py"
after = "new/train.py"
args = ["--epochs", "2"]         # or before-args and after-args
steps = 50                       # end both after so many training steps
rtol = 1e-4                      # for the free run and what is printed
names = { "dense/kernel" = "sequential/dense/kernel" }
ignore = ["^Epoch \\\\d+ took"]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from migrate.parity.errors import ParityError
from migrate.parity.harness import Options, Program
from migrate.parity.isolation import GIBIBYTE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEVICES = (
    "cpu", "xla", "gpu", "tpu", "export", "jax", "torch", "mirrored", "workers", "servers",
)  # fmt: skip
SHARED: dict[str, type | tuple[type, ...]] = {
    "timeout": (int, float),
    "memory": (int, float),
    "rtol": (int, float),
    "steps": int,
    "every": int,
    "windows": int,
    "envelope": int,
    "devices": list,
    "seed-only": bool,
    "ignore": list,
    "names": dict,
    "golden": str,
}
TOP: dict[str, type | tuple[type, ...]] = {
    **SHARED, "tf1-python": str, "tf2-python": str, "programs": list,
}  # fmt: skip
PROGRAM: dict[str, type | tuple[type, ...]] = {
    **SHARED, "name": str, "before": str, "after": str, "args": list, "before-args": list,
    "after-args": list, "cwd": str,
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """One entry of ``programs``."""

    name: str
    before: Program | None
    after: Program
    options: Options
    devices: tuple[str, ...] = ("cpu",)
    golden: Path | None = None


@dataclass(frozen=True)
class Config:
    """The whole table."""

    comparisons: list[Comparison] = field(default_factory=list)
    tf1_python: str | None = None
    tf2_python: str | None = None


def find(start: Path) -> Path | None:
    """The nearest pyproject.toml at or above a folder that has ``[tool.migrate.parity]``."""
    for folder in (start.resolve(), *start.resolve().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            table = _table(path)
            if table is not None:
                return path
    return None


def load(path: Path) -> Config:
    """Read the table.

    Raises:
        ParityError: a key is unknown or of another type; the message names file, key and value.
    """
    table = _table(path)
    if table is None:
        raise ParityError(f"{path} has no table [tool.migrate.parity].")
    _check(table, TOP, f"{path}: [tool.migrate.parity]")
    root = path.resolve().parent
    comparisons = []
    for number, entry in enumerate(table.get("programs", [])):
        where = f"{path}: [[tool.migrate.parity.programs]] number {number + 1}"
        if not isinstance(entry, dict):
            raise ParityError(f"{where} is {entry!r}, expected a table.")
        _check(entry, PROGRAM, where)
        comparisons.append(_comparison({**_shared(table), **entry}, root, where))
    names = [comparison.name for comparison in comparisons]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParityError(f"{path}: two programs are named {twice[0]!r}; give each a name.")
    return Config(comparisons, table.get("tf1-python"), table.get("tf2-python"))


def _table(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as stream:
            content = tomllib.load(stream)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ParityError(f"{path} can't be read: {error}") from error
    table = content.get("tool", {}).get("migrate", {}).get("parity")
    if table is not None and not isinstance(table, dict):
        raise ParityError(f"{path}: tool.migrate.parity is {table!r}, expected a table.")
    return table


def _shared(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key in SHARED}


def _check(
    table: Mapping[str, Any], known: Mapping[str, type | tuple[type, ...]], where: str
) -> None:
    for key, value in table.items():
        if key not in known:
            raise ParityError(f"{where}: unknown key {key!r}. Known: {', '.join(sorted(known))}.")
        expected = known[key]
        wrong_bool = isinstance(value, bool) and expected is not bool
        if not isinstance(value, expected) or wrong_bool:
            raise ParityError(f"{where}: {key} is {value!r}, of another type than expected.")


def _comparison(entry: Mapping[str, Any], root: Path, where: str) -> Comparison:
    after = entry.get("after")
    if not after:
        raise ParityError(f"{where}: `after`, the migrated program, is missing.")
    golden = entry.get("golden")
    if not entry.get("before") and not golden:
        raise ParityError(f"{where}: `before`, the original, is missing, and there is no `golden`.")
    devices = tuple(entry.get("devices", ["cpu"]))
    check_devices(devices, where)
    cwd = root / entry["cwd"] if "cwd" in entry else None
    args = entry.get("args", [])
    name = entry.get("name") or Path(str(after)).stem
    return Comparison(
        name,
        _program(entry.get("before"), entry.get("before-args", args), cwd, root),
        _required(after, entry.get("after-args", args), cwd, root),
        options_from(entry, Options()),
        devices,
        root / golden / name if golden else None,
    )


def check_devices(devices: tuple[str, ...], where: str) -> None:
    """Raise ParityError for a device that the harness does not know."""
    for device in devices:
        if device not in DEVICES:
            raise ParityError(f"{where}: device {device!r}. Known: {', '.join(DEVICES)}.")


def _program(target: str | None, args: list[str], cwd: Path | None, root: Path) -> Program | None:
    return None if not target else _required(target, args, cwd, root)


def _required(target: str, args: list[str], cwd: Path | None, root: Path) -> Program:
    path = root / target
    found = str(path) if path.is_file() or target.endswith(".py") else target
    return Program(found, tuple(str(argument) for argument in args), cwd)


def options_from(entry: Mapping[str, Any], base: Options) -> Options:
    """Options with the values of a table in place of the defaults."""
    limits = base.limits
    if "timeout" in entry:
        limits = replace(limits, seconds=float(entry["timeout"]))
    if "memory" in entry:
        limits = replace(limits, memory_bytes=int(float(entry["memory"]) * GIBIBYTE))
    return replace(
        base,
        limits=limits,
        randomness="seed" if entry.get("seed-only") else base.randomness,
        every=int(entry.get("every", base.every)),
        windows=int(entry.get("windows", base.windows)),
        envelope_runs=int(entry.get("envelope", base.envelope_runs)),
        steps=entry.get("steps", base.steps),
        tolerances=base.tolerances.with_rtol(entry.get("rtol")),
        names={**base.names, **entry.get("names", {})},
        ignore=(*base.ignore, *entry.get("ignore", [])),
    )

"""Find a Python with TensorFlow 1.15, or make one from PyPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.parity.errors import ParityError

VARIABLE = "MIGRATE_TF1_PYTHON"
VARIABLE_2 = "MIGRATE_TF2_PYTHON"
# The versions that were tried together; newer protobuf and NumPy break TensorFlow 1.15.
REQUIREMENTS = (
    "tensorflow==1.15.5",
    "tensorflow-estimator==1.15.1",
    "tensorboard==1.15.0",
    "numpy==1.18.5",
    "protobuf==3.20.3",
    "h5py==2.10.0",
    "gast==0.2.2",
)
# Reads metadata only: importing TensorFlow takes seconds.
PROBE = """
import glob, json, os, sys
found = {}
for folder in sys.path:
    for path in glob.glob(os.path.join(folder or ".", "tensorflow*-*.dist-info")):
        name, _, version = os.path.basename(path)[:-10].rpartition("-")
        found[name.replace("_", "-")] = version
print(json.dumps({"python": list(sys.version_info[:3]), "packages": found}))
"""
TENSORFLOW_NAMES = ("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel",
                    "tensorflow-macos", "nvidia-tensorflow")  # fmt: skip


@dataclass(frozen=True)
class Interpreter:
    """A Python with a TensorFlow; ``origin`` says how it was found."""

    path: str
    python: tuple[int, int, int]
    tensorflow: str
    origin: str


def cache_folder() -> Path:
    """Where ``migrate parity setup`` puts its environment."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "migrate" / "tensorflow-1.15.5"


def python_in(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    if sys.platform == "win32":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def probe(path: str, origin: str) -> Interpreter | None:
    """What TensorFlow an interpreter has, or None if it has none or does not run."""
    try:
        done = subprocess.run(
            [path, "-c", PROBE], capture_output=True, timeout=30, check=True, text=True
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    for name in TENSORFLOW_NAMES:
        if name in answer["packages"]:
            major, minor, micro = answer["python"]
            return Interpreter(path, (major, minor, micro), answer["packages"][name], origin)
    return None


def find_tf1(given: str | None = None) -> Interpreter | None:
    """The interpreter for the original, or None.

    Looked for in this order: ``given``, ``MIGRATE_TF1_PYTHON``, the environment of ``migrate parity
    setup``, pyenv's versions, ``python3.7`` and ``python3.6`` on the path.

    Raises:
        ParityError: ``given`` or ``MIGRATE_TF1_PYTHON`` names something else.
    """
    for path, origin in ((given, "--tf1-python"), (os.environ.get(VARIABLE), VARIABLE)):
        if not path:
            continue
        found = probe(path, origin)
        if found is None or not found.tensorflow.startswith("1."):
            what = "nothing that runs" if found is None else f"TensorFlow {found.tensorflow}"
            raise ParityError(
                f"{origin} is {path!r}: expected a Python with TensorFlow 1.15, found {what}. "
                "`migrate parity setup` makes one."
            )
        return found
    for path, origin in _candidates():
        found = probe(path, origin)
        if found is not None and found.tensorflow.startswith("1.15"):
            return found
    return None


def _candidates() -> Iterator[tuple[str, str]]:
    made = python_in(cache_folder())
    if made.exists():
        yield str(made), "migrate parity setup"
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for pattern in ("3.7*", "3.7*/envs/*", "3.6*", "3.6*/envs/*"):
        for folder in sorted(root.glob(pattern)):
            python = python_in(folder)
            if python.exists():
                yield str(python), "pyenv"
    for name in ("python3.7", "python3.6"):
        path = shutil.which(name)
        if path:
            yield path, "PATH"


def find_tf2(given: str | None = None) -> Interpreter:
    """The interpreter for the migrated program: ``given``, ``MIGRATE_TF2_PYTHON``, this one.

    Raises:
        ParityError: none of them has TensorFlow 2.
    """
    for path, origin in (
        (given, "--tf2-python"),
        (os.environ.get(VARIABLE_2), VARIABLE_2),
        (sys.executable, "this Python"),
    ):
        if not path:
            continue
        found = probe(path, origin)
        if found is not None and found.tensorflow.startswith("2."):
            return found
        what = "no TensorFlow" if found is None else f"TensorFlow {found.tensorflow}"
        raise ParityError(
            f"{origin} is {path!r}: expected TensorFlow 2, found {what}. "
            "Install it with `pip install tf1-migrate[tensorflow]`, or give --tf2-python."
        )
    raise ParityError("No Python is known.")


def base_python() -> str | None:
    """A Python 3.7 to make the environment from, or None."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    candidates = [str(python_in(folder)) for folder in sorted(root.glob("3.7*"), reverse=True)]
    on_path = shutil.which("python3.7")
    for path in [*candidates, *([on_path] if on_path else [])]:
        try:
            done = subprocess.run(
                [path, "-c", "import sys, venv; print(sys.version_info[:2] == (3, 7))"],
                capture_output=True, timeout=30, check=True, text=True,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            continue
        if done.stdout.strip() == "True":
            return path
    return None


def setup(
    folder: Path | None = None,
    python: str | None = None,
    report: Callable[[str], object] = print,
) -> Interpreter:
    """Make a virtual environment with TensorFlow 1.15.5 from PyPI; returns its interpreter.

    Raises:
        ParityError: there is no Python 3.7, or pip failed; the message says what to do.
    """
    folder = cache_folder() if folder is None else folder
    existing = probe(str(python_in(folder)), "migrate parity setup")
    if existing is not None and existing.tensorflow.startswith("1.15"):
        report(f"{existing.path} has TensorFlow {existing.tensorflow} already.")
        return existing
    uv = shutil.which("uv")
    base = python or base_python()
    if base is not None:
        commands = [[base, "-m", "venv", str(folder)]]
    elif uv is not None:
        commands = [[uv, "venv", "--seed", "--python", "3.7", str(folder)]]
    else:
        raise ParityError(
            "TensorFlow 1.15.5 needs Python 3.7, and none was found. Install one "
            "(`pyenv install 3.7`, `uv python install 3.7`, `conda create -n tf1 python=3.7`) "
            "and run `migrate parity setup --python PATH`."
        )
    install = [str(python_in(folder)), "-m", "pip", "install", "--disable-pip-version-check"]
    commands.append([*install, *REQUIREMENTS])
    for command in commands:
        report("$ " + " ".join(command))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ParityError(
                f"{' '.join(command[:4])} … failed with exit code {done.returncode}:\n"
                + (done.stderr or done.stdout)[-2000:]
            )
    found = probe(str(python_in(folder)), "migrate parity setup")
    if found is None:
        raise ParityError(f"{folder} was made, but it has no TensorFlow.")
    report(f"{found.path} has TensorFlow {found.tensorflow}.")
    return found

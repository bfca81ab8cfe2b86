"""Run what the shims' goldens hold on this TensorFlow, and keep that they agree.

    python scripts/verify_shims.py          unless nothing changed since they agreed
    python scripts/verify_shims.py --all    anyway

What agrees is kept in fixtures/shims.verified: a digest of the shims, of their fixture programs
and goldens, of what runs and compares them, and of the releases of TensorFlow, Keras and NumPy.
Where it is the digest of what is there, the tests run a sample of the programs and of the case
table; where it isn't, on another release too, what this runs (MIGRATE_ALL_GOLDENS=1: still more,
and on TF 1.15.5). Takes some ten minutes on two quiet cores. Exits with pytest's status.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERIFIED = ROOT / "fixtures" / "shims.verified"
FOLDERS = (
    "migrate/estimator_shim",
    "migrate/tf1_shim",
    "fixtures/estimator_shim",
    "fixtures/tf1_shim",
    "tests/estimator_shim",
    "tests/tf1_shim",
)
RUNNERS = ("scripts/record_estimator_goldens.py", "scripts/record_shim_goldens.py")
TESTS = ("tests/estimator_shim/test_programs.py", "tests/tf1_shim/test_cases.py")
ON_TF2 = "same_as_recorded or same_with_v1_behaviour or shim_gives_what_tf1_gave"
SUFFIXES = {".py", ".json", ".npz", ".pkl"}


def release(package: str) -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def digest() -> str:
    """Of all that decides whether the shims agree."""
    releases = [f"{name} {release(name)}" for name in ("tensorflow", "keras", "numpy")]
    found = hashlib.sha256("\n".join(releases).encode())
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    for path in sorted([*paths, *(ROOT / name for name in RUNNERS)]):
        if path.is_file() and path.suffix in SUFFIXES:
            found.update(b"\0" + path.relative_to(ROOT).as_posix().encode() + b"\0")
            found.update(path.read_bytes())
    return found.hexdigest()


def agreed() -> bool:
    """Whether everything agreed as it is now."""
    try:
        return VERIFIED.read_text(encoding="ascii").strip() == digest()
    except FileNotFoundError:
        return False


def main(argv: list[str] | None = None) -> int:
    """Run the tests of the goldens, all of CI's, and keep the digest; pytest's status otherwise."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="also where nothing has changed")
    if agreed() and not parser.parse_args(argv).all:
        print("nothing has changed since the shims agreed")
        return 0
    as_it_was = digest()
    VERIFIED.unlink(missing_ok=True)  # the tests run all then
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-k", ON_TF2, *TESTS]
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode == 0:
        VERIFIED.write_text(as_it_was + "\n", encoding="ascii")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

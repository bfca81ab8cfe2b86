"""Start-up: `migrate check one_file.py` against a bare interpreter, and what it imports.

python benchmarks/startup.py [--file FILE] [--rounds N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import common

FORBIDDEN = ("libcst", "tensorflow", "keras", "numpy", "rich")
DEFAULT = common.FIXTURES / "linear_regression" / "before.py"


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    bare, ours, version = [], [], []
    command = common.migrate("check", "--no-cache", "--quiet", options.file)
    for _ in range(options.rounds):
        bare.append(common.cost([sys.executable, "-c", "pass"]).cpu)
        ours.append(common.cost(command, ok=(0, 1)).cpu)
        version.append(common.cost(common.migrate("--version")).cpu)
    python, check = common.median(bare), common.median(ours)
    print(f"bare python:       {1000 * python:6.1f} ms CPU")
    print(f"migrate --version: {1000 * common.median(version):6.1f} ms CPU")
    print(f"migrate check:     {1000 * check:6.1f} ms CPU ({options.file.name})")
    kept = common.verdict("check / bare python", check / python, 10, at_least=False)
    found = imported([sys.executable, "-X", "importtime", *map(str, command[1:])])
    print(f"modules imported: {len(found)}")
    for name in FORBIDDEN:
        if name in found:
            print(f"{name} is imported: MISSED")
            kept = False
    return 0 if kept else 1


def imported(command: list[str]) -> set[str]:
    """The modules that a run imports, by the interpreter's own account."""
    ran = subprocess.run(command, cwd=common.PROJECT, capture_output=True, text=True, check=False)
    lines = [x for x in ran.stderr.splitlines() if x.startswith("import time:")]
    return {x.rpartition("|")[2].strip() for x in lines}


if __name__ == "__main__":
    sys.exit(main())

"""Record what the shim's case table gives on the real TensorFlow 1.15.5.

    python scripts/record_shim_goldens.py [FAMILY ...]          write fixtures/tf1_shim/FAMILY.*
    python scripts/record_shim_goldens.py --check [FAMILY ...]  run afresh, compare with them

The interpreter (a Python 3.7 with TensorFlow 1.15.5) comes from --tf1-python or MIGRATE_TF1_PYTHON.
A family is a module of tests/tf1_shim/cases; its golden is a .npz of arrays and a .json of names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SHIM = ROOT / "tests" / "tf1_shim"
GOLDENS = ROOT / "fixtures" / "tf1_shim"
sys.path.insert(0, str(SHIM))

from shim_compare import problems, run, split  # noqa: E402


def families() -> list[str]:
    """The families of the case table."""
    return sorted(path.stem for path in (SHIM / "cases").glob("[!_]*.py"))


def save(family: str, seen: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a family's golden."""
    GOLDENS.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(GOLDENS / f"{family}.npz", **arrays)
    text = json.dumps(seen, indent=1, sort_keys=True) + "\n"
    (GOLDENS / f"{family}.json").write_text(text, encoding="utf-8")


def check(family: str, seen: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[str]:
    """What differs between a family's golden and a fresh run."""
    golden = json.loads((GOLDENS / f"{family}.json").read_text(encoding="utf-8"))
    with np.load(GOLDENS / f"{family}.npz", allow_pickle=False) as stored:
        old = split({key: stored[key] for key in stored.files})
    new = split(arrays)
    found = [f"{name}: not in both" for name in sorted(set(golden) ^ set(seen))]
    for name in sorted(set(golden) & set(seen)):
        arrays_of = old.get(name, {}), new.get(name, {})
        said, _ = problems(name, golden[name], seen[name], *arrays_of)
        found += [f"{name}: {problem}" for problem in said]
    return found


def main() -> int:
    """Run the case table on TF 1.15.5."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("families", nargs="*")
    args = parser.parse_args()
    if not args.tf1_python:
        parser.error("give --tf1-python or set MIGRATE_TF1_PYTHON")
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        wanted = args.families or families()
        try:
            seen, arrays = run(args.tf1_python, Path(folder), wanted)
        except subprocess.CalledProcessError as error:
            sys.stderr.write(error.stderr[-4000:])
            return 3
    for family in wanted:
        prefix = family + "/"
        part = {k: v for k, v in seen.items() if k.startswith(prefix)}
        numbers = {k: v for k, v in arrays.items() if k.startswith(prefix)}
        broken = {k: v["error"] for k, v in part.items() if "error" in v}
        for name, text in broken.items():
            sys.stderr.write(f"{name}\n{text}\n")
        if args.check:
            found = check(family, part, numbers)
            sys.stderr.writelines(line + "\n" for line in found)
            status |= bool(found)
        elif broken:
            status = 1
        else:
            save(family, part, numbers)
        print(f"{family}: {len(part)} cases, {len(numbers)} arrays")
    return status


if __name__ == "__main__":
    sys.exit(main())

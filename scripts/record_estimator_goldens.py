"""Record what the fixture programs of the Estimator see on the real TensorFlow 1.15.5.

    python scripts/record_estimator_goldens.py [NAME ...]          write golden/NAME.json
    python scripts/record_estimator_goldens.py --check [NAME ...]  run afresh, compare with these

The interpreter (a Python 3.7 with TensorFlow 1.15.5) comes from --tf1-python or MIGRATE_TF1_PYTHON.
The programs are fixtures/estimator_shim/*.py; what they see is JSON, arrays with dtype and shape.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent.parent / "fixtures" / "estimator_shim"
GOLDEN = PROGRAMS / "golden"
RTOL = 1e-6
TIMEOUT = 600


def names() -> list[str]:
    """The fixture programs, sorted."""
    return sorted(p.stem for p in PROGRAMS.glob("*.py") if not p.stem.startswith("common"))


def run(python: str, programs: list[str], *flags: str) -> dict[str, Any]:
    """What the programs see in one process of an interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [python, "common.py", str(out), *flags, *programs]
        env = {k: v for k, v in os.environ.items() if k not in ("TF_CONFIG", "PYTHONPATH")}
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        done = subprocess.run(
            command, cwd=PROGRAMS, env=env, capture_output=True, text=True, timeout=TIMEOUT
        )
        if done.returncode:
            raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stderr[-4000:]}")
        seen: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return seen


def golden(name: str) -> Any:
    """What was recorded of a program."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def _is_array(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"dtype", "shape", "data"}


def _array_error(old: dict[str, Any], new: dict[str, Any]) -> float:
    """The largest difference of two arrays, in terms of the largest value; inf if they differ."""
    if (old["dtype"], old["shape"]) != (new["dtype"], new["shape"]):
        return math.inf
    pairs = list(zip(old["data"], new["data"], strict=True))
    if not old["dtype"].startswith("float"):
        return 0.0 if all(a == b for a, b in pairs) else math.inf
    scale = max((abs(a) for a, _ in pairs if math.isfinite(a)), default=0.0) or 1.0
    worst = 0.0
    for a, b in pairs:
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        worst = max(worst, abs(a - b) / scale) if math.isfinite(a - b) else math.inf
    return worst


def compare(old: Any, new: Any, rtol: float, path: str = "") -> tuple[list[str], float]:
    """Compare what was seen.

    Args:
      old: What 1.15.5 saw.
      new: What the other one saw.
      rtol: How far float arrays may differ, in terms of their largest value.
      path: Where in the record this is.

    Returns:
      What differs, and the largest difference of the arrays that agree.
    """
    if _is_array(old) and _is_array(new):
        error = _array_error(old, new)
        if error > rtol:
            return [f"{path}: {error:.3g} apart: {_short(old)} | {_short(new)}"], 0.0
        return [], error
    if isinstance(old, dict) and isinstance(new, dict):
        wrong = [f"{path}/{k}: only in {'old' if k in old else 'new'}" for k in set(old) ^ set(new)]
        parts = [compare(old[k], new[k], rtol, f"{path}/{k}") for k in sorted(set(old) & set(new))]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        wrong = []
        parts = [
            compare(a, b, rtol, f"{path}/{i}")
            for i, (a, b) in enumerate(zip(old, new, strict=True))
        ]
    else:
        return ([] if old == new else [f"{path}: {_short(old)} | {_short(new)}"]), 0.0
    for found, _ in parts:
        wrong.extend(found)
    return wrong, max((worst for _, worst in parts), default=0.0)


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) < 300 else text[:300] + " …"


def main(argv: list[str] | None = None) -> int:
    """Record or check; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    options = parser.parse_args(argv)
    if not options.tf1_python:
        parser.error("--tf1-python or MIGRATE_TF1_PYTHON must name a Python with TensorFlow 1.15.5")
    seen = run(options.tf1_python, options.names or names())
    status = 0
    for name, record in seen.items():
        if "crash" in record:
            print(f"{name} failed:\n{record['crash']}", file=sys.stderr)
            status = 1
        elif options.check:
            wrong, _ = compare(golden(name), record, RTOL)
            status = 1 if wrong else status
            print(f"{name}: {'same' if not wrong else f'{len(wrong)} differences'}", *wrong[:9])
        else:
            GOLDEN.mkdir(exist_ok=True)
            text = json.dumps(record, indent=None, sort_keys=True, separators=(",", ":"))
            (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")
            print(f"{name}: recorded, {len(text) // 1024} KiB")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Record what the fixture programs of the Estimator see on the real TensorFlow 1.15.5.

    python scripts/record_estimator_goldens.py [NAME ...]          write golden/NAME.json
    python scripts/record_estimator_goldens.py --check [NAME ...]  run afresh, compare with these

A recording keeps a hash of the program's text and of what it imports: as long as that is the same,
the tests need not run the program on 1.15.5 again. --check stamps what has no hash yet, if nothing
differs. The interpreter (a Python 3.7 with TensorFlow 1.15.5) comes from --tf1-python or
MIGRATE_TF1_PYTHON.
The programs are fixtures/estimator_shim/*.py; what they see is JSON, arrays with dtype and shape.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent.parent / "fixtures" / "estimator_shim"
GOLDEN = PROGRAMS / "golden"
RTOL = 1e-6
TIMEOUT = 600
STAMP = "sources"

#: With much to do elsewhere, 1.15.5 now and then reads a global step that has moved on already,
#: and writes summaries some steps early. What is recorded is a run without that.
RACE = re.compile(r"/(events1|(steps|more|input_ends)/events)/|/twice/|/three(_more)?: ")
#: A canned linear model's summaries read its bias and weights while the step updates them, and the
#: global step is read beside its update, so that steps of two end at 400 or at 402 and steps of
#: three at 6 or at 9: nothing orders these, on neither side.
UNORDERED = re.compile(r"/events/(linear/)?(bias|fraction_of_zero_weights): |^/(twice/|three: )")
#: Trained until it has converged, in an order of examples that differs from run to run.
CONVERGED = {"canned_sdca": 2e-5, "learn_more": 2e-5}


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


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return found


def golden(name: str) -> Any:
    """What was recorded of a program."""
    return {key: value for key, value in _read(name).items() if key != STAMP}


def sources(name: str) -> str:
    """The hash of a program's text, and of those beside it that it imports."""
    todo, texts = [name], {}
    while todo:
        text = (PROGRAMS / f"{todo[-1]}.py").read_bytes()
        texts[todo.pop()] = text
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                known = (PROGRAMS / f"{node.module}.py").exists()
                if known and node.module not in (*texts, *todo):
                    todo.append(node.module)
    return hashlib.sha256(b"".join(texts[key] for key in sorted(texts))).hexdigest()[:16]


def up_to_date(name: str) -> bool:
    """Whether the recording is one of the program as it is now."""
    return _read(name).get(STAMP) == sources(name)


def differences(name: str, record: Any) -> list[str]:
    """What 1.15.5 sees now and did not see then, but for what is chance."""
    wrong, _ = compare(golden(name), record, CONVERGED.get(name, RTOL))
    return [w for w in wrong if not RACE.match(w) and not UNORDERED.search(w)]


def _write(name: str, record: dict[str, Any]) -> int:
    """Write a recording with its stamp; its size."""
    GOLDEN.mkdir(exist_ok=True)
    stamped = record | {STAMP: sources(name)}
    text = json.dumps(stamped, indent=None, sort_keys=True, separators=(",", ":"))
    (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return len(text)


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
            wrong = differences(name, record)
            status = 1 if wrong else status
            if not wrong and not up_to_date(name):
                _write(name, golden(name))
            print(f"{name}: {'same' if not wrong else f'{len(wrong)} differences'}", *wrong[:9])
        else:
            print(f"{name}: recorded, {_write(name, record) // 1024} KiB")
    return status


if __name__ == "__main__":
    sys.exit(main())

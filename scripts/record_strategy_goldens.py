"""Record the programs of fixtures/strategies on the real TensorFlow 1.15.5, without the recorder.

    python scripts/record_strategy_goldens.py [NAME ...]   write golden.txt
    python scripts/record_strategy_goldens.py --snapshots  write every after.py anew

The parity recorder doesn't know of variables on several replicas: these programs say themselves
what they begin with, and print what they come to. The first line of a golden.txt is the program's
SHA-256. `tests/test_keras_strategies.py` compares.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures" / "strategies"


def cases() -> list[Path]:
    """The folders of all programs."""
    return sorted(path.parent for path in FIXTURES.glob("*/before.py"))


def digest(case: Path) -> str:
    """What says which program a golden is of."""
    return hashlib.sha256((case / "before.py").read_bytes()).hexdigest()


def upgraded(chosen: list[Path], work: Path) -> dict[str, str]:
    """What `migrate upgrade --to keras` makes of programs, by name; all in one run."""
    for case in chosen:
        (work / "in" / case.name).mkdir(parents=True)
        shutil.copyfile(case / "before.py", work / "in" / case.name / "before.py")
    command = [sys.executable, "-m", "migrate", "upgrade", "--no-cache", "--to", "keras"]
    subprocess.run(
        [*command, "--out", str(work / "out"), "."],
        cwd=work / "in",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    return {c.name: (work / "out" / c.name / "before.py").read_text("utf-8") for c in chosen}


def main(names: list[str]) -> int:
    """Record or write snapshots; 1 where a program failed."""
    snapshots = "--snapshots" in names
    wanted = [n for n in names if n != "--snapshots"]
    chosen = [case for case in cases() if not wanted or case.name in wanted]
    failed = 0
    for case in chosen:
        with tempfile.TemporaryDirectory() as work:
            if snapshots:
                (case / "after.py").write_text(upgraded([case], Path(work))[case.name], "utf-8")
                continue
            python = os.environ["MIGRATE_TF1_PYTHON"]
            done = subprocess.run(
                [python, str(case / "before.py")],
                cwd=work,
                capture_output=True,
                text=True,
                check=False,
            )
            failed += bool(done.returncode)
            print(f"{case.name}: {done.stderr[-2000:] if done.returncode else 'recorded'}")
            if not done.returncode:
                text = f"{digest(case)}\n{done.stdout}"
                (case / "golden.txt").write_text(text, encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

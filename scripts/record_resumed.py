"""Record the programs of fixtures/resumed on the real TensorFlow 1.15.5.

    python scripts/record_resumed.py [NAME ...]

Each program is run twice, to save a checkpoint and to go on from it: the folder gets the checkpoint
without its graph, and what the second run printed. The interpreter is MIGRATE_TF1_PYTHON.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "resumed"


def record(folder: Path, python: str) -> None:
    """Run one program twice."""
    with tempfile.TemporaryDirectory() as made:
        for mode in ("save", "resume"):
            done = subprocess.run(
                [python, str(folder / "before.py"), made, mode],
                capture_output=True,
                text=True,
                check=True,
            )
        (folder / "resumed.txt").write_text(done.stdout, encoding="utf-8")
        for path in Path(made).glob("model.ckpt.*"):
            if path.suffix != ".meta":
                shutil.copy(path, folder)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(os.listdir(FIXTURES)):
        record(FIXTURES / name, os.environ["MIGRATE_TF1_PYTHON"])
        print(name)

"""Let programs of fixtures/native go on from a checkpoint, on the real TensorFlow 1.15.5.

    python scripts/record_restored.py NAME ...     write fixtures/native/NAME/restored
    python scripts/record_restored.py              all that have one, anew

A program gets a Saver and restores a checkpoint right after its initializer ran. TF 1.15.5's own
Saver writes that checkpoint: what the variables and slots were at the end of the program's first
run (its golden bundle). What it prints from there is kept beside it, for
tests/checkpoints/test_restored.py. The interpreter is MIGRATE_TF1_PYTHON.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np

from migrate.parity import bundle
from migrate.parity.environment import find_tf1
from migrate.parity.harness import Harness, Options, Program

CHECKPOINT = "model.ckpt"
PRINTED = "printed.txt"
#: The run of the initializer of all variables; `init`, `init_op`: under a name.
START = re.compile(
    r"^( *)(?:(\w+(?:\.\w+)*)\.run\(\[?(?:tf\.global_variables_initializer\(\)|init\w*\b).*\)"
    r"|tf\.global_variables_initializer\(\)\.run\(\))$",
    re.MULTILINE,
)
#: On TensorFlow 1.15.5: variables of these names and values, and a Saver of them.
WRITE = """
import sys
import numpy as np
import tensorflow as tf

with np.load(sys.argv[1]) as values:
    variables = [tf.Variable(values[key], name=key, dtype=values[key].dtype) for key in values]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver(variables).save(sess, sys.argv[2], write_meta_graph=False)
"""


def _native_goldens() -> ModuleType:
    path = Path(__file__).with_name("record_native_goldens.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(sys.modules[path.stem])
    return sys.modules[path.stem]


goldens = _native_goldens()


def restoring(text: str) -> str:
    """A program that goes on from its checkpoint; raises ValueError where it starts nothing."""
    start = START.search(text)
    if start is None:
        raise ValueError("no run of an initializer")
    indent, session = start.group(1), start.group(2)
    if session is None:
        opened = re.search(r"(?:Session\(.*\) as (\w+):|(\w+) = tf\.InteractiveSession)", text)
        if opened is None:
            raise ValueError("no session with a name")
        session = opened.group(1) or opened.group(2)
    saver = f"{indent}saver = tf.train.Saver()\n"
    restored = f"\n{indent}saver.restore({session}, './{CHECKPOINT}')"
    return text[: start.start()] + saver + start.group() + restored + text[start.end() :]


def prepare(path: Path) -> None:
    """Make a program one that goes on."""
    path.write_text(restoring(path.read_text(encoding="utf-8")), encoding="utf-8")


def save(case: goldens.Case, python: str, to: Path) -> None:
    """TF 1.15.5's checkpoint of what a program ended with."""
    ended = bundle.read(case.golden).snapshot("end")
    with tempfile.TemporaryDirectory() as work:
        arrays = Path(work) / "arrays.npz"
        np.savez(arrays, **ended)
        subprocess.run([python, "-c", WRITE, str(arrays), str(to)], check=True, capture_output=True)


def record(case: goldens.Case, harness: Harness, python: str, work: Path) -> None:
    """Write a fixture's folder; raises RuntimeError where the program fails or nothing changes."""
    folder = work / case.name
    goldens.copy_program(case, folder)
    prepare(folder / case.entry)
    save(case, python, folder / CHECKPOINT)
    harness.options = case.options()
    found = harness.run_program("tf1", Program(str(folder / case.entry)))
    if found.ending.get("code"):
        raise RuntimeError(found.ending.get("traceback") or str(found.ending))
    if found.stdout == bundle.read(case.golden).stdout:
        raise RuntimeError("it prints what it printed without a checkpoint")
    kept = case.folder / "restored"
    kept.mkdir(exist_ok=True)
    (kept / PRINTED).write_text(found.stdout, encoding="utf-8")
    for path in folder.glob(f"{CHECKPOINT}.*"):
        (kept / path.name).write_bytes(path.read_bytes())


def main(names: list[str]) -> int:
    """Record; 1 where a program failed."""
    tf1 = find_tf1(None)
    if tf1 is None or tf1.tensorflow != "1.15.5":
        raise SystemExit("no Python with TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON")
    failed = 0
    with tempfile.TemporaryDirectory() as work, Harness(Options(), tf1=tf1.path) as harness:
        for case in goldens.cases():
            if case.name not in names and (names or not (case.folder / "restored").exists()):
                continue
            try:
                record(case, harness, tf1.path, Path(work))
            except (RuntimeError, ValueError) as error:
                failed += 1
                print(f"{case.name}: {error}", flush=True)
            else:
                print(case.name, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Write migrate/checkpoints/graphs/ops.tsv: what became of TF 1.15.5's ops in TF 2.21.

    python scripts/build_ops.py --tf1 PYTHON [--check]

Run by a Python with TensorFlow 2.21; --tf1 (or MIGRATE_TF1_PYTHON) names one with 1.15.5. Contrib's
ops are those that importing tensorflow.contrib registers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "migrate" / "checkpoints" / "graphs" / "ops.tsv"
DUMP = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
if tf.__version__.startswith("1."):
    import tensorflow.contrib
    for name in dir(tensorflow.contrib):
        getattr(tensorflow.contrib, name)
    from tensorflow.python import pywrap_tensorflow as api
else:
    from tensorflow.python.client import pywrap_tf_session as api
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import kernels
ops = op_def_pb2.OpList()
ops.ParseFromString(api.TF_GetBuffer(api.TF_GetAllOpList()))
found = kernels.get_all_registered_kernels().kernel
kernel = {k.op for k in found if k.device_type in ("CPU", "DEFAULT")}
print("OPS" + json.dumps([[op.name, op.name in kernel] for op in ops.op]))
"""
HEAD = "# op\tin TF 2.21: kernel, no-kernel (TF 1.15.5 has one) or gone; scripts/build_ops.py\n"


def dump(python: str) -> dict[str, bool]:
    """Ops of an interpreter's TensorFlow, and whether each has a kernel for CPUs."""
    done = subprocess.run([python, "-c", DUMP], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("OPS"))
    return dict(json.loads(line[3:]))


def table(first: dict[str, bool], second: dict[str, bool]) -> str:
    """One line an op of TF 1.15.5 or 2.21."""
    lines = []
    for name in sorted(first | second):
        if name not in second:
            state = "gone"
        elif first.get(name) and not second[name]:
            state = "no-kernel"
        else:
            state = "kernel"
        lines.append(f"{name}\t{state}\n")
    return HEAD + "".join(lines)


def main() -> int:
    """Write the table, or compare it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tf1", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--check", action="store_true", help="only compare")
    options = parser.parse_args()
    if not options.tf1:
        parser.error("--tf1 or MIGRATE_TF1_PYTHON: a Python with TensorFlow 1.15.5")
    text = table(dump(options.tf1), dump(sys.executable))
    if options.check:
        same = OUT.read_text(encoding="utf-8") == text
        print(f"{OUT.name}: {'as it was' if same else 'differs; run scripts/build_ops.py'}")
        return 0 if same else 1
    OUT.write_text(text, encoding="utf-8")
    print(f"{OUT}: {text.count(chr(10)) - 1} ops")
    return 0


if __name__ == "__main__":
    sys.exit(main())

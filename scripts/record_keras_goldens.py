"""Record the programs of fixtures/keras on the real TensorFlow 1.15.5, under the parity recorder.

    python scripts/record_keras_goldens.py [NAME ...]    write fixtures/keras/NAME/golden
    python scripts/record_keras_goldens.py --snapshots   write every after.py anew

All that `record_native_goldens.py` does, for programs with Estimators and `upgrade --to keras`.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A module of its own: the one that other tests load keeps its folder.
_spec = importlib.util.spec_from_file_location(
    "keras_goldens", ROOT / "scripts" / "record_native_goldens.py"
)
assert _spec is not None
assert _spec.loader is not None
goldens = importlib.util.module_from_spec(_spec)
sys.modules["keras_goldens"] = goldens
_spec.loader.exec_module(goldens)
goldens.NATIVE = ROOT / "fixtures" / "keras"
goldens.TARGET = ("--to", "keras")

if __name__ == "__main__":
    sys.exit(goldens.main())

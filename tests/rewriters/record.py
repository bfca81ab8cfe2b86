"""Record what the runnable rule cases print on TF 1.15.5.

PYTHONPATH=.:tests python -m rewriters.record [PYTHON with TF 1.15.5]
"""

from __future__ import annotations

import json
import os
import sys

from rewriters.cases import GOLDEN, golden_of


def main() -> int:
    """Write fixtures/rules/golden.json; say which cases raise."""
    python = sys.argv[1] if len(sys.argv) > 1 else os.environ["MIGRATE_TF1_PYTHON"]
    found = golden_of(python)
    text = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(found.items()))
    GOLDEN.write_text("{\n" + text + "\n}\n", encoding="utf-8")
    failed = {name: answer for name, answer in found.items() if "error" in answer}
    for name, answer in failed.items():
        print(f"{name}: {answer['error']} {answer.get('where')}")
    print(f"{len(found)} cases, {len(failed)} raise")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

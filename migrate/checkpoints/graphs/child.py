"""Saves a TF 1 graph anew, in a process of its own: TensorFlow may crash on a damaged one.

python -m migrate.checkpoints.graphs.child    (a request as JSON on standard input)
"""

from __future__ import annotations

import json
import sys

from migrate.checkpoints.errors import CheckpointError, Usage


def main() -> int:
    """Do what is asked; the answer is the last line of standard output."""
    request = json.load(sys.stdin)
    from migrate.checkpoints.graphs.loading import export

    try:
        names = export(
            request["path"],
            request["out"],
            tags=request["tags"],
            inputs=request["inputs"],
            outputs=request["outputs"],
            signature=request["signature"],
        )
    except Usage as error:
        print(json.dumps({"usage": str(error)}))
        return 0
    except CheckpointError as error:
        print(json.dumps({"error": str(error)}))
        return 0
    print("\n" + json.dumps({"signatures": names}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`migrate upgrade`, verification included, against tf_upgrade_v2 on the same files.

    python benchmarks/upgrade_speed.py [--tree DIR] [--lines N]

Lines per CPU second, one process each, without caches. Ours includes start-up, the second pass of
the verification and writing; tf_upgrade_v2's import of TensorFlow does not count.
"""

from __future__ import annotations

import sys
import tempfile

import common


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    options = common.parser(__doc__).parse_args()
    with common.tree(options.tree, options.lines) as tree:
        ours, peers = [], []
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as out:
                command = common.migrate(
                    "upgrade", "--no-cache", "-j1", "--quiet", f"--out={out}/new", tree.path
                )
                ours.append(common.cost(command, ok=(0, 1, 3)).cpu)
            peers.append(common.peer(tree.path))
        upgrade = common.median(ours)
        per_second = common.median([p.lines / p.seconds for p in peers])
        print(f"migrate upgrade: {tree.lines / upgrade:12,.0f} lines per CPU second")
        print(f"tf_upgrade_v2:   {per_second:12,.0f}")
        common.describe(peers[0])
        kept = common.verdict(
            "upgrade / tf_upgrade_v2", tree.lines / upgrade / per_second, 3, at_least=True
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

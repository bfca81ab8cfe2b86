"""`migrate upgrade`, verification included, against tf_upgrade_v2 on the same files.

    python benchmarks/upgrade_speed.py [--tree DIR] [--lines N]

Lines per CPU second, one process each, without caches. Ours includes start-up, the second pass of
the verification and writing; tf_upgrade_v2's import of TensorFlow does not count. At two levels:
compat is what tf_upgrade_v2 does, native follows each program's sessions as well.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import common

PROMISED = {"compat": 3, "native": 1}


def cost(tree: common.Tree, out: Path, level: str) -> float:
    """The CPU seconds of an upgrade; it must have written every file."""
    command = common.migrate(
        "upgrade", "--no-cache", "-j1", "--quiet", f"--level={level}", f"--out={out}", tree.path
    )
    seconds = common.cost(command, ok=(0, 1, 3)).cpu
    written = sum(1 for _ in out.rglob("*.py"))
    if written < tree.files:
        sys.exit(f"{command}: {written} of {tree.files} files are there")
    return seconds


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    options = common.parser(__doc__).parse_args()
    with common.tree(options.tree, options.lines) as tree:
        ours: dict[str, list[float]] = {level: [] for level in PROMISED}
        peers = []
        for _ in range(options.rounds):
            for level, seconds in ours.items():
                with tempfile.TemporaryDirectory() as out:
                    seconds.append(cost(tree, Path(out) / "new", level))
            peers.append(common.peer(tree.path))
        per_second = common.median([p.lines / p.seconds for p in peers])
        print(f"tf_upgrade_v2:            {per_second:12,.0f} lines per CPU second")
        common.describe(peers[0])
        kept = True
        for level, seconds in ours.items():
            lines = tree.lines / common.median(seconds)
            print(f"migrate upgrade, {level}: {lines:12,.0f}")
            kept &= common.verdict(
                f"{level} / tf_upgrade_v2", lines / per_second, PROMISED[level], at_least=True
            )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

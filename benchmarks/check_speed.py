"""`migrate check` against tf_upgrade_v2 and against a bare ast.parse of the same files.

    python benchmarks/check_speed.py [--tree DIR] [--lines N]

Lines per CPU second, one process each. Ours includes start-up and the report; the bare parse its
interpreter; tf_upgrade_v2 neither (its import of TensorFlow alone takes seconds).
"""

from __future__ import annotations

import sys

import common

PARSE = """
import ast, os, sys, warnings
warnings.simplefilter("ignore")
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        try:
            ast.parse(data)
        except (SyntaxError, ValueError):
            pass
"""


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    options = common.parser(__doc__).parse_args()
    with common.tree(options.tree, options.lines) as tree:
        ours, parses, peers = [], [], []
        command = common.migrate(
            "check", "--no-cache", "-j1", "--format=json", "--output=/dev/null", tree.path
        )
        for _ in range(options.rounds):
            ours.append(common.cost(command, ok=(0, 1, 3)).cpu)
            parses.append(common.cost([sys.executable, "-c", PARSE, tree.path]).cpu)
            peers.append(common.peer(tree.path))
        check, parse = common.median(ours), common.median(parses)
        per_second = common.median([p.lines / p.seconds for p in peers])
        print(f"migrate check:  {tree.lines / check:12,.0f} lines per CPU second")
        print(f"bare ast.parse: {tree.lines / parse:12,.0f}")
        print(f"tf_upgrade_v2:  {per_second:12,.0f}")
        common.describe(peers[0])
        kept = common.verdict(
            "check / tf_upgrade_v2", tree.lines / check / per_second, 25, at_least=True
        )
        kept &= common.verdict("time of check / ast.parse", check / parse, 3, at_least=False)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

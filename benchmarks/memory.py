"""Peak memory of `migrate check` and `migrate upgrade` for N files and for 4 N.

    python benchmarks/memory.py [--tree DIR] [--lines N]

N files are about --lines lines; the larger tree holds the same files four times over, so that no
file of it is larger than those of the smaller one.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import common

LIMIT = 1.5  # findings are kept for the report, so a little more is right


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    options = common.parser(__doc__, lines=20_000).parse_args()
    kept = True
    with common.tree(options.tree, options.lines) as tree, tempfile.TemporaryDirectory() as tmp:
        larger = Path(tmp) / "four"
        for copy in range(4):
            shutil.copytree(tree.path, larger / str(copy))
        for name, words in (
            ("check", ("check", "--no-cache", "-j1", "--quiet")),
            ("upgrade", ("upgrade", "--no-cache", "-j1", "--quiet", "--check")),
        ):
            peaks = []
            for path in (tree.path, larger):
                command = common.migrate(*words, path)
                runs = [common.cost(command, ok=(0, 1, 3)).peak for _ in range(options.rounds)]
                peaks.append(common.median(runs) / 1024)
            print(
                f"migrate {name}: {peaks[0]:.0f} MiB for {tree.files} files, "
                f"{peaks[1]:.0f} MiB for {4 * tree.files}"
            )
            kept &= common.verdict(
                f"peak of {name}, 4 N / N", peaks[1] / peaks[0], LIMIT, at_least=False
            )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

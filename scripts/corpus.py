"""Try the tool on public TF1 repositories (fixtures/corpus.toml), which lie outside this one.

    python scripts/corpus.py fetch [REPOSITORY ...]   check out the commits that the list names
    python scripts/corpus.py check [REPOSITORY ...]   upgrade each tree; count what went wrong
    python scripts/corpus.py run   [REPOSITORY ...]   programs on TF 1.15.5, upgraded on TF 2.21

--root, or else MIGRATE_CORPUS, says where the trees lie. Nothing of them is ever committed. `check`
and `run` need TensorFlow 2.21; `run` also a Python 3.7 with TF 1.15.5 (--tf1-python or
MIGRATE_TF1_PYTHON).
The programs of `run` are other people's: proxies point at a dead port, so that none of them
downloads anything; MNIST is synthetic, loops are shortened, and random ops depend on their shape
alone (migrate/parity/randomness.py), all of it alike on both sides. What is plotted is printed.
Folders with further packages that the programs import (SciPy, pandas) are named by
CORPUS_PACKAGES_1 and CORPUS_PACKAGES_2.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from corpus_check import check
from corpus_run import run
from corpus_trees import PROJECT, fetch, folder_of, repositories, root_option

sys.path.insert(0, str(PROJECT))


def main(argv: Iterable[str] | None = None) -> int:
    """Parse and dispatch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["fetch", "check", "run"])
    parser.add_argument("names", nargs="*", metavar="REPOSITORY", help="a part of its name")
    root_option(parser)
    parser.add_argument(
        "--mirrors", type=Path, help="fetch: a folder of git mirrors, OWNER+NAME/repo"
    )
    parser.add_argument("--tree", type=Path, action="append", help="check, run: any other folder")
    parser.add_argument("--report", type=Path, help="check: write the places here (JSON)")
    parser.add_argument("--level", default="native", choices=["native", "compat"])
    parser.add_argument("-j", "--jobs", type=int, default=0)
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--timeout", type=float, default=60, help="run: seconds a program may take")
    parser.add_argument("--limit", type=int, default=0, help="run: programs per repository")
    parser.add_argument("--results", type=Path, help="run: where the table goes (ROOT/results)")
    parser.add_argument("--match", default="", help="run: only paths that hold this text")
    options = parser.parse_args(None if argv is None else list(argv))
    if options.what == "fetch":
        return fetch(options.root, options.mirrors, options.names)
    if options.what == "check":
        trees = options.tree or [
            folder_of(options.root, name)
            for name, _ in repositories(options.names)
            if folder_of(options.root, name).is_dir()
        ]
        return check(trees, options.jobs, options.report, options.level)
    if not options.tf1_python:
        parser.error("no TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON or give --tf1-python")
    return run(
        options.root,
        [(tree.name, tree.resolve()) for tree in options.tree or ()]
        or [(name, folder_of(options.root, name)) for name, _ in repositories(options.names)],
        options.tf1_python,
        options.timeout,
        options.limit,
        options.match,
        options.level,
        options.results or options.root / "results",
    )


if __name__ == "__main__":
    sys.exit(main())

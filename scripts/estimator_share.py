"""How much of `tf.estimator` and contrib's Estimators the compat level keeps alive, by repository.

    python scripts/estimator_share.py [REPOSITORY ...] [--missing N]

The same as contrib_share.py, for `tf.estimator`, `tf.compat.v2.estimator`, `tf.feature_column` and
contrib's estimator, learn, tpu, feature_column, factorization and linear_optimizer.
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS.parent))
sys.path.insert(0, str(SCRIPTS))

import contrib_share  # noqa: E402
import corpus_trees  # noqa: E402

SPACES = (
    "tensorflow.estimator.",
    "tensorflow.compat.v2.estimator.",
    "tensorflow.python.estimator.",
    "tensorflow.feature_column.",
    *(
        f"tensorflow.contrib.{name}."
        for name in (
            "estimator",
            "factorization",
            "feature_column",
            "learn",
            "linear_optimizer",
            "tpu",
        )
    ),
)


def main() -> int:
    """Print the table; 1 where a lost reference has no finding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="REPOSITORY", help="a part of its name")
    corpus_trees.root_option(parser)
    parser.add_argument("--missing", type=int, default=0, metavar="N", help="the costliest names")
    options = parser.parse_args()
    total: collections.Counter[str] = collections.Counter()
    lost: collections.Counter[str] = collections.Counter()
    kinds = contrib_share.KINDS
    print("| repository | references | " + " | ".join(kinds) + " | share |")
    print("|---" * (len(kinds) + 3) + "|")
    for name, _ in corpus_trees.repositories(options.names):
        tree = corpus_trees.folder_of(options.root, name)
        if not tree.is_dir():
            print(f"{name}: not fetched", file=sys.stderr)
            continue
        found: collections.Counter[str] = collections.Counter()
        for _, endpoint, kind in contrib_share.places(tree, SPACES, b""):
            found[kind] += 1
            if kind not in ("shimmed", "moved"):
                lost[endpoint] += 1
        if found:
            print(contrib_share.row(name, found), flush=True)
            total.update(found)
    print(contrib_share.row("all", total))
    print(contrib_share.row("of 1.15.5", total - collections.Counter(older=total["older"])))
    for name, count in lost.most_common(options.missing):
        print(f"{count:5} {name}")
    return 1 if total["silent"] else 0


if __name__ == "__main__":
    sys.exit(main())

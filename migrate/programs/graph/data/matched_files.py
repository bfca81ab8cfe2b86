"""`tf.train.match_filenames_once` outside of queues: the names of the files that a pattern matches.

A local variable of a graph, so that all runs see the files that there were when it was initialized.
Where TF 2 makes a dataset of them, or shows them, `tf.io.matching_files` stands in its place: the
same names in the same order, once.

https://www.tensorflow.org/api_docs/python/tf/io/matching_files
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.spelled import Spelled, word

REASON = "tf.train.match_filenames_once isn't followed here"


@family(T + "train.match_filenames_once")
def matched(walker: Any, name: str, node: ast.Call) -> Value:
    """The op that finds files, as a program would write it.

    Raises:
        Spelled: it can be written.
        Blocked: it is made in a loop, a branch or a helper, or goes by another name.
    """
    root, *rest = ast.unparse(node.func).split(".")
    whole = rest == ["train", "match_filenames_once"]
    if not whole or walker.nested or walker.loops or walker.frame.region is None:
        raise Blocked(node, REASON)
    raise Spelled(node, REASON, [(node.func, word(f"{root}.matching_files"))])

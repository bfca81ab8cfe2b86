"""TFM112 dotted-name: a name of TF 1's in a string, which a program looks up when it runs.

`locate("tensorflow.layers.average_pooling1d")`, `eval("tf.train.AdamOptimizer")`, or a setting that
says `{"cell": "tf.contrib.rnn.LSTMCell"}`: no rewrite reaches a string, so the look-up fails, or
finds something else, on TF 2. Whole strings are reported, and what stands in the text that `eval`
or `exec` is given, where TF 2.21 has no such name; `tf.` in a program that stays on
`tensorflow.compat.v1` means that module.

https://www.tensorflow.org/guide/migrate
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate import symbols
from migrate.engine.findings import Applicability, Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, walk

DOTTED = Rule(
    "TFM112",
    "dotted-name",
    "a name of TF 1's in a string",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
)
_MAY = re.compile(r"""["'][^"'\n]*\b(?:tensorflow|tf)\.\w+""")
_NAME = re.compile(r"(?<![\w.])(tensorflow|tf)((?:\.[A-Za-z_]\w*)+)")
_RUN = frozenset({"eval", "exec"})


@DOTTED.file
def dotted_names(file: FileContext) -> Iterator[Result]:
    """Strings that name what TF 2.21 doesn't have."""
    if not file.tf1 or not _MAY.search(file.text):
        return
    code: set[int] = set()
    for call in all_of(file.tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _RUN:
            code |= {id(n) for arg in call.args for n in walk(arg)}
    for node in all_of(file.tree, ast.Constant):
        if not isinstance(node.value, str):
            continue
        whole = _NAME.fullmatch(node.value)
        found = [whole] if whole else _NAME.finditer(node.value) if id(node) in code else ()
        for match in found:
            message = _lost(file, match[1], match[2])
            if message:
                yield DOTTED.report(node, message, blocks=False)
                break


def _lost(file: FileContext, root: str, path: str) -> str:
    """What to say of a name that isn't found as it is written; empty where it is, or is no name."""
    name = "tensorflow" + path
    record = symbols.outcome(name)
    if record is None or record.kind not in ("function", "class") or record.target == name:
        return ""
    v1 = file.level is Level.COMPAT and root == "tf"
    if v1 and symbols.resolves("tensorflow.compat.v1" + path):
        return ""
    instead = ""
    if record.target is not None:
        instead = f"; it is tf{record.target.removeprefix('tensorflow')} there"
    elif isinstance(record.outcome, symbols.Shim):
        instead = f"; {record.outcome.module}.{path.rpartition('.')[2]} takes its place"
    return f"`{root}{path}` is looked up by this string, and TF 2.21 doesn't have it{instead}"

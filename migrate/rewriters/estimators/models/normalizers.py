"""A dropout as the `normalizer_fn` of a layer: it stands behind the layer, before its activation.

    net = layers.fully_connected(                  net = layers.fully_connected(
        net, 20, normalizer_fn=layers.dropout,         net, 20, activation_fn=None,
        normalizer_params={'keep_prob': 0.9})          biases_initializer=None)
                                                   net = layers.dropout(net, keep_prob=0.9)
                                                   net = tf.nn.relu(net)

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/layers.py
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.other_words import changed
from migrate.programs.graph.wording.spelled import Source, Spelled, Written
from migrate.rewriters.estimators.program import Program

DROPOUT = "tensorflow.contrib.layers.dropout"
UNSEEN = "`normalizer_fn` of a layer"
GONE = {
    "normalizer_fn": None,
    "normalizer_params": None,
    "activation_fn": "None",
    "biases_initializer": "None",
}


def dropped(program: Program, call: ast.Call) -> None:
    """See whether a layer's normalizer is a dropout, which may stand behind it.

    Raises:
        Spelled: it is.
        Blocked: it isn't seen with what.
    """
    words = {k.arg: k.value for k in call.keywords if k.arg is not None}
    function = words.get("normalizer_fn")
    if function is None or program.endpoint(program.scopes.value(function)) != DROPOUT:
        return
    params, activation = words.get("normalizer_params"), words.get("activation_fn")
    said: ast.expr = ast.Dict([], []) if params is None else program.scopes.value(params)
    keys = said.keys if isinstance(said, ast.Dict) else [None]
    texts = [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    root = program.page(call).root
    if len(texts) != len(keys) or len(words) != len(call.keywords) or not root:
        raise Blocked(function, UNSEEN)
    assert isinstance(said, ast.Dict)
    short = program.called(call).rpartition(".")[2]
    entries = dict(zip(texts, said.values, strict=True))
    none = isinstance(activation, ast.Constant) and activation.value is None
    if none or (activation is None and short.startswith("linear")):
        act = ""
    elif activation is None:
        act = f"{root}.nn.relu"
    else:
        act = program.source(activation)
        act = f"({act})" if isinstance(activation, ast.Lambda) else act
    name = program.source(program.scopes.value(function))
    given = "".join(f", {key}={program.source(value)}" for key, value in entries.items())
    stmt = program.scopes.statement(call)
    whole = isinstance(stmt, ast.Assign) and stmt.value is call and len(stmt.targets) == 1
    target = stmt.targets[0] if whole else None  # type: ignore[attr-defined]

    def written(source: Source) -> str:
        layer = changed(call, source, GONE)
        if not isinstance(target, ast.Name):
            out = f"{name}({layer}{given})"
            return f"{act}({out})" if act else out
        lines = [f"{target.id} = {layer}", f"{target.id} = {name}({target.id}{given})"]
        lines += [f"{target.id} = {act}({target.id})"] if act else []
        return f"\n{program.text.piece(stmt).indent}".join(lines)

    changes: list[Written] = [(stmt if isinstance(target, ast.Name) else call, written)]
    for argument, node in (("normalizer_fn", function), ("normalizer_params", params)):
        changes += _unread(program, argument, node)
    raise Spelled(call, UNSEEN, changes)


def _unread(program: Program, argument: str, node: ast.expr | None) -> list[Written]:
    """The statement that gives a normalizer its name, where no other layer has it.

    Raises:
        Blocked: what it names may be another thing where the layer is.
    """
    if not isinstance(node, ast.Name):
        return []
    found = program.scopes.lookup(node)
    stmt = found.node if found is not None and found.kind == "assign" else None
    if found is None or not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
        raise Blocked(node, UNSEEN)
    uses = program.scopes.uses(found, node.id)
    for use in uses:
        above = program.scopes.parents[id(use)]
        if not isinstance(above, ast.keyword) or above.arg != argument:
            raise Blocked(node, UNSEEN)
    return [(stmt, lambda source: "")] if uses == [node] else []

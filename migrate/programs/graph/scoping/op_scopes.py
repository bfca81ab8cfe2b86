"""`tf.op_scope(values, name, default)`, the oldest spelling of a name scope."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

OLD = (T + "op_scope", T + "python.framework.ops.op_scope")
REASON = "`op_scope` is the oldest spelling of a name scope"


def check(walker: Any) -> None:
    """See whether a program has one that `tf.name_scope` with one name says as well.

    Raises:
        Spelled: it has.
    """
    found: list[Written] = []
    for module in walker.files.order:
        roots = [
            a.asname or a.name
            for s in (module.tree.body if module.tree is not None else ())
            if isinstance(s, ast.Import)
            for a in s.names
            if a.name == "tensorflow"
        ]
        if found or not roots:
            continue  # another file's are next, when the walk begins anew
        for node in walk(module.tree):
            if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in OLD:
                written = _written(node, roots[0])
                if written is not None:
                    found.append((node, written))
    if found:
        raise Spelled(found[0][0], REASON, found)


def _written(node: ast.Call, root: str) -> Any:
    """How a call is written; None where what it computes of values might matter."""
    given = dict(zip(("values", "name", "default_name"), node.args, strict=False))
    given.update({k.arg or "": k.value for k in node.keywords})
    name, default = given.get("name"), given.get("default_name")
    values = given.get("values")
    plain = (ast.Name, ast.List, ast.Tuple, ast.Constant, ast.Attribute, ast.expr_context)
    if "" in given or values is None or not all(isinstance(n, plain) for n in walk(values)):
        return None
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        said = name
    elif not isinstance(default, ast.Constant) or not isinstance(default.value, str):
        return None
    elif name is None or isinstance(name, ast.Constant):
        said = default
    elif isinstance(name, ast.Name):

        def either(source: Source) -> str:
            return f"{root}.name_scope({source(default)} if {name.id} is None else {name.id})"

        return either
    else:
        return None
    return lambda source: f"{root}.name_scope({source(said)})"

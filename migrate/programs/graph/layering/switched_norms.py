"""``tf.cond(training, lambda: batch_norm(…, True), lambda: batch_norm(…, False, reuse=True))``.

The second finds the first one's variables: it is one batch normalization, switched by the
condition itself.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "a lambda makes variables"
SWITCHES = {
    T + "contrib.layers.batch_norm": "is_training",
    T + "contrib.slim.batch_norm": "is_training",
    T + "layers.batch_normalization": "training",
}


def check(walker: Any, node: ast.Lambda) -> None:
    """See whether a lambda is one of a condition's two ways, each of which normalizes the same.

    Raises:
        Spelled: it is.
    """
    stmt = walker.stmt
    for call in walk(stmt) if isinstance(stmt, ast.stmt) else ():
        if isinstance(call, ast.Call) and walker.endpoints.get(id(call.func)) == T + "cond":
            given = walker.bound(T + "cond", call)
            ways = [given.get("true_fn", given.get("fn1")), given.get("false_fn", given.get("fn2"))]
            if node in ways and "pred" in given:
                _one(walker, call, given["pred"], ways)


def _one(walker: Any, call: ast.Call, switch: ast.expr, ways: list[ast.expr | None]) -> None:
    bodies = [w.body for w in ways if isinstance(w, ast.Lambda) and not w.args.args]
    calls = [b for b in bodies if isinstance(b, ast.Call)]
    if len(calls) != 2 or not isinstance(switch, (ast.Name, ast.Attribute)):
        return
    ends = [walker.endpoints.get(id(c.func)) for c in calls]
    argument = SWITCHES.get(ends[0] or "")
    if (
        argument is None
        or ends[0] != ends[1]
        or any(k.arg is None for c in calls for k in c.keywords)
    ):
        return
    named = [{str(k.arg): k.value for k in c.keywords} for c in calls]
    own = [{a: named[i].pop(a, None) for a in (argument, "reuse")} for i in (0, 1)]
    same = [
        ([ast.dump(a) for a in c.args], {a: ast.dump(v) for a, v in given.items()})
        for c, given in zip(calls, named, strict=True)
    ]
    if same[0] != same[1] or len(calls[0].args) > 1:
        return
    for place, given in enumerate(own):
        flag, reuse = given[argument], given["reuse"]
        if flag is None or not (_is(flag, not place) or ast.dump(flag) == ast.dump(switch)):
            return
        if not (_is(reuse, True) if place else reuse is None or _is(reuse, None, False)):
            return
    first = calls[0]

    def written(source: Source) -> str:
        parts = [source(a) for a in first.args]
        for keyword in first.keywords:
            if keyword.arg != "reuse":
                value = switch if keyword.arg == argument else keyword.value
                parts.append(f"{keyword.arg}={source(value)}")
        return f"{source(first.func)}({', '.join(parts)})"

    raise Spelled(call, REASON, [(call, written)])


def _is(node: ast.expr | None, *values: object) -> bool:
    return isinstance(node, ast.Constant) and any(node.value is value for value in values)

"""Batch normalization by hand: ``ema.apply([mean, variance])`` of what `tf.nn.moments` gives.

As for other tensors, the averages are variables that begin at zero; they are written out with what
moves them, in the size of the offset that `tf.nn.batch_normalization` is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, outward, parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.optimizing.tensor_averages import ASKING, REASON
from migrate.programs.graph.own_nodes import function_around, own_nodes
from migrate.programs.graph.sizing.size_texts import trees
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

MADE = frozenset({T + "Variable", T + "get_variable"})
FILLED = frozenset({T + "zeros", T + "ones", T + "constant"})
# Their names are told (tf1_names.py).
SAVING = frozenset({"Saver", "Supervisor", "global_variables", "all_variables"})
NORMS = {
    T + "nn.batch_normalization": "offset",
    T + "nn.batch_norm_with_global_normalization": "beta",
}
NAMES = ("moving_mean", "moving_variance")


def check(walker: Any, made: ast.Call) -> None:
    """See whether an object keeps averages of a batch's moments, and nothing else.

    Raises:
        Spelled: it does, and nothing asks for the averages' names.
    """
    parents = parents_of(walker.tree)
    start = parents.get(id(made))
    home = function_around(walker.tree, made)
    root = getattr(getattr(made.func, "value", None), "value", None)
    if not isinstance(start, ast.Assign) or start.value is not made or root is None:
        return
    given = walker.bound(T + "train.ExponentialMovingAverage", made)
    owner = start.targets[0]
    scope: ast.AST = home or walker.tree
    if set(given) != {"decay"} or not isinstance(owner, ast.Name):
        return
    if not _steady(scope, owner.id, given["decay"]) or _asked(walker):
        return
    applied, averages = _uses(scope, owner, parents)
    if applied is None or len(applied.args) != 1 or applied.keywords:
        return
    listed = applied.args[0]
    tensors = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else []
    called = [n.id for n in tensors if isinstance(n, ast.Name)]
    moments = _moments(walker, scope, called)
    if len(called) != 2 or len(tensors) != 2 or moments is None:
        return
    size = _size(walker, scope)
    last: Any = max((start, parents[id(moments)]), key=lambda n: n.lineno)  # type: ignore[attr-defined]
    follows = _behind(scope, last)
    if size is None or follows is None or not follows.lineno <= applied.lineno:
        return

    stmt = next(n for n in outward(walker.tree, applied) if isinstance(n, ast.stmt))

    def moved(source: Source) -> str:
        tf, rate = source(root), f"{source(root)}.subtract(1.0, {source(given['decay'])})"
        each = [
            f"{tf}.assign_sub({name}, ({name} - {tensor}) * {rate})"
            for tensor, name in names.items()
        ]
        inner = f"\n{' ' * (stmt.col_offset + 4)}"
        return f"{tf}.group({inner}{f',{inner}'.join(each)})"

    names = dict(zip(called, (free(walker, name) for name in NAMES), strict=True))
    replaced: list[Written] = [(start, word("")), (applied, moved)]
    read = names
    if function_around(walker.tree, applied) is home and not _chosen(applied, scope):
        # TF 1 updates them in each run, and what reads them there mostly comes first.
        kept, read = _kept(scope, averages)
        read = {t: read.get(t) or free(walker, f"{names[t]}_before") for t in called}
        replaced += [(stmt, word("")) for stmt in kept]
        gone = {id(n) for stmt in kept for n in walk(stmt)}
        averages = [call for call in averages if id(call) not in gone]
    for call in averages:
        asked = call.args[0] if len(call.args) == 1 and not call.keywords else None
        if not isinstance(asked, ast.Name) or asked.id not in names:
            return
        replaced.append((call, word(read[asked.id])))

    def lines(source: Source) -> list[str]:
        tf = source(root)
        start = f"{tf}.Variable({tf}.zeros([{ast.unparse(size)}]), trainable=False, name="
        found = [
            f"{name} = {start}'moments/{part}/ExponentialMovingAverage')"
            for name, part in zip(names.values(), ("Squeeze", "Squeeze_1"), strict=True)
        ]
        if read is not names:
            values = ", ".join(f"{tf}.identity({name})" for name in names.values())
            found.append(f"{', '.join(read.values())} = {values}")
        return found

    inlined = _inlined(scope, applied)
    if inlined is not None:
        function, called_by = inlined
        replaced = [r for r in replaced if r[0] is not applied]
        replaced += [(function, word("")), (called_by, _body(function, called_by, moved))]
        follows = called_by
    raise Spelled(made, REASON, replaced, [(follows, lines)])


def _inlined(scope: ast.AST, applied: ast.Call) -> tuple[ast.FunctionDef, ast.Assign] | None:
    """A function that only updates and waits, and the one statement that calls it."""
    for function in _own(scope, ast.FunctionDef):
        match function:
            case ast.FunctionDef(
                body=[
                    ast.Assign([ast.Name(op)], value),
                    ast.With([ast.withitem(ast.Call(args=[ast.List([ast.Name(waits)])]), None)],
                             [ast.Return(ast.expr())]),
                ],
                decorator_list=[],
            ) if value is applied and op == waits and not _parameters(function):  # fmt: skip
                pass
            case _:
                continue
        uses = [n for n in _names(scope, function.name) if isinstance(n.ctx, ast.Load)]
        for stmt in _own(scope, ast.Assign):
            match stmt:
                case ast.Assign([_], ast.Call(ast.Name() as func, [], [])) if uses == [func]:
                    if not _names(scope, op):
                        return function, stmt
    return None


def _body(function: ast.FunctionDef, call: ast.Assign, moved: Any) -> Any:
    """What such a function does, in the place of its call."""
    updated, block = function.body
    assert isinstance(updated, ast.Assign)
    assert isinstance(block, ast.With)
    (given,) = block.body
    assert isinstance(given, ast.Return)
    pad = " " * call.col_offset

    def written(source: Source) -> str:
        assert given.value is not None
        return (
            f"{source(updated.targets[0])} = {moved(source)}\n"
            f"{pad}with {source(block.items[0].context_expr)}:\n"
            f"{pad}    {source(call.targets[0])} = {source(given.value)}"
        )

    return written


def _behind(scope: ast.AST, stmt: ast.stmt) -> ast.stmt | None:
    """The statement behind another one."""
    for node in walk(scope):
        for part in ("body", "orelse", "finalbody"):
            body = getattr(node, part, None)
            if isinstance(body, list) and stmt in body[:-1]:
                found: ast.stmt = body[body.index(stmt) + 1]
                return found
    return None


def _asked(walker: Any) -> bool:
    """Whether anything asks for the names of averages, or for all of a kind."""
    return any(
        getattr(n, "attr", getattr(n, "id", None)) in ASKING - SAVING
        for tree in (walker.tree, *trees(walker))
        for n in walk(tree)
    )


def _names(scope: ast.AST, name: str) -> list[ast.Name]:
    """Where a name of a function or a file stands, also in functions in it that read it."""
    found: list[ast.Name] = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Name) and node.id == name:
            found.append(node)
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
            bound = any(a.arg == name for a in _parameters(node))
            bound = bound or any(f.name == name for f in _own(node, ast.FunctionDef))
            inner = [] if bound else _names(node, name)
            if all(isinstance(n.ctx, ast.Load) for n in inner):
                found += inner
    return found


def _stores(scope: ast.AST, name: str) -> list[ast.Name]:
    return [n for n in _names(scope, name) if not isinstance(n.ctx, ast.Load)]


def _own(scope: ast.AST, kind: type) -> list[Any]:
    """The nodes of a kind that belong to a function itself."""
    return [n for n in own_nodes(scope) if type(n) is kind]


def _steady(scope: ast.AST, owner: str, decay: ast.expr) -> bool:
    """Whether an object has one name, and its decay means the same wherever it is written."""
    if any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Lambda)) for n in walk(decay)):
        return False
    read = [n.id for n in all_of(decay, ast.Name)]
    hidden = {a.arg for n in walk(scope) if n is not scope for a in _parameters(n)}
    own = {a.arg for a in _parameters(scope)}
    return len(_stores(scope, owner)) == 1 and all(
        len(_stores(scope, name)) + (name in own) <= 1 and name not in hidden for name in read
    )


def _parameters(node: ast.AST) -> list[ast.arg]:
    return (
        list(all_of(node.args, ast.arg)) if isinstance(node, (ast.FunctionDef, ast.Lambda)) else []
    )


def _uses(
    scope: ast.AST, owner: ast.Name, parents: dict[int, ast.AST]
) -> tuple[ast.Call | None, list[ast.Call]]:
    """The one call of `apply`, and those of `average`; None where there is anything else."""
    applied: list[ast.Call] = []
    averages: list[ast.Call] = []
    for use in _names(scope, owner.id):
        if use is owner:
            continue
        method = parents.get(id(use))
        call = parents.get(id(method))
        if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call):
            return None, []
        if call.func is not method or method.attr not in ("apply", "average"):
            return None, []
        (applied if method.attr == "apply" else averages).append(call)
    return (applied[0] if len(applied) == 1 else None), averages


def _chosen(call: ast.Call, scope: ast.AST) -> bool:
    """Whether a call stands in a lambda, as one way of a condition."""
    return any(holds(n, call) for n in all_of(scope, ast.Lambda))


def _kept(scope: ast.AST, averages: list[ast.Call]) -> tuple[list[ast.stmt], dict[str, str]]:
    """The statements that only give averages names, and these by the tensors."""
    stmts: list[ast.stmt] = []
    names: dict[str, str] = {}
    for stmt in _own(scope, ast.Assign):
        (target, *more), value = stmt.targets, stmt.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if more or not all(p in averages for p in parts) or len(parts) != len(targets):
            continue
        found = {
            part.args[0].id: one.id
            for part, one in zip(parts, targets, strict=True)
            if isinstance(part, ast.Call) and part.args and isinstance(part.args[0], ast.Name)
            if isinstance(one, ast.Name) and len(_stores(scope, one.id)) == 1
        }
        if len(found) == len(parts) and not found.keys() & names.keys():
            names |= found
            stmts.append(stmt)
    return stmts, names


def _moments(walker: Any, scope: ast.AST, called: list[str]) -> ast.Call | None:
    """The call of `tf.nn.moments` that alone binds two names."""
    found: list[ast.Call] = []
    for stmt in _own(scope, ast.Assign):
        match stmt:
            case ast.Assign([ast.Tuple([ast.Name(mean), ast.Name(variance)])], ast.Call() as call):
                if [mean, variance] == called and _is(walker, call, "nn.moments"):
                    found.append(call)
    given = walker.bound(T + "nn.moments", found[0]) if len(found) == 1 else {}
    once = all(len(_stores(scope, name)) == 1 for name in called)
    plain = given and not set(given) & {"keep_dims", "keepdims", "shift"}
    return found[0] if plain and once else None


def _is(walker: Any, call: ast.Call, endpoint: str) -> bool:
    return bool(walker.endpoints.get(id(call.func)) == T + endpoint)


def _size(walker: Any, scope: ast.AST) -> ast.expr | None:
    """The size of the offset with which the function's one normalization is done."""
    calls = [n for n in own_nodes(scope) if isinstance(n, ast.Call)]
    found = [c for c in calls if walker.endpoints.get(id(c.func)) in NORMS]
    if len(found) != 1:
        return None
    endpoint = walker.endpoints[id(found[0].func)]
    offset = walker.bound(endpoint, found[0]).get(NORMS[endpoint])
    if not isinstance(offset, ast.Name) or len(_stores(scope, offset.id)) != 1:
        return None
    for size in _sizes(walker, scope, offset.id):
        names = [n.id for n in all_of(size, ast.Name)]
        own = {a.arg for a in _parameters(scope)}
        if all(len(_stores(scope, n)) + (n in own) <= 1 for n in names):
            return size
    return None


def _sizes(walker: Any, scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """The one size in the shape of the variable that is bound to a name."""
    for stmt in _own(scope, ast.Assign):
        target, call = stmt.targets[0], stmt.value
        if not isinstance(target, ast.Name) or target.id != name or not isinstance(call, ast.Call):
            continue
        endpoint = walker.endpoints.get(id(call.func))
        if endpoint not in MADE:
            continue
        given = walker.bound(endpoint, call)
        shape = given.get("shape")
        start = given.get("initial_value")
        if isinstance(start, ast.Call) and walker.endpoints.get(id(start.func)) in FILLED:
            shape = walker.bound(walker.endpoints[id(start.func)], start).get("shape")
        if isinstance(shape, (ast.List, ast.Tuple)) and len(shape.elts) == 1:
            yield shape.elts[0]

"""A train op that a function may be given, ``run_epoch(sess, model, batches, model.train_op)``.

Where other calls give it nothing, ``tf.no_op()`` or None, the function is told whether it trains,
and takes the op of the object that it is given beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "an op that a function may be given"
WISH = "training"


def check(walker: Any, target: ast.AST, node: ast.Call) -> None:
    """See whether a function that runs a session is given an op at some calls.

    Raises:
        Spelled: it is, and does nothing with it but run it.
    """
    if not isinstance(target, ast.FunctionDef) or target.args.vararg or target.args.kwonlyargs:
        return
    calls = [n for n in all_of(walker.tree, ast.Call) if walker._module_function(n.func) is target]
    for param in target.args.args:
        if _default(target, param.arg) is not None and len(calls) < 2:
            continue
        found = _given(walker, target, param.arg, calls)
        if found is None:
            continue
        owner, attribute, places = found
        inside = _inside(target, param.arg, f"{owner}.{attribute}", _free(target, param.arg))
        if inside is not None:
            raise Spelled(node, REASON, [*places, *inside])


def _free(target: ast.FunctionDef, param: str) -> str:
    """What the parameter is called from now on."""
    taken = {getattr(n, "id", getattr(n, "arg", "")) for n in walk(target)}
    return param if WISH in taken else WISH


def _default(target: ast.FunctionDef, param: str) -> ast.expr | None:
    args = target.args
    names = [a.arg for a in args.args]
    return dict(zip(reversed(names), reversed(args.defaults), strict=False)).get(param)


def argument(target: ast.FunctionDef, call: ast.Call, param: str) -> ast.expr | None:
    """What a call gives a parameter, or its default; None where that isn't seen."""
    names = [a.arg for a in target.args.args]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        return None
    place = names.index(param)
    if place < len(call.args):
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg == param), _default(target, param))


def _nothing(walker: Any, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return walker.endpoints.get(id(node.func)) == T + "no_op" and not node.args
    return isinstance(node, ast.Constant) and node.value is None


def _given(
    walker: Any, target: ast.FunctionDef, param: str, calls: list[ast.Call]
) -> tuple[str, str, list[Written]] | None:
    """The parameter whose object has the op, the op's attribute, and the calls' new arguments."""
    names = [a.arg for a in target.args.args]
    new = _free(target, param)
    owners: set[tuple[str, str]] = set()
    places: list[Written] = []
    nothing = False
    default = _default(target, param)
    for call in calls:
        node = argument(target, call, param)
        if node is None:
            return None
        if _nothing(walker, node):
            nothing = True
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            said = [
                n
                for n in names
                if n != param
                and (a := argument(target, call, n)) is not None
                and ast.unparse(a) == node.value.id
            ]
            if len(said) != 1:
                return None
            owners.add((said[0], node.attr))
        else:
            return None
        if node is default:
            continue
        word_ = "False" if _nothing(walker, node) else "True"
        keyword = next((k for k in call.keywords if k.value is node), None)
        places.append((keyword, word(f"{new}={word_}")) if keyword else (node, word(word_)))
    if len(owners) != 1 or not (nothing or (default is not None and _nothing(walker, default))):
        return None
    arg = next(a for a in target.args.args if a.arg == param)
    if default is not None:
        if not _nothing(walker, default):
            return None
        places.append((default, word("False")))
    places.append((arg, word(new)))
    owner, attribute = owners.pop()
    return owner, attribute, places


def _inside(target: ast.FunctionDef, param: str, op: str, new: str) -> list[Written] | None:
    """The function's own text; None where it does more with the op than run it."""
    parents = parents_of(target)
    reads = [n for n in all_of(target, ast.Name) if n.id == param]
    if any(not isinstance(n.ctx, ast.Load) for n in reads):
        return None
    found: list[Written] = []
    fetched = 0
    for name in reads:
        outer = parents[id(name)]
        if isinstance(outer, ast.Compare):
            if len(outer.ops) != 1 or not _none(outer.comparators[0]):
                return None
            inner = isinstance(outer.ops[0], (ast.IsNot, ast.NotEq))
            found.append((outer, word(new if inner else f"not {new}")))
        elif isinstance(outer, (ast.If, ast.IfExp, ast.UnaryOp)):
            found.append((name, word(new)))
        elif isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Subscript):
            if not _asked(outer, param, parents):
                return None
            found.append((name, word(op)))
        elif _asked(_statement(name, parents), param, parents):
            found.append((name, word(op)))  # here it is the object's
        elif isinstance(outer, (ast.List, ast.Tuple)):
            both = _ways(outer, name, op, new, parents)
            if both is None:
                return None
            found.append(both)
            fetched += 1
        else:
            return None
    return found if fetched < 2 else None


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _statement(node: ast.AST, parents: dict[int, ast.AST]) -> ast.AST:
    """The statement that an expression stands in."""
    while not isinstance(node, ast.stmt):
        node = parents[id(node)]
    return node


def _asked(stmt: ast.AST, param: str, parents: dict[int, ast.AST]) -> bool:
    """Whether a statement stands where the op was asked for."""
    outer = parents.get(id(stmt))
    if not isinstance(outer, ast.If) or stmt not in outer.body:
        return False
    test = outer.test
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.IsNot, ast.NotEq)) and ast.unparse(test.left) == param
    return isinstance(test, ast.Name) and test.id == param


def _ways(
    listed: ast.List | ast.Tuple,
    name: ast.Name,
    op: str,
    new: str,
    parents: dict[int, ast.AST],
) -> Written | None:
    """``a, b, _ = sess.run([x, y, op], feed)`` with the op and without it."""
    call = parents.get(id(listed))
    stmt = parents.get(id(call)) if call is not None else None
    if not isinstance(call, ast.Call) or not isinstance(stmt, ast.Assign) or stmt.value is not call:
        return None
    target = stmt.targets[0]
    if not isinstance(target, (ast.Tuple, ast.List)) or len(stmt.targets) > 1:
        return None
    place = listed.elts.index(name)
    idle = target.elts[place] if len(target.elts) == len(listed.elts) else None
    if not isinstance(idle, ast.Name) or set(idle.id) != {"_"} or len(listed.elts) < 2:
        return None
    return stmt, _written(stmt, listed, name, target, op, new)


def _written(
    stmt: ast.Assign,
    listed: ast.List | ast.Tuple,
    name: ast.Name,
    target: ast.Tuple | ast.List,
    op: str,
    new: str,
) -> Callable[[Source], str | None]:
    def text(source: Source) -> str | None:
        whole, fetches = source(stmt), source(listed)
        if whole.count(fetches) != 1 or not fetches.startswith(("[", "(")):
            return None
        if source(target) not in whole:
            return None
        place = listed.elts.index(name)
        rest = [source(e) for i, e in enumerate(listed.elts) if i != place]
        left = [source(e) for i, e in enumerate(target.elts) if i != place]
        alone = len(rest) == 1
        less = rest[0] if alone else f"[{', '.join(rest)}]"
        all_ = [source(e) if i != place else op for i, e in enumerate(listed.elts)]
        first = whole.replace(fetches, f"[{', '.join(all_)}]")
        head = source(target)
        second = ", ".join(left) + whole[len(head) :].replace(fetches, less)
        indent = " " * stmt.col_offset
        unit = "    "
        bodies = ["\n".join(_deeper(t, unit)) for t in (first, second)]
        return f"if {new}:\n{indent}{unit}{bodies[0]}\n{indent}else:\n{indent}{unit}{bodies[1]}"

    return text


def _deeper(text: str, unit: str) -> list[str]:
    first, *rest = text.split("\n")
    return [first, *(unit + line if line.strip() else line for line in rest)]

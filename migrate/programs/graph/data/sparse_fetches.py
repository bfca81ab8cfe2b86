"""A sparse tensor that is fetched: its three parts, of which the program makes TF 1's tuple.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/compat/v1/SparseTensorValue
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.data.sparse import READ, SIMPLE, SPARSE, Before, Written
from migrate.programs.graph.model import Blocked, Fetch, Kind, Value
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled

VALUE = "SparseTensorValue"
TUPLE = f"{VALUE} = collections.namedtuple('{VALUE}', ['indices', 'values', 'dense_shape'])"


def fetched(walker: Any, call: ast.Call, fetch: Fetch) -> None:
    """See whether a sparse tensor is fetched.

    Raises:
        Spelled: its parts may be fetched instead.
        Blocked: it stands among other fetches.
    """
    if not any(_has(leaf.value) for leaf in fetch.leaves()):
        return
    node, reason = fetch.node, "a sparse tensor is fetched beside others"
    run = isinstance(call.func, ast.Attribute) and call.func.attr == "run"
    if not run:
        _evaluated(walker, call, fetch, reason)
    if not run or not call.args or call.args[0] is not node:
        raise Blocked(node, reason)
    one: ast.expr = node
    if isinstance(node, (ast.List, ast.Tuple)):
        if _several(fetch):
            _among(walker, call, node, fetch, reason)
        one = node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else node
    value = fetch.items[0].value if one is not node and fetch.items else fetch.value
    alone = _alone(value)
    if alone is None or not isinstance(one, SIMPLE) or (alone and one is not node):
        raise Blocked(node, reason)
    before = _defined(walker, call)

    def written(source: Source) -> str:
        func, own = source(call.func), source(node)
        tail = source(call)[len(func) :]
        rest = tail[tail.index(own) + len(own) :]
        text = f"{VALUE}(*{func}({_parts(source(one) + alone)}{rest})"
        return text if one is node and not alone else f"[{text}]"

    raise Spelled(call, reason, [(call, written)], before)


def _parts(own: str) -> str:
    """What is fetched of a sparse tensor."""
    return f"[{', '.join(f'{own}.{part}' for part in READ)}]"


def _parts_of(node: ast.expr, alone: str) -> Callable[[Source], str]:
    """The same, as what is written for a sparse tensor."""
    return lambda source: _parts(source(node) + alone)


def _alone(value: Value) -> str | None:
    """What names a sparse tensor in a value: nothing where it is one, ``[0]`` of a list of one."""
    if value.data == SPARSE:
        return ""
    items = value.items or []
    return "[0]" if [(at, item.data) for at, item in items] == [(0, SPARSE)] else None


def _several(fetch: Fetch) -> bool:
    """Whether a run computes something: constants are read one by one, and not in inner lists."""
    return any(leaf.value.kind is not Kind.CONST for leaf in fetch.leaves())


def _evaluated(walker: Any, call: ast.Call, fetch: Fetch, reason: str) -> None:
    """``sparse.eval()`` of a constant: so are its parts.

    Raises:
        Spelled: it is that.
    """
    node = fetch.node
    constant = fetch.value.data == SPARSE and fetch.value.kind is Kind.CONST
    if not constant or not isinstance(node, SIMPLE) or call.args or call.keywords:
        return

    def written(source: Source) -> str:
        return f"{VALUE}({', '.join(f'{source(node)}.{part}.eval()' for part in READ)})"

    raise Spelled(call, reason, [(call, written)], _defined(walker, call))


def _among(
    walker: Any, call: ast.Call, node: ast.List | ast.Tuple, fetch: Fetch, reason: str
) -> None:
    """``loss, found = sess.run([loss_op, sparse])``: its parts are fetched, and made one behind it.

    Raises:
        Spelled: the sparse tensors get names of their own.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.Assign) or stmt.value is not call or len(stmt.targets) > 1:
        return
    target, items = stmt.targets[0], fetch.items or []
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if len(names) != len(node.elts) or len(items) != len(names):
        return
    written: list[Written] = []
    lines = []
    for name, at, item in zip(names, node.elts, items, strict=True):
        if not _has(item.value):
            continue
        alone = _alone(item.value)
        if alone is None or not isinstance(at, SIMPLE) or not isinstance(name, ast.Name):
            return
        written.append((at, _parts_of(at, alone)))
        made = f"{VALUE}(*{name.id})"
        lines.append(f"{name.id} = {f'[{made}]' if alone else made}")
    if any(isinstance(n, ast.Starred) for n in names) or len({*lines}) < len(lines):
        return
    text = "".join(f"\n{' ' * stmt.col_offset}{line}" for line in lines)
    end = (stmt.end_lineno or stmt.lineno, stmt.end_col_offset or 0)
    written.append((known_branches.span(end, end), lambda _: text))
    raise Spelled(call, reason, written, _defined(walker, call))


def _defined(walker: Any, call: ast.Call) -> list[Before]:
    """What a session gave for a sparse tensor, as a tuple of the module's own.

    Raises:
        Blocked: the module has that name for something else.
    """
    body = walker.files.at(call).tree.body
    made = [s for s in body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == VALUE]
    if made and ast.unparse(made[0]) == TUPLE:
        return []
    if made or VALUE in _names_of(walker.files.at(call).tree):
        raise Blocked(call, f"the module has a `{VALUE}` of its own")
    imports = [s for s in body if isinstance(s, (ast.Import, ast.ImportFrom))]
    first = next((s for s in imports if getattr(s, "module", "") != "__future__"), None)
    rest = body[body.index(imports[-1]) + 1 :] if imports else []
    if first is None or not rest:
        raise Blocked(call, "a sparse tensor is fetched where nothing is imported")
    has = any(a.name == "collections" and not a.asname for s in imports for a in s.names)
    apart = ["", ""] if isinstance(rest[0], (ast.FunctionDef, ast.ClassDef)) else []
    found: list[Before] = [(rest[0], lambda _: [TUPLE, *apart])]
    return found if has else [(first, lambda _: ["import collections"]), *found]


def _names_of(tree: ast.Module) -> set[str]:
    """What a file, of several that may have that tuple each, calls by a name of its own."""
    found = {n.id for n in all_of(tree, ast.Name)} | {n.arg for n in all_of(tree, ast.arg)}
    found |= {(a.asname or a.name) for a in all_of(tree, ast.alias)}
    return found | {n.name for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}


def _has(value: Value) -> bool:
    """Whether a value is a sparse tensor, or has one in it."""
    return value.data == SPARSE or any(_has(item) for _, item in value.items or ())

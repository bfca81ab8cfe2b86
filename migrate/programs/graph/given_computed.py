"""A tensor of placeholders that an object is given: it is given these, and computes it.

``support = tf.SparseTensor(indices, values, shape)`` above ``net = Net(support)`` is a statement of
``Net.__init__``, which is given the placeholders.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph import bases, known_branches, meaning, sparse
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.spelled import Spelled, Written, word


def check(walker: Any, target: ast.FunctionDef, name: str, call: ast.AST, reason: str) -> None:
    """See whether what an ``__init__`` is given is computed above, for it alone.

    Raises:
        Spelled: it may be computed there.
    """
    if target.name != "__init__" or not isinstance(call, ast.Call) or not target.body:
        return
    calls = known_branches.every(walker, target)
    itself = ast.copy_location(ast.Name("self", ast.Load()), call.func)
    given = known_branches.place(
        target, ast.Call(call.func, [itself, *call.args], call.keywords), name
    )
    if len(calls) != 1 or not isinstance(given, ast.Name):
        return
    scope = walker.frame.node
    stmt = _made(scope, given)
    if stmt is None or not isinstance(stmt.value, ast.Call):
        return
    endpoint = walker.endpoints.get(id(stmt.value.func), "")
    op = meaning.is_op(endpoint) or endpoint in sparse.GIVING
    if not op or endpoint in meaning.STATEFUL or _odd(walker, stmt.value):
        return
    parts = list(dict.fromkeys(n.id for n in all_of(stmt.value, ast.Name) if _part(walker, n)))
    taken = {n.id for n in all_of(target, ast.Name)} | {a.arg for a in all_of(target, ast.arg)}
    home = next(c for c in all_of(walker.tree, ast.ClassDef) if target in c.body)
    taken |= {n.attr for c in bases.family(walker, home) for n in all_of(c, ast.Attribute)}
    heads = {n.id for n in all_of(stmt.value.func, ast.Name)}
    if not parts or taken & set(parts) or not _imports(walker, target, heads):
        return
    (param,) = [a for a in target.args.args if a.arg == name]
    place = next((k for k in call.keywords if k.value is given), given)
    said = ", ".join(f"{p}={p}" for p in parts) if place is not given else ", ".join(parts)
    head = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == given.id]
    replaced: list[Written] = [(param, word(", ".join(parts))), (place, word(said))]
    if len(head) == 2:  # it is made for this alone
        replaced.append((stmt, word("")))
    first = target.body[ast.get_docstring(target) is not None]
    own = target.args.args[0].arg
    lines = [f"{own}.{part} = {part}" for part in parts]
    lines.append(f"{name} = {ast.unparse(stmt.value)}")
    raise Spelled(call, reason, replaced, [(first, lambda _: lines)])


def _made(scope: ast.AST, name: ast.Name) -> ast.Assign | None:
    """The one statement that gives a name its value, in the scope's own block."""
    stores = [
        n for n in all_of(scope, ast.Name) if n.id == name.id and not isinstance(n.ctx, ast.Load)
    ]
    found = [
        s for s in getattr(scope, "body", []) if isinstance(s, ast.Assign) and s.targets == stores
    ]
    return found[0] if len(stores) == 1 and found else None


def _part(walker: Any, node: ast.Name) -> bool:
    """Whether a name is a placeholder's."""
    symbol = walker.frame.env.get(node.id)
    value: Value | None = symbol.value if symbol is not None else None
    return value is not None and value.kind is Kind.PLACEHOLDER and value.symbol is symbol


def _odd(walker: Any, node: ast.Call) -> bool:
    """Whether an op is given anything but placeholders and constants."""
    given = [*node.args, *(k.value for k in node.keywords)]
    if any(k.arg is None for k in node.keywords):
        return True
    return not all(_plain(walker, n) for n in given)


def _plain(walker: Any, node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return _part(walker, node)
    if isinstance(node, ast.Attribute):
        return id(node) in walker.endpoints
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.expr_context)
    return isinstance(node, kinds) and all(_plain(walker, n) for n in children(node))


def _imports(walker: Any, target: ast.FunctionDef, heads: set[str]) -> bool:
    """Whether a method's file has TensorFlow under the same name."""
    tree = walker.files.at(target).tree
    names = {
        a.asname or a.name
        for s in tree.body
        if isinstance(s, ast.Import)
        for a in s.names
        if a.name.startswith("tensorflow")
    }
    return heads <= names

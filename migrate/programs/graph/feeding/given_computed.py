"""A tensor of placeholders that an object is given: it is given these, and computes it.

``support = tf.SparseTensor(indices, values, shape)`` above ``net = Net(support)`` is a statement of
``Net.__init__``, which is given the placeholders.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.data import sparse
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Gone, Outer, Source, Spelled, Written, word

WIDE = 88


def check(walker: Any, target: ast.FunctionDef, name: str, call: ast.AST, reason: str) -> None:
    """See whether what an ``__init__`` is given is computed above, for it alone.

    Raises:
        Spelled: it may be computed there.
    """
    if not isinstance(call, ast.Call) or not target.body:
        return
    calls = known_branches.every(walker, target)
    itself = ast.copy_location(ast.Name("self", ast.Load()), call.func)
    given = known_branches.place(
        target, ast.Call(call.func, [itself, *call.args], call.keywords), name
    )
    if len(calls) != 1 or given is None:
        return
    scope = walker.frame.node
    stmt = _made(scope, given) if isinstance(given, ast.Name) else None
    value = stmt.value if stmt is not None else given
    chain: dict[int, ast.Assign] = {}
    if not _computed(walker, value, target, chain):
        return
    above = sorted(chain.values(), key=lambda s: s.lineno)
    used = [
        n
        for v in (*(s.value for s in above), value)
        for n in all_of(v, ast.Name)
        if id(n) not in walker.endpoints
    ]
    parts = list(dict.fromkeys(n.id for n in used if _part(walker, n)))
    taken = {n.id for n in all_of(target, ast.Name)} | {a.arg for a in all_of(target, ast.arg)}
    taken.discard(name)  # which is theirs from then on
    trees = [m.tree for m in walker.files.order if m.tree is not None]
    home = next(c for tree in trees for c in all_of(tree, ast.ClassDef) if target in c.body)
    taken |= {n.attr for c in bases.family(walker, home) for n in all_of(c, ast.Attribute)}
    names = {_name(s) for s in above}
    heads = {n.id for n in used} - {*parts, *names}
    heads -= {n.id for n in used if _constant(walker, n, target)}
    if not parts or taken & {*parts, *names} or name in names:
        return
    if not _imports(walker, target, heads):
        return
    (param,) = [a for a in target.args.args if a.arg == name]
    place = next((k for k in call.keywords if k.value is given), given)
    said = ", ".join(f"{p}={p}" for p in parts) if place is not given else ", ".join(parts)
    replaced: list[Written] = [(param, word(", ".join(parts))), (place, word(said))]
    gone: list[ast.AST] = [given]
    here = walker.files.at(target) is walker.files.at(call)
    for one in reversed([*above, *([stmt] if stmt is not None else [])]):
        made = _name(one)
        reads = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == made]
        if sum(not any(holds(g, n) for g in gone) for n in reads) == 1:  # for this alone
            replaced.append((one, word(Gone() if here else "")))
            gone.append(one.value)
    first = target.body[ast.get_docstring(target) is not None]
    own = target.args.args[0].arg

    def before(source: Source) -> list[str]:
        text = source if here else ast.unparse  # another file's isn't at hand there
        lines = [f"{own}.{part} = {part}" for part in parts]
        for one in [*above, *([stmt] if stmt is not None else [])]:
            lines += _comments(source, one) if here and one.value in gone else []
            lines += _lines(f"{name if one is stmt else _name(one)} = {text(one.value)}")
        if stmt is None:
            lines += _lines(f"{name} = {text(value)}")
        return [Outer(line) for line in lines]

    raise Spelled(call, reason, replaced, [(first, before)])


def _comments(source: Source, stmt: ast.stmt) -> list[str]:
    """The comments right above a statement."""
    found: list[str] = []
    line = stmt.lineno - 1
    while line > 0:
        text = source(known_branches.span((line, 0), (line + 1, 0))).rstrip()
        if text[: stmt.col_offset + 1] != f"{' ' * stmt.col_offset}#":
            break
        found.insert(0, text.lstrip())
        line -= 1
    return found


def _lines(text: str) -> list[str]:
    """A statement's lines; one line, where that is as it would be written."""
    whole = " ".join(text.split())
    if "#" not in text and len(whole) < WIDE and not re.search(r"[(\[{] | ,|, [)\]}]", whole):
        return [whole]
    head, *rest = text.split("\n")
    return [head, *(f"    {line.lstrip()}" for line in rest)]


def _name(stmt: ast.Assign) -> str:
    return ast.unparse(stmt.targets[0])


def _made(scope: ast.AST, name: ast.Name) -> ast.Assign | None:
    """The one statement that gives a name its value, in the scope's own block."""
    stores = [
        n for n in all_of(scope, ast.Name) if n.id == name.id and not isinstance(n.ctx, ast.Load)
    ]
    found = [s for s in _body(scope) if isinstance(s, ast.Assign) and s.targets == stores]
    return found[0] if len(stores) == 1 and found else None


def _body(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a scope that run once whenever it does."""
    for stmt in getattr(scope, "body", []):
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _body(stmt)


def _part(walker: Any, node: ast.Name) -> bool:
    """Whether a name is a placeholder's."""
    symbol = walker.frame.env.get(node.id)
    value: Value | None = symbol.value if symbol is not None else None
    return value is not None and value.kind is Kind.PLACEHOLDER and value.symbol is symbol


def _computed(
    walker: Any, node: ast.AST, target: ast.FunctionDef, chain: dict[int, ast.Assign]
) -> bool:
    """Whether a tensor is computed of placeholders and constants alone, and not drawn.

    The statements that give what it is computed of a name are put into ``chain``.
    """

    def plain(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            if _part(walker, node) or _constant(walker, node, target):
                return True
            made = _made(walker.frame.node, node)
            if made is None or not _computed(walker, made.value, target, chain):
                return False
            chain[id(made)] = made
            return True
        if isinstance(node, ast.Attribute):
            return id(node) in walker.endpoints
        if isinstance(node, (ast.Call, ast.BinOp)):
            return _computed(walker, node, target, chain)
        kinds = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.unaryop)
        return isinstance(node, kinds) and all(plain(n) for n in children(node))

    if isinstance(node, ast.BinOp):
        return plain(node.left) and plain(node.right)
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return False
    endpoint = walker.endpoints.get(id(node.func), "")
    op = meaning.is_op(endpoint) or endpoint in sparse.GIVING
    if not op or endpoint in meaning.STATEFUL:
        return False
    return all(plain(n) for n in (*node.args, *(k.value for k in node.keywords)))


def _constant(walker: Any, node: ast.Name, target: ast.FunctionDef) -> bool:
    """Whether a name is a value of Python's that the method's module binds once, as a constant."""
    tree = walker.frame.node
    symbol = walker.frame.env.get(node.id)
    if not isinstance(tree, ast.Module) or walker.files.at(target) is not walker.files.at(node):
        return False
    if symbol is None or symbol.value.kind is not Kind.HOST:
        return False
    stores = [
        n for n in all_of(tree, ast.Name) if n.id == node.id and not isinstance(n.ctx, ast.Load)
    ]
    found = [s for s in tree.body if isinstance(s, ast.Assign) and s.targets == stores]
    return len(found) == 1 and len(stores) == 1


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

"""Lists of tensors that are written out, and loops over them that only make summaries.

``losses = [decay, error]`` and ``for l in losses + [total]: tf.summary.scalar(l.op.name, l)``: each
tensor has a summary under the name of its op, which TF 2 doesn't know. Where the author named the
ops, the loop's statements are written for each of them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import constants
from migrate.programs.graph.meaning import T
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

MOST = 12  # tensors
# A part of a list, and the statement that puts it there; lists by their names.
Put = tuple[ast.expr, ast.stmt | None]
Lists = dict[str, list[Put]]
INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
BLOCKS = (ast.For, ast.While, ast.If, ast.Try)
SUMMARIES = frozenset((T + "summary.scalar", T + "summary.histogram"))


def elements(walker: Any, node: ast.expr | None) -> list[ast.expr] | None:
    """The names in a list that is written out, or that statements fill one after the other.

    Raises:
        Spelled: what is put into it has no name, and gets one.
    """
    if node is None:
        return None
    home = function_around(walker.tree, node) or walker.files.at(node).tree
    lists: Lists = {}
    for stmt in _plain(home.body):
        if holds(stmt, node):
            break
        _filled(stmt, lists)
    else:
        return None
    puts = _parts(node, lists)
    if not puts or _elsewhere(home, stmt, node, lists):
        return None
    if all(isinstance(part, ast.Call) or _once(walker, part) for part, _ in puts):
        _named(walker, node, puts)
        return [part for part, _ in puts]
    return None


def _elsewhere(home: ast.AST, stmt: ast.stmt, node: ast.expr, lists: Lists) -> bool:
    """Whether inner functions see a list, or a loop around its reader may change it."""
    said = {n.id for n in all_of(node, ast.Name)} & lists.keys()
    names = {other for name in said for other, parts in lists.items() if parts is lists[name]}
    inner = [n for n in walk(home) if isinstance(n, INNER) and n is not home]
    if any(n.id in names for one in inner for n in all_of(one, ast.Name)):
        return True
    for n in walk(stmt) if isinstance(stmt, BLOCKS) else ():
        if isinstance(n, (ast.Attribute, ast.Subscript, ast.AugAssign)):
            changed = n.target if isinstance(n, ast.AugAssign) else n.value
            if isinstance(changed, ast.Name) and changed.id in names:
                return True
        elif isinstance(n, ast.Name) and n.id in names and not _load(n):
            return True
    return False


def _plain(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that are executed once, one after the other."""
    for stmt in body:
        if isinstance(stmt, ast.With):
            yield from _plain(stmt.body)
        else:
            yield stmt


def _parts(node: ast.expr, lists: Lists) -> list[Put] | None:
    """What is in a list."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [(part, None) for part in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, second = _parts(node.left, lists), _parts(node.right, lists)
        return [*first, *second] if first is not None and second is not None else None
    return lists.get(node.id) if isinstance(node, ast.Name) else None


def _filled(stmt: ast.stmt, lists: Lists) -> None:
    """What a statement does with lists."""
    match stmt:
        case ast.Assign([ast.Name(name)], value) if (parts := _parts(value, lists)) is not None:
            lists[name] = parts  # an alias is the same list
        case ast.AugAssign(ast.Name(name), ast.Add(), value) if name in lists:
            parts = _parts(value, lists)
            if parts is None:
                _lost(name, lists)
            else:
                lists[name].extend(list(parts))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [item], [])):
            if name in lists:
                lists[name].append((item, stmt))
        case ast.Assign() | ast.Expr() | ast.Return():
            for n in walk(stmt):
                if isinstance(n, ast.Name) and not _load(n):
                    lists.pop(n.id, None)
                elif isinstance(n, (ast.Attribute, ast.Subscript)):
                    changed = isinstance(n, ast.Attribute) or not isinstance(n.ctx, ast.Load)
                    if changed and isinstance(n.value, ast.Name):
                        _lost(n.value.id, lists)
        case _:
            for n in all_of(stmt, ast.Name):
                _lost(n.id, lists)


def _lost(name: str, lists: Lists) -> None:
    """What is in a list isn't told any more, whatever it is called."""
    for other in [n for n, parts in lists.items() if parts is lists.get(name)]:
        del lists[other]


def _named(walker: Any, node: ast.expr, puts: list[Put]) -> None:
    """What a call gives to a list gets a name of its own.

    Raises:
        Spelled: there is such a call.
    """
    names: list[str] = []
    replaced: list[Written] = []
    before: list[tuple[ast.stmt, Any]] = []
    for part, stmt in puts:
        if not isinstance(part, ast.Call) or stmt is None:
            continue
        said = next((k.value for k in part.keywords if k.arg == "name"), None)
        wish = said.value if isinstance(said, ast.Constant) else "part"
        wish = wish if isinstance(wish, str) and wish.isidentifier() else "part"
        names.append(free(walker, wish, names))
        replaced.append((part, word(names[-1])))
        before.append((stmt, partial(_line, names[-1], part)))
    if replaced:
        raise Spelled(node, "what is put into a list has no name", replaced, before)


def _line(name: str, part: ast.expr, source: Source) -> list[str]:
    return [f"{name} = {source(part)}"]


def _once(walker: Any, part: ast.expr) -> bool:
    """Whether a name is bound once where it is read."""
    if not isinstance(part, ast.Name):
        return False
    home = function_around(walker.tree, part) or walker.files.at(part).tree
    return sum(n.id == part.id and not _load(n) for n in all_of(home, ast.Name)) == 1


def _load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def op_name(walker: Any, part: ast.expr) -> str | None:
    """What TF 1 calls the op of a tensor under a name, where the author named it."""
    symbol = walker.symbol_of(part)
    made = symbol.step.node if symbol is not None else None
    if not isinstance(made, ast.Assign) or ast.unparse(made.targets[0]) != ast.unparse(part):
        return None
    known: dict[int, str | None] = walker.kept.get(("told ops",), {})
    return known.get(id(made.value)) if len(made.targets) == 1 else None


def around(walker: Any, node: ast.AST) -> ast.For | None:
    """The innermost loop around a node."""
    found = [n for n in all_of(walker.files.at(node).tree, ast.For) if holds(n, node)]
    return found[-1] if found else None


def check(walker: Any, node: ast.expr, reason: str) -> None:
    """See whether the loop around a node makes summaries of tensors of a list.

    Raises:
        Spelled: it does nothing else.
    """
    loop = around(walker, node)
    target = loop.target if loop is not None else None
    if loop is None or not isinstance(target, ast.Name) or loop.orelse:
        return
    if not any(ast.unparse(n) == f"{target.id}.op.name" for n in all_of(loop, ast.Attribute)):
        return
    parts = elements(walker, loop.iter)
    if not parts or len(parts) > MOST:
        return
    home = function_around(walker.tree, loop) or walker.files.at(loop).tree
    inside = {id(n) for n in walk(loop)}
    if any(n.id == target.id and id(n) not in inside for n in all_of(home, ast.Name)):
        return
    lines: list[tuple[ast.Call, list[tuple[ast.expr, str]]]] = []
    for part in parts:
        name = op_name(walker, part)
        for stmt in loop.body:
            edits = _summary(walker, stmt, target.id, ast.unparse(part), name)
            if edits is None:
                return
            lines.append(edits)

    def written(source: Source) -> list[str]:
        return [_edited(source, call, edits) for call, edits in lines]

    replaced: list[Written] = [(loop, word(""))]
    raise Spelled(node, reason, replaced, [(loop, written)])


def _summary(
    walker: Any, stmt: ast.stmt, own: str, part: str, name: str | None
) -> tuple[ast.Call, list[tuple[ast.expr, str]]] | None:
    """A summary of what a loop is at: what stands for the loop's name in it."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) not in SUMMARIES:
        return None
    given = walker.bound(walker.endpoints[id(call.func)], call)
    tag, data = given.get("name"), given.get("tensor", given.get("values"))
    if tag is None or data is None or len(given) != 2:
        return None

    class Tell(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            said = name is not None and ast.unparse(node) == f"{own}.op.name"
            return ast.Constant(name) if said else node

    text = constants.text_of(Tell().visit(copy.deepcopy(tag)))
    if text is None:
        return None
    quoted = f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else repr(text)
    reads = [n for n in all_of(data, ast.Name) if n.id == own]
    if any(not _load(n) for n in reads) or any(isinstance(n, ast.Lambda) for n in walk(data)):
        return None
    return call, [(tag, quoted), *((n, part) for n in reads)]


def _edited(source: Source, call: ast.Call, edits: list[tuple[ast.expr, str]]) -> str:
    """A call with other expressions in it, on one line."""
    text = source(call)
    if call.end_lineno == call.lineno and text.isascii():
        for node, new in sorted(edits, key=lambda e: -e[0].col_offset):
            lo, hi = (at - call.col_offset for at in (node.col_offset, node.end_col_offset or 0))
            text = text[:lo] + new + text[hi:]
        return text
    told = {id(node): new for node, new in edits}

    return ast.unparse(_put(call, told))


def _put(node: Any, told: dict[int, str]) -> Any:
    """A copy of a node with other expressions in it."""
    if id(node) in told:
        return ast.parse(told[id(node)], mode="eval").body
    if isinstance(node, list):
        return [_put(item, told) for item in node]
    if not isinstance(node, ast.AST):
        return node
    return type(node)(**{name: _put(value, told) for name, value in ast.iter_fields(node)})

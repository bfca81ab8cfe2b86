"""Placeholders that a loop lists, all of them fed together: one parameter, a list.

``holders.append(tf.placeholder(tf.float32))`` for each variable, and ``dict(zip(holders, grads))``
where they are fed: the gradients of several runs that one run applies.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import layer_variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Feed, Kind, Symbol, Value
from migrate.programs.graph.spelled import Source, Spelled, word

PLAIN = frozenset({"enumerate", "range", "len", "zip"})
REASON = "placeholders in a loop"


@dataclass(slots=True, eq=False, repr=False)
class Several:
    """What a list of placeholders is told by."""

    dtype: ast.expr


def is_one(value: Value) -> bool:
    """Whether a value is a list of placeholders."""
    return value.kind is Kind.PLACEHOLDER and isinstance(value.data, Several)


def check(walker: Any, call: ast.Call) -> None:
    """See whether a loop only puts placeholders into a list.

    Raises:
        Spelled: it does; a comprehension says the same.
    """
    loop = walker.sink.node
    if not isinstance(loop, ast.For) or loop.orelse or walker.frame.region is None:
        return
    *made, last = loop.body
    added = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(added, ast.Call) or not isinstance(added.func, ast.Attribute):
        return
    if added.func.attr != "append" or len(added.args) != 1 or len(made) > 1 or added.keywords:
        return
    holder, scope = added.args[0], walker.frame.node
    if made:
        (stmt,) = made
        plain = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and stmt.value is call
        name = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not plain or not isinstance(name, ast.Name) or not isinstance(holder, ast.Name):
            return
        uses = [n for n in all_of(scope, ast.Name) if n.id == name.id]
        if holder.id != name.id or len(uses) != 2:
            return
    elif holder is not call:
        return
    begun = _begun(scope, loop, ast.unparse(added.func.value))
    if begun is None:
        return
    into, target, items = added.func.value, loop.target, loop.iter

    def written(source: Source) -> str | None:
        rounds = f"for {source(target)} in {source(items)}"
        text = f"{source(into)} = [{' '.join(source(call).split())} {rounds}]"
        return None if "#" in source(loop) or "\n" in text else text

    raise Spelled(call, REASON, [(begun, word("")), (loop, written)])


def _begun(scope: ast.AST, loop: ast.For, said: str) -> ast.Assign | None:
    """The statement ``holders = []`` above a loop, with nothing of the list between the two."""
    for node in walk(scope):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or loop not in body:
            continue
        for stmt in reversed(body[: body.index(loop)]):
            if isinstance(stmt, ast.Assign) and ast.unparse(stmt.targets[0]) == said:
                empty = isinstance(stmt.value, ast.List) and not stmt.value.elts
                return stmt if empty and len(stmt.targets) == 1 else None
            if any(
                ast.unparse(n) == said
                for n in walk(stmt)
                if isinstance(n, (ast.Name, ast.Attribute))
            ):
                return None
    return None


def made(walker: Any, node: ast.ListComp) -> Value | None:
    """``[tf.placeholder(tf.float32) for v in variables]``, which only runs read; None: no such."""
    call, stmt = node.elt, walker.stmt
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "placeholder":
        return None
    if walker.nested or walker.loops or walker.frame.region is None or len(node.generators) > 1:
        return None
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return None
    (rounds,) = node.generators
    dtype = walker.bound(T + "placeholder", call).get("dtype")
    plain = isinstance(dtype, ast.Attribute) and id(dtype) in walker.endpoints
    calls = [n.func for n in all_of(rounds.iter, ast.Call)]
    if rounds.ifs or not plain or any(getattr(f, "id", "") not in PLAIN for f in calls):
        return None
    step = walker.sink
    uses, hosts = dict(step.uses), set(step.hosts)
    of = walker.expression(rounds.iter)
    listed = of.kind in (Kind.HOST, Kind.VARIABLE) or of.data == layer_variables.VARIABLES
    if not (listed or (of.kind is Kind.TENSOR and calls)) or not _read(walker, stmt.targets[0]):
        return None
    assert dtype is not None
    step.uses, step.hosts = uses, hosts  # nothing of it stays
    return Value(Kind.PLACEHOLDER, Several(dtype))


def _read(walker: Any, target: ast.expr) -> bool:
    """Whether all that reads a list goes through it beside another one."""
    said = target.id if isinstance(target, ast.Name) else getattr(target, "attr", None)
    places = [
        n
        for n in walk(walker.tree)
        if said in (getattr(n, "id", None), getattr(n, "attr", None)) and n is not target
    ]
    zipped = {
        id(a)
        for n in all_of(walker.tree, ast.Call)
        if isinstance(n.func, ast.Name) and n.func.id == "zip"
        for a in n.args
    }
    return said is not None and all(id(n) in zipped for n in places)


def fed(walker: Any, node: ast.expr) -> Value | None:
    """``dict(zip(holders, grads))``, or a comprehension of it; None: nothing is fed."""
    pair = _pair(node)
    if pair is None:
        return None
    key, values = pair
    if not isinstance(key, (ast.Name, ast.Attribute)):
        return None
    walker.keying = True
    known = walker.expression(key)
    walker.keying = False
    if not is_one(known) or known.symbol is None:
        return None
    given = walker.expression(values)
    if given.kind is not Kind.HOST:
        return None
    symbol: Symbol = known.symbol
    stmt, dtype = walker.stmt, known.data.dtype
    named = isinstance(stmt, ast.Assign) and stmt.value is node

    def written(writer: Any) -> str:
        module = getattr(writer, "module", writer)
        kind = f"{writer.tf}.{ast.unparse(dtype).partition('.')[2]}"
        text = f"[{writer.tf}.constant(g, {kind}) for g in {writer.source(values)}]"
        return f"{{{module.feed_key(symbol)}: {text}}}" if named else text

    walker.rewrites[id(node)] = written
    return Value(Kind.FEED, [Feed(symbol, node, key, given)], node=node)


def _pair(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What is fed, and with what."""
    inner: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
    elif isinstance(node, ast.DictComp) and len(node.generators) == 1:
        rounds = node.generators[0]
        names = rounds.target.elts if isinstance(rounds.target, ast.Tuple) else []
        said = [n.id if isinstance(n, ast.Name) else None for n in names]
        both = [getattr(node.key, "id", ""), getattr(node.value, "id", "")]
        inner = rounds.iter if said == both and not rounds.ifs else None
    if not isinstance(inner, ast.Call) or getattr(inner.func, "id", "") != "zip":
        return None
    if len(inner.args) != 2 or inner.keywords or isinstance(inner.args[1], ast.Starred):
        return None
    return inner.args[0], inner.args[1]

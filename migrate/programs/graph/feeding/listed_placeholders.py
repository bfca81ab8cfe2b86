"""Placeholders that a loop lists, all of them fed together: one parameter, a list.

``holders.append(tf.placeholder(tf.float32))`` for each variable, and ``dict(zip(holders, grads))``
where they are fed: the gradients of several runs that one run applies.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.feeding import fed_lists
from migrate.programs.graph.listing import layer_variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Feed, Kind, Symbol, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, word

PLAIN = frozenset({"enumerate", "range", "len", "zip"})
REASON = "placeholders in a loop"
FED = "placeholders of a list are fed in a loop"


@dataclass(slots=True, eq=False, repr=False)
class Several:
    """What a list of placeholders is told by."""

    dtype: ast.expr
    told: bool = False  # as a list of specs, which stays where it is


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
                return stmt if _empty(stmt.value) and len(stmt.targets) == 1 else None
            if any(
                ast.unparse(n) == said
                for n in walk(stmt)
                if isinstance(n, (ast.Name, ast.Attribute))
            ):
                return None
    return None


def _empty(node: ast.expr) -> bool:
    """``[]`` or ``list()``."""
    return ast.unparse(node) in ("[]", "list()")


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
    if not (listed or (of.kind is Kind.TENSOR and calls)):
        return None
    assert dtype is not None
    told = of.kind is Kind.HOST and _shaped(walker, call, rounds.target)
    if not _read(walker, stmt.targets[0], told=told):
        return None
    if not told:
        step.uses, step.hosts = uses, hosts  # nothing of it stays
    return Value(Kind.PLACEHOLDER, Several(dtype, told))


def unpacked(walker: Any, node: ast.expr) -> None:
    """``[x, y] = [tf.placeholder(tf.float32, [None, 1]) for _ in range(2)]``: each is made by name.

    Raises:
        Spelled: as many are made as there are names, all alike.
        Blocked: that isn't told.
    """
    stmt = walker.stmt
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) > 1:
        return
    call, rounds = node.elt, node.generators[0]
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "placeholder":
        return
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    if walker.frame.region is None or not isinstance(target, (ast.List, ast.Tuple)):
        return
    own = {n.id for n in all_of(rounds.target, ast.Name)}
    alike = not any(n.id in own for n in all_of(call, ast.Name))
    names = [n for n in target.elts if isinstance(n, (ast.Name, ast.Attribute))]
    counted = ast.unparse(rounds.iter) == f"range({len(names)})" and not rounds.ifs
    if walker.nested or not alike or not counted or names != target.elts:
        raise Blocked(node, REASON)

    def lines(source: Source) -> list[str]:
        made = " ".join(source(call).split())
        return [f"{source(name)} = {made}" for name in names]

    raise Spelled(node, REASON, [(stmt, word(""))], [(stmt, lines)])


def _shaped(walker: Any, call: ast.Call, target: ast.expr) -> bool:
    """Whether the placeholders' shapes are Python's values where they are made."""
    shape = walker.bound(T + "placeholder", call).get("shape")
    if shape is None:
        return True
    own = {n.id for n in all_of(target, ast.Name)}
    names = [n for n in all_of(shape, ast.Name) if n.id not in own]
    if any(getattr(n.func, "id", "") not in PLAIN for n in all_of(shape, ast.Call)):
        return False
    return all(walker.expression(n).kind is Kind.HOST for n in names if not hasattr(builtins, n.id))


def _read(walker: Any, target: ast.expr, *, told: bool) -> bool:
    """Whether all that reads a list goes through it beside another one, or takes some of it."""
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
    if said is None:
        return False
    others = [n for n in places if id(n) not in zipped]
    if not others:
        return True
    # The graph takes some of it: ``labels = train_data[1:]``.
    parents = parents_of(walker.tree)
    return (
        told
        and isinstance(target, ast.Name)
        and all(
            isinstance(n, ast.Name)
            and isinstance(up := parents.get(id(n)), ast.Subscript)
            and up.value is n
            and isinstance(up.ctx, ast.Load)
            for n in others
        )
    )


def filled(walker: Any, loop: ast.For) -> None:
    """``for i in range(n): feed[holders[i]] = batches[i]``, where as many holders were made.

    Raises:
        Spelled: the feed dict begins with all of them, ``feed = dict(zip(holders, …))``.
    """
    match loop:
        case ast.For(
            target=ast.Name(i),
            body=[
                ast.Assign(
                    targets=[
                        ast.Subscript(
                            ast.Name(feed), ast.Subscript(ast.Name() as held, ast.Name(k))
                        )
                    ],
                    value=given,
                )
            ],
            orelse=[],
        ) if i == k:
            pass
        case _:
            return
    symbol = walker.frame.env.get(held.id) or walker.module_frame().env.get(held.id)
    if symbol is None or not is_one(symbol.value):
        return
    begun, made_by = _opened(walker.frame.node, loop, feed), symbol.step.node
    rounds = made_by.value.generators[0] if isinstance(made_by.value, ast.ListComp) else None
    if begun is None or rounds is None or ast.unparse(rounds.iter) != ast.unparse(loop.iter):
        return
    if any(isinstance(n, (ast.Call, ast.Await, ast.NamedExpr)) for n in walk(given)):
        return
    if _read_behind(walker.frame.node, i) or not _stays(walker.tree, loop.iter):
        return

    def written(source: Source) -> str | None:
        values = f"{source(given)} for {source(loop.target)} in {source(loop.iter)}"
        text = f"{feed} = dict(zip({held.id}, [{values}]))"
        return None if "#" in source(loop) or "\n" in text else text

    raise Spelled(loop, FED, [(begun, word("")), (loop, written)])


def _stays(tree: ast.AST, items: ast.expr) -> bool:
    """Whether what a loop counts by is the same number wherever it is read."""
    names = {n.id for n in all_of(items, ast.Name)} - PLAIN
    attributes = {n.attr for n in all_of(items, ast.Attribute)}
    stored = [n for n in walk(tree) if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del))]
    bound = [n.id for n in stored if isinstance(n, ast.Name) and n.id in names]
    bound += [n.arg for n in all_of(tree, ast.arg) if n.arg in names]
    again = any(isinstance(n, ast.Attribute) and n.attr in attributes for n in stored)
    return len(bound) == len(set(bound)) and not again


def _read_behind(scope: ast.AST, name: str) -> bool:
    """Whether a loop's name is read outside of loops and comprehensions that bind it."""
    binding = [
        n
        for n in walk(scope)
        if isinstance(n, (ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        and any(
            isinstance(t, ast.Name) and t.id == name and isinstance(t.ctx, ast.Store)
            for t in walk(n)
        )
    ]
    inside = {id(n) for one in binding for n in walk(one)}
    return any(
        n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in inside
        for n in all_of(scope, ast.Name)
    )


def _opened(scope: ast.AST, loop: ast.For, feed: str) -> ast.Assign | None:
    """The statement ``feed = {}`` right above a loop."""
    for node in walk(scope):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list) and loop in body[1:]:
                before = body[body.index(loop) - 1]
                empty = isinstance(before, ast.Assign) and ast.unparse(before) in (
                    f"{feed} = {{}}",
                    f"{feed} = dict()",
                )
                return before if empty and isinstance(before, ast.Assign) else None
    return None


def fed(walker: Any, node: ast.expr) -> Value | None:
    """``dict(zip(holders, grads))``, or a comprehension of it; None: nothing is fed."""
    pair = _pair(node)
    if pair is None:
        return None
    key, values = pair
    if not isinstance(key, (ast.Name, ast.Attribute)):
        fed_lists.check(walker, node, key, values)
        return None
    walker.keying = True
    known = walker.expression(key)
    walker.keying = False
    if not is_one(known) or known.symbol is None:
        fed_lists.check(walker, node, key, values)
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
        if known.data.told:
            text = str(writer.source(values))
            text = text if isinstance(values, (ast.List, ast.ListComp)) else f"list({text})"
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

"""Forms that are followed once they are written in another one, with the same meaning in TF 1.

What is made where it is waited for gets a name in a statement of its own. The program is read
again with that; what stops it otherwise is told of the author's text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.meaning import VARIABLES, T
from migrate.programs.graph.model import Blocked, Kind, Symbol, Value

# From a node to its source; the changes: a node and its new source (nothing: its lines go; None: it
# can't be written), or a statement and the lines that stand before it.
Source = Callable[[ast.AST], str]
Written = tuple[ast.AST, Callable[[Source], str | None]]
NAMES = {"Assert": "assertion", "Print": "printed", "print": "printed"}


class Gone(str):
    """Written for a statement that goes, with the comments on it."""


class Outer(str):
    """A line that is written above a statement's comments."""


class Spelled(Blocked):
    """What would be followed if it were written otherwise."""

    def __init__(
        self,
        node: ast.AST,
        reason: str,
        replaced: Sequence[tuple[ast.AST, Callable[[Source], str | None]]],
        before: Sequence[tuple[ast.stmt, Callable[[Source], Sequence[str]]]] = (),
        otherwise: Spelled | None = None,
    ) -> None:
        super().__init__(node, reason)
        self.otherwise = otherwise  # where something can't be written so
        self.replaced = replaced
        self.before = before
        self.edits: Any = None  # of the file
        self.more: dict[str, Any] = {}  # of other files


def named_dependencies(walker: Any, listed: ast.expr, calls: Sequence[ast.Call]) -> None:
    """``with tf.control_dependencies([tf.Assert(…)])``: the op gets a name before the block.

    Raises:
        Spelled: always, but where the block isn't a statement of the graph's.
    """
    stmt = walker.stmt
    if walker.nested or walker.frame.region is None or not isinstance(stmt, ast.With):
        return
    if len(stmt.items) != 1:
        return
    parts = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else [listed]
    made = set(map(id, calls))
    outer = [
        part
        for part in parts
        if isinstance(part, ast.Call) and any(id(n) in made for n in walk(part))
    ]
    inner = {id(n) for part in outer for n in walk(part)}
    if any(id(call) not in inner for call in calls):
        return  # a part of something else
    named: list[tuple[ast.AST, str]] = []
    for call in outer:
        named.append((call, free(walker, _name(walker, call), [n for _, n in named])))
    raise Spelled(
        named[0][0],
        "an op that is made where it is waited for",
        [(call, word(name)) for call, name in named],
        [(stmt, lambda source: [f"{name} = {source(call)}" for call, name in named])],
    )


def first(walker: Any, stmt: ast.stmt, node: ast.expr, wish: str, reason: str) -> None:
    """``train(build())``: what a statement calls before anything else gets a name above it.

    Raises:
        Spelled: it is called first.
    """
    if not isinstance(stmt, (ast.Assign, ast.Expr, ast.Return)) or stmt.value is node:
        return
    inner = {id(n) for n in walk(node)}
    around = [n for n in all_of(stmt, ast.Call) if id(n) not in inner]
    around = [n for n in around if not holds(n, node)]
    start = (node.lineno, node.col_offset)
    odd = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr, *COMPREHENSIONS)
    if any((n.lineno, n.col_offset) < start for n in around):
        return
    if any(isinstance(n, odd) and holds(n, node) for n in walk(stmt)):
        return
    name = free(walker, wish)
    lines = [(stmt, lambda source: [f"{name} = {source(node)}"])]
    raise Spelled(node, reason, [(node, word(name))], lines)


def grouped(walker: Any, node: ast.Call) -> None:
    """``tf.group(optimizer.minimize(loss), update)``: train ops get names before the group.

    Raises:
        Spelled: there are such ones beside others, or some that apply gradients.
    """
    given = [
        n for a in node.args for n in (a.elts if isinstance(a, (ast.List, ast.Tuple)) else [a])
    ]
    trained = {*walker.gradients, *walker.applies}
    made = [n for n in given if isinstance(n, ast.Call) and id(n) in trained]
    applied = [n for n in made if id(n) in walker.applies]
    if not made or (len(made) == len(given) and not applied):
        return
    stmt = walker.stmt
    if walker.nested or walker.loops or walker.frame.region is None:
        raise Blocked(node, "a train op that is made inside a group")
    if not isinstance(stmt, (ast.Assign, ast.Expr, ast.Return)):
        raise Blocked(node, "a train op that is made inside a group")
    named: list[tuple[ast.AST, str]] = []
    for call in made:
        named.append((call, free(walker, "train_op", [n for _, n in named])))
    raise Spelled(
        made[0],
        "a train op that is made inside a group",
        [(call, word(name)) for call, name in named],
        [(stmt, lambda source: [f"{name} = {source(call)}" for call, name in named])],
    )


def without_op(walker: Any, node: ast.Attribute) -> None:
    """``sess.run(update.op)``: where no value is asked for, the tensor says the same.

    Raises:
        Spelled: it stands where only the op counts.
    """
    parents = parents_of(walker.stmt)
    outer = parents.get(id(node))
    while isinstance(outer, (ast.List, ast.Tuple, ast.keyword)):
        outer = parents.get(id(outer))
    if not isinstance(outer, ast.Call):
        return
    waits = walker.endpoints.get(id(outer.func)) in (T + "group", T + "control_dependencies")
    runs = isinstance(outer.func, ast.Attribute) and outer.func.attr == "run"
    alone = isinstance(walker.stmt, ast.Expr) and walker.stmt.value is outer
    if waits or (runs and alone):
        reason = "the op of a tensor is asked for"
        raise Spelled(node, reason, [(node, lambda source: source(node.value))])


def display(node: ast.Call) -> None:
    """``dict(loss=loss, step=train)`` of parts of a graph: a display says the same.

    Raises:
        Spelled: it is that.
    """
    if node.args or any(k.arg is None for k in node.keywords):
        return

    def written(source: Source) -> str:
        return f"{{{', '.join(f'{k.arg!r}: {source(k.value)}' for k in node.keywords)}}}"

    raise Spelled(node, "a dict of parts of a graph", [(node, written)])


def empty_list(walker: Any, symbol: Symbol | None, node: ast.AST, reason: str) -> None:
    """``outputs = list()``: a display says the same.

    Raises:
        Spelled: Python's own `list` is called with nothing.
    """
    made = symbol.step.node if symbol is not None else None
    match getattr(made, "value", None):
        case ast.Call(ast.Name("list") as func, [], []) as call:
            if walker.expression(func).data == "builtin":
                raise Spelled(node, reason, [(call, word("[]"))])


def forgotten_call(walker: Any, node: ast.Subscript) -> None:
    """``if size is None: size = x.get_shape().as_list[-1]``: it stops TF 1, so nothing comes there.

    A call was forgotten. What needs the size stops where it is None, as TF 1 does here.

    Raises:
        Spelled: the branch does no more, and can go.
    """
    inside = walker.frame.node
    for stmt in walk(inside) if isinstance(inside, ast.FunctionDef) else ():
        if not isinstance(stmt, ast.If) or stmt.orelse or len(stmt.body) != 1:
            continue
        (only,) = stmt.body
        if not isinstance(only, ast.Assign) or not holds(only.value, node):
            continue
        if len(only.targets) == 1 and isinstance(only.targets[0], ast.Name):
            if ast.unparse(stmt.test) == f"{only.targets[0].id} is None":
                reason = "an item of a method is taken, which stops"
                raise Spelled(node, reason, [(stmt, lambda source: "")])


def unnamed_saver(walker: Any, node: ast.Call) -> None:
    """``tf.train.Saver().restore(sess, path)``: the Saver gets a name before the statement.

    Raises:
        Spelled: that is what the statement does first.
    """
    stmt = walker.stmt
    call = stmt.value if isinstance(stmt, (ast.Expr, ast.Assign)) else None
    func = call.func if isinstance(call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.value is not node:
        return
    name = free(walker, "saver")
    raise Spelled(
        node,
        "a Saver that has no name",
        [(node, word(name))],
        [(stmt, lambda source: [f"{name} = {source(node)}"])],
    )


def begun(walker: Any, name: str, made: Symbol, node: ast.AST) -> None:
    """``y = tf.Variable(…)``, then ``y = y + …`` in a loop: the variable gets a name of its own.

    Raises:
        Spelled: it can be told where the name means the variable.
    """
    first, scope = made.step.node, walker.frame.node
    call = first.value if isinstance(first, ast.Assign) else None
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if (
        not plain
        or scope is None
        or made.step.function is not scope
        or node is not walker.sink.node
    ):
        return
    assert scope is not None
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    assert isinstance(first, ast.Assign)
    endpoint = walker.endpoints.get(id(call.func))
    if endpoint not in VARIABLES or walker.nested:
        return
    if len(first.targets) != 1 or not isinstance(first.targets[0], ast.Name):
        return
    hidden = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr)
    inner = [n for n in walk(scope) if isinstance(n, hidden) and n is not scope]
    if any(isinstance(n, ast.Name) and n.id == name for f in inner for n in walk(f)):
        return
    places = [n for n in all_of(scope, ast.Name) if n.id == name]
    line = node.lineno
    mine = [n for n in places if first.lineno <= n.lineno < line]
    if any(isinstance(n.ctx, ast.Store) and n is not first.targets[0] for n in mine):
        return
    said = next((k.value for k in call.keywords if k.arg == "name"), None)
    if endpoint == T + "get_variable" and said is None and call.args:
        said = call.args[0]
    wish = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
    new = free(walker, wish if wish.isidentifier() and wish != name else f"{name}_variable")
    root = call.func.value
    raise Spelled(
        node,
        f"`{name}` is a variable at first, and then a tensor",
        [(n, lambda _: new) for n in mine],
        [(node, lambda source: [f"{name} = {source(root)}.identity({new})"])],
    )


def inputs(walker: Any, call: ast.Call, node: ast.expr, reason: str) -> None:
    """``h = dropout(relu(h), …)``: what a call is applied to gets a name in a statement above.

    Raises:
        Spelled: the call is all that its statement has.
    """
    stmt = walker.stmt
    if not isinstance(stmt, (ast.Assign, ast.Return)) or stmt.value is not call:
        return
    name = ""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
        name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
    others = [n for part in (*call.args, *(k.value for k in call.keywords)) for n in walk(part)]
    inside = set(map(id, walk(node)))
    read = {n.id for n in others if isinstance(n, ast.Name) and id(n) not in inside}
    if not isinstance(getattr(stmt, "targets", [None])[0], ast.Name) or name in read:
        name = free(walker, name or "hidden")

    def line(source: Source) -> list[str]:
        text = source(node)
        several = "\n" in text and not isinstance(node, ast.Call)
        return [f"{name} = ({text})" if several else f"{name} = {text}"]

    raise Spelled(node, reason, [(node, lambda _: name)], [(stmt, line)])


def before(walker: Any, call: ast.Call, node: ast.AST | None, wish: str, reason: str) -> None:
    """``tf.cast(iterator.get_next(), …)``: what a call is given gets a name in a statement above.

    Raises:
        Spelled: it is written there, in a statement of the graph.
    """
    stmt = walker.stmt
    if walker.nested or walker.frame.region is None or not isinstance(stmt, ast.Assign):
        return
    if not isinstance(node, ast.Call) or not any(node is n for n in walk(call)):
        return
    inner = (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)
    if any(isinstance(n, inner) and node in walk(n) for n in walk(stmt)):
        return
    name = free(walker, wish)
    raise Spelled(
        node,
        reason,
        [(node, word(name))],
        [(stmt, line(name, node))],
    )


def named_value(walker: Any, node: ast.expr, wish: str, reason: str) -> None:
    """``[str(i) for i in range(10)]`` in a call gets a name in a statement above.

    Raises:
        Spelled: the statement runs it in any case, once.
    """
    stmt = walker.stmt
    if walker.nested or walker.frame.region is None or not isinstance(stmt, ast.Assign):
        return
    inner = (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)
    if any(isinstance(n, inner) and n is not node and node in walk(n) for n in walk(stmt)):
        return
    name = free(walker, wish)
    raise Spelled(node, reason, [(node, word(name))], [(stmt, line(name, node))])


def counter(walker: Any, node: ast.expr, value: Value) -> None:
    """``minimize(loss, global_step=tf.train.get_or_create_global_step())``: it gets a name.

    Raises:
        Spelled: the statement stands in no block but the graph's.
    """
    if value.kind is not Kind.VARIABLE or value.node is not node or walker.nested:
        return
    if walker.frame.region is None or not isinstance(walker.stmt, (ast.Assign, ast.Expr)):
        return
    name = free(walker, "global_step")
    raise Spelled(
        node,
        "the global step isn't a variable",
        [(node, lambda _: name)],
        [(walker.stmt, lambda source: [f"{name} = {source(node)}"])],
    )


def word(text: str) -> Callable[[Source], str]:
    """A text that is written whatever stood there."""
    return lambda _: text


def line(name: str, node: ast.AST) -> Callable[[Source], list[str]]:
    """A statement that gives a node a name."""
    return lambda source: [f"{name} = {source(node)}"]


def same(node: ast.AST, *, before: str = "", after: str = "") -> Callable[[Source], str]:
    """A node as it is written, in another place or with something beside it."""
    return lambda source: before + source(node) + after


def fed(walker: Any, node: ast.expr, value: Value, reason: str) -> None:
    """``sess.run([step, x], {x: batch})``: what is fed is fetched, as it is then.

    Raises:
        Spelled: the placeholder was made in the same file.
    """
    made = value.node
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
        return
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return
    root = made.func.value
    if isinstance(root, ast.Name) and walker.files.at(made) is walker.files.at(node):
        raise Spelled(node, reason, [(node, same(node, before=f"{root.id}.identity(", after=")"))])


def ops_in_fetches(walker: Any, call: ast.Call, fetch: ast.expr) -> None:
    """``sess.run([tf.assign(t, e) for t, e in pairs])``: the ops get a name in a statement above.

    Raises:
        Spelled: the run is all that its statement does.
    """
    stmt = walker.stmt
    if not isinstance(fetch, ast.ListComp) or not isinstance(fetch.elt, ast.Call) or walker.nested:
        return
    func = fetch.elt.func
    assigns = walker.endpoints.get(id(func)) == T + "assign" or (
        isinstance(func, ast.Attribute)
        and func.attr == "assign"
        and id(func) not in walker.endpoints
    )
    if not assigns or not isinstance(stmt, ast.Expr) or stmt.value is not call:
        return
    name = free(walker, "update")
    reason = "an op that is made where it is run"
    raise Spelled(fetch, reason, [(fetch, word(name))], [(stmt, line(name, fetch))])


def none_of_initializer(walker: Any, call: ast.Call) -> None:
    """``out = sess.run(init)``, where ``out`` is read: the run, and then ``out = None``.

    Raises:
        Spelled: always, but where the run isn't all that its statement does, or nobody reads it.
    """
    stmt = walker.stmt
    if walker.nested or not isinstance(stmt, ast.Assign) or stmt.value is not call:
        return
    names = {t.id for t in stmt.targets if isinstance(t, ast.Name)} - {"_"}
    read = (n for n in all_of(walker.tree, ast.Name) if isinstance(n.ctx, ast.Load))
    if any(n.id in names for n in read):
        reason = "the None of an initializer is read"
        raise Spelled(call, reason, [(call, word("None"))], [(stmt, lambda source: [source(call)])])


def told_apart(walker: Any, target: ast.Name, stores: Sequence[ast.Name]) -> None:
    """A name that statements of one scope bind one after the other: the later ones get their own.

    Raises:
        Spelled: the statements stand in no loop or branch, and nothing reads the name out of order.
    """
    name, scope = target.id, walker.frame.node
    body = list(_plain(getattr(scope, "body", [])))
    found = [s for s in body if isinstance(s, ast.Assign) and s.targets[0] in stores]
    if len(found) != len(stores) or any(len(s.targets) > 1 for s in found):
        return
    hidden = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr, ast.Global)
    kinds = (*hidden, *COMPREHENSIONS)
    odd = [n for n in walk(scope) if isinstance(n, kinds) and n is not scope]
    if any(name in (getattr(m, "id", None), getattr(m, "arg", None)) for n in odd for m in walk(n)):
        return
    uses = [n for n in all_of(scope, ast.Name) if n.id == name]
    own = {id(n): k - 1 for k, s in enumerate(found) for n in walk(s.value)}
    names = [name]
    for _ in found[1:]:
        names.append(free(walker, f"{name}_{len(names) + 1}", names))
    replaced: list[Written] = []
    for use in uses:
        number = own.get(id(use), sum(s.lineno <= use.lineno for s in found) - 1)
        if number < 0:
            return
        if number > 0:
            replaced.append((use, word(names[number])))
    raise Spelled(target, f"`{name}` means something else, too", replaced)


def _plain(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Statements that are executed once, those in with statements included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _plain(stmt.body)


def free(walker: Any, wish: str, more: Iterable[str] = ()) -> str:
    """A name that the program doesn't have."""
    taken = {n.id for n in all_of(walker.tree, ast.Name)} | set(more)
    taken |= {n.arg for n in all_of(walker.tree, ast.arg)}
    taken |= {n.name for n in walk(walker.tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    return name


def _name(walker: Any, call: ast.Call) -> str:
    endpoint = walker.endpoints.get(id(call.func), "").removeprefix(T)
    last = endpoint.rpartition(".")[2]
    if not last and isinstance(call.func, ast.Attribute):
        last = call.func.attr
    if last.startswith("assert_"):
        return "assertion"
    if last.startswith(("assign", "scatter")):
        return "assigned"
    return NAMES.get(last, "dependency")

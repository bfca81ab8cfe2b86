"""Parts of the graph by the names that their ops were given: ``sess.run('cost:0')``, feeds alike.

A name of TF 1 means the first op of its graph that asked for it; a later one gets a number. It is
written as what the program calls that op, where the call that asks for it is seen and no other one
may have asked before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, holds, outward, walk
from migrate.programs.graph.feeding import helper_placeholders
from migrate.programs.graph.meaning import INITIALIZERS, T
from migrate.programs.graph.model import Blocked, Kind, Symbol
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.scoping import first_names
from migrate.programs.graph.scoping.first_names import around_calls, opens, says, scoped
from migrate.programs.graph.wording.spelled import Spelled, free, line, word

VALUES = frozenset({Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE, Kind.CONST})
OPS = frozenset({Kind.OP, Kind.INIT})
# Names of ops that are made without a call of their name: by operators, gradients, Savers …
IMPLIED = frozenset(
    ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "neg", "abs", "matmul")
)
IMPLIED |= frozenset(("strided_slice", "gradients", "init", "save", "global_step", "concat"))
IMPLIED |= frozenset(("const", "zeros", "ones", "range", "shape", "cond", "while", "map", "scan"))
IMPLIED |= frozenset(("greater", "less", "adam", "momentum", "rmsprop", "adagrad", "adadelta"))
# Functions whose ops give no value; optimizers' methods are known by themselves.
VALUELESS = frozenset({T + "group", T + "no_op"}) | INITIALIZERS


def fetched(walker: Any, fetch: ast.expr, feed: ast.expr | None) -> None:
    """See whether a run fetches or is fed by names of ops.

    Raises:
        Spelled: it does, and what they are is seen.
        Blocked: it does otherwise.
    """
    names = [(n, str(n.value), "fetched") for n in _fetches(fetch)]
    names += [(n, str(n.value), "fed") for n in _keys(walker, feed)]
    written = [(n, word(called(walker, n, name, how))) for n, name, how in names]
    if written:
        raise Spelled(names[0][0], _reason(*names[0][1:]), written)


def looked_up(walker: Any, node: ast.Call) -> None:
    """``graph.get_tensor_by_name('cost:0')`` of the program's own graph.

    Raises:
        Spelled: what the name is of is seen.
        Blocked: it isn't.
    """
    given = node.args[0] if node.args else node.keywords[0].value if node.keywords else None
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        raise Blocked(node, "a part of the graph is looked up by a name that is computed")
    name = called(walker, given, given.value, "looked up")
    raise Spelled(node, _reason(given.value, "looked up"), [(node, word(name))])


def kept(walker: Any, function: ast.AST) -> None:
    """See whether placeholders of a method are local names, and asked for by those of their ops.

    Raises:
        Spelled: they are, and become attributes of the object.
    """
    classes = [n for n in outward(walker.tree, function) if isinstance(n, ast.ClassDef)]
    if not classes or function not in classes[0].body:
        return
    (cls, *_) = classes
    named = {n.value for n in all_of(cls, ast.Constant) if isinstance(n.value, str)}
    around = around_calls(walker.tree)
    itself = function.args.args[0].arg if function.args.args else None  # type: ignore[attr-defined]
    written: list[tuple[ast.AST, Any]] = []
    first = None
    for call in all_of(function, ast.Call):
        name = says(walker, call)
        made = own(around[id(call)][-1], call)
        holder = walker.endpoints.get(id(call.func), "").startswith(T + "placeholder")
        if holder and f"{name}:0" in named and isinstance(made, ast.Name) and itself:
            written += as_attribute(cls, function, itself, made)
            first = first or _reason(f"{name}:0", "fed")
    if written and first is not None:
        raise Spelled(written[0][0], first, written)


def as_attribute(
    cls: ast.ClassDef, method: ast.AST, self: str, made: ast.Name
) -> list[tuple[ast.AST, Any]]:
    """What makes a local name of a method an attribute, or another name of one."""
    new = f"{self}.{_attribute_for(cls, made.id)}"
    places = [n for n in all_of(method, ast.Name) if n.id == made.id]
    inner = [
        n
        for n in walk(method)
        if isinstance(n, (*first_names.FUNCTIONS, ast.Lambda, *COMPREHENSIONS))
    ]
    hidden = any(holds(f, n) for f in inner if f is not method for n in places)
    if hidden or [n for n in places if not isinstance(n.ctx, ast.Load)] != [made]:
        return [(made, word(f"{new} = {made.id}"))]
    return [(n, word(new)) for n in places]


def _attribute_for(cls: ast.ClassDef, wish: str) -> str:
    """A name that no attribute or method of a class has."""
    taken = {n.attr for n in all_of(cls, ast.Attribute)}
    taken |= {n.name for n in cls.body if isinstance(n, ast.FunctionDef)}
    while wish in taken:
        wish += "_"
    return wish


def _fetches(node: ast.expr) -> Iterator[ast.Constant]:
    if isinstance(node, (ast.List, ast.Tuple)):
        for inner in node.elts:
            yield from _fetches(inner)
    elif isinstance(node, ast.Dict):
        for inner in node.values:
            yield from _fetches(inner)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node


def _keys(walker: Any, feed: ast.expr | None) -> Iterator[ast.Constant]:
    """The keys of a feed_dict that are names; it may be a name of one that was written before."""
    made = [feed]
    if isinstance(feed, ast.Name):
        made = [
            n.value
            for n in own_nodes(walker.frame.node)
            if isinstance(n, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == feed.id for t in n.targets)
        ]
    for one in made:
        for key in one.keys if isinstance(one, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key


def _reason(name: str, how: str) -> str:
    return f"`{name}` is {how} by its name"


def called(walker: Any, node: ast.AST, name: str, how: str) -> str:
    """What the program calls a part of the graph where it is asked for by its name."""

    def stop(why: str) -> NoReturn:
        raise Blocked(node, f"{_reason(name, how)}, and {why}")

    path, tensor, number = name.partition(":")
    if tensor and number != "0":
        stop("it isn't its op's first result")
    *scopes, last = path.split("/")
    calls = [call for tree in walker.program() for call in all_of(tree, ast.Call)]
    asked = [call for call in calls if not opens(walker, call) and says(walker, call) == last]
    if last.lower() in IMPLIED or not asked:
        stop("no op is given that name")
    around = around_calls(walker.tree)
    mine = [c for c in asked if id(c) in around and scoped(walker, around[id(c)]) == scopes]
    mine = [c for c in mine if c.lineno <= node.lineno]  # type: ignore[attr-defined]
    if not mine:
        stop("the op of that name isn't seen")
    call = mine[-1]
    cls = next((b for b in around[id(call)] if isinstance(b, ast.ClassDef)), None)
    first_names.check(walker, node, call, path, around, stop)
    symbol = _symbol(walker, call)
    if symbol is None or cls is not None:
        stmt = around[id(call)][-1]
        reason = _reason(name, how)
        if _valueless(walker, call) is bool(tensor):
            stop("it is something else" if tensor else "an op gives no value")
        if cls is not None and own(stmt, call) is not None:
            return _attribute(walker, node, cls, stmt, around, reason, stop)
        if own(stmt, call) is not None or not isinstance(stmt, (ast.Assign, ast.Expr)):
            _beside(walker, node, around[id(call)], reason)
            stop("what it is isn't seen here")
        new = free(walker, last if last.isidentifier() else "op")
        if stmt.value is call:
            raise Spelled(node, reason, [(call, lambda source: f"{new} = {source(call)}")])
        raise Spelled(node, reason, [(call, word(new))], [(stmt, line(new, call))])
    kinds = VALUES if tensor else OPS
    if symbol.value.kind not in kinds or symbol.value.items is not None:
        stop("it is something else" if tensor else "an op gives no value")
    return symbol.name


def _beside(walker: Any, node: ast.AST, around: Sequence[ast.AST], reason: str) -> None:
    """``x, y = inputs()``: what the function calls its parts is seen where its statements stand.

    Raises:
        Inlinable: it is called here only, and they may stand there.
    """
    inside = [n for n in around if isinstance(n, ast.FunctionDef)]
    if len(inside) == 1 and len(calls := helper_placeholders.calls_of(walker, inside[0])) == 1:
        stmt = helper_placeholders.statement_of(walker, inside[0], calls[0])
        if stmt is not None:
            error = Blocked(node, reason)
            training_helpers.few(walker, inside[0], calls[0], "has named parts", error, stmt)


def _valueless(walker: Any, call: ast.Call) -> bool:
    """Whether what a call makes is an op, which `run` gives no value for."""
    if id(call) in walker.gradients or id(call) in walker.applies:
        return True
    return walker.endpoints.get(id(call.func)) in VALUELESS


def own(stmt: ast.stmt, call: ast.Call) -> ast.expr | None:
    """What a statement calls what it makes: a name, or an attribute of the object."""
    if not isinstance(stmt, ast.Assign) or stmt.value is not call:
        return None
    for target in stmt.targets:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            return target
    names = [t for t in stmt.targets if isinstance(t, ast.Name)]
    return names[0] if names else None


def _attribute(
    walker: Any,
    node: ast.AST,
    cls: ast.ClassDef,
    stmt: ast.stmt,
    around: dict[int, list[ast.stmt]],
    reason: str,
    stop: Any,
) -> str:
    """The attribute of an object in which a part of its graph is, or is put."""
    made = own(stmt, stmt.value)  # type: ignore[attr-defined]
    methods = [n for n in all_of(cls, ast.FunctionDef) if holds(n, node) or holds(n, stmt)]
    itself = {n.args.args[0].arg for n in methods if n.args.args}
    if not holds(cls, node) or len(itself) != 1 or any(n not in cls.body for n in methods):
        stop("it is asked for outside of its class")
    (self,) = itself
    if isinstance(made, ast.Attribute):
        stores = [n for n in all_of(cls, ast.Attribute) if n.attr == made.attr]
        if sum(isinstance(n.ctx, ast.Store) for n in stores) > 1 or made.value.id != self:  # type: ignore[attr-defined]
            stop("what it is called changes")
        return f"{self}.{made.attr}"
    assert isinstance(made, ast.Name)
    method = next(n for n in methods if holds(n, stmt))
    raise Spelled(node, reason, as_attribute(cls, method, self, made))


def _symbol(walker: Any, call: ast.Call) -> Symbol | None:
    """The name, as it is bound now, of what a call made."""
    frame = walker.frame
    hidden: set[str] = set()
    while frame is not None:
        for name, symbol in frame.env.items():
            made = symbol.step.node
            if name in hidden or not isinstance(made, ast.Assign) or made.value is not call:
                continue
            if any(isinstance(t, ast.Name) and t.id == name for t in made.targets):
                found: Symbol = symbol
                return found
        hidden |= set(frame.env)
        frame = frame.parent
    return None

"""Functions of the module that only train: they are written where they are called.

``train_op = training(loss, learning_rate)`` makes an optimizer and an op on a loss of its caller.
What becomes of the op, a function of TF 2, differentiates where the loss is computed: the helper's
statements belong beside those of its caller.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Region, Step, Unfed
from migrate.programs.graph.optimizing import inner_gradients
from migrate.programs.graph.wording import spelled

TRAINS = meaning.OPTIMIZERS | meaning.GLOBAL_STEPS | {T + "gradients"}
LISTS = frozenset({T + "get_collection", T + "trainable_variables", T + "global_variables"})
LINES = 30  # a longer function is more than a helper
BUILDER = 60  # that a function has which builds a graph and is called once
NET = 120  # that a whole network has which is called once and gives its weights, too
FEW = 3  # calls of a function that may stand in each place
SOME = 6  # calls of one that has summaries beside variables, which no layer gives
METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})


class Inlinable(Blocked):
    """A call of a function that could stand where it is called."""

    def __init__(
        self,
        call: ast.Call,
        stmt: ast.stmt,
        target: ast.FunctionDef,
        why: str = "trains what it is given",
    ) -> None:
        super().__init__(call, f"`{target.name}` {why}")
        self.call = call
        self.stmt = stmt
        self.target = target
        self.edits: Any = None  # of the file that calls it
        self.more: dict[str, Any] = {}  # of other files
        self.others: list[Inlinable] = []  # that may be written in place at once


class Mixed(Blocked):
    """A function that makes variables returns some of them beside tensors."""


def once(
    walker: Any, target: ast.FunctionDef, call: ast.Call, why: str, error: Blocked | None = None
) -> None:
    """See whether a function that gives or takes parts of a graph is called here only.

    Raises:
        Inlinable: it is, and its statements may stand here instead.
    """
    stmt = walker.stmt
    if not isinstance(stmt, (ast.Assign, ast.Expr)) or stmt.value is not call:
        return
    if walker.nested or walker.loops:
        return
    named = [
        n
        for n in walk(walker.tree)
        if (isinstance(n, ast.Name) and n.id == target.name)
        or (isinstance(n, ast.Attribute) and n.attr == target.name)
    ]
    if len(named) == 1 and not target.decorator_list:
        if (target.end_lineno or 0) - target.lineno <= LINES:
            raise Inlinable(call, stmt, target, why) from error


def returned(walker: Any, target: ast.FunctionDef, call: ast.Call, error: Blocked) -> None:
    """``pool5, parameters = inference(images)``: what the variables are is returned, too.

    Raises:
        Inlinable: the function is called in a few plain statements only, where it may stand.
    """
    why = "returns variables beside tensors"
    few(walker, target, call, why, error, lines=NET if len(named(walker, target)) == 1 else LINES)


def partly(walker: Any, error: Unfed) -> None:
    """``y, z, loss = net(x, target)``: a run that asks for ``y`` alone isn't fed the target.

    Raises:
        Inlinable: the function is called here only, and its statements may stand here instead.
    """
    stmt = error.step.node if error.step is not None else None
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
        return
    call, several = stmt.value, isinstance(stmt.targets[0], (ast.Tuple, ast.List))
    target = walker._module_function(call.func) or _method(walker, error.step, call)
    if not several or len(stmt.targets) != 1 or not isinstance(target, ast.FunctionDef):
        return
    named = [
        n for n in walk(walker.tree) if target.name in (getattr(n, k, "") for k in ("id", "attr"))
    ]
    if len(named) == 1 and not target.decorator_list:
        if (target.end_lineno or 0) - target.lineno <= 2 * LINES:
            found = Inlinable(call, stmt, target)
            found.reason = error.reason
            raise found from error


def _method(walker: Any, step: Step | None, call: ast.Call) -> ast.FunctionDef | None:
    """The method of the object at hand that a call calls: ``self.net(x)``."""
    cls = step.region.node if step is not None and step.region is not None else None
    func, function = call.func, step.function if step is not None else None
    if not isinstance(cls, ast.ClassDef) or not isinstance(func, ast.Attribute):
        return None
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return None
    own = getattr(func.value, "id", None) == function.args.args[0].arg
    return next(
        (m for m in cls.body if own and isinstance(m, ast.FunctionDef) and m.name == func.attr),
        None,
    )


def few(
    walker: Any,
    target: ast.FunctionDef,
    call: ast.Call,
    why: str,
    error: Blocked | None = None,
    stmt: ast.stmt | None = None,
    lines: int = LINES,
) -> None:
    """See whether a short function is called in a few plain statements only.

    ``stmt``: the call's, where that isn't the one at hand.

    Raises:
        Inlinable: it is, and its statements may stand in each of these places.
    """
    if target.decorator_list or (stmt is None and (walker.nested or walker.loops)):
        return
    stmt = stmt or walker.stmt
    if not isinstance(stmt, (ast.Assign, ast.Expr)) or stmt.value is not call:
        return
    named = [
        n
        for n in walk(walker.tree)
        if target.name in (getattr(n, "id", None), getattr(n, "attr", None))
    ]
    if len(named) <= FEW and _lines(target) <= lines:
        raise Inlinable(call, stmt, target, why) from error


def builder(walker: Any, region: Region, error: Blocked) -> None:
    """``x, y = graph()``, then ``Saver()``: it saves what the function makes without a name here.

    Raises:
        Inlinable: the function is called in a few plain statements only, where it may stand.
    """
    call, target = region.built, region.node
    if call is None or not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    if not isinstance(call.func, ast.Name):
        return
    name = call.func.id
    named = [n for n in walk(walker.tree) if name in (getattr(n, "id", 0), getattr(n, "attr", 0))]
    long = BUILDER if len(named) == 1 else LINES
    if len(named) > FEW or _lines(target) > long:
        return
    for n in walk(walker.tree):
        if isinstance(n, (ast.Assign, ast.Expr)) and n.value is call:
            found = Inlinable(call, n, target)
            found.reason = error.reason
            raise found from error


def named(walker: Any, target: ast.FunctionDef) -> list[ast.AST]:
    """Where a function may be meant: its name, but for what is another function's argument.

    Nor is `tf.train` a function of the program.
    """
    other = shadowed(walker.tree, target.name)
    libraries = {
        id(n.value) for n in all_of(walker.tree, ast.Attribute) if id(n) in walker.endpoints
    }
    return [
        n
        for n in walk(walker.tree)
        if (target.name == getattr(n, "attr", None) and id(n) not in libraries)
        or (
            target.name == getattr(n, "id", None)
            and id(n) not in other
            and not _of_another_file(walker, n, target)
        )
    ]


def _of_another_file(walker: Any, name: ast.AST, target: ast.FunctionDef) -> bool:
    """Whether a name stands in another file, which has a function of its own that is called so."""
    here = walker.files.at(name)
    if here is walker.files.at(target) or here.tree is None:
        return False
    return any(getattr(stmt, "name", "") == target.name for stmt in here.tree.body)


def shadowed(tree: ast.AST, name: str) -> set[int]:
    """The nodes in functions that have an argument or a local of a name."""
    found: set[int] = set()
    for n in walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.Lambda)):
            body = n.body if isinstance(n.body, list) else [n.body]
            given = name in [a.arg for a in all_of(n.args, ast.arg)]
            if given or _assigns(body, name):
                found.update(id(m) for part in body for m in walk(part))
    return found


SCOPES = (
    *(ast.FunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _assigns(body: Sequence[ast.AST], name: str) -> bool:
    """Whether a function's own statements give a name a value, which is then a local one."""
    own: list[ast.AST] = list(body)
    stored = False
    while own:
        n = own.pop()
        if isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names:
            return False
        stored |= isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        if not isinstance(n, SCOPES):
            own.extend(children(n))
    return stored


def summarized(walker: Any, target: ast.AST | None, error: Blocked) -> None:
    """See whether a function with summaries beside its variables is called in some plain places.

    Raises:
        Inlinable: it is: each call's summaries are of that call's variables.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    found = named(walker, target)
    long = BUILDER if len(found) == 1 or _apart(walker, found) else LINES
    if not found or len(found) > SOME or _lines(target) > long:
        return
    calls = [
        n
        for n in walk(walker.tree)
        if isinstance(n, (ast.Assign, ast.Expr))
        and isinstance(n.value, ast.Call)
        and any(n.value.func is m for m in found)
    ]
    if len(calls) == len(found):
        assert isinstance(calls[0].value, ast.Call)
        written = Inlinable(calls[0].value, calls[0], target)
        written.reason = error.reason
        raise written from error


def _apart(walker: Any, found: Sequence[ast.AST]) -> bool:
    """Whether each of several mentions stands in a program of its own."""
    files = [walker.files.at(n) for n in found]
    return len({id(f) for f in files}) == len(found)


def parted(walker: Any, target: ast.AST | None, call: ast.Call, error: Blocked) -> None:
    """``losses(real, noise)`` makes the layers of two nets, and one net's variables are listed.

    Raises:
        Inlinable: the function is called here only, and its statements may stand here instead.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    named = [
        n for n in walk(walker.tree) if target.name in (getattr(n, k, "") for k in ("id", "attr"))
    ]
    same = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name == target.name]
    if len(named) > 1 or len(same) > 1 or _lines(target) > BUILDER:
        return
    for n in walk(walker.tree):
        if isinstance(n, (ast.Assign, ast.Expr)) and n.value is call:
            found = Inlinable(call, n, target)
            found.reason = error.reason
            raise found from error


def remade(walker: Any, layer: Layer, why: str) -> Blocked:
    """What keeps a session: ``both(x)`` calls ``net``, and ``again(z)`` does with its variables.

    Raises:
        Inlinable: one of the two is called once, and its statements may stand there instead.
    """
    error = Blocked(layer.call, why)
    nodes = [n for tree in walker.program() for n in walk(tree)]
    calls = [c for c in (layer.same, layer.call) if c is not None]
    around = ([n for n in nodes if isinstance(n, ast.FunctionDef) and holds(n, c)] for c in calls)
    targets = [functions[-1] for functions in around if functions]
    for target in sorted(targets, key=walker.runs):  # what runs a session is more than a helper
        for of in nodes:
            if isinstance(of, ast.Call) and target.name in _said(of.func):
                parted(walker, target, of, error)
    if layer.same is None and layer.factory is not None:  # it uses what it has made itself
        parted(walker, layer.factory, layer.call, error)
    return error


def _said(node: ast.AST) -> tuple[str, str]:
    return getattr(node, "id", ""), getattr(node, "attr", "")


def _lines(target: ast.FunctionDef) -> int:
    """How many lines of a function's body are more than what is said of it."""
    first = 1 if ast.get_docstring(target) is not None else 0
    return len({getattr(n, "lineno", 0) for s in target.body[first:] for n in walk(s)})


def check(walker: Any, target: ast.AST, call: ast.Call) -> None:
    """See whether a function that is called here trains.

    Raises:
        Inlinable: it does, and its statements may stand here instead.
    """
    if not isinstance(target, ast.FunctionDef) or not _short(walker, target, call):
        apart(walker, target, call)
        return
    if trains(walker, target):
        raise Inlinable(call, walker.stmt, target)
    if walker.frame.region is not None and not walker.nested and _lists(walker, target):
        raise Inlinable(call, walker.stmt, target, "lists the variables of the graph")


def apart(walker: Any, target: ast.AST, call: ast.Call | None) -> None:
    """``loss = cost + 10 * penalty(x, fake)``: the helper's result gets a name above the statement.

    Raises:
        Spelled: it takes gradients, and the statement makes it once, without a condition.
    """
    stmt, region = walker.stmt, walker.frame.region
    if not isinstance(target, ast.FunctionDef) or target.decorator_list or region is None:
        return
    if walker.nested or walker.loops or not isinstance(stmt, (ast.Assign, ast.AugAssign)):
        return
    if call is None or not holds(stmt.value, call):
        return
    if _lines(target) > LINES or not trains(walker, target) or stmt.value is call:
        return
    hidden = (*SCOPES, ast.IfExp, ast.BoolOp)
    if any(isinstance(n, hidden) and holds(n, call) for n in walk(stmt.value)):
        return
    if any(_own(walker, n) and not holds(n, call) and not holds(call, n) for n in walk(stmt.value)):
        return  # another function's call, which may make variables, would come after it
    name = spelled.free(walker, target.name if len(target.name) < 3 else f"{target.name}_value")
    reason = f"`{target.name}` trains what it is given"
    written = [(call, spelled.word(name))]
    raise spelled.Spelled(call, reason, written, [(stmt, spelled.line(name, call))])


def _own(walker: Any, node: ast.AST) -> bool:
    """Whether something calls one of the program's functions, or a method that may be one."""
    if not isinstance(node, ast.Call) or id(node.func) in walker.endpoints:
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    return any(isinstance(n, ast.FunctionDef) and n.name == name for n in walk(walker.tree))


def _lists(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function asks the graph for variables, by itself."""
    return any(walker.endpoints.get(id(n)) in LISTS for n in walk(target))


def weights(walker: Any, target: ast.AST, call: ast.Call) -> None:
    """See whether a function that is called in what becomes a layer makes the layer's variables.

    Raises:
        Inlinable: it does, and its statements may stand here instead.
    """
    region = walker.frame.region
    if region is None or not region.shaped:
        return
    if _short(walker, target, call) and walker._variables_made(target):
        assert isinstance(target, ast.FunctionDef)
        raise Inlinable(call, walker.stmt, target, "makes variables of a layer")


def _short(walker: Any, target: ast.AST, call: ast.Call) -> bool:
    """Whether a function is a helper that may stand where it is called."""
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return False
    stmt = walker.stmt
    if getattr(stmt, "value", None) is not call:
        return False
    if not isinstance(stmt, (ast.Assign, ast.Expr, ast.Return)):
        return False
    return (target.end_lineno or 0) - target.lineno <= LINES


def trains(walker: Any, node: ast.FunctionDef) -> bool:
    """Whether a function makes optimizers or takes gradients, itself or through others."""
    return _trains(walker, node, set())


def _trains(walker: Any, node: ast.FunctionDef, seen: set[int]) -> bool:
    seen.add(id(node))
    for n in walk(node):
        if walker.endpoints.get(id(n)) in TRAINS and not inner_gradients.only(walker, n):
            return True
        if isinstance(n, ast.Call):
            if isinstance(n.func, ast.Attribute) and n.func.attr in METHODS:
                return True
            callee = walker._module_function(n.func)
            if callee is not None and id(callee) not in seen and _trains(walker, callee, seen):
                return True
    return False

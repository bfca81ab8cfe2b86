"""Recurrent cells of the program's own: classes whose base is ``RNNCell``.

They are followed once they make their variables in ``build(self, depth, scope)`` and only compute
in ``call(self, inputs, state)``; `rewriters/sessions/spelling/own_cells.py` writes them so.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.fetching.callables import Callable
from migrate.programs.graph.made import Frame, Made
from migrate.programs.graph.making import own_initializers
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Kind,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.recurrence.cells import Cells, Shape
from migrate.programs.graph.recurrence.recurrent import KEY, ROOTS
from migrate.programs.graph.wording.respelled import Respelled

BASES = frozenset(T + root + "RNNCell" for root in ROOTS)
SIZES = ("state_size", "output_size")
METHODS = ("__init__", *SIZES, "build", "call")
SCOPE = "scope"


class CellClass(Callable):
    """Such a class; its calls make cells."""

    def __init__(self, node: ast.ClassDef, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.made: Cells | None = None

    def call(self, walker: Any, node: ast.Call) -> Value:
        """A cell."""
        for value in walker.arguments(node):
            known = (Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE, Kind.CONST)
            if value.kind not in known or isinstance(value.data, Cells):
                raise Blocked(node, f"`{self.node.name}` is given {described(value)}")
        if self.made is None:
            self.made = _walked(walker, self)
        walker.stateful = True
        walker.created.append(None)
        made = Cells(self.made.names, {}, self.made.single, self.made.shape)
        return Value(Kind.HOST, made, node=node)


def defined(walker: Any, node: ast.ClassDef) -> Value | None:
    """What a class is whose objects are cells; None for another one."""
    if len(node.bases) != 1 or walker.endpoints.get(id(node.bases[0])) not in BASES:
        return None
    found = CellClass(node, walker.frame)
    walker.kept.setdefault("own cells", {})[id(node)] = found
    return Value(Kind.HOST, found)


def written(node: ast.ClassDef) -> bool:
    """Whether a class makes its variables in ``build(self, depth, scope)``."""
    build = next(
        (m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "build"), None
    )
    return build is not None and [a.arg for a in build.args.args[2:]] == [SCOPE]


class _Itself:
    """``self`` in a cell."""

    def __init__(self, variables: set[str]) -> None:
        self.variables = variables

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """A variable, or what ``__init__`` has kept."""
        if node.attr in self.variables:
            return Value(Kind.TENSOR)
        return Value(Kind.HOST, _Kept())

    def keep(self, walker: Any, target: ast.Attribute, value: Value) -> None:
        """``self.x = …``

        Raises:
            Blocked: a part of the graph is kept.
        """
        plain = (Kind.HOST, Kind.CONST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION)
        made = value.kind is Kind.VARIABLE and target.attr in self.variables
        if walker.frame.node.name == "call":
            raise Blocked(target, "a cell keeps something of a step")
        if not made and (value.kind not in plain or isinstance(value.data, Cells)):
            raise Blocked(target, "a part of the graph is kept in a cell")


class _Kept(Callable):
    """What a cell keeps: Python's, or a function of tensors (an activation)."""

    def __init__(self) -> None:
        pass

    def call(self, walker: Any, node: ast.Call) -> Value:
        """What comes of calling it."""
        found: Value = walker.join(walker.arguments(node), node)
        return found


def _walked(walker: Any, cell: CellClass) -> Cells:
    """What the class says of its cells.

    Raises:
        Blocked: it can't be followed.
    """
    node = cell.node
    if not written(node):
        raise Respelled(node, f"the cell `{node.name}` can't be followed", "own cell")
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    build, call = methods["build"], methods["call"]
    variables: dict[str, str] = {}  # by attribute, their names in TF 1
    makers: dict[int, ast.Call] = {}
    for stmt in build.body:
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Attribute):
            made = stmt.value
            assert isinstance(made, ast.Call)
            makers[id(made)] = made
            variables[stmt.targets[0].attr] = str(
                walker.bound(T + "get_variable", made)["name"].value
            )
    itself = Value(Kind.OTHER, _Itself(set(variables)))
    for stmt in build.body:
        if isinstance(stmt, ast.Assign) and id(stmt.value) in makers:
            walker.rewrites[id(stmt)] = _writer(walker, stmt)
    walker.kept.setdefault("cell variables", {}).update(makers)
    saved = walker.scopes, walker.sink
    walker.scopes = []
    for member in methods.values():
        given = dict.fromkeys((a.arg for a in member.args.args), HOST)
        given[member.args.args[0].arg] = itself
        if member is call:
            inputs, state = (a.arg for a in member.args.args[1:])
            given |= {inputs: Value(Kind.TENSOR), state: Value(Kind.TENSOR, "container")}
        walker.sink = Step(-1, member, Kind.HOST)
        _body(walker, cell, member, given)
        if member is call and walker.sink.random:
            raise Blocked(call, f"the cell `{node.name}` draws at random")
        if member is call and walker.sink.impure is not None:
            at, what = walker.sink.impure
            raise Blocked(at, f"the cell `{node.name}` does more than compute: {what}")
    walker.scopes, walker.sink = saved
    # `build` makes them with the scope in which the cell is first called.
    name = _super_name(methods["__init__"])
    single = _single(methods["state_size"], call)
    leaves = tuple((leaf, attribute) for attribute, leaf in variables.items())
    base = node.bases[0]
    known = walker.kept.setdefault(KEY, set())
    known.add("zero")

    def rnn_cell(writer: Any) -> str:
        writer.module.recurrent.need("RNNCell")
        return "RNNCell"

    walker.rewrites[id(base)] = rnn_cell
    return Cells(frozenset({node.name}), {}, single, Shape(node.name, name, None, leaves))


def _writer(walker: Any, stmt: ast.Assign) -> Any:
    """What writes a variable."""
    return lambda writer: writer.module.recurrent.variable(stmt, walker.made[id(stmt.value)])


def _body(walker: Any, cell: CellClass, member: ast.FunctionDef, given: dict[str, Value]) -> Value:
    """Follow a method with what it is given."""
    frame = Frame(member, cell.frame, None, {})
    saved = walker.frame, walker.nested, walker.stmt
    walker.frame, walker.nested = frame, 0
    try:
        for name, value in given.items():
            frame.env[name] = Symbol(name, walker.sink, value)
        walker.body(member.body)
    finally:
        walker.frame, walker.nested, walker.stmt = saved
    if any(v.kind in RUNTIME for v in frame.returns) and member.name != "call":
        raise Blocked(member, f"`{member.name}` of a cell computes tensors")
    found: Value = frame.returns[0] if frame.returns else HOST
    return found


def variable(walker: Any, node: ast.Call) -> Value | None:
    """A variable that a cell makes in its ``build``; None for another one."""
    if id(node) not in walker.kept.get("cell variables", ()):
        return None
    given = walker.bound(T + "get_variable", node)
    for argument, value in given.items():
        if argument != "initializer":
            walker.host(value)
    told = (
        own_initializers.of_cell(walker, given["initializer"]) if "initializer" in given else None
    )
    name = f"{{{SCOPE}}}/{given['name'].value}"
    walker.made[id(node)] = Made(node, given, name, told)
    return Value(Kind.VARIABLE, node=node)


def _super_name(init: ast.FunctionDef) -> str:
    first = next(s for s in init.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call))
    assert isinstance(first.value, ast.Call)
    assert isinstance(first.value.args[0], ast.Constant)
    return str(first.value.args[0].value)


def _single(size: ast.FunctionDef, call: ast.FunctionDef) -> bool:
    """Whether a cell's state is one tensor."""
    last = size.body[-1]
    if not isinstance(last, ast.Return) or isinstance(last.value, (ast.Tuple, ast.List, ast.Call)):
        return False
    state = call.args.args[2].arg
    return not any(
        (isinstance(n, ast.Assign) and _is(n.value, state) and isinstance(n.targets[0], ast.Tuple))
        or (isinstance(n, (ast.Subscript, ast.Attribute)) and _is(n.value, state))
        for n in walk(call)
    )


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name

"""TFM807 array-as-number: an array of one value where Python wants a number.

`int(a)`, `float(a)`, `math.sqrt(a)` and `"%f" % a` took any array that has one value. NumPy 2.4
(it comes with TensorFlow 2.21) only takes those without dimensions and raises a TypeError for
`np.zeros([1])`. What a session fetched, or what `.eval()` or `.numpy()` gave, of a tensor that
surely has dimensions gets `.item()`, and so does what NumPy surely gives with dimensions, like
`np.random.rand(1)`. A sum that began as a number, `total = 0.` and `total += loss`, is squeezed.

https://numpy.org/doc/stable/release/2.4.0-notes.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of, children, fact, walk
from migrate.rewriters import numpy_arrays
from migrate.rewriters.array_ranks import FUNCTIONS, SCOPES, Ranks, Scope, Value, name_of

ARRAY = Rule(
    "TFM807",
    "array-as-number",
    "an array of one value where Python wants a number",
    module=__name__,
    doc=__doc__,
    url="https://numpy.org/doc/stable/release/2.4.0-notes.html",
)
MAY = (".run(", ".eval(", ".numpy(", "np.", "numpy.")
_FORMAT = re.compile(r"%(\([^)]*\))?([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([a-zA-Z%])")
_NUMBER = frozenset("diouxXeEfFgG")
_FETCHES = frozenset(("run", "eval", "numpy"))
_YIELDS = (ast.Yield, ast.YieldFrom, ast.Await)


def sites(
    text: str, tree: ast.Module, endpoints: Mapping[int, str]
) -> Iterator[tuple[ast.expr, str]]:
    """The arrays that are used as numbers, and NumPy's name for those that may be one."""
    if not endpoints or not any(mark in text for mark in MAY) or not fact(tree, _uses):
        return
    arrays = fact(tree, Arrays)  # at both levels, and before the sessions go
    arrays.endpoints, arrays.told = endpoints, {}
    numpy = fact(tree, numpy_arrays.name_of) if arrays.grown else ""
    for node, scope in arrays.numbers():
        if arrays.is_array(node, scope):
            yield node, ""
        elif numpy and arrays.is_grown(node, scope):
            yield node, numpy


def _uses(tree: ast.Module) -> bool:
    """Whether anything that may be an array is used as a number: most files need no closer look."""
    if any(k.arg == "loss_callback" for k in all_of(tree, ast.keyword)):
        return True  # what its parameters are given, `Arrays` finds
    used = [n.args[0] for n in all_of(tree, ast.Call) if _converts(n.func) and len(n.args) == 1]
    for op in all_of(tree, ast.BinOp):
        if isinstance(op.op, ast.Mod):
            used += _formatted(op)
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    bound = _bound_to(tree) if used else {}
    seen: set[str] = set()
    for node in used:  # with all that it can come from, whatever the scope
        if isinstance(node, ast.Subscript):
            used.append(node.value)
        elif isinstance(node, ast.BinOp):
            used += (node.left, node.right)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in functions:
                return True
            if isinstance(node.func, ast.Attribute):
                if node.func.attr in _FETCHES or numpy_arrays.has_dimensions(node):
                    return True
                used += node.args[:1] if numpy_arrays.of_each(node.func) else []
        elif (name := name_of(node)) not in seen:
            seen.add(name)
            used += bound.get(name, ())
    return False


def _bound_to(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """What assignments give each name, wherever they stand."""
    found: dict[str, list[ast.expr]] = {}
    stmts: list[ast.Assign | ast.AugAssign] = [*all_of(tree, ast.Assign)]
    stmts += all_of(tree, ast.AugAssign)
    for stmt in stmts:
        for target in stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            for part in parts:
                found.setdefault(name_of(part), []).append(stmt.value)
    return found


@ARRAY.file
def numbers(file: FileContext) -> Iterator[Result]:
    """Give these arrays `.item()`."""
    endpoints = {id(r.node): r.name for r in file.names.references}
    for node, numpy in sites(file.text, file.tree, endpoints):
        yield ARRAY.fixed(
            node,
            "NumPy 2.4 doesn't take an array with dimensions for a number",
            f"`{numpy}.squeeze`" if numpy else "`.item()`",
            _item(node, file.index, numpy),
        )


def with_items(document: Document, names: Names) -> Document:
    """The document with `.item()` in these places, before its sessions go."""
    found = sites(document.text, document.tree, {id(r.node): r.name for r in names.references})
    edits = {edit for node, numpy in found for edit in _item(node, document.index, numpy)}
    if not edits:
        return document
    return edited(document, sorted(edits, key=lambda e: (e.start, e.end)))


def _item(node: ast.expr, index: LineIndex, numpy: str) -> list[Edit]:
    """The edits that give an array `.item()`, or squeeze what may be a number."""
    start, end = index.span(node)
    if numpy:
        return [Edit(start, start, f"{numpy}.squeeze("), Edit(end, end, ")")]
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return [Edit(start, start, "("), Edit(end, end, ").item()")]
    return [Edit(end, end, ".item()")]


# Half of a tree, of which nothing is collected; names only where they are bound.
_LEAVES = frozenset(
    {ast.Constant, ast.alias, *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__()}
    | {*ast.boolop.__subclasses__(), *ast.cmpop.__subclasses__()}
)
_Binds: TypeAlias = (
    ast.AnnAssign | ast.NamedExpr | ast.For | ast.AsyncFor | ast.comprehension | ast.withitem
)


class Arrays(Ranks):
    """What is fetched under which names, and how many dimensions it has at least."""

    def __init__(self, tree: ast.Module) -> None:
        self.endpoints: Mapping[int, str] = {}
        self.tree = tree
        # By scope and name: an expression, and its part if the name is one of several targets.
        self.bound: dict[tuple[int, str], list[Value | None]] = {}
        self.found: list[tuple[ast.expr, Scope]] = []
        self.grown: set[str] = set()  # what `+=` is done to
        self.outer: set[str] = set()  # names that a function binds outside of itself
        self.classes: dict[str, set[ast.ClassDef]] = {}  # by an attribute that they set
        self.given = dict(_given_to_callbacks(tree))  # by a parameter
        self.told: dict[tuple[int, int | None], bool] = {}  # whether a value is an array
        self.known = {}
        self.visit(tree, [tree])

    def visit(self, node: ast.AST, scope: Scope) -> None:
        """Collect what is bound, and what is used as a number."""
        kind = node.__class__
        collect = _COLLECT.get(kind)
        if collect is not None:
            collect(self, node, scope)
        if kind in SCOPES:
            scope = [*scope, node]
        for child in children(node):
            inner = child.__class__
            if inner is ast.Name:
                if child.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                    self.bound.setdefault((id(self.home(scope)), child.id), [])  # type: ignore[attr-defined]
            elif inner not in _LEAVES and not (
                inner is ast.Attribute and child.value.__class__ is ast.Name  # type: ignore[attr-defined]
            ):
                self.visit(child, scope)

    def _assigned(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self.target(target, node.value, scope)

    def _added(self, node: ast.AugAssign, scope: Scope) -> None:
        if name_of(node.target):
            self.bind(scope, name_of(node.target), (node.value, None))
            self.grown.add(name_of(node.target))

    def _outer(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        self.outer.update(node.names)

    def _called(self, node: ast.Call, scope: Scope) -> None:
        if _converts(node.func) and len(node.args) == 1:
            self.found.append((node.args[0], scope))

    def _formats(self, node: ast.BinOp, scope: Scope) -> None:
        if isinstance(node.op, ast.Mod):
            self.found.extend((item, scope) for item in _formatted(node))

    def _bound(self, node: _Binds, scope: Scope) -> None:
        bound = node.optional_vars if isinstance(node, ast.withitem) else node.target
        if bound is not None:
            self.target(bound, None, scope)

    def target(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        """Keep what a target is given."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                name = name_of(part)
                if name:
                    self.bind(scope, name, (value, index) if value is not None else None)
        elif name_of(target):
            self.bind(scope, name_of(target), (value, None) if value is not None else None)

    def bind(self, scope: Scope, name: str, value: Value | None) -> None:
        home = self.home(scope, name)
        if isinstance(home, ast.ClassDef) and name.startswith("self."):
            self.classes.setdefault(name, set()).add(home)
        self.bound.setdefault((id(home), name), []).append(value)

    def home(self, scope: Scope, name: str = "") -> ast.AST:
        """The function (for attributes the class) that a place is in, or the module."""
        kinds = (ast.ClassDef,) if name.startswith("self.") else FUNCTIONS
        for outer in reversed(scope):
            if isinstance(outer, kinds):
                return outer
        return self.tree

    def numbers(self) -> list[tuple[ast.expr, Scope]]:
        return self.found

    # -- what a value is ---------------------------------------------------------------------

    def values(self, name: str, scope: Scope) -> tuple[list[Value | None], Scope]:
        """All that a name is given, and where."""
        if name in self.outer:
            return [], scope
        if name.startswith("self."):
            return self.bound.get((id(self.home(scope, name)), name), []), scope
        inner = list(scope)
        while inner:
            if not isinstance(inner[-1], ast.ClassDef):
                found = self.bound.get((id(inner[-1]), name))
                if found is not None:
                    return found, inner
            inner = inner[:-1]
        return [], scope

    def is_array(self, node: ast.expr, scope: Scope, part: int | None = None) -> bool:
        """Whether a value was fetched of a tensor that surely has dimensions."""
        key = (id(node), part)
        if key not in self.told:
            self.told[key] = False  # x = x * 2
            self.told[key] = self._is_array(node, scope, part)
        return self.told[key]

    def _is_array(self, node: ast.expr, scope: Scope, part: int | None) -> bool:
        if isinstance(node, ast.Subscript) and part is None:
            index = node.slice
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                return self.is_array(node.value, scope, index.value)
            cut = isinstance(index, ast.Tuple) and any(isinstance(n, ast.Slice) for n in index.elts)
            return cut and self._fetched(node.value, scope)  # `prediction[:, 0]`
        if isinstance(node, ast.BinOp) and part is None and not isinstance(node.op, ast.Mod):
            return self.is_array(node.left, scope) or self.is_array(node.right, scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if part is None and numpy_arrays.has_dimensions(node):
                return True
            if numpy_arrays.of_each(node.func) and len(node.args) == 1 and not node.keywords:
                return part is None and self.is_array(node.args[0], scope)
            if node.func.attr in ("eval", "numpy"):
                return part is None and self.rank(node.func.value, scope) > 0
            if node.func.attr != "run":
                return False
            given = next((k.value for k in node.keywords if k.arg == "fetches"), None)
            given = node.args[0] if node.args else given
            if part is not None:
                if not isinstance(given, (ast.List, ast.Tuple)) or part >= len(given.elts):
                    return False
                given = given.elts[part]
            return given is not None and self.rank(given, scope, fetched=True) > 0
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.returns_array(node.func.id, part)
        if part is None and name_of(node):
            values, where = self.values(name_of(node), scope)
            return bool(values) and all(
                v is not None and not name_of(v[0]) and self.is_array(v[0], where, v[1])
                for v in values
            )
        return False

    def is_grown(self, node: ast.expr, scope: Scope) -> bool:
        """Whether arrays were added to a value that may have begun as a number."""
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod):
            return self.is_grown(node.left, scope) or self.is_grown(node.right, scope)
        if name_of(node) not in self.grown:
            return False
        values, where = self.values(name_of(node), scope)
        return any(v is not None and self.is_array(v[0], where, v[1]) for v in values)

    def _fetched(self, node: ast.expr, scope: Scope) -> bool:
        """Whether a value is what a run gave, whatever it was of."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr in ("run", "eval", "numpy")
        values, where = self.values(name_of(node), scope) if name_of(node) else ([], scope)
        return bool(values) and all(
            v is not None and isinstance(v[0], ast.Call) and self._fetched(v[0], where)
            for v in values
        )

    def returns_array(self, name: str, part: int | None) -> bool:
        """Whether a function of the module returns such a value, or has it at a place."""
        functions = [n for n in self.tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
        if len(functions) != 1 or (id(self.tree), name) in self.bound or name in self.outer:
            return False
        (function,) = functions
        inside = [n for n in walk(function) if n is not function]
        if function.decorator_list or any(isinstance(n, (*SCOPES, *_YIELDS)) for n in inside):
            return False
        returned = [n.value for n in inside if isinstance(n, ast.Return)]
        if part is not None:
            several = [v.elts for v in returned if isinstance(v, ast.Tuple) and part < len(v.elts)]
            if len(several) < len(returned):
                return False
            returned = [elts[part] for elts in several]
        scope: Scope = [self.tree, function]
        return bool(returned) and all(
            v is not None
            and not (isinstance(v, ast.Call) and isinstance(v.func, ast.Name))
            and self.is_array(v, scope)
            for v in returned
        )


# By class of node: what is collected of it.
_COLLECT: dict[type[ast.AST], Callable[[Arrays, Any, Scope], None]] = {
    ast.Assign: Arrays._assigned,
    ast.AugAssign: Arrays._added,
    ast.arg: lambda arrays, node, scope: arrays.bind(scope, node.arg, arrays.given.get(id(node))),
    ast.Call: Arrays._called,
    ast.BinOp: Arrays._formats,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Arrays._outer),
    **dict.fromkeys(get_args(_Binds), Arrays._bound),
}


def _converts(func: ast.expr) -> bool:
    """Whether a call makes a Python number of what it is given."""
    if isinstance(func, ast.Name):
        return func.id in ("int", "float")
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.value.id == "math"
    )


def _given_to_callbacks(tree: ast.Module) -> Iterator[tuple[int, tuple[ast.expr, int]]]:
    """What `optimizer.minimize(sess, fetches=[…], loss_callback=show)` gives the parameters."""
    calls = all_of(tree, ast.Call)
    if all(k.arg != "loss_callback" for k in all_of(tree, ast.keyword)):
        return
    for call in calls:
        named = {k.arg: k.value for k in call.keywords}
        callback, fetches = named.get("loss_callback"), named.get("fetches")
        name = getattr(callback, "attr", getattr(callback, "id", ""))
        if not name or not isinstance(fetches, (ast.List, ast.Tuple)):
            continue
        functions = [n for n in all_of(tree, ast.FunctionDef) if n.name == name]
        said = [n for n in walk(tree) if name in (getattr(n, "attr", ""), getattr(n, "id", ""))]
        if len(functions) != 1 or len(said) != 1:
            continue
        params = functions[0].args.args[isinstance(callback, ast.Attribute) :]
        run = ast.parse("sess.run([])", mode="eval").body
        assert isinstance(run, ast.Call)
        run.args = [fetches]
        yield from ((id(param), (run, place)) for place, param in enumerate(params))


def _formatted(node: ast.BinOp) -> Iterator[ast.expr]:
    """What `%` formats as a number."""
    left = node.left
    if not isinstance(left, ast.Constant) or not isinstance(left.value, str):
        return
    found = [m for m in _FORMAT.finditer(left.value) if m[5] != "%"]
    if any(m[1] or "*" in (m[3], m[4]) for m in found):
        return
    right = node.right
    items = right.elts if isinstance(right, ast.Tuple) else [right]
    if len(items) == len(found):
        yield from (item for m, item in zip(found, items, strict=True) if m[5] in _NUMBER)

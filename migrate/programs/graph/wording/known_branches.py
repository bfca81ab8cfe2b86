"""Branches that all calls of a function decide: ``if is_training:`` of ``build(True)``.

What a builder makes in a branch is a function that there may or may not be. Where its calls say
which way it goes, that way's statements stand for the condition; a parameter that nothing else
reads goes with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, fact, holds, named, parents_of, walk
from migrate.programs.graph.layering import final_endpoints, held_functions
from migrate.programs.graph.model import Blocked, Kind, Region
from migrate.programs.graph.optimizing.training_helpers import shadowed
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.wording import idle_partials
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

# What objects of Python have methods of: a call `x.count(…)` may be one of these.
COMMON = frozenset(n for kind in (str, bytes, list, dict, set, int, float) for n in dir(kind))
# Those of arrays and models.
ARRAYS = frozenset(
    {
        *("argmax", "argmin", "argsort", "astype", "all", "any", "clip", "dot", "fill", "flatten"),
        *("item", "max", "mean", "min", "nonzero", "predict", "prod", "put", "ravel", "repeat"),
        *("reshape", "resize", "round", "save", "sort", "squeeze", "std", "sum", "summary", "take"),
        *("tolist", "transpose", "var", "view"),
    }
)


def check(walker: Any, stmt: ast.If, error: Blocked) -> None:
    """See whether the condition of a branch that isn't followed is known.

    Raises:
        Spelled: it is.
    """
    region = walker.frame.region
    if not walker.nested and region is not None and region.node is walker.frame.node:
        if isinstance(stmt.test, ast.Constant):  # `if False:`
            branch = stmt.body if stmt.test.value else stmt.orelse
            raise Spelled(error.node, error.reason, [(stmt, chosen(stmt, branch))])
        final_endpoints.check(walker, stmt, region, error)
        _decided(walker, stmt, region, error)
    target = walker.frame.node
    plain = type(error) is Blocked and region is None  # others ask for something else
    if plain and isinstance(target, ast.FunctionDef) and stmt in target.body:
        everywhere(walker, stmt, target, error)


def everywhere(walker: Any, stmt: ast.If, target: ast.FunctionDef, error: Blocked) -> None:
    """See whether all calls of a function decide a branch of it.

    Raises:
        Spelled: they do.
    """
    _way(walker, stmt, Region(target, target.name), every(walker, target), error)


def shaping(walker: Any, region: Region) -> None:
    """``if time_major: x = tf.transpose(x, …)`` where variables have the shape of ``x``.

    Raises:
        Spelled: all calls decide it.
    """
    target = region.node
    for stmt in target.body if isinstance(target, ast.FunctionDef) and region.shaped else ():
        if isinstance(stmt, ast.If) and any(
            isinstance(n, ast.Name) and n.id in region.sized and not isinstance(n.ctx, ast.Load)
            for n in walk(stmt)
        ):
            error = Blocked(stmt, f"`{region.shaped}` is one tensor or another")
            _decided(walker, stmt, region, error)


def certain(walker: Any, stmt: ast.If) -> None:
    """``if self.keep_prob is not None:`` of a placeholder, where a cell is wrapped.

    Raises:
        Spelled: a part of the graph is asked for, and a cell's name means another one then.
    """
    test, region = stmt.test, walker.frame.region
    if walker.nested or region is None or not isinstance(test, ast.Compare):
        return
    none = test.comparators[0]
    if not isinstance(test.ops[0], (ast.Is, ast.IsNot)) or not isinstance(none, ast.Constant):
        return
    if not isinstance(test.left, (ast.Name, ast.Attribute)) or none.value is not None:
        return
    again = {
        t.id
        for s in (*stmt.body, *stmt.orelse)
        if isinstance(s, ast.Assign)
        for t in s.targets
        if isinstance(t, ast.Name) and isinstance(_bound(walker, t), Cells)
    }
    made = (Kind.PLACEHOLDER, Kind.TENSOR, Kind.VARIABLE)
    if not again or walker.expression(test.left).kind not in made:
        return
    branch = stmt.body if isinstance(test.ops[0], ast.IsNot) else stmt.orelse
    what = "a cell is wrapped in a branch"
    raise Spelled(stmt, what, [(stmt, chosen(stmt, branch))])


def _bound(walker: Any, name: ast.Name) -> Any:
    symbol = walker.frame.env.get(name.id)
    return symbol.value.data if symbol is not None else None


def around(walker: Any, call: ast.Call, error: Blocked) -> None:
    """See whether the branch in which a call makes something is known.

    Raises:
        Spelled: it is.
    """
    for region in walker.regions:
        for step in region.steps:
            branches = all_of(step.node, ast.If)
            for branch in reversed(branches):  # the inner ones first
                if holds(branch, call):
                    _decided(walker, branch, region, error)


def inside(walker: Any, stmt: ast.AST, error: Blocked) -> None:
    """See whether a branch in a statement is known.

    Raises:
        Spelled: one is.
    """
    for region in walker.regions:
        if any(holds(step.node, stmt) for step in region.steps) or region is walker.frame.region:
            for branch in all_of(stmt, ast.If):
                _decided(walker, branch, region, error)


def _decided(walker: Any, stmt: ast.If, region: Region, error: Blocked) -> None:
    """Raise what stands for a branch of a function, where all calls decide it."""
    one, target = region.built or region.alone, region.node
    known = [one] if one is not None else calls(walker, region)
    if not known and region.inputs is not None and isinstance(target, ast.FunctionDef):
        known = every(walker, target)  # a method
    _way(walker, stmt, region, known, error)


def _way(walker: Any, stmt: ast.If, region: Region, known: list[ast.Call], error: Blocked) -> None:
    """Raise the statements of the way that all calls take."""
    target = region.node
    names = _names(stmt.test)
    if not isinstance(target, ast.FunctionDef) or not names or not known:
        return
    if idle_partials.keywords(walker.tree, target.name) & set(names):
        return
    if region.alone is None and mentions(walker, target) != len(known):
        return
    ways = set()
    for call in known:
        given = {name: given_to(target, call, name) for name in names}
        ways.add(_holds(stmt.test, {k: v.value for k, v in given.items() if v is not None}))
    stores = [
        n for n in all_of(target, ast.Name) if n.id in names and not isinstance(n.ctx, ast.Load)
    ]
    if stores or len(ways) != 1 or None in ways:
        return
    branch = stmt.body if ways == {True} else stmt.orelse
    leaves = any(isinstance(n, ast.Return) for s in branch for n in walk(s))
    if leaves and (region.built is not None or stmt.end_lineno != target.end_lineno):
        return
    found: list[Written] = [(stmt, chosen(stmt, branch))]
    name = names[0]
    reads = [n for n in all_of(target, ast.Name) if n.id in names]
    home = walker.files.at(target)
    if (
        len(reads) == 1
        and region.alone is None
        and all(call.func not in call.args for call in known)
        and all(walker.files.at(call) is home for call in known)
    ):
        gone = [without(target, call, name) for call in known]
        if all(gone):
            found += gone[0][:1] + [cut for one in gone for cut in one[1:]]
    other = error if isinstance(error, Spelled) else None
    raise Spelled(error.node, error.reason, found, otherwise=other)


def calls(walker: Any, region: Region) -> list[ast.Call]:
    """The calls of a function that makes variables, where it is called by its name.

    What another program's file, which isn't executed yet, calls by that name is taken to be it.
    """
    if region.inputs is None:
        return []
    name = getattr(region.node, "name", None)

    def meant(func: ast.expr) -> bool:
        said = getattr(func, "id", getattr(func, "attr", None))
        later = said == name and walker.files.at(func).frame is None
        later = later and id(func) not in walker.endpoints  # `tf.nn.conv2d`
        return later or walker._module_function(func) is region.node

    return [n for n in all_of(walker.tree, ast.Call) if meant(n.func)]


def _names(test: ast.expr) -> list[str]:
    """The names that a condition asks; none where it asks something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _names(test.operand)
    if isinstance(test, ast.BoolOp):
        parts = [_names(part) for part in test.values]
        return [name for part in parts for name in part] if all(parts) else []
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _names(test.left) if isinstance(test.comparators[0], ast.Constant) else []
    return [test.id] if isinstance(test, ast.Name) else []


def _holds(test: ast.expr, values: dict[str, object]) -> bool | None:
    """Whether a condition on constants holds."""
    if isinstance(test, ast.UnaryOp):
        inner = _holds(test.operand, values)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        ways = [_holds(part, values) for part in test.values]
        settled = isinstance(test.op, ast.Or)
        if settled in ways:
            return settled
        return None if None in ways else not settled
    if isinstance(test, ast.Compare):
        other = test.comparators[0]
        assert isinstance(other, ast.Constant)
        if not isinstance(test.left, ast.Name) or test.left.id not in values:
            return None
        value = values[test.left.id]
        if type(other.value) is not type(value):
            return None
        if isinstance(test.ops[0], (ast.Eq, ast.Is)):
            return other.value == value
        return other.value != value if isinstance(test.ops[0], (ast.NotEq, ast.IsNot)) else None
    return bool(values[test.id]) if isinstance(test, ast.Name) and test.id in values else None


def given_to(target: ast.FunctionDef, call: ast.Call, name: str | None) -> ast.Constant | None:
    """The constant that a call gives a parameter."""
    node = place(target, call, name)
    if node is None and _hidden(call):
        return None
    if node is None:
        args = target.args
        names = [a.arg for a in args.args]
        defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
        node = defaults.get(str(name))
    return node if isinstance(node, ast.Constant) else None


def place(target: ast.FunctionDef, call: ast.Call, name: str | None) -> ast.expr | None:
    """A parameter's argument, where the call has one."""
    args = target.args
    names = [a.arg for a in args.args]
    if name not in names or _hidden(call):
        return None
    if names.index(name) < len(call.args):
        return call.args[names.index(name)]
    return next((k.value for k in call.keywords if k.arg == name), None)


def every(walker: Any, target: ast.FunctionDef) -> list[ast.Call]:
    """All calls of a function or a method, with what stands for `self`; none where one may hide."""
    home = fact(walker.tree, _homes).get(id(target))
    called = home.name if home is not None and target.name == "__init__" else target.name
    reads = [
        n
        for n in named(walker.tree, called)
        if not (isinstance(n, ast.Attribute) and id(n) in walker.endpoints)  # tf.layers.x
    ]
    if id(target) in fact(walker.tree, _inner):
        reads = [n for n in reads if isinstance(n, ast.Name)]  # `self.cells` is no function in one
    held = held_functions.calls(walker, target)
    if held:
        mine = {id(n.func) for n in held}
        reads = [n for n in reads if id(n) not in mine and not held_functions.gives(walker, n)]
    if home is not None:
        lifted = fact(walker.tree, _lifted)  # `super(Net, self)` calls another class's method
        reads = [n for n in reads if id(n) not in lifted]
    above = parents_of(walker.tree)
    around = [(n, above.get(id(n))) for n in reads]
    calls = [c for n, c in around if isinstance(c, ast.Call) and c.func is n]
    if len(calls) != sum(not in_name(walker, n) for n in reads):
        local = shadowed(walker.tree, called) if home is None else set()
        hidden = {id(n) for n in reads if isinstance(n, ast.Name)} & local
        if not hidden:
            return []
        # Functions have something of their own under the name: ``conv = convolve(x, weights)``.
        calls = [n for n in calls if id(n.func) not in hidden]
        others = [n for n in reads if id(n) not in hidden]
        if len(calls) != sum(not in_name(walker, n) for n in others):
            return []
    if home is None:
        return [*calls, *held]
    return [ast.Call(c.func, [c.func, *c.args], c.keywords) for c in calls]


def _homes(tree: ast.AST) -> dict[int, ast.ClassDef]:
    """The classes of methods."""
    return {id(n): cls for cls in reversed(all_of(tree, ast.ClassDef)) for n in cls.body}


def _lifted(tree: ast.AST) -> set[int]:
    """The classes whose methods ask for those of a base: ``Net`` of ``super(Net, self)``."""
    calls = all_of(tree, ast.Call)
    return {
        id(n.args[0])
        for n in calls
        if isinstance(n.func, ast.Name) and n.func.id == "super" and len(n.args) == 2
    }


def _inner(tree: ast.AST) -> set[int]:
    """What stands directly in functions."""
    return {id(n) for scope in all_of(tree, ast.FunctionDef) for n in scope.body}


def in_name(walker: Any, node: ast.AST) -> bool:
    """Whether a node is a part of TensorFlow's name: ``tf.train`` of ``tf.train.Saver``."""
    above = parents_of(walker.tree)
    outer = above.get(id(node))
    while isinstance(outer, ast.Attribute) and id(outer) not in walker.endpoints:
        outer = above.get(id(outer))
    return isinstance(outer, ast.Attribute)


def _hidden(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def mentions(walker: Any, target: ast.FunctionDef, tree: ast.AST | None = None) -> int:
    """How often a function's name is read in the program, or in one of its files.

    Its attributes don't count, nor an import under its own name, nor another name or a partial
    that idles (``vgg_d = vgg_16``), nor what TensorFlow calls so (``tf.nn.conv2d``).
    """
    tree = tree or walker.tree
    called = fact(tree, _called)
    nodes = called.get(target.name, ())
    idle = {
        id(stmt.value)
        for stmt in all_of(tree, ast.Assign)
        if isinstance(stmt.value, (ast.Name, ast.Attribute)) and stmt.value in nodes
        if isinstance(to := stmt.targets[0], ast.Name) and len(called[to.id]) == 1
    }
    variants = idle_partials.of(tree).get(target.name, ())
    idle |= {id(a) for s in variants if isinstance(s.value, ast.Call) for a in s.value.args}
    passed = fact(tree, _not_read)
    return sum(
        not (n is target or id(n) in idle or id(n) in passed or id(n) in walker.endpoints)
        for n in nodes
    )


def _called(tree: ast.AST) -> dict[str, list[ast.AST]]:
    """The names, attributes, imports and definitions that are called so."""
    found: dict[str, list[ast.AST]] = {}
    for n in walk(tree):
        for field in ("id", "attr", "name"):
            if isinstance(name := getattr(n, field, None), str):
                found.setdefault(name, []).append(n)
    return found


def _not_read(tree: ast.AST) -> set[int]:
    """What stands before an attribute, and imports that give no other name to a part of a file."""
    found = {id(n.value) for n in all_of(tree, ast.Attribute)}
    found |= {id(n) for n in all_of(tree, ast.alias) if n.asname is None}
    return found | {id(alias) for n in all_of(tree, ast.Import) for alias in n.names}


def chosen(stmt: ast.If, branch: list[ast.stmt]) -> Callable[[Source], str | None]:
    """The statements of a branch, where the condition stood."""

    def written(source: Source) -> str | None:
        if not branch:
            return ""
        first, last = branch[0], branch[-1]
        texts = [n for s in branch for n in walk(s) if isinstance(n, (ast.Constant, ast.JoinedStr))]
        if any(n.lineno != n.end_lineno for n in texts):
            return None  # a text of several lines
        before = source(span((first.lineno, 0), (first.lineno, first.col_offset))).strip()
        if before:  # `if a: b`, `else: b`
            alone = first.lineno == last.end_lineno and "#" not in source(stmt)
            return source(span(_start(first), _end(last))) if alone else None
        if branch is stmt.orelse and first.col_offset == stmt.col_offset:
            return None  # `elif`
        width = first.col_offset - stmt.col_offset
        # Comments below the header stay.
        header = (stmt.test.end_lineno or stmt.lineno) + 1
        if branch is stmt.orelse:
            header = (stmt.body[-1].end_lineno or stmt.lineno) + 1
        lines = source(span((header, 0), _end(last))).split("\n")
        if branch is stmt.orelse:
            at = next((i for i, n in enumerate(lines) if n.strip().startswith("else")), None)
            if at is None or at >= first.lineno - header:
                return None
            lines = lines[at + 1 :]
        outer = " " * stmt.col_offset
        if any(n.strip() and not n.startswith(outer + " " * width) for n in lines):
            return None
        return "\n".join(n[width:] for n in lines).removeprefix(outer)

    return written


def _start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def span(start: tuple[int, int], end: tuple[int, int]) -> ast.Pass:
    """A piece of text as a node."""
    return ast.Pass(lineno=start[0], col_offset=start[1], end_lineno=end[0], end_col_offset=end[1])


def margin(stmt: ast.stmt) -> ast.AST:
    """What stands before a statement in its line."""
    return span((stmt.lineno, 0), (stmt.lineno, stmt.col_offset))


def without(target: ast.FunctionDef, call: ast.Call, name: str | None) -> list[Written]:
    """A function and its call without a parameter; nothing where that can't be written."""
    args = target.args
    names = [a.arg for a in args.args]
    index = names.index(str(name))
    defaults: list[ast.expr | None] = [None] * (len(names) - len(args.defaults))
    defaults += args.defaults
    params = [(a, d or a) for a, d in zip(args.args, defaults, strict=True)]
    given: list[Any] = [*call.args, *call.keywords]
    value = place(target, call, name)
    mine = next(
        (i for i, n in enumerate(given) if n is value or getattr(n, "value", n) is value), None
    )
    if len(params) < 2 or args.vararg or args.kwonlyargs or args.posonlyargs:
        return []
    found = [cut(params, index)]
    if mine is not None:
        if len(given) < 2:
            return []
        found.append(cut([(n, n) for n in given], mine))
    return found


def cut(items: list[tuple[Any, Any]], place: int) -> Written:
    """Items of a list without one of them: its neighbour takes its place."""
    other = place + 1 if place + 1 < len(items) else place - 1
    first, last = sorted((place, other))
    kept = span((items[other][0].lineno, items[other][0].col_offset), _end(items[other][1]))
    whole = span((items[first][0].lineno, items[first][0].col_offset), _end(items[last][1]))
    return whole, lambda source: source(kept)

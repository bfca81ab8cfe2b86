"""Two objects of one class that share their variables: ``reuse=True`` around the second one.

The second object is given the first one, ``eval_model = Model(False, shared=train_model)``, and
takes its variables and cells from there. Before that, what `__init__` keeps under local names
becomes attributes, and the class gets the parameter.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Instance
from migrate.programs.graph.objects import shared_layers, shared_methods
from migrate.programs.graph.scoping import scoped_locals
from migrate.programs.graph.wording.spelled import Spelled, Written, word

REASON = "objects that share their variables"
GIVEN = "shared"
# The attribute of the first object for each call that makes a variable or a cell.
KEY = "shared parts"
LAYERS = ("shared layers",)  # the calls whose layers the first object has


def begun(walker: Any, instance: Instance, first: bool) -> None:
    """Remember in which scopes the first object of a class is made, and what is there by then.

    ``first``: there were no variables before it.
    """
    walker.kept[("shared scopes", id(instance))] = _scopes(walker)
    walker.kept[("shared first", id(instance))] = first
    _parts(walker, instance)
    walker.kept[("shared by then", id(instance))] = _there(walker)


def member_of(node: ast.ClassDef) -> ast.FunctionDef | None:
    """A class's own `__init__`."""
    found = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    return found[0] if len(found) == 1 else None


def is_told(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether an `__init__` has been given the parameter, which TF 1 has no use for."""
    member = member_of(cls)
    if member is None or not member.args.args or member.args.args[-1].arg != GIVEN:
        return False
    default = member.args.defaults[-1] if member.args.defaults else None
    reads = [n for n in all_of(member, ast.Name) if n.id == GIVEN]
    passed = shared_methods.handed_on(walker, cls, member, GIVEN) if reads else set()
    unread = all(id(n) in passed for n in reads)
    return unread and isinstance(default, ast.Constant) and default.value is None


def shares(walker: Any, instance: Instance, call: ast.Call) -> bool:
    """Whether an object takes the variables of the first one.

    Raises:
        Spelled: it may, and is to be told so.
        Blocked: it may not.
    """
    member = member_of(instance.node)
    known = is_told(walker, instance.node) and any(k.arg == GIVEN for k in call.keywords)
    if not known and not any(scope.reuse for scope in walker.scopes):
        return False
    left = instance.left
    if (
        member is None
        or left is None
        or left.graph != walker.graph
        or walker.nested
        or walker.loops
    ):
        raise Blocked(call, REASON)
    if walker.kept.get(("shared by then", id(instance))) != _there(walker):
        raise Blocked(call, REASON)
    if walker.kept.get(("shared scopes", id(instance))) != _scopes(walker):
        raise Blocked(call, REASON)
    if known:
        return True
    if not walker.kept.get(("shared first", id(instance))):
        raise Blocked(call, REASON)
    first = name_of(walker, left.call)
    if first is None:
        raise Blocked(call, REASON)
    found: list[Written] = []
    if not is_told(walker, instance.node):
        found = attributes(walker, instance, member, call)
        args = member.args
        at = args.defaults[-1] if args.defaults else args.args[-1]
        found.append((at, lambda source: f"{source(at)}, {GIVEN}=None"))
    given: list[Any] = [*call.args, *call.keywords]
    if not given:
        raise Blocked(call, REASON)
    end = given[-1]
    found.append((end, lambda source: f"{source(end)}, {GIVEN}={first}"))
    raise Spelled(call, REASON, found)


def _there(walker: Any) -> tuple[int, ...]:
    return len(walker.created), len(walker.owned), len(walker.made)


def _scopes(walker: Any) -> list[str | None]:
    return [s.name for s in walker.scopes if not s.ops_only and s.name != ""]


def name_of(walker: Any, call: ast.Call | None) -> str | None:
    """The one name that the first object has where the second one is made."""
    scope = walker.frame.node
    for n in walk(scope):
        if isinstance(n, ast.Assign) and n.value is call and len(n.targets) == 1:
            target = n.targets[0]
            if isinstance(target, ast.Attribute):
                stores = [
                    m
                    for m in all_of(walker.tree, ast.Attribute)
                    if m.attr == target.attr
                    if not isinstance(m.ctx, ast.Load)
                ]
                plain = isinstance(target.value, ast.Name) and len(stores) == 1
                return ast.unparse(target) if plain else None
            name = target.id if isinstance(target, ast.Name) else None
            bound = [
                m for m in all_of(scope, ast.Name) if m.id == name and isinstance(m.ctx, ast.Store)
            ]
            return name if len(bound) == 1 else None
    return None


def attributes(
    walker: Any, instance: Instance, member: ast.FunctionDef, call: ast.Call
) -> list[Written]:
    """The local names of variables and cells in `__init__`, and what it calls, as attributes.

    Raises:
        Blocked: something is made elsewhere, or in another way.
    """
    if member.args.vararg or member.args.kwarg or member.args.kwonlyargs:
        raise Blocked(call, REASON)
    made = _made(walker, instance, member)
    left = instance.left
    if made is None or left is None or not shared_layers.alike(walker, member, left.call, call):
        raise Blocked(call, REASON)
    kept = {n.attr for n in all_of(instance.node, ast.Attribute) if isinstance(n.ctx, ast.Store)}
    parts = shared_methods.of(walker, instance.node, member)
    passed = shared_methods.given(parts, member, made, GIVEN)
    if passed is None:
        raise Blocked(call, REASON)
    written: list[Written] = passed
    names: set[str] = set()
    repeated = scoped_locals.repeated(made)
    for stmt in made:
        target = stmt.targets[0]
        assert isinstance(target, (ast.Name, ast.Attribute))
        name = target.id if isinstance(target, ast.Name) else target.attr
        method = shared_methods.around(parts, member, stmt)
        if id(stmt) in repeated:
            mine = scoped_locals.uses(walker, method, stmt, repeated[id(stmt)], names | kept)
            if mine is None or mine[0] in _params(method):
                raise Blocked(call, REASON)
            names.add(mine[0])
            written += [(n, word(f"{method.args.args[0].arg}.{mine[0]}")) for n in mine[1]]
            continue
        if name in names:
            raise Blocked(call, REASON)
        names.add(name)
        if isinstance(target, ast.Attribute):
            continue
        uses = [n for n in all_of(method, ast.Name) if n.id == name]
        stores = [n for n in uses if isinstance(n.ctx, ast.Store)]
        plain = {id(s.targets[0]) for s in method.body if isinstance(s, ast.Assign)}
        if not {id(n) for n in stores} <= plain and len(stores) > 1:
            raise Blocked(call, REASON)
        if name in kept or name in _params(method):
            raise Blocked(call, REASON)
        itself = method.args.args[0].arg
        written += [(n, word(f"{itself}.{name}")) for n in uses]
    return written


def _params(member: ast.FunctionDef) -> set[str]:
    return {a.arg for n in all_of(member, ast.arguments) for a in n.args}


def _made(walker: Any, instance: Instance, member: ast.FunctionDef) -> list[ast.Assign] | None:
    """The statements that keep a variable or a cell that runs; None: others than `__init__`'s do.

    Those of the methods that it calls are among them.
    """
    from migrate.programs.graph.objects.several_objects import reached

    members = [member, *(m for m, _ in shared_methods.of(walker, instance.node, member))]
    inside = {id(n) for m in members for n in walk(m)}
    parents = {child: parent for m in members for child, parent in parents_of(m).items()}
    found: list[ast.Assign] = []
    layered = False
    for node in reached(walker, instance):
        name = walker.endpoints.get(id(node.func), "")
        short = meaning.canonical(name) if name else ""
        if id(node) not in inside and _helped(walker, node):
            continue  # its call has all of it
        if short == T + "Variable":
            told = {k.arg: k.value for k in node.keywords}.get("trainable")
            if not isinstance(told, ast.Constant) or told.value is not False:
                return None
        elif short == T + "get_variable":
            stmt = parents.get(id(node))
            block = parents.get(id(stmt))
            while isinstance(block, ast.With) or _decided(walker, block):
                block = parents.get(id(block))
            plain = isinstance(stmt, ast.Assign) and block in members and _constant(walker, node)
            if not plain or any(k.arg in ("regularizer", "collections") for k in node.keywords):
                return None
            assert isinstance(stmt, ast.Assign)
            found.append(stmt)
        elif id(node) in walker.layers:
            if not _plain(walker, member, node, parents):
                return None
            layered = True
        elif not _alike(walker, node, short, inside):
            return None
    for place, cells, frame in walker.kept.get("held cells", ()):
        named = isinstance(place, (ast.Name, ast.Attribute))
        if cells.kind or frame.node not in members or not named:
            return None
        said = ast.unparse(place)
        stmts = [
            n
            for n in frame.node.body
            if isinstance(n, ast.Assign)
            and len(n.targets) == 1
            and ast.unparse(n.targets[0]) == said
        ]
        last = stmts[-1] if stmts else None  # `cell = Cell(n)`, and then `cell = Stack([cell])`
        if last is None or last.lineno > place.lineno or not isinstance(last.value, ast.Call):
            return None
        found += [last] if last not in found else []
    ok = all(
        len(s.targets) == 1 and isinstance(s.targets[0], (ast.Name, ast.Attribute)) for s in found
    )
    return found if ok and (found or layered) else None


def _plain(
    walker: Any, member: ast.FunctionDef, node: ast.Call, parents: dict[int, ast.AST]
) -> bool:
    """Whether a layer is made in a statement of `__init__` that each object executes once."""
    layer = walker.layers[id(node)]
    updates = "batch_norm" in layer.endpoint or any("regularizer" in k for k in layer.given)
    if updates:
        return False
    block = parents.get(id(node))
    while block is not None and block is not member:
        if not isinstance(block, (ast.expr, ast.Assign, ast.Return, ast.keyword, ast.With)):
            return False
        if isinstance(block, (ast.Lambda, ast.IfExp, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            return False
        block = parents.get(id(block))
    return block is member and layer.norm is None and layer.same is None and not layer.inline


def _helped(walker: Any, node: ast.Call) -> bool:
    """Whether a call stands in a function that makes variables and applies them."""
    name = walker.endpoints.get(id(node.func), "")
    if "batch_norm" in name or any("regularizer" in str(k.arg) for k in node.keywords):
        return False
    return any(region.inputs is not None and holds(region.node, node) for region in walker.regions)


def _decided(walker: Any, block: ast.AST | None) -> bool:
    """Whether a branch goes one way for all objects: by a setting of the module."""
    if not isinstance(block, ast.If):
        return False
    names = [n for n in walk(block.test) if isinstance(n, (ast.Name, ast.Attribute))]
    test = block.test.operand if isinstance(block.test, ast.UnaryOp) else block.test
    if not isinstance(test, ast.Name) or len(names) != 1:
        return False
    stores = [
        n
        for n in walk(walker.tree)
        if (isinstance(n, ast.Name) and n.id == test.id and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == test.id)
    ]
    top = [t for s in walker.tree.body if isinstance(s, ast.Assign) for t in s.targets]
    declared = (n for n in all_of(walker.tree, ast.Global))
    return len(stores) == 1 and stores[0] in top and not any(test.id in n.names for n in declared)


def _constant(walker: Any, node: ast.Call) -> bool:
    """Whether a variable or a scope has the same name in all objects."""
    given = walker.bound(walker.endpoints[id(node.func)], node)
    said = given.get("name", given.get("name_or_scope"))
    return isinstance(said, ast.Constant) and isinstance(said.value, str)


def _alike(walker: Any, node: ast.Call, name: str, inside: set[int]) -> bool:
    """Whether a call opens one scope for all objects, or makes a cell that computes the same.

    Of a cell only the size may be told; layers aren't followed.
    """
    if name in meaning.SCOPES:
        return _constant(walker, node)
    if not name.endswith("Cell"):
        return name not in meaning.LAYERS | meaning.MAKING
    sizes = ("num_units", "cells")
    more = [*node.args[1:], *(k.value for k in node.keywords if k.arg not in sizes)]
    return id(node) in inside and all(isinstance(a, ast.Constant) or _reuse(a) for a in more)


def _reuse(node: ast.expr) -> bool:
    """Whether a cell is told what its scope says anyway: ``tf.get_variable_scope().reuse``."""
    return ast.unparse(node).endswith("get_variable_scope().reuse")


def _parts(walker: Any, instance: Instance) -> None:
    """Note what the objects of a class share: its calls, by the attributes of the first one."""
    member = member_of(instance.node)
    if member is None or not is_told(walker, instance.node):
        return
    made = _made(walker, instance, member)
    for stmt in made or []:
        target = stmt.targets[0]
        if isinstance(target, ast.Attribute):
            walker.kept.setdefault(KEY, {})[id(stmt.value)] = target.attr
    inside = [n for n in all_of(member, ast.Call) if id(n) in walker.layers]
    if made is not None and inside:
        walker.kept.setdefault(LAYERS, set()).update(map(id, inside))
        walker.kept.setdefault("saved outside", set()).add(id(instance.region))


def taken(walker: Any, call: ast.Call) -> str:
    """What stands before a variable of a class whose objects share theirs."""
    attribute = walker.kept.get(KEY, {}).get(id(call))
    return f"{GIVEN}.{attribute} if {GIVEN} else " if attribute is not None else ""


def layer(name: str, source: str) -> str:
    """A layer of a class whose objects share theirs: the first object's, where it is given."""
    return f"{GIVEN}.{name.rpartition('.')[2]} if {GIVEN} else {source}"

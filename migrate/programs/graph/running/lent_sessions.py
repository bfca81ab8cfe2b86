"""Uncalled methods that want a session: ``def save(self, sess): sess.run(self.params)``.

What runs parts of the object's graph is a session, whoever calls the method. One parameter is, if
all that the method does with it is such a run, or a Saver's. So is what the ``__init__`` of a
class that nobody makes objects of keeps, ``self.sess = sess``, if it runs the initializers.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, holds, parents_of, walk
from migrate.programs.graph.meaning import INITIALIZERS, T, is_host, is_op
from migrate.programs.graph.model import Instance, Kind, Value
from migrate.programs.graph.objects import bases

PARTS = (Kind.TENSOR, Kind.PLACEHOLDER, Kind.OP, Kind.VARIABLE, Kind.INIT)


def given(walker: Any, instance: Instance, member: ast.FunctionDef) -> dict[str, Value]:
    """The parameters of a method that can only be sessions.

    Nothing that isn't followed may have the method's name: a call would give them still.
    """
    followed = {id(call.func) for call, target in walker.calls if target is not member}
    if member.name in ("save", "restore"):  # what other methods call of their Savers is another's
        for each in all_of(walker.tree, ast.FunctionDef):
            followed |= _of_savers(walker, each)
    # `tf.train` of `tf.train.Saver` is no method `train`.
    trees = [m.tree for m in walker.files.together(member) if m.tree is not None]
    named = [n for tree in trees for n in all_of(tree, ast.Attribute)]
    owners = {id(n.value) for n in named if id(n) in walker.endpoints}
    if any(n.attr == member.name and id(n) not in followed | owners for n in named):
        return {}
    if any(n.value == member.name for tree in trees for n in all_of(tree, ast.Constant)):
        return {}
    return sessions(walker, instance, member)


def sessions(walker: Any, instance: Instance, member: ast.FunctionDef) -> dict[str, Value]:
    """The parameter that a method uses as a session, and as nothing else."""
    savers = _of_savers(walker, member)
    args = member.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or not args.args:
        return {}
    first = args.args[0].arg
    above = parents_of(member)
    found: dict[str, Value] = {}
    for name in (a.arg for a in args.args[1:]):
        uses = [n for n in all_of(member, ast.Name) if n.id == name]
        sure = {id(use) for use in uses if _runs(instance, first, savers, above, use)}
        # What runs a part of the graph once is a session in its other runs, too.
        if sure and all(id(use) in sure or _is_run(above, use) for use in uses):
            found[name] = Value(Kind.SESSION)
    return found if len(found) == 1 else {}


def kept(walker: Any, node: ast.ClassDef, member: ast.FunctionDef) -> dict[str, Value]:
    """The parameter of an ``__init__`` that can only be a session, which the class keeps."""
    if member.args.vararg or member.args.kwarg or not member.args.args:
        return {}
    first = member.args.args[0].arg
    above: dict[int, ast.AST] = {}
    for name in (a.arg for a in [*member.args.args[1:], *member.args.kwonlyargs]):
        attribute = _attribute(member, first, name)
        if attribute is None:
            continue
        if not above:
            above = {id(child): n for n in bases.nodes(walker, node) for child in children(n)}
        uses = [n for n in all_of(member, ast.Name) if n.id == name]
        places: list[ast.expr] = [n for n in uses if id(above[id(n)]) not in _keeping(member)]
        places += [
            n
            for n in bases.nodes(walker, node)
            if isinstance(n, ast.Attribute)
            and n.attr == attribute
            and not isinstance(n.ctx, ast.Store)
        ]
        stores = [
            n
            for n in all_of(walker.tree, ast.Attribute)
            if n.attr == attribute
            if isinstance(n.ctx, ast.Store)
        ]
        if len(stores) > 1 or not all(_is_run(above, place) for place in places):
            continue
        if any(_initializes(walker, node, above[id(above[id(place)])]) for place in places):
            return {name: Value(Kind.SESSION)}
    return {}


def of_function(walker: Any, target: ast.FunctionDef) -> dict[str, Value]:
    """The parameter of a function that can only be a session: it runs what the function makes."""
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return {}
    above = parents_of(target)
    made = {
        t.id
        for stmt in all_of(target, ast.Assign)
        if isinstance(stmt.value, ast.Call) and _makes(walker, stmt.value)
        for t in stmt.targets
        if isinstance(t, ast.Name)
    }
    found: dict[str, Value] = {}
    for name in (a.arg for a in args.args):
        uses = [n for n in all_of(target, ast.Name) if n.id == name]
        fetched = [
            call.args[0]
            for use in uses
            if _is_run(above, use) and isinstance(call := above[id(above[id(use)])], ast.Call)
            if call.args
        ]
        own = [
            f
            for f in fetched
            if (isinstance(f, ast.Name) and f.id in made)
            or (isinstance(f, ast.Call) and _makes(walker, f))
        ]
        if own and len(fetched) == len(uses):
            found[name] = Value(Kind.SESSION)
    return found if len(found) == 1 else {}


def _makes(walker: Any, call: ast.Call) -> bool:
    """Whether a call makes something of a graph."""
    endpoint = walker.endpoints.get(id(call.func), "")
    return endpoint in INITIALIZERS or (is_op(endpoint) and not is_host(endpoint))


def _keeping(member: ast.FunctionDef) -> set[int]:
    return {id(s) for s in member.body if isinstance(s, ast.Assign)}


def _attribute(member: ast.FunctionDef, own: str, name: str) -> str | None:
    """The one attribute that an argument is kept in, where the name means it all along."""
    if any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(member)
    ):
        return None
    found = [
        target.attr
        for stmt in member.body
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Name)
        if stmt.value.id == name
        for target in stmt.targets
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == own
    ]
    return found[0] if len(found) == 1 else None


def _is_run(above: dict[int, ast.AST], place: ast.expr) -> bool:
    """Whether something is asked to run, ``self.sess.run(…)``."""
    outer = above[id(place)]
    call = above.get(id(outer))
    run = isinstance(outer, ast.Attribute) and outer.attr == "run" and outer.value is place
    return run and isinstance(call, ast.Call) and call.func is outer


def _initializes(walker: Any, node: ast.ClassDef, call: ast.AST) -> bool:
    """Whether a run is of TF's initializer of variables, by its name too."""
    fetched = call.args[0] if isinstance(call, ast.Call) and call.args else None
    method = next((m for m in bases.own(walker, node) if holds(m, call)), None)
    if isinstance(fetched, ast.Name) and method is not None:
        bound = [
            n.value for n in all_of(method, ast.Assign) if ast.unparse(n.targets[0]) == fetched.id
        ]
        fetched = bound[0] if len(bound) == 1 else None
    made = isinstance(fetched, ast.Call) and walker.endpoints.get(id(fetched.func), "")
    return made in INITIALIZERS


def _of_savers(walker: Any, member: ast.FunctionDef) -> set[int]:
    """The calls of a method's own Savers: ``tf.train.Saver().save``, by what is called."""
    makes = T + "train.Saver"

    def made(node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) == makes

    stores = [n.id for n in all_of(member, ast.Name) if not isinstance(n.ctx, ast.Load)]
    names = {
        target.id
        for n in all_of(member, ast.Assign)
        if made(n.value) and len(n.targets) == 1
        for target in n.targets
        if isinstance(target, ast.Name) and stores.count(target.id) == 1
    }
    return {
        id(n)
        for n in all_of(member, ast.Attribute)
        if n.attr in ("save", "restore")
        if made(n.value) or (isinstance(n.value, ast.Name) and n.value.id in names)
    }


def _runs(
    instance: Instance, own: str, savers: set[int], above: dict[int, ast.AST], use: ast.Name
) -> bool:
    """Whether a name is used as a session: to run what the object has, or given to its Saver."""
    outer = above[id(use)]
    call = above.get(id(outer))
    if isinstance(outer, ast.keyword):  # `self.y.eval(session=sess)`
        return outer.arg == "session"
    if isinstance(outer, ast.Call):  # `self.saver.save(sess, path)`
        if id(outer.func) in savers:
            return bool(outer.args) and outer.args[0] is use
        saver = outer.func.value if isinstance(outer.func, ast.Attribute) else None
        symbol = _of_object(instance, own, saver)
        from migrate.programs.graph.saving.savers import Saver

        known = symbol is not None and isinstance(symbol.data, Saver)
        return known and bool(outer.args) and outer.args[0] is use
    if not (isinstance(outer, ast.Attribute) and outer.attr == "run" and outer.value is use):
        return False
    if not (isinstance(call, ast.Call) and call.func is outer and call.args):
        return False
    fetched = _listed(above, call.args[0])
    parts = fetched.elts if isinstance(fetched, (ast.List, ast.Tuple)) else [fetched]
    return bool(parts) and all(_has_part(instance, own, part) for part in parts)


def _listed(above: dict[int, ast.AST], fetched: ast.expr) -> ast.expr:
    """The list that a method gives a name and runs, ``wanted = [self.step, self.loss]``."""
    if not isinstance(fetched, ast.Name):
        return fetched
    at: ast.AST = fetched
    while id(at) in above:
        at = above[id(at)]
    stores = [n for n in all_of(at, ast.Name) if n.id == fetched.id and n is not fetched]
    made = above[id(stores[0])] if len(stores) == 1 else None
    listed = made.value if isinstance(made, ast.Assign) else None
    return listed if isinstance(listed, ast.List) else fetched


def _has_part(instance: Instance, own: str, node: ast.expr) -> bool:
    """Whether something of the graph is fetched: ``self.loss``, ``self.weights[i].assign(w)``."""
    read = (n for n in all_of(node, ast.Attribute))
    return any((v := _of_object(instance, own, n)) is not None and _part(v) for n in read)


def _of_object(instance: Instance, own: str, node: ast.expr | None) -> Value | None:
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return None
    symbol = instance.attrs.get(node.attr) if node.value.id == own else None
    return symbol.value if symbol is not None else None


def _part(value: Value) -> bool:
    if value.items is not None:
        return bool(value.items) and all(_part(v) for _, v in value.items)
    if value.each is not None:
        return _part(value.each)
    return value.kind in PARTS

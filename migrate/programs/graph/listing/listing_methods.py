"""Methods that list the variables of their object's scope: the object keeps the list.

    def get_trainable_variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, self.scope)

What `__init__` has made is all that there will be: the list stands at its end,
``self.trainable_variables = tf.get_collection(…)``, and the method gives it.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.objects import bases, own_attributes
from migrate.programs.graph.objects.shared_objects import member_of
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording.spelled import Spelled, Written, word

LISTS = frozenset({T + "get_collection", T + "trainable_variables", T + "global_variables"})
ALL = frozenset({T + "GraphKeys.GLOBAL_VARIABLES", T + "GraphKeys.VARIABLES"})
NESTED = (ast.FunctionDef, ast.Lambda, ast.Return, ast.Yield, ast.YieldFrom)


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether what asks for variables stands in such a method.

    Raises:
        Spelled: it does, and the list may stand in `__init__`.
    """
    method = function_around(walker.tree, node)
    classes = (c for c in all_of(walker.tree, ast.ClassDef) if method in c.body)
    cls = next(classes, None)
    init = member_of(cls) if cls is not None else None
    if cls is None or init is None or method is init or not _plain(walker, cls, init):
        return
    added: list[tuple[str, ast.expr]] = []
    replaced: list[Written] = []
    itself = init.args.args[0].arg
    for member in bases.methods(cls):
        listed = _listed(walker, cls, init, member)
        if listed is None:
            continue
        name = member.name.removeprefix("get_")
        name = name if name != member.name else f"{name}_list"
        if name in {n.attr for n in all_of(cls, ast.Attribute) if _of(n.value, itself)}:
            return
        if any(m.name == name for m in bases.methods(cls)) or name in [n for n, _ in added]:
            return
        added.append((name, listed))
        replaced.append((listed, word(f"{member.args.args[0].arg}.{name}")))
    if not any(n is node for _, listed in added for n in walk(listed)):
        return
    last = init.body[-1]
    indent = " " * last.col_offset

    def written(source: Any) -> str:
        lines = [f"{itself}.{name} = {source(listed)}" for name, listed in added]
        return f"\n{indent}".join([source(last), *lines])

    raise Spelled(node, reason, [*replaced, (last, written)])


def _plain(walker: Any, cls: ast.ClassDef, init: ast.FunctionDef) -> bool:
    """Whether all variables of a class's objects are there when `__init__` has ended."""
    if not all(ast.unparse(b) == "object" for b in cls.bases) or not init.args.args:
        return False
    if any(isinstance(n, NESTED) and n is not init for n in walk(init)):
        return False
    itself, inside = init.args.args[0].arg, set(map(id, walk(init)))
    for member in bases.methods(cls):
        if member is init or not walker._variables_made(member):
            continue
        calls = [n for n in all_of(walker.tree, ast.Attribute) if n.attr == member.name]
        if not all(id(n) in inside and _of(n.value, itself) for n in calls):
            return False
    return True


def _listed(
    walker: Any, cls: ast.ClassDef, init: ast.FunctionDef, member: ast.FunctionDef
) -> ast.expr | None:
    """The list that a method gives, where that is all that it does; of what `__init__` has set."""
    body = member.body[ast.get_docstring(member) is not None :]
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, ast.Return) or only.value is None or member.decorator_list:
        return None
    if len(member.args.args) != 1 or member.args.args[0].arg != init.args.args[0].arg:
        return None
    listed, itself = only.value, member.args.args[0].arg
    if not isinstance(listed, ast.Call) or walker.endpoints.get(id(listed.func)) not in LISTS:
        return None
    if _all(walker, listed) and _read(walker, member):
        return None  # an optimizer's would be among them
    read = [n for n in all_of(listed, ast.Attribute) if _of(n.value, itself)]
    if len(read) != 1 or sum(_of(n, itself) for n in walk(listed)) != 1:
        return None
    for n in read:
        stores = own_attributes.stores(walker, cls, n.attr)
        inside = {id(t) for s in all_of(init, ast.Assign) for t in s.targets}
        if len(stores) != 1 or id(stores[0]) not in inside:
            return None
    return listed


def _all(walker: Any, listed: ast.Call) -> bool:
    """Whether all variables are asked for, whether they are trained or not."""
    names = {walker.endpoints.get(id(n)) for n in walk(listed)}
    texts = {n.value for n in all_of(listed, ast.Constant)}
    return bool(names & (ALL | {T + "global_variables"}) or texts & {"variables"})


def _read(walker: Any, member: ast.FunctionDef) -> bool:
    """Whether something has a method's name besides itself."""
    return any(n.attr == member.name for n in all_of(walker.tree, ast.Attribute))


def _of(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name

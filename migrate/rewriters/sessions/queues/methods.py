"""Methods that give a queue's elements, and readers under attributes.

def feed(self):                                      def feed(self):
    _, value = self.reader.read(queue)                   dataset = tf.data.TFRecordDataset(queue)
    …                                                    …
    return images                                        return dataset

reader = Reader(path)                                reader = Reader(path)
images = reader.feed()                               images = reader.feed().…get_next()
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import sources
from migrate.rewriters.sessions.queues.carriers import hidden

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.module import Module
    from migrate.rewriters.sessions.queues.pipelines import Pipelines

REASON = "a method gives a queue's elements"


def owner(tree: ast.Module, function: ast.AST) -> ast.ClassDef | None:
    """The class of the module that a plain method is of."""
    for stmt in tree.body:
        if isinstance(stmt, ast.ClassDef) and function in stmt.body:
            return stmt
    return None


def key(pipelines: Pipelines, function: ast.FunctionDef) -> str:
    """What a method is known by; empty where it isn't told from others'."""
    tree, name = pipelines.module.tree, function.name
    cls = owner(tree, function)
    if cls is None or function.decorator_list or not function.args.args:
        return ""
    plain = all(isinstance(b, ast.Name) and b.id == "object" for b in cls.bases)
    classes = all_of(tree, ast.ClassDef)
    based = any(cls.name in ast.unparse(b) for c in classes for b in c.bases)
    same = sum(isinstance(s, ast.FunctionDef) and s.name == name for s in cls.body) > 1
    if not plain or based or same or name.startswith("__") or function.args.args[0].arg != "self":
        return ""
    # What came before was followed without knowing of it.
    if re.search(rf"\.{name}\b|\bgetattr\b|\({cls.name}\)", pipelines.before):
        return ""
    return f"{cls.name}.{name}"


def called(pipelines: Pipelines, func: ast.Attribute) -> str:
    """What a method is known by where it is called; `?.name` where its object isn't seen."""
    cls = _class(pipelines.module, func.value)
    return f"{cls or '?'}.{func.attr}"


def _class(module: Module, node: ast.expr, depth: int = 3) -> str:
    """The class of an object, as the module writes it."""
    if isinstance(node, ast.Call):  # `Reader(path).feed()`
        return ast.unparse(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else ""
    if isinstance(node, ast.Name):
        around = _around(module.tree, node)
        if node.id == "self":
            classes = (owner(module.tree, f) for f in around)
            return next((c.name for c in classes if c is not None), "")
        for f in reversed(around):
            if any(a.arg == node.id for a in all_of(f.args, ast.arg)):
                return _given(module, f, node.id, depth)
        home = next((f for f in reversed(around) if _binds(f, node.id)), None)
        others = hidden(module.tree, node.id) if home is None else set()
        nodes = [n for n in walk(home or module.tree) if id(n) not in others]
        stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == node.id]
        stores = [n for n in stores if not isinstance(n.ctx, ast.Load)]
        kept = (n for n in nodes if isinstance(n, ast.Assign))
        made = [n.value for n in kept if any(t in stores for t in n.targets)]
        return _one(made) if len(made) == len(stores) else ""
    if isinstance(node, ast.Attribute):
        named = [n for n in all_of(module.tree, ast.Attribute) if n.attr == node.attr]
        within = (owner(module.tree, f) for f in _around(module.tree, node))
        cls = next((c for c in within if c is not None), None)
        set_ = [n for n in named if not isinstance(n.ctx, ast.Load)]
        set_ = [n for n in set_ if cls is None or not _another(module.tree, n, cls)]
        made = [
            n.value for n in all_of(module.tree, ast.Assign) if any(t in set_ for t in n.targets)
        ]
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if own and len(made) == len(set_) == 1 and isinstance(made[0], ast.Name) and depth:
            return _class(module, made[0], depth - 1)
        return _one(made) if own and len(made) == len(set_) else ""
    return ""


def _given(module: Module, function: ast.FunctionDef, name: str, depth: int) -> str:
    """The class of what every call gives a parameter, of a function or of an `__init__`."""
    cls = owner(module.tree, function)
    args, known = function.args, module.tree.body
    at = next((i for i, a in enumerate(args.args) if a.arg == name), -1)
    called = cls.name if cls is not None else function.name
    top = (cls if cls is not None else function) in known
    if (
        at < 0
        or not top
        or _binds(function, name)
        or not depth
        or (cls and function.name != "__init__")
    ):
        return ""
    if at >= len(args.args) - len(args.defaults) or function.decorator_list:
        return ""
    at -= cls is not None
    uses = [n for n in all_of(module.tree, ast.Name) if n.id == called]
    calls = [n for n in all_of(module.tree, ast.Call) if n.func in uses]
    found = set()
    for call in calls:
        values = [k.value for k in call.keywords if k.arg == name]
        values += call.args[at : at + 1] if len(call.args) > at else []
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        found.add("" if hidden or len(values) != 1 else _class(module, values[0], depth - 1))
    return found.pop() if len(found) == 1 and len(calls) == len(uses) else ""


def _binds(function: ast.FunctionDef, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(function)
    )


def _one(made: list[ast.expr]) -> str:
    names = {ast.unparse(m.func) if isinstance(m, ast.Call) else "" for m in made}
    return names.pop() if len(names) == 1 else ""


def _around(tree: ast.Module, node: ast.AST) -> list[ast.FunctionDef]:
    """The functions that a node stands in, the outer ones first."""
    line = getattr(node, "lineno", 0)
    return [
        f
        for f in all_of(tree, ast.FunctionDef)
        if f.lineno <= line <= (f.end_lineno or 0)
        if holds(f, node)
    ]


def _another(tree: ast.Module, node: ast.Attribute, cls: ast.ClassDef) -> bool:
    """Whether an attribute is of an object of another class: `self.x` in a method of that."""
    if not isinstance(node.value, ast.Name) or node.value.id != "self":
        return False
    around = _around(tree, node)
    return bool(around) and owner(tree, around[0]) not in (cls, None)


def reader(pipelines: Pipelines, node: ast.AST, function: ast.AST) -> ast.Call | None:
    """The reader that an attribute of a method's object is; what makes it goes.

    Raises:
        Blocked: it is read in several places, or may be another one.
    """
    if not isinstance(node, ast.Attribute) or ast.unparse(node.value) != "self":
        return None
    module = pipelines.module
    cls = owner(module.tree, function)
    if cls is None:
        return None
    uses = [n for n in all_of(module.tree, ast.Attribute) if n.attr == node.attr]
    uses = [n for n in uses if not _another(module.tree, n, cls)]
    kept = [
        (body, s)
        for f in cls.body
        if isinstance(f, ast.FunctionDef)
        for body in [f.body]
        for s in body
        if isinstance(s, ast.Assign) and any(t in uses for t in s.targets)
    ]
    if len(kept) != 1 or module.endpoint(kept[0][1].value) not in sources.READERS:
        return None
    body, stmt = kept[0]
    if len(uses) != 2 or len(stmt.targets) != 1:
        raise Blocked(node, f"`{ast.unparse(node)}`, a reader, is used in several places")
    place = body.index(stmt)
    if len(body) == 1:
        module.replace(stmt, "pass")
    else:
        module.remove(stmt, (body[place - 1].end_lineno or 0) if place else 0)
    made = stmt.value
    assert isinstance(made, ast.Call)
    return made

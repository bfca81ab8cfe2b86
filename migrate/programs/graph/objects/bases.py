"""Base classes: whose methods an object has, in Python's order, and ``super()``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Function
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Instance, Kind, Value
from migrate.programs.graph.objects import own_attributes

# Bases that do nothing with what an object keeps.
PLAIN = frozenset(
    (
        *("object", "abc.ABC", "typing.Generic"),
        *("sklearn.base.BaseEstimator", "sklearn.base.TransformerMixin"),
        *("sklearn.base.ClassifierMixin", "sklearn.base.RegressorMixin"),
    )
)
WITH_SELF = ("calls with self",)  # among what a walk keeps: ``Base.method(self, …)``
TYPES = frozenset({"float16", "float32", "float64", "bfloat16", "string", "bool", "resource"})
TYPES |= {f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)}
METACLASSES = frozenset({"abc.ABCMeta"})
PLAIN_BASES = ("object", "Enum", "IntEnum")  # of a class that names constants


@dataclass(slots=True, eq=False, repr=False)
class Bases:
    """What a class is made of."""

    order: list[ast.ClassDef]  # itself and its bases, as Python looks names up
    type: type  # in that order
    odd: tuple[ast.AST, str] | None = None  # why its objects can't be followed


@dataclass(slots=True, eq=False, repr=False)
class Above:
    """``super()`` in a method."""

    instance: Instance
    home: ast.ClassDef  # whose method it is

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A call of what the classes further up have."""
        order = lineage(walker, self.instance.node)
        for cls in order[order.index(self.home) + 1 :]:
            for member in methods(cls):
                if member.name == attribute:
                    return called(walker, self.instance, member, node)
        if attribute == "__init__" and not node.args and not node.keywords:
            return HOST
        raise Blocked(node, f"`{attribute}` of a base class isn't seen")


def note(walker: Any, node: ast.ClassDef) -> None:
    """Remember what a class is made of, once it is defined."""
    order: list[ast.ClassDef] = []
    types: list[type] = []
    odd: tuple[ast.AST, str] | None = None
    for base in node.bases:
        data = walker.expression(base).data
        if not isinstance(data, ast.ClassDef):  # `base.Base`, which builds nothing itself
            data = walker.files.at(base).definition(base)
        known = walker.bases.get(id(data)) if isinstance(data, ast.ClassDef) else None
        if known is not None:
            types.append(known.type)
            odd = odd or known.odd
        elif dotted(walker, base) not in PLAIN:
            odd = odd or (node, f"class `{node.name}`, which builds a graph, has a base class")
    for keyword in node.keywords:
        if keyword.arg != "metaclass" or dotted(walker, keyword.value) not in METACLASSES:
            odd = odd or (node, f"class `{node.name}` builds or runs a graph")
    if node.decorator_list:
        odd = odd or (node, f"class `{node.name}`, which builds a graph, has a decorator")
    try:
        made = type(node.name, tuple(types), {"node": node})
        order = [cls.__dict__["node"] for cls in made.__mro__ if "node" in cls.__dict__]
    except TypeError:
        made, order = type(node.name, (), {"node": node}), [node]
        odd = (node, f"the bases of class `{node.name}` have no order")
    walker.bases[id(node)] = Bases(order, made, odd)


def dotted(walker: Any, node: ast.expr) -> str:
    """What a name or attribute was imported as; empty where another thing has the name."""
    if isinstance(node, ast.Subscript):
        return dotted(walker, node.value)
    if isinstance(node, ast.Attribute):
        owner = dotted(walker, node.value)
        return f"{owner}.{node.attr}" if owner else ""
    if not isinstance(node, ast.Name):
        return ""
    bound = walker.frame.env.get(node.id)
    if bound is None:
        return node.id if node.id == "object" else ""
    stmt = bound.step.node
    if isinstance(stmt, ast.ImportFrom) and not stmt.level:
        names = {a.asname or a.name: f"{stmt.module}.{a.name}" for a in stmt.names}
        return names.get(node.id, "")
    if isinstance(stmt, ast.Import):
        names = {a.asname or a.name: a.name for a in stmt.names}
        return names.get(node.id, node.id)
    return ""


def lineage(walker: Any, node: ast.ClassDef) -> list[ast.ClassDef]:
    """A class and its bases, as Python looks names up."""
    known = walker.bases.get(id(node))
    return known.order if known is not None else [node]


def methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """The functions that a class itself defines."""
    return (member for member in node.body if isinstance(member, ast.FunctionDef))


def find(walker: Any, node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method that an object has under a name."""
    for cls in lineage(walker, node):
        for member in cls.body:
            if isinstance(member, ast.FunctionDef) and member.name == name:
                return member
            if any(isinstance(t, ast.Name) and t.id == name for t in _bound(member)):
                return None
    return None


def _bound(member: ast.stmt) -> list[ast.expr]:
    """What an assignment in a class gives a value to."""
    if isinstance(member, ast.AnnAssign):
        return [member.target] if member.value is not None else []
    return member.targets if isinstance(member, ast.Assign) else []


def is_plain(walker: Any, node: Any, name: str) -> bool:
    """Whether ``Net.SIZE`` is what the class itself says: a number, a text, some of them."""
    if (
        not isinstance(node, ast.ClassDef)
        or node.decorator_list
        or node.keywords
        or own_attributes.stores(walker, node, name)
    ):
        return False
    for cls in lineage(walker, node):
        given = [part for part in cls.body if name in _names(part)]
        if given:
            value = getattr(given[0], "value", None)
            if len(given) == 1 and only_names(given[0]):
                return not any(_sets_in(n, name) for n in all_of(walker.tree, ast.Attribute))
            return len(given) == 1 and value is not None and all(map(_is_plain, walk(value)))
    return False


def only_names(part: ast.stmt) -> bool:
    """Whether a statement is a class that does no more than name constants."""
    if not isinstance(part, ast.ClassDef) or part.decorator_list or part.keywords:
        return False
    for stmt in part.body:
        named = stmt.value if isinstance(stmt, (ast.Assign, ast.AnnAssign, ast.Expr)) else None
        if not isinstance(stmt, ast.Pass) and (
            named is None or not all(map(_is_plain, walk(named)))
        ):
            return False
    return all(isinstance(base, ast.Name) and base.id in PLAIN_BASES for base in part.bases)


def _sets_in(node: ast.Attribute, name: str) -> bool:
    """Whether an attribute of what is called so is set, ``Net.Sizes.ACTIONS = 3``."""
    inner = node.value
    called = getattr(inner, "attr", getattr(inner, "id", ""))
    return called == name and not isinstance(node.ctx, ast.Load)


def _names(part: ast.stmt) -> set[str]:
    """The names that a statement of a class gives a value to."""
    stored = {n.id for n in all_of(part, ast.Name) if not isinstance(n.ctx, ast.Load)}
    made = (ast.FunctionDef, ast.ClassDef)
    return {part.name} if isinstance(part, made) else stored


def _is_plain(node: ast.AST) -> bool:
    plain = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Dict)
    return isinstance(node, (*plain, ast.operator, ast.unaryop, ast.expr_context))


def own(walker: Any, node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Every method that an object has, what is overridden left out."""
    names = [member.name for cls in lineage(walker, node) for member in methods(cls)]
    found = [find(walker, node, name) for name in dict.fromkeys(names)]
    return [member for member in found if member is not None]


def nodes(walker: Any, node: ast.ClassDef) -> Iterator[ast.AST]:
    """All of a class and its bases."""
    for cls in lineage(walker, node):
        yield from walk(cls)


def graphic(walker: Any, node: ast.ClassDef) -> bool:
    """Whether a class, or a base of it, builds or runs a part of a graph."""
    if id(node) in walker.kept.get("own cells", ()):
        return False  # it makes variables, as any cell does
    return any(
        _mentions(walker, c) or walker.runs(c) or _calls(walker, c) for c in lineage(walker, node)
    )


def _mentions(walker: Any, node: ast.AST) -> bool:
    """Whether anything of TensorFlow that matters to a graph stands in a class.

    Types alone don't: data in NumPy's arrays is kept by ``dtype=tf.float32``.
    """
    names = (walker.endpoints.get(id(n)) for n in walk(node))
    return any(
        name is not None and not meaning.is_host(name) and name.removeprefix(T) not in TYPES
        for name in names
    )


def _calls(walker: Any, node: ast.AST, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a class calls functions of the program that compute with TensorFlow."""
    for call in all_of(node, ast.Call):
        target = walker._module_function(call.func)
        if isinstance(target, ast.FunctionDef) and id(target) not in seen and target is not node:
            if _mentions(walker, target) or _calls(walker, target, seen | {id(target)}):
                return True
    return False


def kin(walker: Any, member: ast.AST) -> list[ast.ClassDef]:
    """The classes whose objects may have a method, and their bases."""
    found: dict[int, ast.ClassDef] = {}
    for bases in walker.bases.values():
        if any(n is member for cls in bases.order for n in cls.body):
            found.update({id(cls): cls for cls in bases.order})
    return list(found.values())


def above(walker: Any, node: ast.Call) -> Value:
    """``super()``, or ``super(Class, self)``.

    Raises:
        Blocked: it stands where it can't be told.
    """
    instance = itself(walker).data
    if not isinstance(instance, Instance):
        return HOST
    return Value(Kind.OTHER, Above(instance, home(walker, instance.node, node)))


def itself(walker: Any) -> Value:
    """What a method's `self` is; nothing of interest elsewhere."""
    args = getattr(walker.frame.node, "args", None)
    symbol = walker.frame.env.get(args.args[0].arg) if args is not None and args.args else None
    return symbol.value if symbol is not None else HOST


def home(walker: Any, cls: ast.ClassDef, node: ast.Call) -> ast.ClassDef:
    """Of which of an object's classes ``super()`` means the bases.

    Raises:
        Blocked: it can't be told.
    """
    method = walker.frame.node
    order = lineage(walker, cls)
    found = next((c for c in order if any(n is method for n in c.body)), None)
    if node.args:
        said = walker.expression(node.args[0]).data
        found = said if isinstance(said, ast.ClassDef) and said in order else None
        if found is not None and [ast.unparse(a) for a in node.args[1:]] != [
            method.args.args[0].arg
        ]:
            raise Blocked(node, "`super` of another object")
    if found is None:
        raise Blocked(node, "which class `super` means isn't seen")
    return found


def family(walker: Any, node: ast.ClassDef) -> list[ast.ClassDef]:
    """A class, those that are based on it, and all their bases."""
    found = {id(c): c for b in walker.bases.values() if node in b.order for c in b.order}
    return list(({id(node): node} | found).values())


def is_static(member: ast.FunctionDef) -> bool:
    """Whether a method isn't given the object."""
    return [ast.unparse(d) for d in member.decorator_list] == ["staticmethod"]


def static_of(walker: Any, node: ast.Attribute) -> ast.FunctionDef | None:
    """The static method that ``Net.static`` names."""
    cls = None
    if isinstance(node.value, (ast.Name, ast.Attribute)):
        cls = walker._module_function(node.value, ast.ClassDef)
    member = find(walker, cls, node.attr) if cls is not None else None
    return member if member is not None and is_static(member) else None


def by_class(walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value | None:
    """``Base.method(self, …)``, ``Net.static(…)``; None where it is something else."""
    if not isinstance(owner.data, ast.ClassDef):
        return None
    member = find(walker, owner.data, attribute)
    if member is not None and is_static(member):
        found: Value = walker.user(Function(member, walker.module_frame(member)), node)
        return found
    if member is None:
        return None
    itself = walker.expression(node.args[0]) if node.args else None
    if itself is None or itself.kind is not Kind.OBJECT or itself.each is not None:
        from migrate.programs.graph.objects import namespaces

        namespaces.check(walker, owner.data, attribute, node)
        return None
    if owner.data not in lineage(walker, itself.data.node):
        return None
    bare = ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)
    before = len(walker.calls)
    result = called(walker, itself.data, member, bare)
    walker.calls[before:] = [(node if c is bare else c, t) for c, t in walker.calls[before:]]
    walker.kept.setdefault(WITH_SELF, set()).add(id(node))
    if walker.parts_given.get(id(member)):
        raise Blocked(node, f"`{attribute}` of a class is given parts of a graph")
    return result


def taken(walker: Any, call: ast.Call, target: ast.FunctionDef) -> list[str]:
    """The parameters that a call's arguments are for, in their order."""
    names = [a.arg for a in target.args.args]
    if id(call) in walker.kept.get(WITH_SELF, ()):
        return names
    return names[1:] if names[:1] == ["self"] else names


def called(walker: Any, instance: Instance, member: ast.FunctionDef, node: ast.Call) -> Value:
    """A call of a method of an object."""
    if is_static(member):
        found: Value = walker.user(Function(member, walker.module_frame(member)), node)
        return found
    if member.decorator_list:
        raise Blocked(member, f"`{member.name}` has a decorator")
    function = Function(member, walker.module_frame(member))
    given = walker.given(function, node, Value(Kind.OBJECT, instance))
    result: Value = walker.method_of(instance, member, given, node)
    return result

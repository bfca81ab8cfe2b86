"""The execution: expressions, and what each of them was."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, children
from migrate.programs.graph.meaning import T
from migrate.programs.graph.sizing.static_run import ops
from migrate.programs.graph.sizing.static_run.calls import METHODS, PLAIN, arithmetic
from migrate.programs.graph.sizing.static_run.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Endpoint,
    Frame,
    Function,
    Given,
    Object,
    Record,
    Setting,
    Shape,
    Table,
    Tensor,
    same,
)

ITEMS = 32  # a longer list isn't noted
LIMIT = 40_000  # expressions and statements; what tells a size takes some 5,000
COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
NUMBERS = (bool, int, float, str, type(None))


class Stop(Exception):
    """The execution takes too long, or can't go on."""


@dataclass(slots=True, eq=False)
class Fact:
    """What an expression was, once; in which call, and in which rounds of the loops there."""

    value: Any
    frame: int
    rounds: dict[str, Any]


_HANDLERS: dict[tuple[type, type], Callable[[Any, Any], Any] | None] = {}


def handler(run: type[Expressions], kind: type[ast.AST]) -> Callable[[Any, Any], Any] | None:
    """The method for a class of nodes."""
    try:
        return _HANDLERS[run, kind]
    except KeyError:
        found = _HANDLERS[run, kind] = getattr(run, f"_{kind.__name__.lower()}", None)
        return found


class Expressions(ABC):
    """Values of expressions."""

    def __init__(self, walker: Any) -> None:
        self.walker = walker
        self.endpoints: dict[int, str] = walker.endpoints
        self.frame = Frame(walker.tree, None)
        self.doubt = 0
        self.spent = 0
        self.depth = 0
        self.calls = 0
        self.counted = 0
        self.facts: dict[int, list[Fact]] = {}
        self.called: dict[int, set[int]] = {}  # by call: the functions
        self.entered: dict[int, list[int]] = {}  # by function: its calls
        self.arguments: dict[int, dict[str, int]] = {}  # by call: the numbers that it gives
        self.lost: set[int] = set()  # functions that may be called elsewhere
        self.unseen: set[str] = set()  # attributes that are set of something unknown
        self.globals: set[str] = set()
        self.doubted: dict[int, Any] = {}  # lists and dicts that aren't told any more
        self.scopes: list[Given] = []
        self.settings: set[str] | None = None  # flags

    def spend(self) -> None:
        """Count.

        Raises:
            Stop: it was too much.
        """
        self.spent += 1
        if self.spent > LIMIT:
            raise Stop

    def count(self) -> int:
        """A number that was no one's before."""
        self.counted += 1
        return self.counted

    def doubt_of(self, value: Any) -> None:
        """A list, a dict or an array isn't told any more."""
        if isinstance(value, Table):
            value.rows = None
        if isinstance(value, (list, dict)):
            self.doubted[id(value)] = value

    def escaped(self, value: Any) -> None:
        """A function may be called with anything."""
        if isinstance(value, Function):
            self.lost.add(id(value.node))
        elif isinstance(value, Class):
            for member in value.members.values():
                self.escaped(member)
        elif isinstance(value, Object):
            self.escaped(value.cls)
        elif isinstance(value, Record):
            self.escaped(value.values)
        elif isinstance(value, (list, tuple)) and len(value) < 100:
            for item in value:
                self.escaped(item)
        elif isinstance(value, dict):
            for item in value.values():
                self.escaped(item)

    def peek(self, node: ast.expr) -> Any:
        """What a name or an attribute means, which leaves no trace."""
        if isinstance(node, ast.Name):
            found = self.frame.find(node.id)
            return UNKNOWN if found is MISSING else found
        if isinstance(node, ast.Attribute):
            owner = self.peek(node.value)
            return owner.attributes.get(node.attr) if isinstance(owner, Object) else UNKNOWN
        return UNKNOWN

    def truth(self, value: Any) -> bool | None:
        """Whether a value is true; None where it isn't told."""
        if isinstance(value, NUMBERS) or (
            isinstance(value, (list, tuple, dict)) and id(value) not in self.doubted
        ):
            return bool(value)
        return None

    def items(self, value: Any) -> list[Any] | None:
        """What iterating over a value gives."""
        if id(value) in self.doubted:
            return None
        if isinstance(value, Shape):
            return [UNKNOWN if n is None else n for n in value]
        if isinstance(value, (list, tuple, range, str, dict)):
            return list(value) if not isinstance(value, range) or len(value) < 10_000 else None
        if isinstance(value, Record):
            return list(value.values)
        return None

    def value(self, node: ast.expr) -> Any:
        """What an expression is here and now."""
        self.spend()
        kind = node.__class__
        if kind is ast.Constant:
            return self._constant(node)  # type: ignore[arg-type]
        endpoint = self.endpoints.get(id(node))
        found: Any
        if endpoint is not None and (kind is ast.Name or kind is ast.Attribute):
            found = self._setting(endpoint) or Endpoint(endpoint)
        else:
            method = handler(type(self), kind)
            if method is None:
                for child in children(node):
                    if isinstance(child, ast.expr):
                        self.escaped(self.value(child))
                return UNKNOWN
            found = method(self, node)
        if found.__class__ is not Endpoint and found.__class__ is not Frame:
            self._note(node, found)
        return found

    def _setting(self, endpoint: str) -> Setting | None:
        """A flag that is a whole number, and that nothing sets."""
        _, flags, name = endpoint.rpartition("flags.FLAGS.")
        if not flags:
            return None
        if self.settings is None:
            self.settings = whole_flags(self.walker)
        return Setting(name) if name in self.settings else None

    def _note(self, node: ast.expr, value: Any) -> None:
        facts = self.facts.get(id(node))
        if facts is None:
            facts = self.facts[id(node)] = []
        if isinstance(value, (list, tuple)):
            value = tuple(value) if len(value) < ITEMS else UNKNOWN
        elif isinstance(value, dict):  # it may get more
            told = len(value) < ITEMS and id(value) not in self.doubted
            value = dict(value) if told else UNKNOWN
        if len(facts) < 2000:
            facts.append(Fact(value, self.frame.number, self.frame.rounds))
        else:
            facts.append(Fact(UNKNOWN, 0, {}))

    def _constant(self, node: ast.Constant) -> Any:
        return node.value if isinstance(node.value, NUMBERS) else UNKNOWN

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.globals:
            return UNKNOWN
        found = self.frame.find(node.id)
        return PLAIN.get(node.id, UNKNOWN) if found is MISSING else found

    def _attribute(self, node: ast.Attribute) -> Any:
        return self._of(self.value(node.value), node)

    def _of(self, owner: Any, node: ast.Attribute) -> Any:
        """An attribute of a value."""
        name = node.attr
        if isinstance(owner, Endpoint):  # `net.FLAGS` of another file
            return self._setting(f"{owner.name}.{name}") or UNKNOWN
        if isinstance(owner, Frame):
            return owner.names.get(name, UNKNOWN)
        if name in self.unseen:
            return UNKNOWN
        if isinstance(owner, Object):
            if name in owner.attributes:
                return owner.attributes[name]
            member = owner.cls.find(name)
            if isinstance(member, Function):
                return self._member(owner, member)
            return member
        if isinstance(owner, Class):
            return owner.find(name)
        if isinstance(owner, Record):
            return dict(zip(owner.fields.names, owner.values, strict=True)).get(name, UNKNOWN)
        if owner is UNKNOWN and ast.unparse(node) in METHODS:
            return METHODS[ast.unparse(node)]
        return ops.attribute(owner, name)

    def _member(self, owner: Object, member: Function) -> Any:
        node = member.node
        kinds = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
        bound = Function(node, member.frame, (owner,), {}, member.defaults, member.scoped)
        if kinds == ["property"]:
            return self.call(bound, [], {}, None)
        if kinds == ["staticmethod"]:
            return member
        if kinds:
            self.lost.add(id(node))
            return UNKNOWN
        return bound

    def _list(self, node: ast.List | ast.Tuple) -> Any:
        found: list[Any] = []
        for part in node.elts:
            if isinstance(part, ast.Starred):
                items = self.items(self.value(part.value))
                if items is None:
                    return UNKNOWN
                found.extend(items)
            else:
                found.append(self.value(part))
        return found if isinstance(node, ast.List) else tuple(found)

    _tuple = _list

    def _dict(self, node: ast.Dict) -> Any:
        values = [self.value(v) for v in node.values]
        keys = [self.value(k) if k is not None else UNKNOWN for k in node.keys]
        if all(isinstance(k, (str, int, float, bool)) for k in keys):
            return dict(zip(keys, values, strict=True))
        self.escaped(values)
        return UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, key = self.value(node.value), self.value(node.slice)
        if isinstance(owner, Tensor):
            return ops.item(owner, key)
        self.doubt_of(owner if isinstance(owner, Table) else None)  # a part of it is a view
        if isinstance(owner, Record):
            owner = owner.values
        if id(owner) in self.doubted or not isinstance(owner, (list, tuple, dict, str, range)):
            return UNKNOWN
        try:
            if isinstance(key, slice):
                bounds = (key.start, key.stop, key.step)
                if any(not isinstance(v, (int, type(None))) for v in bounds):
                    return UNKNOWN
                if isinstance(owner, Shape):
                    return Shape(tuple(owner)[key])
                return UNKNOWN if isinstance(owner, dict) else owner[key]
            if not isinstance(key, (int, str)):
                return UNKNOWN
            items: Any = owner
            item = items[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return UNKNOWN
        return UNKNOWN if isinstance(owner, Shape) and item is None else item

    def _slice(self, node: ast.Slice) -> Any:
        lower, upper, step = (
            self.value(p) if p is not None else None for p in (node.lower, node.upper, node.step)
        )
        return slice(lower, upper, step)

    def _binop(self, node: ast.BinOp) -> Any:
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        """What an operator gives."""
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            if isinstance(op, ast.MatMult):
                return ops.result(T + "matmul", {"a": left, "b": right})
            return ops.paired(left, right)
        if id(left) in self.doubted or id(right) in self.doubted:
            return UNKNOWN
        return arithmetic(op, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return UNKNOWN if truth is None else not truth
        if isinstance(value, Tensor):
            return value
        if isinstance(value, (int, float)):
            if isinstance(node.op, ast.USub):
                return -value
            return +value if isinstance(node.op, ast.UAdd) else UNKNOWN
        return UNKNOWN

    def _boolop(self, node: ast.BoolOp) -> Any:
        settles = isinstance(node.op, ast.Or)
        told, value = True, UNKNOWN
        for part in node.values:
            value = self.value(part)
            truth = self.truth(value)
            if truth is None:
                told = False
            elif truth is settles:
                return value if told else (UNKNOWN if not isinstance(value, bool) else settles)
        return value if told else UNKNOWN

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        rights = [self.value(c) for c in node.comparators]
        if len(rights) != 1:
            return UNKNOWN
        (right,), (op,) = rights, node.ops
        if isinstance(op, (ast.Is, ast.IsNot)):
            if any(side is UNKNOWN or isinstance(side, Setting) for side in (left, right)):
                return UNKNOWN
            if right is None or left is None:
                return (left is right) is isinstance(op, ast.Is)
            if isinstance(left, bool) and isinstance(right, bool):
                return (left is right) is isinstance(op, ast.Is)
            return UNKNOWN
        if isinstance(op, (ast.In, ast.NotIn)):
            plain = isinstance(right, (list, tuple, dict, str)) and id(right) not in self.doubted
            if not plain or not isinstance(left, NUMBERS):
                return UNKNOWN
            if not isinstance(right, str) and not all(isinstance(r, NUMBERS) for r in right):
                return UNKNOWN
            try:
                return (left in right) is isinstance(op, ast.In)
            except TypeError:
                return UNKNOWN
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if isinstance(op, (ast.Eq, ast.NotEq)) and _told(left) and _told(right):
                return (list(left) == list(right)) is isinstance(op, ast.Eq)
            return UNKNOWN
        if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
            try:
                return bool(COMPARED[type(op)](left, right))
            except (KeyError, TypeError):
                return UNKNOWN
        return UNKNOWN

    def _ifexp(self, node: ast.IfExp) -> Any:
        test = self.truth(self.value(node.test))
        if test is not None:
            return self.value(node.body if test else node.orelse)
        self.doubt += 1
        first, second = self.value(node.body), self.value(node.orelse)
        self.doubt -= 1
        if same(first, second):
            return first
        self.escaped([first, second])
        return OPEN if isinstance(first, Tensor) and isinstance(second, Tensor) else UNKNOWN

    def _lambda(self, node: ast.Lambda) -> Any:
        return self.function(node)

    def function(self, node: ast.FunctionDef | ast.Lambda) -> Any:
        """A function, as its definition gives it."""
        args = node.args
        made = Function(node, self.frame)
        names = [a.arg for a in (*args.posonlyargs, *args.args)]
        for name, default in zip(reversed(names), reversed(args.defaults), strict=False):
            made.defaults[name] = self.value(default)
        for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if value is not None:
                made.defaults[arg.arg] = self.value(value)
        for decorator in getattr(node, "decorator_list", ()):
            endpoint = self.value(decorator)
            if isinstance(endpoint, Endpoint) and endpoint.name.endswith("add_arg_scope"):
                made.scoped = True
            elif ast.unparse(decorator) not in ("property", "staticmethod"):
                self.lost.add(id(node))
                return UNKNOWN
        return made

    def _listcomp(self, node: ast.ListComp) -> Any:
        (each, *others) = node.generators
        items = self.items(self.value(each.iter)) if not others else None
        frame = Frame(node, self.frame.module, self.frame, number=self.frame.number)
        saved, self.frame = self.frame, frame
        frame.rounds = dict(saved.rounds)
        names = {n.id for n in all_of(each.target, ast.Name)}
        found: list[Any] = []
        told = items is not None and len(items) <= 64
        self.doubt += not told
        try:
            for item in items if items is not None and told else [UNKNOWN]:
                self.bind(each.target, item)
                frame.rounds = {**saved.rounds, **{n: frame.names.get(n) for n in sorted(names)}}
                tests = [self.truth(self.value(test)) for test in each.ifs]
                if None in tests:
                    told = False
                if False not in tests:
                    value = self.value(node.elt)
                    found.append(value)
        finally:
            self.frame = saved
            self.doubt -= not (items is not None and len(items) <= 64)
        if not told:
            self.escaped(found)
        return found if told else UNKNOWN

    _generatorexp = _listcomp

    @abstractmethod
    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""

    @abstractmethod
    def apply(self, function: Function, frame: Frame) -> Any:
        """Execute a function whose arguments are bound."""

    @abstractmethod
    def call(
        self, called: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call | None
    ) -> Any:
        """Call something."""


def _told(items: Any) -> bool:
    return all(isinstance(i, NUMBERS) and i is not None for i in items)


def whole_flags(walker: Any) -> set[str]:
    """The flags that are whole numbers, as the program is told, and that it doesn't set."""
    trees = [m.tree for m in walker.files.order if m.tree is not None]
    made = [n for tree in trees for n in all_of(tree, ast.Call)]
    found = {
        str(call.args[0].value)
        for call in made
        if ast.unparse(call.func).endswith("DEFINE_integer")
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    for tree in trees:
        for n in all_of(tree, ast.Attribute):
            if not isinstance(n.ctx, ast.Load):
                found.discard(n.attr)
            if n.attr in ("__setattr__", "set_default", "__dict__", "flag_values_dict"):
                return set()
        if any(n.id in ("setattr", "vars") for n in all_of(tree, ast.Name)):
            return set()
    return found

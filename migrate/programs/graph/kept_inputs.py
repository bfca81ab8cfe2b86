"""Layers that keep placeholders: ``Convolution(8, support)``, and ``layer(h)`` computes with it.

An object of TF 2 has no tensors of a run to keep. What its class only reads in methods that compute
is given to these: ``layer(h, self.support)``, as it is what the object was made with.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import bases, part_uses
from migrate.programs.graph.known_branches import span
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.part_uses import Unseen
from migrate.programs.graph.spelled import Source, Spelled, Written, word

KEY = ("kept inputs",)
PLAIN = (ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.expr_context, ast.Attribute)


@dataclass(frozen=True)
class Slot:
    """An attribute that keeps what an object was made with."""

    attribute: str
    param: str
    stmt: ast.stmt  # that keeps it
    name: str  # of the methods' parameter
    test: ast.expr | None = None  # asked whether there is one
    other: ast.expr | None = None  # what there is instead
    turned: bool = False  # it stands in the else

    def read(self, outer: ast.AST) -> Callable[[Source], str]:
        """What a method reads in its place, in a larger expression."""
        other = self.other
        if other is None:
            return word(self.name)

        def written(source: Source) -> str:
            ways = self.name, source(other)
            first, second = reversed(ways) if self.turned else ways
            text = f"{first} if self.{self.attribute} else {second}"
            return text if isinstance(outer, (ast.Call, ast.Assign)) else f"({text})"

        return written

    def kept(self, source: Source) -> str:
        """What the object keeps of it."""
        assert self.test is not None
        return f"self.{self.attribute} = {source(self.test)}"


def met(walker: Any, cls: ast.ClassDef, call: ast.Call, given: Sequence[ast.expr]) -> None:
    """Remember that such an object is given parts of a run."""
    walker.kept.setdefault(KEY, []).append((cls, call, given))


def found(walker: Any, error: Blocked) -> Spelled | None:
    """What is given where it is needed, instead of where objects are made."""
    for cls, call, given in walker.kept.get(KEY, ()):
        written = _written(walker, cls, call, given)
        if written:
            return Spelled(error.node, error.reason, written)
    return None


def _written(
    walker: Any, cls: ast.ClassDef, call: ast.Call, given: Sequence[ast.expr]
) -> list[Written]:
    try:
        return _Layers(walker, cls, call, given).written()
    except Unseen:
        return []


class _Layers:
    """A class whose objects keep parts of a run, and its kin."""

    def __init__(
        self, walker: Any, cls: ast.ClassDef, call: ast.Call, given: Sequence[ast.expr]
    ) -> None:
        self.walker = walker
        self.uses = part_uses.Uses(walker, bases.family(walker, cls))
        self.family = self.uses.family
        self.parents = self.uses.parents
        member = bases.find(walker, cls, "__init__")
        if member is None:
            raise Unseen
        self.member = member
        self.calls = [
            n for c, n in self.uses.made if bases.find(walker, c, "__init__") is self.member
        ]
        params = [a.arg for a in member.args.args[1:]]
        self.given = {
            p: node
            for p in params
            if (node := _given(member, call, p)) is not None and node in given
        }
        if not self.given or len(self.given) != len(given):
            raise Unseen
        for param, node in self.given.items():
            said = ast.unparse(node)
            theirs = [_given(member, c, param) for c in self.calls]
            if any(n is None or ast.unparse(n) != said for n in theirs):
                raise Unseen
            self.uses.lasting(node, self.calls)
        self.methods = self.computing()
        self.slots = [self.slot(param) for param in self.given]

    def computing(self) -> set[str]:
        """The methods that need what objects kept: those that read it, and those that call them."""
        kept = {a for p in self.given for a in self.attributes(p)}
        members = [m for c in self.family for m in bases.methods(c)]
        wanted = {
            m.name
            for m in members
            for n in all_of(m, ast.Attribute)
            if n.attr in kept and part_uses.of_self(n) and isinstance(n.ctx, ast.Load)
        }
        growing = True
        while growing:
            more = {
                m.name
                for m in members
                for n in all_of(m, ast.Attribute)
                if n.attr in wanted and (part_uses.of_self(n) or part_uses.of_super(n))
            }
            growing = not more <= wanted
            wanted |= more
        if "__init__" in wanted or not wanted:
            raise Unseen
        return wanted

    def attributes(self, param: str) -> set[str]:
        """The attributes that keep a parameter."""
        found = {
            t.attr
            for s in all_of(self.member, ast.Assign)
            if isinstance(s.value, ast.Name) and s.value.id == param
            for t in s.targets
            if isinstance(t, ast.Attribute) and part_uses.of_self(t)
        }
        if len(found) != 1:
            raise Unseen
        return found

    def slot(self, param: str) -> Slot:
        """How a parameter is kept."""
        (attribute,) = self.attributes(param)
        uses = [n for n in all_of(self.member, ast.Name) if n.id == param]
        stmt = self.parents[id(uses[0])]
        stores = [
            n
            for c in self.family
            for n in all_of(c, ast.Attribute)
            if n.attr == attribute and not isinstance(n.ctx, ast.Load)
        ]
        if len(uses) != 1 or not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            raise Unseen
        name = self.named(attribute)
        self.uses.only_read(attribute, self.methods)
        if stmt in self.member.body and len(stores) == 1 and len(self.member.body) > 1:
            return Slot(attribute, param, stmt, name)
        outer = self.parents[id(stmt)]
        if not isinstance(outer, ast.If) or outer not in self.member.body or len(stores) != 2:
            raise Unseen
        ways = [outer.body, outer.orelse]
        others = [w[0] for w in ways if len(w) == 1 and w[0] is not stmt]
        if len(others) != 1 or not all(isinstance(n, PLAIN) for n in walk(outer.test)):
            raise Unseen
        (other,) = others
        if not isinstance(other, ast.Assign) or not isinstance(other.value, ast.Constant):
            raise Unseen
        if ast.unparse(other.targets[0]) != ast.unparse(stmt.targets[0]):
            raise Unseen
        turned = other is outer.body[0]
        return Slot(attribute, param, outer, name, outer.test, other.value, turned)

    def named(self, wish: str) -> str:
        """A name that none of the methods has."""
        members = [m for c in self.family for m in bases.methods(c) if m.name in self.methods]
        taken = {n.id for m in members for n in all_of(m, ast.Name)}
        taken |= {a.arg for m in members for a in all_of(m, ast.arg)}
        name = wish
        while name in taken:
            name = f"{name}_input"
        return name

    def written(self) -> list[Written]:
        """The program whose objects are given what they need when they compute."""
        replaced: list[Written] = []
        params = _params(self.member)
        replaced += without(params, [a for a, _ in params if a.arg in self.given])
        for call in self.calls:
            items: list[Any] = [*call.args, *call.keywords]
            gone = [
                n
                for n in items
                if any(getattr(n, "value", n) is _given(self.member, call, p) for p in self.given)
                or any(n is _given(self.member, call, p) for p in self.given)
            ]
            if len(gone) == len(items):
                replaced.append((call, _bare(call)))
            else:
                replaced += without([(n, n) for n in items], gone)
        for slot in self.slots:
            if slot.test is None:
                replaced.append((slot.stmt, word("")))
            else:
                replaced.append((slot.stmt, slot.kept))
            replaced += [
                (n, slot.read(self.parents[id(n)]))
                for c in self.family
                for n in all_of(c, ast.Attribute)
                if n.attr == slot.attribute and part_uses.of_self(n)
                if isinstance(n.ctx, ast.Load)
            ]
        own = [s.name for s in self.slots]
        for name in sorted(self.methods):
            for cls in self.family:
                for member in bases.methods(cls):
                    if member.name == name:
                        replaced.append(_longer(member, own))
            for call in self.uses.inner(name):
                replaced.append(_more(call, own, own))
            said = [ast.unparse(self.given[s.param]) for s in self.slots]
            for call in self.uses.outer(name):
                self.uses.sees(call, self.given.values(), self.calls)
                replaced.append(_more(call, own, said))
        _apart(n for n, _ in replaced)
        return replaced


def _given(member: ast.FunctionDef, call: ast.Call, param: str) -> ast.expr | None:
    """What a call of a class gives a parameter.

    Raises:
        Unseen: `*` hides it.
    """
    names = [a.arg for a in member.args.args[1:]]
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise Unseen
    if any(k.arg is None for k in call.keywords):
        raise Unseen
    place = names.index(param)
    if place < len(call.args):
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg == param), None)


def _params(member: ast.FunctionDef) -> list[tuple[Any, Any]]:
    """A function's parameters, each with where it ends."""
    args = member.args
    defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
    defaults += args.defaults
    return [(a, d or a) for a, d in zip(args.args, defaults, strict=True)]


def without(items: list[tuple[Any, Any]], gone: Sequence[ast.AST]) -> list[Written]:
    """Items of a list without some of them: what stays takes their place."""
    found: list[Written] = []
    start: Any = None
    stays = [i for i, (n, _) in enumerate(items) if n not in gone]
    for place, (node, end) in enumerate(items):
        start = start or node
        if node in gone:
            continue
        last = items[-1][1] if place == stays[-1] else end
        if start is not node or last is not end:
            kept = span(_at(node), _end(end))
            found.append((span(_at(start), _end(last)), _same(kept)))
        start = None
    return found


def _same(kept: ast.AST) -> Any:
    return lambda source: source(kept)


def _bare(call: ast.Call) -> Any:
    return lambda source: f"{source(call.func)}()"


def _longer(member: ast.FunctionDef, names: list[str]) -> Written:
    """A method with more parameters."""
    args = member.args
    odd = (*args.defaults, args.vararg, args.kwarg, *args.kwonlyargs, *args.posonlyargs)
    if any(odd) or member.decorator_list or args.args[-1].annotation is not None:
        raise Unseen
    return args.args[-1], word(", ".join([args.args[-1].arg, *names]))


def _more(call: ast.Call, names: list[str], said: list[str]) -> Written:
    """A call with more arguments."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise Unseen
    if any(k.arg is None for k in call.keywords):
        raise Unseen
    if not call.args and not call.keywords:
        return call, lambda source: f"{source(call.func)}({', '.join(said)})"
    given = said
    if call.keywords:
        given = [f"{n}={s}" for n, s in zip(names, said, strict=True)]
    last: Any = max([*call.args, *call.keywords], key=_at)
    return last, lambda source: ", ".join([source(last), *given])


def _at(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _apart(nodes: Iterable[Any]) -> None:
    """See that no two places overlap.

    Raises:
        Unseen: they do.
    """
    last = (0, 0)
    for node in sorted(nodes, key=lambda n: (_at(n), _end(n))):
        if _at(node) < last:
            raise Unseen
        last = _end(node)

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
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.objects import bases, part_uses
from migrate.programs.graph.objects.part_uses import Unseen
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

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


class _Made:
    """An ``__init__`` whose objects keep parts of a run, and what makes them."""

    def __init__(self, member: ast.FunctionDef, calls: list[ast.Call]) -> None:
        self.member, self.calls = member, calls
        self.given: dict[str, str] = {}  # each attribute's parameter
        self.slots: list[Slot] = []


class _Layers:
    """A class whose objects keep parts of a run, and its kin."""

    def __init__(
        self, walker: Any, cls: ast.ClassDef, call: ast.Call, given: Sequence[ast.expr]
    ) -> None:
        self.walker = walker
        family = bases.family(walker, bases.lineage(walker, cls)[-1])
        self.uses = part_uses.Uses(walker, family)
        self.family = self.uses.family
        self.parents = self.uses.parents
        member = bases.find(walker, cls, "__init__")
        if member is None:
            raise Unseen
        params = [a.arg for a in member.args.args[1:]]
        kept = {
            p: node
            for p in params
            if (node := _given(member, call, p)) is not None and node in given
        }
        if not kept or len(kept) != len(given):
            raise Unseen
        self.given = {self.attribute(member, p): node for p, node in kept.items()}
        self.inits = [made for m in self.members(member) if (made := self.made(m)).given]
        self.calls = [c for made in self.inits for c in made.calls]
        self.methods = self.computing()
        names = {a: self.named(a) for a in self.given}
        self.names = list(names.values())
        for made in self.inits:
            made.slots = [self.slot(made, a, p, names[a]) for a, p in made.given.items()]

    def members(self, first: ast.FunctionDef) -> list[ast.FunctionDef]:
        """The ``__init__`` of each class that there are objects of."""
        found = {id(first): first}
        for cls, _ in self.uses.made:
            member = bases.find(self.walker, cls, "__init__")
            if member is not None:
                found.setdefault(id(member), member)
        return list(found.values())

    def made(self, member: ast.FunctionDef) -> _Made:
        """What an ``__init__`` keeps of the parts of a run.

        Raises:
            Unseen: not all that make such objects give it these.
        """
        calls = [n for c, n in self.uses.made if bases.find(self.walker, c, "__init__") is member]
        found = _Made(member, calls)
        for attribute, node in self.given.items():
            param = next(
                (a.arg for a in member.args.args[1:] if self.keeping(member, a.arg) == {attribute}),
                None,
            )
            if param is None:
                continue
            theirs = [_given(member, c, param) for c in calls]
            if all(n is None or isinstance(n, ast.Constant) for n in theirs):
                continue  # a number of its own
            said = ast.unparse(node)
            for n in theirs:
                if n is None or ast.unparse(n) != said:
                    raise Unseen
                self.uses.lasting(n, calls)
            found.given[attribute] = param
        return found

    def keeps(self, cls: ast.ClassDef, attribute: str) -> bool:
        """Whether a class's attribute is such a part, as it is for all classes based on it.

        Raises:
            Unseen: it is for some.
        """
        heirs = [c for c, _ in self.uses.made if cls in bases.lineage(self.walker, c)]
        members = [bases.find(self.walker, c, "__init__") for c in heirs]
        told = {
            any(made.member is m and attribute in made.given for made in self.inits)
            for m in members
        }
        if len(told) > 1:
            raise Unseen
        return True in told

    def computing(self) -> set[str]:
        """The methods that need what objects kept: those that read it, and those that call them."""
        members = [(c, m) for c in self.family for m in bases.methods(c)]
        wanted = {
            m.name
            for c, m in members
            for n in all_of(m, ast.Attribute)
            if n.attr in self.given and part_uses.of_self(n) and isinstance(n.ctx, ast.Load)
            if self.keeps(c, n.attr)
        }
        growing = True
        while growing:
            more = {
                m.name
                for _, m in members
                for n in all_of(m, ast.Attribute)
                if n.attr in wanted and (part_uses.of_self(n) or part_uses.of_super(n))
            }
            growing = not more <= wanted
            wanted |= more
        if "__init__" in wanted or not wanted:
            raise Unseen
        return wanted

    def keeping(self, member: ast.FunctionDef, param: str) -> set[str]:
        """The attributes that keep a parameter."""
        return {
            t.attr
            for s in all_of(member, ast.Assign)
            if isinstance(s.value, ast.Name) and s.value.id == param
            for t in s.targets
            if isinstance(t, ast.Attribute) and part_uses.of_self(t)
        }

    def attribute(self, member: ast.FunctionDef, param: str) -> str:
        """The attribute that keeps a parameter."""
        found = self.keeping(member, param)
        if len(found) != 1:
            raise Unseen
        return found.pop()

    def slot(self, made: _Made, attribute: str, param: str, name: str) -> Slot:
        """How a parameter is kept."""
        member = made.member
        uses = [n for n in all_of(member, ast.Name) if n.id == param]
        stmt = self.parents[id(uses[0])]
        lines = [
            c
            for cls, _ in self.uses.made
            for c in bases.lineage(self.walker, cls)
            if bases.find(self.walker, cls, "__init__") is member
        ]
        stores = [
            n
            for c in dict.fromkeys(lines)
            for n in all_of(c, ast.Attribute)
            if n.attr == attribute and not isinstance(n.ctx, ast.Load)
        ]
        if len(uses) != 1 or not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            raise Unseen
        self.uses.only_read(attribute, self.methods)
        if stmt in member.body and len(stores) == 1 and len(member.body) > 1:
            return Slot(attribute, param, stmt, name)
        outer = self.parents[id(stmt)]
        if not isinstance(outer, ast.If) or outer not in member.body or len(stores) != 2:
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
        for made in self.inits:
            replaced += self.bare(made)
        for cls in self.family:
            for n in all_of(cls, ast.Attribute):
                if n.attr not in self.given or not part_uses.of_self(n):
                    continue
                if isinstance(n.ctx, ast.Load) and self.keeps(cls, n.attr):
                    slot = self.of(cls, n.attr)
                    replaced.append((n, slot.read(self.parents[id(n)])))
        own = self.names
        said = [ast.unparse(node) for node in self.given.values()]
        for name in sorted(self.methods):
            for cls in self.family:
                for member in bases.methods(cls):
                    if member.name == name:
                        replaced.append(_longer(member, own))
            for call in self.uses.inner(name):
                replaced.append(_more(call, own, own))
            for call in self.uses.outer(name):
                self.uses.sees(call, self.given.values(), self.calls)
                replaced.append(_more(call, own, said))
        _apart(n for n, _ in replaced)
        return replaced

    def of(self, cls: ast.ClassDef, attribute: str) -> Slot:
        """How the objects of a class kept an attribute: all in one way.

        Raises:
            Unseen: they differ.
        """
        heirs = [c for c, _ in self.uses.made if cls in bases.lineage(self.walker, c)]
        members = [bases.find(self.walker, c, "__init__") for c in heirs]
        found = [
            slot
            for made in self.inits
            if made.member in members
            for slot in made.slots
            if slot.attribute == attribute
        ]
        if any((s.test is None) != (found[0].test is None) for s in found):
            raise Unseen
        if found[0].test is not None and len(found) > 1:
            raise Unseen
        return found[0]

    def bare(self, made: _Made) -> list[Written]:
        """An ``__init__`` without what it kept, and its calls."""
        member = made.member
        params = _params(member)
        gone_params = set(made.given.values())
        replaced = without(params, [a for a, _ in params if a.arg in gone_params])
        for call in made.calls:
            items: list[Any] = [*call.args, *call.keywords]
            values = [_given(member, call, p) for p in gone_params]
            gone = [n for n in items if any(getattr(n, "value", n) is v or n is v for v in values)]
            if len(gone) == len(items):
                replaced.append((call, _bare(call)))
            else:
                replaced += without([(n, n) for n in items], gone)
        for slot in made.slots:
            if slot.test is None:
                replaced.append((slot.stmt, word("")))
            else:
                replaced.append((slot.stmt, slot.kept))
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

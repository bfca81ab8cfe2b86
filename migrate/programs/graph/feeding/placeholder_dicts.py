"""``placeholders = {"labels": tf.placeholder(…), …}``, which functions and objects are given.

A dict of placeholders under constant words is only names: each placeholder gets one, and what was
given the dict is given those that it takes from it. Functions of TF 2 have parameters for them.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.meaning import PLACEHOLDERS, T
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

MADE = PLACEHOLDERS | {T + "sparse_placeholder", T + "sparse.placeholder"}


@dataclass(eq=False)
class Carrier:
    """A name, a parameter or an attribute that means the dict."""

    node: Any  # the assignment, the function or the class
    name: str
    taken: list[tuple[ast.Subscript, str]] = field(default_factory=list)
    given: list[tuple[ast.Call, ast.AST, Carrier]] = field(default_factory=list)
    kept: list[tuple[ast.Assign, Carrier]] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)  # what each entry is called here


class NoNames(Exception):
    """The dict is asked for more than its entries."""


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether the program has a dict of placeholders that is only names.

    Raises:
        Spelled: it has one.
    """
    for tree in walker.program():
        for stmt in tree.body:
            keys = _display(walker, stmt)
            if not keys:
                continue
            try:
                found = _Names(walker, tree, stmt, keys)
                replaced, before = found.written()
            except NoNames:
                continue
            raise Spelled(node, reason, replaced, before)


def _display(walker: Any, stmt: ast.stmt) -> list[str]:
    """The words of a dict of placeholders that a statement makes."""
    made = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if not isinstance(made, ast.Dict) or not isinstance(stmt.targets[0], ast.Name):  # type: ignore[attr-defined]
        return []
    keys = [k.value if isinstance(k, ast.Constant) else None for k in made.keys]
    calls = [walker.endpoints.get(id(getattr(v, "func", None))) for v in made.values]
    plain = all(isinstance(k, str) and k.isidentifier() for k in keys)
    if not plain or len(set(keys)) < len(keys) or not all(c in MADE for c in calls):
        return []
    return [str(k) for k in keys]


class _Names:
    """The dict and all that means it."""

    def __init__(self, walker: Any, tree: ast.Module, stmt: ast.Assign, keys: list[str]) -> None:
        self.walker, self.keys, self.made = walker, keys, stmt
        self.parents = {k: v for t in walker.program() for k, v in parents_of(t).items()}
        self.carriers: dict[tuple[int, str], Carrier] = {}
        self.stores: list[ast.AST] = []  # what sets an attribute that means the dict
        assert isinstance(stmt.targets[0], ast.Name)
        own = self.carrier(stmt, stmt.targets[0].id)
        stores = [
            n for n in all_of(tree, ast.Name) if n.id == own.name and _is(n, ast.Store, ast.Del)
        ]
        if len(stores) != 1:
            raise NoNames
        self.module = own
        for use in all_of(tree, ast.Name):
            if use.id == own.name and use is not stores[0] and not self.shadowed(use, own.name):
                self.use(own, use)
        for other in walker.program():
            if other is not tree and any(
                own.name in (getattr(n, "name", ""), getattr(n, "attr", ""))
                for n in walk(other)
                if isinstance(n, (ast.alias, ast.Attribute))
                if not _own(n)
            ):
                raise NoNames
        self.complete()

    def carrier(self, node: Any, name: str) -> Carrier:
        """What means the dict, with all its uses once it is known."""
        known = self.carriers.get((id(node), name))
        if known is not None:
            return known
        found = self.carriers[id(node), name] = Carrier(node, name)
        if isinstance(node, ast.FunctionDef):
            self.parameter(found)
        elif isinstance(node, ast.ClassDef):
            self.attribute(found)
        return found

    def parameter(self, found: Carrier) -> None:
        """The uses of a parameter."""
        target: ast.FunctionDef = found.node
        names = [a.arg for a in target.args.args]
        params = len(names) - len(target.args.defaults)
        if found.name not in names[:params] or target.decorator_list:
            raise NoNames
        inner = [n for n in walk(target) if isinstance(n, (ast.Lambda, ast.FunctionDef))]
        if any(a.arg == found.name for n in inner if n is not target for a in all_of(n, ast.arg)):
            raise NoNames
        for use in all_of(target, ast.Name):
            if use.id == found.name:
                self.use(found, use)

    def attribute(self, found: Carrier) -> None:
        """The uses of an attribute, in all that the program has under its name."""
        family = bases.family(self.walker, found.node)
        for tree in self.walker.program():
            for use in walk(tree):
                if isinstance(use, ast.Constant) and use.value == found.name:
                    if not isinstance(self.parents.get(id(use)), ast.Subscript):
                        raise NoNames  # `getattr(model, 'placeholders')`
                if not isinstance(use, ast.Attribute) or use.attr != found.name:
                    continue
                if not _own(use) or self.home(use) not in family:
                    raise NoNames
                if isinstance(use.ctx, ast.Load):
                    self.use(found, use)
                else:
                    self.stores.append(self.parents[id(use)])

    def use(self, found: Carrier, use: ast.expr) -> None:
        """One use: an entry, an argument, or what an attribute keeps."""
        outer = self.parents[id(use)]
        if not isinstance(getattr(use, "ctx", None), ast.Load):
            raise NoNames
        if isinstance(outer, ast.Subscript) and outer.value is use:
            key = outer.slice.value if isinstance(outer.slice, ast.Constant) else None
            if key not in self.keys or not isinstance(outer.ctx, ast.Load):
                raise NoNames
            found.taken.append((outer, str(key)))
            return
        if isinstance(outer, ast.Assign) and len(outer.targets) == 1:
            target, home = outer.targets[0], self.home(use)
            if isinstance(target, ast.Attribute) and _own(target) and home is not None:
                scope = self.function(use)
                if outer in getattr(scope, "body", ()) and len(scope.body) > 1:  # type: ignore[union-attr]
                    root = bases.lineage(self.walker, home)[-1]
                    found.kept.append((outer, self.carrier(root, target.attr)))
                    return
        place: ast.AST = use
        if isinstance(outer, ast.keyword):
            place, outer = outer, self.parents[id(outer)]
        if not isinstance(outer, ast.Call) or outer.func is use:
            raise NoNames
        entered = self.target(outer)
        name = self.named(outer, place, entered)
        found.given.append((outer, place, self.carrier(entered, name)))

    def target(self, call: ast.Call) -> ast.FunctionDef:
        """The function that a call enters."""
        cls = self.walker._module_function(call.func, ast.ClassDef)
        found: ast.FunctionDef | None
        if cls is not None:
            found = bases.find(self.walker, cls, "__init__")
        else:
            found = self.above(call) or self.walker._module_function(call.func)
        if found is None:
            raise NoNames
        return found

    def above(self, call: ast.Call) -> ast.FunctionDef | None:
        """The base class's method that ``super().__init__(placeholders)`` enters."""
        func, home = call.func, self.home(call)
        if not isinstance(func, ast.Attribute) or home is None:
            return None
        if not isinstance(func.value, ast.Call) or ast.unparse(func.value.func) != "super":
            return None
        for cls in bases.lineage(self.walker, home)[1:]:
            for member in bases.methods(cls):
                if member.name == func.attr:
                    return member
        return None

    def named(self, call: ast.Call, place: ast.AST, target: ast.FunctionDef) -> str:
        """The parameter that an argument is for."""
        if isinstance(place, ast.keyword):
            return str(place.arg)
        names = [a.arg for a in target.args.args]
        names = names[1:] if self.home(target) is not None else names
        number = next((i for i, a in enumerate(call.args) if a is place), len(names))
        hidden = any(isinstance(a, ast.Starred) for a in call.args[:number])
        if hidden or number >= len(names):
            raise NoNames
        return names[number]

    def complete(self) -> None:
        """See that no call gives a parameter anything else, and what each carrier is asked for."""
        kept = {id(stmt) for c in self.carriers.values() for stmt, _ in c.kept}
        for stmt in self.stores:
            empty = isinstance(stmt, ast.Assign) and _empty(stmt.value)
            if id(stmt) not in kept and not empty:
                raise NoNames
        given = {id(call): to for c in self.carriers.values() for call, _, to in c.given}
        for found in self.carriers.values():
            if isinstance(found.node, ast.FunctionDef):
                calls = [n for n, to in given.items() if to is found]
                if self.calls(found.node) != set(calls):
                    raise NoNames
        wanted: dict[int, set[str]] = {
            id(c): {key for _, key in c.taken} for c in self.carriers.values()
        }
        growing = True
        while growing:
            growing = False
            for c in self.carriers.values():
                for to in [*(t for *_, t in c.given), *(t for _, t in c.kept)]:
                    if not wanted[id(to)] <= wanted[id(c)]:
                        wanted[id(c)] |= wanted[id(to)]
                        growing = True
        for c in sorted(self.carriers.values(), key=lambda c: c is not self.module):
            keys = self.keys if c is self.module else [k for k in self.keys if k in wanted[id(c)]]
            c.words = self.words(c, keys)

    def calls(self, target: ast.FunctionDef) -> set[int]:
        """All calls of a function, or of the classes that it makes objects of."""
        home = self.home(target)
        if home is None:
            found = known_branches.every(self.walker, target)
            if not found:
                raise NoNames
            return {id(c) for c in found}
        if target.name != "__init__":
            raise NoNames
        classes = [
            cls
            for tree in self.walker.program()
            for cls in all_of(tree, ast.ClassDef)
            if bases.find(self.walker, cls, "__init__") is target
        ]
        calls = [n for t in self.walker.program() for n in all_of(t, ast.Call)]
        return {
            id(n)
            for n in calls
            if self.walker._module_function(n.func, ast.ClassDef) in classes
            or self.above(n) is target
        }

    def words(self, found: Carrier, keys: list[str]) -> dict[str, str]:
        """What entries are called in a scope."""
        taken: set[str] = set()
        if isinstance(found.node, ast.FunctionDef):
            taken |= {n.id for n in all_of(found.node, ast.Name)}
            taken |= {a.arg for a in all_of(found.node, ast.arg)}
        elif isinstance(found.node, ast.ClassDef):
            family = bases.family(self.walker, found.node)
            taken |= {n.attr for c in family for n in all_of(c, ast.Attribute)}
            taken |= {m.name for c in family for m in bases.methods(c)}
        words: dict[str, str] = {}
        for key in keys:
            wish = key
            if isinstance(found.node, ast.FunctionDef) and found.node.name != "__init__":
                wish = self.module.words[key]
            if found is self.module and free(self.walker, key) != key:
                wish = free(self.walker, f"{key}_placeholder", words.values())
            while wish in taken | set(words.values()):
                wish = f"{wish}_placeholder"
            words[key] = wish
        return words

    def written(self) -> tuple[list[Written], list[tuple[ast.stmt, Callable[[Source], list[str]]]]]:
        """The program without the dict."""
        replaced: list[Written] = [(self.made, lambda _: "")]
        before: list[tuple[ast.stmt, Callable[[Source], list[str]]]] = [(self.made, self.lines)]
        for c in self.carriers.values():
            replaced += [(node, word(self.entry(c, node.value, key))) for node, key in c.taken]
            if isinstance(c.node, ast.FunctionDef):
                replaced.append(self.parameters(c))
            for _, place, to in c.given:
                replaced.append(self.arguments(c, place, to))
            for stmt, to in c.kept:
                replaced.append((stmt, lambda _: ""))
                if to.words:
                    before.append((stmt, self.attributes(c, stmt, to)))
        return replaced, before

    def entry(self, found: Carrier, node: ast.expr, key: str) -> str:
        """An entry as a name."""
        head = f"{ast.unparse(node.value)}." if isinstance(node, ast.Attribute) else ""
        return head + found.words[key]

    def parameters(self, found: Carrier) -> Written:
        """The parameters of a function that took the dict."""
        args: list[ast.arg] = found.node.args.args
        place = next(i for i, a in enumerate(args) if a.arg == found.name)
        if found.words:
            return args[place], word(", ".join(found.words.values()))
        if len(args) < 2:
            raise NoNames
        return known_branches.cut([(a, a) for a in args], place)

    def arguments(self, found: Carrier, place: ast.AST, to: Carrier) -> Written:
        """What a call gives for the dict."""
        node: Any = place.value if isinstance(place, ast.keyword) else place
        said = [(key, self.entry(found, node, key)) for key in to.words]
        if not said:
            raise NoNames
        if isinstance(place, ast.keyword):
            return place, word(", ".join(f"{to.words[key]}={text}" for key, text in said))
        return place, word(", ".join(text for _, text in said))

    def attributes(
        self, found: Carrier, stmt: ast.Assign, to: Carrier
    ) -> Callable[[Source], list[str]]:
        """``self.labels = labels``, for an object that kept the dict."""
        (target,) = stmt.targets
        assert isinstance(target, ast.Attribute)
        head = ast.unparse(target.value)
        pairs = [(to.words[k], self.entry(found, stmt.value, k)) for k in to.words]
        return lambda _: [f"{head}.{own} = {said}" for own, said in pairs]

    def lines(self, source: Source) -> list[str]:
        """The placeholders, each with its name and its comment."""
        made = self.made.value
        assert isinstance(made, ast.Dict)
        comments = _comments(source(self.made))
        found = []
        for key, value in zip(self.keys, made.values, strict=True):
            line = (value.end_lineno or 0) - self.made.lineno
            found.append(f"{self.module.words[key]} = {source(value)}{comments.get(line, '')}")
        return found

    def shadowed(self, node: ast.AST, name: str) -> bool:
        """Whether a function around a node has a parameter of a name."""
        outer: ast.AST | None = node
        while outer is not None:
            if isinstance(outer, (ast.FunctionDef, ast.Lambda)) and name in _parameters(outer):
                return True
            outer = self.parents.get(id(outer))
        return False

    def function(self, node: ast.AST | None) -> ast.FunctionDef | None:
        """The function in which something stands."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            node = self.parents.get(id(node))
        return node

    def home(self, node: ast.AST) -> ast.ClassDef | None:
        """The class in whose method something stands."""
        scope = self.function(node)
        outer = self.parents.get(id(scope))
        return outer if isinstance(outer, ast.ClassDef) else None


def _parameters(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    args = node.args
    more = [a for a in (args.vararg, args.kwarg) if a is not None]
    return {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, *more)}


def _own(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id == "self")
    )


def _empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and not node.keys


def _is(node: ast.Name, *kinds: type) -> bool:
    return isinstance(node.ctx, kinds)


def _comments(text: str) -> dict[int, str]:
    """The comments of a statement by their lines, the first one of which is 0."""
    found: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found[token.start[0] - 1] = f"  {token.string}"
    return found

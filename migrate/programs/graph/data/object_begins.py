"""An object's initializers of one iterator: ``self.train_init = iterator.make_initializer(train)``.

They become the datasets that the iterator begins with, which methods may be given:
``self.iterator = iter(init)``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.data import object_iterators
from migrate.programs.graph.model import Blocked, Fetch, Kind, Value
from migrate.programs.graph.objects import own_attributes

ELSEWHERE = "an iterator of another object begins here"


@dataclass(slots=True, eq=False, repr=False)
class Starts:
    """What lets an object's iterator begin: the dataset that it then goes through."""

    iterator: Any  # feedable.Structure
    source: ast.expr  # the dataset, where the initializer is made

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The attribute that it is kept in, which is the dataset's from now on."""
        stmt, name = walker.stmt, object_iterators.own(walker, target)
        plain = isinstance(stmt, ast.Assign) and stmt.targets == [target]
        if not plain or not object_iterators.within(walker):
            raise Blocked(target, "an iterator's initializer that an object doesn't keep")
        if not name or stmt.value is not value.node:
            raise Blocked(target, "an iterator's initializer that an object doesn't keep")
        if len(own_attributes.stores(walker, walker.frame.region.node, name)) != 1:
            raise Blocked(target, f"`{name}`, an iterator's initializer, is set again")
        mine = self.iterator
        if mine.sized is not None and ast.dump(mine.sized) == ast.dump(self.source):
            mine.shape = target
        source = self.source
        walker.rewrites[id(value.node)] = lambda writer: writer.module.here(source, writer)
        assert isinstance(target, ast.Attribute)
        walker.set_attribute(mine.instance, target, Value(Kind.OTHER, self, node=value.node))

    def given_method(self, walker: Any, method: ast.FunctionDef, name: str, node: ast.AST) -> None:
        """A method is given it, at all of its calls one of the same iterator.

        Raises:
            Blocked: another call gives something else, or the parameter gets another value.
        """
        known = walker.kept.setdefault(("begins", id(method)), {}).setdefault(name, self.iterator)
        again = any(
            isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            for n in walk(method)
        )
        if known is not self.iterator or again:
            raise Blocked(node, f"`{method.name}` is given initializers of several iterators")

    def begin(self, walker: Any, node: ast.Call, fetch: Fetch) -> None:
        """A run of it."""
        from migrate.programs.graph.data.iterators import in_its_order

        (leaf, *others), stmt = fetch.leaves(), walker.stmt
        alone = fetch.items is None and not others and isinstance(stmt, ast.Expr)
        if not alone or stmt.value is not node:
            raise Blocked(node, "an iterator begins among other things")
        at = leaf.node
        if isinstance(at, ast.Attribute):
            owner, held = ast.unparse(at.value), walker.expression(at.value).data
        else:
            owner, held = _itself(walker, node)
        if held is not self.iterator.instance or not isinstance(at, (ast.Name, ast.Attribute)):
            raise Blocked(node, ELSEWHERE)
        in_its_order(walker)
        name = f"{owner}.{self.iterator.name.rpartition('.')[2]}"
        walker.rewrites[id(node)] = lambda _: f"{name} = iter({ast.unparse(at)})"


def _itself(walker: Any, node: ast.AST) -> tuple[str, Any]:
    """What the method at hand calls its object, and that object."""
    method = walker.frame.node
    if not isinstance(method, ast.FunctionDef) or not method.args.args:
        raise Blocked(node, ELSEWHERE)
    name = method.args.args[0].arg
    symbol = walker.frame.env.get(name)
    if symbol is None or symbol.value.kind is not Kind.OBJECT:
        raise Blocked(node, ELSEWHERE)
    return name, symbol.value.data

"""Parts of a run that have tensors under names, as a decoder's outputs and state do."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.own_nodes import function_around

MORE = "an attention's state, of which TF 1 has more, is fetched"


@dataclass(frozen=True, slots=True)
class Structure:
    """Tensors by the names of a tuple's fields."""

    fields: dict[str, Value]
    clones: bool = False  # `clone` gives another one
    partial: bool = False  # TF 1's has more fields behind these

    def part(self, value: Value, node: ast.Subscript) -> Value | None:
        """An item by its number.

        Raises:
            Blocked: it may be another one in TF 1.
        """
        for key, item in value.items or ():
            if isinstance(node.slice, ast.Constant) and node.slice.value == key:
                return item
        if self.partial:
            raise Blocked(node, "an item of an attention's state that isn't seen")
        return None

    def tensors(self) -> set[str]:
        """The names of the fields that are tensors, or tuples of these."""
        return {n for n, value in self.fields.items() if not isinstance(value.data, History)}

    def attribute(self, node: ast.Attribute) -> Value | None:
        """A field; None: it is no field."""
        return self.fields.get(node.attr)

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``state.clone(cell_state=…)``.

        Raises:
            Blocked: another method, or other arguments.
        """
        known = {k.arg for k in node.keywords} <= self.tensors()
        if not self.clones or attribute != "clone" or node.args or not known:
            raise Blocked(node, f"`.{attribute}()` of what a decoder has isn't followed")
        for keyword in node.keywords:
            walker.join([walker.expression(keyword.value)], keyword.value)
        return owner


class History(Structure):
    """What a cell that attends has looked at, step by step: a TensorArray in both."""

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``state.alignment_history.stack()``.

        Raises:
            Blocked: another method.
        """
        if attribute != "stack" or node.args or node.keywords:
            raise Blocked(node, f"`.{attribute}()` of an attention's history isn't followed")
        return Value(Kind.TENSOR)


def fetched(walker: Any, node: ast.expr, value: Value) -> None:
    """A structure of which TF 1 has more is fetched: only what both have of it may be read.

    Raises:
        Blocked: more may be.
    """
    if not isinstance(value.data, Structure) or not value.data.partial:
        for _, item in value.items or ():
            if _partial(item):
                raise Blocked(node, MORE)
        return
    fields = value.data.tensors()
    if len(fields) < len(value.data.fields):  # a TensorArray can't be fetched
        raise Blocked(node, MORE)
    around = parents_of(walker.stmt)
    match around.get(id(around.get(id(node)))):
        case ast.Attribute(ast.Call(_, [fetch, *_]), attr) if fetch is node and attr in fields:
            return  # `sess.run(state, feed).cell_state`
    for name in _names(walker.stmt, node):
        scope = function_around(walker.tree, name) or walker.files.at(name).tree
        parents = parents_of(scope)
        for n in all_of(scope, ast.Name):
            if n.id != name.id or not isinstance(n.ctx, ast.Load):
                continue
            match parents[id(n)]:
                case ast.Attribute(_, attr) if attr in fields:
                    pass
                case ast.Subscript(_, ast.Constant(int(at))) if 0 <= at < len(fields):
                    pass
                case ast.Dict():  # it is fed
                    pass
                case _:
                    raise Blocked(node, MORE)


def _partial(value: Value) -> bool:
    own = isinstance(value.data, Structure) and value.data.partial
    return own or any(_partial(item) for _, item in value.items or ())


def _names(stmt: ast.AST, node: ast.expr) -> list[ast.Name]:
    """What a statement calls one of its fetches.

    Raises:
        Blocked: it has no name.
    """
    match stmt:
        case ast.Assign([target], ast.Call(_, [fetches, *_])):
            if fetches is node and isinstance(target, ast.Name):
                return [target]
            if isinstance(fetches, (ast.List, ast.Tuple)) and isinstance(target, ast.Tuple):
                pairs = zip(target.elts, fetches.elts, strict=False)
                found = [t for t, f in pairs if f is node and isinstance(t, ast.Name)]
                if found:
                    return found
    raise Blocked(node, MORE)


def attention(inner: Value, history: bool, clones: bool = False) -> Value:
    """The state of a cell that attends: of what TF 1's has, the first two parts.

    Also what it has looked at, if it keeps that.
    """
    fields = {"cell_state": inner, "attention": Value(Kind.TENSOR)}
    items = list(enumerate(fields.values()))
    if history:
        fields["alignment_history"] = Value(Kind.TENSOR, History({}))
    return Value(Kind.TENSOR, Structure(fields, clones, partial=True), items)

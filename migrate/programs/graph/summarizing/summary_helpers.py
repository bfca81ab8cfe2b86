"""Functions that attach summaries to a tensor: each call's summaries are the caller's own.

``variable_summaries(var)`` of the guides, in all its variants: local names, scopes and summaries,
and nothing else. Its expressions are written where the values are, with what the call gives.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import constants
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import (
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.scoping.op_names import op_name, opened, scope_at, unique
from migrate.programs.graph.state import State
from migrate.programs.graph.summarizing import summary_scopes
from migrate.programs.graph.summarizing.summaries import KINDS, Summaries, Summary, tag_of
from migrate.programs.graph.walk import Walker

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """One call of such a function, being followed."""

    walker: Walker
    node: ast.Call
    given: dict[str, ast.expr]
    local: dict[str, ast.expr] = field(default_factory=dict)
    found: list[Summary] = field(default_factory=list)

    def body(self, statements: list[ast.stmt], scope: str) -> None:
        """Follow statements.

        Raises:
            Blocked: one of them does something else.
        """
        for stmt in statements:
            if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
                continue
            if isinstance(stmt, ast.With):
                own = opened(self.walker, stmt)
                if own is None:
                    raise Blocked(stmt, "a function that makes summaries opens something else")
                full = f"{scope}/{own}" if scope else own
                key = (id(self.node), id(stmt))
                self.body(stmt.body, unique(self.walker, full, self.node, key))
            elif (
                isinstance(stmt, ast.Assign)
                and len(stmt.targets) == 1
                and isinstance(stmt.targets[0], ast.Name)
            ):
                self.local[stmt.targets[0].id] = self.filled(stmt.value)
                self.ops(stmt, scope)
            elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
                self.summary(stmt.value, scope)
            else:
                raise Blocked(stmt, "a function that makes summaries does something else")

    def ops(self, node: ast.AST, scope: str) -> None:
        """The names that a statement's ops take."""
        for call in walk(node):
            name = op_name(self.walker, call) if isinstance(call, ast.Call) else None
            if name is not None:
                full = f"{scope}/{name}" if scope else name
                unique(self.walker, full, self.node, (id(self.node), id(call)))

    def summary(self, call: ast.Call, scope: str) -> None:
        """One summary op."""
        endpoint = self.walker.endpoints.get(id(call.func), "")
        if endpoint not in KINDS:
            raise Blocked(call, "a function that makes summaries calls something else")
        kind = KINDS[endpoint]
        given = self.walker.bound(endpoint, call)
        own, data = given.get("name"), given.get("tensor", given.get("values"))
        if own is None or data is None or len(given) != 2 or kind == "image":
            raise Blocked(call, "these arguments of a summary aren't followed")
        name = constants.text_of(self.told(self.filled(own)))
        if name is None:
            summary_scopes.check(self.walker, own, entered=False)
            raise Blocked(own, "a summary's name is computed")
        self.ops(data, scope)
        tag = tag_of(self.walker, name, scope, self.node, key=(id(self.node), id(call)))
        expression = self.filled(data)
        inner, value = self.uses(data, expression)
        self.walker.summaries.setdefault(kind, 0)
        self.found.append(
            Summary(
                kind, own, tag, call, data, value, inner.uses, inner.hosts, self.writer(expression)
            )
        )

    def filled(self, node: ast.expr) -> ast.expr:
        """An expression with what local names stand for in it."""
        local: dict[str, ast.expr] = {}
        for name in (n for n in all_of(node, ast.Name)):
            text = constants.text_of(name, self.walker.program())
            if text is not None and name.id not in self.given:
                local[name.id] = ast.copy_location(ast.Constant(text), name)
        local |= self.local

        class Fill(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.expr:
                return copy.deepcopy(local[name.id]) if name.id in local else name

        filled: ast.expr = Fill().visit(copy.deepcopy(node))
        return filled

    def told(self, node: ast.expr) -> ast.expr:
        """A name with what ops are called that the author named, ``x.op.name``, in it.

        The CIFAR-10 tutorial takes a tower's name out of it, by `re.sub`.
        """
        names = {name: self.op_of(given) for name, given in self.given.items()}

        class Tell(ast.NodeTransformer):
            def visit_Attribute(self, attribute: ast.Attribute) -> ast.expr:
                owner = attribute.value
                if attribute.attr != "name" or not isinstance(owner, ast.Attribute):
                    return attribute
                name = names.get(getattr(owner.value, "id", "")) if owner.attr == "op" else None
                return attribute if name is None else ast.Constant(name)

            def visit_Call(self, call: ast.Call) -> ast.expr:
                self.generic_visit(call)
                texts = [constants.text_of(a) for a in call.args]
                if ast.unparse(call.func) != "re.sub" or len(texts) != 3 or call.keywords:
                    return call
                pattern, new, text = texts
                if pattern is None or new is None or text is None:
                    return call
                return ast.Constant(re.sub(pattern, new, text))

        told: ast.expr = Tell().visit(node)
        return told

    def op_of(self, given: ast.expr) -> str | None:
        """The name of an op that a statement of the caller makes and names."""
        symbol = self.walker.symbol_of(given)
        made = symbol.step.node if symbol is not None else None
        if not isinstance(made, ast.Assign) or ast.unparse(made.targets[0]) != ast.unparse(given):
            return None
        known: dict[int, str | None] = self.walker.kept.get(("told ops",), {})
        return known.get(id(made.value)) if len(made.targets) == 1 else None

    def uses(self, data: ast.expr, expression: ast.expr) -> tuple[Any, Value]:
        """What the caller's expressions in it use, and what the whole is."""
        walker = self.walker
        sink = walker.sink
        walker.sink = inner = type(sink)(-1, sink.node, Kind.HOST)
        value = Value(Kind.TENSOR)
        for name in walk(expression):
            if isinstance(name, ast.Name) and name.id in self.given:
                of = walker.expression(self.given[name.id])
                if of.kind not in (Kind.TENSOR, Kind.VARIABLE, Kind.PLACEHOLDER, Kind.HOST):
                    raise Blocked(self.node, f"a summary of {described(of)}")
                if isinstance(expression, ast.Name):
                    value = of
        walker.sink = sink
        if inner.impure is not None:
            raise Blocked(*inner.impure)
        return inner, value

    def writer(self, expression: ast.expr) -> Callable[[Any], str]:
        """The expression's source, with the caller's own expressions as they are written there."""
        given = self.given

        def source(writer: Any) -> str:
            class Mark(ast.NodeTransformer):
                def visit_Name(self, name: ast.Name) -> ast.expr:
                    return ast.Name(f"_given_{name.id}_") if name.id in given else name

            text = ast.unparse(Mark().visit(copy.deepcopy(expression)))
            for name, node in given.items():
                new = " ".join(writer.source(node).split())
                atom = isinstance(node, ATOMS) or text == f"_given_{name}_"
                text = text.replace(f"_given_{name}_", new if atom else f"({new})")
            return text

        return source


def makes_summaries(walker: State, function: Function) -> bool:
    """Whether a function calls summary ops itself, and gives nothing."""
    parts = list(walk(function.node))
    return any(
        walker.endpoints.get(id(n)) in KINDS for n in parts if isinstance(n, ast.Attribute)
    ) and not any(isinstance(n, (ast.Return, ast.Yield)) for n in parts)


def follow(walker: Any, function: Function, node: ast.Call) -> Value:
    """A call of a function that attaches summaries and does nothing else.

    Raises:
        Blocked: it does something else.
    """
    target = function.node
    assert isinstance(target, ast.FunctionDef)
    if walker.frame.region is None or walker.nested or walker.loops:
        raise Blocked(node, f"`{target.name}` makes summaries in a loop, a branch or a helper")
    if walker.frame.region.inputs is not None:  # each call has its own
        why = Blocked(node, "a summary in a function that makes variables")
        training_helpers.summarized(walker, walker.frame.region.node, why)
        raise why
    args = target.args
    names = [a.arg for a in args.args]
    hidden = args.vararg or args.kwarg or args.kwonlyargs or target.decorator_list
    if hidden or any(isinstance(a, ast.Starred) for a in node.args) or len(node.args) > len(names):
        raise Blocked(node, "a call whose arguments are hidden")
    given = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    given |= dict(zip(names, node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    if set(given) != set(names):
        raise Blocked(node, "arguments that aren't seen")
    loads = [
        n
        for n in walk(walker.tree)
        if target.name in (getattr(n, "id", None), getattr(n, "attr", None))
    ]
    calls = walker.kept.setdefault("followed", {}).setdefault(id(target), {})
    calls[id(node)] = None
    if len(calls) == len(loads):
        walker.unneeded.add(id(target))
    known = {k: v for k, v in given.items() if isinstance(v, ast.Constant)}
    for name, value in given.items():
        text = constants.text_of(value, walker.program())
        if text is not None:
            known[name] = ast.copy_location(ast.Constant(text), value)
    call = Call(walker, node, {k: v for k, v in given.items() if k not in known})
    call.local.update(known)
    call.body(target.body, scope_at(walker, walker.outer))
    listed = walker.kept.setdefault("summaries", [])
    listed.extend(call.found)
    for found in call.found:
        walker.sink.uses.update(found.uses)
    return Value(Kind.TENSOR, Summaries(call.found), node=node)


def instead(walker: Any, function: Function, node: ast.Call, error: Blocked) -> None:
    """A short function that computes and attaches summaries may stand where it is called.

    Raises:
        Inlinable: it is such a function.
    """
    target = function.node
    if type(error) is not Blocked or not isinstance(target, ast.FunctionDef):
        return
    if walker.frame.region is None or walker.runs(target) or makes_summaries(walker, function):
        return
    if _attaches(walker, target):
        training_helpers.few(walker, target, node, "makes summaries", error)


def other_calls(walker: Any, error: Blocked) -> None:
    """A name isn't told while such a function, which stood here, is called elsewhere, too.

    Raises:
        Inlinable: it is, and may stand there as well.
    """
    tree = walker.files.at(walker.stmt).tree
    for scope in (n for n in walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef))):
        for stmt in _plain(scope.body):
            call = stmt.value
            if not isinstance(call, ast.Call):
                continue
            target = walker._module_function(call.func)
            if target is None or walker.runs(target) or not _attaches(walker, target):
                continue
            if not makes_summaries(walker, Function(target, walker.frame)):
                training_helpers.few(walker, target, call, "makes summaries", error, stmt)


def _plain(body: list[ast.stmt]) -> Iterator[ast.Assign | ast.Expr]:
    """Assignments and calls that are executed once, those in with statements included."""
    for stmt in body:
        if isinstance(stmt, ast.With):
            yield from _plain(stmt.body)
        elif isinstance(stmt, (ast.Assign, ast.Expr)):
            yield stmt


def _attaches(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function makes summaries, itself or through one that only does that."""
    for n in walk(target):
        if walker.endpoints.get(id(n)) in KINDS:
            return True
        callee = walker._module_function(n.func) if isinstance(n, ast.Call) else None
        if callee is not None and makes_summaries(walker, Function(callee, walker.frame)):
            return True
    return False


__all__ = ["follow", "instead", "makes_summaries"]

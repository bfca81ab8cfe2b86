"""`tf.test.TestCase`: each test builds and runs a graph of its own.

https://www.tensorflow.org/api_docs/python/tf/test/TestCase
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Region,
    Value,
    described,
)
from migrate.programs.graph.objects import bases

BASE = T + "test.TestCase"
# Python's own, whose tests share the default graph; and what only adds to a case.
OWN = frozenset({"unittest.TestCase", "absl.testing.absltest.TestCase"})
MORE = frozenset({"absl.testing.parameterized.TestCase", "object"})
# Decorators that leave a test out, and those that call it once for each of their arguments.
SKIPS = frozenset({"unittest.skip", "unittest.skipIf", "unittest.skipUnless"})
REPEATS = ["absl.testing.parameterized.parameters", "absl.testing.parameterized.named_parameters"]
SESSIONS = frozenset({"test_session", "session", "cached_session"})


@dataclass(slots=True, eq=False, repr=False)
class Test:
    """The ``self`` of a test."""

    node: ast.ClassDef

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """A session's maker, a method of the class, or a value of the test."""
        own = any(isinstance(n, ast.FunctionDef) and n.name == node.attr for n in self.node.body)
        if node.attr in SESSIONS or node.attr == "evaluate" or own:
            owner = Value(Kind.OTHER, self)
            return Value(Kind.METHOD, (owner, node.attr), node=node)
        return HOST

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``self.test_session()``, ``self.evaluate(…)``.

        Raises:
            Blocked: a method of the class that has a part in a graph.
        """
        if attribute in SESSIONS:
            for value in walker.arguments(node):
                if value.kind not in (Kind.HOST, Kind.GRAPH, Kind.SETTING, Kind.ENDPOINT):
                    raise Blocked(node, f"a test's session is given {described(value)}")
            if walker.loops:
                raise Blocked(node, "a session opens in a loop")
            walker.sessions += 1
            # `cached_session` gives the session that there is.
            if walker.sessions > 1 and walker.stateful and attribute == "session":
                walker.fresh = node
            walker.latest = node
            return Value(Kind.SESSION, T + "Session", node=node)
        if attribute == "evaluate" and len(node.args) == 1 and not node.keywords:
            found: Value = walker.run_site(node, node.args[0], 1)
            return found
        member = next(
            n for n in self.node.body if isinstance(n, ast.FunctionDef) and n.name == attribute
        )
        if walker.runs(member) or walker._mentions(member):
            raise Blocked(node, f"`{attribute}` of a test, which builds or runs a part of a graph")
        for value in walker.arguments(node):
            if value.kind is not Kind.HOST:
                raise Blocked(node, f"`{attribute}` of a test is given {described(value)}")
        return HOST


def is_case(walker: Any, node: ast.ClassDef) -> bool:
    """Whether a class is a test case, and nothing else."""
    named = [_named(walker, base) for base in node.bases]
    return (
        any(name == BASE or name in OWN for name in named)
        and all(name == BASE or name in OWN | MORE for name in named)
        and not node.keywords
        and not node.decorator_list
    )


def _named(walker: Any, node: ast.expr) -> str:
    return walker.endpoints.get(id(node)) or bases.dotted(walker, node)


def walk_case(walker: Any, node: ast.ClassDef) -> None:
    """Each method that builds or runs something, as a program of its own.

    Raises:
        Blocked: one can't be followed.
    """
    building = [m for m in node.body if walker.runs(m) or walker._mentions(m)]
    if BASE not in [_named(walker, base) for base in node.bases] and len(building) > 1:
        for member in building:
            if not any(isinstance(n, ast.Call) and _graph(walker, n) for n in walk(member)):
                raise Blocked(member, "a test that builds in the graph of another one")
    for member in node.body:
        if not isinstance(member, ast.FunctionDef):
            if walker._mentions(member):
                raise Blocked(member, "a part of a graph in the body of a test case")
            continue
        if not walker.runs(member) and not walker._mentions(member):
            continue
        called = [d.func if isinstance(d, ast.Call) else d for d in reversed(member.decorator_list)]
        names = [bases.dotted(walker, d) for d in called]
        repeats = names[:1] and names[0] in REPEATS
        if not all(name in SKIPS for name in (names[1:] if repeats else names)):
            raise Blocked(member, f"the test `{member.name}` has a decorator")
        if any(walker._mentions(d) for d in member.decorator_list):
            raise Blocked(
                member, f"a decorator of the test `{member.name}` makes a part of a graph"
            )
        first, more = member.args.args[0] if member.args.args else None, member.args.args[1:]
        if first is None or bool(more) != bool(repeats) or member.args.vararg or member.args.kwarg:
            raise Blocked(member, f"the test `{member.name}` has parameters")
        region = Region(member, member.name)
        walker.entered[id(member)] = region
        walker.regions.append(region)
        walker.forget()
        given = {first.arg: Value(Kind.OTHER, Test(node)), **{a.arg: HOST for a in more}}
        walker._inside(member, region, given, None)
    walker.forget()


def _graph(walker: Any, node: ast.Call) -> bool:
    """Whether a call makes a graph of its own, or an empty one."""
    return walker.endpoints.get(id(node.func)) in (T + "Graph", T + "reset_default_graph")


__all__ = ["Test", "is_case", "walk_case"]

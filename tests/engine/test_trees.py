"""Walks over syntax trees give what `ast`'s give, but for contexts."""

from __future__ import annotations

import ast
import copy
import sys
from pathlib import Path

import pytest

from migrate.engine.trees import (
    all_of,
    children,
    fact,
    holds,
    move,
    named,
    outward,
    parents_of,
    walk,
)

SOURCE = """
async def f(a, /, b: int = 1, *c, d, e=2, **g) -> None:
    global x
    async with a as (b, c), d: pass
    async for i, *j in k: yield {**a, 1: 2}
    [(n := m) async for m in l if m if not m]
    return await f"{a!r:>{b}}"
match x:
    case [1, *rest] | {"k": v, **others} | C(p, q=None) as whole if y: del z[1:2, ...]
    case _: raise E from e
try: import a.b as c
except (A, B) as error: lambda *, k, l=1: 0
else: x: int = -1 + 2 < 3
finally: a[b].c @= 1
"""


def _theirs(nodes: object) -> list[ast.AST]:
    return [n for n in nodes if not isinstance(n, ast.expr_context)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", [SOURCE, Path(ast.__file__).read_text("utf-8"), Path(__file__).read_text("utf-8")]
)
def test_they_give_what_ast_gives(text: str) -> None:
    tree = ast.parse(text)
    assert list(walk(tree)) == _theirs(ast.walk(tree))
    for node in ast.walk(tree):
        assert list(children(node)) == _theirs(ast.iter_child_nodes(node))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are Python 3.12's")
def test_type_parameters_are_walked() -> None:
    tree = ast.parse("type A[T: int, *Ts, **P] = list[T]\nclass B[T]: pass\n")
    assert list(walk(tree)) == _theirs(ast.walk(tree))


def test_what_a_made_node_lacks_is_left_out() -> None:
    """As `ast.walk` does: rewriters make nodes without all of their fields."""
    assert [type(n) for n in walk(ast.Call(func=ast.Name(id="f"), args=[]))] == [ast.Call, ast.Name]


def test_what_is_below_a_copy_of_a_module_is_its_own() -> None:
    tree = ast.parse("x = 1\n")
    first = list(walk(tree))
    assert list(walk(tree)) == first
    other = copy.deepcopy(tree)
    other.body.append(ast.parse("y = 2\n").body[0])
    names = [n.id for n in walk(other) if isinstance(n, ast.Name)]
    assert names == ["x", "y"]
    assert not {id(n) for n in walk(other)} & {id(n) for n in first if n._fields}


def test_nodes_of_a_class_and_names_are_those_of_a_walk() -> None:
    """As for a file, which keeps them, so for a definition in it and for a part that keeps none."""
    tree = ast.parse(Path(ast.__file__).read_text("utf-8"))
    definition = next(n for n in tree.body if isinstance(n, ast.ClassDef))
    for root in (tree, definition, definition.body[-1], copy.deepcopy(definition)):
        nodes = list(walk(root))
        for _ in range(2):  # found, and kept
            assert list(all_of(root, ast.Call)) == [n for n in nodes if isinstance(n, ast.Call)]
            assert list(named(root, "node")) == [
                n for n in nodes if "node" in (getattr(n, "id", ""), getattr(n, "attr", ""))
            ]
            assert list(named(root, "no such name")) == list(all_of(root, ast.Match)) == []


def test_what_stands_in_what() -> None:
    tree = ast.parse("class A:\n    def f(self):\n        if x:\n            return g(y)\nz = 1\n")
    call = all_of(tree, ast.Call)[0]
    assert [type(n) for n in outward(tree, call)] == [
        *(ast.Call, ast.Return, ast.If, ast.FunctionDef, ast.ClassDef, ast.Module)
    ]
    method, last = all_of(tree, ast.FunctionDef)[0], tree.body[-1]
    for _ in range(2):  # before and after what is above each node is known
        assert all(holds(n, call) for n in (tree, method, method.body[0], call))
        assert not holds(last, call)
        assert not holds(method, last)
        assert not holds(method, None)
        assert parents_of(method)[id(call)] is method.body[0].body[0]  # type: ignore[attr-defined]
    assert list(outward(method, last)) == []
    assert list(outward(tree, ast.Pass())) == []


def test_a_changed_copy_of_a_definition_is_walked_as_it_is() -> None:
    tree = ast.parse("def f():\n    return x\n")
    assert len(all_of(tree.body[0], ast.Name)) == 1
    other = copy.deepcopy(tree.body[0])
    assert isinstance(other, ast.FunctionDef)
    assert len(all_of(other, ast.Name)) == 1
    other.body.append(ast.parse("y").body[0])
    assert [n.id for n in all_of(other, ast.Name)] == ["x", "y"]


def test_what_a_function_says_of_a_file_is_asked_once() -> None:
    asked = []

    def names(tree: ast.AST) -> list[str]:
        asked.append(tree)
        return [n.id for n in all_of(tree, ast.Name)]

    tree = ast.parse("a = b\n")
    assert fact(tree, names) == fact(tree, names) == ["a", "b"]
    assert asked == [tree]
    other = copy.deepcopy(tree)
    other.body.append(ast.parse("c").body[0])
    assert fact(other, names) == ["a", "b", "c"]
    part = tree.body[0]  # somebody may change it
    assert fact(part, names) == fact(part, names) == ["a", "b"]
    assert asked == [tree, other, part, part]


def test_moved_lines_are_those_of_ast() -> None:
    one, other = ast.parse(SOURCE), ast.parse(SOURCE)
    ast.increment_lineno(one, 7)
    move(other, 7)
    assert ast.dump(one, include_attributes=True) == ast.dump(other, include_attributes=True)

"""Walks over syntax trees give what `ast`'s give, but for contexts."""

from __future__ import annotations

import ast
import copy
import sys
from pathlib import Path

import pytest

from migrate.engine.trees import children, walk

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

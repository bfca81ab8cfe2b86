"""TFM219 tensor-identity: `==` of tensors compared objects; in TF 2 it compares their elements.

https://www.tensorflow.org/api_docs/python/tf/Tensor#__eq__

In TF 1 `a == b` asked whether two names stand for one tensor, and tensors could be keys of
dictionaries and members of sets. TF 2 compares elementwise, and a tensor has no hash. `==` between
what provably are tensors becomes `is`; tensors in sets, as keys, or looked for by `in` are
reported (TFM221): `x.ref()` is hashable and compares by identity.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator

from migrate.engine.calls import _find
from migrate.engine.findings import Edit, Level
from migrate.engine.names import Scope
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, children, walk
from migrate.engine.values import Values, values_of

IDENTITY = Rule(
    "TFM219",
    "tensor-identity",
    "== or != between tensors, which compared objects",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/Tensor#__eq__",
)
HASH = Rule(
    "TFM221",
    "tensor-hash",
    "tensors as keys of dictionaries, members of sets or looked for in containers",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/Tensor#ref",
)
_MAY = re.compile(r"==|!=|\{|^(?!\s*for\b).*?\bin\b", re.M)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@IDENTITY.file
def tensors(file: FileContext) -> Iterator[Result]:
    """Comparisons and containers of what provably are tensors."""
    if file.level is not Level.NATIVE or not file.tf1:
        return
    if not file.names.references:
        return
    lines = [file.index.position(match.start())[0] for match in _MAY.finditer(file.text)]
    if not lines:
        return
    values = values_of(file)
    for node, scope in _walk(file, lines):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _compare(file, node, scope, values)
        elif isinstance(node, ast.Dict):
            yield from _members([k for k in node.keys if k is not None], scope, values, "a key")
        elif isinstance(node, ast.Set):
            yield from _members(node.elts, scope, values, "in a set")


def _walk(file: FileContext, lines: list[int]) -> Iterator[tuple[ast.AST, Scope]]:
    """The nodes of statements on the lines, with their scopes.

    Functions that don't name TensorFlow are left out: what is a tensor can't be told there.
    """
    scopes = {id(r.scope.node): r.scope for r in file.names.references}
    stack: list[tuple[ast.AST, Scope]] = [(file.tree, file.names.module)]
    while stack:
        node, where = stack.pop()
        if isinstance(node, ast.stmt):
            at = bisect_left(lines, node.lineno)
            if at == len(lines) or lines[at] > (node.end_lineno or node.lineno):
                continue
        elif isinstance(node, (ast.Compare, ast.Dict, ast.Set)):
            yield node, where
        if isinstance(node, _INNER):
            if id(node) not in scopes:
                continue
            where = scopes[id(node)]
        stack.extend((child, where) for child in children(node))


def _is_tensor(node: ast.expr, scope: Scope, values: Values) -> bool:
    return values.kind(node, scope) in ("tensor", "variable")


def _compare(
    file: FileContext, node: ast.Compare, scope: Scope, values: Values
) -> Iterator[Result]:
    op, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(op, (ast.In, ast.NotIn)):
        if _is_tensor(left, scope, values):
            yield HASH.report(node, "`in` compares tensors by their elements in TF 2; use .ref()")
        return
    if not isinstance(op, (ast.Eq, ast.NotEq)):
        return
    sides = [_is_tensor(side, scope, values) for side in (left, right)]
    if isinstance(left, ast.Name) and isinstance(right, ast.Constant) and right.value is not None:
        sides[0] = sides[0] or _among_tensors(file, left, scope, values)
    none = any(isinstance(s, ast.Constant) and s.value is None for s in (left, right))
    if not all(sides) and not (any(sides) and none):
        if any(sides):
            yield IDENTITY.report(
                node, "in TF 1 this asked for the same object; in TF 2 it compares elements"
            )
        return
    _, lo = file.index.span(left)
    hi, _ = file.index.span(right)
    sign = "==" if isinstance(op, ast.Eq) else "!="
    at = _find(file.text, lo, hi, sign[0])
    word = "is" if isinstance(op, ast.Eq) else "is not"
    before = "" if file.text[at - 1].isspace() else " "
    after = "" if file.text[at + 2].isspace() else " "
    yield IDENTITY.fixed(
        node,
        f"`{sign}` compared tensors as objects; in TF 2 it compares their elements",
        f"`{word}`",
        [Edit(at, at + 2, f"{before}{word}{after}")],
    )


def _among_tensors(file: FileContext, name: ast.Name, scope: Scope, values: Values) -> bool:
    """Whether a loop gives a name tensors and others: `for out in [a + 1, "", a * 2]`."""
    loops = [n for n in all_of(file.tree, ast.For) if ast.unparse(n.target) == name.id]
    shown = [n.iter for n in loops if name in walk(n)]
    names = {n.id for n in shown if isinstance(n, ast.Name)}
    stores = all_of(file.tree, ast.Assign) if names else ()
    shown += [s.value for s in stores if ast.unparse(s.targets[0]) in names]
    listed = [e for n in shown if isinstance(n, (ast.List, ast.Tuple)) for e in n.elts]
    return any(_is_tensor(e, scope, values) for e in listed)


def _members(nodes: list[ast.expr], scope: Scope, values: Values, where: str) -> Iterator[Result]:
    for node in nodes:
        if _is_tensor(node, scope, values):
            yield HASH.report(node, f"a tensor {where}: in TF 2 it has no hash; use .ref()")

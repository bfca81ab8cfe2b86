"""TFM114 version-test: a test of TensorFlow's version that comes out otherwise on TF 2.21.

`if tf.__version__ < "2.0.0":` took the one way on TF 1.15.5 and takes the other from now on. What
it guards may be meant for just that, as an import of `tensorflow.compat.v1` is; code of another
TF 2 release may as well be wrong in a program that is kept on `tf.compat.v1`. Only the author can
tell: it is reported where both versions are known to give another answer.

https://www.tensorflow.org/guide/versions
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from migrate.engine.findings import Applicability
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, walk

VERSION = Rule(
    "TFM114",
    "version-test",
    "a test of TensorFlow's version that TF 1.15.5 and TF 2.21 answer differently",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/versions",
    applicability=Applicability.MANUAL,
)
#: Where a program came from, and where it goes.
OLD, NEW = "1.15.5", "2.21.0"
NAMES = ("__version__", "VERSION")
VERSIONS = ("tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION")
PARSERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})
BUILTINS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (int, float, str, len, map, tuple, list, bool)
}
METHODS = frozenset({"split", "startswith", "endswith", "replace", "strip", "rpartition"})
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


class Unknown(Exception):
    """What a test says can't be told from its text."""


@VERSION.file
def tests(file: FileContext) -> Iterator[Result]:
    """Every comparison that a version stands in."""
    if not file.tf1 or not any(name in file.text for name in NAMES):
        return
    versions = set(_versions(file))
    if not versions:
        return
    names = _single(file.tree)
    for node in walk(file.tree):
        if not _asks(node) or not _mentions(node, versions, names):
            continue
        assert isinstance(node, ast.expr)
        try:
            before, after = (bool(_value(node, versions, names, version)) for version in (OLD, NEW))
        except (Unknown, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue
        if before != after:
            word = {True: "true", False: "false"}
            yield VERSION.report(
                node,
                f"`{file.source(node)}` is {word[before]} on TF {OLD} and {word[after]} on TF 2.21:"
                " see that what runs now is meant",
                blocks=False,
            )


def _versions(file: FileContext) -> Iterator[int]:
    """The ids of the nodes that are the version: `tf.__version__.split` without `split`."""
    for ref in file.names.references:
        node, name = ref.node, ref.name
        while isinstance(node, ast.Attribute) and name.rpartition(".")[2] in METHODS:
            node, name = node.value, name.rpartition(".")[0]
        if name in VERSIONS:
            yield id(node)


def _asks(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("startswith", "endswith")
    )


def _single(tree: ast.Module) -> dict[str, ast.expr]:
    """The names of the module that one assignment binds, and nothing else."""
    found: dict[str, ast.expr] = {}
    stores = [n.id for n in all_of(tree, ast.Name) if type(n.ctx) is ast.Store]
    for stmt in tree.body:
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
            name = stmt.targets[0].id
            if len(stmt.targets) == 1 and stores.count(name) == 1:
                found[name] = stmt.value
    return found


def _mentions(
    node: ast.AST, versions: set[int], names: Mapping[str, ast.expr], depth: int = 0
) -> bool:
    return depth < 4 and any(
        id(part) in versions
        or (
            isinstance(part, ast.Name)
            and part.id in names
            and _mentions(names[part.id], versions, names, depth + 1)
        )
        for part in walk(node)
    )


def _value(node: ast.expr, versions: set[int], names: Mapping[str, ast.expr], version: str) -> Any:
    """What an expression gives under a version of TensorFlow."""

    def value(part: ast.expr) -> Any:
        return _value(part, versions, names, version)

    if id(node) in versions:
        return version
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return value(names[node.id])
    if isinstance(node, (ast.Tuple, ast.List)):
        items = [value(item) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    if isinstance(node, ast.Subscript):
        return value(node.value)[value(node.slice)]
    if isinstance(node, ast.Slice):
        return slice(
            *(None if e is None else value(e) for e in (node.lower, node.upper, node.step))
        )
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value(node.operand)
    if isinstance(node, ast.Compare):
        left, answer = value(node.left), True
        for op, other in zip(node.ops, node.comparators, strict=True):
            if type(op) not in OPERATORS:
                raise Unknown
            right = value(other)
            answer, left = answer and OPERATORS[type(op)](left, right), right
        return answer
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _items(node, versions, names, version)
    if isinstance(node, ast.Call) and not node.keywords:
        return _called(node, value)
    raise Unknown


def _items(
    node: ast.ListComp | ast.GeneratorExp,
    versions: set[int],
    names: Mapping[str, ast.expr],
    version: str,
) -> list[Any]:
    """`[int(v) for v in tf.__version__.split(".")]`."""
    (loop,) = node.generators
    if loop.ifs or not isinstance(loop.target, ast.Name):
        raise Unknown
    return [
        _value(node.elt, versions, {**names, loop.target.id: ast.Constant(item)}, version)
        for item in _value(loop.iter, versions, names, version)
    ]


def _called(node: ast.Call, value: Callable[[ast.expr], Any]) -> Any:
    func = node.func
    called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if called in PARSERS and len(node.args) == 1:
        return tuple(int(n) for n in re.findall(r"\d+", value(node.args[0])))
    if isinstance(func, ast.Attribute) and called in METHODS:
        text = value(func.value)
        if not isinstance(text, str):
            raise Unknown
        return getattr(text, called)(*map(value, node.args))
    if isinstance(func, ast.Name) and called in BUILTINS:
        return BUILTINS[called](
            *(
                BUILTINS[a.id] if isinstance(a, ast.Name) and a.id in BUILTINS else value(a)
                for a in node.args
            )
        )
    raise Unknown

"""`slim.repeat` and `slim.stack` as the calls that they make, each under its scope.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/contrib/layers/repeat
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source, unit

REPEAT, STACK = "tensorflow.contrib.layers.repeat", "tensorflow.contrib.layers.stack"
# What the layers are called, by which their scopes have their names where none is told.
NAMED = {
    f"tensorflow.contrib.layers.{name}": called
    for name, called in {
        "fully_connected": "fully_connected",
        "conv1d": "convolution1d",
        "conv2d": "convolution2d",
        "conv3d": "convolution3d",
        "conv2d_transpose": "convolution2d_transpose",
        "separable_conv2d": "separable_convolution2d",
        "max_pool2d": "max_pool2d",
        "batch_norm": "batch_norm",
    }.items()
}
MOST = 6  # more calls of one layer are a loop


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """All of a file at once: those that can't be written stay."""
    found = []
    for node in walk(source.tree):
        if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in (REPEAT, STACK):
            edit = _edit(source, node, walker)
            if edit is not None:
                found.append(edit)
    return found


def _edit(source: Source, node: ast.Call, walker: Walker) -> Edit | None:
    stmt = source.statement(node)
    name = walker.endpoints[id(node.func)]
    names = ["inputs", "repetitions", "layer"] if name == REPEAT else ["inputs", "layer", "stack"]
    rest = node.args[3:]
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    keywords: list[ast.keyword] = []
    for keyword in node.keywords:
        if keyword.arg is None:
            return None
        own = "stack" if keyword.arg == "stack_args" and name == STACK else keyword.arg
        if own in names:
            given[own] = keyword.value
        else:
            keywords.append(keyword)
    scope = next((k.value for k in keywords if k.arg == "scope"), None)
    if any(isinstance(a, ast.Starred) for a in node.args) or set(given) != set(names):
        return None
    if stmt is None or not source.tf or not source.alone(stmt):
        return None
    if scope is None:
        endpoint = walker.endpoints.get(id(given["layer"]), "")
        target = walker._module_function(given["layer"]) if not endpoint else None
        if isinstance(target, ast.FunctionDef) and not target.decorator_list:
            called = target.name
        elif endpoint in NAMED:
            called = NAMED[endpoint]
        else:
            return None
        opened = f"None, '{'Stack' if name == STACK else 'Repeat'}'"
        scope = ast.Constant(called)
    else:
        opened = source.of(scope)
    if name == STACK and rest:
        return None
    target = _target(source, stmt, node)
    if target is None:
        return None
    layer, inputs = source.of(given["layer"]), source.of(given["inputs"])
    kept = [source.of(a) for a in rest]
    kept_keywords = [f"{k.arg}={source.of(k.value)}" for k in keywords if k.arg != "scope"]

    def call(first: str, inner: list[str], label: str) -> str:
        parts = [first, *inner, *kept_keywords, f"scope={label}"]
        return f"{target} = {layer}({', '.join(parts)})"

    indent, nl = source.indent(stmt), "\r\n" if "\r\n" in source.document.text else "\n"
    deeper = indent + unit(source)
    lines = [f"{indent}with {source.tf}.variable_scope({opened}):"]
    arguments = _each(source, name, given, kept)
    if arguments is not None and len(arguments) <= MOST:
        for place, inner in enumerate(arguments):
            first = inputs if not place else target
            lines.append(deeper + call(first, inner, _label(source, scope, str(place + 1))))
    elif name == REPEAT:
        number = source.free(("i", "j", "k", "n", "number"), node)
        if number is None:
            return None
        if inputs != target:
            lines.append(f"{deeper}{target} = {inputs}")
        lines.append(f"{deeper}for {number} in range({source.of(given['repetitions'])}):")
        label = _numbered(source, scope, number)
        lines.append(deeper + unit(source) + call(target, kept, label))
    else:
        return None
    start = source.document.index.offset(stmt.lineno - source.part.line, 0)
    end = source.span(stmt)[1]
    text = nl.join(lines)
    if not (isinstance(stmt, ast.Assign) and stmt.value is node):
        low, high = source.span(node)
        own = source.document.text
        text += f"{nl}{own[start:low]}{target}{own[high:end]}"
    return Edit(start, end, text)


def _each(
    source: Source, name: str, given: dict[str, ast.expr], kept: list[str]
) -> list[list[str]] | None:
    """The arguments of each call, where their number is seen."""
    if name == REPEAT:
        times = given["repetitions"]
        known = isinstance(times, ast.Constant) and isinstance(times.value, int)
        return [kept] * times.value if known else None  # type: ignore[attr-defined]
    listed = given["stack"]
    if not isinstance(listed, (ast.List, ast.Tuple)):
        return None
    found = []
    for item in listed.elts:
        if isinstance(item, ast.Starred) or not isinstance(
            item, (ast.List, ast.Tuple, ast.Constant)
        ):
            return None  # a name may mean a number, or several
        several = item.elts if isinstance(item, (ast.List, ast.Tuple)) else [item]
        found.append([source.of(i) for i in several])
    return found


def _target(source: Source, stmt: ast.stmt, node: ast.Call) -> str | None:
    """What the result is called."""
    if isinstance(stmt, ast.Assign) and stmt.value is node:
        plain = len(stmt.targets) == 1 and isinstance(stmt.targets[0], (ast.Name, ast.Attribute))
        return source.of(stmt.targets[0]) if plain else None
    if not isinstance(stmt, (ast.Assign, ast.Return)) or stmt.value is None:
        return None
    # Nothing of its statement may be made before it.
    outer: ast.AST = stmt.value
    while isinstance(outer, ast.Call) and outer is not node:
        if not outer.args or any(isinstance(n, ast.Call) for n in walk(outer.func)):
            return None
        outer = outer.args[0]
    return source.free(("net", "outputs", "hidden", "repeated"), node) if outer is node else None


def _label(source: Source, scope: ast.expr, number: str) -> str:
    if isinstance(scope, ast.Constant):
        quote = source.of(scope)[-1] if hasattr(scope, "lineno") else "'"
        return f"{quote}{scope.value!s}_{number}{quote}"
    return f"{source.of(scope)} + '_{number}'"


def _numbered(source: Source, scope: ast.expr, name: str) -> str:
    if isinstance(scope, ast.Constant) and "%" not in str(scope.value):
        quote = source.of(scope)[-1] if hasattr(scope, "lineno") else "'"
        return f"{quote}{scope.value!s}_%d{quote} % ({name} + 1)"
    return f"{source.of(scope)} + '_%d' % ({name} + 1)"

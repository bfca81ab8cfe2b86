"""The names of scopes where a program reads them: ``with tf.variable_scope('conv1') as scope:``.

``scope.name`` of a variable scope and ``scope`` of a name scope are strings. What they say is known
here, up to what a function is given, and is written in their place.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.listing import unread_ends
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.scoping import op_scopes
from migrate.programs.graph.wording.respelled import Respelled
from migrate.programs.graph.wording.spelled import Source, Spelled, word


def opened(walker: Any, node: ast.Call) -> None:
    """Remember in which scopes the innermost one was opened."""
    walker.kept.setdefault(("scope paths",), {})[id(node)] = (
        walker.frame.region,
        [(s.name, s.ops_only) for s in walker.scopes],
    )


def attribute(walker: Any, owner: Value, node: ast.Attribute) -> Value | None:
    """``scope.name``: a string; None where it isn't that."""
    if owner.kind is not Kind.SETTING or not str(owner.data).endswith("variable_scope"):
        return None
    if node.attr == "original_name_scope":
        reason = "the name scope of a variable scope"
        unread_ends.check(walker, node, reason)
        raise Respelled(node, reason, "end points")
    if node.attr != "name" or not isinstance(owner.node, ast.Call):
        return None
    if walker.frame.region is None and id(node) in walker.kept.get(("plain op names",), ()):
        _unnamed(walker, node)
    return _said(walker, owner.node, node, ops=False)


def _unnamed(walker: Any, node: ast.expr) -> None:
    """``tf.nn.max_pool(x, …, name=scope.name)`` in a function: nothing finds the op by its name.

    Raises:
        Spelled: the op can do without.
    """
    for call in all_of(walker.stmt, ast.Call):
        if not any(k.value is node for k in call.keywords):
            continue
        kept = [k for k in call.keywords if k.value is not node]
        if any(k.arg is None for k in kept):
            return

        def written(source: Source, call: ast.Call = call, kept: list[ast.keyword] = kept) -> str:
            parts = [source(a) for a in call.args] + [f"{k.arg}={source(k.value)}" for k in kept]
            return f"{source(call.func)}({', '.join(parts)})"

        raise Spelled(node, "the name of a scope in a function", [(call, written)])


def current(walker: Any, node: ast.Attribute) -> None:
    """See whether ``tf.get_variable_scope().name`` is what a method has opened.

    Raises:
        Spelled: it is, and may say it itself.
    """
    frame, parts = walker.frame, [s.name for s in walker.scopes if not s.ops_only]
    if node.attr != "name" or not isinstance(node.value, ast.Call):
        return
    if frame.region is None or frame.region.inputs is not None or None in parts or walker.loops:
        return
    text = _written("/".join(str(p) for p in parts if p))
    names = [n for n in walk(ast.parse(text, mode="eval")) if isinstance(n, (ast.Name, ast.Call))]
    if not all(isinstance(n, ast.Name) and _parameter(frame, n.id) for n in names):
        return
    raise Spelled(node, "the name of the scope at hand", [(node, word(text))])


def asked(walker: Any, node: ast.Call) -> None:
    """Remember what a call's op is called."""
    for keyword in node.keywords:
        if keyword.arg == "name":
            names = walker.kept.setdefault(("op names",), set())
            names.add(id(keyword.value))
            endpoint = walker.endpoints.get(id(node.func)) or ""
            if meaning.is_op(endpoint) and not endpoint.startswith(meaning.T + "summary."):
                walker.kept.setdefault(("plain op names",), set()).add(id(keyword.value))


def given(walker: Any, owner: Value, node: ast.Name) -> Value:
    """``tf.nn.relu(x, name=scope)`` of a name scope: the op's name."""
    named = str(owner.data).endswith("name_scope")
    if not (named or owner.data in op_scopes.OLD) or not isinstance(owner.node, ast.Call):
        return owner
    if id(node) not in walker.kept.get(("op names",), ()):
        return owner
    if walker.frame.region is None and id(node) in walker.kept.get(("plain op names",), ()):
        return HOST  # the block stays with its name, and nothing finds ops by theirs
    if not named:
        return owner
    said = _said(walker, owner.node, node, ops=True)
    if said is HOST and owner.symbol is not None:  # nothing reads the scope any more
        walker.sink.uses.pop(owner.symbol, None)
    return said


def _said(walker: Any, opened: ast.Call, node: ast.expr, *, ops: bool) -> Value:
    region, scopes = walker.kept.get(("scope paths",), {}).get(id(opened), (None, None))
    if scopes is None or region is not walker.frame.region:
        raise Blocked(node, "the name of a scope that isn't seen here")
    parts = [name for name, only in scopes if ops or not only]
    if None in parts:
        raise Blocked(node, "the name of a scope that is computed")
    if region is None:
        raise Blocked(node, "the name of a scope in a function")
    text = "/".join(str(p) for p in parts if p)
    read: set[str] = set()
    if region.inputs is not None:
        read = walker.kept.setdefault(("names scopes",), {}).setdefault(id(region), set())
    for part in all_of(ast.parse(_written(text), mode="eval"), ast.Name):
        symbol = walker.frame.env.get(part.id)
        if symbol is None or symbol.value.kind is not Kind.HOST or not _parameter(region, part.id):
            raise Blocked(node, "the name of a scope that is computed")
        read.add(part.id)
        walker.lookup(ast.copy_location(ast.Name(part.id, ast.Load()), node))
    walker.rewrites[id(node)] = lambda _: _written(text)
    return HOST


def _parameter(region: Any, name: str) -> bool:
    """Whether a name is what a function is given, and nothing else there."""
    args = getattr(region.node, "args", None)
    return (
        args is not None
        and not any(
            isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            for n in walk(region.node)
        )
        and any(a.arg == name for a in args.args)
    )


def _written(text: str) -> str:
    """A name with braces as the expression that it is."""
    if "{" not in text:
        return repr(text)
    whole = text.startswith("{") and text.endswith("}") and text.count("{") == 1
    return text[1:-1] if whole else "f" + repr(text)


def called(walker: Any, region: Any, given: dict[str, ast.expr], node: ast.Call) -> None:
    """See to it that a function which reads its scopes' names finds them as they were.

    Raises:
        Blocked: it is called in another scope, or for a scope that TF 1 names.
    """
    if id(region) not in walker.kept.get(("names scopes",), {}):
        return
    if walker.scopes:
        raise Blocked(
            node, "a function that reads the names of its scopes is called in another one"
        )
    args = region.node.args
    given = (
        dict(zip(reversed([a.arg for a in args.args]), reversed(args.defaults), strict=False))
        | given
    )
    for name in walker.kept[("names scopes",)][id(region)]:
        value = given.get(name)
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            raise Blocked(node, "a function that reads the name of a scope, which TF 1 gives it")

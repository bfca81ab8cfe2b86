"""TensorFlow by the names of 1.15: what a program calls otherwise is renamed before anything else.

Public code takes endpoints from the modules that TensorFlow is made of (``from
tensorflow.python.framework import ops``, ``ops.reset_default_graph()``), by their names before
TensorFlow 1.0 (``tf.mul``, ``tf.concat(0, …)``), and the tutorials' reader inside of a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate import symbols
from migrate.engine.calls import Unbound, bind
from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Binding, Names, Reference
from migrate.engine.trees import all_of, walk
from migrate.rewriters import old_names
from migrate.rewriters.sessions.apart import rewritten
from migrate.rewriters.sessions.state import tensorflow

READERS = ("tensorflow.examples.tutorials", "tensorflow.contrib.learn.python.learn.datasets")
# The names of these modules are followed as they are.
KEPT = ("tensorflow.python.keras.", "tensorflow.contrib.learn.")
# Messages by the modules that describe them, whose public names the walk follows.
CORE = "tensorflow.core."
MESSAGES = {
    "framework.summary_pb2": ("Summary",),
    "protobuf.config_pb2": ("ConfigProto", "GPUOptions", "RunMetadata", "RunOptions"),
    "util.event_pb2": ("Event",),
}


def renamed(document: Document, names: Names) -> Document | None:
    """The document with TensorFlow's public names of 1.15; None where it has no others."""
    root = tensorflow(document.tree)
    edits = list(_hoisted(document))
    if root:
        edits += _endpoints(document, names, root)
    elif (place := _place(document)) is not None:
        found = list(_endpoints(document, names, "tf"))
        edits += _imported(document, place, found) if found else []
    return rewritten(document, edits) if edits else None


def _place(document: Document) -> ast.stmt | None:
    """The first import of a part of TensorFlow, in a file that has nothing called `tf`."""
    imports = (n for n in document.tree.body if isinstance(n, ast.ImportFrom))
    first = next((n for n in imports if (n.module or "").startswith("tensorflow.")), None)
    if first is None or first.level:
        return None
    for n in walk(document.tree):
        names = (getattr(n, a, None) for a in ("id", "arg", "name", "asname", "attr"))
        if "tf" in names and not isinstance(n, ast.Attribute):
            return None
    return first


def _imported(document: Document, place: ast.stmt, found: list[Edit]) -> Iterator[Edit]:
    """The same edits, with an import of TensorFlow as a whole before the first of a part."""
    start = document.index.offset(place.lineno, 0)
    end = "\r\n" if "\r\n" in document.text else "\n"
    line = f"import tensorflow as tf{end}"
    for edit in found:
        if edit.start == start:
            yield Edit(edit.start, edit.end, line + edit.new)
            line = ""
        else:
            yield edit
    if line:
        yield Edit(start, start, line)


def _endpoints(document: Document, names: Names, root: str) -> Iterator[Edit]:
    """What names of other modules and of older releases become, and their idle imports."""
    text, index = document.text, document.index
    done: set[int] = set()
    for ref in names.references:
        new = _public(ref)
        if new is not None and ref.literal is None and not _hides(ref, root):
            start, end = index.span(ref.node)
            yield Edit(start, end, root + new.removeprefix("tensorflow"))
            done.add(id(ref))
            continue
        if ref.call is None or ref.literal is not None:
            continue
        try:
            yield from _older(document, ref, root)
        except Unbound:
            continue  # it stays what it is, and is reported
    for stmt in document.tree.body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            idle = [
                alias
                for alias in stmt.names
                if alias.name != "tensorflow"  # by whose name they are called now
                and (used := [r for r in names.references if _of(r, alias)])
                and all(id(r) in done for r in used)
            ]
            if idle and len(idle) == len(stmt.names):
                yield Edit(index.offset(stmt.lineno, 0), _next(document, stmt), "")
            elif idle and isinstance(stmt, ast.ImportFrom):
                start, end = index.span(stmt)
                left = ", ".join(ast.unparse(a) for a in stmt.names if a not in idle)
                if "#" not in text[start:end]:
                    yield Edit(start, end, f"from {stmt.module} import {left}")


def _public(ref: Reference) -> str | None:
    """The public endpoint that a private spelling means."""
    name = ref.name
    if name.startswith(CORE):
        return _message(ref)
    private = name.startswith("tensorflow.python.") or (
        name.startswith("tensorflow.contrib.") and ".python." in name
    )
    if not private or name.startswith(KEPT) or not isinstance(ref.node, ast.Attribute | ast.Name):
        return None
    if len(ref.bindings) > 1 and not _again(ref.bindings):
        return None
    public = symbols.public(name)
    if public is None or symbols.is_module(public) or symbols.split(public) is None:
        return None
    return public


def _message(ref: Reference) -> str | None:
    """The public endpoint of a message, or of what is inside of it: `tf.Summary.Value`."""
    if not isinstance(ref.node, ast.Attribute | ast.Name):
        return None
    if len(ref.bindings) > 1 and not _again(ref.bindings):
        return None
    for module, messages in MESSAGES.items():
        inner = ref.name.removeprefix(f"{CORE}{module}.")
        if inner != ref.name and inner.partition(".")[0] in messages:
            return f"tensorflow.{inner}"
    return None


def _again(bindings: Sequence[Binding]) -> bool:
    """Whether a name is one import's, which cells of a notebook repeat."""
    targets = {b.target for b in bindings if b.kind == "import" and b.guard is None}
    return len(targets) == 1 and all(b.kind == "import" and not b.guard for b in bindings)


def _of(ref: Reference, alias: ast.alias) -> bool:
    return any(b.node is alias for b in ref.bindings)


def _hides(ref: Reference, root: str) -> bool:
    """Whether ``root`` may mean something else where a name is used."""
    scope = ref.scope
    while scope is not None and scope.kind != "module":
        args = getattr(scope.node, "args", None)
        given = walk(args) if isinstance(args, ast.arguments) else ()
        if root in scope.bindings or any(isinstance(a, ast.arg) and a.arg == root for a in given):
            return True
        scope = scope.parent  # type: ignore[assignment]
    return False


def _older(document: Document, ref: Reference, root: str) -> Iterator[Edit]:
    """A call by the name, or in the order, of TensorFlow 0.x.

    Raises:
        Unbound: its arguments aren't seen, or one has no counterpart.
    """
    assert ref.call is not None
    index = document.index
    old = old_names.LIST.get(ref.name)
    if old is not None:
        call = bind(document.text, index, ref.call, tuple(old.parameters))
        edits = old_names.arguments(call, old)
        start, end = index.span(ref.node)
        yield Edit(start, end, f"{root}.{old.now}")
        yield from edits
    elif ref.name in old_names.ORDERS:
        places = old_names.ORDERS[ref.name]
        call = bind(document.text, index, ref.call, tuple(places))
        yield from old_names.by_name(call, places)


def _hoisted(document: Document) -> Iterator[Edit]:
    """The tutorials' reader is imported above, not by a function."""
    if not any(reader.rpartition(".")[2] in document.text for reader in READERS):
        return
    tree, index = document.tree, document.index
    inside: list[ast.ImportFrom] = []
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and len(node.body) > 1:
            inside += [s for s in node.body if isinstance(s, ast.ImportFrom) and _reader(s)]
    if not inside:
        return
    bound = {n.id for n in all_of(tree, ast.Name) if _stored(n)}
    bound |= {a.arg for a in all_of(tree, ast.arg)}
    others = [s for s in walk(tree) if isinstance(s, (ast.Import, ast.ImportFrom))]
    first = next((s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))), None)
    if first is None:
        return
    above = _next(document, first)
    said: set[str] = set()
    for stmt in inside:
        source = ast.unparse(stmt)
        mine = {a.asname or a.name for a in stmt.names}
        same = [s for s in others if mine & {a.asname or a.name.partition(".")[0] for a in s.names}]
        if mine & bound or any(ast.unparse(s) != source for s in same):
            continue
        yield Edit(index.offset(stmt.lineno, 0), _next(document, stmt), "")
        if source not in said and not any(s in tree.body for s in same):
            said.add(source)
            yield Edit(above, above, f"{source}\n")


def _reader(stmt: ast.ImportFrom) -> bool:
    return (
        not stmt.level
        and (stmt.module or "").startswith(READERS)
        and all(a.name != "*" for a in stmt.names)
    )


def _stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _next(document: Document, stmt: ast.stmt) -> int:
    """Where the line after a statement begins."""
    return document.index.offset((stmt.end_lineno or stmt.lineno) + 1, 0)

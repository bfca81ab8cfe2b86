"""Ways around what an older release of TensorFlow lacked: the program is read as 1.15.5 runs it.

``try: s = tf.scalar_summary`` with ``except: s = tf.summary.scalar``: the names that 1.15.5 has.
``try: tf.nn.conv2d_transpose(…)`` with ``except AttributeError: tf.nn.deconv2d(…)``: the first way.
``try: from tensorflow.contrib.rnn import RNNCell`` with ``except ImportError: …``: the import.
``try: tf.mul`` with ``except: tf.mul = tf.multiply``: ``tf.multiply`` where ``tf.mul`` is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from migrate import symbols
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import INITIALIZERS
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

IMPORTS = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})
CAUGHT = frozenset({"AttributeError", "TypeError", "ValueError"}) | IMPORTS

REASON = "a way around an older TensorFlow"


def check(walker: Any, stmt: ast.Try) -> None:
    """See whether 1.15.5 goes one way through a statement that catches a missing name.

    Raises:
        Spelled: it does.
    """
    if stmt.orelse or stmt.finalbody or len(stmt.handlers) != 1:
        return
    (handler,) = stmt.handlers
    caught = handler.type
    if caught is not None and not (isinstance(caught, ast.Name) and caught.id in CAUGHT):
        return
    if caught is None or caught.id in IMPORTS:
        if _imported(stmt.body):
            raise Spelled(stmt, REASON, [(stmt, _kept(stmt, stmt.body))])
        if caught is not None and caught.id != "Exception":
            return  # what has no such name is no import
    _missing(walker, stmt, handler)
    body: list[ast.stmt] | None = None
    first, second = _aliases(walker, stmt.body), _aliases(walker, handler.body)
    if first is not None:
        if all(map(symbols.is_endpoint, first.values())):
            body = stmt.body
        elif second is not None and first.keys() <= second.keys():
            body = handler.body if all(map(symbols.is_endpoint, second.values())) else None
    elif _initializes(walker, stmt.body) and _initializes(walker, handler.body):
        body = stmt.body
    elif all(ok for _, ok in _named(walker, stmt.body)):
        same = [ast.dump(s) for s in stmt.body] == [ast.dump(s) for s in handler.body]
        same = same and any(True for _ in _named(walker, stmt.body))
        if same or any(not ok for _, ok in _named(walker, handler.body)):
            body = stmt.body  # what would be tried next isn't there, or is its older name
    if body is not None:
        raise Spelled(stmt, REASON, [(stmt, _kept(stmt, body))])


def _missing(walker: Any, stmt: ast.Try, handler: ast.ExceptHandler) -> None:
    """See whether a module gives TensorFlow's own module the names that it may lack.

    Raises:
        Spelled: it does; what is read by such a name is read by its own.
    """
    asked = [_root(walker, s.value) for s in stmt.body if isinstance(s, ast.Expr)]
    given = {
        _root(walker, s.targets[0]): dotted(walker, s.value)
        for s in handler.body
        if isinstance(s, ast.Assign) and len(s.targets) == 1
    }
    if "" in asked or len(asked) != len(stmt.body) or len(given) != len(handler.body):
        return
    tree = walker.files.at(stmt).tree
    if tree is None or stmt not in tree.body or set(asked) != set(given):
        return
    there = set(map(symbols.is_endpoint, asked))
    gone: list[Written] = [(stmt, lambda _: "")]
    if there == {False} and all(map(symbols.is_endpoint, given.values())):
        inside = set(map(id, walk(stmt)))
        for node in walk(walker.tree):
            name = _root(walker, node) if id(node) not in inside else ""
            if name not in given:
                continue
            if not isinstance(getattr(node, "ctx", None), ast.Load):
                return
            gone.append((node, _called(node, given[name])))
    elif there != {True}:
        return
    raise Spelled(stmt, "a name that is given to TensorFlow's module", gone)


def _called(node: ast.AST, name: str) -> Callable[[Source], str | None]:
    """A name of TensorFlow, by the root that a file has for it."""
    rest = name.partition(".")[2]
    return lambda source: f"{ast.unparse(node).partition('.')[0]}.{rest}"


def _root(walker: Any, node: ast.AST) -> str:
    """An attribute of TensorFlow's module, which it may lack; empty for something else."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    tree = walker.files.at(node).tree
    named = {
        a.asname or a.name
        for s in (tree.body if tree is not None else ())
        if isinstance(s, ast.Import)
        for a in s.names
        if a.name == "tensorflow"
    }
    return f"tensorflow.{node.attr}" if node.value.id in named else ""


def dotted(walker: Any, node: ast.AST) -> str:
    """A name of TensorFlow as it is written; empty where an expression is something else."""
    parts: list[str] = []
    if isinstance(node, ast.Attribute) and id(node) not in walker.endpoints:
        return ""
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in walker.files.at(node).aliases():
        return ""
    return ".".join(["tensorflow", *reversed(parts)])


def _imported(body: list[ast.stmt]) -> bool:
    """Whether all that is done is to import names of TensorFlow that 1.15.5 has."""
    return all(
        isinstance(s, ast.ImportFrom)
        and not s.level
        and (s.module or "").startswith("tensorflow.")
        and all(symbols.is_endpoint(f"{s.module}.{a.name}") for a in s.names)
        for s in body
    )


def _aliases(walker: Any, body: list[ast.stmt]) -> dict[str, str] | None:
    """TensorFlow's names by those that statements give them; None where they do more."""
    found: dict[str, str] = {}
    for stmt in body:
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            return None
        target, name = stmt.targets[0], dotted(walker, stmt.value)
        if not isinstance(target, ast.Name) or not name:
            return None
        found[target.id] = name
    return found


def _initializes(walker: Any, body: list[ast.stmt]) -> bool:
    """Whether all that is done is to run an initializer of variables."""
    calls = [n for s in body for n in all_of(s, ast.Call)]
    names = {walker.endpoints.get(id(n.func)) for n in calls if id(n.func) in walker.endpoints}
    plain = len(body) == 1 and isinstance(body[0], ast.Expr)
    return plain and len(calls) == 2 and bool(names) and names <= INITIALIZERS


def _named(walker: Any, body: list[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """The functions of TensorFlow that are called, and whether 1.15.5 has them so."""
    for stmt in body:
        for node in walk(stmt):
            name = dotted(walker, node.func) if isinstance(node, ast.Call) else ""
            if not name or not isinstance(node, ast.Call):
                continue
            known = symbols.signature(name) if symbols.is_endpoint(name) else None
            if known is None:
                yield name, symbols.is_endpoint(name)
                continue
            given = [k.arg for k in node.keywords if k.arg is not None]
            yield name, known.varkw or all(known.get(arg) is not None for arg in given)


def _kept(stmt: ast.Try, body: list[ast.stmt]) -> Callable[[Source], str | None]:
    """The statements of a way, where the whole stood."""
    first, last = body[0], body[-1]

    def written(source: Source) -> str | None:
        texts = [n for s in body for n in walk(s) if isinstance(n, (ast.Constant, ast.JoinedStr))]
        width = first.col_offset - stmt.col_offset
        if any(n.lineno != n.end_lineno for n in texts) or width <= 0:
            return None
        ends = last.end_lineno or last.lineno, last.end_col_offset or 0
        place = span((first.lineno, first.col_offset), ends)
        head, *rest = source(place).split("\n")
        if any(line.strip() and line[:width].strip() for line in rest):
            return None
        return "\n".join([head, *(line[width:] if line.strip() else line for line in rest)])

    return written

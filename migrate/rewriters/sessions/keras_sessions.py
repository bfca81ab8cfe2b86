"""A session that is only made for Keras: ``K.set_session(tf.Session(config=config))`` goes.

Keras asks for no session in TF 2. What only configured one goes with it, and with that what is
imported for it. A session that the program uses itself, or asks Keras for, stays.

https://www.tensorflow.org/guide/effective_tf2
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T, canonical
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.running import devices
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.module import Module, blocks

OUTSIDE = "`keras` itself is Keras 3 beside TF 2.21: what this takes from it isn't looked at"
SETS = frozenset({"set_session"})
ASKS = frozenset({"get_session", "get_uninitialized_variables"})
SESSIONS = (T + "Session", T + "InteractiveSession")
CONFIGURES = (T + "ConfigProto", T + "GPUOptions", T + "OptimizerOptions")
GIVEN = {
    **dict.fromkeys(SESSIONS, frozenset({"config"})),
    **dict.fromkeys(CONFIGURES, None),
}


class _Used(Exception):
    """The session, or what configures it, is used otherwise."""


def without_keras_sessions(document: Document, names: Names) -> tuple[Document, str]:
    """The document without the sessions that Keras is given, and what is told of it.

    The document itself where the program uses such a session.
    """
    if "set_session" not in document.text or any(word in document.text for word in ASKS):
        return document, ""
    module = Module(document, names)
    sessions = _Sessions(module)
    try:
        sessions.removed()
        new = edited(document, list(by_cell(document, module.edits())))
    except (_Used, Blocked):
        return document, ""
    instead = devices.instead(n for s in sessions.gone.values() for n in walk(s))
    outside = f"; {OUTSIDE}" if sessions.homes else ""
    return new, f"Keras's session goes{instead}{outside}"


class _Sessions:
    """The statements of a module that make a session for Keras."""

    def __init__(self, module: Module) -> None:
        self.module, self.tree = module, module.tree
        self.homes = _homes(module.tree)
        self.nodes = list(walk(module.tree))
        self.gone: dict[int, ast.stmt] = {}
        self.statements = {
            id(n): s for _, body in blocks(module.tree) for s in body for n in walk(s)
        }  # outer ones first: the innermost is kept

    def removed(self) -> None:
        """See which statements go, and take them out."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and self._sets(node):
                stmt = self.statements[id(node)]
                if not isinstance(stmt, ast.Expr) or stmt.value is not node:
                    raise _Used
                if len(node.args) != 1 or node.keywords:
                    raise _Used
                self.gone[id(stmt)] = stmt
                self._made(node.args[0])
        if not self.gone:
            raise _Used
        self._emptied()
        left = {id(n) for s in self.gone.values() for n in walk(s)}
        loads = {n.id for n in self.nodes if isinstance(n, ast.Name) and id(n) not in left}
        before = {n.id for n in self.nodes if isinstance(n, ast.Name) and id(n) in left}
        for stmt in self.gone.values():
            self.module.remove(stmt)
        for node in self.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)) and len(node.names) == 1:
                name = node.names[0].asname or node.names[0].name
                if name in before - loads:
                    self.module.remove(node)

    def _sets(self, node: ast.Call) -> bool:
        """Whether a call gives Keras a session."""
        known = self.module.endpoints.get(id(node.func))
        if known is None:
            known = _dotted(node.func, self.homes)
        home, _, name = known.rpartition(".")
        return name in SETS and "keras" in home.split(".")

    def _made(self, node: ast.expr) -> None:
        """A session, or what configures one, is made here, or a name for it is."""
        if isinstance(node, ast.Call):
            known = canonical(self.module.endpoints.get(id(node.func), ""))
            if known not in GIVEN or node.args:
                raise _Used
            allowed = GIVEN[known]
            for keyword in node.keywords:
                if keyword.arg is None or (allowed is not None and keyword.arg not in allowed):
                    raise _Used
                if isinstance(keyword.value, ast.Call) or keyword.arg in ("config", "gpu_options"):
                    self._made(keyword.value)
            return
        if not isinstance(node, ast.Name):
            raise _Used
        places = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == node.id]
        if any(isinstance(n, ast.arg) and n.arg == node.id for n in self.nodes):
            raise _Used
        made = 0
        for place in places:
            stmt = self.statements[id(place)]
            if place is node or id(stmt) in self.gone:
                continue
            if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
                raise _Used
            target = stmt.targets[0]
            if target is place:
                made += 1
                self.gone[id(stmt)] = stmt
                if not isinstance(stmt.value, ast.Call):
                    raise _Used
                self._made(stmt.value)
            elif isinstance(target, ast.Attribute) and _root(target) is place:
                self.gone[id(stmt)] = stmt  # config.gpu_options.allow_growth = True
            else:
                raise _Used
        if made != 1:
            raise _Used

    def _emptied(self) -> None:
        """Functions that did nothing else go, with their calls."""
        for owner, body in blocks(self.tree):
            if any(id(s) not in self.gone and not _is_text(s) for s in body):
                continue
            calls = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == _name(owner)]
            stmts = [self.statements[id(n)] for n in calls]
            alone = all(isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) for s in stmts)
            if not isinstance(owner, ast.FunctionDef) or owner not in self.tree.body or not alone:
                raise _Used
            if any(getattr(n, "attr", "") == owner.name for n in self.nodes):
                raise _Used
            for stmt in body:
                self.gone.pop(id(stmt), None)
            self.gone.update({id(s): s for s in (owner, *stmts)})


def _homes(tree: ast.Module) -> dict[str, str]:
    """What names of Keras's mean that a file imports, where that isn't TensorFlow's."""
    found: dict[str, str] = {}
    for node in walk(tree):
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            if f"{module}{alias.name}".split(".")[0] == "keras":
                whole = alias.asname or module
                name = alias.asname or (alias.name if module else "keras")
                found[name] = f"{module}{alias.name}" if whole else "keras"
    return found


def _dotted(node: ast.expr, homes: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, homes)
        return f"{owner}.{node.attr}" if owner else ""
    return homes.get(node.id, "") if isinstance(node, ast.Name) else ""


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _name(node: ast.AST) -> str:
    return str(getattr(node, "name", ""))


def _is_text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)

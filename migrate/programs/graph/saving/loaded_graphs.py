"""A graph that a program takes from the checkpoint that it has just saved: it is the one it built.

``with tf.Session(graph=loaded) as sess:``, below it ``loader = tf.train.import_meta_graph(path +
'.meta')`` and ``loader.restore(sess, path)``, as the notebooks of courses end: the graph that was
saved is still there, and the Saver that saved it restores its variables.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, outward, walk
from migrate.programs.graph.meaning import SESSIONS, T
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "a graph is read from a checkpoint's .meta file, which TF 2's checkpoints lack"
ASKS = frozenset({"get_tensor_by_name", "get_operation_by_name"})
SUFFIX = ".meta"


def check(walker: Any, node: ast.Call) -> None:
    """See whether the program has saved what it reads, in the same file.

    Raises:
        Spelled: it has, and the graph that it saved can be asked instead.
    """
    loaded = _Loaded(walker, node)
    opened, path = loaded.opened(), loaded.path()
    saved = loaded.saved(path) if path is not None else None
    written = loaded.written(opened, *saved) if opened is not None and saved is not None else None
    if written is not None:
        raise Spelled(node, REASON, written)


class _Loaded:
    """A call of `tf.train.import_meta_graph`."""

    def __init__(self, walker: Any, call: ast.Call) -> None:
        self.walker, self.call = walker, call
        self.tree = walker.files.at(call).tree
        self.scope: ast.AST = function_around(self.tree, call) or self.tree
        self.stmt: ast.Assign | None = None  # that gives the loader its name
        self.loader: ast.expr | None = None  # where it restores

    def _endpoint(self, node: ast.AST) -> str:
        called = node.func if isinstance(node, ast.Call) else node
        return str(self.walker.endpoints.get(id(called), ""))

    def opened(self) -> ast.Call | None:
        """The session in which the graph is read, none where another one may be open beside it.

        What it restores would be seen there: the variables are those that were saved.
        """
        inside = [
            item.context_expr for block in all_of(self.tree, ast.With) for item in block.items
        ]
        every = [n for n in all_of(self.tree, ast.Call) if self._endpoint(n) in SESSIONS]
        around = list(self._sessions(self.call))
        if len(around) != 1 or any(all(n is not i for i in inside) for n in every):
            return None
        return around[0] if self._apart(function_around(self.tree, self.call), set()) else None

    def _apart(self, function: ast.FunctionDef | None, seen: set[str]) -> bool:
        """Whether a function is only called where no session is open."""
        if function is None or function.name in seen:
            return True
        seen.add(function.name)
        calls = [
            n
            for n in all_of(self.tree, ast.Call)
            if isinstance(n.func, ast.Name) and n.func.id == function.name
        ]
        named = [n for n in walk(self.tree) if function.name in _said(n)]
        opened = [session for call in calls for session in self._sessions(call)]
        if opened or len(named) != len(calls):
            return False
        return all(self._apart(function_around(self.tree, c), seen) for c in calls)

    def _sessions(self, node: ast.AST) -> Iterator[ast.Call]:
        """The sessions that ``with`` statements around a place open, the innermost first."""
        for block in outward(self.tree, node):
            if isinstance(block, ast.With):
                for item in block.items:
                    made = item.context_expr
                    if isinstance(made, ast.Call) and self._endpoint(made) in SESSIONS:
                        yield made

    def path(self) -> str | None:
        """The checkpoint's path: a text, or a name that means one thing."""
        given = self.call.args[0] if self.call.args else None
        match given:
            case ast.BinOp(left, ast.Add(), ast.Constant(".meta")):
                said = self._said(left)
            case ast.Constant(str(text)) if text.endswith(SUFFIX):
                said = os.path.normpath(text.removesuffix(SUFFIX))
            case ast.Call(
                ast.Attribute(ast.Constant("{}.meta"), "format"), [ast.expr() as one], []
            ):
                said = self._said(one)
            case _:
                return None
        made = (s for s in all_of(self.tree, ast.Assign) if s.value is self.call)
        self.stmt = next(made, None)
        if self.stmt is None or len(self.stmt.targets) != 1 or said is None:
            return None
        name = ast.unparse(self.stmt.targets[0])
        uses = [n for n in walk(self.scope) if _read(n, name)]
        match [c for c in all_of(self.scope, ast.Call) if getattr(c.func, "value", None) in uses]:
            case [ast.Call(ast.Attribute(loader, "restore"), [_, where], [])] if len(uses) == 1:
                self.loader = loader
                return said if self._said(where) == said or self._latest(where, said) else None
        return None

    def _latest(self, where: ast.expr, path: str) -> bool:
        """Whether a path is that of the last checkpoint in the folder of another one."""
        match where:
            case ast.Call(_, [folder], []) if (
                self._endpoint(where) == T + "train.latest_checkpoint"
            ):
                return self._said(folder) == (os.path.dirname(path) or ".")
        return False

    def _said(self, node: ast.expr) -> str | None:
        """What a path is called by; None where that isn't told."""
        if isinstance(node, ast.Constant):
            return os.path.normpath(node.value) if isinstance(node.value, str) else None
        if not isinstance(node, ast.Name):
            return None
        stores = [n for n in all_of(self.tree, ast.Name) if n.id == node.id and _stored(n)]
        values = [
            s.value
            for s in all_of(self.tree, ast.Assign)
            if len(s.targets) == 1 and s.targets[0] in stores
        ]
        args = any(a.arg == node.id for a in all_of(self.tree, ast.arg))
        if args or not values or len(values) != len(stores):
            return None
        if all(isinstance(v, ast.Constant) for v in values):
            said = {self._said(v) for v in values}
            return said.pop() if len(said) == 1 else None
        return node.id if len(values) == 1 else None

    def saved(self, path: str) -> tuple[str, str] | None:
        """The graph that is saved there, '' for the default one, and the Saver's name.

        None where it isn't the one graph with all its variables.
        """
        found: set[tuple[str, str]] = set()
        for save in all_of(self.tree, ast.Call):
            match save:
                case ast.Call(ast.Attribute(ast.Name(saver), "save"), [_, where], []):
                    pass
                case _:
                    continue
            if self._said(where) != path or save.lineno > self.call.lineno:
                continue
            sessions = list(self._sessions(save))
            if len(sessions) != 1 or not self._plain(saver):
                return None
            graph = _graph(sessions[0])
            if not (self._lasts(graph) if graph is not None else self._default(save)):
                return None
            found.add((ast.unparse(graph) if graph is not None else "", saver))
        return found.pop() if len(found) == 1 else None

    def _lasts(self, graph: ast.expr) -> bool:
        """Whether a graph is the one thing of its name, and known where it is read again."""
        names = [n for n in all_of(self.tree, ast.Name) if n.id == getattr(graph, "id", "")]
        stores = [n for n in names if _stored(n)]
        known = len(stores) == 1 and function_around(self.tree, stores[0]) in (None, self.scope)
        return known and all(a.arg != stores[0].id for a in all_of(self.tree, ast.arg))

    def _default(self, save: ast.Call) -> bool:
        """Whether what is saved is the default graph, which stays it."""
        calls = all_of(self.tree, ast.Call)
        resets = [n for n in calls if self._endpoint(n) == T + "reset_default_graph"]
        blocks = [n for n in outward(self.tree, save) if isinstance(n, ast.With)]
        other = any("as_default" in ast.unparse(i) for block in blocks for i in block.items)
        return not other and all(n.lineno < save.lineno for n in resets)

    def _made(self, saver: str) -> list[ast.Assign]:
        """The statements that give a Saver its name."""
        every = all_of(self.tree, ast.Assign)
        return [s for s in every if [ast.unparse(t) for t in s.targets] == [saver]]

    def _plain(self, saver: str) -> bool:
        """Whether a Saver saves all variables."""
        values = [s.value for s in self._made(saver) if s.value is not self.call]
        return bool(values) and all(
            isinstance(v, ast.Call)
            and self._endpoint(v) == T + "train.Saver"
            and not v.args
            and all(k.arg == "max_to_keep" for k in v.keywords)
            for v in values
        )

    def _known(self, saver: str) -> bool:
        """Whether a Saver is the one thing of its name, and known where the graph is read."""
        made = self._made(saver)
        return len(made) == 1 and function_around(self.tree, made[0]) in (None, self.scope)

    def written(self, opened: ast.Call, graph: str, saver: str) -> list[Written] | None:
        """What is written for the graph that is read, and for what asks it."""
        own = _graph(opened)
        root = self.call.func
        if not isinstance(root, ast.Attribute) or not isinstance(root.value, ast.Attribute):
            return None
        train, tf = root.value, root.value.value
        found: list[Written] = [(self.call, lambda source: f"{source(train)}.Saver()")]
        if self._known(saver) and self.loader is not None and self.stmt is not None:
            found = [(self.stmt, word("")), (self.loader, word(saver))]
        if not isinstance(own, ast.Name) or own.id == graph:
            return None
        made = [s for s in all_of(self.scope, ast.Assign) if ast.unparse(s.targets[0]) == own.id]
        names = [n for n in all_of(self.scope, ast.Name) if n.id == own.id]
        if len(made) != 1 or self._endpoint(made[0].value) != T + "Graph":
            return None
        if sum(_stored(n) for n in names) != 1:
            return None
        found.append((made[0], word("")))
        asked = {id(n.value) for n in all_of(self.scope, ast.Attribute) if n.attr in ASKS}
        given = {id(a) for c in all_of(self.scope, ast.Call) for a in c.args if not c.keywords}
        for name in names:
            if _stored(name):
                continue
            if name is own:
                if not graph:
                    found.append((opened, _of_default(opened)))
                    continue
            elif id(name) not in asked and (id(name) not in given or not graph):
                return None
            found.append((name, word(graph) if graph else _graph_of(tf)))
        return found


def _graph(session: ast.Call) -> ast.expr | None:
    """The graph that a session is given."""
    named = next((k.value for k in session.keywords if k.arg == "graph"), None)
    return session.args[1] if named is None and len(session.args) > 1 else named


def _of_default(session: ast.Call) -> Any:
    """A session of the default graph."""

    def text(source: Source) -> str:
        given = [*map(source, session.args[:1])]
        given += [f"{k.arg}={source(k.value)}" for k in session.keywords if k.arg != "graph"]
        return f"{source(session.func)}({', '.join(given)})"

    return text


def _graph_of(tf: ast.expr) -> Any:
    return lambda source: f"{source(tf)}.get_default_graph()"


def _said(node: ast.AST) -> tuple[str, str]:
    """What a name or an attribute is called."""
    return str(getattr(node, "id", "")), str(getattr(node, "attr", ""))


def _read(node: ast.AST, text: str) -> bool:
    loads = isinstance(getattr(node, "ctx", None), ast.Load)
    return loads and isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == text


def _stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)

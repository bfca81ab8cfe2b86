"""Sessions of imported graphs: what they run becomes functions of what is fed."""

from __future__ import annotations

import ast
import re

from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.frozen.edits import HELPER, Edits, Session, is_attribute
from migrate.rewriters.sessions.frozen.graphs import FUNCTIONS, Graphs, Kept

WIDTH = 99


class Sessions(Edits):
    """The sessions of a module's imported graphs."""

    def __init__(self, graphs: Graphs, others: str) -> None:
        super().__init__(graphs)
        self.others = others

    def run(self) -> None:
        """Collect the changes.

        Raises:
            Kept: something isn't followed.
        """
        found = [s for call in self.graphs.sessions if (s := self.session(call)) is not None]
        if not found:
            raise Kept
        if any(self.shared(s) for s in found):
            raise Kept
        self.attribute(found)
        for session in found:
            for use in session.uses:
                self.other_use(session, use)
        self.default_session({u for s in found for u in s.uses})
        runs = [(s, self.graphs.parent[self.graphs.parent[u]]) for s in found for u in s.uses]
        calls = [(s, c) for s, c in runs if isinstance(c, ast.Call) and is_attribute(c.func, "run")]
        for session, call in sorted(calls, key=lambda c: self.span(c[1])[1]):  # inner ones first
            if self.graphs.statement(call) not in self.gone:
                self.site(session, call)
        if not any(s.made for s in found):
            raise Kept
        self.renamed()
        self.unwrap(found)
        self.gone |= {s.stmt for s in found if isinstance(s.stmt, ast.Assign)}
        self.settings({s.call for s in found})
        self.write()

    # -- what there is -------------------------------------------------------------------

    def session(self, call: ast.Call) -> Session | None:
        """A session of an imported graph; None for one that has another."""
        given = next((k.value for k in call.keywords if k.arg == "graph"), None)
        given = call.args[1] if len(call.args) > 1 else given
        if any(k.arg not in ("graph", "config") for k in call.keywords) or call.args[:1]:
            raise Kept
        if given is not None:
            if not self.graphs.is_graph(given) and not self.tensors.imported(given):
                raise Kept
            graph = ast.unparse(given)
        elif self.graphs.block_of(call) is None and not self.graphs.own:
            return None
        else:
            graph = self.graphs.graph_at(call)
        above = self.graphs.parent[call]
        if isinstance(above, ast.withitem) and isinstance(above.optional_vars, ast.Name):
            block = self.graphs.parent[above]
            assert isinstance(block, ast.With)
            if any(self.graphs.building(n) for n in walk(block)):
                raise Kept
            return Session(call, block, above.optional_vars.id, graph)
        if isinstance(above, ast.Assign) and len(above.targets) == 1:
            target = above.targets[0]
            own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            if isinstance(target, ast.Name) or (own and ast.unparse(target).startswith("self.")):
                return Session(call, above, ast.unparse(target), graph)
        raise Kept

    def shared(self, session: Session) -> bool:
        """Whether another file may use a session, or a function that hands its graph on."""
        word = session.name.rpartition(".")[2]
        module = isinstance(self.graphs.function_of(session.stmt), ast.Module)
        known = re.search(rf"\b{word}\b|import \*", self.others) is not None
        return known and (module or "." in session.name)

    def attribute(self, found: list[Session]) -> None:
        """Give every use of a session's name to the session that it means.

        Raises:
            Kept: that isn't seen.
        """
        for node in walk(self.module.tree):
            if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(
                node.ctx, ast.Load
            ):
                continue
            named = [s for s in found if s.name == ast.unparse(node)]
            inside = [s for s in named if self.means(s, node)]
            if len(inside) > 1:
                raise Kept
            if inside:
                inside[0].uses.append(node)
            elif named and self.reaches(named, node):
                raise Kept
        seen = [use for session in found for use in session.uses]
        for session in found:
            word = session.name.rpartition(".")[2]
            others = [
                n
                for n in all_of(self.module.tree, ast.Attribute)
                if n.attr == word and n not in seen and isinstance(n.ctx, ast.Load)
            ]
            if "." in session.name and others:
                raise Kept  # it is used from outside of its class

    def default_session(self, uses: set[ast.expr]) -> None:
        """Nothing else runs in these sessions: `t.eval()`, `op.run(feed_dict=…)`.

        Raises:
            Kept: something may.
        """
        for node in all_of(self.module.tree, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                continue
            asks = any(k.arg in ("session", "feed_dict") for k in node.keywords)
            ran = node.func.attr == "run" and asks and node.func.value not in uses
            if ran or node.func.attr == "eval":
                raise Kept

    def means(self, session: Session, node: ast.expr) -> bool:
        """Whether a name at a place is the session's."""
        above = list(self.above(node))
        if isinstance(session.stmt, ast.With):
            return session.stmt in above and self.graphs.function_of(
                node
            ) is self.graphs.function_of(session.stmt)
        if "." in session.name:
            owner = self.class_of(session.stmt)
            return owner is not None and owner in above
        scope = self.graphs.function_of(session.stmt)
        return scope in above and not self.rebound(node, scope, session)

    def rebound(self, node: ast.expr, scope: ast.AST, session: Session) -> bool:
        """Whether something else is bound to the name between its place and the session's scope."""
        for function in self.above(node):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                if any(isinstance(n, ast.arg) and n.arg == session.name for n in walk(function)):
                    return True
            binds = [
                n
                for n in all_of(function, ast.Name)
                if n.id == session.name and isinstance(n.ctx, ast.Store)
            ]
            if function is scope:
                own = [n for n in binds if self.graphs.function_of(n) is scope]
                if len(own) > 1:
                    raise Kept
                return False
            if binds and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return True
        return True

    def reaches(self, named: list[Session], node: ast.expr) -> bool:
        """Whether a name that no session was found for may still be one of them."""
        name = named[0].name
        functions = {self.graphs.function_of(s.stmt) for s in named}
        if "." in name:
            return self.class_of(node) in {self.class_of(s.stmt) for s in named}
        for function in self.above(node):
            items = getattr(function, "items", ())
            if any(isinstance(v := i.optional_vars, ast.Name) and v.id == name for i in items):
                return False  # another session's
            if function in functions:
                return True
            if isinstance(function, FUNCTIONS) and any(
                (isinstance(n, ast.arg) and n.arg == name)
                or (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
                for n in walk(function)
            ):
                return False
        return False

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        return next((n for n in self.above(node) if isinstance(n, ast.ClassDef)), None)

    # -- uses ----------------------------------------------------------------------------

    def other_use(self, session: Session, use: ast.expr) -> None:
        """What isn't a run: `sess.graph`, `sess.close()`, `with sess.as_default():`."""
        above = self.graphs.parent[use]
        stmt = self.graphs.statement(use)
        if isinstance(above, ast.withitem) and above.optional_vars is None:
            return
        if not isinstance(above, ast.Attribute):
            raise Kept
        if above.attr == "graph":
            self.new[above] = session.graph
            if isinstance(stmt, ast.Expr) and ast.unparse(stmt).endswith(".graph.as_default()"):
                self.gone.add(stmt)
        elif (
            above.attr == "close"
            and isinstance(stmt, ast.Expr)
            and isinstance(stmt.value, ast.Call)
        ) or (above.attr == "run" and self.graphs.starts(stmt)):
            self.gone.add(stmt)
        elif above.attr == "as_default":
            call = self.graphs.parent[above]
            item = self.graphs.parent[call]
            if not isinstance(item, ast.withitem) or item.optional_vars is not None:
                raise Kept
        elif above.attr != "run" or not isinstance(self.graphs.parent[above], ast.Call):
            raise Kept

    def site(self, session: Session, call: ast.Call) -> None:
        """A run as a call of a function."""
        given = dict(zip(("fetches", "feed_dict"), call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
        if len(given) != len(call.args) + len(call.keywords) or set(given) - {
            "fetches",
            "feed_dict",
        }:
            raise Kept
        fetches = given.get("fetches")
        feeds = self.fed(call, given.get("feed_dict"))
        keys = [k for k in feeds.keys if k is not None]
        if fetches is None or len(keys) < len(feeds.keys) or len(call.args) > 2:
            raise Kept
        scope = self.graphs.function_of(call)
        if not self.tensors.fetched(fetches, scope) or not all(
            self.tensors.tensor(key, scope) for key in keys
        ):
            raise Kept
        place = self.tensors.place(session.stmt, session.name, call, [fetches, *keys])
        self.gone.update(place.moved)
        self.moved.update(place.moved)
        shown = f"[{', '.join(map(self.written, keys))}], {self.written(fetches)}"
        what = f"{self.place_of(place.stmt)} {shown}"
        if what not in session.made:
            own = "self." if "." in session.name else ""
            session.made[what] = own + self.called(fetches)
            lines = [line for stmt in place.moved for line in self.with_comments(stmt)]
            made = f"{session.made[what]} = {HELPER}({session.graph}, {shown})"
            indent = len(self.graphs.indent(place.stmt))
            if indent + len(made) > WIDTH:
                made = made.replace(f"{HELPER}(", f"{HELPER}(\n", 1)
            (self.after if place.after else self.before).setdefault(place.stmt, []).extend(
                [*lines, made]
            )
        self.new[call] = f"{session.made[what]}({', '.join(map(self.written, feeds.values))})"

    def place_of(self, stmt: ast.stmt) -> str:
        return f"{stmt.lineno}:{stmt.col_offset}"

    def fed(self, call: ast.Call, node: ast.expr | None) -> ast.Dict:
        """A run's feeds: a display, or a name that was given one right before."""
        if node is None:
            return ast.Dict([], [])
        if isinstance(node, ast.Dict):
            return node
        stmt = self.graphs.statement(call)
        body = self.tensors.block(stmt)
        index = body.index(stmt)
        before = body[index - 1] if index else None
        if (
            isinstance(node, ast.Name)
            and isinstance(before, ast.Assign)
            and isinstance(before.value, ast.Dict)
            and [ast.unparse(t) for t in before.targets] == [node.id]
            and self.reads(node.id, self.graphs.function_of(call)) == 1
        ):
            self.gone.add(before)
            return before.value
        raise Kept

    def reads(self, name: str, scope: ast.AST) -> int:
        return sum(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            for n in walk(scope)
        )

    def called(self, fetches: ast.expr) -> str:
        """A name for a function: of the one tensor, or of the list, that it computes."""
        word = "outputs"
        if isinstance(fetches, ast.Subscript) and isinstance(fetches.value, ast.Attribute):
            fetches = fetches.value.value  # `operation.outputs[0]`
        if isinstance(fetches, (ast.Name, ast.Attribute)):
            word = ast.unparse(fetches).rpartition(".")[2].lower()
        elif isinstance(fetches, ast.Constant):
            word = str(fetches.value).partition(":")[0].rpartition("/")[2].lower()
        word = (
            word.removeprefix("tensor_")
            .removesuffix("_tensor")
            .removesuffix("_op")
            .removesuffix("_operation")
        )
        word = word.removesuffix("_name").removesuffix("_tensor").strip("_")
        name = f"compute_{word if word.isidentifier() else 'outputs'}"
        taken, number = self.names, 2
        attributes = {n.attr for n in all_of(self.module.tree, ast.Attribute)}
        found = name
        while found in taken or found in attributes or found in self.module.stored:
            found, number = f"{name}_{number}", number + 1
        self.names.add(found)
        return found

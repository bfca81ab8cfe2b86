"""Which expressions are an imported graph's tensors, and where a function of them can be made."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.frozen.graphs import DEFAULT, FUNCTIONS, IMPORT, Graphs, Kept
from migrate.rewriters.sessions.queues.module import STATEMENTS

LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(slots=True, eq=False, repr=False)
class Place:
    """Where a function is made, and the look-ups that move there."""

    stmt: ast.stmt
    after: bool
    moved: list[ast.stmt]


class Tensors:
    """Look-ups of tensors by their names."""

    def __init__(self, graphs: Graphs) -> None:
        self.graphs = graphs
        self.tree = graphs.module.tree

    def imported(self, node: ast.expr) -> bool:
        """Whether a graph comes from a function of the module that imports it."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = self.graphs.module.definition(node.func.id)
            return made is not None and any(c in self.graphs.imports for c in walk(made))
        if isinstance(node, (ast.Name, ast.Attribute)):
            values = self.values(ast.unparse(node), self.tree)
            return bool(values) and all(
                v is not None and not isinstance(v, ast.Name) and self.imported(v) for v in values
            )
        return False

    def values(self, name: str, scope: ast.AST) -> list[ast.expr | None]:
        """What a name or an attribute is assigned in a scope; None for what isn't seen."""
        found: list[ast.expr | None] = []
        if isinstance(scope, ast.ClassDef):
            found.extend(
                stmt.value
                for stmt in scope.body
                if isinstance(stmt, ast.Assign)
                and [f"self.{ast.unparse(t)}" for t in stmt.targets] == [name]
            )
        for node in walk(scope):
            if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(node.ctx, ast.Load):
                continue
            if ast.unparse(node) != name:
                continue
            above = self.graphs.parent[node]
            if isinstance(above, ast.Assign) and len(above.targets) == 1:
                found.append(above.value)
            elif isinstance(above, (ast.Tuple, ast.List)):
                found.append(self.item(node, above))
            else:
                found.append(None)
        return found

    def item(self, node: ast.expr, above: ast.Tuple | ast.List) -> ast.expr | None:
        """What a name in an unpacked target is given: its part, or a whole import."""
        stmt = self.graphs.parent[above]
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            return None
        value = stmt.value
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(above.elts):
            return value.elts[above.elts.index(node)]
        return value if isinstance(value, ast.Call) else None

    # -- tensors -------------------------------------------------------------------------

    def fetched(self, node: ast.expr, scope: ast.AST) -> bool:
        """Whether what is fetched is tensors: one, a list or a dict, or a name of these."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return bool(node.elts) and all(self.fetched(e, scope) for e in node.elts)
        if isinstance(node, ast.Dict):
            return bool(node.keys) and all(self.fetched(v, scope) for v in node.values)
        if isinstance(node, ast.ListComp):
            return self.tensor(node.elt, scope)
        return self.tensor(node, scope, lists=True)

    def tensor(self, node: ast.expr, scope: ast.AST, *, lists: bool = False) -> bool:
        """Whether an expression is a tensor that is looked up, or its name."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and ":" in node.value
        if isinstance(node, ast.JoinedStr):
            return bool(node.values) and self.ends(node.values[-1])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.ends(node.right)
        if isinstance(node, ast.Subscript):
            return _attribute(node.value) == "outputs"
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "get_tensor_by_name":
                return self.graph(node.func.value)
            return self.graphs.name(node.func) == IMPORT and self.returned(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = ast.unparse(node)
            values = self.values(name, self.scope(node, scope))
            known = [v for v in values if v is not None and not self.runs(v)]
            check = self.fetched if lists else self.tensor
            return bool(known) and all(
                not isinstance(v, ast.Name) and check(v, scope) for v in known
            )
        return False

    def runs(self, node: ast.expr) -> bool:
        """Whether a value is what a run gives: the name means something else before."""
        return isinstance(node, ast.Call) and _attribute(node.func) == "run"

    def scope(self, node: ast.expr, scope: ast.AST) -> ast.AST:
        """Where a name of a scope is bound."""
        if isinstance(node, ast.Name):
            while not isinstance(scope, ast.Module):
                if any(isinstance(n, ast.arg) and n.arg == node.id for n in walk(scope)):
                    raise Kept
                if self.values(node.id, scope):
                    return scope
                scope = self.graphs.function_of(scope)
            return scope
        owner: ast.AST = node
        while owner in self.graphs.parent and not isinstance(owner, ast.ClassDef):
            owner = self.graphs.parent[owner]
        return owner

    def ends(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and str(node.value).endswith(":0")

    def graph(self, node: ast.expr) -> bool:
        """Whether an expression is a graph."""
        if isinstance(node, ast.Call):
            return self.graphs.name(node.func) == DEFAULT
        own = ast.unparse(node) == self.graphs.own or _attribute(node) == "graph"
        blocks = {ast.unparse(g) for b in self.graphs.blocks if (g := self.graphs.default_of(b))}
        return (
            own or self.graphs.is_graph(node) or self.imported(node) or ast.unparse(node) in blocks
        )

    def returned(self, call: ast.Call) -> bool:
        """Whether all that an import returns are tensors."""
        given = next((k.value for k in call.keywords if k.arg == "return_elements"), None)
        given = call.args[2] if len(call.args) > 2 else given
        return isinstance(given, (ast.List, ast.Tuple)) and all(
            isinstance(e, ast.Constant) and ":" in str(e.value) for e in given.elts
        )

    # -- where a function is made ----------------------------------------------------------

    def block(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that one stands among."""
        above = self.graphs.parent[stmt]
        for name in STATEMENTS:
            body = getattr(above, name, None)
            if isinstance(body, list) and stmt in body:
                return body
        raise Kept

    def place(self, session: ast.stmt, name: str, call: ast.Call, exprs: list[ast.expr]) -> Place:
        """Where a run's function is made.

        Raises:
            Kept: what it is made of isn't there yet.
        """
        here, home = self.graphs.function_of(call), self.graphs.function_of(session)
        stmt = self.graphs.statement(call)
        if here is home:
            return self.near(session, stmt, exprs)
        moved: list[ast.stmt] = []
        for n in self.free(exprs, here):
            moved.extend(self.brought(n, here, stmt))
        moved = sorted(set(moved), key=lambda s: s.lineno)
        wanted = {
            ast.unparse(n)
            for expr in [*exprs, *moved]
            for n in walk(expr)
            if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
        }
        taken = {ast.unparse(t) for s in moved for t in s.targets}  # type: ignore[attr-defined]
        if taken & {n.id for n in all_of(home, ast.Name)} - self.only_in(here):
            raise Kept
        top = list(getattr(home, "body", []))
        if "." not in name and not isinstance(home, ast.Module):
            raise Kept
        for word in wanted - taken:
            self.constant(word, home)
        last = session
        for body in (self.block(session), top):
            for stmt in body:
                made = stmt.lineno > (last.end_lineno or last.lineno)
                if made and self.bound(stmt, home) & wanted:
                    last = stmt
        return Place(last, True, moved)

    def constant(self, name: str, home: ast.AST) -> None:
        """What functions are made of elsewhere is bound once, where the session is.

        Raises:
            Kept: it may mean something else by the time of a run.
        """
        scope = self.graphs.parent[home] if name.startswith("self.") else self.tree
        stores = [
            n
            for n in walk(scope)
            if (
                isinstance(n, (ast.Name, ast.Attribute))
                and not isinstance(n.ctx, ast.Load)
                and ast.unparse(n) == name
                and self.graphs.function_of(n) in (home, self.tree)
            )
            or (isinstance(n, ast.Attribute) and name == ast.unparse(n) and _stored(n))
            or (isinstance(n, ast.Global) and name in n.names)
        ]
        if len(stores) > 1 or any(self.graphs.function_of(n) is not home for n in stores):
            raise Kept

    def bound(self, stmt: ast.stmt, home: ast.AST) -> set[str]:
        """The names and attributes that a statement binds."""
        return {
            ast.unparse(n)
            for n in walk(stmt)
            if isinstance(n, (ast.Name, ast.Attribute))
            and isinstance(n.ctx, ast.Store)
            and self.graphs.function_of(n) is home
        }

    def only_in(self, function: ast.AST) -> set[str]:
        """Names that nothing outside of a function has."""
        inside = {id(n) for n in walk(function)}
        outside = {n.id for n in all_of(self.tree, ast.Name) if id(n) not in inside}
        return {n.id for n in all_of(function, ast.Name)} - outside

    def locals(self, function: ast.AST) -> set[str]:
        return {n.id for n in all_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}

    def free(self, exprs: list[ast.expr] | list[ast.stmt], scope: ast.AST) -> list[str]:
        """The names of a function that expressions read."""
        if isinstance(scope, ast.Module):
            return []
        own = self.locals(scope) | {n.arg for n in all_of(scope, ast.arg)}
        own -= {
            n.id
            for e in exprs
            for c in all_of(e, ast.comprehension)
            for n in all_of(c.target, ast.Name)
        }
        own -= {"self"}
        found = [
            n.id
            for e in exprs
            for n in all_of(e, ast.Name)
            if isinstance(n.ctx, ast.Load) and n.id in own
        ]
        return list(dict.fromkeys(found))

    def near(self, session: ast.stmt, stmt: ast.stmt, exprs: list[ast.expr]) -> Place:
        """Before the outermost loop between a session and its run, or right before the run."""
        region = session if isinstance(session, ast.With) else self.graphs.parent[session]
        anchor, node = stmt, self.graphs.parent[stmt]
        while node is not region and node in self.graphs.parent and not isinstance(node, FUNCTIONS):
            if isinstance(node, LOOPS):
                anchor = node
            node = self.graphs.parent[node]
        if anchor is stmt:
            return Place(stmt, False, [])
        bound = self.locals(anchor)
        moved: list[ast.stmt] = []
        for name in self.names(exprs):
            if name in bound:
                moved.extend(self.brought(name, anchor, stmt))
        return Place(anchor, False, sorted(set(moved), key=lambda s: s.lineno))

    def names(self, exprs: list[ast.expr]) -> list[str]:
        found = [n.id for e in exprs for n in all_of(e, ast.Name)]
        return list(dict.fromkeys(found))

    def brought(self, name: str, scope: ast.AST, run: ast.stmt) -> list[ast.stmt]:
        """The look-ups in a loop or a function that a name needs, to be done once.

        Raises:
            Kept: it is computed otherwise.
        """
        binds = [
            n for n in all_of(scope, ast.Name) if n.id == name and isinstance(n.ctx, ast.Store)
        ]
        stmts = {self.graphs.statement(n) for n in binds}
        made = [s for s in stmts if s is not run]
        if len(made) != 1 or not isinstance(made[0], ast.Assign) or len(made[0].targets) != 1:
            raise Kept
        value = made[0].value
        if not isinstance(made[0].targets[0], ast.Name) or not self.looked_up(value):
            raise Kept
        reads = [n for n in all_of(scope, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
        early = [n for n in reads if self.graphs.statement(n).lineno < run.lineno]
        if any(not self.looked_up_in(self.graphs.statement(n)) for n in early):
            raise Kept
        if len(stmts) == 1 and any(self.graphs.statement(n).lineno > run.lineno for n in reads):
            if isinstance(scope, FUNCTIONS):
                raise Kept
        own = self.locals(scope)
        inner = [n for n in self.names([value]) if n in own and n != name]
        return [*(s for n in inner for s in self.brought(n, scope, run)), made[0]]

    def looked_up_in(self, stmt: ast.stmt) -> bool:
        return isinstance(stmt, ast.Assign) and self.looked_up(stmt.value)

    def looked_up(self, node: ast.expr) -> bool:
        """Whether a value only looks something up in a graph."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(self.looked_up(e) for e in node.elts)
        if isinstance(node, ast.Subscript):
            return _attribute(node.value) == "outputs"
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return False
        return isinstance(node, ast.Call) and (
            _attribute(node.func) in ("get_tensor_by_name", "get_operation_by_name")
            or self.graphs.name(node.func) == DEFAULT
        )


def _stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _attribute(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""

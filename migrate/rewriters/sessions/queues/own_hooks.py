"""Hooks of a program's own: objects that the loop calls before and after its run.

What `before_run` asks for is fetched by the run, what `after_run` reads are those values. The class
keeps its name, its other methods and what it prints.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.module import Module
from migrate.rewriters.sessions.queues.rounds import Round

BASE = "tensorflow.train.SessionRunHook"
ARGS = "train.SessionRunArgs"
ORDER = ("begin", "before_run", "after_run", "end")
# What TF 1 gives each method besides the object.
GIVEN = {"begin": 0, "before_run": 1, "after_run": 2, "end": 1}


@dataclass(slots=True, eq=False, repr=False)
class Own:
    """A class of hooks."""

    node: ast.ClassDef
    methods: dict[str, ast.FunctionDef]
    asked: ast.expr | None = None  # what `before_run` asks for
    tensors: dict[str, str] = field(default_factory=dict)  # attributes of it, their parameters


class OwnHooks:
    """A module's own hooks."""

    def __init__(self, module: Module, free: Callable[[str], str]) -> None:
        self.module = module
        self.free = free
        self.classes: dict[str, Own] = {}
        self.written: set[str] = set()

    def of(self, node: ast.expr) -> Own | None:
        """The class of hooks that a call makes one of."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return None
        name = node.func.id
        if name not in self.classes:
            found = [n for n in all_of(self.module.tree, ast.ClassDef) if n.name == name]
            bases = [self.module.endpoints.get(id(b)) for n in found for b in n.bases]
            if len(found) != 1 or bases != [BASE]:
                return None
            self.classes[name] = self.read(found[0])
        return self.classes[name]

    def read(self, node: ast.ClassDef) -> Own:
        """A class of hooks.

        Raises:
            Blocked: it does more than look at values.
        """
        name = node.name
        uses = [n for n in all_of(self.module.tree, ast.Name) if n.id == name]
        if len(uses) != 1 or node.keywords or node.decorator_list:
            raise Blocked(node, f"the hook `{name}` is used in more than one place")
        methods = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
        own = Own(node, methods)
        if "after_create_session" in methods:
            raise Blocked(methods["after_create_session"], "a hook that uses the session")
        for method, count in GIVEN.items():
            if method in methods:
                self.arguments(methods[method], count)
        if "before_run" in methods:
            self.asks(own, methods["before_run"])
        return own

    def arguments(self, node: ast.FunctionDef, count: int) -> None:
        """What a method is given, and reads of it.

        Raises:
            Blocked: it reads what there will not be.
        """
        args = node.args
        if len(args.args) != count + 1 or args.vararg or args.kwarg or args.kwonlyargs:
            raise Blocked(node, f"`{node.name}` of a hook has other parameters")
        if node.decorator_list:
            raise Blocked(node, f"`{node.name}` of a hook has a decorator")
        given = {a.arg for a in args.args[1:]}
        allowed = {
            id(n.value)
            for n in all_of(node, ast.Attribute)
            if n.attr == "results" and node.name == "after_run"
        }
        for n in walk(node):
            if isinstance(n, ast.Name) and n.id in given and id(n) not in allowed:
                if not _dropped(node, n):
                    raise Blocked(n, "a hook that uses the session, or stops it")

    def asks(self, own: Own, node: ast.FunctionDef) -> None:
        """What `before_run` asks for.

        Raises:
            Blocked: that isn't seen.
        """
        returns = all_of(node, ast.Return)
        last = node.body[-1]
        for n in returns:
            if n.value is None or (isinstance(n.value, ast.Constant) and n.value.value is None):
                if n is last:
                    continue
            if n is not last or self.module.endpoint(n.value) != ARGS:
                raise Blocked(n, "a hook that doesn't always ask for the same")
            assert isinstance(n.value, ast.Call)
            given = self.module.bound(n.value)
            if set(given) - {"fetches"}:
                raise Blocked(n, "a hook that feeds")
            own.asked = given.get("fetches")
        this = node.args.args[0].arg
        for part in walk(own.asked) if own.asked is not None else ():
            if isinstance(part, ast.Attribute) and ast.unparse(part.value) == this:
                own.tensors[part.attr] = self.parameter(own, part)

    def parameter(self, own: Own, node: ast.Attribute) -> str:
        """The parameter that an attribute of `before_run` has its tensor from.

        Raises:
            Blocked: it is more than that.
        """
        init = own.methods.get("__init__")
        reads = [n for n in all_of(own.node, ast.Attribute) if n.attr == node.attr]
        for stmt in init.body if init is not None else ():
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and len(reads) == 2:
                if stmt.targets[0] in reads and isinstance(stmt.value, ast.Name):
                    assert init is not None
                    name = stmt.value.id
                    used = [n for n in all_of(init, ast.Name) if n.id == name]
                    if len(used) == 1 and name in [a.arg for a in init.args.args[1:]]:
                        return name
        raise Blocked(node, f"`{node.attr}` of a hook is more than a tensor that it is given")

    def made(self, name: ast.Name, before: Sequence[ast.stmt]) -> ast.Call | None:
        """The call that made the object of a name."""
        stmts = [
            s
            for s in before
            if isinstance(s, ast.Assign)
            and len(s.targets) == 1
            and isinstance(s.targets[0], ast.Name)
            and s.targets[0].id == name.id
        ]
        if len(stmts) == 1 and self.of(stmts[0].value) is not None:
            assert isinstance(stmts[0].value, ast.Call)
            return stmts[0].value
        return None

    # -- what is written --------------------------------------------------------------------

    def write(self, at: Round, node: ast.expr, before: Sequence[ast.stmt]) -> None:
        """Have a round call a hook."""
        call = self.made(node, before) if isinstance(node, ast.Name) else node
        assert isinstance(call, ast.Call)
        own = self.of(call)
        assert own is not None
        tensors = self.tensors(own, call)
        made = self.call(own, call, tensors)
        if isinstance(node, ast.Name):
            name = node.id
            if made is not None:
                self.module.replace(call, made)
        else:
            name = self.free(_snake(own.node.name))
            at.ahead.append(f"{name} = {made or self.module.source(call)}")
        values = (
            "None" if own.asked is None else at.value(_Filled(tensors).visit(deepcopy(own.asked)))
        )
        kept = self.kept(own)
        for method, lines in zip(ORDER, (at.ahead, at.befores, at.afters, at.ends), strict=True):
            if method in kept:
                lines.append(f"{name}.{method}({values if method == 'after_run' else ''})")
        if own.node.name not in self.written:
            self.written.add(own.node.name)
            self.rewrite(own)

    def tensors(self, own: Own, call: ast.Call) -> dict[str, ast.expr]:
        """What a hook is given for each attribute that `before_run` asks for."""
        init = own.methods.get("__init__")
        if init is None or not own.tensors:
            return {}
        names = [a.arg for a in init.args.args[1:]]
        if any(isinstance(a, ast.Starred) for a in call.args):
            raise Blocked(call, "a hook whose arguments are hidden")
        given = dict(zip(names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        missing = [p for p in own.tensors.values() if p not in given]
        if missing or init.args.vararg or init.args.kwarg:
            raise Blocked(call, "a hook whose arguments are hidden")
        return {attribute: given[p] for attribute, p in own.tensors.items()}

    def call(self, own: Own, call: ast.Call, tensors: dict[str, ast.expr]) -> str | None:
        """The call that makes a hook, without its tensors; None where it had none."""
        if not tensors:
            return None
        init, source = own.methods["__init__"], self.module.source
        names = [a.arg for a in init.args.args[1:]]
        gone = set(own.tensors.values())
        kept = [source(a) for n, a in zip(names, call.args, strict=False) if n not in gone]
        kept += [f"{k.arg}={source(k.value)}" for k in call.keywords if k.arg not in gone]
        return f"{source(call.func)}({', '.join(kept)})"

    def kept(self, own: Own) -> list[str]:
        """The methods that are called; one that only asked for values has nothing left to do."""
        asks_only = False
        if (asks := own.methods.get("before_run")) is not None:
            given = {a.arg for a in asks.args.args[1:]}
            idle = (isinstance(s, ast.Return) or _says(s) or _drops(s, given) for s in asks.body)
            asks_only = all(idle)
        return [m for m in ORDER if m in own.methods and not (m == "before_run" and asks_only)]

    def rewrite(self, own: Own) -> None:
        """A class without TF 1's base and without what TF 1 gave its methods."""
        module, text = self.module, self.module.text
        base = own.node.bases[0]
        start = text.text.rindex("(", 0, text.index.span(base)[0])
        end = text.text.index(")", text.index.span(base)[1]) + 1
        module.changes.append(Edit(start, end, ""))
        kept = self.kept(own)
        for name, method in own.methods.items():
            if name == "__init__" and own.tensors:
                self.initializer(own, method)
            elif name == "before_run" and name not in kept:
                self.without(own.node, method)
            elif GIVEN.get(name):
                given = method.args.args[1:]
                first, last = text.index.span(given[0])[0], text.index.span(given[-1])[1]
                new = "results" if name == "after_run" else ""
                lo = first if new else text.index.span(method.args.args[0])[1]
                module.changes.append(Edit(lo, last, new))
                for stmt in method.body:
                    if isinstance(stmt, ast.Return) and name == "before_run":
                        module.remove(stmt, stmt.lineno - 1)
                for node in walk(method):
                    if isinstance(node, ast.stmt) and _drops(node, {a.arg for a in given}):
                        module.remove(node, node.lineno - 1)
                    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                        if node.value.id == given[-1].arg and name == "after_run":
                            module.replace(node, "results")

    def initializer(self, own: Own, init: ast.FunctionDef) -> None:
        """`__init__` without the tensors."""
        module, gone = self.module, set(own.tensors.values())
        stmts = [
            s
            for s in init.body
            if isinstance(s, ast.Assign)
            and isinstance(s.targets[0], ast.Attribute)
            and s.targets[0].attr in own.tensors
        ]
        if all(s in stmts or _says(s) for s in init.body):
            self.without(own.node, init)
            return
        for stmt in stmts:
            module.remove(stmt, stmt.lineno - 1)
        args, defaults = init.args.args, init.args.defaults
        plain = len(args) - len(defaults)
        shown = [
            module.source(a) + (f"={module.source(defaults[i - plain])}" if i >= plain else "")
            for i, a in enumerate(args)
            if a.arg not in gone
        ]
        first = module.text.index.span(args[0])[0]
        last = module.text.index.span(defaults[-1] if defaults else args[-1])[1]
        module.changes.append(Edit(first, last, ", ".join(shown)))

    def without(self, node: ast.ClassDef, method: ast.FunctionDef) -> None:
        """A class without one of its methods."""
        place = node.body.index(method)
        floor = (node.body[place - 1].end_lineno or 0) if place else method.lineno - 1
        self.module.remove(method, floor)


class _Filled(ast.NodeTransformer):
    """Attributes of an object as what it was given for them."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self.given.get(node.attr, node)


def _snake(name: str) -> str:
    """A class's name as an object's."""
    found = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return found.strip("_").replace("__", "_") or "hook"


def _says(stmt: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _drops(stmt: ast.stmt, names: set[str]) -> bool:
    """`del run_context`, `_ = run_context`: statements that only say that a name isn't used."""
    if isinstance(stmt, ast.Delete):
        found = stmt.targets
    elif isinstance(stmt, ast.Assign) and ast.unparse(stmt.targets[0]) == "_":
        found = stmt.value.elts if isinstance(stmt.value, ast.Tuple) else [stmt.value]
    else:
        return False
    return all(isinstance(n, ast.Name) and n.id in names for n in found)


def _dropped(method: ast.FunctionDef, name: ast.Name) -> bool:
    """Whether a parameter is only named to say that it isn't used."""
    given = {a.arg for a in method.args.args[1:]}
    return any(
        isinstance(s, ast.stmt) and _drops(s, given) and name in set(walk(s)) for s in walk(method)
    )

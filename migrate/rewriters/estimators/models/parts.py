"""A function of a model_fn that makes layers: a `keras.layers.Layer` of its own.

What a call gives it of a run is `call`'s, what is known when the model is made is `__init__`'s.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.layering.layers import ARG_SCOPE
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators.heads_and_columns.columns import SHARED
from migrate.rewriters.estimators.models import auto_reuse, guard, helper_summaries, renamed, shaped
from migrate.rewriters.estimators.models.halves import Halves
from migrate.rewriters.estimators.models.modes import Tests
from migrate.rewriters.estimators.optimizing import averages
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.syntax import docstring, reads, simple, stores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from migrate.rewriters.estimators.models.layers import Layers

SWITCHES = frozenset({"training", "is_training", "train", "is_train", "istrain", "trainable"})
VERBS = ("build_", "create_", "make_", "get_", "add_", "_build_", "_")


class Part(Halves):
    """A function that becomes a layer."""

    def __init__(
        self,
        program: Program,
        function: ast.FunctionDef,
        kinds: Mapping[str, str],
        *,
        updates: bool,
    ) -> None:
        args = function.args
        if args.vararg or args.kwarg or args.kwonlyargs or function.decorator_list:
            raise Blocked(function, f"the arguments of `{function.name}`, which makes layers")
        self.kinds = dict(kinds)
        modes = [n for n, kind in kinds.items() if kind == "mode"]
        switches = frozenset(n for n, kind in kinds.items() if kind == "switch")
        flags: dict[str, ast.expr] = {}
        tests = Tests(modes[0] if modes else None, program.endpoint, flags, switches)
        super().__init__(program, function, tests, updates=updates)
        self.flagged(flags)
        self.reuse = frozenset(n for n, kind in kinds.items() if kind == "reuse")
        self.getters = frozenset(n for n, kind in kinds.items() if kind == "getter")
        self.own = {n for n, kind in kinds.items() if kind == "host"}
        self.tensors = {n for n, kind in kinds.items() if kind in ("tensor", "told")}
        self.name = program.free(function, *_class_names(function.name))
        self.summaries: dict[int, str] = {}  # what is written for them, by call

    def write(self) -> None:
        """Put the class where the function was.

        Raises:
            Blocked: a part of it can't be followed.
        """
        body = self._opened([s for s in self.function.body if not docstring(s)])
        self.classify(body)
        self.find(body)
        self.shaped = shaped.Shaped(self, body)
        self.late = set(self.shaped.late)
        self.dropped |= self.shaped.only()
        self.kept |= set(self.shaped.arguments())
        seen = set(self.known)
        for stmt in (s for b in body for s in simple(b)):
            if not isinstance(stmt, ast.Expr) or stores(stmt):
                continue
            if helper_summaries.is_one(self.program, stmt):
                seen.add(id(stmt.value))
            if helper_summaries.is_one(self.program, stmt) and self._summarizes(stmt):
                continue
            gone(self.program, stmt)
            self.dropped.add(id(stmt))
        for stmt in body:
            self._emptied(stmt)
        rest, size = body, -1
        while size != len(rest):  # what only such a statement reads isn't read, either
            size = len(rest)
            rest = [s for s in rest if self.applies(s, rest)]
        # What only makes something runs once.
        guard.check(self.program, [s for s in body if s in rest or not self._makes_only(s)], seen)
        line = self.text.lines[self.function.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        one, two = indent + self.text.unit, indent + 2 * self.text.unit
        applied = self.statements(rest, two)
        tensors = [n for n, kind in self.kinds.items() if kind == "tensor"]
        tensors += [n for n, kind in self.kinds.items() if kind == "told"]
        signature = ", ".join(["self", *(self._argument(n) for n in tensors), "training=False"])
        said = ast.get_docstring(self.function)
        out = f"class {self.name}({self.tf}.keras.layers.Layer):\n"
        if said:
            out += f'{one}"""{said.strip().splitlines()[0]}"""\n\n'
        wanted = self.init_names(self.function.body)
        made = self.build(body, wanted, two)
        own = [n for n in self.kinds if n in self.own and (n in self.kept or n in wanted)]
        self.arguments = own
        given = f", {SHARED}" if self.shares else ""
        given += "".join(f", {self._argument(n)}" for n in own)
        kept = "".join(f"{two}self.{n} = {n}\n" for n in own if n in self.kept)
        out += f"{one}def __init__(self{given}):\n{two}super().__init__()\n{kept}{made}\n"
        out += self.shaped.written(one, two)
        out += f"{one}def call({signature}):\n{applied}"
        self.program.edit(
            self.function,
            out.rstrip("\n").removeprefix(indent),
            f"`{self.function.name}` is a keras.layers.Layer",
        )

    def _opened(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements, those of a scope one by one where some are about the mode, or open files.

        So are those of an arg_scope, whose arguments the layers have.
        """
        found: list[ast.stmt] = []
        for stmt in body:
            opened = isinstance(stmt, ast.With) and self.flat(stmt)
            inner = stmt.body if isinstance(stmt, ast.With) and opened else []
            told = self.tests.flags.keys() & stores(stmt)
            items = stmt.items if isinstance(stmt, ast.With) else []
            gives = any(self.program.called(i.context_expr) == ARG_SCOPE for i in items)
            if inner and (told or gives or any(isinstance(s, ast.With) for s in inner)):
                found += self._opened(inner)
            else:
                found.append(stmt)
        return found

    def _emptied(self, stmt: ast.stmt) -> bool:
        """Whether nothing of a statement is written: a branch or a loop around what goes does, too.

        Raises:
            Blocked: only one branch of a test goes, or its test does something.
        """
        if not isinstance(stmt, (ast.If, ast.For, ast.While, ast.With)):
            return id(stmt) in self.dropped
        orelse = [] if isinstance(stmt, ast.With) else stmt.orelse
        gone, others = ([self._emptied(s) for s in part] for part in (stmt.body, orelse))
        if not all(gone) or not all(others):
            if all(gone) or (others and all(others)):
                raise Blocked(stmt, "a branch of which nothing is written")
            return False
        if isinstance(stmt, ast.With):
            goes = self.flat(stmt)
        else:
            head = stmt.iter if isinstance(stmt, ast.For) else stmt.test
            goes = not any(isinstance(n, ast.Call) for n in walk(head))
        if not goes or isinstance(stmt, ast.While):
            raise Blocked(stmt, "a block of which nothing is written")
        self.dropped.add(id(stmt))
        return True

    def _makes_only(self, stmt: ast.stmt) -> bool:
        """Whether a statement is Python's alone, for what `__init__` makes."""
        return isinstance(stmt, (ast.Assign, ast.With)) and self.is_host(stmt)

    def _summarizes(self, stmt: ast.Expr) -> bool:
        """Whether a summary is written."""
        above = helper_summaries.prefix(self.program, self.function)
        new = helper_summaries.written(self.program, self.function, stmt, above, self.source)
        if new is not None:
            self.summaries[id(stmt.value)] = new
        return new is not None

    def replaced(self, node: ast.AST) -> str | None:
        """What is written for an expression: a summary is a function's of the file."""
        return self.summaries.get(id(node)) or super().replaced(node)

    def applies(self, stmt: ast.stmt, body: list[ast.stmt]) -> bool:
        """Whether a statement is one of `call`: not if only what is made needs it."""
        if self.tests.flags.keys() & stores(stmt) or id(stmt) in self.dropped:
            return False
        if not self.is_host(stmt) or isinstance(stmt, (ast.Return, ast.If, ast.For)):
            return True
        read: set[str] = set()
        for other in body:
            if other is not stmt:
                read |= self._applied_reads(other)
        return bool(stores(stmt) & read)

    def _argument(self, name: str) -> str:
        args = self.function.args
        names = [a.arg for a in reversed(args.args)]
        defaults = dict(zip(names, reversed(args.defaults), strict=False))
        if name not in defaults:
            return name
        return f"{name}={self.text.source(defaults[name])}"


def gone(program: Program, stmt: ast.Expr) -> ast.Call | None:
    """Let a statement without a value go; the call of a summary is returned.

    Raises:
        Blocked: it did something.
    """
    call = stmt.value
    if stores(stmt):
        raise Blocked(stmt, "a statement that changes something while it only looks")
    endpoint = program.called(call)
    if endpoint.startswith("tensorflow.summary.") and isinstance(call, ast.Call):
        return call
    if endpoint.startswith(("tensorflow.logging.", "tensorflow.assert")) or (
        isinstance(call, ast.Call) and ast.unparse(call.func) == "print"
    ):
        program.say(stmt, "what looked at the graph while it was built is gone")
    elif not isinstance(call, ast.Constant) and endpoint != "tensorflow.identity":
        raise Blocked(stmt, "a statement of a model_fn that isn't followed")
    return None


def kinds(
    owner: Layers, function: ast.FunctionDef, call: ast.Call
) -> tuple[dict[str, str], dict[str, ast.expr]]:
    """What each parameter of a function is, as a call has it; and the arguments.

    Raises:
        Blocked: the arguments can't be told.
    """
    names = [a.arg for a in function.args.args]
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(names):
        raise Blocked(call, "arguments are hidden here")
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names:
            raise Blocked(call, "arguments are hidden here")
        given[str(keyword.arg)] = keyword.value
    found: dict[str, str] = {}
    for name in names:
        node = given.get(name)
        if name == "reuse":
            found[name] = "reuse"
        elif name == averages.takes(owner.program, function):
            found[name] = "getter"
        elif node is None:
            found[name] = "switch" if name in SWITCHES else "host"
        elif isinstance(node, ast.Name) and node.id == owner.tests.mode:
            found[name] = "mode"
        elif owner.tests.tells(node) and (name in SWITCHES or not isinstance(node, ast.Constant)):
            found[name] = "switch"
        elif owner.is_tensor(node):
            found[name] = "tensor"
        else:
            found[name] = "told" if _of_mode(owner, node) else "host"
    return found, given


def _of_mode(owner: Layers, node: ast.expr, depth: int = 0) -> bool:
    """Whether a value of Python's, such as a dropout's rate, is another one in each mode."""
    program = owner.program
    for inner in walk(node):
        if isinstance(inner, ast.IfExp) and owner.tests.tells(inner.test):
            return True
        if not isinstance(inner, ast.Name) or inner.id in owner.own or depth > 3:
            continue
        for binding in program.scopes.bindings(inner.id, inner):
            if binding.kind != "assign" or binding.value is None:
                continue
            if binding.scope is not owner.function:
                continue
            if _of_mode(owner, binding.value, depth + 1):
                return True
            above = program.scopes.around(binding.value)
            if any(isinstance(a, ast.If) and owner.tests.tells(a.test) for a in above):
                return True
    return False


def unread(owner: Layers, function: ast.FunctionDef, call: ast.Call) -> None:
    """See to it that a function isn't given labels that it doesn't read.

    Raises:
        Spelled: it is; nothing is what it may be given then.
    """
    _, given = kinds(owner, function, call)
    for name, node in given.items():
        if isinstance(node, ast.Name) and node.id in owner.labelled:
            if not owner.program.reads(name, function):
                raise Spelled(node, "labels that nothing reads", [(node, lambda _: "None")])


def part(owner: Layers, function: ast.FunctionDef, call: ast.Call) -> tuple[Part, str]:
    """The layer that a function becomes, and the source of the object that a call makes.

    Raises:
        Blocked: another call has other arguments.
    """
    program = owner.program
    told, given = kinds(owner, function, call)
    made = program.kept.get(("part", id(function)))
    if made is None:
        made = Part(program, function, told, updates=owner.updates)
        program.kept["part", id(function)] = made
        above = helper_summaries.prefix(program, owner.function)
        around = helper_summaries.scope(program, owner.function, call, above)
        if len(program.readers(function)) > 1:
            around = None  # each call has scopes of its own
        program.kept["prefix", id(function)] = around
        made.write()
        program.finish.append(lambda: _all_called(program, function))
    assert isinstance(made, Part)
    if made.kinds != told:
        raise Blocked(call, f"`{function.name}` is called with different kinds of arguments")
    seen = program.kept.setdefault(("part calls", id(function)), set())
    assert isinstance(seen, set)
    seen.add(id(call.func))
    values: list[str] = [SHARED] if made.shares else []
    first = len(values)
    order = [n for n in told if told[n] == "host"]
    for name in order:
        if name in given and name in made.arguments:
            source = " ".join(owner.text.source(given[name]).split())
            place = first + made.arguments.index(name)
            plain = len(values) == place and "=" not in "".join(values[-1:])
            values.append(source if plain else f"{name}={source}")
    name = renamed.spelled(program, call.func, function, made.name)
    return made, f"{name}({', '.join(values)})"


def _all_called(program: Program, function: ast.FunctionDef) -> None:
    seen = program.kept[("part calls", id(function))]
    assert isinstance(seen, set)
    for use in program.readers(function):
        if id(use) not in seen:
            raise Blocked(use, f"`{function.name}`, which makes layers, is used elsewhere, too")


def applied(owner: Layers, made: Part, name: str, call: ast.Call, first: Sequence[str] = ()) -> str:
    """The call of a layer that was a function; ``first``: what stands before its inputs."""
    told, given = kinds(owner, made.function, call)
    values = list(first)
    named = False
    for parameter, kind in told.items():
        if kind != "tensor":
            continue
        if parameter not in given:
            named = True
            continue
        source = owner.source(given[parameter])
        values.append(f"{parameter}={source}" if named else source)
    for parameter, kind in told.items():
        if kind == "told":
            values.append(f"{parameter}={owner.source(given[parameter])}")
        if kind == "mode":
            said = "training" if owner.mode is None else str(owner.mode == "train")
            values.append(f"training={said}")
        elif kind == "switch" and parameter in given:
            values.append(f"training={owner.source(given[parameter])}")
    return f"{name}({', '.join(values)})"


def same_host(owner: Layers, first: ast.Call, second: ast.Call, function: ast.FunctionDef) -> bool:
    """Whether two calls of a function make the same layers: one uses the other's again."""
    told, one = kinds(owner, function, first)
    _, two = kinds(owner, function, second)
    hosts = [n for n, kind in told.items() if kind == "host"]
    return all(
        (ast.dump(one[n]) if n in one else "") == (ast.dump(two[n]) if n in two else "")
        for n in hosts
    )


def reuses(owner: Layers, function: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a call says that variables are used again.

    Raises:
        Blocked: it isn't seen.
    """
    _, given = kinds(owner, function, call)
    default = auto_reuse.by_default(function, "reuse")
    node = given.get("reuse", default)
    if isinstance(default, ast.Constant) and not default.value:
        default = None
    unsaid = "reuse" not in given and default is None
    if node is None or unsaid or auto_reuse.scopes(owner.program, function):
        return auto_reuse.again(owner, function, call)
    if isinstance(node, ast.Constant):
        return bool(node.value)
    raise Blocked(node, "whether variables are used again isn't seen")


def _class_names(name: str) -> list[str]:
    plain = name.strip("_")
    for verb in VERBS:
        plain = plain.removeprefix(verb)
    words = [_camel(w) for w in dict.fromkeys((plain, name.strip("_"))) if w]
    return [w for w in words if w not in ("Model", "Layer")] or [f"{words[-1]}Layers"]


def _camel(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).split("_")
    if words[-1] in ("fn", "function", "func") and len(words) > 1:
        words = words[:-1]
    return "".join(w[:1].upper() + w[1:] for w in words)


__all__ = ["Part", "applied", "part", "reads", "reuses", "same_host"]

"""A recurrent cell of one's own, as a class that makes its variables once.

TF 1's cells ask for their variables at every step, ``tf.get_variable`` in ``__call__`` or ``call``,
or make them in ``build`` with ``self.add_variable``. Here all of that goes into
``build(self, depth, scope)``, into attributes, and ``call(self, inputs, state)`` reads these.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/nn/rnn_cell/RNNCell
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.recurrence.own_cells import METHODS, SCOPE, SIZES
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source, unit

GET = "tensorflow.get_variable"
SCOPES = "tensorflow.variable_scope"
KNOWN = frozenset({"name", "shape", "dtype", "initializer"})
ADDING = ("add_variable", "add_weight")
_DEPTH = r"(?:get_shape\(\)|shape)(?:\.with_rank\(2\))?(?:\.as_list\(\))?\[(?:-1|1)\](?:\.value)?"


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The class's methods, rewritten.

    Raises:
        Blocked: a part of it can't be told.
    """
    node = error.node
    assert isinstance(node, ast.ClassDef)
    return _Cell(source, node, walker).edits() if source.tf else None


@dataclass(slots=True, eq=False, repr=False)
class _Taken:
    """What stands in a method: the lines that stay, and what is made."""

    lines: list[str] = field(default_factory=list)
    # Of each variable its attribute, the call that makes it, and the comments above.
    made: list[tuple[str, str, ast.expr, list[str]]] = field(default_factory=list)
    hosts: dict[str, ast.Assign] = field(default_factory=dict)  # what Python computes first
    renamed: dict[str, str] = field(default_factory=dict)  # names that are attributes now


class _Cell:
    def __init__(self, source: Source, node: ast.ClassDef, walker: Walker) -> None:
        self.source, self.node, self.walker = source, node, walker
        self.nl = "\r\n" if "\r\n" in source.document.text else "\n"
        self.unit = unit(source)
        self.kept = {n.attr for n in all_of(node, ast.Attribute) if isinstance(n.value, ast.Name)}
        self.methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}

    def edits(self) -> list[Edit]:
        """The class's methods as edits."""
        for part in self.node.body:
            if not isinstance(part, (ast.FunctionDef, ast.Expr, ast.Pass)):
                raise self._no(part, "has more than methods")
        odd = set(self.methods) - {*METHODS, "__call__"}
        if odd:
            raise self._no(self.methods[odd.pop()], "has methods of its own")
        if "__init__" not in self.methods or not set(SIZES) <= set(self.methods):
            raise self._no(self.node, "takes a part from its base")
        for name in SIZES:
            decorators = [ast.unparse(d) for d in self.methods[name].decorator_list]
            if decorators != ["property"]:
                raise self._no(self.methods[name], f"has a `{name}` that isn't a property")
        if ("call" in self.methods) == ("__call__" in self.methods):
            raise self._no(self.node, "has no call, or two")
        own = "__call__" in self.methods
        call = self.methods["__call__" if own else "call"]
        if own and "build" in self.methods:
            raise self._no(call, "has `build` and `__call__`")
        args = [a.arg for a in call.args.args]
        if self._odd(call) or len(args) not in ((3, 4) if own else (3,)):
            raise self._no(call, "takes more than inputs and state")
        if "build" in self.methods:
            return [self._init(_snake(self.node.name)), *self._built(args[0])]
        return self._called(call, args, own)

    def _called(self, call: ast.FunctionDef, args: list[str], own: bool) -> list[Edit]:
        """Variables that are asked for where they are used."""
        taken = _Taken()
        body = call.body
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            taken.lines.extend(self._lines(first, 0))
            body = body[1:]
        name = _snake(self.node.name)
        if own:
            at = next((i for i, s in enumerate(body) if isinstance(s, ast.With)), len(body))
            above, body = body[:at], body[at:]
            if not body or len(body) > 2 or any(self._gets(n) for s in above for n in walk(s)):
                raise self._no(call, "makes its variables in no scope of its own")
            assert isinstance(body[0], ast.With)
            name = self._own_scope(body[0], args[3] if len(args) > 3 else "")
            self._block(above, "", 0, taken)
            self._block(body[0].body, "", 1, taken)
            body = body[1:]
            if body and not isinstance(body[0], ast.Return):
                raise self._no(body[0], "goes on behind its scope")
        self._block(body, "", 0, taken)
        if len(args) > 3 and any(re.search(rf"\b{args[3]}\b", line) for line in taken.lines):
            raise self._no(call, f"uses `{args[3]}`")
        header = self.source.lines[call.lineno - self.source.part.line - 1]
        indent = header[: len(header) - len(header.lstrip())]
        build = self._build(taken, args, indent)
        taken.lines = [self._shaped(t, args[1], f"{args[1]}.shape[-1]") for t in taken.lines]
        lines = [f"{indent}def call({', '.join(args[:3])}):{self.nl}", *taken.lines]
        start, end = self._whole(call)
        return [self._init(name), Edit(start, end, "".join([*build, *lines]))]

    def _own_scope(self, node: ast.With, scope: str) -> str:
        """The name of the scope that a cell opens where it is given none."""
        item = node.items[0]
        value = item.context_expr
        if len(node.items) > 1 or item.optional_vars is not None or not self._scopes(value):
            raise self._no(node, "makes its variables in no scope of its own")
        assert isinstance(value, ast.Call)
        if len(value.args) != 1 or value.keywords:
            raise self._no(value, "opens its scope with options")
        said: ast.expr = value.args[0]
        if isinstance(said, ast.BoolOp) and isinstance(said.op, ast.Or) and len(said.values) == 2:
            if ast.unparse(said.values[0]) != scope:
                raise self._no(value, "computes the name of its scope")
            said = said.values[1]
        if isinstance(said, ast.Constant) and str(said.value).isidentifier():
            return str(said.value)
        if ast.unparse(said) in ("type(self).__name__", "self.__class__.__name__"):
            return self.node.name
        raise self._no(value, "computes the name of its scope")

    def _block(self, body: list[ast.stmt], path: str, less: int, taken: _Taken) -> None:
        """Statements of a scope: what is made is taken out, the rest stays, further left."""
        for stmt in body:
            calls = [n for n in all_of(stmt, ast.Call) if self._gets(n)]
            if isinstance(stmt, ast.With) and (calls or self._scopes(stmt.items[0].context_expr)):
                value = stmt.items[0].context_expr
                inner = value.args[0] if isinstance(value, ast.Call) and value.args else None
                plain = isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                assert isinstance(value, ast.Call)
                if len(stmt.items) > 1 or stmt.items[0].optional_vars is not None or not plain:
                    raise self._no(stmt, "opens a scope that isn't seen")
                if not self._scopes(value) or value.keywords or len(value.args) > 1:
                    raise self._no(stmt, "opens a scope that isn't seen")
                assert isinstance(inner, ast.Constant)
                self._block(stmt.body, f"{path}{inner.value!s}/", less + 1, taken)
                continue
            if not calls:
                self._plain(stmt, less, taken)
                continue
            if not isinstance(stmt, (ast.Assign, ast.AugAssign, ast.Return)):
                raise self._no(stmt, "makes variables in a loop or a branch")
            whole = isinstance(stmt, ast.Assign) and calls == [stmt.value]
            if whole and isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
                target = stmt.targets[0].id
                if len(stmt.targets) > 1 or target in taken.renamed:
                    raise self._no(stmt, f"binds `{target}` twice")
                taken.renamed[target] = self._make(
                    target, calls[0], path, taken, self._comments(stmt)
                )
                continue
            spans = []
            for made in calls:
                label = self._label(made)
                attribute = self._make(label.rpartition("/")[2], made, path, taken)
                spans.append((*self.source.span(made), attribute))
            taken.lines.extend(self._lines(stmt, less, spans))

    def _make(
        self,
        wanted: str,
        made: ast.expr,
        path: str,
        taken: _Taken,
        comments: Sequence[str] = (),
    ) -> str:
        """Take one variable out; the attribute that it is now."""
        assert isinstance(made, ast.Call)
        label = self._label(made)
        known = {attribute for attribute, *_ in taken.made}
        if not wanted.isidentifier() or wanted in self.kept | known | set(METHODS):
            raise self._no(made, f"has two things called `{wanted}`")
        given = self.walker.bound(GET, made)
        for argument, value in given.items():
            if argument not in KNOWN and not _none(value):
                raise self._no(value, f"makes a variable with `{argument}`")
        name = next(n for n in walk(made) if n is given["name"])
        low, high = self.source.span(made)
        start, end = self.source.span(name)
        text = self.source.document.text
        quote = text[start]
        call = f"{text[low:start]}{quote}{path}{label}{quote}{text[end:high]}"
        taken.made.append((wanted, call, made, list(comments)))
        return f"self.{wanted}"

    def _label(self, made: ast.expr) -> str:
        assert isinstance(made, ast.Call)
        name = self.walker.bound(GET, made).get("name")
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            raise self._no(made, "computes the name of a variable")
        if "{" in name.value or self.source.of(name)[0] not in "'\"":
            raise self._no(made, "has a variable of an odd name")
        return name.value

    def _plain(self, stmt: ast.stmt, less: int, taken: _Taken) -> None:
        """A statement that makes nothing: it stays, and may be needed before."""
        stored = {n.id for n in all_of(stmt, ast.Name) if not _loads(n)}
        lost = stored & set(taken.renamed)
        if lost:
            raise self._no(stmt, f"binds `{lost.pop()}` twice")
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
            name = stmt.targets[0].id
            if len(stmt.targets) == 1 and name not in taken.hosts:
                taken.hosts[name] = stmt
        spans = [
            (*self.source.span(n), taken.renamed[n.id])
            for n in all_of(stmt, ast.Name)
            if n.id in taken.renamed
        ]
        taken.lines.extend(self._lines(stmt, less, spans))

    def _build(self, taken: _Taken, args: list[str], indent: str) -> list[str]:
        """The method that makes what was taken out."""
        inputs, deeper = args[1], indent + self.unit
        depth, hosts = "depth", self._needed(taken, args)
        lines = []
        for name, stmt in hosts.items():
            if self._depth(stmt.value, inputs):
                if depth != "depth":
                    raise self._no(stmt, "asks twice how wide its inputs are")
                depth = name
                if not self._read(taken.lines, name, stmt):
                    own = self.source.lines[stmt.lineno - self.source.part.line - 1].strip()
                    taken.lines[:] = [line for line in taken.lines if line.strip() != own]
                continue
            source = self._shaped(self.source.of(stmt), inputs, depth)
            lines.append(f"{deeper}{source}{self.nl}")
            if not self._read(taken.lines, name, stmt):
                own = self.source.of(stmt)
                taken.lines[:] = [line for line in taken.lines if line.strip() != own]
        for attribute, call, _, comments in taken.made:
            source = self._shaped(call, inputs, depth)
            if _names(source) & {*args[1:], *taken.renamed}:
                raise self._no(self.node, "shapes a variable by what only a run knows")
            lines.extend(f"{deeper}{line}{self.nl}" for line in comments)
            lines.append(f"{deeper}self.{attribute} = {source}{self.nl}")
        header = f"{indent}def build({args[0]}, {depth}, {SCOPE}):{self.nl}"
        if not lines:
            lines = [f"{deeper}pass{self.nl}"]
        return [header, *lines, self.nl]

    def _needed(self, taken: _Taken, args: list[str]) -> dict[str, ast.Assign]:
        """What Python computes for the variables, in order."""
        wanted: set[str] = set()
        stack: list[ast.AST] = [node for _, _, node, _ in taken.made]
        while stack:
            for n in walk(stack.pop()):
                if isinstance(n, ast.Name) and n.id in taken.hosts and n.id not in wanted:
                    wanted.add(n.id)
                    stack.append(taken.hosts[n.id].value)
        for name in wanted:
            value = taken.hosts[name].value
            loads = {n.id for n in all_of(value, ast.Name)}
            if loads & set(args[1:]) and not self._depth(value, args[1]):
                raise self._no(taken.hosts[name], "shapes a variable by what only a run knows")
        return {name: stmt for name, stmt in taken.hosts.items() if name in wanted}

    def _shaped(self, text: str, inputs: str, depth: str) -> str:
        """A text in which the width of the inputs has a name."""
        wide = rf"(?:int\({inputs}\.{_DEPTH}\)|\b{inputs}\.{_DEPTH})"
        return re.sub(wide, depth, text)

    @staticmethod
    def _depth(node: ast.expr, inputs: str) -> bool:
        """Whether an expression is how wide the inputs are."""
        wide = rf"{inputs}\.{_DEPTH}"
        return re.fullmatch(rf"int\({wide}\)|{wide}", ast.unparse(node)) is not None

    @staticmethod
    def _read(lines: list[str], name: str, stmt: ast.stmt) -> bool:
        """Whether what stays reads a name, too."""
        found = sum(len(re.findall(rf"\b{name}\b", line)) for line in lines)
        return found > sum(1 for n in all_of(stmt, ast.Name) if n.id == name)

    def _built(self, itself: str) -> list[Edit]:
        """A `build` as Keras' layers have it, with variables that are added."""
        build = self.methods["build"]
        args = [a.arg for a in build.args.args]
        if self._odd(build) or len(args) != 2:
            raise self._no(build, "has a `build` with more than a shape")
        shape, depth = args[1], "depth"
        header = self.source.lines[build.lineno - self.source.part.line - 1]
        indent = header[: len(header) - len(header.lstrip())]
        deeper = indent + self.unit
        lines: list[str] = []
        width = rf"\b{shape}(?:\.as_list\(\))?\[(?:-1|1)\](?:\.value)?"
        wide = re.compile(rf"int\({width}\)|{width}")
        for stmt in build.body:
            text = self.source.of(stmt)
            if isinstance(stmt, ast.If) and isinstance(stmt.body[0], ast.Raise) and not stmt.orelse:
                continue  # inputs of an open width: TF 2 says so itself
            if isinstance(stmt, ast.Expr):
                if isinstance(stmt.value, ast.Constant):
                    lines.append(f"{deeper}{text}{self.nl}")
                    continue
                if re.match(r"super\(.*?\)\.build\(", text):
                    continue
                raise self._no(stmt, "does more in `build` than make variables")
            if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
                raise self._no(stmt, "does more in `build` than make variables")
            target, value = stmt.targets[0], stmt.value
            if isinstance(target, ast.Name):
                if wide.fullmatch(self.source.of(value)) and depth == "depth":
                    depth = target.id
                else:
                    lines.append(f"{deeper}{wide.sub(depth, text)}{self.nl}")
                continue
            if ast.unparse(target) == f"{itself}.built":
                continue
            adds = isinstance(value, ast.Call) and ast.unparse(value.func) in [
                f"{itself}.{name}" for name in ADDING
            ]
            if not adds or not isinstance(target, ast.Attribute):
                raise self._no(stmt, "does more in `build` than make variables")
            assert isinstance(value, ast.Call)
            given = [k.arg for k in value.keywords]
            if len(value.args) > 2 or set(given) - KNOWN:
                raise self._no(value, "adds a variable with options")
            named = [k.value for k in value.keywords if k.arg == "name"] + list(value.args[:1])
            if not isinstance(named[0], ast.Constant):
                raise self._no(value, "computes the name of a variable")
            start = self.source.span(value.func)[1]
            rest = self.source.document.text[start : self.source.span(value)[1]]
            call = f"{self.source.tf}.get_variable{wide.sub(depth, rest)}"
            lines.append(f"{deeper}{self.source.of(target)} = {call}{self.nl}")
        if any(shape in _names(line) for line in lines):
            raise self._no(build, "shapes a variable by more than the width of its inputs")
        start, end = self._whole(build)
        head = f"{indent}def build({itself}, {depth}, {SCOPE}):{self.nl}"
        return [Edit(start, end, "".join([head, *lines]))]

    def _init(self, name: str) -> Edit:
        """`__init__`, in which the base is told the cell's name."""
        init = self.methods["__init__"]
        if self._odd(init, defaults=True):
            raise self._no(init, "takes all kinds of arguments")
        own = [
            s
            for s in init.body
            if isinstance(s, ast.Expr) and re.match(r"super\(.*?\)\.__init__\(", ast.unparse(s))
        ]
        said = f'super().__init__("{name}")'
        if len(own) > 1:
            raise self._no(init, "calls its base twice")
        for stmt in own:
            assert isinstance(stmt.value, ast.Call)
            told = stmt.value.keywords
            if stmt.value.args or not all(self._unsaid(k, init) for k in told):
                raise self._no(stmt, "tells its base its name, or more")
            return Edit(*self.source.span(stmt), said)
        place = 0
        while isinstance(init.body[place], ast.Expr) and isinstance(
            getattr(init.body[place], "value", None), ast.Constant
        ):
            place += 1
        first = init.body[place]
        start = self.source.span(first)[0]
        return Edit(start, start, f"{said}{self.nl}{self.source.indent(first)}")

    def _unsaid(self, keyword: ast.keyword, init: ast.FunctionDef) -> bool:
        """Whether the base is told no name and no `reuse`: by no call of the class, either."""
        value = keyword.value
        if keyword.arg not in ("_reuse", "reuse", "name"):
            return False
        if isinstance(value, ast.Constant):
            return not value.value
        names = [a.arg for a in init.args.args]
        if not isinstance(value, ast.Name) or value.id not in names:
            return False
        place = names.index(value.id)
        defaults = dict(zip(reversed(names), reversed(init.args.defaults), strict=False))
        default = defaults.get(value.id)
        if not isinstance(default, ast.Constant) or default.value:
            return False
        if sum(n.id == value.id for n in all_of(init, ast.Name)) > 1:
            return False
        used = 0
        for tree in self.walker.program():
            for call in all_of(tree, ast.Call):
                if ast.unparse(call.func).rpartition(".")[2] != self.node.name:
                    continue
                used += 1
                if len(call.args) >= place or any(k.arg in (value.id, None) for k in call.keywords):
                    return False
        named = [n for tree in self.walker.program() for n in all_of(tree, ast.Name)]
        supers = [c for c in all_of(self.node, ast.Call) if ast.unparse(c.func) == "super"]
        used += sum(n.id == self.node.name for c in supers for n in all_of(c, ast.Name))
        return sum(n.id == self.node.name for n in named) <= used

    def _lines(
        self, stmt: ast.stmt, less: int, spans: list[tuple[int, int, str]] | None = None
    ) -> list[str]:
        """A statement's lines with the comments above it, further left by some blocks."""
        above = self.source.part.line
        first, last = stmt.lineno - above, (stmt.end_lineno or stmt.lineno) - above
        if not self.source.alone(stmt):
            raise self._no(stmt, "has two statements in a line")
        first -= len(self._comments(stmt))
        offset = self.source.document.index.offset(first, 0)
        text = "".join(self.source.lines[first - 1 : last])
        for low, high, new in sorted(spans or [], reverse=True):
            text = text[: low - offset] + new + text[high - offset :]
        out = []
        for line in text.splitlines(keepends=True):
            for _ in range(less):
                line = line.removeprefix(self.unit)
            out.append(line)
        return out

    def _comments(self, stmt: ast.stmt) -> list[str]:
        """The comments above a statement."""
        last = first = stmt.lineno - self.source.part.line
        while first > 1 and self.source.lines[first - 2].lstrip().startswith("#"):
            first -= 1
        return [line.strip() for line in self.source.lines[first - 1 : last - 1]]

    def _whole(self, member: ast.FunctionDef) -> tuple[int, int]:
        """The lines of a method."""
        index, above = self.source.document.index, self.source.part.line
        start = index.offset(member.lineno - above, 0)
        last = (member.end_lineno or member.lineno) - above
        return start, start + sum(map(len, self.source.lines[member.lineno - above - 1 : last]))

    def _gets(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.walker.endpoints.get(id(node.func)) == GET

    def _scopes(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.walker.endpoints.get(id(node.func)) == SCOPES

    @staticmethod
    def _odd(member: ast.FunctionDef, defaults: bool = False) -> bool:
        args = member.args
        given = [d for d in args.defaults if not _none(d)]
        return bool(
            args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs
            or member.decorator_list or (given and not defaults)
        )  # fmt: skip

    def _no(self, node: ast.AST, what: str) -> Blocked:
        return Blocked(node, f"the cell `{self.node.name}` {what}")


def _names(source: str) -> set[str]:
    """The names that a statement or an expression reads or binds."""
    tree = ast.parse(source.strip())
    return {n.id for n in all_of(tree, ast.Name)}


def _snake(name: str) -> str:
    """What a layer of a class is called, as TF 1.15 computes it."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return f"private{name}" if name.startswith("_") else name


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)

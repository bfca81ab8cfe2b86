"""Functions that stand inside of others, or in a class, written beside them before all is followed.

    def model_fn(features, …, params):          def head(net, params):
        def head(net):                              return tf.layers.dense(net, params['n'])
            return tf.layers.dense(
                net, params['n'])               def model_fn(features, …, params):
        logits = head(features['x'])                logits = head(features['x'], params=params)

    class Net:                                  def model_fn(features, labels, mode, units): …
        def model_fn(self, features, …):
            … self.units …                      class Net: …
        … Estimator(self.model_fn)                  … Estimator(functools.partial(
                                                        model_fn, units=self.units))

What they read of what is around them they are given.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.syntax import root, stores

CALL = "__call__"


class Lifted(Blocked):
    """A program that may be followed once a function of it stands elsewhere."""

    def __init__(self, node: ast.AST, reason: str, edits: Iterable[Edit]) -> None:
        super().__init__(node, reason)
        self.edits = sorted(edits, key=lambda e: (e.start, e.end))
        self.more: dict[str, list[Edit]] = {}  # those of other files


def inner(program: Program, function: ast.FunctionDef, reason: str) -> None:
    """Look at a function inside of another one, which makes layers.

    Raises:
        Lifted: it may stand before the other one.
    """
    owner = program.scopes.scope(function)
    if not isinstance(owner, ast.FunctionDef) or not plain(function):
        return
    if len(program.scopes.bound(owner)[function.name]) > 1:
        return
    calls = _calls(program, function, owner)
    if calls is None:
        return
    given: dict[str, None] = {}
    for node in all_of(function, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            continue
        found = program.scopes.bindings(node.id, node)
        if found and found[0].scope is owner:
            for other in (b.node for b in found if b.kind == "def"):
                if other is not function and isinstance(other, ast.FunctionDef):
                    inner(program, other, reason)
                return
            given[node.id] = None
    above = program.scopes.scope(owner)
    name = function.name
    if name in program.scopes.bound(above) or hasattr(builtins, name):
        name = program.free(owner, f"{owner.name}_{name}")
    edits = [Edit(*program.text.index.span(c.func), name) for c in calls if name != function.name]
    edits += [_keywords(program, c, given) for c in calls if given]
    edits += moved(program, function, owner, name, given, ())
    raise Lifted(function, reason, edits)


def method(program: Program, node: ast.expr) -> None:
    """Look at what an Estimator is given as its model_fn: a method of the object that makes it.

    Raises:
        Lifted: it may stand before the class.
    """
    _named_object(program, node)
    found = held(program, node)
    if found is None:
        return
    cls, function = found
    own = _Methods(program, cls)
    if not own.add(function):
        return
    own.name()
    edits: list[Edit] = []
    uses: list[ast.expr] = [*own.uses(function.name)]
    if function.name == CALL:
        uses = [node] if not uses else []
    for use in uses:
        call = program.scopes.parents[id(use)]
        call = program.scopes.parents[id(call)] if isinstance(call, ast.keyword) else call
        if not program.called(call).endswith(".Estimator") or not own.ready(use):
            return
        said = ast.unparse(use.value if isinstance(use, ast.Attribute) else use)
        bound = "".join(f", {own.said[n]}={said}.{n}" for n in own.given(function))
        name = _reached(program, cls, use, own.names[function], edits)
        if name is None:
            return
        new = f"functools.partial({name}{bound})" if bound else name
        edits.append(Edit(*program.text.index.span(use), new))
    for each in own.lifted:
        if any(not own.inside(use) for use in own.uses(each.name) if each is not function):
            return
        given = [own.said[n] for n in own.given(each)]
        edits += moved(program, each, cls, own.names[each], given, own.replaced(each), own.lifted)
    pages = {id(program.page(use)): use for use in uses} if own.given(function) else {}
    for use in pages.values():
        edits += imported(program, use)
    raise Lifted(node, "the model_fn isn't seen", edits)


def _reached(
    program: Program, cls: ast.ClassDef, use: ast.expr, name: str, edits: list[Edit]
) -> str | None:
    """What a function beside a class is called where an object of this is used."""
    page = program.page(use)
    if page is program.page(cls):
        return name
    kept = program.attribute(use.value) if isinstance(use, ast.Attribute) else None
    made = kept.value if kept is not None else program.scopes.value(getattr(use, "value", use))
    func = made.func if isinstance(made, ast.Call) else None
    if isinstance(func, ast.Attribute):
        return f"{ast.unparse(func.value)}.{name}"
    there = program.scopes.bound(page.part.document.tree)[getattr(func, "id", "")]
    stmt = there[0].node if len(there) == 1 else None
    if not isinstance(stmt, ast.ImportFrom) or name in page.bound:
        return None
    end = program.text.index.span(stmt.names[-1])[1]
    edit = Edit(end, end, f", {name}")
    if edit not in edits:
        edits.append(edit)
    return name


def held(program: Program, node: ast.expr) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    """The class and the method that an object's attribute, or the object, is as a model_fn."""
    return _method(program, node) or _called(program, node)


def _named_object(program: Program, node: ast.expr) -> None:
    """Give an object whose method an Estimator is given a name: `Net(3).model_fn`.

    Raises:
        Lifted: it has none.
    """
    made = node.value if isinstance(node, ast.Attribute) else None
    found = program.scopes.lookup(made.func) if isinstance(made, ast.Call) else None
    if found is None or found.kind != "class":
        return
    assert made is not None
    stmt = program.scopes.statement(made)
    call = program.scopes.parents[id(node)]
    call = program.scopes.parents[id(call)] if isinstance(call, ast.keyword) else call
    simple = isinstance(stmt, (ast.Assign, ast.Return, ast.Expr)) and stmt.value is call
    piece = program.text.piece(stmt)
    if not simple or piece.first != stmt.lineno:
        return
    # What the call is given before is computed after the object then.
    given = [*call.args, *(k.value for k in call.keywords)]  # type: ignore[attr-defined]
    before = [n for a in given if a.lineno <= node.lineno and a is not node for n in walk(a)]
    if any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in before):
        return
    name = program.free(stmt, "net")
    lo, hi = program.text.index.span(made)
    at = program.text.start(piece.first)
    text = program.text.text[lo:hi]
    edits = [
        Edit(at, at, f"{piece.indent}{name} = {text}{program.text.newline}"),
        Edit(lo, hi, name),
    ]
    raise Lifted(node, "the model_fn isn't seen", edits)


def _called(program: Program, node: ast.expr) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    """The class whose object is a model_fn by itself, and what it does when it is called."""
    made = program.scopes.value(node)
    found = program.scopes.lookup(made.func) if isinstance(made, ast.Call) else None
    cls = found.node if found is not None and isinstance(node, ast.Name) else None
    if not isinstance(cls, ast.ClassDef) or program.page(cls) is not program.page(node):
        return None
    own = [s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == CALL]
    return (cls, own[0]) if len(own) == 1 and not cls.decorator_list else None


def _method(program: Program, node: ast.expr) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    """The class and the method that ``self.method``, or an object's, is where it stands."""
    if not isinstance(node, ast.Attribute):
        return None
    kept = program.attribute(node.value)  # `self.model`, an object of another class
    if kept is None and not isinstance(node.value, ast.Name):
        return None
    value = program.scopes.value(node.value) if kept is None else kept.value
    if isinstance(value, ast.Call):
        named = program.scopes.lookup(value.func)
        owner = named.node if named is not None and named.kind == "class" else None
        if isinstance(owner, ast.ClassDef):
            own = [s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == node.attr]
            return (owner, own[0]) if len(own) == 1 and not owner.decorator_list else None
    if kept is not None:
        return None
    around = [a for a in program.scopes.around(node) if isinstance(a, ast.FunctionDef)]
    cls = program.scopes.parents[id(around[0])] if len(around) == 1 else None
    if not isinstance(cls, ast.ClassDef) or not around[0].args.args:
        return None
    if around[0].args.args[0].arg != root(node.value) or around[0].decorator_list:
        return None
    made = [s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == node.attr]
    return (cls, made[0]) if len(made) == 1 else None


class _Methods:
    """The methods of a class that may stand before it, and what they read of its objects."""

    def __init__(self, program: Program, cls: ast.ClassDef) -> None:
        self.program = program
        self.cls = cls
        self.lifted: list[ast.FunctionDef] = []
        self.read: dict[ast.FunctionDef, list[str]] = {}  # attributes, by method
        self.called: dict[ast.FunctionDef, list[ast.FunctionDef]] = {}
        self.names: dict[ast.FunctionDef, str] = {}
        self.said: dict[str, str] = {}  # what attributes are called as arguments

    def given(self, function: ast.FunctionDef) -> list[str]:
        """The attributes that a method reads, or one that it calls, in their order."""
        seen, todo = [function], [function]
        while todo:
            for other in self.called[todo.pop()]:
                if not any(other is f for f in seen):
                    seen.append(other)
                    todo.append(other)
        return list(dict.fromkeys(n for f in seen for n in self.read[f]))

    def name(self) -> None:
        """Give each a name that nothing else has where it then is called."""
        scopes = self.program.scopes
        bound = {n for f in self.lifted for n in scopes.bound(f)}
        for read in dict.fromkeys(n for f in self.lifted for n in self.read[f]):
            free = read not in bound
            self.said[read] = read if free else self.program.free(self.cls, f"net_{read}")
        taken = scopes.bound(scopes.scope(self.cls)).keys() | vars(builtins).keys()
        taken = taken.union(*self.read.values(), *(scopes.bound(f) for f in self.lifted))
        for each in self.lifted:
            wish = f"{self.cls.name.lower()}_{each.name.strip('_')}"
            free = each.name not in taken and each.name != CALL
            self.names[each] = each.name if free else self.program.free(self.cls, wish)

    def add(self, function: ast.FunctionDef) -> bool:
        """Take a method, with those that it calls; whether all of it can be written so."""
        if any(function is f for f in self.lifted):
            return True
        if not plain(function) or not function.args.args or function.args.defaults:
            return False
        if self._others(function.name):
            return False
        own = function.args.args[0].arg
        bound = self.program.scopes.bound(function)
        if len(bound[own]) > 1:
            return False
        self.lifted.append(function)
        read = self.read[function] = []
        calls = self.called[function] = []
        names = [n for n in all_of(function, ast.Name) if n.id == own]
        for node in sorted(names, key=lambda n: (n.lineno, n.col_offset)):
            use = self.program.scopes.parents[id(node)]
            if not isinstance(use, ast.Attribute) or not isinstance(use.ctx, ast.Load):
                return False
            above = self.program.scopes.parents[id(use)]
            called = self._named(use.attr)
            if called is None:
                if not self._constant(use.attr):
                    return False
                read.append(use.attr)
            elif isinstance(above, ast.Call) and above.func is use and self.add(called):
                calls.append(called)
            else:
                return False
        return True

    def _named(self, name: str) -> ast.FunctionDef | None:
        made = [s for s in self.cls.body if isinstance(s, ast.FunctionDef) and s.name == name]
        return made[0] if made else None

    def _others(self, name: str) -> bool:
        """Whether another class may have its own method of a name, or inherit this one.

        Classes above which there is none may, where each use of the name is seen to be one's.
        """
        classes = [n for n in self.program.scopes.walk() if isinstance(n, ast.ClassDef)]
        if any(ast.unparse(b).endswith(self.cls.name) for c in classes for b in c.bases):
            return True
        alike = [c for c in classes if any(getattr(s, "name", "") == name for s in c.body)]
        if len(alike) < 2:
            return any(c is not self.cls for c in alike)
        bases = [b for c in alike for b in c.bases]
        if any(ast.unparse(b) != "object" for b in bases):
            return True
        return any(self.owner(use) is None for use in self._every(name))

    def owner(self, use: ast.Attribute) -> ast.ClassDef | None:
        """The class of the object whose method is read, if it is seen."""
        scopes = self.program.scopes
        kept = self.program.attribute(use.value)
        value = scopes.value(use.value) if kept is None else kept.value
        if isinstance(value, ast.Call):
            found = scopes.lookup(value.func)
            cls = found.node if found is not None and found.kind == "class" else None
            return cls if isinstance(cls, ast.ClassDef) else None
        around = [a for a in scopes.around(use) if isinstance(a, ast.FunctionDef)]
        above = [scopes.parents[id(f)] for f in around]
        for function, cls in zip(around, above, strict=True):
            if isinstance(cls, ast.ClassDef) and function.args.args and not function.decorator_list:
                own = getattr(use.value, "id", "") == function.args.args[0].arg
                return cls if own else None
        return None

    def _constant(self, name: str) -> bool:
        """Whether an attribute of the objects is given its one value in `__init__`."""
        changed = [
            n
            for n in self.program.scopes.walk()
            if isinstance(n, ast.Attribute) and n.attr == name
            if not isinstance(n.ctx, ast.Load) and self.owner(n) in (None, self.cls)
        ]
        start = self._named("__init__")
        return (
            start is not None
            and len(changed) == 1
            and any(s is self.program.scopes.statement(changed[0]) for s in start.body)
            and root(changed[0]) == start.args.args[0].arg
        )

    def ready(self, use: ast.expr) -> bool:
        """Whether the attributes have their values where an Estimator is made."""
        start = self._named("__init__")
        if start is None or not any(use is n for n in walk(start)):
            return True
        before = {
            n.attr
            for s in start.body
            if s.lineno < self.program.scopes.statement(use).lineno
            for n in all_of(s, ast.Attribute)
            if not isinstance(n.ctx, ast.Load)
        }
        return before.issuperset(n for f in self.lifted for n in self.read[f])

    def uses(self, name: str) -> list[ast.Attribute]:
        """Where the program reads a method of this class, or what may be one."""
        return [n for n in self._every(name) if self.owner(n) in (None, self.cls)]

    def _every(self, name: str) -> list[ast.Attribute]:
        nodes = self.program.scopes.walk()
        return [n for n in nodes if isinstance(n, ast.Attribute) and n.attr == name]

    def inside(self, use: ast.Attribute) -> bool:
        """Whether a use stands in a method that is written elsewhere."""
        return any(use is n for f in self.lifted for n in walk(f))

    def replaced(self, function: ast.FunctionDef) -> list[Edit]:
        """What is written for `self` in a method."""
        index = self.program.text.index
        first, *rest = function.args.args
        start, end = index.span(first)
        found = [Edit(start, index.span(rest[0])[0] if rest else end, "")]
        for node in all_of(function, ast.Name):
            if node.id != first.arg:
                continue
            use = self.program.scopes.parents[id(node)]
            assert isinstance(use, ast.Attribute)
            above, called = self.program.scopes.parents[id(use)], self._named(use.attr)
            new = self.said[use.attr] if called is None else self.names[called]
            found.append(Edit(*index.span(use), new))
            if called is not None and (given := self.given(called)):
                assert isinstance(above, ast.Call)
                found.append(_keywords(self.program, above, [self.said[n] for n in given]))
        return found


def plain(function: ast.FunctionDef, decorators: Iterable[str] = ()) -> bool:
    """Whether a function's arguments and statements let it stand elsewhere."""
    args = function.args
    odd = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
    return not (
        args.vararg
        or args.kwarg
        or args.kwonlyargs
        or args.posonlyargs
        or any(ast.unparse(d) not in decorators for d in function.decorator_list)
        or any(isinstance(n, odd) for n in walk(function))
        or any(
            ast.unparse(n.func) in ("super", "locals", "vars") for n in all_of(function, ast.Call)
        )
    )


def _calls(
    program: Program, function: ast.FunctionDef, owner: ast.FunctionDef
) -> list[ast.Call] | None:
    """The calls of an inner function; None where it is used otherwise, or calls itself."""
    found = []
    for use in program.reads(function.name, owner):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return None
        if any(use is n for n in walk(function)):
            return None
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        if hidden or any(k.arg is None for k in call.keywords):
            return None
        found.append(call)
    return found


def _keywords(program: Program, call: ast.Call, given: Iterable[str]) -> Edit:
    """What a call is given besides."""
    end = program.text.index.span(call)[1] - 1
    before = program.text.text[:end].rstrip()
    words = ", ".join(f"{n}={n}" for n in given)
    comma = "" if before.endswith(("(", ",")) else ", "
    return Edit(end, end, f"{comma}{words}" if not before.endswith(",") else f" {words}")


def _end(owner: ast.FunctionDef | ast.ClassDef, gone: set[int]) -> list[ast.stmt]:
    """What goes at a class's end, which then ends before: none where nothing stays."""
    if not isinstance(owner, ast.ClassDef) or all(id(s) in gone for s in owner.body):
        return []
    at = next(i for i, s in enumerate(reversed(owner.body)) if id(s) not in gone)
    return owner.body[len(owner.body) - at :]


def moved(
    program: Program,
    function: ast.FunctionDef,
    owner: ast.FunctionDef | ast.ClassDef,
    name: str,
    given: Iterable[str],
    replaced: Iterable[Edit],
    others: Iterable[ast.FunctionDef] = (),
) -> list[Edit]:
    """A function's text before what it stood in, and away from there; ``others`` go, too."""
    text = program.text
    piece, whole = text.piece(function), text.piece(owner)
    start, last = piece.first, piece.last
    end = _end(owner, {id(f) for f in (function, *others)})
    if end and function is end[0]:
        while not text.lines[start - 2].strip():
            start -= 1
    if not end or function is not end[-1]:
        while last < len(text.lines) and not text.lines[last].strip():
            last += 1
    args = function.args.args
    more = ", ".join(f"{n}=None" if function.args.defaults else n for n in given)
    here = [(e.start, e.end, e.new) for e in replaced]
    at = text.index.span(function)[0] + len("def ")
    here.append((at, at + len(function.name), name))
    if more:
        ends = [text.index.span(n)[1] for n in (*args, *function.args.defaults)]
        kept = [a for a in args if not any(lo <= text.index.span(a)[0] < hi for lo, hi, _ in here)]
        at = max(ends, default=text.text.index("(", at) + 1)
        here.append((at, at, f", {more}" if kept else more))
    out = text.render(piece.first, piece.last, piece.indent, whole.indent, here)
    blank = text.newline * (1 if whole.indent else 2)
    top = text.start(whole.first)
    return [
        Edit(top, top, out + blank),
        Edit(text.start(start), text.start(last + 1), ""),
    ]


def imported(program: Program, node: ast.AST) -> list[Edit]:
    """`import functools`, where the file hasn't got it."""
    tree = program.page(node).part.document.tree
    imports = [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
    imports = [s for s in imports if getattr(s, "module", "") != "__future__"]
    if any(a.name == "functools" and not a.asname for s in imports for a in s.names):
        return []
    if not imports or "functools" in {n for s in tree.body for n in stores(s)}:
        return []
    at = program.text.start(imports[0].lineno)
    return [Edit(at, at, f"import functools{program.text.newline}")]

"""A method as a model_fn that keeps what it computes in its object: these are names of it.

    def model_fn(self, features, labels, mode):     def model_fn(self, features, labels, mode):
        self.build(features)                            logits = tf.layers.dense(…)
        return tf.estimator.EstimatorSpec(              return tf.estimator.EstimatorSpec(
            mode, predictions=self.logits)                  mode, predictions=logits)

    def build(self, features):
        self.logits = tf.layers.dense(…)

TF 1 calls it once for each graph: what one leaves behind no other reads. The methods that it calls
for that stand where they were called; what they compute nobody else may ask for.
"""

from __future__ import annotations

import ast
import builtins

from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.lifting import Lifted, held, plain
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.syntax import docstring

REASON = "the model_fn isn't seen"


def local(program: Program, node: ast.expr) -> None:
    """Look at what an Estimator is given as its model_fn: a method that keeps what it computes.

    Raises:
        Lifted: what it keeps may be names.
    """
    found = held(program, node)
    if found is None:
        return
    cls, function = found
    made = _Kept(program, cls, function)
    if made.reach(function) and made.kept and made.alone() and made.named():
        raise Lifted(node, REASON, made.edits())


class _Kept:
    """A method, those that it calls, and the attributes that these set."""

    def __init__(self, program: Program, cls: ast.ClassDef, function: ast.FunctionDef) -> None:
        self.program, self.cls, self.function = program, cls, function
        own = [s for s in cls.body if isinstance(s, ast.FunctionDef)]
        self.methods = {f.name: f for f in own}
        self.reached: list[ast.FunctionDef] = []
        self.kept: set[str] = set()
        self.calls: dict[str, list[ast.Call]] = {}  # by the method's name
        self.said: dict[str, str] = {}  # what attributes are called
        self.same: set[int] = set()  # statements that only give an argument another name
        self.moved: list[ast.FunctionDef] = []  # those that stand where they are called
        self.first: list[ast.stmt] = []  # what `__init__` sets to `None` before

    # -- what there is -----------------------------------------------------------------------

    def reach(self, function: ast.FunctionDef) -> bool:
        """See to a method and those that it calls; whether all of them can be followed."""
        if any(function is f for f in self.reached):
            return True
        if not plain(function) or not function.args.args or function.args.defaults:
            return False
        self.reached.append(function)
        own = self._own(function)
        for node in all_of(function, ast.Name):
            if node.id != own:
                continue
            use = self.program.scopes.parents[id(node)]
            if not isinstance(use, ast.Attribute) or isinstance(use.ctx, ast.Del):
                return False
            if not isinstance(use.ctx, ast.Load):
                self.kept.add(use.attr)
            called = self.methods.get(use.attr)
            if called is None:
                continue
            above = self.program.scopes.parents[id(use)]
            if not isinstance(above, ast.Call) or above.func is not use or not self.reach(called):
                return False
            self.calls.setdefault(called.name, []).append(above)
        return True

    def alone(self) -> bool:
        """Whether nobody else sees what the methods keep, or calls them."""
        scopes = self.program.scopes
        if any(ast.unparse(b) != "object" for b in self.cls.bases) or self.cls.decorator_list:
            return False
        if self.kept & self.methods.keys() or len(self.methods) < len(self._defined()):
            return False
        every = list(scopes.walk())
        if any(getattr(n, "id", "") in ("getattr", "setattr", "vars", "hasattr") for n in every):
            return False
        inside = {id(n) for f in self.reached for n in walk(f)}
        for method in self.methods.values():
            if any(method is f for f in self.reached):
                continue
            for node in (n for n in all_of(method, ast.Name) if n.id == self._own(method)):
                use = scopes.parents[id(node)]
                if not isinstance(use, ast.Attribute):
                    return False
                called = use.attr in self.calls and use.attr != self.function.name
                if (use.attr in self.kept and not self._emptied(method, use)) or called:
                    return False
        held_by: list[ast.expr] = []
        for use in every:
            if isinstance(use, ast.alias) and use.name == self.cls.name and use.asname:
                return False
            if not isinstance(use, (ast.Name, ast.Attribute)) or id(use) in inside:
                continue
            if getattr(use, "id", getattr(use, "attr", "")) != self.cls.name:
                continue
            call = scopes.parents[id(use)]
            stmt = scopes.parents[id(call)]
            simple = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
            if not simple or not isinstance(call, ast.Call) or call.func is not use:
                return False
            assert isinstance(stmt, ast.Assign)
            held_by.append(stmt.targets[0])
        return all(self._asks_little(target, every) for target in held_by)

    def _defined(self) -> list[ast.stmt]:
        return [s for s in self.cls.body if isinstance(s, ast.FunctionDef)]

    def _asks_little(self, target: ast.expr, every: list[ast.AST]) -> bool:
        """Whether an object under a name, or in an attribute, is only asked for other things."""
        name = getattr(target, "id", getattr(target, "attr", ""))
        for node in every:
            if getattr(node, "id", getattr(node, "attr", "")) != name or node is target:
                continue
            if type(node) is not type(target):
                continue
            use = self.program.scopes.parents[id(node)]
            if not isinstance(getattr(node, "ctx", None), ast.Load):
                return False  # another object may have the name
            if not isinstance(use, ast.Attribute) or use.attr in self.kept:
                return False
            if use.attr in self.calls and use.attr != self.function.name:
                return False
        return bool(name)

    def _emptied(self, method: ast.FunctionDef, use: ast.Attribute) -> bool:
        """Whether `__init__` sets to `None` what the model_fn sets before it asks for it."""
        stmt = self.program.scopes.parents[id(use)]
        if method.name != "__init__" or not isinstance(stmt, ast.Assign) or stmt not in method.body:
            return False
        none = isinstance(stmt.value, ast.Constant) and stmt.value.value is None
        if not none or stmt.targets != [use]:
            return False
        for first in self.function.body:
            names = self._attributes(first)
            if isinstance(first, ast.Assign) and any(
                n.attr == use.attr and not isinstance(n.ctx, ast.Load) for n in names
            ):
                self.first.append(stmt)
                return all(not isinstance(n.ctx, ast.Load) for n in names if n.attr == use.attr)
            if any(n.attr == use.attr or n.attr in self.methods for n in names):
                return False
        return False

    def _attributes(self, node: ast.AST) -> list[ast.Attribute]:
        """The attributes of the object in the model_fn."""
        own = self._own(self.function)
        return [n for n in all_of(node, ast.Attribute) if getattr(n.value, "id", "") == own]

    def _own(self, function: ast.FunctionDef) -> str:
        return function.args.args[0].arg if function.args.args else ""

    # -- what it is called -------------------------------------------------------------------

    def named(self) -> bool:
        """Find names for all attributes; whether methods may stand where they are called."""
        self.moved = [f for f in self.reached if f is not self.function and self._moves(f)]
        if not all(self._fits(f) for f in self.moved):
            return False
        if not self._told_apart():
            return False
        bodies = [self.function, *self.moved]
        taken = {n.id for f in bodies for n in all_of(f, ast.Name)}
        taken |= {a.arg for f in bodies for a in f.args.args}
        for name in sorted(self.kept):
            alias = self._alias(name)
            free = name not in taken and not hasattr(builtins, name)
            self.said[name] = alias or (
                name if free else self.program.free(self.cls, f"own_{name.strip('_')}")
            )
        return True

    def _moves(self, function: ast.FunctionDef, seen: tuple[str, ...] = ()) -> bool:
        """Whether a method sets or reads what is kept, or calls one that does."""
        own = self._own(function)
        for node in all_of(function, ast.Attribute):
            if getattr(node.value, "id", "") != own:
                continue
            called = self.methods.get(node.attr)
            if node.attr in self.kept:
                return True
            if called is not None and node.attr not in seen:
                if self._moves(called, (*seen, function.name)):
                    return True
        return False

    def _fits(self, function: ast.FunctionDef) -> bool:
        """Whether a method may stand where it is called, once."""
        calls = self.calls.get(function.name, [])
        if len(calls) != 1:
            return False
        (call,) = calls
        stmt = self.program.scopes.parents[id(call)]
        args = function.args.args[1:]
        if (
            len(call.args) + len(call.keywords) != len(args)
            or self._arguments(function, call) is None
        ):
            return False
        returns = list(all_of(function, ast.Return))
        last = function.body[-1]
        if any(n is not last for n in returns):
            return False
        gives = isinstance(last, ast.Return) and last.value is not None
        if isinstance(last, ast.Return) and self._called(last, function) is not None:
            return False
        kinds = (ast.Assign, ast.Return) if gives else (ast.Expr,)
        if not isinstance(stmt, kinds) or stmt.value is not call:
            return False
        around = self.program.scopes.around(stmt)
        functions = [a for a in around if isinstance(a, (ast.FunctionDef, ast.Lambda))]
        if any(isinstance(a, (ast.For, ast.While, ast.Try)) for a in around):
            return False
        return len(functions) == 1 and any(functions[0] is f for f in self.reached)

    def _told_apart(self) -> bool:
        """Whether no two names of different methods are the same where they stand together."""
        meant: dict[str, object] = {}
        for function in (self.function, *self.moved):
            names = [n.id for n in all_of(function, ast.Name) if n.id != self._own(function)]
            names += [a.arg for a in function.args.args[1:]]
            for name in names:
                means, said = self._meant(function, name)
                if meant.setdefault(said, means) != means:
                    return False
        return True

    def _meant(self, function: ast.FunctionDef, name: str) -> tuple[object, str]:
        """Whose a name of a method is, and what it is called in the end."""
        given = self._instead(function, name)
        if isinstance(given, ast.Attribute):
            return given.attr, f"self.{given.attr}"
        if isinstance(given, ast.Name):
            return self._meant(self._around(given), given.id)
        own = name in self.program.scopes.bound(function)
        return (id(function) if own else None), name

    def _arguments(self, function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
        """What a call gives a method, by its arguments."""
        names = [a.arg for a in function.args.args[1:]]
        plain_words = all(k.arg in names for k in call.keywords)
        if any(isinstance(a, ast.Starred) for a in call.args) or not plain_words:
            return None
        found = dict(zip(names, call.args, strict=False))
        found |= {str(k.arg): k.value for k in call.keywords}
        return found if set(found) == set(names) else None

    def _instead(self, function: ast.FunctionDef, name: str) -> ast.expr | None:
        """The name, or what is kept, that an argument of a method is, if it stays that."""
        if function is self.function or not self.calls.get(function.name):
            return None
        given = (self._arguments(function, self.calls[function.name][0]) or {}).get(name)
        if given is None or len(self.program.scopes.bound(function)[name]) > 1:
            return None
        if isinstance(given, ast.Attribute) and given.attr in self.kept:
            own = getattr(given.value, "id", "") == self._own(self._around(given))
            return given if own and not self._sets(function, given.attr) else None
        if not isinstance(given, ast.Name):
            return None
        if name != given.id and given.id in {n.id for n in all_of(function, ast.Name)}:
            return None
        return given

    def _around(self, node: ast.expr) -> ast.FunctionDef:
        """The method that an expression stands in."""
        found = self.program.scopes.scope(node)
        return found if isinstance(found, ast.FunctionDef) else self.function

    def _sets(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether a method, or one that it calls, sets an attribute."""
        own = self._own(function)
        for node in all_of(function, ast.Attribute):
            if getattr(node.value, "id", "") != own:
                continue
            if node.attr == name and not isinstance(node.ctx, ast.Load):
                return True
            called = self.methods.get(node.attr)
            if called is not None and self._sets(called, name):
                return True
        return False

    def _outer(self, function: ast.FunctionDef, name: str) -> str | None:
        """The argument of the model_fn that a name of a method is, and stays."""
        if function is self.function:
            bound = self.program.scopes.bound(function)[name]
            return name if len(bound) == 1 and bound[0].kind == "param" else None
        given = self._instead(function, name)
        return self._outer(self._around(given), given.id) if isinstance(given, ast.Name) else None

    def _alias(self, name: str) -> str | None:
        """The argument that an attribute is another name of."""
        found = None
        for function in (self.function, *self.moved):
            for node in all_of(function, ast.Attribute):
                if node.attr != name or getattr(node.value, "id", "") != self._own(function):
                    continue
                if isinstance(node.ctx, ast.Load):
                    continue
                stmt = self.program.scopes.parents[id(node)]
                if found is not None or not isinstance(stmt, ast.Assign):
                    return None
                if stmt.targets != [node] or stmt not in function.body:
                    return None
                if not isinstance(stmt.value, ast.Name) or len(function.body) < 2:
                    return None
                found = stmt, self._outer(function, stmt.value.id)
        if found is None or found[1] is None:
            return None
        self.same.add(id(found[0]))
        return found[1]

    # -- what is written ---------------------------------------------------------------------

    def edits(self) -> list[Edit]:
        """The model_fn with names, and without the methods that stand in it now."""
        text = self.program.text
        found = [Edit(lo, hi, new) for lo, hi, new in self._replaced(self.function)]
        lines: set[int] = set()
        for each in self.moved:
            piece = text.piece(each)
            first, last = piece.first, piece.last
            while each is not self.cls.body[0] and not text.lines[first - 2].strip():
                first -= 1
            lines |= set(range(first, last + 1))
        found += [Edit(text.start(n), text.start(n + 1), "") for n in sorted(lines)]
        start = self.methods.get("__init__")
        if start is not None and self.first:
            gone = len(self.first) == len(start.body)
            for stmt in self.first:
                piece = text.piece(stmt)
                lo, hi = text.start(piece.first), text.start(piece.last + 1)
                word = f"{piece.indent}pass{text.newline}" if gone and stmt is self.first[0] else ""
                found.append(Edit(lo, hi, word))
        return found

    def _names(self, function: ast.FunctionDef) -> list[tuple[int, int, str]]:
        """What is written for the object's attributes and for arguments."""
        text, own = self.program.text, self._own(function)
        found = [
            (*text.index.span(node), self.said[node.attr])
            for node in all_of(function, ast.Attribute)
            if getattr(node.value, "id", "") == own and node.attr in self.kept
        ]
        for name in all_of(function, ast.Name):
            given = self._instead(function, name.id)
            said = self.said[given.attr] if isinstance(given, ast.Attribute) else ""
            said = given.id if isinstance(given, ast.Name) else said
            if said and said != name.id:
                found.append((*text.index.span(name), said))
        return found

    def _replaced(self, function: ast.FunctionDef) -> list[tuple[int, int, str]]:
        """What is written otherwise in a method: names, and methods where they are called."""
        text = self.program.text
        whole: list[tuple[int, int, str]] = []
        for stmt in (n for n in walk(function) if isinstance(n, ast.stmt)):
            if id(stmt) in self.same:
                piece = text.piece(stmt)
                whole.append((text.start(piece.first), text.start(piece.last + 1), ""))
            elif (called := self._called(stmt, function)) is not None:
                whole.append((*text.index.span(stmt), self._inlined(called, stmt, function)))
        inner = self._names(function)
        return whole + [n for n in inner if not any(w[0] <= n[0] and n[1] <= w[1] for w in whole)]

    def _called(self, stmt: ast.stmt, function: ast.FunctionDef) -> ast.FunctionDef | None:
        """The method that stands where a statement calls it."""
        value = getattr(stmt, "value", None)
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        called = self.methods.get(value.func.attr)
        own = getattr(value.func.value, "id", "") == self._own(function)
        return called if own and any(called is f for f in self.moved) else None

    def _inlined(self, called: ast.FunctionDef, stmt: ast.stmt, caller: ast.FunctionDef) -> str:
        """A method's statements where it is called, without the first indentation."""
        text = self.program.text
        piece = text.piece(stmt)
        body = [s for s in called.body if not docstring(s)]
        replaced = self._replaced(called)
        call = self.calls[called.name][0]
        out = ""
        for name, value in (self._arguments(called, call) or {}).items():
            if self._instead(called, name) is None:
                said = self._written(value, self._names(caller))
                if said != name:
                    out += f"{piece.indent}{name} = {said}{text.newline}"
        last = body[-1]
        inner = body[:-1] if isinstance(last, ast.Return) else body
        if inner:
            first, base = text.piece(inner[0]), text.piece(body[0]).indent
            end = text.piece(inner[-1]).last
            out += text.render(first.first, end, base, piece.indent, replaced)
        if isinstance(last, ast.Return) and last.value is not None:
            lo, hi = text.index.span(stmt)[0], text.index.span(call)[0]
            head = apply(text.text[lo:hi], _moved(self._names(caller), lo, hi))
            said = self._written(last.value, self._names(called))
            out += f"{piece.indent}{head}{said}{text.newline}"
        return out.removeprefix(piece.indent).rstrip("\r\n") or "pass"

    def _written(self, node: ast.expr, replaced: list[tuple[int, int, str]]) -> str:
        lo, hi = self.program.text.index.span(node)
        return apply(self.program.text.text[lo:hi], _moved(replaced, lo, hi))


def _moved(replaced: list[tuple[int, int, str]], lo: int, hi: int) -> list[Edit]:
    """The edits of a part of a text."""
    return [Edit(a - lo, b - lo, new) for a, b, new in replaced if lo <= a and b <= hi]

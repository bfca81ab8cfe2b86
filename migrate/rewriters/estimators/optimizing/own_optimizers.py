"""Optimizers that a program defines itself: `tf.train.Optimizer` with an `apply_gradients` by hand.

    def apply_gradients(self, grads_and_vars, …):    def build(self, variables): …
        assignments = []
        for grad, param in grads_and_vars:           def update_step(self, grad, param, …):
            m = tf.get_variable(                         m = self.adam_m[
                name=… + '/adam_m', …)                       self._get_variable_index(param)]
            …                                            …
            assignments.extend([param.assign(…)])        param.assign(…)
        return tf.group(*assignments)

https://keras.io/api/optimizers/
"""

from __future__ import annotations

import ast
import io
import tokenize
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import guard, tested
from migrate.rewriters.estimators.syntax import docstring, reads, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.optimizing.optimizers import Optimizers
    from migrate.rewriters.estimators.program import Program

BASE = "tensorflow.train.Optimizer"
GET = "tensorflow.get_variable"
# What Keras's optimizers have under these names.
TAKEN = frozenset(
    {
        *("variables", "iterations", "weight_decay", "clipnorm", "global_clipnorm", "clipvalue"),
        *("use_ema", "ema_momentum", "loss_scale_factor", "gradient_accumulation_steps", "built"),
        *("name", "build", "apply", "assign", "assign_add", "assign_sub", "update_step"),
    }
)


def of(program: Program, node: ast.AST) -> ast.ClassDef | None:
    """The class of the program that a call makes an optimizer of."""
    if not isinstance(node, ast.Call) or id(node.func) not in program.scopes.parents:
        return None  # what stands for `optimize_loss` stands nowhere
    found = program.scopes.lookup(node.func)
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    bases = [program.endpoint(b) for b in found.node.bases]
    return found.node if bases == [BASE] else None


def rate(program: Program, cls: ast.ClassDef, call: ast.Call) -> ast.expr:
    """The learning rate that an optimizer is made with.

    Raises:
        Blocked: it isn't seen.
    """
    start = _method(cls, "__init__")
    if any(isinstance(a, ast.Starred) for a in call.args) or None in {k.arg for k in call.keywords}:
        raise Blocked(call, "the arguments of an optimizer")
    for keyword in call.keywords:
        if keyword.arg == "learning_rate":
            return keyword.value
    names = [a.arg for a in start.args.args][1:] if start is not None else []
    if "learning_rate" not in names[: len(call.args)]:
        raise Blocked(call, "an optimizer without a learning rate")
    return call.args[names.index("learning_rate")]


def keras(owner: Optimizers, cls: ast.ClassDef, call: ast.Call, *, computed: bool) -> str:
    """The source of the Keras optimizer, whose class takes the place of the program's.

    Raises:
        Blocked: a part of the class can't be followed.
    """
    program = owner.program
    node = rate(program, cls, call)
    if ("own optimizer", id(cls)) not in program.kept:
        program.kept["own optimizer", id(cls)] = True
        program.finish.append(lambda: _all_called(program, cls))
        _Class(owner, cls).write()
    seen = program.kept.setdefault(("own optimizer calls", id(cls)), set())
    assert isinstance(seen, set)
    seen.add(id(call.func))
    text = program.text
    source: str = text.source(call)
    if computed:  # each step says it
        start, (lo, hi) = text.index.span(call)[0], text.index.span(node)
        source = source[: lo - start] + "0.0" + source[hi - start :]
    said = [t for t in _tokens(source) if t.type == tokenize.COMMENT]
    program.kept["said of the optimizer"] = [t.string for t in said]
    lines = source.splitlines()
    for token in reversed(said):  # one line has no place for them
        line, at = token.start
        lines[line - 1] = lines[line - 1][:at].rstrip()
    source = " ".join(line.strip() for line in lines if line.strip())
    return source.replace("( ", "(")


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(source).readline))


def _all_called(program: Program, cls: ast.ClassDef) -> None:
    seen = program.kept["own optimizer calls", id(cls)]
    assert isinstance(seen, set)
    scope = program.scopes.scope(cls)
    (own, *_) = program.scopes.bound(scope)[cls.name]
    for use in program.scopes.uses(own, cls.name):
        inside = any(use is n for n in walk(cls))
        if id(use) not in seen and not inside and not tested.trains(program, use):
            raise Blocked(use, f"`{cls.name}`, an optimizer, is used elsewhere, too")


def _method(cls: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == name), None)


class _Class:
    """An optimizer's class, as Keras has it."""

    def __init__(self, owner: Optimizers, cls: ast.ClassDef) -> None:
        self.owner = owner
        self.program = owner.program
        self.cls = cls
        self.slots: dict[str, str] = {}  # what a slot is called, by the name that holds it

    def write(self) -> None:
        program, cls = self.program, self.cls
        known = {"__init__", "apply_gradients"}
        for stmt in cls.body:
            if isinstance(stmt, ast.FunctionDef):
                static = stmt.name not in known and stmt.name not in TAKEN
                above = [ast.unparse(d) for d in stmt.decorator_list]
                if above and not (static and above == ["staticmethod"]):
                    raise Blocked(stmt, "a decorator in an optimizer")
                if stmt.name not in known:
                    if stmt.name in TAKEN or hasattr_of_base(stmt.name):
                        raise Blocked(stmt, f"`{stmt.name}` of an optimizer")
                    guard.check(program, stmt.body, self._own(stmt.body))
            elif not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)):
                raise Blocked(stmt, "what stands in an optimizer's class")
        start, update = _method(cls, "__init__"), _method(cls, "apply_gradients")
        if start is None or update is None or cls.keywords or cls.decorator_list:
            raise Blocked(cls, "an optimizer that is written in another way")
        self._start(start)
        self._update(update)
        program.edit(cls.bases[0], f"{program.tf}.keras.optimizers.Optimizer")
        program.say(cls, f"`{cls.name}` is a Keras optimizer")

    def _own(self, body: list[ast.stmt]) -> set[int]:
        """The calls of the class's own methods, and of the module `re`."""
        names = {s.name for s in self.cls.body if isinstance(s, ast.FunctionDef)}
        found = set()
        for node in (n for s in body for n in walk(s)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            on = node.func.value
            if isinstance(on, ast.Name) and (
                (on.id == "self" and node.func.attr in names) or on.id == "re"
            ):
                found.add(id(node))
            if node.func.attr == "group" and not self.program.called(node):
                found.add(id(node))
        return found

    def _start(self, function: ast.FunctionDef) -> None:
        """`__init__`: what it hands on, and what it keeps."""
        program, seen = self.program, False
        names = [a.arg for a in function.args.args]
        if names[:1] != ["self"] or "learning_rate" not in names:
            raise Blocked(function, "an optimizer without a learning rate")
        for stmt in function.body:
            value = getattr(stmt, "value", None)
            if isinstance(stmt, ast.Expr) and isinstance(value, ast.Constant):
                continue
            if isinstance(stmt, ast.Expr) and _is_super(value):
                assert isinstance(value, ast.Call)
                given = [*value.args, *(k.value for k in value.keywords)]
                if len(given) != 2:
                    raise Blocked(stmt, "what an optimizer hands on")
                name = program.source(given[1])
                program.edit(value, f"super().__init__(learning_rate, name={name})")
                seen = True
                continue
            to = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            if not isinstance(to, ast.Attribute) or not isinstance(value, (ast.Name, ast.Constant)):
                raise Blocked(stmt, "what an optimizer begins with")
            if ast.unparse(to.value) != "self" or to.attr in TAKEN or not seen:
                raise Blocked(stmt, f"`{ast.unparse(to)}` of an optimizer")
            if to.attr == "learning_rate":
                if ast.unparse(value) != "learning_rate":
                    raise Blocked(stmt, "the learning rate that an optimizer keeps")
                program.remove(stmt)
        if not seen:
            raise Blocked(function, "an optimizer that hands nothing on")

    def _update(self, function: ast.FunctionDef) -> None:
        """`apply_gradients`: its loop is `update_step`."""
        program, text = self.program, self.program.text
        body = [s for s in function.body if not docstring(s)]
        loop = body[1] if len(body) == 3 else None
        names = [a.arg for a in function.args.args]
        if not isinstance(loop, ast.For) or loop.orelse or names[:2] != ["self", "grads_and_vars"]:
            raise Blocked(function, "an optimizer that is written in another way")
        first, last = body[0], body[2]
        if not isinstance(first, ast.Assign) or ast.unparse(first.value) != "[]":
            raise Blocked(first, "an optimizer that is written in another way")
        gathered = ast.unparse(first.targets[0])
        ended = last.value if isinstance(last, ast.Return) else None
        if program.called(ended or last) != "tensorflow.group" or gathered not in reads(last):
            raise Blocked(last, "an optimizer that is written in another way")
        pair = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
        if ast.unparse(loop.iter) != names[1] or [type(e) for e in pair] != [ast.Name, ast.Name]:
            raise Blocked(loop, "an optimizer that is written in another way")
        grad, param = (ast.unparse(e) for e in pair)
        if len({"self", "learning_rate", grad, param}) < 4:
            raise Blocked(loop, "the names in an optimizer")
        rest = loop.body
        if isinstance(rest[0], ast.If) and _skips(rest[0], grad, param):
            rest = rest[1:]
        known = self._own(rest)
        out, indent = "", text.piece(function).indent + program.unit(self.cls)
        for stmt in rest:
            if gathered in reads(stmt) | stores(stmt):
                out += self._assigned(stmt, gathered, indent)
                known |= {id(n) for n in walk(stmt)}
                continue
            value = getattr(stmt, "value", None)
            if program.called(value or stmt) == GET:
                assert isinstance(value, ast.Call)
                out += self._slot(stmt, value, param, indent)
                known.add(id(value))
                known |= {id(n) for n in walk(value)}
                continue
            if {n for n in reads(stmt) if n in names[1:]}:
                raise Blocked(stmt, "what an optimizer reads of the call")
            out += self._statement(stmt, param, indent)
        self._shadowed(loop)
        if self.owner.by_name is None and self._named(loop, param):
            raise Blocked(loop, "an optimizer that reads the names of variables")
        guard.check(program, rest, known)
        one = text.piece(function).indent
        said = ast.get_docstring(function)
        doc = f'{indent}"""{said.strip().splitlines()[0]}"""\n' if said else ""
        new = f"def update_step(self, {grad}, {param}, learning_rate):\n{doc}{out}"
        inner = indent + program.unit(self.cls)
        slots = "".join(
            f"{indent}self.{kind} = [\n{inner}"
            f'self.add_variable_from_reference(v, "{kind}") for v in variables\n{indent}]\n'
            for kind in self.slots.values()
        )
        made = (
            f"def build(self, variables):\n{indent}if self.built:\n{inner}return\n"
            f"{indent}super().build(variables)\n{slots}\n{one}"
        )
        program.edit(function, (made if slots else "") + new.rstrip("\n"))

    def _named(self, loop: ast.For, param: str) -> bool:
        return any(
            isinstance(n, ast.Attribute) and n.attr == "name" and ast.unparse(n.value) == param
            for n in walk(loop)
        )

    def _shadowed(self, loop: ast.For) -> None:
        for node in walk(loop):
            if isinstance(node, ast.Name) and node.id in ("learning_rate", "variables"):
                raise Blocked(node, "the names in an optimizer")

    def _edits(self, stmt: ast.stmt) -> list[tuple[int, int, str]]:
        return [
            (*self.program.text.index.span(n), "learning_rate")
            for n in all_of(stmt, ast.Attribute)
            if ast.unparse(n) == "self.learning_rate"
        ]

    def _statement(self, stmt: ast.stmt, param: str, indent: str) -> str:
        piece = self.program.text.piece(stmt)
        return str(
            self.program.text.render(
                piece.first, piece.last, piece.indent, indent, sorted(self._edits(stmt))
            )
        )

    def _assigned(self, stmt: ast.stmt, gathered: str, indent: str) -> str:
        """What is gathered: assignments, which happen at once."""
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        func = call.func if isinstance(call, ast.Call) else None
        if not isinstance(func, ast.Attribute) or ast.unparse(func.value) != gathered:
            raise Blocked(stmt, "an optimizer that is written in another way")
        assert isinstance(call, ast.Call)
        (given,) = call.args
        ops = given.elts if func.attr == "extend" and isinstance(given, ast.List) else [given]
        if func.attr not in ("extend", "append"):
            raise Blocked(stmt, "an optimizer that is written in another way")
        out = ""
        held: set[str] = set()
        for op in ops:
            on = op.func if isinstance(op, ast.Call) else None
            if not isinstance(on, ast.Attribute) or on.attr != "assign":
                raise Blocked(op, "what an optimizer gathers besides assignments")
            assert isinstance(op, ast.Call)
            if any(reads(a) & held for a in op.args):
                raise Blocked(op, "an assignment that reads what another one changes")
            held |= reads(on.value)
            source = self.program.text.source(op)
            for lo, hi, new in sorted(self._edits(ast.Expr(op)), reverse=True):
                start = self.program.text.index.span(op)[0]
                source = source[: lo - start] + new + source[hi - start :]
            out += f"{indent}{' '.join(source.split())}\n"
        return out

    def _slot(self, stmt: ast.stmt, call: ast.Call, param: str, indent: str) -> str:
        """A variable beside each that is trained."""
        program = self.program
        given = program.given(call)
        name, shape, start = given.get("name"), given.get("shape"), given.get("initializer")
        zeros = start is not None and (program.called(start) or program.endpoint(start))
        trained = given.get("trainable")
        dtype = given.get("dtype")
        to = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        suffix = name.right if isinstance(name, ast.BinOp) else None
        kind = suffix.value if isinstance(suffix, ast.Constant) else None
        plain = isinstance(kind, str) and kind.startswith("/") and kind[1:].isidentifier()
        if (
            not isinstance(to, ast.Name)
            or not plain
            or shape is None
            or param not in reads(shape)
            or zeros not in ("tensorflow.zeros_initializer", "tensorflow.initializers.zeros")
            or not (isinstance(trained, ast.Constant) and trained.value is False)
            or (dtype is not None and not program.endpoint(dtype).endswith(".float32"))
        ):
            raise Blocked(call, "a slot of an optimizer")
        assert isinstance(kind, str)
        attribute = kind[1:]
        if attribute in TAKEN or attribute in self.slots.values():
            raise Blocked(call, "a slot of an optimizer")
        self.slots[to.id] = attribute
        return f"{indent}{to.id} = self.{attribute}[self._get_variable_index({param})]\n"


def hasattr_of_base(name: str) -> bool:
    """Whether Keras's optimizers call a method so."""
    return name in (
        *("_get_variable_index", "_apply_weight_decay", "_clip_gradients", "_var_key"),
        *("_get_current_learning_rate", "_track_variable", "_check_super_called"),
        *("get_config", "from_config", "set_weights", "save_own_variables", "minimize"),
        *("finalize_variable_values", "exclude_from_weight_decay", "scale_loss", "stateless_apply"),
    )


def _is_super(node: ast.AST | None) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
        and isinstance(node.func.value, ast.Call)
        and ast.unparse(node.func.value.func) == "super"
    )


def _skips(stmt: ast.If, grad: str, param: str) -> bool:
    """Whether a test only leaves out what has no gradient, as Keras does by itself."""
    tests = {f"{grad} is None", f"{param} is None"}
    parts = stmt.test.values if isinstance(stmt.test, ast.BoolOp) else [stmt.test]
    joined = not isinstance(stmt.test, ast.BoolOp) or isinstance(stmt.test.op, ast.Or)
    return (
        joined
        and {ast.unparse(p) for p in parts} <= tests
        and [type(s) for s in stmt.body] == [ast.Continue]
        and not stmt.orelse
    )

"""Functions that ask for variables by name in scopes: they stay functions, and so do the names.

    with tf.variable_scope('encoder'):           with named_scope('encoder'):
        table = tf.get_variable('words', …)          table = named_weight('words', …)

A model_fn that begins with a checkpoint of other weights (`tf.train.init_from_checkpoint`) needs
the names of TF 1. Its model has `NamedWeights`, which make a weight when its name is first asked
for, and checkpoints with these names, in the format of TF 1.

https://www.tensorflow.org/guide/migrate/model_mapping
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.calls import PURE_BUILTINS
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import guard
from migrate.rewriters.sessions import initializers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from migrate.rewriters.estimators.program import Page, Program
    from migrate.rewriters.estimators.specs import Specs

INIT = "tensorflow.train.init_from_checkpoint"
SCAFFOLD = "tensorflow.train.Scaffold"
SCOPE, GET = "tensorflow.variable_scope", "tensorflow.get_variable"
CURRENT = "tensorflow.get_variable_scope"
NORM = "tensorflow.contrib.layers.layer_norm"
# What is asked for by name: the function that stands for it, and the arguments that it takes.
KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    SCOPE: ("named_scope", ("name_or_scope", "default_name", "values", "reuse")),
    GET: ("named_weight", ("name", "shape", "dtype", "initializer", "trainable")),
    "tensorflow.layers.dense": (
        "named_dense",
        (
            *("inputs", "units", "activation", "use_bias", "kernel_initializer"),
            *("bias_initializer", "trainable", "name", "reuse"),
        ),
    ),
    NORM: ("named_layer_norm", ("inputs", "begin_norm_axis", "begin_params_axis", "scope")),
}
MODULES = frozenset({"copy", "math", "re", "six", "collections", "numpy", "json"})
IMPORTS = ("import collections", "import contextlib", "import os")
# `Checkpointed` with checkpoints by name, and with what the model begins with.
CHECKPOINTS = re.compile(
    r"            variables = \[v\.value.*?\n            \)\n(?=        latest)", re.DOTALL
)
RESTORED = "            self.manager.checkpoint.restore(latest).assert_consumed()\n"
BEGINS = (
    "            self.manager.restore(latest)\n",
    "        elif latest is None and self.restored is None:\n            self.begin()\n",
)


def begins(program: Program, function: ast.AST) -> bool:
    """Whether a model_fn begins with the values of a checkpoint."""
    return any(program.called(n) == INIT for n in walk(function))


def scaffolds(program: Program, owner: ast.FunctionDef) -> bool:
    """Whether a `scaffold_fn` only does what the model_fn does without TPUs."""
    found = []
    for node in walk(owner):
        if isinstance(node, ast.FunctionDef) and node is not owner:
            said = [program.called(n) for n in walk(node)]
            if SCAFFOLD in said:
                found.append(node)
    if len(found) != 1 or len(found[0].body) != 2 or found[0].args.args:
        return False
    first, last = found[0].body
    if not isinstance(first, ast.Expr) or not isinstance(last, ast.Return):
        return False
    plain = isinstance(last.value, ast.Call) and not (last.value.args or last.value.keywords)
    return plain and program.called(first.value) == INIT


@cache
def sources() -> dict[str, str]:
    text = Path(__file__).with_name("named_code.txt").read_text(encoding="utf-8")
    return dict(part.partition("\n")[::2] for part in text.split("=== ")[1:])


def checkpointed(source: str) -> str:
    """`Checkpointed` whose checkpoints have names."""
    source, count = CHECKPOINTS.subn(
        "            self.manager = NamedCheckpoints(self)\n", source, count=1
    )
    assert count == 1
    assert RESTORED in source
    source = source.replace(RESTORED, BEGINS[0])
    mark = "            self.restored = latest\n"
    return source.replace(mark, mark + BEGINS[1], 1)


class Named:
    """What a model's functions ask for by name."""

    def __init__(self, owner: Specs) -> None:
        self.owner = owner
        self.program = owner.program
        self.seen: set[int] = set()  # calls that are looked at
        self.visited: list[ast.AST] = []  # functions and classes of the program
        self.asked: list[tuple[ast.AST, str, bool]] = []  # functions of KNOWN that are called
        self.paths: list[ast.AST] = []  # where the name of the scope at hand is read
        self.home: Page | None = None  # the file that has the definitions
        self.sparse = False

    def look(self, body: Iterable[ast.stmt]) -> None:
        """Look at statements of `call`, and at all that they call.

        Raises:
            Blocked: something may not be called for each batch, or has no name.
        """
        for stmt in body:
            self._walk(stmt, own=True)
        self._home()
        for name in ("NamedWeights", "Scopes", *sorted(name for _, name, _ in self.asked)):
            self._need(name)
        for node, name, own in self.asked:
            self._write(node, self.spelled(node, name), own=own)
        for node in self.paths:
            self._write(node, f"{self.spelled(node, 'Scopes')}.current.path", own=False)

    def _need(self, name: str) -> None:
        source = sources()[name]
        for other in ("named_weight", "named_scope"):
            if name != other and f"{other}(" in source:
                self._need(other)
        assert self.home is not None
        self.program.need(self.home.part.document.tree.body[0], name, source, IMPORTS[:2])

    def _home(self) -> None:
        """Find the file that the definitions stand in: all that use them have one in common.

        Raises:
            Blocked: there is none.
        """
        program = self.program
        own = program.page(self.owner.function)
        pages = {id(p): p for p in (own, *(program.page(n) for n, _, _ in self.asked))}
        known = program.kept.get("named home")
        for home in reversed(pages.values()):
            others = [p for p in pages.values() if p is not home]
            if all(self._alias(p, home) for p in others) and known in (None, home):
                self.home = program.kept["named home"] = home
                return
        raise Blocked(self.owner.function, "weights by name in files that don't import each other")

    def _alias(self, page: Page, home: Page) -> str:
        """What a file calls another one that it imports."""
        scopes, tree = self.program.scopes, home.part.document.tree
        for name, found in scopes.bound(page.part.document.tree).items():
            if len(found) == 1 and found[0].kind == "import":
                if scopes.module(found[0], name) is tree:
                    return name
        return ""

    def spelled(self, node: ast.AST, name: str) -> str:
        """What a definition is called where a node stands."""
        assert self.home is not None
        page = self.program.page(node)
        return name if page is self.home else f"{self._alias(page, self.home)}.{name}"

    def _walk(self, node: ast.AST, *, own: bool) -> None:
        for n in walk(node):
            if isinstance(n, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)):
                raise Blocked(n, "a part of a model_fn that can't be moved")
            if isinstance(n, ast.With):
                for item in n.items:
                    if self.program.called(item.context_expr) == SCOPE and item.optional_vars:
                        raise Blocked(item, "a scope that has a name in the program")
            if isinstance(n, ast.Attribute) and self.program.called(n.value) == CURRENT:
                if n.attr != "name" or own:
                    raise Blocked(n, f"`{n.attr}` of a scope")
                self.paths.append(n)
                known = self.program.kept.setdefault("scope paths", set())
                assert isinstance(known, set)
                known.add(id(n.value))
                self.seen.add(id(n.value))
            if isinstance(n, ast.Call) and id(n) not in self.seen:
                self.seen.add(id(n))
                self._call(n, own=own)
            elif isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load):
                self._named(n)
            elif isinstance(n, ast.Attribute):
                self._changed(n)

    def _changed(self, node: ast.Attribute) -> None:
        """Only what is made in a call may be changed by it."""
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        found = self.program.scopes.bindings(name, node) if name else []
        if any(isinstance(b.scope, ast.Module) for b in found) or not found:
            raise Blocked(node, f"`{ast.unparse(node)}` is changed for each batch")
        scope = self.program.scopes.scope(node)
        inside = isinstance(self.program.scopes.parents[id(scope)], ast.ClassDef)
        first = scope.args.args[:1] if isinstance(scope, ast.FunctionDef) else []
        if inside and len(found) == 1 and any(a is found[0].node for a in first):
            return  # `self`
        last = [b for b in found if b.kind == "assign"]
        if not last or not all(
            isinstance(b.value, ast.Call)
            and ast.unparse(b.value.func) in ("copy.deepcopy", "copy.copy")
            for b in last
        ):
            raise Blocked(node, f"`{ast.unparse(node)}` is changed for each batch")

    def _named(self, node: ast.Name | ast.Attribute) -> None:
        """A function that is named is one that may be called."""
        above = self.program.scopes.parents.get(id(node))
        if isinstance(above, ast.Call) and above.func is node:
            return
        endpoint = self.program.endpoint(node)
        if endpoint in KNOWN or endpoint in guard.MAKING or endpoint.endswith("_initializer"):
            raise Blocked(node, f"{_shown(endpoint)} isn't called where it is named")
        function = self.program.scopes.function(node)
        if function is not None:
            self._visit(function)

    def _visit(self, function: ast.FunctionDef) -> None:
        if any(function is v for v in self.visited):
            return
        if function.decorator_list:
            raise Blocked(function, f"`{function.name}` has a decorator")
        self.visited.append(function)
        for stmt in function.body:
            self._walk(stmt, own=False)

    def _class(self, cls: ast.ClassDef, call: ast.Call) -> None:
        if any(cls is v for v in self.visited):
            return
        if cls.decorator_list or cls.keywords or any(ast.unparse(b) != "object" for b in cls.bases):
            raise Blocked(call, f"`{cls.name}`, a class with others above it, in a model_fn")
        self.visited.append(cls)
        for stmt in cls.body:
            if isinstance(stmt, ast.FunctionDef):
                self._visit(stmt)

    def _call(self, call: ast.Call, *, own: bool) -> None:
        endpoint = self.program.called(call)
        if endpoint in KNOWN:
            self._asked(call, endpoint, own=own)
            return
        if endpoint.endswith(("_initializer", "initializers.variance_scaling")):
            self._initializer(call, endpoint, own=own)
            return
        if endpoint:
            fine = meaning.is_op(endpoint) or meaning.is_host(endpoint)
            fine = fine or endpoint.endswith((".name_scope", ".control_dependencies"))
            if endpoint in guard.MAKING or not fine:
                raise Blocked(call, f"{_shown(endpoint)} in a model_fn isn't followed yet")
            self.sparse |= endpoint.endswith(("gather", "embedding_lookup"))
            return
        if isinstance(self.program.scopes.parents[id(call)], ast.Raise):
            return
        function = self.program.scopes.function(call.func)
        if function is not None:
            self._visit(function)
            return
        found = self.program.scopes.lookup(call.func)
        if found is not None and isinstance(found.node, ast.ClassDef):
            self._class(found.node, call)
            return
        func = call.func
        if isinstance(func, ast.Name):
            if found is None and hasattr(builtins, func.id):
                if func.id in PURE_BUILTINS | {"print", "super", "getattr", "hasattr"}:
                    return
            if found is not None and found.kind == "param":
                return  # each function that is named in what is called is looked at
            if found is not None and isinstance(found.value, ast.Lambda):
                return
        elif isinstance(func, ast.Attribute):
            methods = [m for v in self.visited for m in getattr(v, "body", [])]
            made = {m.name for m in methods if isinstance(m, ast.FunctionDef)}
            if (
                func.attr in made
                or func.attr in guard.METHODS
                or isinstance(func.value, ast.Constant)
            ):
                return
            name = func.value
            if isinstance(name, ast.Name):
                module = self.program.scopes.lookup(name)
                if module is not None and isinstance(module.node, ast.Import):
                    if any(
                        a.name in MODULES and (a.asname or a.name) == name.id
                        for a in module.node.names
                    ):
                        return
        raise Blocked(call, f"`{ast.unparse(call.func)}` in a model_fn isn't seen")

    def _initializer(self, call: ast.Call, endpoint: str, *, own: bool) -> None:
        source, _ = initializers.keras(endpoint, call, self.program.text, self.program.tf)
        self._write(call, source, own=own)

    def _asked(self, call: ast.Call, endpoint: str, *, own: bool) -> None:
        """A call that asks for weights, or opens a scope."""
        name, taken = KNOWN[endpoint]
        given = self.program.given(call)
        for argument, node in given.items():
            if argument not in taken:
                raise Blocked(node, f"`{argument}` of {_shown(endpoint)}")
            value = node.value if isinstance(node, ast.Constant) else None
            if argument.startswith("begin_") and ast.unparse(node) != "-1":
                raise Blocked(node, f"`{argument}` of {_shown(endpoint)}")
            if argument == "dtype" and not self.program.endpoint(node).endswith(".float32"):
                raise Blocked(node, "a variable of another type than float32")
            if argument == "reuse" and value is False:
                raise Blocked(node, "`reuse=False` of a scope")
            if argument.endswith("initializer") and isinstance(node, ast.Attribute):
                raise Blocked(node, "an initializer's class")
        if endpoint == GET and "shape" not in given:
            raise Blocked(call, "a variable without a shape")
        if endpoint == NORM and not {"begin_norm_axis", "begin_params_axis"} <= given.keys():
            raise Blocked(call, "a layer norm of several axes")
        self.asked.append((call.func, name, own))
        for keyword in call.keywords:
            if keyword.arg == "name_or_scope":
                raise Blocked(keyword.value, "`name_or_scope` by its name")
            if keyword.arg is not None and keyword.arg.startswith("begin_"):
                self._gone(call, keyword, own=own)

    def _gone(self, call: ast.Call, keyword: ast.keyword, *, own: bool) -> None:
        """Take an argument out that says what is so anyway."""
        text, index = self.program.text, self.program.text.index
        start, end = index.span(keyword)
        rest = re.match(r"\s*,\s*", text.text[end:])
        if rest is None:
            raise Blocked(keyword.value, "the last argument of a layer norm")
        if own:
            raise Blocked(call, "a layer norm in a model_fn by name")
        from migrate.engine.findings import Edit

        self.program.edits.append(Edit(start, end + rest.end(), ""))

    def _write(self, node: ast.AST, new: str, *, own: bool) -> None:
        if own:
            self.owner.instead[id(node)] = new
        else:
            self.program.edit(node, new)


def _shown(endpoint: str) -> str:
    return "tf" + endpoint.removeprefix("tensorflow")

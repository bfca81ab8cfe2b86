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
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.calls import PURE_BUILTINS
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import guard, objects
from migrate.rewriters.estimators.naming import named_homes, named_objects
from migrate.rewriters.estimators.naming.named_known import (
    BATCH_NORM,
    CONTRIB_NORM,
    CURRENT,
    GET,
    KNOWN,
    LAYERS,
    LOOKUP,
    NORM,
    PLACES,
    SCOPE,
    WEIGHED,
    imports,
    sources,
)
from migrate.rewriters.estimators.optimizing import helper_losses
from migrate.rewriters.estimators.recurrence import crf
from migrate.rewriters.sessions import initializers, regularizers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Page
    from migrate.rewriters.sessions.text import Text

DECORATORS = frozenset({"property", "staticmethod", "classmethod"})
MODULES = frozenset({"copy", "math", "re", "six", "collections", "numpy", "json"})


class Named:
    """What a model's functions ask for by name."""

    def __init__(self, owner: Specs, *, begins: bool) -> None:
        self.owner = owner
        self.begins = begins  # whether the model begins with the values of a checkpoint
        self.program = owner.program
        self.seen: set[int] = set()  # calls that are looked at
        self.visited: list[ast.AST] = []  # functions and classes of the program
        self.asked: list[tuple[ast.AST, str, bool]] = []  # functions of KNOWN that are called
        self.body: list[ast.stmt] = []  # of `call`
        self.again: list[ast.expr] = []  # what says that weights may be used again
        self.layers: list[tuple[ast.Call, str, bool]] = []  # objects of `tf.layers` that are made
        self.paths: list[ast.AST] = []  # where the name of the scope at hand is read
        self.home: Page | None = None  # the file that has the definitions
        self.regularized = False
        self._making: set[str] | None = None
        self.objects = named_objects.under_names(self.program, owner.function)

    def look(self, body: Iterable[ast.stmt]) -> None:
        """Look at statements of `call`, and at all that they call.

        Raises:
            Blocked: something may not be called for each batch, or has no name.
        """
        self.body = list(body)
        for stmt in self.body:
            self._walk(stmt, own=True)
        self.program.finish.append(partial(named_objects.elsewhere, self))
        if self.again and any(name.endswith("batch_norm") for _, name, _ in self.asked):
            raise Blocked(self.again[0], "batch normalizations that may be used again")
        nodes = [n for n, _, _ in (*self.asked, *self.layers)] + self.paths
        self.home = named_homes.found(self.program, self.owner.function, nodes)
        for name in ("NamedWeights", "Scopes", *sorted(name for _, name, _ in self.asked)):
            self._need(name)
        for node, name, own in self.asked:
            self._write(node, self.spelled(node, name), own=own)
        for call, name, own in self.layers:
            self._need("NamedLayer")
            self._need(name)
            kind = self.program.called(call).rpartition(".")[2]
            kind = objects.CLASSES[f"{LAYERS}{kind}"].removeprefix(LAYERS)
            start = f'{self.spelled(call, "NamedLayer")}("{kind}", {self.spelled(call, name)}'
            self._opens(call, start, own=own)
        for node in self.paths:
            self._write(node, f"{self.spelled(node, 'Scopes')}.current.path", own=False)

    def asking(self) -> list[ast.FunctionDef]:
        """The functions of the program that ask for weights, or call what does."""
        functions = [v for v in self.visited if isinstance(v, ast.FunctionDef)]
        asked = {id(node) for node, _, _ in (*self.asked, *self.layers)}
        found = [f for f in functions if any(id(n) in asked for n in walk(f))]
        size = -1
        while size != len(found):
            size = len(found)
            names = {f.name for f in found}
            for f in found:
                cls = self.program.scopes.parents[id(f)]
                if f.name in ("__init__", "__call__") and isinstance(cls, ast.ClassDef):
                    names.add(cls.name)
            found = [
                f
                for f in functions
                if any(f is o for o in found)
                or any(getattr(n, "id", getattr(n, "attr", "")) in names for n in walk(f))
            ]
        return found

    def makes(self, node: ast.AST) -> bool:
        """Whether a piece of syntax asks for weights, or names what does."""
        if self._making is None:
            self._making = {f.name for f in self.asking()} | {
                getattr(self.program.scopes.parents[id(f)], "name", "") for f in self.asking()
            }
        every = (*self.asked, *self.layers)
        asked = {id(node) for node, name, _ in every if name in WEIGHED}
        names = self._making | self.objects
        return any(
            id(n) in asked or getattr(n, "id", getattr(n, "attr", "")) in names for n in walk(node)
        )

    def branched(self) -> bool:
        """Whether some calls of the model may ask for other weights than others do."""
        branches = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)
        every = (n for part in (*self.body, *self.visited) for n in walk(part))
        return any(isinstance(n, branches) and self.makes(n) for n in every)

    def _need(self, name: str) -> None:
        source = sources()[name]
        for other in ("named_weight", "named_scope"):
            if name != other and f"{other}(" in source:
                self._need(other)
        assert self.home is not None
        place = self.home.part.document.tree.body[0]
        self.program.need(place, name, source, imports(source))

    def spelled(self, node: ast.AST, name: str) -> str:
        """What a definition is called where a node stands."""
        assert self.home is not None
        return named_homes.spelled(self.program, self.home, node, name)

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
        if name in self.objects and all(b.scope is self.owner.function for b in found):
            return
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
        known = endpoint in KNOWN or endpoint in objects.CLASSES
        if known or endpoint in guard.MAKING or endpoint.endswith("_initializer"):
            raise Blocked(node, f"{_shown(endpoint)} isn't called where it is named")
        function = self.program.scopes.function(node)
        if function is not None:
            self._visit(function)

    def _visit(self, function: ast.FunctionDef) -> None:
        if any(function is v for v in self.visited):
            return
        if any(ast.unparse(d) not in DECORATORS for d in function.decorator_list):
            raise Blocked(function, f"`{function.name}` has a decorator")
        self.visited.append(function)
        for stmt in function.body:
            self._walk(stmt, own=False)

    def _class(self, cls: ast.ClassDef, call: ast.Call) -> None:
        if any(cls is v for v in self.visited):
            return
        if cls.decorator_list or cls.keywords:
            raise Blocked(call, f"`{cls.name}`, a class with a decorator, in a model_fn")
        self.visited.append(cls)
        for base in named_objects.bases(self.program, cls, call):
            self._class(base, call)
        for stmt in cls.body:
            if isinstance(stmt, ast.FunctionDef):
                self._visit(stmt)

    def _call(self, call: ast.Call, *, own: bool) -> None:
        endpoint = self.program.called(call)
        if endpoint in KNOWN or objects.CLASSES.get(endpoint) in KNOWN:
            self._asked(call, endpoint, own=own)
            return
        if endpoint.endswith(("_initializer", "initializers.variance_scaling")):
            self._initializer(call, endpoint, own=own)
            return
        if endpoint.endswith("_regularizer"):
            given = self.program.walker.bound(endpoint, call)
            source = regularizers.keras(endpoint, given, self._said(own=own), self.program.tf)
            self._write(call, source, own=own)
            return
        if endpoint in crf.KNOWN:
            of_crf = crf.known(self.program, call)
            self.program.need(call, of_crf, crf.source(of_crf))
            self._write(call.func, of_crf, own=own)
            return
        if endpoint:
            fine = meaning.is_op(endpoint) or meaning.is_host(endpoint)
            fine = fine or endpoint.endswith((".name_scope", ".control_dependencies"))
            fine = fine or endpoint == "tensorflow.device"
            if endpoint in guard.MAKING or not fine:
                raise Blocked(call, f"{_shown(endpoint)} in a model_fn isn't followed yet")
            if not own and endpoint in guard.LOSSES:
                helper_losses.written(self.program, call)
            if endpoint == LOOKUP:
                self._lookup(call, own=own)
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
            kind = self.program.called(self.program.scopes.value(func))
            if kind in objects.CLASSES or named_objects.chosen(self.program, func):
                return
            cls = named_objects.instance(self.program, func, self.visited)
            if cls is not None and named_objects.method(self.program, cls, "__call__"):
                return
        elif isinstance(func, ast.Attribute):
            methods = [m for v in self.visited for m in getattr(v, "body", [])]
            made = {m.name for m in methods if isinstance(m, ast.FunctionDef)}
            here = not isinstance(func.value, ast.Name) or func.value.id in self.objects
            if (
                (func.attr in made and (here or not own))
                or func.attr in guard.METHODS
                or isinstance(func.value, ast.Constant)
            ):
                return
            classes = [v for v in self.visited if isinstance(v, ast.ClassDef)]
            if named_objects.kept(self.program, func.attr, classes):
                return  # a function of the program, which was looked at where it was named
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

    def _lookup(self, call: ast.Call, *, own: bool) -> None:
        """A lookup in one table: TF 2's is the same."""
        given = self.program.given(call)
        if set(given) - {"params", "ids", "name"}:
            raise Blocked(call, "these arguments of a lookup")
        if not named_objects.one_weight(self.program, given["params"]):
            raise Blocked(given["params"], "a lookup in what may be several tables")
        if len(call.args) < 3:
            self._write(call.func, f"{self.program.tf}.nn.embedding_lookup", own=own)

    def _initializer(self, call: ast.Call, endpoint: str, *, own: bool) -> None:
        source, _ = initializers.keras(endpoint, call, self._said(own=own), self.program.tf)
        self._write(call, source, own=own)

    def _asked(self, call: ast.Call, endpoint: str, *, own: bool) -> None:
        """A call that asks for weights, or opens a scope."""
        made = objects.CLASSES.get(endpoint)
        name, taken = KNOWN[made or endpoint]
        given = self.program.given(call)
        nothing = [k for k in call.keywords if ast.unparse(k.value) == "None"]
        if len(call.args) > PLACES.get(name, 99) or any(k.arg not in taken for k in nothing):
            raise Blocked(call, f"the arguments of {_shown(endpoint)}")
        for argument, node in given.items():
            if argument not in taken:
                raise Blocked(node, f"`{argument}` of {_shown(endpoint)}")
            value = node.value if isinstance(node, ast.Constant) else None
            if argument.startswith("begin_") and ast.unparse(node) != "-1":
                raise Blocked(node, f"`{argument}` of {_shown(endpoint)}")
            if argument == "dtype" and not self.program.endpoint(node).endswith(".float32"):
                raise Blocked(node, "a variable of another type than float32")
            if argument == "reuse" and value is False and endpoint == SCOPE:
                raise Blocked(node, "`reuse=False` of a scope")
            self.regularized |= argument.endswith("regularizer")
            if argument.endswith(("initializer", "regularizer")) and not self._seen(node):
                raise Blocked(node, f"`{argument}` of {_shown(endpoint)} isn't seen")
            if argument == "reuse" and value is not False:
                self.again.append(node)
            if argument == "activation" and isinstance(value, str):
                raise Blocked(node, "an activation by its name")
            if argument.endswith("initializer") and isinstance(node, ast.Attribute):
                raise Blocked(node, "an initializer's class")
        if endpoint == GET and "shape" not in given:
            raise Blocked(call, "a variable without a shape")
        at_once = any(k.arg == "updates_collections" for k in nothing)
        if endpoint == CONTRIB_NORM and ("updates_collections" in given or "data_format" in given):
            raise Blocked(call, "updates in a collection of their own")
        if endpoint == CONTRIB_NORM and not (self.owner.updates or at_once):
            raise Blocked(call, "batch normalization whose updates don't run")
        if BATCH_NORM in (endpoint, made) and not self.owner.updates:
            raise Blocked(call, "batch normalization whose updates don't run")
        if endpoint == NORM and not {"begin_norm_axis", "begin_params_axis"} <= given.keys():
            raise Blocked(call, "a layer norm of several axes")
        if made is not None:
            if any(isinstance(a, ast.Starred) for a in call.args):
                raise Blocked(call, f"the arguments of {_shown(endpoint)}")
            self.layers.append((call, name, own))
            return
        self.asked.append((call.func, name, own))
        for keyword in call.keywords:
            if keyword.arg == "name_or_scope":
                raise Blocked(keyword.value, "`name_or_scope` by its name")
            if keyword.arg is not None and keyword.arg.startswith("begin_"):
                self._gone(call, keyword, own=own)

    def _seen(self, node: ast.expr) -> bool:
        """Whether an initializer or a regularizer is made where it is looked at, if at all."""
        value = self.program.scopes.value(node)
        if isinstance(value, ast.Call):
            endpoint = self.program.called(value)
            described = endpoint.endswith(("_initializer", "_regularizer", "variance_scaling"))
            return described or self.program.scopes.function(value.func) is not None
        if isinstance(value, ast.IfExp):
            return self._seen(value.body) and self._seen(value.orelse)
        if isinstance(value, ast.Attribute):
            classes = [v for v in self.visited if isinstance(v, ast.ClassDef)]
            return named_objects.kept(self.program, value.attr, classes)
        if isinstance(value, ast.Constant):
            return value.value is None
        found = self.program.scopes.lookup(value) if isinstance(value, ast.Name) else None
        return found is not None and found.kind == "param" and found.scope in self.visited

    def _gone(self, call: ast.Call, keyword: ast.keyword, *, own: bool) -> None:
        """Take an argument out that says what is so anyway."""
        text, index = self.program.text, self.program.text.index
        start, end = index.span(keyword)
        rest = re.match(r"\s*,\s*", text.text[end:])
        if rest is None:
            raise Blocked(keyword.value, "the last argument of a layer norm")
        if own:
            raise Blocked(call, "a layer norm in a model_fn by name")
        self.program.edits.append(Edit(start, end + rest.end(), ""))

    def _opens(self, call: ast.Call, start: str, *, own: bool) -> None:
        """Give a call another function, and arguments before those that it has."""
        given = [*call.args, *(k for k in call.keywords)]
        if own or not given:
            rest = [self.program.source(a) for a in call.args]
            rest += [f"{k.arg}={self.program.source(k.value)}" for k in call.keywords]
            self._write(call, f"{', '.join([start, *rest])})", own=own)
            return
        index = self.program.text.index
        first = index.span(given[0])[0]
        self.program.edits.append(Edit(index.span(call)[0], first, f"{start}, "))

    def _said(self, *, own: bool) -> Text:
        """What says a piece of syntax anew: in `call`, the model's settings are its own."""
        if not own:
            return self.program.text
        return cast("Text", SimpleNamespace(source=self.owner.source))

    def _write(self, node: ast.AST, new: str, *, own: bool) -> None:
        if own:
            self.owner.instead[id(node)] = new
        else:
            self.program.edit(node, new)


def _shown(endpoint: str) -> str:
    return "tf" + endpoint.removeprefix("tensorflow")

"""What a subclass of Estimator adds to it: names and functions inside of what it becomes.

    def __init__(self, params):                 def Net(params):
        self.rate = params['rate']                  rate = params['rate']

        def model_fn(features, …):                  def tower(net):
            net = self.tower(…)                         …

        super().__init__(model_fn, …)               def model_fn(features, …):
                                                        net = tower(…)
    def tower(self, net): …
                                                    return tf.estimator.Estimator(…)

An optimizer is made in the model_fn then, the only one that reads it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Set
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import docstring, root

if TYPE_CHECKING:
    from migrate.rewriters.sessions.text import Piece, Text

# What an Estimator has: to give it another meaning, or to read it, is more than to make one.
OF_ESTIMATORS = frozenset(
    {"train", "evaluate", "predict", "export_savedmodel", "export_saved_model", "eval_dir"}
    | {"experimental_export_all_saved_models", "get_variable_names", "get_variable_value"}
    | {"latest_checkpoint", "model_dir", "model_fn", "config", "params", "_model_fn", "_config"}
    | {"_model_dir", "_params", "_call_model_fn", "_train_model", "_evaluate_model", "_device_fn"}
    | {"_create_global_step", "_create_and_assert_global_step", "_session_config"}
    | {"_get_features_and_labels_from_input_fn", "_get_features_from_input_fn", "_call_input_fn"}
    | {"_convert_train_steps_to_hooks", "_convert_eval_steps_to_hooks", "_export_to_tpu"}
    | {"_train_distribution", "_eval_distribution", "_warm_start_settings", "_extract_keys"}
)
SETTINGS = ("params", "_params")


class Members:
    """The attributes and methods of a subclass of Estimator."""

    def __init__(
        self,
        cls: ast.ClassDef,
        first: ast.FunctionDef,
        methods: list[ast.FunctionDef],
        made: ast.Call,
        text: Text,
    ) -> None:
        self.cls, self.first, self.methods, self.made = cls, first, methods, made
        self.text = text
        self.edits: list[Edit] = []
        self.moved: list[tuple[ast.stmt, ast.FunctionDef]] = []  # optimizers, and who reads them
        self.taken = {
            getattr(n, name, None)
            for n in walk(text.document.tree)
            for name in ("id", "arg", "name", "asname")
        }

    def read(self, known: Set[int]) -> bool:
        """Whether all that the class adds can be a name; ``known``: nodes that are seen to."""
        names: dict[str, str] = {}
        for each in self.methods:
            args = each.args
            plain = not (args.posonlyargs or each.decorator_list) and args.args
            if not plain or each.name in OF_ESTIMATORS or each.name.startswith("__"):
                return False
            names[each.name] = self._free(each.name)
        sets = {
            s.targets[0].attr: s
            for s in self.first.body
            if isinstance(s, ast.Assign) and len(s.targets) == 1
            if isinstance(s.targets[0], ast.Attribute) and self._is_own(s.targets[0].value)
        }
        stored = [n for n in all_of(self.cls, ast.Attribute) if not isinstance(n.ctx, ast.Load)]
        mine = [n for n in stored if self._is_own(n.value)]
        if len(mine) > len(sets) or sets.keys() & (names.keys() | OF_ESTIMATORS):
            return False
        names |= {name: self._free(name) for name in sets}
        if "" in names.values():
            return False
        calls = {id(n.func) for n in all_of(self.cls, ast.Call)}
        owns = {id(each.args.args[0]) for each in (self.first, *self.methods)}
        if any(n.arg in self._owns() and id(n) not in owns for n in all_of(self.cls, ast.arg)):
            return False
        seen = {id(n.value) for n in all_of(self.cls, ast.Attribute) if self._is_own(n.value)}
        for node in all_of(self.cls, ast.Name):
            if node.id == self.cls.name and id(node) not in known:
                return False
            if self._is_own(node) and id(node) not in seen | known:
                return False
        methods = {each.name for each in self.methods}
        if methods - {n.attr for n in all_of(self.cls, ast.Attribute) if id(n) in calls}:
            return False  # it is there for others
        for read in all_of(self.cls, ast.Attribute):
            if id(read) in known or not self._is_own(read.value):
                continue
            name = names.get(read.attr, "")
            if read.attr in SETTINGS and isinstance(read.ctx, ast.Load):
                name = self._settings(read)
            if not name or (read.attr in methods and id(read) not in calls):
                return False
            self.edits.append(Edit(*self.text.index.span(read), name))
        return self._optimizers(sets)

    def _owns(self) -> set[str]:
        return {each.args.args[0].arg for each in (self.first, *self.methods)}

    def _is_own(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._owns()

    def _free(self, name: str) -> str:
        """What an attribute is called, or a method that nothing else has the name of."""
        defined = sum(getattr(n, "name", "") == name for n in walk(self.text.document.tree))
        wishes = (name, f"own_{name.strip('_')}")
        if name not in self.taken - ({name} if defined == 1 and self._is_method(name) else set()):
            return name if not hasattr(builtins, name) else ""
        return wishes[1] if wishes[1] not in self.taken else ""

    def _is_method(self, name: str) -> bool:
        uses = [n for n in walk(self.text.document.tree) if getattr(n, "id", "") == name]
        uses += [n for n in walk(self.text.document.tree) if getattr(n, "arg", "") == name]
        return not uses and any(each.name == name for each in self.methods)

    def _settings(self, node: ast.Attribute) -> str:
        """What an Estimator's `params` are called where a model_fn reads them."""
        given = next((k.value for k in self.made.keywords if k.arg == "params"), None)
        if not isinstance(given, ast.Name) or any(node is n for s in self._at_once() for n in s):
            return ""
        stored = [n for n in all_of(self.first, ast.Name) if n.id == given.id]
        bound = sum(not isinstance(n.ctx, ast.Load) for n in stored)
        bound += sum(n.arg == given.id for n in self.first.args.args)
        inner = [f for f in all_of(self.cls, ast.FunctionDef) if f is not self.first]
        around = [f for f in inner if any(node is n for n in walk(f))]
        args = [a for f in around for a in all_of(f, ast.arg) if a.arg == given.id]
        other = [n for f in around for n in all_of(f, ast.Name) if n.id == given.id]
        changed = any(not isinstance(n.ctx, ast.Load) for n in other)
        return given.id if bound == 1 and not args and not changed else ""

    def _at_once(self) -> list[list[ast.AST]]:
        """What runs while the object is made: its methods may, so none of them is called there."""
        plain = [s for s in self.first.body if not isinstance(s, ast.FunctionDef)]
        return [list(walk(s)) for s in plain]

    def _optimizers(self, sets: dict[str, ast.Assign]) -> bool:
        """See which attributes are optimizers: each is made where it is read."""
        for name, stmt in sets.items():
            if not isinstance(stmt.value, ast.Call) or not _optimizer(stmt.value):
                continue
            reads = [
                n
                for n in all_of(self.cls, ast.Attribute)
                if n.attr == name and self._is_own(n.value) and isinstance(n.ctx, ast.Load)
            ]
            inner = [s for s in self.first.body if isinstance(s, ast.FunctionDef)]
            users = [f for f in inner if any(n is r for r in reads for n in walk(f))]
            if len(users) != 1 or any(all(r is not n for n in walk(users[0])) for r in reads):
                return False
            later = self.first.body[self.first.body.index(stmt) + 1 :]
            read = {n.id for n in all_of(stmt.value, ast.Name)}
            for node in (n for s in later for n in walk(s)):
                changes = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
                if changes and root(node) in read:
                    return False
            if read & self._bound(users[0]) - self._given():
                return False
            self.moved.append((stmt, users[0]))
        return True

    def _given(self) -> set[str]:
        """The name by which both know an Estimator's `params`."""
        given = next((k.value for k in self.made.keywords if k.arg == "params"), None)
        return {given.id} & {"params"} if isinstance(given, ast.Name) else set()

    def _bound(self, function: ast.FunctionDef) -> set[str]:
        """The names that a function gives a meaning."""
        found = {n.arg for n in all_of(function, ast.arg)}
        return found | {n.id for n in all_of(function, ast.Name) if not isinstance(n.ctx, ast.Load)}

    # -- what is written -----------------------------------------------------------------------

    def written(self, piece: Piece, made: Edit) -> str:
        """The lines of `__init__` with all that in them; ``made``: what it ends in."""
        text = self.text
        edits = [*self.edits, made]
        for stmt, user in self.moved:
            own = text.piece(stmt)
            start, end = text.start(own.first), text.start(own.last + 1)
            body = [s for s in user.body if not docstring(s)]
            at = text.start(text.piece(body[0]).first)
            shift = len(text.piece(body[0]).indent) - len(own.indent)
            lines = self._said(start, end).splitlines(keepends=True)
            put = "".join(" " * shift + line if line.strip() else line for line in lines)
            edits = [e for e in edits if not (start <= e.start < end)]
            edits += [Edit(start, end, ""), Edit(at, at, put)]
        for each in self.methods:
            edits = [e for e in edits if not self._inside(e, each)]
        start = text.start(piece.line)
        functions = [s for s in self.first.body if isinstance(s, ast.FunctionDef)]
        place = text.start(text.piece((functions or self.first.body[-1:])[0]).first)
        extra = "".join(map(self._method, self.methods))
        edits.append(Edit(place, place, extra))  # in front of the functions that are there
        within = [Edit(e.start - start, e.end - start, e.new) for e in edits]
        return apply(text.text[start : text.start(piece.last + 1)], within)

    def _inside(self, edit: Edit, stmt: ast.stmt) -> bool:
        start, end = self.text.index.span(stmt)
        return start <= edit.start < end

    def _said(self, start: int, end: int) -> str:
        """A part of the text with the names that attributes have."""
        inner = [e for e in self.edits if start <= e.start and e.end <= end]
        moved = [Edit(e.start - start, e.end - start, e.new) for e in inner]
        return apply(self.text.text[start:end], moved)

    def _method(self, each: ast.FunctionDef) -> str:
        """A method as a function inside of `__init__`."""
        text, index = self.text, self.text.index
        piece = text.piece(each)
        start = text.start(piece.first)
        inner = [e for e in self.edits if self._inside(e, each)]
        args = each.args.args
        end = index.span(args[1])[0] if len(args) > 1 else index.span(args[0])[1]
        inner.append(Edit(index.span(args[0])[0], end, ""))
        name = text.text.index(each.name, index.span(each)[0] + len("def"))
        inner.append(Edit(name, name + len(each.name), self._free(each.name)))
        moved = [Edit(e.start - start, e.end - start, e.new) for e in inner]
        whole = apply(text.text[start : text.start(piece.last + 1)], moved)
        one = text.unit
        lines = whole.splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += text.newline
        said = "".join(one + line if line.strip() else line for line in lines)
        return said + text.newline


def _optimizer(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name.endswith("Optimizer") or name == "get_optimizer_instance"

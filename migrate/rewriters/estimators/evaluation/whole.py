"""What a program with Estimators knows of how whole the numbers of its tensors are."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrate.programs.graph.layering.whole import NATURAL, UNKNOWN, level, part
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.scopes import Binding

# Predictions of canned Estimators that are numbers of classes.
CLASSES = frozenset({"class_ids", "all_class_ids"})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Known:
    """The names, dicts and functions of a program."""

    program: Program

    def called(self, node: ast.expr) -> str:
        """The endpoint that an expression calls."""
        return self.program.called(node)

    def endpoint(self, node: ast.expr) -> str:
        """The endpoint that an expression is."""
        return self.program.endpoint(node)

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """The arguments of a call, by their names."""
        return self.program.given(call)

    def value(self, node: ast.expr) -> ast.expr:
        """An expression, or what the name that it is was given."""
        return self.program.scopes.value(node)

    def level(self, node: ast.expr, depth: int) -> int:
        """How whole a name is, what a dict has under a key, or what a function returns."""
        if isinstance(node, ast.Name):
            return self._name(node, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return self._item(node.value, node.slice.value, depth)
        return self._returned(node, depth) if isinstance(node, ast.Call) else UNKNOWN

    def _name(self, node: ast.Name, depth: int) -> int:
        scopes = self.program.scopes
        found = scopes.lookup(node)
        if found is not None and found.kind == "param":
            return self._argument(node.id, found, depth)
        every = [found] if found is not None else scopes.bindings(node.id, node)
        return min(
            (
                level(self, b.value, depth)
                if b.kind == "assign" and b.value is not None
                else part(self, b.value, b.place)
                for b in every
            ),
            default=UNKNOWN,
        )

    def _argument(self, name: str, found: Binding, depth: int) -> int:
        """Of what all calls give it; a TPUEstimatorSpec has a function beside its arguments."""
        function, scopes = found.scope, self.program.scopes
        if not isinstance(function, ast.FunctionDef):
            return UNKNOWN
        if isinstance(scopes.scope(function), ast.ClassDef):
            return UNKNOWN
        names = [a.arg for a in function.args.args]
        levels: list[int] = []
        for use in self.program.readers(function):
            above = scopes.parents[id(use)]
            given: dict[str, ast.expr] = {}
            if isinstance(above, ast.Call) and above.func is use:
                given = dict(zip(names, above.args, strict=False))
                given |= {str(k.arg): k.value for k in above.keywords}
            elif isinstance(above, ast.Tuple) and len(above.elts) == 2 and above.elts[0] is use:
                said = above.elts[1]
                if isinstance(said, (ast.List, ast.Tuple)):
                    given = dict(zip(names, said.elts, strict=False))
                elif isinstance(said, ast.Dict):
                    pairs = zip(said.keys, said.values, strict=True)
                    given = {str(k.value): v for k, v in pairs if isinstance(k, ast.Constant)}
            levels.append(level(self, given[name], depth) if name in given else UNKNOWN)
        return min(levels, default=UNKNOWN)

    def _item(self, owner: ast.expr, key: object, depth: int) -> int:
        value = self.value(owner)
        if isinstance(value, ast.Dict):
            pairs = zip(value.keys, value.values, strict=True)
            found = [v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key]
            return level(self, found[-1], depth) if found else UNKNOWN
        bound = self.program.scopes.lookup(owner)
        canned = bound is not None and bound.kind == "param" and key in CLASSES
        return NATURAL if canned else UNKNOWN

    def _returned(self, node: ast.Call, depth: int) -> int:
        scopes = self.program.scopes
        function = scopes.function(node.func)
        if function is None:
            return UNKNOWN
        returns = [s for s in scopes.walk() if isinstance(s, ast.Return)]
        values = [s.value for s in returns if scopes.scope(s) is function]
        return min(
            (level(self, v, depth) if v is not None else UNKNOWN for v in values), default=UNKNOWN
        )

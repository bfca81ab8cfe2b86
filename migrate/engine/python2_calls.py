"""Builtins, methods and modules' functions that Python 3 calls otherwise."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.python2_iteration import Iteration
from migrate.engine.python2_tables import (
    ATTRIBUTES,
    BUILTINS,
    GONE,
    ITERTOOLS,
    STRING_FUNCTIONS,
    TYPES,
    VIEWS,
)

_BUILTINS = frozenset((*BUILTINS, *GONE, "reduce", "file", "intern"))


class Calls(Iteration):
    """Names, calls and attributes by what they mean."""

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name not in _BUILTINS or not self.free(name) or node in self.done:
            return
        if not isinstance(node.ctx, ast.Load) or self.guarded(node):
            return
        new = BUILTINS.get(name)
        if new is not None:
            self.evidence = True
            if self.free(new):
                self.rename(node, new)
            else:
                self.fix(node, f"{name} is {new} in Python 3, but {new} is something else here")
        elif name == "reduce":
            self.fix(node, "reduce is in functools").fixed = True
            self.evidence = True
            self.need("from functools import reduce")
        elif name in GONE and self._is_called(node):
            self.fix(node, f"Python 3 has no {name}(): {GONE[name]}")
            self.evidence = True
        elif name == "file" and self._is_called(node):
            self.evidence = True
            self.rename(node, "open")
        elif name == "intern" and self._is_called(node):
            self.rename(node, "sys.intern")
            self.need("import sys")

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "isinstance" and len(node.args) == 2:
                self._isinstance(node.args[1])
            elif function.id == "reload" and self.free("reload") and not self.guarded(node):
                self._reload(node)
        elif isinstance(function, ast.Attribute):
            if not node.args and not node.keywords:
                self._plain_method(node, function)
            elif (
                function.attr == "has_key"
                and len(node.args) == 1
                and not isinstance(node.args[0], ast.Starred)
                and not node.keywords
                and "has_key" not in self.methods
                and not self.guarded(node)
            ):
                self._has_key(node, function)

    def _isinstance(self, kinds: ast.expr) -> None:
        """``(int, long)`` would say the same type twice."""
        if not isinstance(kinds, ast.Tuple) or self.guarded(kinds):
            return
        new: list[str] = []
        changed = False
        for element in kinds.elts:
            start, end = self.span(element)
            text = self.text[start:end]
            if isinstance(element, ast.Name) and self.free(text) and text in BUILTINS:
                text = BUILTINS[text]
                changed = changed or self.free(text)
            if text not in new:
                new.append(text)
        if changed and len(new) < len(kinds.elts):
            self.evidence = True
            self.done.update(kinds.elts)
            self.rename(kinds, new[0] if len(new) == 1 else f"({', '.join(new)})")

    def _plain_method(self, node: ast.Call, function: ast.Attribute) -> None:
        """Methods that were called without arguments."""
        name = function.attr
        if name[:4] in ("iter", "view") and name[4:] in VIEWS and name not in self.methods:
            if self.guarded(node):
                return
            span = self.attribute_span(function)
            fix = self.rename(span, name[4:], f".{name}() became .{name[4:]}()")
            if name[:4] == "iter" and not self._iterated(node, lazy=False):
                start, end = self.span(node)
                fix.edits += [Edit(start, start, "iter("), Edit(end, end, ")")]
        elif (
            name in VIEWS
            and isinstance(parent := self.parents.get(node), (ast.Subscript, ast.Attribute))
            and parent.value is node
            and not (isinstance(parent, ast.Attribute) and parent.attr not in ("sort", "index"))
            and not self.guarded(node)
        ):
            self.done.add(node)
            if isinstance(parent, ast.Attribute) and parent.attr == "sort":
                self.fix(node, f".{name}() has no .sort(): use sorted()")
            elif isinstance(parent, ast.Subscript) or name not in self.methods:
                self.wrap(node, "list", f".{name}() is no list in Python 3")

    def _has_key(self, node: ast.Call, function: ast.Attribute) -> None:
        self.evidence = True
        parent = self.parents.get(node)
        key: tuple[str | ast.AST, ...] = (node.args[0],)
        loose = (ast.Compare, ast.BoolOp, ast.IfExp, ast.NamedExpr, ast.Yield)
        inner = isinstance(node.args[0], (*loose, ast.Lambda)) or _is_has_key(node.args[0])
        if inner and not self._parenthesized(node.args[0]):
            key = ("(", node.args[0], ")")
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            outer: ast.AST = parent
            parts = (*key, " not in ", function.value)
        else:
            outer = node
            parts = (*key, " in ", function.value)
        above = self.parents.get(outer)
        bare = isinstance(above, (ast.stmt, ast.BoolOp, ast.IfExp, ast.comprehension)) or (
            isinstance(above, ast.Call) and outer in above.args
        )
        if not bare and not self._parenthesized(outer):
            parts = ("(", *parts, ")")
        self.move(outer, ".has_key() became in", *parts)

    def _reload(self, node: ast.Call) -> None:
        """``reload(sys)`` only ever brought ``sys.setdefaultencoding`` back."""
        self.evidence = True
        statement = self.parents.get(node)
        argument = self.text[slice(*self.span(node.args[0]))] if node.args else ""
        if argument == "sys" and isinstance(statement, ast.Expr):
            self._drop(statement, "reload(sys) was for sys.setdefaultencoding")
        else:
            self.need("import importlib")
            self.rename(node.func, "importlib.reload")

    def _attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name) or node in self.done:
            return
        name = node.value.id
        module = self.modules.get(name)
        if module is None or self.guarded(node):
            return
        attribute = node.attr
        new = ATTRIBUTES.get((module, attribute))
        if new is not None:
            self.evidence = True
            what = f"{module}.{attribute} became {module}.{new}"
            self.rename(self.attribute_span(node), new, what)
        elif module == "itertools" and attribute in ITERTOOLS:
            self.evidence = True
            if self.free(ITERTOOLS[attribute]):
                self.rename(node, ITERTOOLS[attribute])
            else:
                self.fix(node, f"itertools.{attribute} is {ITERTOOLS[attribute]}() in Python 3")
        elif module == "types" and attribute in TYPES:
            self.evidence = attribute != "NoneType" or self.evidence
            if attribute != "NoneType":  # there again since 3.10
                self.rename(node, TYPES[attribute])
        elif module == "string" and attribute in STRING_FUNCTIONS:
            self.evidence = True
            self._string_function(node)
        elif module == "sys" and attribute == "setdefaultencoding":
            call = self.parents.get(node)
            statement = self.parents.get(call) if call is not None else None
            self.evidence = True
            if isinstance(statement, ast.Expr):
                self._drop(statement, "sys.setdefaultencoding is gone: Python 3 uses UTF-8")
            else:
                self.fix(node, "sys.setdefaultencoding is gone: Python 3 uses UTF-8")

    def _string_function(self, node: ast.Attribute) -> None:
        """``string.join(words, ",")`` and its like are methods or builtins."""
        call = self.parents.get(node)
        name = node.attr
        if name == "maketrans":
            self.rename(node, "str.maketrans")
            return
        if (
            not isinstance(call, ast.Call)
            or call.func is not node
            or not call.args
            or call.keywords
            or any(isinstance(argument, ast.Starred) for argument in call.args)
        ):
            self.fix(node, f"string.{name} is a method of str in Python 3")
            return
        first, *others = call.args
        what = f"string.{name} became "
        builtin = {"atoi": "int", "atol": "int", "atof": "float"}.get(name)
        if builtin:
            self.rename(node, builtin)
            return
        if name == "join":
            receiver, others = (others[0], [first]) if others else (None, [first])
        else:
            receiver = first
        parts: list[str | ast.AST] = ["' '" if receiver is None else receiver]
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
        if receiver is not None and not isinstance(receiver, simple):
            parts = ["(", receiver, ")"] if not self._parenthesized(receiver) else [receiver]
        parts.append(f".{name}(")
        for position, argument in enumerate(others):
            parts += [", ", argument] if position else [argument]
        self.move(call, f"{what}a method", *parts, ")")

    def _print(self, node: ast.Expr) -> None:
        """``print`` alone and ``print >>f, x`` parse, but print nothing or fail."""
        value = node.value
        if isinstance(value, (ast.Call, ast.Constant)) or not self.free("print"):
            return
        if self.guarded(node):
            return
        if isinstance(value, ast.Name) and value.id == "print":
            self.evidence = True
            self.rename(value, "print()")
            return
        elements = value.elts if isinstance(value, ast.Tuple) else [value]
        shift = elements[0] if elements else value
        if (
            isinstance(shift, ast.BinOp)
            and isinstance(shift.op, ast.RShift)
            and isinstance(shift.left, ast.Name)
            and shift.left.id == "print"
        ):
            self.evidence = True
            parts: list[str | ast.AST] = ["print("]
            for element in elements[1:]:
                parts += element, ", "
            parts += "file=", shift.right
            if self.text[slice(*self.span(value))].rstrip().endswith(","):
                parts.append(", end=' '")
            self.move(value, "print >> became a call", *parts, ")")


def _is_has_key(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "has_key"
    )

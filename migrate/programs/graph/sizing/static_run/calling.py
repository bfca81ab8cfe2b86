"""The execution: calls."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.sizing.static_run import data, ops
from migrate.programs.graph.sizing.static_run.calls import array
from migrate.programs.graph.sizing.static_run.expressions import NUMBERS, Expressions, Stop
from migrate.programs.graph.sizing.static_run.sizes import rows, sizes
from migrate.programs.graph.sizing.static_run.values import (
    UNKNOWN,
    Class,
    Collected,
    Dim,
    Endpoint,
    Fields,
    Frame,
    Function,
    Given,
    Object,
    Record,
    Shape,
    Table,
    Tensor,
    product,
    static,
)

DEEP = 60


class Calls(Expressions):
    """Values of calls."""

    def _call(self, node: ast.Call) -> Any:
        func = node.func
        if isinstance(func, ast.Attribute) and id(func) not in self.walker.endpoints:
            owner = self.value(func.value)
            done = self._method(owner, func.attr, node)
            if done is not NotImplemented:
                return done
            called = self._of(owner, func)
        else:
            called = self.value(func)
        values = {
            id(a): self.value(a.value if isinstance(a, ast.Starred) else a) for a in node.args
        }
        values |= {id(k.value): self.value(k.value) for k in node.keywords}
        if isinstance(called, Endpoint):
            return self._endpoint(called.name, node, values)
        args: list[Any] | None = []
        for arg in node.args:
            given = self.items(values[id(arg)]) if isinstance(arg, ast.Starred) else None
            if isinstance(arg, ast.Starred):
                args = [*args, *given] if given is not None and args is not None else None
            elif args is not None:
                args.append(values[id(arg)])
        keywords: dict[str, Any] | None = {}
        for keyword in node.keywords:
            value = values[id(keyword.value)]
            if keyword.arg is not None and keywords is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict) and keywords is not None and id(value) not in self.doubted:
                keywords.update({str(k): v for k, v in value.items()})
            else:
                keywords = None
        if args is None or keywords is None:
            self.escaped(called)
            self.escaped(list(values.values()))
            return UNKNOWN
        return self.call(called, args, keywords, node)

    def _method(self, owner: Any, name: str, node: ast.Call) -> Any:
        """A method of a value of Python's, or of a tensor; else NotImplemented."""
        if isinstance(owner, Tensor):
            if name == "get_shape" and not node.args:
                return static(owner)
            return NotImplemented if name != "set_shape" else self._set_shape(owner, node)
        if isinstance(owner, Shape):
            if name == "as_list":
                return list(owner)
            if name == "num_elements":
                number = product(owner)
                return UNKNOWN if number is None else number
            if name == "is_fully_defined" and all(isinstance(n, int) for n in owner):
                return True
            return UNKNOWN
        if isinstance(owner, (data.Data, data.Iterator)):
            args = [self.value(a) for a in node.args]
            keywords = {k.arg or "": self.value(k.value) for k in node.keywords}
            return data.method(self, owner, name, args, keywords)
        self.doubt_of(owner if isinstance(owner, Table) else None)
        if isinstance(owner, (str, list, dict)):
            args = []
            for arg in node.args:
                given = self.value(arg.value if isinstance(arg, ast.Starred) else arg)
                several = self.items(given) if isinstance(arg, ast.Starred) else None
                args += [given] if several is None else several
            keywords = {k.arg or "": self.value(k.value) for k in node.keywords}
            if isinstance(owner, str):
                plain = all(isinstance(a, NUMBERS) for a in (*args, *keywords.values()))
                plain = plain and "" not in keywords
                try:
                    return getattr(owner, name)(*args, **keywords) if plain else UNKNOWN
                except (TypeError, ValueError, AttributeError, IndexError, KeyError):
                    return UNKNOWN
            if any(isinstance(a, ast.Starred) for a in node.args) or keywords or self.doubt:
                self.escaped(args)
                if name not in ("items", "keys", "values", "get", "index", "count", "copy"):
                    self.doubt_of(owner)
            if id(owner) in self.doubted:
                self.escaped(args)
                return UNKNOWN
            return arithmetic_method(self, owner, name, args)
        return NotImplemented

    def _endpoint(self, name: str, node: ast.Call, values: dict[int, Any]) -> Any:
        """A function of TensorFlow."""
        if name.endswith("app.run"):
            given = next(iter(values.values()), self.frame.find("main"))
            if isinstance(given, Function):
                return self.call(given, [UNKNOWN] * len(given.node.args.args), {}, None)
        if name.endswith(("framework.arg_scope", "slim.arg_scope")):
            return self._arg_scope(node, values)
        if name.endswith("utils.convert_collection_to_dict"):
            self.escaped(list(values.values()))
            return Collected(node)
        if name.endswith(".utils.collect_named_outputs") and len(node.args) == 3:
            return values[id(node.args[2])]
        if name.endswith((".utils.last_dimension", ".utils.first_dimension")):
            shape = next(iter(values.values()), UNKNOWN)
            size = shape[-1 if "last" in name else 0] if isinstance(shape, Shape) else None
            return UNKNOWN if size is None else size
        if name.endswith(("slim.stack", "slim.repeat")):
            self.escaped(list(values.values()))
            return UNKNOWN
        self.escaped(list(values.values()))
        try:
            bound = self.walker.bound(name, node)
        except Blocked:
            return UNKNOWN
        if any(id(v) not in values for v in bound.values()):
            return UNKNOWN
        given = self._scoped(name) | {k: values[id(v)] for k, v in bound.items()}
        return data.made(name, given) or ops.result(name, given)

    def _set_shape(self, owner: Tensor, node: ast.Call) -> None:
        """``x.set_shape([n, 3])``: what a name means has that shape from now on."""
        said = [*node.args, *(k.value for k in node.keywords)]
        shape = self.value(said[0]) if said else UNKNOWN
        told = sizes(shape)
        if told is None or not isinstance(node.func, ast.Attribute):
            return
        before = owner.shape if owner.shape is not None else (None,) * len(told)
        if len(before) == len(told):
            pairs = zip(before, told, strict=True)
            now = tuple(old if old is not None else new for old, new in pairs)
            if isinstance(node.func.value, (ast.Name, ast.Attribute)):
                self.bind(node.func.value, Tensor(now, rows=owner.rows or rows(shape)))

    def _arg_scope(self, node: ast.Call, values: dict[int, Any]) -> Any:
        listed = values[id(node.args[0])] if node.args else UNKNOWN
        before: dict[Any, dict[str, Any]] = {}
        for scope in self.scopes:
            for key, given in scope.arguments.items():
                before[key] = {**before.get(key, {}), **given}
        if isinstance(listed, Given):
            return listed
        if not isinstance(listed, (list, tuple)) or any(k.arg is None for k in node.keywords):
            return UNKNOWN
        given = {str(k.arg): values[id(k.value)] for k in node.keywords}
        for one in listed:
            key = _key(one)
            if key is None:
                return UNKNOWN
            before[key] = {**before.get(key, {}), **given}
        return Given(before)

    def _scoped(self, key: Any) -> dict[str, Any]:
        """What the open arg_scopes give: the innermost has all that is around it."""
        if not self.scopes:
            return {}
        key = key.replace("contrib.slim.", "contrib.layers.") if isinstance(key, str) else key
        return dict(self.scopes[-1].arguments.get(key, {}))

    def call(
        self, called: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call | None
    ) -> Any:
        """Call something."""
        if isinstance(called, Function):
            return self._function(called, args, keywords, node)
        if isinstance(called, Class):
            return self._made(called, args, keywords, node)
        if isinstance(called, Fields):
            given = dict(zip(called.names, args, strict=False)) | keywords
            if set(given) != set(called.names):
                return UNKNOWN
            return Record(called, [given[n] for n in called.names])
        if isinstance(called, Object):
            member = called.cls.find("__call__")
            if isinstance(member, Function):
                bound = self._member(called, member)
                return self.call(bound, args, keywords, node)
        if called is array:  # its numbers are whole ones of any type
            keywords = {k: v for k, v in keywords.items() if k != "dtype"}
        if callable(called) and not keywords and called is not UNKNOWN:
            return called(self, args)
        for value in (*args, *keywords.values()):
            self.doubt_of(value if isinstance(value, Table) else None)
        self.escaped(called)
        self.escaped(args)
        self.escaped(keywords)
        return UNKNOWN

    def _made(
        self, cls: Class, args: list[Any], keywords: dict[str, Any], node: ast.Call | None
    ) -> Any:
        made = Object(cls)
        first = cls.find("__init__")
        if isinstance(first, Function):
            bound = Function(first.node, first.frame, (made,), {}, first.defaults)
            self._function(bound, args, keywords, node)
        elif any(b is UNKNOWN for b in cls.bases):
            self.escaped(args)
            self.escaped(keywords)
        return made

    def _function(
        self,
        function: Function,
        args: list[Any],
        keywords: dict[str, Any],
        node: ast.Call | None,
    ) -> Any:
        target = function.node
        if node is not None:
            self.called.setdefault(id(node), set()).add(id(target))
        if self.depth >= DEEP:
            raise Stop
        spec = target.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        all_args = [*function.given, *args]
        self.calls += 1
        frame = Frame(target, function.frame.module, function.frame, number=self.calls)
        bound = dict(function.defaults)
        if function.scoped:
            bound |= self._scoped(id(target))
        bound |= dict(zip(names, all_args, strict=False)) | function.keywords
        known = {*names, *(a.arg for a in spec.kwonlyargs)}
        more = {k: v for k, v in keywords.items() if k not in known}
        bound |= {k: v for k, v in keywords.items() if k in known}
        for name in known:
            frame.names[name] = self._given(bound.get(name, UNKNOWN), name, frame.number)
        if spec.vararg is not None:
            frame.names[spec.vararg.arg] = list(all_args[len(names) :])
        if spec.kwarg is not None:
            frame.names[spec.kwarg.arg] = more
        self.entered.setdefault(id(target), []).append(frame.number)
        self.arguments[frame.number] = {k: v for k, v in bound.items() if type(v) is int}
        self.depth += 1
        try:
            return self.apply(function, frame)
        finally:
            self.depth -= 1

    @staticmethod
    def _given(value: Any, name: str, frame: int) -> Any:
        """An argument; of a tensor's dimensions it is kept whose they are."""
        if not isinstance(value, Tensor) or value.shape is None:
            return value
        dims = [n if n is None else Dim.of(n, (frame, name, i)) for i, n in enumerate(value.shape)]
        return Tensor(tuple(dims), rows=value.rows)


def arithmetic_method(run: Expressions, owner: Any, name: str, args: list[Any]) -> Any:
    """A method of a list or a dict that is told."""
    if isinstance(owner, list):
        if name == "append" and len(args) == 1:
            owner.append(args[0])
            return None
        items = run.items(args[0]) if len(args) == 1 else None
        if name == "extend" and items is not None:
            owner.extend(items)
            return None
    elif isinstance(owner, dict):
        if name in ("items", "keys", "values") and not args:
            return list(getattr(owner, name)())
        if name == "get" and args and isinstance(args[0], (str, int)):
            return owner.get(args[0], args[1] if len(args) > 1 else None)
    run.doubt_of(owner)
    run.escaped(args)
    return UNKNOWN


def _key(value: Any) -> Any:
    if isinstance(value, Endpoint):
        return value.name.replace("contrib.slim.", "contrib.layers.")
    return id(value.node) if isinstance(value, Function) else None

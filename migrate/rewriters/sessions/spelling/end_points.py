"""The outputs that slim collects by `outputs_collections`, as the dict that they end in.

What each layer gives is put into the dict where it is computed, under the name that
`convert_collection_to_dict` would give it: its variable scope's, or its name scope's.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/utils.py
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.meaning import T, canonical
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.known_branches import mentions
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling import repeats
from migrate.rewriters.sessions.spelling.source import Source

CONTRIB = T + "contrib.layers."
ARG_SCOPE = T + "contrib.framework.arg_scope"
SCOPE = T + "variable_scope"
DICTS = (T + "contrib.slim.utils.convert_collection_to_dict",)
# Layers that are collected under their variable scope, and those under their name scope.
VARIABLES = frozenset(
    CONTRIB + name
    for name in ("conv2d", "convolution2d", "fully_connected", "conv2d_transpose", "dropout")
)
NAMES = frozenset(CONTRIB + name for name in ("max_pool2d", "avg_pool2d", "flatten"))


class _Unseen(Exception):
    """What is collected isn't seen."""


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """One function's collection; None where it can't be told what is in it."""
    target = source.scope(error.node)
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return None
    if any(_endpoint(n, walker) in (repeats.REPEAT, repeats.STACK) for n in walk(target)):
        return repeats.edits(source, error, walker)  # the calls that they make come first
    try:
        return _Collected(source, target, walker).edits()
    except _Unseen:
        return None


def _endpoint(node: ast.AST, walker: Walker) -> str:
    found = walker.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
    return canonical(found) if found else ""


class _Collected:
    """A function that collects the outputs of its layers and returns them in a dict."""

    def __init__(self, source: Source, target: ast.FunctionDef, walker: Walker) -> None:
        self.source, self.target, self.walker = source, target, walker
        self.outer: dict[int, ast.AST] = parents_of(target)
        made = [n for n in walk(target) if self._raw(n) in DICTS]
        if len(made) != 1 or not isinstance(made[0], ast.Call) or made[0].keywords:
            raise _Unseen
        stmt, asked = self.outer[id(made[0])], made[0].args
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or len(asked) != 1:
            raise _Unseen
        if not isinstance(stmt.targets[0], ast.Name) or not isinstance(asked[0], ast.Name):
            raise _Unseen
        self.converted, self.result = stmt, stmt.targets[0].id
        self.collection = asked[0].id
        uses = _uses(target, self.collection)
        bound = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        begin = self.outer.get(id(bound[0])) if len(bound) == 1 else None
        if not isinstance(begin, ast.Assign) or len(begin.targets) != 1:
            raise _Unseen
        self.begin = begin
        self.given = [self._keyword(n) for n in uses if n is not bound[0] and n is not asked[0]]
        if any(n.lineno < stmt.lineno for n in _uses(target, self.result)):
            raise _Unseen

    def edits(self) -> list[Edit]:
        """The dict, empty at first; what each layer puts into it; no collection."""
        source = self.source
        nl = "\r\n" if "\r\n" in source.document.text else "\n"
        found = [Edit(*source.span(self.begin), f"{self.result} = {{}}"), self._gone()]
        names: set[str] = set()
        for keyword, call in self.given:
            at = source.span(keyword.value)
            start = source.document.text.rindex(",", 0, at[0])
            if source.document.text[start + 1 : at[0]].split() != ["outputs_collections="]:
                raise _Unseen
            found.append(Edit(start, at[1], ""))
            for layer in self._layers(call):
                if layer.lineno > self.converted.lineno:
                    continue  # the dict was made before
                stmt, name = self.outer[id(layer)], self._name(layer)
                if not isinstance(stmt, ast.Assign) or not source.alone(stmt) or name in names:
                    raise _Unseen
                target = stmt.targets[0]
                if len(stmt.targets) != 1 or not isinstance(target, ast.Name):
                    raise _Unseen
                names.add(name)
                end = source.document.text.find("\n", source.span(stmt)[1])
                end = len(source.document.text) if end < 0 else end
                line = f"{source.indent(stmt)}{self.result}[{name}] = {target.id}"
                at_end = end - (source.document.text[end - 1 : end] == "\r")
                found.append(Edit(at_end, at_end, nl + line))
        return found

    def _gone(self) -> Edit:
        """The statement that made the dict goes."""
        stmt, text = self.converted, self.source.document.text
        if not self.source.alone(stmt):
            raise _Unseen
        start = self.source.document.index.offset(stmt.lineno - self.source.part.line, 0)
        end = text.find("\n", self.source.span(stmt)[1]) + 1 or len(text)
        if "#" in text[self.source.span(stmt)[1] : end]:
            raise _Unseen
        return Edit(start, end, "")

    def _keyword(self, use: ast.AST) -> tuple[ast.keyword, ast.Call]:
        """What a use of the collection is given to."""
        outer = self.outer[id(use)]
        if isinstance(outer, (ast.List, ast.Tuple)) and len(outer.elts) == 1:
            outer = self.outer[id(outer)]
        if not isinstance(outer, ast.keyword) or outer.arg != "outputs_collections":
            raise _Unseen
        call = self.outer[id(outer)]
        assert isinstance(call, ast.Call)
        return outer, call

    def _layers(self, call: ast.Call) -> list[ast.Call]:
        """The layers that are collected: the one itself, or those in an arg_scope that it lists."""
        if _endpoint(call, self.walker) != ARG_SCOPE:
            return [call]
        item = self.outer[id(call)]
        block = self.outer[id(item)]
        if not isinstance(block, ast.With) or not call.args:
            raise _Unseen
        listed = getattr(call.args[0], "elts", [])
        kinds = {canonical(self.walker.endpoints.get(id(n), "")) for n in listed}
        if not kinds <= VARIABLES | NAMES:  # a normalization in a layer would be collected, too
            raise _Unseen
        found = []
        for node in (n for stmt in block.body for n in walk(stmt)):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                raise _Unseen
            if isinstance(node, ast.Call):
                endpoint = _endpoint(node, self.walker)
                if endpoint in kinds:
                    found.append(node)
                elif not endpoint and self.walker._module_function(node.func) is not None:
                    raise _Unseen  # its layers are collected, too
        return found

    def _name(self, layer: ast.Call) -> str:
        """The source of the name under which a layer's output is found."""
        endpoint = _endpoint(layer, self.walker)
        own = self.walker.bound(endpoint, layer).get("scope")
        if endpoint not in VARIABLES | NAMES or not isinstance(own, ast.Constant):
            raise _Unseen
        if endpoint in NAMES and mentions(self.walker, self.target) > 1:
            raise _Unseen  # TF 1 counts the name scopes of its calls
        inner: list[str] = [str(own.value)]
        node: ast.AST = layer
        while node is not self.target:
            node = self.outer[id(node)]
            if isinstance(node, (ast.For, ast.While, ast.Try, ast.comprehension)):
                raise _Unseen
            if not isinstance(node, ast.With):
                continue
            for item in node.items[::-1]:
                endpoint = _endpoint(item.context_expr, self.walker)
                if endpoint == ARG_SCOPE:
                    continue
                if endpoint != SCOPE:
                    raise _Unseen
                if isinstance(item.optional_vars, ast.Name) and self._outermost(node):
                    return f"{item.optional_vars.id}.name + {'/' + '/'.join(inner[::-1])!r}"
                call = item.context_expr
                assert isinstance(call, ast.Call)
                given = self.walker.bound(SCOPE, call).get("name_or_scope")
                if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
                    raise _Unseen
                inner.append(given.value)
        raise _Unseen

    def _outermost(self, block: ast.With) -> bool:
        """Whether no other scope is open around a with statement."""
        node: ast.AST = block
        while node is not self.target:
            node = self.outer[id(node)]
            if isinstance(node, ast.With):
                return False
        return len(block.items) == 1

    def _raw(self, node: ast.AST) -> str:
        return self.walker.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""


def _uses(target: ast.AST, name: str) -> list[ast.Name]:
    return [n for n in all_of(target, ast.Name) if n.id == name]

"""The tags of summaries that loops make: names that are put together of variables' and of numbers.

Each round of a loop must have another one, and none may be a name that TF 1 has given already: then
it would have a number there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.listing import looped_names
from migrate.programs.graph.making import named_variables, written_lists
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.scoping.op_names import SCOPES, op_name
from migrate.programs.graph.scoping.scopes import scope_name

ALIKE = "a summary is called after a variable whose name in TF 1 isn't kept"
COMPUTED = "a summary's name is computed"
# What TF 1 itself makes below a variable's name.
BELOW = frozenset(("read", "assign", "initializer", "initial_value", "isinitialized", "cond"))
BELOW |= frozenset(("adam", "adagrad", "adadelta", "momentum", "rmsprop", "ftrl", "linear"))
BELOW |= frozenset(("accum", "regularizer", "exponentialmovingaverage", "concat", "part_0"))
CLEAN = re.compile(r"[^-/\w.]")
FIELD = re.compile(r"\{\d*\}|%[sdi]|%%|\{\{|\}\}")


@dataclass(slots=True)
class Part:
    """A part of a computed name that isn't written: whose name it is, or what counts."""

    node: ast.expr
    of: str  # name, op, index; told op, told name
    target: str  # of the loop
    told: ast.ListComp | None = None  # the names that the loop goes through


class Tag:
    """The tag that a computed name gives."""

    def __init__(self, walker: Any, own: ast.expr, node: ast.Call) -> None:
        self.walker, self.own, self.node = walker, own, node
        self.loops = loops(walker.sink.node, node)
        self.literals: dict[int, str] = {}  # what literals become, by node

    def written(self) -> Callable[[Any], str]:
        """How the tag is written: a function of the writer.

        Raises:
            Blocked: it isn't sure.
        """
        scope = self.walker.naming.ops
        if scope is None:
            raise Blocked(self.node, "a scope around a summary whose name is computed")
        parts = list(self.parts(self.own))
        told = {p.target for p in parts if isinstance(p, Part)}
        for loop in self.loops:
            if not told & {n.id for n in all_of(loop.target, ast.Name)}:
                raise Blocked(self.own, "rounds of a loop give summaries one name")
        again = self.free(parts, scope)
        inner = [p for p in parts if isinstance(p, Part)]
        head = f"{scope}/" if scope else ""

        def source(writer: Any) -> str:
            start = writer.text.index.span(self.own)[0]
            text = writer.text.source(self.own)
            other = "'" if isinstance(self.own, ast.JoinedStr) and text[1:2] == '"' else '"'
            found: list[tuple[ast.AST, str]] = [(p.node, _written(p, writer, other)) for p in inner]
            nodes = {id(n): n for n in walk(self.own)}
            found += [(nodes[key], new) for key, new in self.literals.items()]
            for node, new in sorted(found, key=lambda f: -writer.text.index.span(f[0])[0]):
                lo, hi = writer.text.index.span(node)
                text = text[: lo - start] + new + text[hi - start :]
            text = " ".join(text.split())
            if head or again:
                plain = isinstance(self.own, (ast.Call, ast.Name, ast.Attribute, ast.Constant))
                adds = isinstance(self.own, ast.BinOp) and isinstance(self.own.op, ast.Add)
                text = text if plain or adds else f"({text})"
            quote = '"'
            text = f"{quote}{head}{quote} + {text}" if head else text
            return f"{text} + {quote}{again}{quote}" if again else text

        return source

    def parts(self, node: ast.expr) -> Iterable[str | Part]:
        """What a name is put together of.

        Raises:
            Blocked: a part isn't seen.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            clean = CLEAN.sub("_", node.value)
            if clean != node.value:
                self.literals[id(node)] = repr(clean)
            yield clean
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from self.parts(node.left)
            yield from self.parts(node.right)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            args = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            yield from self.filled(node.left, args)
        elif isinstance(node, ast.JoinedStr):
            for value in node.values:
                if isinstance(value, ast.FormattedValue):
                    if value.conversion != -1 or value.format_spec is not None:
                        raise Blocked(self.own, COMPUTED)
                    yield from self.parts(value.value)
                elif isinstance(value, ast.Constant):
                    if CLEAN.search(str(value.value)):
                        raise Blocked(self.own, COMPUTED)
                    yield str(value.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr != "format" or node.keywords:
                raise Blocked(self.own, COMPUTED)
            yield from self.filled(node.func.value, node.args)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and len(node.args) == 1:
            yield from self.parts(node.args[0])
        else:
            yield self.part(node)

    def filled(self, text: ast.expr, args: list[ast.expr]) -> Iterable[str | Part]:
        """A format and what is put into it."""
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            raise Blocked(self.own, COMPUTED)
        fields = FIELD.findall(text.value)
        pieces = FIELD.split(text.value)
        plain = all(f in ("{}", "%s", "%d", "%i") for f in fields)
        if not plain or len(fields) != len(args) or "%" in "".join(pieces):
            raise Blocked(self.own, COMPUTED)
        clean = [CLEAN.sub("_", p) for p in pieces]
        if clean != pieces:
            new = "".join(p + f for p, f in zip(clean, [*fields, ""], strict=True))
            self.literals[id(text)] = repr(new)
        for piece, arg in zip(clean, [*args, None], strict=True):
            yield piece
            if arg is not None:
                yield from self.parts(arg)

    def part(self, node: ast.expr) -> Part:
        """A variable's name, or what a loop counts with."""
        if isinstance(node, ast.Attribute) and node.attr == "name":
            of, kind = node.value, "name"
            if isinstance(of, ast.Attribute) and of.attr == "op":
                of, kind = of.value, "op"
            if isinstance(of, ast.Name):
                value = self.walker.expression(of)
                if value.kind is Kind.VARIABLE:
                    try:
                        named_variables.named(self.walker, value, node)
                    except Blocked as error:
                        looped_names.check(self.walker, node, error.reason, tag=True)
                        raise
                    return Part(node, kind, of.id)
        if isinstance(node, ast.Name):
            self.walker.host(node)
            for loop in self.loops:
                if _counts(loop, node.id) and not _rebound(loop, node.id):
                    return Part(node, "index", node.id)
                told = looped_names.told(self.walker, loop, node.id)
                if told is not None and not _rebound(loop, node.id):
                    op = ast.unparse(told.elt).endswith(".op.name")
                    return Part(node, "told op" if op else "told name", node.id, told)
        looped_names.check(self.walker, node, COMPUTED, tag=True)
        written_lists.check(self.walker, node, COMPUTED)
        raise Blocked(self.own, COMPUTED)

    def free(self, parts: list[str | Part], scope: str) -> str:
        """See that TF 1 gives no number to a name; what it adds to that of a variable itself.

        Raises:
            Blocked: it may.
        """
        walker = self.walker
        shape = "".join(p if isinstance(p, str) else f"{{{p.of}}}" for p in parts).lower()
        taken = walker.kept.setdefault("summary shapes", {})
        if taken.setdefault((scope, shape), self.node) is not self.node:
            raise Blocked(self.own, "summaries of one name")
        first = next((p for p in parts if isinstance(p, Part)), None)
        if first is None:
            raise Blocked(self.own, COMPUTED)
        place = parts.index(first)
        head = "".join(str(p) for p in parts[:place])
        if head.startswith("/"):
            raise Blocked(self.own, COMPUTED)
        tail = "".join(p if isinstance(p, str) else "{" for p in parts[place + 1 :])
        if first.of == "index":
            stem = head.rpartition("/")[2].rstrip("_").lower()
            if stem and head.endswith("_") and stem in _asked(walker):
                raise Blocked(self.own, f"whether `{head}…` is free for a summary can't be told")
            return ""
        try:
            names = variable_names(walker, self.own) if first.told is None else []
        except Blocked:
            looped_names.check(walker, first.node, ALIKE, tag=True)
            raise
        if head or scope or first.of in ("name", "told name"):
            return ""
        if not tail:
            if any("{" in n or re.search(r"_\d+$", n) for n in names):
                raise Blocked(self.own, "a summary has its variable's own name")
            if first.told is not None:  # what they are is seen in the end
                walker.kept.setdefault(("names in tags",), set()).add(id(first.told))
            return "_1"
        below = tail[1:].partition("/")[0].lower() if tail[0] == "/" else ""
        if re.sub(r"_\d+$", "", below) in BELOW or re.match(r"_?\d", tail):
            raise Blocked(self.own, f"whether a variable's `{tail}` is free can't be told")
        return ""


def _written(part: Part, writer: Any, quote: str) -> str:
    source = str(writer.text.source(part.node))
    colon = f"{quote}:{quote}"
    if part.of in ("name", "told name"):
        return f"{source}.replace({colon}, {quote}_{quote})"
    if part.of == "op":
        return f"{part.target}.name.split({colon})[0]"
    return source


def loops(root: ast.AST, node: ast.AST) -> list[ast.For]:
    """The loops of a statement around a node."""
    found = all_of(root, ast.For)
    return [n for n in found if any(c is node for s in n.body for c in walk(s))]


def _counts(loop: ast.For, name: str) -> bool:
    """Whether a loop's name is a number that each of its rounds has another of."""
    items, target = loop.iter, loop.target
    if not isinstance(items, ast.Call) or not isinstance(items.func, ast.Name):
        return False
    if items.func.id == "enumerate" and isinstance(target, ast.Tuple) and len(items.args) == 1:
        target = target.elts[0]
    elif items.func.id not in ("range", "xrange"):
        return False
    return isinstance(target, ast.Name) and target.id == name


def _rebound(loop: ast.For, name: str) -> bool:
    stored = [n for s in loop.body for n in all_of(s, ast.Name)]
    return any(n.id == name and not isinstance(n.ctx, ast.Load) for n in stored)


def _asked(walker: Any) -> set[str]:
    """The last words of all names that a program's calls ask for, in small letters."""
    found = set()
    for tree in walker.program():
        for call in all_of(tree, ast.Call):
            endpoint = walker.endpoints.get(id(call.func), "")
            name: str | None = op_name(walker, call)
            if endpoint in SCOPES or endpoint.startswith(T + "summary."):
                first = call.args[0] if call.args else None
                name = str(first.value) if isinstance(first, ast.Constant) else None
            if name:
                found.add(name.rpartition("/")[2].lower())
    return found


def variable_names(walker: Any, node: ast.AST) -> list[str]:
    """The names of all variables, computed ones in braces, where the output keeps them.

    Raises:
        Blocked: it gives one another name than TF 1, or the same to two.
    """
    found: list[str] = []
    for tree in walker.program():
        for call in walk(tree):
            endpoint = walker.endpoints.get(id(call.func)) if isinstance(call, ast.Call) else None
            if endpoint not in meaning.VARIABLES or not isinstance(call, ast.Call):
                continue
            paths = [path for key, path in walker.naming.known.items() if key[-1] == id(call)]
            if not paths:
                continue  # nothing that is run makes it
            if endpoint == T + "get_variable":
                made = walker.made.get(id(call))
                name = made.name if made is not None else None
                sure = name is not None  # TF 1 itself refuses another one
            else:
                name = _full(
                    walker, next((k.value for k in call.keywords if k.arg == "name"), None)
                )
                sure = paths == [name]
                if name is not None and "{" in name:  # in a loop, or of several calls
                    sure = len(paths) == 1 or not any(
                        path is None or re.search(r"_\d+$", path) for path in paths
                    )
            if name is None or not sure or name.lower() in found:
                raise Blocked(node, ALIKE)
            found.append(name.lower())
    return found


def _full(walker: Any, own: ast.expr | None) -> str | None:
    """The name that the output gives a `tf.Variable`; None where it gives it none of TF 1's."""
    if own is None:
        return None
    written = walker.scoped_names.get(id(own))
    if not written:
        return scope_name(own)
    return str(written).removeprefix("f").strip("'\"")

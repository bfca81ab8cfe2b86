"""What a TPUEstimatorSpec's `host_call` writes, as a model_fn's summaries.

    def host_call_fn(step, loss, rate):             tf.summary.scalar('loss', loss)
        with summary.create_file_writer(…):         tf.summary.scalar('rate', rate)
            with summary.always_record_summaries():
                summary.scalar('loss', loss[0], step=step[0])
                summary.scalar('rate', rate[0], step=step[0])
                return summary.all_summary_ops()
    host_call = (host_call_fn, [
        tf.reshape(step, [1]), tf.reshape(loss, [1]), tf.reshape(rate, [1])])

They are written where an Estimator writes summaries: not to another folder, and not by steps of
their own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.text import Text

SPECS = ("contrib.tpu.TPUEstimatorSpec", "estimator.tpu.TPUEstimatorSpec")
PLAIN = "tensorflow.estimator.EstimatorSpec"
MODULES = ("tensorflow.contrib.summary.", "tensorflow.compat.v2.summary.")
AROUND = {
    "create_file_writer",
    "create_summary_file_writer",
    "always_record_summaries",
    "record_summaries_every_n_global_steps",
    "record_if",
}
RETURNED = {"tensorflow.summary.all_v2_summary_ops", MODULES[0] + "all_summary_ops"}

Called = Callable[[ast.AST | None], str]


def edits(tree: ast.Module, text: Text, called: Called) -> Iterator[Edit]:
    """The edits of one file."""
    tf = next(
        (
            a.asname or a.name
            for n in walk(tree)
            if isinstance(n, ast.Import)
            for a in n.names
            if a.name == "tensorflow"
        ),
        "",
    )
    if not tf:
        return
    for owner in all_of(tree, ast.FunctionDef):
        specs = [c for c in all_of(owner, ast.Call) if called(c).endswith(SPECS)]
        words = [k for c in specs for k in c.keywords if k.arg == "host_call"]
        names = {k.value.id for k in words if isinstance(k.value, ast.Name)}
        branches = [n for i in all_of(owner, ast.If) for n in walk(i)]
        if any(called(c) == PLAIN for c in all_of(owner, ast.Call)):
            if any(n is w for n in branches for w in words):
                continue  # where there are no TPUs it is that spec, without a host call
        inner = [f for f in all_of(owner, ast.FunctionDef) if f is not owner]
        if len(names) != 1 or any(_said(f, words) for f in inner):
            continue
        try:
            yield from _HostCall(owner, text, called, tf, words, names.pop()).edits()
        except _Unsaid:
            continue


class _Unsaid(Exception):
    """A host call that has no other words."""


def _said(function: ast.FunctionDef, words: list[ast.keyword]) -> bool:
    return any(n is w for n in walk(function) for w in words)


class _HostCall:
    """That of one model_fn."""

    def __init__(
        self,
        owner: ast.FunctionDef,
        text: Text,
        called: Called,
        tf: str,
        words: list[ast.keyword],
        name: str,
    ) -> None:
        self.owner, self.text, self.called, self.tf = owner, text, called, tf
        self.words, self.name = words, name
        self.names = list(all_of(owner, ast.Name))

    def edits(self) -> list[Edit]:
        """All of them.

        Raises:
            _Unsaid: it does more than to write scalars, or is used otherwise.
        """
        assigned = [s for s in all_of(self.owner, ast.Assign) if self._sets(s)]
        whole = [s for s in assigned if isinstance(s.value, (ast.Tuple, ast.List))]
        empty = [s for s in assigned if s not in whole]
        uses = [n for n in self.names if n.id == self.name]
        if len(whole) != 1 or len(uses) != len(assigned) + len(self.words):
            raise _Unsaid
        if any(not isinstance(s.value, ast.Constant) or s.value.value is not None for s in empty):
            raise _Unsaid
        made = whole[0].value
        assert isinstance(made, (ast.Tuple, ast.List))
        function, summaries = self._summaries(made)
        piece = self.text.piece(whole[0])
        lines = [f"{self.tf}.summary.scalar({tag}, {value})" for tag, value in summaries]
        start, end = self.text.index.span(whole[0])
        out = [Edit(start, end, f"{self.text.newline}{piece.indent}".join(lines) or "pass")]
        for stmt in [*empty, function]:
            first, last = self.text.piece(stmt).first, self.text.piece(stmt).last
            at, to = self.text.start(first), self.text.start(last + 1)
            new = (
                f"{self.text.piece(stmt).indent}pass{self.text.newline}"
                if self._alone(stmt)
                else ""
            )
            out.append(Edit(at, to, new))
        out += [self._without(word) for word in self.words]
        return out

    def _sets(self, stmt: ast.Assign) -> bool:
        return len(stmt.targets) == 1 and getattr(stmt.targets[0], "id", "") == self.name

    def _alone(self, stmt: ast.stmt) -> bool:
        """Whether nothing else stands in a block."""
        for node in walk(self.owner):
            for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(block, list) and any(s is stmt for s in block):
                    return len(block) == 1
        raise _Unsaid

    def _without(self, word: ast.keyword) -> Edit:
        """A call without one of its keywords."""
        source = self.text.text
        start = self.text.index.span(word.value)[0]
        start = source.rindex("host_call", 0, start)
        end = self.text.index.span(word.value)[1]
        before = source[:start].rstrip()
        if before.endswith(","):
            return Edit(len(before) - 1, end, "")
        rest = source[end:].lstrip()
        comma = rest.startswith(",")
        to = len(source) - len(rest) + 1 if comma else end
        to += len(source[to:]) - len(source[to:].lstrip()) if comma else 0
        return Edit(start, to, "")

    def _summaries(
        self, made: ast.Tuple | ast.List
    ) -> tuple[ast.FunctionDef, list[tuple[str, str]]]:
        """The function that is called, and the tags and values that it writes."""
        if len(made.elts) != 2 or not isinstance(made.elts[0], ast.Name):
            raise _Unsaid
        name, tensors = made.elts[0].id, made.elts[1]
        found = [f for f in all_of(self.owner, ast.FunctionDef) if f.name == name]
        uses = [n for n in self.names if n.id == name]
        if len(found) != 1 or len(uses) != 1 or not isinstance(tensors, (ast.List, ast.Tuple)):
            raise _Unsaid
        function = found[0]
        args = function.args
        params = [a.arg for a in args.args]
        plain = not (args.vararg or args.kwarg or args.kwonlyargs or function.decorator_list)
        if not plain or len(params) != len(tensors.elts):
            raise _Unsaid
        self.given = dict(zip(params, tensors.elts, strict=True))
        self.first: set[str] = set()  # arguments that are their first element already
        return function, self._written(function.body)

    def _written(self, body: list[ast.stmt]) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = []
        for stmt in body:
            idle = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
            if idle or isinstance(stmt, ast.Pass):
                continue
            if isinstance(stmt, ast.With) and all(self._around(i) for i in stmt.items):
                out += self._written(stmt.body)
            elif isinstance(stmt, ast.Return) and self.called(stmt.value) in RETURNED:
                continue
            elif isinstance(stmt, ast.Assign) and self._first(stmt.value):
                target = stmt.targets[0]
                own = self._first(stmt.value)
                if len(stmt.targets) > 1 or getattr(target, "id", "") != own:
                    raise _Unsaid
                self.first.add(own)
            elif isinstance(stmt, ast.Expr):
                out.append(self._scalar(stmt.value))
            else:
                raise _Unsaid
        return out

    def _around(self, item: ast.withitem) -> bool:
        """Whether a block only says where summaries are written, and when."""
        node = item.context_expr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "as_default" and not node.args:
                node = node.func.value
        name = self.called(node)
        return name.startswith(MODULES) and name.rpartition(".")[2] in AROUND

    def _first(self, node: ast.expr) -> str:
        """The argument whose only element this is."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return ""
        at = node.slice
        known = isinstance(at, ast.Constant) and at.value == 0
        return node.value.id if known and node.value.id in self.given else ""

    def _scalar(self, node: ast.expr) -> tuple[str, str]:
        name = self.called(node)
        if not name.startswith(MODULES) or not name.endswith(".scalar"):
            raise _Unsaid
        assert isinstance(node, ast.Call)
        given = dict(zip(("name", "tensor"), node.args, strict=False))
        given |= {k.arg or "": k.value for k in node.keywords}
        given.pop("step", None)
        if len(node.args) > 2 or "name" not in given or len(given) != 2:
            raise _Unsaid
        tag = given.pop("name")
        (value,) = given.values()
        if self.called(value) == "tensorflow.reduce_mean" and isinstance(value, ast.Call):
            value = value.args[0] if len(value.args) == 1 and not value.keywords else value
            param = value.id if isinstance(value, ast.Name) else ""
        else:
            param = self._first(value)
            if isinstance(value, ast.Name) and value.id in self.first:
                param = value.id
        if param not in self.given or not isinstance(tag, ast.Constant):
            raise _Unsaid
        return self.text.source(tag), self._tensor(self.given[param])

    def _tensor(self, node: ast.expr) -> str:
        """The scalar that stands in a tensor of one element."""
        made: ast.expr | None = node
        if isinstance(node, ast.Name):
            sets = [n for n in self.names if n.id == node.id and not isinstance(n.ctx, ast.Load)]
            found = [
                s
                for s in all_of(self.owner, ast.Assign)
                if len(s.targets) == 1 and getattr(s.targets[0], "id", "") == node.id
            ]
            made = found[0].value if len(found) == len(sets) == 1 else None
        name = self.called(made)
        assert made is None or isinstance(made, ast.expr)
        if name == "tensorflow.reshape" and isinstance(made, ast.Call):
            shape = made.args[1] if len(made.args) == 2 else None
            shape = next((k.value for k in made.keywords if k.arg == "shape"), shape)
            if made.args and shape is not None and ast.unparse(shape) in ("[1]", "(1,)"):
                return self.text.source(made.args[0])
        if name == "tensorflow.expand_dims" and isinstance(made, ast.Call) and len(made.args) == 2:
            return self.text.source(made.args[0])
        raise _Unsaid

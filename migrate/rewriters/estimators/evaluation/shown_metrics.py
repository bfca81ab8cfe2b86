"""Summaries of what metrics come to while a model trains: `tf.summary.scalar('acc', accuracy[1])`.

TF 1 runs the update of such a metric where the summary is asked for, and nowhere else: it takes in
the batches of the steps whose summaries are written, from the first step of a `fit` on.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/accuracy
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators.evaluation import confusion, metrics
from migrate.rewriters.estimators.models import tags

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.model_fn import Model
    from migrate.rewriters.estimators.models.specs import Specs

SCALAR = "tensorflow.summary.scalar"
HOOKS = ("LoggingTensorHook", "SummarySaverHook")
# Those whose updates give no number in TF 1, so that no summary can be of them.
OTHERS = ("mean_iou", "mean_per_class_accuracy")
# What a `Checkpointed` has besides, by what stands before it.
MORE = {
    "        self.eval_writers = {}\n": (
        "        self.summarized = types.SimpleNamespace()  # metrics of training\n"
    ),
    "        self.first_step.assign(int(self.optimizer.iterations))\n": (
        "        for metric in vars(self.summarized).values():\n            metric.reset_state()\n"
    ),
}
METHOD = '''\
    def write_metric(self, tag, metric, *batch, **weights):
        """Write what a metric comes to, of the steps whose summaries are written."""

        def write():
            metric.update_state(*batch, **weights)
            self.write_scalar(tag, metric.result())

        {tf}.cond(self.summarizes(), write, lambda: None)

'''
BEFORE = "    def fit(self, dataset, max_steps"


def unrolled(owner: Model, body: Sequence[ast.stmt]) -> None:
    """`for name, op in metrics.items(): tf.summary.scalar(name, op[1])`, a line for each.

    Raises:
        Spelled: a model_fn has that.
    """
    for stmt in body:
        if not isinstance(stmt, ast.For) or len(stmt.body) != 1 or stmt.orelse:
            continue
        inner, items = stmt.body[0], stmt.iter
        call = inner.value if isinstance(inner, ast.Expr) else None
        if not isinstance(call, ast.Call) or owner.program.called(call) != SCALAR:
            continue
        of = items.func if isinstance(items, ast.Call) and not items.args else None
        if not isinstance(of, ast.Attribute) or of.attr != "items":
            continue
        names = stmt.target.elts if isinstance(stmt.target, ast.Tuple) else []
        if len(names) != 2 or not isinstance(of.value, ast.Name) or not possible(owner):
            continue
        given = owner.program.given(call)
        said = [ast.unparse(given[k]) if k in given else "" for k in ("name", "tensor")]
        key, value = (ast.unparse(n) for n in names)
        if said != [key, f"{value}[1]"] or set(given) != {"name", "tensor"}:
            continue
        try:
            found = metrics.items(of.value, body[: body.index(stmt)], owner.resolved)
        except Blocked:
            continue
        keys = [k for k, _, test in found if test is None and isinstance(k, ast.Constant)]
        if len(keys) < len(found):
            continue
        whole, root = of.value, call.func
        lines = _lines(root, whole, keys)
        raise Spelled(stmt, "summaries in a loop", [(stmt, lambda _: "")], [(stmt, lines)])


def _lines(
    root: ast.expr, whole: ast.Name, keys: Sequence[ast.Constant]
) -> Callable[[Callable[[ast.AST], str]], list[str]]:
    def lines(source: Callable[[ast.AST], str]) -> list[str]:
        return [f"{source(root)}({k.value!r}, {whole.id}[{k.value!r}][1])" for k in keys]

    return lines


def possible(owner: Model) -> bool:
    """Whether nothing but summaries runs the updates of metrics in training."""
    called = (owner.program.called(c) for c in owner.program.calls())
    plain = owner.by_name is None and not owner.replicated and not owner.hooked
    return plain and not any(name.endswith(HOOKS) for name in called)


def read(
    owner: Model, call: ast.Call, name: ast.expr, data: ast.expr, body: Sequence[ast.stmt]
) -> bool:
    """Note a summary of a metric; whether it is one that is written."""
    made = _metric(owner, data, body)
    if made is None or not possible(owner):
        return False
    taken = {metric.name for metric in owner.shown.values()}

    def free(*wishes: str) -> str:
        more = (f"{wishes[-1]}_{number}" for number in range(1, 1000))
        return next(w for w in (*wishes, *more) if w not in taken)

    try:
        found = metrics.read(owner.program, name, made, free)
        metrics.final(found, list(body))
    except Blocked:
        return False
    owner.shown[id(call)] = found
    return True


def numbered(owner: Model, name: ast.expr, tag: str) -> str:
    """A tag as TF 1 numbers it, where metrics above have taken its name for their scopes."""
    word = tags.constant(owner.program, owner.function, name)
    if word is None or "/" in word:
        return tag
    taken = 0
    for node in (n for stmt in owner.bodies["train"] for n in walk(stmt)):
        if not isinstance(node, ast.Call) or node.lineno >= name.lineno:
            continue
        module, _, kind = owner.program.called(node).rpartition(".")
        if module != "tensorflow.metrics" or list(tags.scopes(owner.program, owner.function, node)):
            continue
        said = owner.program.given(node).get("name")
        scope = said.value if isinstance(said, ast.Constant) else kind if said is None else ""
        taken += scope == word
    return repr(f"{word}_{taken}") if taken else tag


def _metric(owner: Model, data: ast.expr, body: Sequence[ast.stmt]) -> ast.Call | None:
    """The metric whose update a summary is of."""
    if isinstance(data, ast.Name):
        return _unpacked(owner, data, body)
    if not isinstance(data, ast.Subscript) or not isinstance(data.slice, ast.Constant):
        return None
    if data.slice.value != 1:
        return None
    value = data.value
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
        try:
            found = metrics.items(value.value, body, owner.resolved)
        except Blocked:
            return None
        key = ast.dump(value.slice)
        every = [item for k, item, test in found if ast.dump(k) == key and test is None]
        value = every[0] if len(every) == 1 else value
    value = owner.resolved(value, body)
    return value if isinstance(value, ast.Call) and _is_one(owner, value) else None


def _unpacked(owner: Model, name: ast.Name, body: Sequence[ast.stmt]) -> ast.Call | None:
    """The metric that `value, update = tf.metrics.…` makes."""
    for stmt in _assigned(body):
        target = stmt.targets[0]
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            if ast.unparse(target.elts[1]) == name.id and isinstance(stmt.value, ast.Call):
                return stmt.value if _is_one(owner, stmt.value) else None
        if isinstance(target, ast.Name) and target.id == name.id:
            return None
    return None


def _assigned(body: Sequence[ast.stmt]) -> Iterator[ast.Assign]:
    return (s for s in reversed(body) if isinstance(s, ast.Assign) and len(s.targets) == 1)


def _is_one(owner: Model, call: ast.Call) -> bool:
    module, _, name = owner.program.called(call).rpartition(".")
    plain = module == "tensorflow.metrics" and name not in OTHERS
    return plain or bool(confusion.kind(owner.program, call))


def checkpointed(owner: Specs) -> None:
    """What `Checkpointed` has for such summaries."""
    program, function = owner.program, owner.function
    program.bring(function, "import types")

    def change() -> None:
        needed = program.page(function).needed
        source = needed["Checkpointed"]
        if METHOD.replace("{tf}", program.tf) in source:
            return
        for before, more in MORE.items():
            source = source.replace(before, before + more, 1)
        method = METHOD.replace("{tf}", program.tf)
        needed["Checkpointed"] = source.replace(BEFORE, method + BEFORE, 1)

    program.finish.append(change)

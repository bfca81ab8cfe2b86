"""TPUEstimator as it runs on CPUs and GPUs: batch sizes in `params`, `eval_metrics`, wrappers.

https://www.tensorflow.org/guide/migrate/tpu_estimator
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word
from migrate.rewriters.estimators.naming import named_known
from migrate.rewriters.estimators.program import maker
from migrate.rewriters.estimators.runs import clusters, strategies
from migrate.rewriters.estimators.syntax import docstring, reads, stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.program import Estimator, Program

ESTIMATORS = ("tensorflow.contrib.tpu.TPUEstimator", "tensorflow.estimator.tpu.TPUEstimator")
SPECS = frozenset(e.replace("Estimator", "EstimatorSpec") for e in ESTIMATORS) | {
    "tensorflow.estimator.tpu.TPUEstimatorSpec",
    "tensorflow.contrib.tpu.TPUEstimatorSpec",
}
WRAPPERS = frozenset(
    f"tensorflow.{name}" for name in ("contrib.tpu.CrossShardOptimizer", "tpu.CrossShardOptimizer")
)
OWN = ("use_tpu", "train_batch_size", "eval_batch_size", "predict_batch_size")
GOES = ("eval_on_tpu", "export_to_tpu", "export_to_cpu", "batch_axis")
SIZES = {"train": "train_batch_size", "eval": "eval_batch_size", "predict": "predict_batch_size"}
INSTEAD = {
    "host_call": "tf.summary in the model's train_step",
    "scaffold_fn": "what it restores, in the model's __init__",
}
CONFIGS = frozenset(
    f"tensorflow.{name}" for name in ("contrib.tpu.RunConfig", "estimator.tpu.RunConfig")
)
REPLICAS = "{model}.distribute_strategy.num_replicas_in_sync"
UNSEEN = (
    "on TPUs a tf.distribute.TPUStrategy trains, each core on its part of train_batch_size; "
    "no TPU was there to see that run"
)
SAID = "on TPUs the model is made in tf.distribute.TPUStrategy(...).scope()"
RAISED = f"raise NotImplementedError('{SAID}')"
REFUSED = f"if {{test}}:\n    {RAISED}\n"


@maker(*ESTIMATORS)
def estimator(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """A TPUEstimator with a model_fn of the program.

    Raises:
        Blocked: it trains on TPUs.
    """
    from migrate.rewriters.estimators.models import model_fn, model_fns

    given = program.given(call, endpoint)
    resolver = _resolver(program, call, given)
    if resolver is None:
        _off(program, call, given.get("use_tpu"))
    sized = _unread(program, call, "batch_size", program.scopes.function(given["model_fn"]))
    _switched(program, call, model_fns.seen(program, given["model_fn"]), shared=bool(resolver))
    rest = {k: v for k, v in given.items() if k not in (*OWN, *GOES)}
    made = model_fn.made(program, call, rest)
    made.sizes = {m: program.source(given[n]) for m, n in SIZES.items() if n in given}
    if sized:
        made.batch = _batch(program, made, sized)
        if resolver is not None:
            raise Blocked(sized[0], "`batch_size` in a model_fn that TPUs share")
    if resolver is not None:
        _on(program, call, made, given.get("use_tpu"), resolver)
    return made


def kind(program: Program, call: ast.Call) -> str:
    """Whether a TPUEstimator's model is made for TPUs: "always", "maybe" or "" for never."""
    given = program.given(call)
    if _resolver(program, call, given) is None:
        return ""
    return "always" if _always(given.get("use_tpu")) else "maybe"


def _always(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and bool(node.value))


def _resolver(program: Program, call: ast.Call, given: dict[str, ast.expr]) -> ast.expr | None:
    """What says where the TPUs are that a TPUEstimator may use; None where that isn't followed."""
    switch, node = given.get("use_tpu"), given.get("config")
    if program.without_tpus or node is None:
        return None
    if isinstance(switch, ast.Constant) and not switch.value:
        return None
    if not any(program.called(c) in WRAPPERS for c in program.calls()):
        return None  # each core would train by itself
    config = program.scopes.value(node)
    if not isinstance(config, ast.Call) or program.called(config) not in CONFIGS:
        return None
    fields = program.given(config)
    found = fields.get("cluster", fields.get("master"))
    if found is None or isinstance(found, ast.Constant):
        return None
    if program.scopes.scope(config) is not program.scopes.scope(call):
        return None
    if "cluster" not in fields:
        return found
    values = [found]
    if isinstance(found, ast.Name):
        bound = program.scopes.bindings(found.id, found)
        if any(b.scope is not program.scopes.scope(call) for b in bound):
            return None
        values = [b.value for b in bound if b.kind == "assign" and b.value is not None]
        if len(values) != len(bound):
            return None
    seen = all(clusters.resolves(program, v) for v in values)
    return found if seen and not all(isinstance(v, ast.Constant) for v in values) else None


def _on(
    program: Program,
    call: ast.Call,
    made: Estimator,
    switch: ast.expr | None,
    resolver: ast.expr,
) -> None:
    """The strategy in whose scope a model is made, where TPUs are asked for."""
    stmt = program.scopes.statement(call)
    indent = program.text.piece(stmt).indent
    node = program.scopes.value(program.given(call)["config"])
    where = program.source(resolver)
    if isinstance(node, ast.Call) and "cluster" not in program.given(node):
        where = f"{program.tf}.distribute.cluster_resolver.TPUClusterResolver({where})"
    name = program.free(call, "strategy")
    made.scope, made.groups = (lambda: f"{name}.scope()"), True
    asked = f"{name} = tpu_strategy({where})"
    text = f"{indent}{asked}\n"
    if not _always(switch):
        assert switch is not None
        text = (
            f"{indent}{name} = {program.tf}.distribute.get_strategy()\n"
            f"{indent}if {program.source(switch)}:\n"
            f"{indent}{program.unit(call)}{asked}\n"
        )
    program.insert(stmt, text)
    source = strategies.code("tpu_strategy", set())
    program.need(call, "tpu_strategy", source, ["import functools"])
    program.say(call, UNSEEN)
    for mode in ("train", "eval"):
        if mode in made.sizes:
            made.sizes[mode] += f" // {REPLICAS}"


def _off(program: Program, call: ast.Call, node: ast.expr | None) -> None:
    """See to it that no TPU is used; a switch that only a run knows is checked by the program."""
    if node is None or (isinstance(node, ast.Constant) and node.value):
        raise Blocked(call, f"use_tpu=True{_missing(program, call)}, or give use_tpu=False")
    if isinstance(node, ast.Constant):
        return
    stmt = program.scopes.statement(call)
    line = program.text.lines[stmt.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    check = REFUSED.format(test=program.source(node))
    text = "".join(f"{indent}{row}\n" for row in check.splitlines())
    program.insert(stmt, text.replace("    raise", program.unit(stmt) + "raise"))


def _missing(program: Program, call: ast.Call) -> str:
    """What a TPUEstimator wants to be made for TPUs, as a part of a reason."""
    node = program.given(call).get("config")
    config = program.scopes.value(node) if node is not None else None
    if isinstance(config, ast.Call) and program.called(config) in CONFIGS:
        if not program.given(config).keys() & {"cluster", "master"}:
            return (
                ", and a RunConfig that names no TPU, so that 1.15.5 finds none either: give it a "
                "`cluster`, tf.contrib.cluster_resolver.TPUClusterResolver(...)"
            )
    if not any(program.called(c) in WRAPPERS for c in program.calls()):
        return (
            ", and no CrossShardOptimizer, without which each core trains a model of its own: wrap "
            "the optimizer"
        )
    return (
        ", and a RunConfig whose `cluster` isn't seen: make it, and its TPUClusterResolver, "
        "in the function that makes the TPUEstimator"
    )


def _batch(program: Program, made: Estimator, sized: list[ast.expr]) -> str:
    """The size of the batches in the modes in which a model_fn asks for it.

    Raises:
        Blocked: there are several.
    """
    model = program.kept["model", id(made.home)]
    bodies: dict[str, list[ast.stmt]] = model.bodies  # type: ignore[attr-defined]
    inside = set(map(id, sized))
    sizes = {
        made.sizes.get(mode, "None")
        for mode, body in bodies.items()
        if any(id(n) in inside for s in body for n in walk(s))
    }
    if len(sizes) > 1:
        raise Blocked(sized[0], "`batch_size` of a TPUEstimator's params in several modes")
    return sizes.pop() if sizes else ""


def _switched(
    program: Program, call: ast.Call, model_fn: ast.FunctionDef | None, *, shared: bool
) -> None:
    """Where no TPU is used, that is what a TPUEstimator says in a model_fn's `params`.

    Raises:
        Spelled: it is asked there, and may be written.
        Blocked: something else asks it, or TPUs may be there.
    """
    asked = _unread(program, call, "use_tpu", model_fn)
    if not asked:
        return
    if shared:
        raise Blocked(asked[0], "`use_tpu` of a TPUEstimator's params")
    written = [(node, lambda source: "False") for node in asked]
    raise Spelled(asked[0], "whether a TPU is used", written, [])


def _unread(
    program: Program, call: ast.Call, name: str, model_fn: ast.FunctionDef | None
) -> list[ast.expr]:
    """Only input_fns may read what a TPUEstimator puts into `params`, and a `model_fn`: where.

    Raises:
        Blocked: something else does.
    """
    found: list[ast.expr] = []
    for node in program.scopes.walk():
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript):
            key = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("get", "pop") and node.args:
                key = node.args[0]
        if not isinstance(key, ast.Constant) or key.value != name:
            continue
        scope = program.scopes.scope(node)
        function = isinstance(scope, (ast.FunctionDef, ast.Lambda))
        names = [a.arg for a in scope.args.args] if function else []  # type: ignore[union-attr]
        if name == "batch_size" and "params" in names and "features" not in names:
            continue
        if name == "use_tpu" and scope is not model_fn and scope is program.scopes.scope(call):
            continue  # it is the author's own, of which the Estimator takes a copy
        read = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
        if scope is model_fn and read and ast.unparse(node.value) == "params":  # type: ignore[attr-defined]
            found.append(node)  # type: ignore[arg-type]
            continue
        raise Blocked(node, f"`{name}` of a TPUEstimator's params")
    return found


def wrapped(program: Program, node: ast.expr) -> ast.expr:
    """The optimizer that a CrossShardOptimizer wraps: on one device it does what that does."""
    if program.called(node) in WRAPPERS and isinstance(node, ast.Call):
        given = program.given(node)
        if set(given) - {"opt", "name"} or "opt" not in given:
            raise Blocked(node, "these arguments of a CrossShardOptimizer")
        return given["opt"]
    return node


def wraps(program: Program, stmt: ast.stmt) -> bool:
    """Whether a statement only wraps an optimizer under its own name, may be for TPUs only."""
    inner = stmt
    if isinstance(stmt, ast.If):
        if stmt.orelse or len(stmt.body) != 1:
            return False
        inner = stmt.body[0]
    if not isinstance(inner, ast.Assign) or program.called(inner.value) not in WRAPPERS:
        return False
    opt, target = wrapped(program, inner.value), inner.targets[0]
    return isinstance(opt, ast.Name) and isinstance(target, ast.Name) and opt.id == target.id


def fields(
    program: Program,
    owner: ast.FunctionDef,
    given: dict[str, ast.expr],
    body: list[ast.stmt],
    resolved: Resolve,
) -> set[str]:
    """A TPUEstimatorSpec's fields as an EstimatorSpec's; what its metric_fn does joins the body.

    The names that it binds there.

    Raises:
        Blocked: a part of it can't be followed.
    """

    for name, instead in INSTEAD.items():
        if name == "scaffold_fn" and name in given and named_known.scaffolds(program, owner):
            given.pop(name)
        if name in given:
            what = f"`{name}` of a TPUEstimatorSpec isn't followed yet; instead: {instead}"
            raise Blocked(given[name], what)
    node = given.pop("eval_metrics", None)
    if node is None:
        return set()
    value = resolved(node, body)
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != 2:
        raise Blocked(node, "eval_metrics that aren't a function and its tensors")
    function = program.scopes.function(value.elts[0])
    tensors = resolved(value.elts[1], body)
    if function is None:
        raise Blocked(value.elts[0], "a metric_fn that isn't seen")
    names = [a.arg for a in function.args.args]
    if isinstance(tensors, (ast.List, ast.Tuple)):
        pairs = list(zip(names, tensors.elts, strict=False))
        whole = len(tensors.elts) == len(names)
    elif isinstance(tensors, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in tensors.keys]
        pairs = list(zip(map(str, keys), tensors.values, strict=True))
        whole = set(keys) == set(names)
    else:
        raise Blocked(tensors, "tensors of eval_metrics that aren't seen")
    if not whole or function.args.kwonlyargs or function.args.vararg or function.decorator_list:
        raise Blocked(function, "the arguments of a metric_fn")
    _named_alike(program, owner, function, pairs)
    *inner, last = [s for s in function.body if not docstring(s)]
    if not isinstance(last, ast.Return) or last.value is None:
        raise Blocked(function, "a metric_fn that doesn't end in what it returns")
    own = program.scopes.bound(function).keys() | set(names)
    outer = program.scopes.bound(owner).keys()
    free = {n for s in (*inner, last) for n in reads(s)} - own
    if program.scopes.scope(function) is not owner and (other := sorted(free & outer)):
        raise Blocked(function, f"a metric_fn that reads another `{other[0]}`")
    inner = [s for s in inner if not _computed(s, body)]
    bound = {n for s in inner for n in stores(s)}
    said = reads(given["loss"]) if "loss" in given else set()
    if twice := bound & said:  # what it binds stands in front of the loss that is reported
        raise Blocked(function, f"a metric_fn that binds `{sorted(twice)[0]}`, too")
    if len(program.readers(function)) > 1:
        raise Blocked(function, "a metric_fn that is used twice")
    if isinstance(program.scopes.scope(function), ast.Module):
        program.remove(function)
    body[:] = [*(s for s in body if s is not function), *inner]
    given["eval_metric_ops"] = last.value
    return set(bound)


def _named_alike(
    program: Program,
    owner: ast.FunctionDef,
    function: ast.FunctionDef,
    pairs: Sequence[tuple[str, ast.expr]],
) -> None:
    """See to it that a metric_fn's arguments have the names of what they are given.

    Raises:
        Spelled: they may have them.
        Blocked: they can't, or stand for two things.
    """
    renames: list[Written] = []
    names = {getattr(n, "id", getattr(n, "arg", "")) for n in walk(function)}
    for name, tensor in pairs:
        if isinstance(tensor, ast.Name) and tensor.id == name:
            continue
        hidden = [n for s in function.body for n in all_of(s, ast.arg)]
        if not isinstance(tensor, ast.Name) and name not in program.scopes.bound(owner):
            stmt = program.scopes.statement(tensor)
            text = program.source(tensor)
            why = f"a metric_fn that calls this `{name}`"
            raise Spelled(
                tensor, why, [(tensor, word(name))], [(stmt, partial(_line, f"{name} = {text}"))]
            )
        if not isinstance(tensor, ast.Name) or tensor.id in names or hidden:
            raise Blocked(tensor, f"a metric_fn that calls this `{name}`")
        uses = [n for n in walk(function) if getattr(n, "id", getattr(n, "arg", "")) == name]
        renames += [(n, word(tensor.id)) for n in uses]
        names.add(tensor.id)
    if renames:
        raise Spelled(function, "names of a metric_fn's arguments", renames)


def _line(line: str, _: object) -> list[str]:
    return [line]


def _computed(stmt: ast.stmt, body: list[ast.stmt]) -> bool:
    """Whether a model_fn computes what a metric_fn does, under the same name, before it."""
    same = [i for i, s in enumerate(body) if ast.dump(s) == ast.dump(stmt)]
    if not same or not isinstance(stmt, ast.Assign):
        return False
    later = {n for s in body[same[-1] + 1 :] for n in stores(s)}
    return not later & (stores(stmt) | reads(stmt))


if TYPE_CHECKING:
    from collections.abc import Callable

    Resolve = Callable[[ast.expr, Sequence[ast.stmt]], ast.expr]

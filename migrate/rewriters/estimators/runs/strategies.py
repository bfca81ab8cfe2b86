"""Strategies in a RunConfig's `train_distribute`: a model that is made in their scope.

    config = RunConfig(train_distribute=strategy)     with strategy.scope():
    model = Estimator(model_fn, config=config)            model = Model()

In TF 1.15.5 each replica takes a batch of its own; a loss is divided by the replicas before
gradients are summed, unless `tf.losses` last made a sum; what is reported is its mean, or sum.
Steps go on as long as each replica has a batch. Evaluations are the same by themselves or on
replicas. Keras's `fit` does otherwise: `Replicated`, a class in the output, has a loop of its own.

https://www.tensorflow.org/guide/migrate/mirrored_strategy
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, word
from migrate.rewriters.pruning import pruned

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

FIELDS = ("train_distribute", "eval_distribute")
D = "tensorflow.distribute."
CONTRIB = "tensorflow.contrib.distribute."
MIRRORED = frozenset({D + "MirroredStrategy", CONTRIB + "MirroredStrategy"})
ONE = frozenset({D + "OneDeviceStrategy", CONTRIB + "OneDeviceStrategy"})
WORKERS = frozenset(
    {D + "experimental.MultiWorkerMirroredStrategy", CONTRIB + "CollectiveAllReduceStrategy"}
)
# Its variables lie in one place: in TF 1.15.5 that has a MirroredStrategy's numbers. Keras 3's
# optimizers fail in TF 2's with several replicas ("merge_call called while defining a new graph").
CENTRAL = frozenset({D + "experimental.CentralStorageStrategy"})
KINDS = MIRRORED | ONE | WORKERS | CENTRAL
OTHERS = {
    "ParameterServerStrategy": "Keras 3's fit refuses its datasets (a ClusterCoordinator hands "
    "steps out there), and its workers share no step; instead: "
    "tf.distribute.MultiWorkerMirroredStrategy",
    "TPUStrategy": "instead: a TPUEstimator, which becomes a model in such a strategy's scope",
}
REDUCES = {
    "nccl": "NcclAllReduce",
    "hierarchical_copy": "HierarchicalCopyAllReduce",
}
# What of `tf.losses` makes no loss of its own.
NO_LOSSES = frozenset(
    f"tensorflow.losses.{name}"
    for name in (
        *("get_losses", "get_total_loss", "add_loss"),
        *("get_regularization_loss", "get_regularization_losses"),
    )
)
MAYBE = (ast.IfExp, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.BoolOp)
BATCH = (
    "each replica takes a batch of its own, as in TF 1: a step's batch is num_replicas_in_sync "
    "times that of the input"
)


@dataclass(slots=True, eq=False, repr=False)
class Strategy:
    """A strategy of a RunConfig."""

    call: ast.Call  # the RunConfig
    node: ast.expr
    certain: bool  # whether it is never None
    both: bool  # whether evaluations are by it, too
    name: str = ""  # that it has at the Estimator; else it is written there

    def scope(self, program: Program) -> str:
        """The source of what opens its scope."""
        source = self.name or program.source(self.node)
        if self.certain:
            return f"{source}.scope()"
        return f"({source} or {program.tf}.distribute.get_strategy()).scope()"


def code(name: str, features: set[str]) -> str:
    """A definition of `strategies_code.txt`."""
    text = Path(__file__).with_name("strategies_code.txt").read_text(encoding="utf-8")
    parts = dict(part.partition("\n")[::2] for part in text.split("=== ")[1:])
    return pruned(parts[name], features)


def kind(program: Program) -> str:
    """Whether models of a program are made for strategies: "always", "maybe" or "" for never."""
    from migrate.rewriters.estimators.program import ESTIMATORS
    from migrate.rewriters.estimators.runs import config, tpu

    known = program.kept.get("strategies")
    if isinstance(known, str):
        return known
    found: list[str] = []
    for call in program.calls():
        endpoint = program.called(call)
        if endpoint in config.CONFIGS and endpoint not in tpu.CONFIGS:
            fields = program.walker.bound(endpoint, call)
            node = fields.get(FIELDS[0])
            if node is not None and not _none(node):
                found.append("always" if _values(program, node) else "maybe")
            else:
                found.append("")
        elif endpoint in tpu.ESTIMATORS:
            found.append(tpu.kind(program, call))
        elif ESTIMATORS.match(endpoint) and "config" not in program.given(call):
            found.append("")
    said = found[0] if len(set(found)) == 1 else "maybe"
    said = said if any(found) else ""
    program.kept["strategies"] = said
    return said


def of_tpus(program: Program) -> bool:
    """Whether models are made in the scope of a strategy for TPUs."""
    from migrate.rewriters.estimators.runs import tpu

    found = program.kept.get("tpus")
    if found is None:
        found = program.kept["tpus"] = any(
            tpu.kind(program, c) for c in program.calls() if program.called(c) in tpu.ESTIMATORS
        )
    return bool(found)


def read(program: Program, call: ast.Call, fields: Mapping[str, ast.expr]) -> Strategy | None:
    """The strategy of a RunConfig that only Estimators get.

    Raises:
        Blocked: it isn't seen, or isn't of a kind that is followed.
    """
    train, test = (fields.get(name) for name in FIELDS)
    if test is not None and not _none(test):
        if train is None or ast.dump(train) != ast.dump(test):
            raise Blocked(test, "a strategy for evaluations that isn't that for training")
    if train is None or _none(train):
        return None
    certain = _values(program, train)
    constructors = [c for c in program.calls() if _named(program.called(c))]
    for each in constructors:
        written(program, each)
    if not constructors:
        raise Blocked(train, "a strategy that isn't seen")
    _cpus(program, fields.get("session_config"), constructors)
    found = Strategy(call, train, certain, both=test is not None and not _none(test))
    program.say(call, BATCH)
    return found


# `Checkpointed` whose settings have the strategy in whose scope it is made.
AMONG = (
    "folder=None, every_steps=None, every_secs",
    "folder=None, strategy=None, every_steps=None,\n                 every_secs",
)
AMONG_SETTINGS = "strategy"  # its key


def among(
    program: Program, node: ast.expr, configs: Sequence[tuple[ast.Call, Mapping[str, ast.expr]]]
) -> Strategy | None:
    """The strategy among the settings that RunConfigs are which go through the program.

    ``node``: the settings, where an Estimator is given them.

    Raises:
        Blocked: it isn't seen, or isn't of a kind that is followed.
        Spelled: the settings have no name.
    """
    found = [read(program, call, fields) for call, fields in configs]
    known = [each for each in found if each is not None]
    if not known:
        return None
    if isinstance(node, ast.Call):
        name = program.free(node, "config", "run_config")
        above = program.scopes.statement(node)
        line = [(above, lambda source: [f"{name} = {source(node)}"])]
        raise Spelled(node, "a RunConfig with a strategy", [(node, word(name))], line)
    certain = all(each is not None and each.certain for each in found)
    looked_up = f'["{AMONG_SETTINGS}"]' if certain else f'.get("{AMONG_SETTINGS}")'
    known[0].name, known[0].certain = f"{program.source(node)}{looked_up}", certain
    if len({each.both for each in known}) > 1:
        raise Blocked(node, "RunConfigs with and without a strategy for evaluations")
    if "strategy among settings" not in program.kept:
        program.kept["strategy among settings"] = True
        program.finish.append(lambda: _among(program, node))
    return known[0]


def _among(program: Program, node: ast.expr) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is not None:
            if source.count(AMONG[0]) != 1:
                raise Blocked(node, "a strategy among the settings of such a model")
            page.needed["Checkpointed"] = source.replace(*AMONG)


def name_it(program: Program, found: Strategy, at: ast.Call) -> None:
    """See to it that the Estimator that is made ``at`` a place can name a RunConfig's strategy."""
    if found.name:
        return
    call = found.call
    stmt = program.scopes.statement(call)
    if stmt is program.scopes.statement(at):
        return
    node = found.node
    if isinstance(node, ast.Name):
        here, there = (program.scopes.bindings(node.id, n) for n in (node, at))
        own = [b for b in here if b.scope is program.scopes.scope(call)]
        if here and here == there and all(_line(b.node) < stmt.lineno for b in own):
            found.name = node.id
            return
    known = program.kept.setdefault(("strategy", id(call)), program.free(call, "strategy"))
    assert isinstance(known, str)
    found.name = known
    if program.scopes.scope(call) is not program.scopes.scope(at):
        raise Blocked(node, "a strategy that a RunConfig elsewhere makes")
    if ("strategy of", id(call)) in program.kept:
        return
    program.kept["strategy of", id(call)] = True
    source, (start, end) = program.source(node), program.text.index.span(node)
    # The statement goes, with what was written in it.
    program.edits = [e for e in program.edits if not (start <= e.start and e.end <= end)]
    indent = program.text.piece(stmt).indent
    program.insert(stmt, f"{indent}{known} = {source}\n")


def elsewhere(
    program: Program, call: ast.Call, fields: Mapping[str, ast.expr], at: ast.expr
) -> bool:
    """Whether an Estimator doesn't see what the strategy of its RunConfig is called."""
    node = fields.get(FIELDS[0])
    if node is None or _none(node):
        return False
    return program.scopes.scope(call) is not program.scopes.scope(at)


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def scoped(program: Program, made: Estimator) -> None:
    """Put the statement that makes a model into a scope.

    Raises:
        Blocked: it makes it in the middle of something else.
    """
    assert made.scope is not None
    stmt = program.scopes.statement(made.call)
    if getattr(stmt, "value", None) is not made.call:
        raise Blocked(made.call, "an Estimator with a strategy, made in the middle of a statement")
    piece = program.text.piece(stmt)
    first, *rest = program.source(stmt).splitlines()
    unit = program.text.unit
    lines = [f"with {made.scope()}:", piece.indent + unit + first]
    lines += [unit + line if line.strip() else line for line in rest]
    if any('"""' in line or "'''" in line for line in rest):
        raise Blocked(stmt, "a text of several lines in a statement that moves")
    program.edit(stmt, "\n".join(lines))


def need(program: Program, node: ast.AST, *, combined: bool = False) -> None:
    """The class of models that run on replicas; ``combined``: they may have two optimizers.

    Raises:
        Blocked: others of the program may not.
    """
    if program.kept.setdefault("combined on replicas", combined) is not combined:
        raise Blocked(node, "combined models beside others, under a strategy")
    features = {"maybe"} if kind(program) == "maybe" else set()
    features |= {"combined"} if combined else set()
    if any("dropout" in page.part.document.text.lower() for page in program.pages):
        features.add("draws")
    program.need(node, "Replicated", code("Replicated", features), ["import itertools"])


# What of `Checkpointed` is otherwise for such models.
CHECKPOINTED = (
    ("class Checkpointed(tf.keras.Model):", "class Checkpointed(Replicated):"),
    # Metrics are added up over replicas when they are read, which all have to do at once.
    ("(*self.variables, *self", "(*self.weights, *self"),
    ("dataset = dataset.take(steps)", 'kwargs["steps_per_epoch"] = steps'),
    ("optimizer.iterations)\n", "optimizer.iterations.numpy())\n"),
    ("optimizer.iterations))\n", "optimizer.iterations.numpy()))\n"),
    ("optimizer.iterations), time", "optimizer.iterations.numpy()), time"),
)
# Only the chief's checkpoints are kept; the others' variables are the same.
CHIEF = (
    (
        """                self.folder,
                max""",
        """                self.folder if self.is_chief() else tempfile.mkdtemp(),
                max""",
    ),
    (
        """        if latest is not None and latest != self.restored:
""",
        """        if self.restored is not None and not self.is_chief():
            return  # the chief may not have written yet what all are at
        if latest is not None and latest != self.restored:
""",
    ),
    (
        """    def save_checkpoint(self):
""",
        """    def is_chief(self):
        \"\"\"Whether this is the one worker that keeps checkpoints.\"\"\"
        return self.distribute_strategy.extended.should_checkpoint

    def save_checkpoint(self):
""",
    ),
)
MADE = ("            # The input isn't", "            variables = [v.value")  # what makes variables


def workers(program: Program) -> bool:
    """Whether several machines may train a model."""
    return any(program.called(call) in WORKERS for call in program.calls())


def always_workers(program: Program) -> bool:
    """Whether every model of a program is made for the machines that TF_CONFIG names."""
    made = [c for c in program.calls() if _named(program.called(c))]
    every = bool(made) and all(program.called(c) in WORKERS for c in made)
    return every and kind(program) == "always" and not of_tpus(program)


# The same for models with several optimizers.
SEVERAL = (
    "            variables = [v.value for v in (*self.weights, *self.optimizer.variables)]\n",
    "            optimizers = [optimizer for optimizer, _ in self.trained()]\n"
    "            parts = [self.weights, *(optimizer.variables for optimizer in optimizers)]\n"
    "            variables = [variable.value for part in parts for variable in part]\n",
)


def checkpointed(program: Program, source: str) -> str:
    """`Checkpointed` for models that run on replicas."""
    for old, new in (*CHECKPOINTED, *(CHIEF if workers(program) else ())):
        assert old in source, old
        source = source.replace(old, new)
    head, _, rest = source.partition(MADE[0])
    _, mark, rest = rest.partition(MADE[1])
    assert mark
    return f"{head}            self.make_variables(dataset)\n{mark}{rest}"


def taken(made: Estimator, model: str, steps: str) -> str:
    """What takes the steps of an evaluation from its input."""
    if not made.groups:
        return f".take({steps})"
    steps = f"({steps})" if " " in steps else steps
    return f".take({steps} * {model}.distribute_strategy.num_replicas_in_sync)"


def step(program: Program, source: str) -> str:
    """The step that a source reads: a mirrored variable is no number."""
    if not kind(program):
        return source
    return source.replace("optimizer.iterations", "optimizer.iterations.numpy()")


def divided(program: Program, body: list[ast.stmt]) -> bool:
    """Whether TF 1 divides a loss by the replicas: its last one of `tf.losses` isn't a sum.

    Raises:
        Blocked: which one is the last isn't seen, or how it reduces.
    """
    found = {True}
    if of_tpus(program):
        return True  # a CrossShardOptimizer divides each
    for stmt in body:
        for node in all_of(stmt, ast.Call):
            function = program.scopes.function(node.func)
            if function is not None and any(map(_reduced, walk(function))):
                raise Blocked(node, "a function that says how a loss is reduced, under a strategy")
            endpoint = program.called(node)
            if not endpoint.startswith("tensorflow.losses.") or endpoint in NO_LOSSES:
                continue
            reduction = program.given(node).get("reduction")
            said = "" if reduction is None else program.endpoint(reduction)
            if reduction is not None and not said.startswith("tensorflow.losses.Reduction."):
                raise Blocked(reduction, "how a loss is reduced under a strategy")
            new = not said.endswith(".SUM")
            plain = isinstance(stmt, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return))
            some = not plain or any(isinstance(n, MAYBE) for n in walk(stmt))
            found = found | {new} if some else {new}
            if len(found) > 1:
                raise Blocked(node, "a loss that is a sum on some ways only, under a strategy")
    return found == {True}


def _reduced(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "reduction"


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _named(endpoint: str) -> bool:
    """Whether an endpoint makes a strategy."""
    return endpoint.endswith("Strategy") and ".distribute." in endpoint


def _values(program: Program, node: ast.expr, depth: int = 0) -> bool:
    """Whether all that an expression may be are strategies."""
    if depth > 20:
        return False
    if isinstance(node, ast.IfExp):
        return all(_values(program, n, depth + 1) for n in (node.body, node.orelse))
    if isinstance(node, ast.Call):
        if program.called(node) in KINDS:
            return True
        function = program.scopes.function(node.func)
        if function is None:
            return False
        ends = [n for n in all_of(function, ast.Return) if program.scopes.scope(n) is function]
        return (
            bool(ends)
            and isinstance(function.body[-1], (ast.Return, ast.If))
            and all(n.value is not None and _values(program, n.value, depth + 1) for n in ends)
        )
    if isinstance(node, ast.Attribute):
        stmt = program.attribute(node)
        return stmt is not None and _values(program, stmt.value, depth + 1)
    if isinstance(node, ast.Name):
        found = program.scopes.bindings(node.id, node)
        return bool(found) and all(
            _given(program, b.scope, node.id, depth + 1)
            if b.kind == "param"
            else b.kind == "assign" and b.value is not None and _values(program, b.value, depth + 1)
            for b in found
        )
    return False


def _given(program: Program, function: ast.AST, name: str, depth: int) -> bool:
    """Whether all calls of a function give one of its parameters a strategy."""
    if not isinstance(function, ast.FunctionDef):
        return False
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    calls = [program.scopes.parents[id(use)] for use in program.readers(function)]
    for call in calls:
        if not isinstance(call, ast.Call) or program.scopes.function(call.func) is not function:
            return False
        value = next((k.value for k in call.keywords if k.arg == name), None)
        place = names.index(name) if name in names else len(call.args)
        if value is None and place < len(call.args):
            value = call.args[place]
        if value is None or not _values(program, value, depth):
            return False
    return bool(calls)


def written(program: Program, call: ast.Call) -> None:
    """TF 2's strategy for one of TF 1, once.

    Raises:
        Blocked: it is of a kind that isn't followed, or its arguments are.
    """
    if ("strategy made", id(call)) in program.kept:
        return
    program.kept["strategy made", id(call)] = True
    endpoint = program.called(call)
    for name, instead in OTHERS.items():
        if endpoint.endswith(f".{name}"):
            raise Blocked(call, f"{name}: {instead}")
    if endpoint not in KINDS:
        raise Blocked(call, f"{endpoint.replace('tensorflow', 'tf', 1)} isn't followed yet")
    given = program.given(call, endpoint)
    module = f"{program.tf}.distribute."
    if endpoint in ONE:
        program.edit(call.func, f"{module}OneDeviceStrategy")
        return
    if endpoint in WORKERS:
        for name, node in given.items():
            if name != "num_gpus_per_worker":
                raise Blocked(node, f"`{name}` of a strategy for several workers")
            program.say(node, "a strategy for several workers uses all GPUs that it sees")
        new = f"{module}MultiWorkerMirroredStrategy()"
        program.edit(call, new, "needs TF_CONFIG, as in TF 1; call it before other operations")
        return
    arguments = []
    for name, node in given.items():
        if name == "parameter_device" and endpoint in CENTRAL:
            program.say(node, "each device keeps a copy of the variables")
        elif name == ("compute_devices" if endpoint in CENTRAL else "devices"):
            arguments.append(f"devices={program.source(node)}")
        elif name in ("num_gpus", "num_gpus_per_worker"):
            arguments.append(f'devices=[f"/gpu:{{i}}" for i in range({program.source(node)})]')
        elif name in ("cross_device_ops", "cross_tower_ops"):
            arguments.append(f"cross_device_ops={_reduces(program, node)}")
        else:
            raise Blocked(node, f"`{name}` of a MirroredStrategy")
    program.edit(call, f"{module}MirroredStrategy({', '.join(arguments)})")


def _reduces(program: Program, node: ast.expr) -> str:
    """How replicas add up, in TF 2's words."""
    value = program.scopes.value(node)
    endpoint = program.called(value)
    if endpoint.startswith(D) and endpoint.removeprefix(D) in (
        *REDUCES.values(),
        "ReductionToOneDevice",
    ):
        return program.source(node)
    if endpoint != CONTRIB + "AllReduceCrossDeviceOps" or not isinstance(value, ast.Call):
        raise Blocked(node, "how a strategy's replicas add up")
    given = program.given(value, endpoint)
    name = given.pop("all_reduce_alg", ast.Constant("nccl"))
    packs = given.pop("num_packs", None)
    if given or (isinstance(name, ast.Constant) and name.value not in REDUCES):
        raise Blocked(value, "how a strategy's replicas add up")
    rest = "" if packs is None else f"num_packs={program.source(packs)}"
    module = f"{program.tf}.distribute."
    if isinstance(name, ast.Constant):
        new = f"{module}{REDUCES[str(name.value)]}({rest})"
    else:
        known = ", ".join(f'"{k}": {module}{v}' for k, v in REDUCES.items())
        new = f"{{{known}}}[{program.source(name)}]({rest})"
    if value is node:
        return new
    program.edit(value, new)
    return program.source(node)


def _cpus(program: Program, node: ast.expr | None, constructors: list[ast.Call]) -> None:
    """CPUs that a session's settings ask for, which replicas run on: they come before all else."""
    value = program.scopes.value(node) if node is not None else None
    if not isinstance(value, ast.Call) or program.called(value) != "tensorflow.ConfigProto":
        return
    counts = next((k.value for k in value.keywords if k.arg == "device_count"), None)
    if not isinstance(counts, ast.Dict):
        return
    for key, count in zip(counts.keys, counts.values, strict=True):
        if not (isinstance(key, ast.Constant) and key.value == "CPU"):
            continue
        if not (isinstance(count, ast.Constant) and isinstance(count.value, int)):
            raise Blocked(count, "a number of CPUs that only a run knows")
        body = program.page(constructors[0]).part.document.tree.body
        first = next(s for s in body if not isinstance(s, (ast.Import, ast.ImportFrom, ast.Expr)))
        if ("cpus", id(first)) in program.kept:
            return
        program.kept["cpus", id(first)] = True
        tf, unit = program.tf, program.text.unit
        blank = "\n\n" if isinstance(first, (ast.FunctionDef, ast.ClassDef)) else ""
        at = program.text.start(program.text.piece(first).first)
        new = (
            f"{tf}.config.set_logical_device_configuration(\n"
            f"{unit}{tf}.config.list_physical_devices('CPU')[0],\n"
            f"{unit}[{tf}.config.LogicalDeviceConfiguration()] * {count.value})\n{blank}"
        )
        _last(program, Edit(at, at, new))


def _last(program: Program, edit: Edit) -> None:
    """Put in what stands by itself, when all else is written."""
    program.finish.append(lambda: program.edits.append(edit))

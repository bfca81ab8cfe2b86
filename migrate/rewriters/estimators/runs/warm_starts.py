"""`warm_start_from`: a model that begins with the weights of another one of the program.

A checkpoint of these models has its variables in their order, not by name: the other Estimator
must be made with the same model_fn and settings, and must say the same folder.

https://www.tensorflow.org/api_docs/python/tf/train/load_checkpoint
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.runs import config_flow, strategies

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

FIELD = "warm_start_from"
SETTINGS = "tensorflow.estimator.WarmStartSettings"
# What two Estimators may have of their own: it makes no variables of a model.
BESIDE = frozenset({FIELD, "model_dir", "config"})
BESIDE |= {"optimizer", "linear_optimizer", "dnn_optimizer"}
INSTEAD = (
    "weights are warm-started all together, not by TF 1's names; say which by "
    "tf.train.init_from_checkpoint in the model_fn"
)
# `Checkpointed` that is told of the other model's folder.
TOLD = (
    ("summary_steps=100):", f"summary_steps=100,\n{' ' * 17}warm_from=None):"),
    (
        "        self.writer = None",
        "        self.warm_from = warm_from  # the checkpoints of a model like this one\n"
        "        self.writer = None",
    ),
    (
        "    def save_checkpoint(self):\n",
        '''    def begin_warm(self):
        """Begin with the trained weights of the other model's latest checkpoint."""
        found = {tf}.train.load_checkpoint(self.warm_from)
        for at, variable in enumerate(self.variables):
            if variable.trainable:
                variable.assign(found.get_tensor(f"variables/{at}/.ATTRIBUTES/VARIABLE_VALUE"))

    def save_checkpoint(self):
''',
    ),
    (
        "        self.restore(dataset)\n        if max_steps",
        "        self.restore(dataset)\n        if self.restored is None and self.warm_from:\n"
        "            self.begin_warm()\n        if max_steps",
    ),
)


def never(program: Program, node: ast.expr) -> bool:
    """Whether an argument is `None`, or a parameter that no call gives."""
    if isinstance(node, ast.Name) and config_flow.never_given(program, node):
        return True
    return isinstance(node, ast.Constant) and node.value is None


def taken(program: Program, node: ast.expr, made: Estimator) -> ast.expr:
    """What says the folder whose checkpoint an Estimator begins with.

    Raises:
        Blocked: what it begins with isn't followed.
    """
    if made.folder is None or strategies.kind(program):
        raise Blocked(node, "a warm start without a `model_dir`, or under a strategy")
    value = program.scopes.value(node)
    place, settings = node, program.called(value) == SETTINGS
    if settings and isinstance(value, ast.Call):
        given = program.given(value)
        place = given.pop("ckpt_to_initialize_from")
        for name, other in given.items():
            every = isinstance(other, ast.Constant) and other.value == ".*"
            if not never(program, other) and not (name == "vars_to_warm_start" and every):
                raise Blocked(other, f"`{name}` of WarmStartSettings: {INSTEAD}")
        _alone(program, node, value, place)
    if "warm starts" not in program.kept:
        program.kept["warm starts"] = True
        program.finish.append(lambda: _told(program, node))
    program.finish.append(lambda: _like(program, node, place, made))
    return place if value is node or not settings else node


def _alone(program: Program, node: ast.expr, value: ast.Call, place: ast.expr) -> None:
    """Settings under a name are a folder's name, for Estimators only."""
    if value is node:
        return
    key = ("warm settings", id(value))
    if not isinstance(node, ast.Name):
        raise Blocked(node, "settings of a warm start that aren't seen")
    found = program.scopes.lookup(node)
    uses = program.scopes.uses(found, node.id) if found is not None else []
    if not uses or not all(map(program.at_estimator, uses)):
        raise Blocked(value, "settings of a warm start that are read elsewhere")
    if key not in program.kept:
        program.kept[key] = True
        what = "the folder of a checkpoint"
        program.finish.append(lambda: program.edit(value, program.source(place), what))


def _like(program: Program, node: ast.expr, place: ast.expr, made: Estimator) -> None:
    """See to it that the checkpoint is one of a model with the same variables.

    Raises:
        Blocked: no such Estimator is seen.
    """
    for other in program.estimators.values():
        if other is made or other.folder is None or not _alike(program, made.call, other.call):
            continue
        if same(program, place, other.folder) or _folder_of(program, place, other):
            return
    raise Blocked(node, "a warm start from what no Estimator of the same model_fn writes")


def _alike(program: Program, one: ast.Call, two: ast.Call) -> bool:
    """Whether two Estimators are made of the same."""
    if program.called(one) != program.called(two):
        return False
    parts = [
        {k: v for k, v in program.given(call).items() if k not in BESIDE} for call in (one, two)
    ]
    return parts[0].keys() == parts[1].keys() and all(
        same(program, value, parts[1][name]) for name, value in parts[0].items()
    )


def same(program: Program, one: ast.expr, two: ast.expr) -> bool:
    """Whether two expressions say the same, by names that are bound once."""
    if ast.dump(one) != ast.dump(two):
        values = [program.scopes.value(each) for each in (one, two)]
        return (
            all(isinstance(v, ast.Constant) for v in values)
            and len(set(map(ast.dump, values))) == 1
        )
    for first, second in zip(all_of(one, ast.Name), all_of(two, ast.Name), strict=True):
        found = [program.scopes.bindings(n.id, n) for n in (first, second)]
        if [b.node for b in found[0]] != [b.node for b in found[1]] or len(found[0]) > 1:
            return False
    return not any(isinstance(n, ast.Call) for n in ast.walk(one))


def _folder_of(program: Program, place: ast.expr, other: Estimator) -> bool:
    """Whether an expression is the `model_dir` of an Estimator under a name."""
    if not isinstance(place, ast.Attribute) or place.attr != "model_dir":
        return False
    return program.scopes.value(place.value) is other.call


def _told(program: Program, node: ast.expr) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is None:
            continue
        for old, new in TOLD:
            if source.count(old) != 1:
                raise Blocked(node, "a warm start of such a model")
            source = source.replace(old, new.replace("{tf}", program.tf))
        page.needed["Checkpointed"] = source

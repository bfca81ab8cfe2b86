"""What a model_fn gathers of its graph: regularization losses, all trainable variables.

    tf.losses.get_regularization_loss()        tf.add_n(self.losses)
    for v in tf.trainable_variables()          for v in self.trainable_variables

https://keras.io/api/layers/regularizers/
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.halves import Halves
    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Program

TOTAL = "tensorflow.losses.get_regularization_loss"
LOSSES = "tensorflow.losses.get_regularization_losses"
VARIABLES = "tensorflow.trainable_variables"
COLLECTION = "tensorflow.get_collection"
KINDS = {"REGULARIZATION_LOSSES": LOSSES, "TRAINABLE_VARIABLES": VARIABLES}
# What variables of Keras's layers are called by themselves: scopes and layers are no part of it.
NAMED = ("bias", "kernel")
# What both call a layer that isn't named: it is part of `path`, as of TF 1's names.
NORM = "batch_normalization"


def kind(program: Program, node: ast.AST) -> str:
    """What a call gathers, by the endpoint that gathers it; nothing for anything else."""
    endpoint = program.called(node)
    if endpoint in (TOTAL, LOSSES, VARIABLES):
        assert isinstance(node, ast.Call)
        return "" if node.args or node.keywords else endpoint
    if endpoint == COLLECTION and isinstance(node, ast.Call) and len(node.args) == 1:
        key = node.args[0]
        if not node.keywords and isinstance(key, ast.Attribute):
            return KINDS.get(key.attr, "") if "GraphKeys" in ast.unparse(key) else ""
    return ""


def gathers(program: Program, stmt: ast.AST) -> bool:
    """Whether a statement gathers something of the whole model."""
    return any(kind(program, n) for n in walk(stmt))


def written(owner: Specs, node: ast.AST) -> str | None:
    """What is written for a call that gathers something in a step.

    Raises:
        Blocked: the model has more by then, or a variable's name is looked into.
    """
    told = owner.program.kept.get(("a variable's name", id(node)))
    if isinstance(told, str):
        return told
    what = kind(owner.program, node)
    if not what or owner.mode is None:
        return None
    assert isinstance(node, ast.Call)
    if any((c.lineno, c.col_offset) > (node.lineno, node.col_offset) for c in _layers(owner)):
        raise Blocked(node, "what is gathered before all layers are made")
    if owner.by_name is not None and any(
        s.lineno > node.lineno and owner.by_name.makes(s) for s in owner.forward
    ):
        raise Blocked(node, "what is gathered before all layers are made")
    if what == VARIABLES:
        _named(owner, node)
        if owner.by_name is not None and owner.by_name.branched():
            return "self.named.asked"
        return "self.trainable_variables"
    if owner.by_name is not None:
        if not owner.by_name.regularized or owner.by_name.branched():
            raise Blocked(node, "regularization losses of layers that aren't seen")
    elif not _regularized(owner) or not _in_all(owner) or _switched(owner):
        raise Blocked(node, "regularization losses of layers that aren't seen")
    return f"{owner.tf}.add_n(self.losses)" if what == TOTAL else "self.losses"


def _regularized(owner: Halves) -> bool:
    """Whether a layer is given a regularizer, one of a function that is a layer, too."""
    given = {k for layer in owner.calls.values() for k in layer.given if k.endswith("regularizer")}
    return bool(given) or any(map(_regularized, owner.parts.values()))


def _switched(owner: Halves) -> bool:
    """Whether only some modes apply a layer, under a test that stays in the forward pass."""
    scopes = owner.program.scopes
    tests = [
        above.test
        for call in walk(owner.function)
        if id(call) in owner.calls or id(call) in owner.parts
        for above in scopes.around(call)
        if isinstance(above, (ast.If, ast.IfExp))
    ]
    told = any(owner.tests.training(test) is not None for test in tests)
    return told or any(map(_switched, owner.parts.values()))


def _in_all(owner: Specs) -> bool:
    """Whether the modes that have a loss all apply the functions that are layers.

    Keras's losses are those of all of a model's weights.
    """
    bodies = [owner.bodies[mode] for mode in ("train", "eval") if mode in owner.bodies]
    nodes = [{id(n) for stmt in body for n in walk(stmt)} for body in bodies]
    return all(call in body for call in owner.parts for body in nodes)


def _named(owner: Specs, node: ast.Call) -> None:
    """See to it that variables are trained, or told apart by what Keras calls them, too.

    Raises:
        Blocked: they are something else than gone through, or their names are of TF 1.
    """
    above = owner.program.scopes.parents[id(node)]
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
        uses = owner.program.reads(above.targets[0].id, owner.function)
        if owner.by_name is not None and owner.mode is not None:
            steps = {id(n) for s in owner.steps[owner.mode] for n in walk(s)}
            uses = [use for use in uses if id(use) in steps]
        if len(above.targets) == 1:
            for use in uses:
                _gone_through(owner, use)
            return
    _gone_through(owner, node)


def _gone_through(owner: Specs, node: ast.expr) -> None:
    """As `_named`, for one place where the variables are read."""
    if _paired(owner.program, node):
        return
    above = owner.program.scopes.parents[id(node)]
    target = getattr(above, "target", None)
    if not isinstance(above, (ast.comprehension, ast.For)) or not isinstance(target, ast.Name):
        raise Blocked(
            node, "variables that aren't gone through: take them all, in a loop or a comprehension"
        )
    whole = above if isinstance(above, ast.For) else owner.program.scopes.parents[id(above)]
    words = all_of(owner.function, ast.Constant)
    for use in all_of(whole, ast.Attribute):
        if ast.unparse(use.value) != target.id:
            continue
        test = owner.program.scopes.parents[id(use)]
        if use.attr == "name" and (end := _ends(owner, test)):
            new = end.lstrip("/")
            asked = f".name == {new!r}" if new != end else f".name.endswith({new!r})"
            call = owner.program.scopes.parents[id(test)]
            owner.program.kept["a variable's name", id(call)] = ast.unparse(use.value) + asked
            test = ast.Compare(ast.Constant(new), [ast.In()], [use])
        asked_for = _words(owner, test, use)
        paths = [w for w in asked_for if _of_paths(owner, w)]
        if use.attr == "name" and paths and len(paths) == len(asked_for):
            owner.program.kept["a variable's name", id(use)] = f"{ast.unparse(use.value)}.path"
            continue
        for word in asked_for or [""]:
            if use.attr != "name" or word not in NAMED:
                raise Blocked(use, f"`{use.attr}` of a variable")
            if word == "kernel" and any(
                "contrib" in owner.program.called(c) for c in _layers(owner)
            ):
                raise Blocked(use, "'kernel', which contrib's layers call weights")
            if sum(isinstance(w.value, str) and word in w.value for w in words) > 1:
                raise Blocked(use, f"{word!r}, which may be in a scope's name")


def _words(owner: Specs, test: ast.AST, use: ast.AST) -> list[str]:
    """What is looked for in a variable's name: here, or in a function that is given it."""
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant):
        plain = len(test.ops) == 1 and isinstance(test.ops[0], (ast.In, ast.NotIn))
        return [str(test.left.value)] if plain and test.comparators[0] is use else []
    if not isinstance(test, ast.Call) or test.keywords or test.args != [use]:
        return []
    function = owner.program.scopes.function(test.func)
    if function is None or function.decorator_list or len(function.args.args) != 1:
        return []
    given, found = function.args.args[0].arg, list[str]()
    for name in all_of(function, ast.Name):
        if name.id == given:
            found += _words(owner, owner.program.scopes.parents[id(name)], name) or [""]
    return found


def _of_paths(owner: Specs, word: str) -> bool:
    """Whether a word is in the paths of Keras's variables where it is in TF 1's names."""
    if owner.by_name is None:
        return word == NORM and _norms(owner)
    plain = word.replace("_", "").lower()
    return bool(plain) and ":" not in word and plain not in owner.name.lower()


def _ends(owner: Specs, node: ast.AST) -> str:
    """What `name.endswith` looks for, without the `:0` that Keras has not."""
    call = owner.program.scopes.parents[id(node)]
    if not isinstance(node, ast.Attribute) or node.attr != "endswith":
        return ""
    if not isinstance(call, ast.Call) or call.func is not node or len(call.args) != 1:
        return ""
    said = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    if not isinstance(owner.program.scopes.parents[id(call)], (ast.comprehension, ast.UnaryOp)):
        return ""
    return next((f"{s}{w}" for w in NAMED for s in ("", "/") if said == f"{s}{w}:0"), "")


def _norms(owner: Specs) -> bool:
    """Whether batch normalizations only are called so: no scope, and no class that is written."""
    made = {owner.program.called(c) for c in _layers(owner)}
    classes = (ast.FunctionDef, ast.ClassDef)
    named = (n.name for n in owner.program.scopes.walk() if isinstance(n, classes))
    words = NORM.replace("_", "")
    return not any("contrib" in m for m in made) and not any(
        words in name.lower().replace("_", "") for name in named
    )


def _layers(owner: Specs) -> list[ast.Call]:
    return [layer.call for layer in owner.calls.values()]


def _paired(program: Program, node: ast.expr) -> bool:
    """Whether variables are those of gradients, or stand beside them."""
    above = program.scopes.parents[id(node)]
    if isinstance(above, ast.keyword):
        above = program.scopes.parents[id(above)]
    builtin = isinstance(above, ast.Call) and ast.unparse(above.func) in ("zip", "len")
    return builtin or program.called(above) == "tensorflow.gradients"

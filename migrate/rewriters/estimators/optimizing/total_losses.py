"""`tf.losses.get_total_loss()` of a model_fn as the sum of the losses that it stands for.

    tf.losses.log_loss(kinds, share)      log_loss = tf.losses.log_loss(kinds, share)
    loss = tf.losses.get_total_loss()     loss = tf.add_n(
                                              [log_loss] + tf.losses.get_regularization_losses())

TF 1 collects what the functions of `tf.losses` give, and what `add_loss` is given.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/losses/util.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.specs import Specs

LOSSES = "tensorflow.losses."
TOTAL, LISTED, ADDED = (LOSSES + name for name in ("get_total_loss", "get_losses", "add_loss"))
OTHERS = ("get_", "Reduction", "compute_weighted_loss.")
NO_NAME = "a loss that has no name where all losses are asked for"
Found = tuple[ast.stmt, ast.Call, str]  # a loss: its statement, its call, its name or nothing


def spelled(owner: Specs, ends: frozenset[str]) -> None:
    """Name the losses where a model_fn asks for all; ``ends``: what makes an EstimatorSpec.

    Raises:
        Spelled: it does.
        Blocked: one of them isn't seen.
    """
    asked: dict[int, tuple[ast.stmt, ast.Call, list[Found]]] = {}
    for body in owner.bodies.values():
        for at, stmt in enumerate(body):
            for call in (n for n in all_of(stmt, ast.Call)):
                if owner.program.called(call) not in (TOTAL, LISTED):
                    continue
                before = _collected(owner, body[:at], call)
                known = asked.setdefault(id(call), (stmt, call, before))
                if [id(f[1]) for f in known[2]] != [id(f[1]) for f in before]:
                    raise Blocked(call, "losses that aren't the same in all modes")
    if asked:
        stmt, call, before = next(iter(asked.values()))
        _elsewhere(owner, call, ends)
        _written(owner, stmt, call, before, ends)


def _collected(owner: Specs, body: Sequence[ast.stmt], at: ast.Call) -> list[Found]:
    """The losses that statements of a mode collect, in order."""
    found: list[Found] = []
    for place, stmt in enumerate(body):
        for call in (n for n in all_of(stmt, ast.Call) if _collects(owner, n)):
            given = owner.program.given(call)
            name = ""
            alone = isinstance(stmt, (ast.Expr, ast.Assign)) and stmt.value is call
            if owner.program.called(call) == ADDED:
                loss = given.get("loss")
                name = loss.id if isinstance(loss, ast.Name) else ""
                alone = alone and isinstance(stmt, ast.Expr) and bool(name)
            elif isinstance(stmt, ast.Assign):
                to = stmt.targets[0]
                name = to.id if isinstance(to, ast.Name) and len(stmt.targets) == 1 else ""
                alone = alone and bool(name)
            if not alone or any(name in stores(s) for s in body[place + 1 :] if name):
                raise Blocked(call, NO_NAME)
            collection = [k for k in call.keywords if k.arg == "loss_collection"]
            if collection or "loss_collection" in given:
                raise Blocked(call, "a loss in a collection of its own")
            found.append((stmt, call, name))
    if not found:
        raise Blocked(at, "no losses are seen here")
    return found


def _collects(owner: Specs, call: ast.Call) -> bool:
    endpoint = owner.program.called(call)
    named = endpoint.removeprefix(LOSSES)
    return endpoint.startswith(LOSSES) and not named.startswith(OTHERS)


def _elsewhere(owner: Specs, at: ast.Call, ends: frozenset[str]) -> None:
    """See to it that all losses are the model_fn's own, but those of other model_fns.

    Raises:
        Blocked: a function that it may call collects some, too.
    """
    for call in owner.program.calls():
        if _collects(owner, call) and not _within(owner, call) and not _others(owner, call, ends):
            raise Blocked(at, "losses that functions collect, too")


def _within(owner: Specs, node: ast.AST) -> bool:
    return any(n is owner.function for n in owner.program.scopes.around(node))


def _others(owner: Specs, node: ast.AST, ends: frozenset[str]) -> bool:
    """Whether a node stands in another model_fn."""
    scopes = owner.program.scopes
    outer = {id(n) for n in scopes.around(owner.function)}
    above = [n for n in scopes.around(node) if isinstance(n, ast.FunctionDef)]
    apart = [n for n in above if n is not owner.function and id(n) not in outer]
    return any(owner.program.called(n) in ends for f in apart for n in walk(f))


def _written(
    owner: Specs, stmt: ast.stmt, call: ast.Call, losses: list[Found], ends: frozenset[str]
) -> None:
    """Say what all losses are.

    Raises:
        Spelled: always.
    """
    program = owner.program
    total = program.called(call) == TOTAL
    given = program.given(call)
    wanted = given.pop("add_regularization_losses", None)
    given.pop("name", None)
    if given or not (wanted is None or isinstance(wanted, ast.Constant)):
        raise Blocked(call, "the losses of a scope")
    regularized = total and (wanted is None or bool(wanted.value)) and _regularizes(owner, ends)
    to = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is call else None
    single = total and len(losses) == 1 and not regularized
    names, changes = [], list[Written]()
    for own, made, name in losses:
        if not name:
            kind = program.called(made).removeprefix(LOSSES)
            wish = "cross_entropy" if kind.endswith("cross_entropy") else kind
            same = single and isinstance(to, ast.Name)
            name = to.id if same else program.free(owner.function, wish)  # type: ignore[union-attr]
            changes.append((own, _given(name, made)))
        elif program.called(made) == ADDED:
            changes.append((own, word("")))
        names.append(name)
    tf = program.page(call).root
    if not tf and (regularized or not single):
        raise Blocked(call, "TensorFlow isn't imported as a whole")
    listed = f"[{', '.join(names)}]"
    more = f" + {tf}.losses.get_regularization_losses()" if regularized else ""
    said = names[0] if single else f"{tf}.add_n({listed}{more})" if total else listed
    if isinstance(to, ast.Name) and said == to.id:
        changes.append((stmt, word("")))
    else:
        changes.append((call, word(said)))
    raise Spelled(call, "the sum of all losses", changes)


def _given(name: str, made: ast.Call) -> Callable[[Source], str]:
    return lambda source: f"{name} = {source(made)}"


def _regularizes(owner: Specs, ends: frozenset[str]) -> bool:
    """Whether anything that a model_fn may use is said to be regularized."""
    for node in owner.program.scopes.walk():
        word = getattr(node, "id", "") or getattr(node, "attr", "") or getattr(node, "arg", "")
        if "regularizer" in (word or "") and not _others(owner, node, ends):
            return True
    return False

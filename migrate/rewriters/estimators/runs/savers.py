"""`CheckpointSaverHook`: checkpoints at other times than a RunConfig says.

    saver = CheckpointSaverHook(           saver = SaveCheckpoints(5, None)
        net.model_dir, save_steps=5)
    net.train(input_fn, hooks=[saver])     net.fit(input_fn(), callbacks=[saver])

An Estimator that is given one has none of its own: it saves at those times only.

https://www.tensorflow.org/guide/migrate/checkpoint_saver
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import saving_listeners
from migrate.rewriters.estimators.runs import strategies, warm_starts

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

HOOKS = frozenset(f"tensorflow.{module}.CheckpointSaverHook" for module in ("train", "estimator"))
OWN = "        callbacks = [SaveCheckpoints(self.every_steps, self.every_secs), *callbacks]\n"
# `Checkpointed` that may be given what saves.
GIVEN = (
    (
        OWN,
        """        savers = [each for each in callbacks if isinstance(each, SaveCheckpoints)]
        savers = savers or [SaveCheckpoints(self.every_steps, self.every_secs)]
        callbacks = [*savers, *(each for each in callbacks if each not in savers)]
""",
    ),
)
# The same where something listens to it, which is told of the first checkpoint, too.
HEARD = (
    ("max_steps=None, callbacks=()", "max_steps=None, callbacks=(), listeners=()"),
    ("        self.save_checkpoint()\n" + OWN, OWN),
    *GIVEN,
    (
        "        callbacks = [*savers",
        "        savers[0].listeners += listeners\n        callbacks = [*savers",
    ),
    (
        "    def __init__(self, every_steps, every_secs):\n",
        "    def __init__(self, every_steps, every_secs, listeners=()):\n",
    ),
    (
        "        self.every_secs = every_secs\n\n    def on_train_begin",
        "        self.every_secs = every_secs\n        self.listeners = list(listeners)\n\n"
        "    def on_train_begin",
    ),
    (
        """        self.step, self.time = int(self.model.optimizer.iterations), time.time()
""",
        """        for listener in self.listeners:
            listener.begin()
        self.step, self.time = int(self.model.optimizer.iterations), time.time()
        self.save(self.step)
""",
    ),
    (
        """            self.model.save_checkpoint()
            self.step, self.time = step, time.time()
""",
        """            self.step, self.time = step, time.time()
            if self.save(step):
                self.model.stop_training = True

    def on_train_end(self, logs=None):
        step = int(self.model.optimizer.iterations)
        if step != self.step:
            self.save(step)
        for listener in self.listeners:
            listener.end(step)

    def save(self, step):
        \"\"\"Save a checkpoint; whether one who listens wants training to stop.\"\"\"
        for listener in self.listeners:
            listener.before_save(step)
        self.model.save_checkpoint()
        return any([listener.after_save(step) for listener in self.listeners])
""",
    ),
)


def made(
    program: Program,
    call: ast.Call,
    folder: ast.expr | None,
    made: Estimator | None = None,
    written: Callable[[ast.expr], str] | None = None,
) -> str:
    """The callback for such a hook of a model with a ``folder``.

    ``written``: what writes its arguments. A Saver it is given there has been seen to.

    Raises:
        Blocked: it saves elsewhere, or an argument isn't followed.
    """
    given = program.given(call)
    place = given.pop("checkpoint_dir", None)
    if place is None or folder is None or not _same(program, place, folder, made):
        raise Blocked(call, "a CheckpointSaverHook of another folder than the `model_dir`")
    if strategies.kind(program):
        raise Blocked(call, "a CheckpointSaverHook under a strategy")
    steps, secs = given.pop("save_steps", None), given.pop("save_secs", None)
    if (steps is None) == (secs is None):
        raise Blocked(call, "a CheckpointSaverHook with steps and seconds, or with none of them")
    if written is not None:
        given.pop("saver", None)
    listeners = saving_listeners.sources(program, given.pop("listeners", None))
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of a CheckpointSaverHook: it says how all are kept")
    told(program, call)
    say = written or program.source
    every = [say(each) if each is not None else "None" for each in (steps, secs)]
    if listeners:
        told(program, call, heard=True)
        every.append(f"listeners={listeners}")
    return f"SaveCheckpoints({', '.join(every)})"


def _same(program: Program, place: ast.expr, folder: ast.expr, made: Estimator | None) -> bool:
    """Whether two expressions are one folder."""
    if isinstance(place, ast.Attribute) and place.attr == "model_dir" and made is not None:
        program.kept["folder read", id(place)] = True  # it goes with the hook
        return program.scopes.value(place.value) is made.call
    one, two = (program.scopes.value(each) for each in (place, folder))
    return one is two or warm_starts.same(program, one, two)


def told(program: Program, node: ast.AST, *, heard: bool = False) -> None:
    """See to a `Checkpointed` that is given what saves, or ``heard`` by something."""
    if "savers" not in program.kept:
        program.finish.append(lambda: _told(program, node))
    program.kept["savers"] = bool(program.kept.get("savers")) or heard


def _told(program: Program, node: ast.AST) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is None:
            continue
        for old, new in HEARD if program.kept["savers"] else GIVEN:
            if source.count(old) != 1:
                raise Blocked(node, "what saves or listens to it, of such a model")
            source = source.replace(old, new)
        page.needed["Checkpointed"] = source

"""A model without a `model_dir` whose training ends at a step: it has to be its first and only one.

An Estimator counts `max_steps` from the first step, also where it was trained before: it keeps its
checkpoints in a folder of its own. A Keras model goes on from where it is.
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Estimator, Program

LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def seen(program: Program, call: ast.Call, made: Estimator, most: ast.expr | None) -> None:
    """See to a call that trains, up to a step if ``most`` is given.

    Raises:
        Blocked: the model may be trained before.
    """
    if made.folder is not None:
        return
    kept = program.kept.setdefault(("trained", id(made.call)), [])
    assert isinstance(kept, list)
    kept.append(most)
    ends = any(m is not None for m in kept)
    if ends and (len(kept) > 1 or (most is not None and _repeated(program, call, made))):
        raise Blocked(call, "max_steps of a model that may be trained before")


def _repeated(program: Program, call: ast.Call, made: Estimator) -> bool:
    """Whether a call may run more than once for a model that is made once."""
    outer = {id(n) for n in program.scopes.around(made.call)}
    at: ast.AST = call
    for _ in range(20):
        function: ast.AST | None = None
        for above in program.scopes.around(at):
            if id(above) in outer:
                return False
            if isinstance(above, LOOPS):
                return True
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                function = above
                break
        if function is None:
            return False
        if not isinstance(function, ast.FunctionDef):
            return True
        uses = program.readers(function)  # those of a method aren't seen
        site = program.scopes.parents[id(uses[0])] if len(uses) == 1 else None
        if not isinstance(site, ast.Call) or site.func is not uses[0]:
            return True
        at = site
    return True

"""The global step that a hook of the program asks its session for by itself.

    def begin(self):
        self.step = tf.train.get_global_step()

    def end(self, session):                   def on_train_end(self, logs=None):
        print(session.run(self.step))             print(int(self.model.optimizer.iterations))

What a hook asks for beside a step, in `before_run`, is another number as 1.15.5's threads go.
"""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.optimizing.training import STEPS
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.runs import strategies

# The argument of a method that is a session, or has one.
SESSIONS = {"after_create_session": "", "end": "", "before_run": "session", "after_run": "session"}


def written(program: Program, stmt: ast.FunctionDef) -> set[int]:
    """Write the step where a method asks for it; the nodes that need no look any more.

    Raises:
        Blocked: it is asked for in another way, too.
    """
    done: set[int] = set()
    for node in all_of(stmt, ast.Assign):
        if program.called(node.value) in STEPS and isinstance(node.targets[0], ast.Attribute):
            target = node.targets[0]
            uses = program.attributes(target.attr)
            asked = [u for u in uses if u is not target]
            if len(node.targets) > 1 or not asked or not all(_run(program, u) for u in asked):
                raise Blocked(node, "what a hook does with the global step")
            program.remove(node)
            done |= {id(n) for n in walk(node)}
    if stmt.name not in SESSIONS or len(stmt.args.args) < 2:
        return done
    own = stmt.args.args[0].arg
    for call in all_of(stmt, ast.Call):
        if _asks(program, call, stmt):
            program.edit(call, f"int({own}.model.optimizer.iterations)")
            done |= {id(n) for n in walk(call)}
    if done and strategies.kind(program):
        raise Blocked(stmt, "a hook that asks for the step, under a strategy")
    return done


def _run(program: Program, use: ast.expr) -> bool:
    """Whether an attribute that is the step is what a session runs in a method of a hook."""
    call = program.scopes.parents[id(use)]
    function = program.scopes.scope(use)
    return (
        isinstance(call, ast.Call)
        and isinstance(function, ast.FunctionDef)
        and function.name in SESSIONS
        and _asks(program, call, function)
    )


def _asks(program: Program, call: ast.Call, method: ast.FunctionDef) -> bool:
    """Whether a call asks the session of a hook's method for the step."""
    func, args = call.func, method.args.args
    if not isinstance(func, ast.Attribute) or func.attr != "run" or len(call.args) != 1:
        return False
    if call.keywords or len(args) < 2:
        return False
    owner = args[1].arg + (f".{SESSIONS[method.name]}" if SESSIONS[method.name] else "")
    if ast.unparse(func.value) != owner:
        return False
    step = call.args[0]
    if isinstance(step, ast.Attribute) and ast.unparse(step.value) == args[0].arg:
        sets = [u for u in program.attributes(step.attr) if not isinstance(u.ctx, ast.Load)]
        stmt = program.scopes.parents[id(sets[0])] if len(sets) == 1 else None
        return isinstance(stmt, ast.Assign) and program.called(stmt.value) in STEPS
    return program.called(step) in STEPS

"""What a model with weights by name begins with: a checkpoint's values.

https://www.tensorflow.org/guide/checkpoint
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.naming import named_known
from migrate.rewriters.estimators.syntax import reads, simple, stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.models.methods import Methods
    from migrate.rewriters.estimators.program import Program

PREDICTS = '''def predict(self, dataset, **kwargs):
    """Predict, beginning with the values of a checkpoint."""
    if not self.named.by_name:
        features, _, _ = {tf}.keras.utils.unpack_x_y_sample_weight(dataset.element_spec)
        {tf}.function(self.__call__).get_concrete_function(features)
        self.begin()
    return super().predict(dataset, **kwargs)
'''


def possible(owner: Methods) -> None:
    """See to it that a model whose weights have names has what it needs.

    Raises:
        Blocked: it hasn't that.
    """
    assert owner.by_name is not None
    if owner.replicated or owner.head is not None:
        raise Blocked(owner.function, "weights by name, and a head or a strategy")
    if not owner.by_name.begins:
        return
    if not owner.saved and owner.modes != ["predict"]:
        raise Blocked(owner.function, "what a model begins with, and no `model_dir`")
    if owner.saved and "train" not in owner.modes:
        raise Blocked(owner.function, "a `model_dir` of a model that begins with other weights")


def predicts(owner: Methods, one: str, two: str) -> str:
    """The method of a model that only predicts: there are no checkpoints of its own."""
    lines = PREDICTS.replace("{tf}", owner.tf).splitlines()
    unit = owner.text.unit
    shown = [one + line.replace("    ", unit) if line else "" for line in lines]
    return "\n".join(shown) + "\n"


def begin(owner: Methods, one: str, two: str) -> str:
    """The method that gives the model the values that it begins with.

    Raises:
        Blocked: what it asks for isn't seen.
    """
    program, body = owner.program, owner.bodies[owner.modes[0]]
    every_node = [n for s in body for n in all_of(s, ast.Call)]
    calls = [n for n in every_node if program.called(n) == named_known.INIT]
    plain = [c for c in calls if program.scopes.scope(c) is owner.function]
    if not plain or len({ast.dump(c) for c in calls}) != 1:
        raise Blocked((plain or calls)[0], "several checkpoints to begin with")
    call, *again = plain
    _idle(owner, call, again)
    given = program.given(call)
    checkpoint, names = given["ckpt_dir_or_file"], given["assignment_map"]
    wanted = reads(checkpoint) | reads(names)
    needed: list[ast.stmt] = []
    every = [s for b in body for s in simple(b) if not isinstance(s, ast.FunctionDef)]
    for stmt in reversed(every):
        if stores(stmt) & wanted and isinstance(stmt, ast.Assign):
            if not _gathers(program, stmt) and owner.is_tensor(stmt) and not _helper(owner, stmt):
                raise Blocked(stmt, "what a model begins with depends on what runs compute")
            wanted |= reads(stmt)
            needed.append(stmt)
    for stmt in needed:
        for n in walk(stmt):
            if program.called(n) == "tensorflow.trainable_variables":
                assert isinstance(n, ast.Call)
                scope = program.given(n).get("scope")
                some = ""
                if scope is not None:
                    some = f" if re.match({program.source(scope)}, v.value.name)"
                    program.bring(n, "import re")
                owner.instead[id(n)] = f"[v.value for v in self.named.trainable_variables{some}]"
    owner.mode = None
    given_names = f"{owner.source(checkpoint)}, {owner.source(names)}"
    owner.instead[id(call)] = f"init_from_checkpoint(self.named, {given_names})"
    for name in ("init_from_checkpoint", *(["NamedCheckpoints"] if owner.saved else [])):
        source = named_known.sources()[name]
        program.need(owner.function, name, source, named_known.imports(source))
    text = _begun(owner, body, call, needed, two)
    for node in (call, *(n for stmt in needed for n in walk(stmt))):
        owner.instead.pop(id(node), None)
    said = '"""Give the weights what they begin with."""'
    return f"{one}def begin(self):\n{two}{said}\n{text}"


def _idle(owner: Methods, call: ast.Call, again: list[ast.Call]) -> None:
    """See to it that what is said again says nothing new.

    Raises:
        Blocked: it may be said where the first time isn't, or of something else by then.
    """
    program = owner.program
    stmt = program.scopes.statement(call)
    above = program.scopes.parents[id(stmt)]
    bodies = [getattr(above, name, []) for name in ("body", "orelse")]
    later = next((b[b.index(stmt) + 1 :] for b in bodies if stmt in b), [])
    read = reads(call)
    for other in again:
        at = next((i for i, s in enumerate(later) if _has([s], other)), None)
        if at is None or any(stores(s) & read for s in later[: at + 1]):
            raise Blocked(other, "several checkpoints to begin with")


def _begun(
    owner: Methods, body: Sequence[ast.stmt], call: ast.Call, needed: list[ast.stmt], indent: str
) -> str:
    out = ""
    for stmt in body:
        inside = holds(stmt, call)
        if isinstance(stmt, ast.If) and (inside or any(s in needed for s in simple(stmt))):
            if inside and any(isinstance(n, ast.FunctionDef) for n in walk(stmt)):
                branch = next(b for b in (stmt.body, stmt.orelse) if _has(b, call))
                other = stmt.orelse if branch is stmt.body else stmt.body
                if any(isinstance(s, ast.FunctionDef) for s in other):
                    out += _begun(owner, branch, call, needed, indent)
                    continue
            deeper = indent + owner.text.unit
            inner = _begun(owner, stmt.body, call, needed, deeper)
            rest = _begun(owner, stmt.orelse, call, needed, deeper)
            out += f"{indent}if {owner.source(stmt.test)}:\n{inner or deeper + 'pass' + chr(10)}"
            out += f"{indent}else:\n{rest}" if rest else ""
        elif stmt in needed or inside:
            if not isinstance(stmt, (ast.Assign, ast.Expr)):
                raise Blocked(stmt, "how a model begins")
            out += owner.statement(stmt, indent)
    return out


def _has(body: Sequence[ast.stmt], call: ast.Call) -> bool:
    return any(n is call for s in body for n in walk(s))


def _gathers(program: Program, stmt: ast.stmt) -> bool:
    value = getattr(stmt, "value", None)
    return program.called(value) == "tensorflow.trainable_variables" if value else False


def _helper(owner: Methods, stmt: ast.Assign) -> bool:
    """Whether a statement calls a function that looks at variables and a checkpoint only."""
    function = (
        owner.program.scopes.function(stmt.value.func) if isinstance(stmt.value, ast.Call) else None
    )
    if function is None:
        return False
    said = {owner.program.called(n) for n in all_of(function, ast.Call)}
    return said <= {"", "tensorflow.train.list_variables", "tensorflow.train.load_checkpoint"}

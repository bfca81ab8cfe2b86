"""What stands for `tf.saved_model.simple_save`: a function with the signature, its variables."""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Site, Symbol
from migrate.programs.graph.slices import Group, Invoked, Plan
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.shown_alone import layered


def written(
    program: Any, site: Site, plan: Plan | None, functions: Any, indent: str, above: str
) -> str:
    """The function that is saved, and the statement that saves it, with the comments above it."""
    export, tf, nl = site.export, program.tf, program.text.newline
    assert export is not None
    assert plan is not None
    name, unit = functions.namer.free("serving"), program.text.unit
    refs = {key: functions.ref(symbol) for key, symbol in export.inputs.items()}
    specs = [f'{tf}.TensorSpec({r}.shape, {r}.dtype, name="{key}")' for key, r in refs.items()]
    owner = f"{site.owner}." if site.owner else ""
    keys = {symbol: key for key, symbol in export.inputs.items()}
    given = ", ".join(keys[s] for s in plan.params if s in keys)
    call = f"{owner}{plan.name}({given})"
    result = f"dict(zip({export.outputs!r}, {call}))"
    if len(export.outputs) == 1:
        result = f"{{{export.outputs[0]!r}: {call}}}"
    lines = [
        f"@{tf}.function(input_signature=[{', '.join(specs)}])",
        f"def {name}({', '.join(refs)}):",
        f"{unit}return {result}",
    ]
    blank = 1 if indent else 2
    function = "".join(f"{indent}{line}{nl}" for line in lines)
    saved = f"{tf}.saved_model.save({_object(program, site, plan, functions)}, "
    saved += f"{program.here(export.folder)}, signatures={name})"
    return f"{OPEN}{blank}\n{function}{CLOSE}{blank}\n{above}{indent}{saved}{nl}"


def _object(program: Any, site: Site, plan: Plan, functions: Any) -> str:
    """What keeps the variables that the function reads.

    Raises:
        Blocked: some of them aren't seen.
    """
    walker, tf = program.walker, program.tf
    found: dict[str, str] = {}
    steps = list(plan.steps)
    for unit in plan.units:
        steps += unit.steps if isinstance(unit, (Group, Invoked)) else []
    if plan.borrowed or "recurrent" in walker.kept or plan.ops:
        raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")
    for step in steps:
        if step.kind is not Kind.TENSOR:
            raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")
        if layered(walker, step):
            raise Blocked(site.node, "a SavedModel of layers")
        for symbol in step.uses:
            if symbol.value.kind is Kind.VARIABLE:
                if not _seen(site, symbol):
                    raise Blocked(site.node, f"`{symbol.name}` isn't seen where it is saved")
                source = functions.ref(symbol)
                found.setdefault(source, _key(symbol, found))
            elif symbol.value.kind in (Kind.OBJECT, Kind.OTHER):
                raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")
    if not found:
        return f"{tf}.Module()"
    listed = ", ".join(f"{key}={source}" for source, key in found.items())
    return f"{tf}.train.Checkpoint({listed})"


def _seen(site: Site, symbol: Symbol) -> bool:
    """Whether a variable's name means it where the model is saved."""
    there = symbol.step.function, site.step.function if site.step is not None else None
    return not symbol.attribute and (isinstance(there[0], ast.Module) or there[0] is there[1])


def _key(symbol: Symbol, taken: dict[str, str]) -> str:
    wish = name = re.sub(r"\W+", "_", symbol.name)
    count = 1
    while name in taken.values():
        count += 1
        name = f"{wish}_{count}"
    return name

"""What stands for `tf.saved_model.simple_save`: a function with the signature, its variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph.data.tables import Table
from migrate.programs.graph.model import Blocked, Kind, Site, Step, Symbol
from migrate.programs.graph.slices import Group, Invoked, Plan
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.shown_alone import layered


def written(
    program: Any,
    plans: Sequence[tuple[Site, Plan | None]],
    functions: Any,
    indent: str,
    above: str,
) -> str:
    """The functions that are saved, and the statement that saves them, with the comments above."""
    made, saved = _saved(program, plans, functions, indent)
    blank = 1 if indent else 2
    long = program.long_lines([saved], indent)
    return f"{OPEN}{blank}\n{made}{CLOSE}{blank}\n{above}{long}"


def beside(
    program: Any, step: Step, of: dict[int, Plan], functions: Any, indent: str
) -> tuple[str, list[tuple[int, int, str]]]:
    """What a loop or a branch saves with its checkpoints: functions above it, and the calls."""
    calls: dict[int, list[Site]] = {}
    for site in step.sites:
        if site.export is not None and site.export.beside is not None:
            calls.setdefault(id(site.export.beside), []).append(site)
    above, replaced = "", []
    for sites in calls.values():
        plans = [(s, of.get(id(s.node))) for s in sites]
        made, saved = _saved(program, plans, functions, indent)
        blank = 1 if indent else 2
        above += f"{OPEN}{blank}\n{made}{CLOSE}{blank}\n"
        export = sites[0].export
        assert export is not None
        assert export.beside is not None
        program.say(export.beside, "a graph that is saved becomes a SavedModel of a function")
        line = program.text.lines[export.beside.lineno - 1]
        outer = line[: len(line) - len(line.lstrip())]
        saved = program.long_lines([saved], outer).strip()
        replaced.append((*program.text.index.span(export.beside), saved))
    return above, replaced


def _saved(
    program: Any, plans: Sequence[tuple[Site, Plan | None]], functions: Any, indent: str
) -> tuple[str, str]:
    """The functions that are saved, and the call that saves them."""
    tf, nl = program.tf, program.text.newline
    named: dict[str, str] = {}
    made, folder = "", ""
    for site, plan in plans:
        export = site.export
        assert export is not None
        folder = program.here(export.folder)
        wish = f"serving_{export.key}"
        plain = len(plans) == 1 or export.key == "serving_default" or not wish.isidentifier()
        name = named[export.key] = functions.namer.free("serving" if plain else wish)
        lines = _function(program, site, plan, functions, name)
        made += nl * (1 if indent else 2) * bool(made)
        made += program.long_lines(lines, indent)
    signatures = "{" + ", ".join(f'"{key}": {name}' for key, name in named.items()) + "}"
    if list(named) == ["serving_default"]:
        signatures = named["serving_default"]
    first = plans[0][0].export
    with_checkpoint = first.beside if first is not None else None
    if with_checkpoint is not None:
        saved = f"{tf}.saved_model.save({program.savers.checkpoint(with_checkpoint)}, "
    else:
        saved = f"{tf}.saved_model.save({_object(program, plans, functions)}, "
    return made, f"{saved}{folder}, signatures={signatures})"


def _function(program: Any, site: Site, plan: Plan | None, functions: Any, name: str) -> list[str]:
    """The function of a signature."""
    export, tf = site.export, program.tf
    assert export is not None
    refs = {key: functions.ref(symbol) for key, symbol in export.inputs.items()}
    if export.beside is not None:  # as it is called there
        refs = {f: program.here(feed.node) for f, feed in zip(refs, site.feeds, strict=True)}
    # These have no names: the arguments' are the signature's.
    parts = []
    if plan is not None:
        owner = f"{site.owner}." if site.owner else ""
        keys = {symbol: key for key, symbol in export.inputs.items()}
        given = ", ".join(keys[s] for s in plan.params if s in keys)
        call = f"{owner}{plan.name}({given})"
        if len(export.outputs) == 1:
            parts.append(f"{export.outputs[0]!r}: {call}")
        elif export.values:
            parts.append(f"**dict(zip({export.outputs!r}, {call}))")
        else:
            parts.append(f"dict(zip({export.outputs!r}, {call}))")
    parts += [f"{key!r}: {program.here(node)}" for key, node in export.values.items()]
    whole = plan is not None and len(export.outputs) > 1 and not export.values
    result = parts[0] if whole else "{" + ", ".join(parts) + "}"
    return [
        f"@{tf}.function(input_signature=[{', '.join(refs.values())}])",
        f"def {name}({', '.join(refs)}):",
        f"{program.text.unit}return {result}",
    ]


def _object(program: Any, plans: Sequence[tuple[Site, Plan | None]], functions: Any) -> str:
    """What keeps the variables that the functions read.

    Raises:
        Blocked: some of them aren't seen.
    """
    try:
        found: dict[str, str] = {}
        for site, plan in plans:
            assert plan is not None
            _plain(program, site, plan, functions, found)
    except Blocked:
        site = plans[0][0]
        everything = site.export.everything if site.export is not None else None
        if everything is None:
            raise
        parts = program.savers.parts(everything, functions)
        tables = {
            functions.ref(symbol): _key(symbol, {})
            for site, plan in plans
            for step in _steps(plan)
            for symbol in step.uses
            if isinstance(symbol.value.data, Table) and _seen(site, symbol)
        }
        parts += [f"{key}={source}" for source, key in tables.items()]
        return f"{program.tf}.train.Checkpoint({', '.join(parts)})"
    if not found:
        return f"{program.tf}.Module()"
    listed = ", ".join(f"{key}={source}" for source, key in found.items())
    return f"{program.tf}.train.Checkpoint({listed})"


def _plain(program: Any, site: Site, plan: Plan, functions: Any, found: dict[str, str]) -> None:
    """The plain variables that a function reads, by their sources.

    Raises:
        Blocked: it reads more than these, or some of them aren't seen.
    """
    walker = program.walker
    if plan.borrowed or "recurrent" in walker.kept or plan.ops:
        raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")
    for step in _steps(plan):
        if step.kind is not Kind.TENSOR:
            raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")
        if layered(walker, step):
            raise Blocked(site.node, "a SavedModel of layers")
        for symbol in step.uses:
            if symbol.value.kind is Kind.VARIABLE or isinstance(symbol.value.data, Table):
                if not _seen(site, symbol):
                    raise Blocked(site.node, f"`{symbol.name}` isn't seen where it is saved")
                source = functions.ref(symbol)
                found.setdefault(source, _key(symbol, found))
            elif symbol.value.kind in (Kind.OBJECT, Kind.OTHER):
                raise Blocked(site.node, "a SavedModel of more than tensors of plain variables")


def _steps(plan: Plan | None) -> list[Step]:
    """All that a function does, by those that it calls."""
    found = list(plan.steps) if plan is not None else []
    for unit in plan.units if plan is not None else ():
        found += unit.steps if isinstance(unit, (Group, Invoked)) else []
    return found


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

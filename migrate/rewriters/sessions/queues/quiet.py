"""Sessions that the end of the data closes quietly: what they hold back, an `except` says.

A monitored session's block, and a supervisor's, ends where the data do; outside of one that is an
error.
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import walk
from migrate.programs.graph.meaning import canonical
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.module import Module

SUPERVISOR = "train.Supervisor"
MONITORED = frozenset(
    ["train.MonitoredTrainingSession", "train.MonitoredSession", "train.SingularMonitoredSession"]
)
TAKES = ".get_next()"
END = "errors.OutOfRangeError"


def with_quiet_ends(document: Document, names: Names, others: str = "") -> Document:
    """The document with an `except` for the end of the data; itself where none is needed.

    ``others``: the text of the program's other files.
    """
    found = {canonical(r.name).removeprefix("tensorflow.") for r in names.references}
    if not found & {SUPERVISOR, *MONITORED}:
        return document
    module = Module(document, names)
    for stmt in walk(document.tree):
        if isinstance(stmt, ast.With) and (name := _session(module, stmt)):
            if has_data(module, stmt, others) or _endless(stmt, name):
                _held(module, stmt)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits) if edits else document


def has_data(module: Module, stmt: ast.AST, others: str) -> bool:
    """Whether data that end can come to a block, by its function and what that calls."""
    names = set(module.endpoints.values())
    if any("Queue" in n for n in names) or TAKES in others:
        return True
    producers = any("input_producer" in n for n in names)  # they begin again, unless told how often
    if producers and any("num_epochs" in text for text in (module.text.text, others)):
        return True
    return any(TAKES in text for text in module.around(stmt))


def _session(module: Module, stmt: ast.With) -> str:
    """The session that a statement opens, of those whose end of the data is quiet."""
    item = stmt.items[0]
    value, name = item.context_expr, item.optional_vars
    if not isinstance(name, ast.Name) or not isinstance(value, ast.Call):
        return ""
    if module.endpoint(value) in MONITORED:
        return name.id
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    managed = isinstance(owner, ast.Name) and any(
        module.endpoint(given) == SUPERVISOR for given in module.assigned(owner.id)
    )
    return name.id if managed and ast.unparse(value.func).endswith(".managed_session") else ""


def _endless(stmt: ast.With, name: str) -> bool:
    """Whether nothing but the end of the data ends a loop in a block."""
    hooked = any(
        k.arg in ("hooks", "chief_only_hooks")
        and not (isinstance(k.value, ast.List) and not k.value.elts)
        for k in getattr(stmt.items[0].context_expr, "keywords", ())
    )
    loops = [s for s in stmt.body if isinstance(s, ast.While)]
    asked = f"not {name}.should_stop()"
    return not hooked and any(
        ast.unparse(loop.test) in (asked, "True", "1")
        and not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in walk(loop))
        for loop in loops
    )


def _held(module: Module, stmt: ast.With) -> None:
    """A block's statements under a `try`, from the first that can run something."""
    place = next(
        (i for i, s in enumerate(stmt.body) if any(isinstance(n, ast.Call) for n in walk(s))),
        None,
    )
    if place is None:
        return
    text = module.text
    floor = (stmt.body[place - 1].end_lineno or 0) if place else stmt.lineno
    first, last = text.piece(stmt.body[place], floor).first, stmt.body[-1].end_lineno or 0
    indent, newline = module.indent(stmt.body[place]), text.newline
    for line in range(first, last + 1):
        head = f"{indent}try:{newline}" if line == first else ""
        if line not in text.inside and text.lines[line - 1].strip():
            head += text.unit
        if head:
            module.changes.append(Edit(text.start(line), text.start(line), head))
    tail = f"{indent}except {module.tf}.{END}:{newline}{indent}{text.unit}pass{newline}"
    if text.lines[last - 1][-1:] not in "\r\n":
        tail = newline + tail
    module.changes.append(Edit(text.start(last + 1), text.start(last + 1), tail))

"""An object's summaries, merged outside of it, as an attribute that its ``__init__`` sets."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The statement goes to the end of ``__init__``, where its name was read is the attribute; or
    behind the object's last summary.
    """
    member: ast.FunctionDef = error.found["member"]
    places: list[ast.Name] = error.found["places"]
    last: ast.stmt = error.found.get("after", member.body[-1])
    stmt = source.statement(error.node)
    home = Source(source.parts, member)
    if stmt is None or not source.alone(stmt) or not home.alone(last) or not home.tf:
        return None
    after = source.document.text[source.span(stmt)[1] :].partition("\n")[0].strip()
    if after and not after.startswith("#"):
        return None
    start, end = source.span(stmt)
    line = source.document.text.rfind("\n", 0, start) + 1
    below = source.document.text.find("\n", end) + 1 or len(source.document.text)
    name = error.found.get("attribute") or places[0].id
    found = [Edit(line, below, "")]
    new = f"{error.found['name']}.{name}"
    found += [Edit(*source.span(p), new) for p in places if isinstance(p.ctx, ast.Load)]
    itself = member.args.args[0].arg
    text = home.document.text
    at = text.find("\n", home.span(last)[1])
    at = len(text) if at < 0 else at
    nl = "\r\n" if "\r\n" in text else "\n"
    at -= text[at - 1 : at] == "\r"
    new = f"{nl}{home.indent(last)}{itself}.{name} = {home.tf}.summary.merge_all()"
    if home.document is source.document:
        return [*found, Edit(at, at, new)]
    error.more[home.document.path] = [Edit(at, at, new)]
    return found

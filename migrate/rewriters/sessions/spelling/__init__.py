"""Programs of TF 1 in other words of TF 1, where these can be followed.

One kind a file; each is given the place at which the walk stopped, and gives the edits of its file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from migrate.engine.findings import Edit
from migrate.engine.joined import Part
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling import (
    analyzed,
    arg_scopes,
    crf,
    end_points,
    endpoint_aliases,
    lifted,
    merged,
    own_cells,
    partials,
    plain_methods,
    repeats,
    returned_lists,
    templates,
    unread_results,
    unused_sessions,
    variable_properties,
)
from migrate.rewriters.sessions.spelling.source import Source

KINDS: dict[str, Callable[[Source, Respelled, Walker], list[Edit] | None]] = {
    "analyzed": analyzed.edits,
    "arg_scope": arg_scopes.edits,
    "crf": crf.edits,
    "end points": end_points.edits,
    "endpoint alias": endpoint_aliases.edits,
    "lift": lifted.edits,
    "merged": merged.edits,
    "own cell": own_cells.edits,
    "partial": partials.edits,
    "plain method": plain_methods.edits,
    "repeat": repeats.edits,
    "returned lists": returned_lists.edits,
    "template": templates.edits,
    "unread results": unread_results.edits,
    "unused session": unused_sessions.edits,
    "variable property": variable_properties.edits,
}


def edits(parts: Sequence[Part], error: Respelled, walker: Walker) -> list[Edit] | None:
    """The edits of the file in which a walk stopped; None where it can't be spelled otherwise.

    What changes in other files goes into ``error.more``.
    """
    found = KINDS[error.kind](Source(parts, error.node), error, walker)
    return sorted(found, key=lambda e: e.start) if found else None

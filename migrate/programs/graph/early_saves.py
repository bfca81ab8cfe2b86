"""A save that may come before anything is trained, in a program that restores.

What Keras makes at its first use, a layer's variables and an optimizer's slots, waits in the file
that was restored until then; a save in between would leave it out, and may write over that file.
So the layers are told their input's shape where they are made, and the optimizers what they train
where the Saver is.
"""

from __future__ import annotations

from typing import Any

from migrate.programs.graph import collections
from migrate.programs.graph.model import Blocked

REASON = "a checkpoint may be saved before what it holds is made"


def met(walker: Any, saver: Any) -> None:
    """See that all is made before the first save, if anything is restored."""
    if saver.early is None or not any(s.restores for s in walker.savers):
        return
    for layer in saver.layers:
        entry = next((o for o in walker.owned if o.layer is layer.call), None)
        try:
            if entry is not None and layer.factory is None:
                collections.built(walker, entry, saver.call)
        except Blocked:
            continue  # whoever writes the Saver sees that it isn't
    stmt = saver.step.node
    if id(saver) not in walker.kept.setdefault(("made early",), set()):
        walker.kept["made early",].add(id(saver))
        lines = walker.afterwards.setdefault(id(stmt), [])
        lines.append(lambda writer: writer.module.savers.told(saver, writer))

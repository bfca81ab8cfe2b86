"""Queues as datasets, before sessions are followed: a program of TF 1 with iterators instead.

What a queue hands out to a run, an iterator's `get_next()` hands out as well. So producers and
readers become datasets, what was computed for each record a function that is mapped,
`tf.train.batch` a batch of the dataset; coordinators, runners and threads go. The rest of the way
is an iterator's.
"""

from __future__ import annotations

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.programs.graph.meaning import canonical
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.beginnings import LATER
from migrate.rewriters.sessions.queues.coordinators import Coordinators
from migrate.rewriters.sessions.queues.files import Gives
from migrate.rewriters.sessions.queues.module import Module, short
from migrate.rewriters.sessions.queues.pipelines import Pipelines
from migrate.rewriters.sessions.queues.quiet import SUPERVISOR
from migrate.rewriters.sessions.queues.supervisors import Supervisors

QUEUES = frozenset(
    [
        *("train.string_input_producer", "train.slice_input_producer", "train.batch"),
        *("train.range_input_producer", "train.input_producer"),
        *("train.shuffle_batch", "train.start_queue_runners", "train.QueueRunner"),
        *("RandomShuffleQueue", "train.batch_join", "train.shuffle_batch_join"),
        SUPERVISOR,
    ]
)
COORDINATOR = "train.Coordinator"  # also of queues that another file makes


def with_iterators(
    document: Document,
    names: Names,
    lent: Gives | None = None,
    gives: Gives | None = None,
    inputs: str | None = None,
    before: str = "",
) -> Document:
    """The document without queues; itself where it has none.

    ``lent``: calls of other files' functions that give datasets now; ``gives``: filled with this
    file's; ``inputs``: the program's other files, where its Estimators become Keras models;
    ``before``: those that were followed before this one.

    Raises:
        Blocked: they can't be followed; with the place and the reason.
    """
    found = {short(canonical(r.name)) for r in names.references}
    queues = bool(found & QUEUES)
    takes = ".get_next()" in document.text or f".{LATER}()" in document.text
    if not queues and not lent and not takes:
        return document
    module = Module(document, names)
    pipelines = Pipelines(module, lent, inputs, before)
    try:
        pipelines.run()
    except Blocked:
        if queues or lent:
            raise
        return document  # its iterators are followed as they are
    if gives is not None:
        gives.update(pipelines.gives)
    if not queues and not lent and not pipelines.gives:
        return document
    if queues or (lent and COORDINATOR in found):
        Supervisors(module).run()
        Coordinators(module).run()
    for filled, scope in pipelines.filled:
        filled.rest(scope)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits)

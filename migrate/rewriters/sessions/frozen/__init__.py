"""Imported graphs: a frozen graph's file is read, and a session runs tensors of it by their names.

TF 2 still has `tf.Graph` and `tf.graph_util.import_graph_def`, and both the graph and the look-ups
by name stay as they are. What a session ran becomes a function of what it fed, made once where the
session was, by `graph_function`, which imports the part of the graph that it needs into a
`tf.function`. Only graphs that nothing else is built in: they have no variables of the program's.

https://www.tensorflow.org/api_docs/python/tf/graph_util/import_graph_def
"""

from __future__ import annotations

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.programs.graph.meaning import canonical
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.frozen.graphs import IMPORT, Graphs, Kept
from migrate.rewriters.sessions.frozen.sessions import Sessions
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.module import Module


def with_graph_functions(document: Document, names: Names, tf: str, others: str = "") -> Document:
    """The document with functions of its imported graphs; itself where that can't be followed.

    Names of TF 2 begin with ``tf``; ``others``: the text of the program's other files.
    """
    found = {canonical(r.name).removeprefix("tensorflow.") for r in names.references}
    if IMPORT not in found or not any("Session" in name for name in found):
        return document
    module = Module(document, names)
    try:
        graphs = Graphs(module, tf)
        Sessions(graphs, others).run()
        return edited(document, list(by_cell(document, module.edits())))
    except (Blocked, Kept):
        return document

"""TF 1 graphs as functions of TF 2, with the signatures that they had.

These functions import TensorFlow and run in the process that calls them. A SavedModel or GraphDef
is code: load only what you trust.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.graphs import inspecting, refs


def load_saved_model(path: str, tags: Sequence[str] | None = None) -> Any:
    """Load a TF 1 SavedModel; what `tf.saved_model.load` gives, with variables.

    Reference variables become resource variables first: without that TF 2.21 shows no
    `variables`, and what it saves of the model can't be run.

    Args:
        path: the SavedModel's folder.
        tags: which of its graphs, by tags; needed if there are several.

    Returns:
        An object with `signatures` (name → concrete function with the same inputs and outputs),
        `variables` and `graph`.

    Raises:
        CheckpointError: it is damaged, or has ops that TF 2.21 lacks.
        Usage: no graph has these tags.
    """
    graphs = inspecting.inspect(path)
    graph = _tagged(graphs, path, tags)
    _refuse_lost([graph], path)
    import tensorflow as tf

    if not any(op in refs.VARIABLES for op in graph.ops):
        return tf.saved_model.load(path, tags=list(graph.tags))
    folder = tempfile.TemporaryDirectory(prefix="migrate-")
    try:
        _rewritten(path, folder.name, set(graph.tags))
        loaded = tf.saved_model.load(folder.name, tags=list(graph.tags))
    except BaseException:
        folder.cleanup()
        raise
    # Saving the model again copies its assets from there.
    weakref.finalize(loaded, folder.cleanup)
    return loaded


def _tagged(graphs: list[inspecting.Graph], path: str, tags: Sequence[str] | None) -> Any:
    known = ", ".join("[" + " ".join(graph.tags) + "]" for graph in graphs)
    if tags is None:
        if len(graphs) == 1:
            return graphs[0]
        raise Usage(f"{path} has {len(graphs)} graphs, with tags {known}: say which")
    for graph in graphs:
        if set(graph.tags) == set(tags):
            return graph
    raise Usage(f"{path} has no graph with tags [{' '.join(tags)}]; there are {known}")


def _refuse_lost(graphs: list[inspecting.Graph], path: str) -> None:
    lost = [f"{op} ({why})" for op, why, _ in inspecting.named_lost(graphs)]
    if lost:
        raise CheckpointError(f"{path}: TF 2.21 cannot run it: {'; '.join(lost)}")


def _rewritten(path: str, folder: str, tags: set[str]) -> None:
    """A SavedModel with resource variables; variables and assets are links to the old ones."""
    from tensorflow.core.protobuf import saved_model_pb2

    saved = saved_model_pb2.SavedModel()
    with open(os.path.join(path, "saved_model.pb"), "rb") as stream:
        saved.ParseFromString(stream.read())
    chosen = [meta for meta in saved.meta_graphs if set(meta.meta_info_def.tags) == tags]
    del saved.meta_graphs[:]
    saved.meta_graphs.extend(chosen)
    for meta in saved.meta_graphs:
        refs.to_resources(meta.graph_def)
        refs.mark_resources(meta)
    with open(os.path.join(folder, "saved_model.pb"), "wb") as stream:
        stream.write(saved.SerializeToString())
    for name in ("variables", "assets", "assets.extra"):
        source = os.path.join(os.path.abspath(path), name)
        if os.path.isdir(source):
            os.symlink(source, os.path.join(folder, name))


def load_graph(
    path: str, inputs: Mapping[str, str] | Sequence[str], outputs: Mapping[str, str] | Sequence[str]
) -> Any:
    """Load a frozen GraphDef as a concrete function.

    Args:
        path: a binary GraphDef (`.pb`) without variables.
        inputs: tensors to feed, as names (`x:0`, or `x`) or as keyword → name.
        outputs: tensors to fetch, in the same way.

    Returns:
        A concrete function from the inputs, by keyword, to a dictionary of the outputs.

    Raises:
        CheckpointError: it is damaged, has variables, or ops that TF 2.21 lacks.
        Usage: the graph has no tensor of that name.
    """
    graphs = inspecting.inspect(path)
    _refuse_lost(graphs, path)
    if graphs[0].variables:
        raise CheckpointError(
            f"{path}: {graphs[0].variables} variables: not frozen, and a GraphDef has no values; "
            "freeze it in TF 1, or export a SavedModel"
        )
    import tensorflow as tf

    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as stream:
        definition.ParseFromString(stream.read())
    feeds, fetches = _by_key(inputs), _by_key(outputs)
    if not feeds or not fetches:
        raise Usage(f"{path}: a function has inputs and outputs; received {inputs}, {outputs}")

    def imported() -> None:
        tf.compat.v1.import_graph_def(definition, name="")

    wrapped = tf.compat.v1.wrap_function(imported, [])

    def tensor(name: str) -> Any:
        try:
            return wrapped.graph.as_graph_element(name, allow_operation=False)
        except (KeyError, ValueError):
            raise Usage(f"{path}: the graph has no tensor {name!r}") from None

    return wrapped.prune(
        {key: tensor(name) for key, name in feeds.items()},
        {key: tensor(name) for key, name in fetches.items()},
    )


def _by_key(names: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Keyword → tensor name; a keyword is a name with what no keyword has left out."""
    pairs = names.items() if isinstance(names, Mapping) else [(_key(n), n) for n in names]
    found: dict[str, str] = {}
    for key, name in pairs:
        if key in found:
            raise Usage(f"two tensors would be called {key!r}: name them, as in {key}1={name}")
        found[key] = name if ":" in name else f"{name}:0"
    return found


def _key(name: str) -> str:
    stem, _, number = name.partition(":")
    text = "".join(c if c.isalnum() else "_" for c in stem)
    return text if number in ("", "0") else f"{text}_{number}"


def export(
    path: str,
    out: str,
    *,
    tags: Sequence[str] | None = None,
    inputs: Mapping[str, str] | None = None,
    outputs: Mapping[str, str] | None = None,
    signature: str = "serving_default",
) -> list[str]:
    """Save a TF 1 SavedModel or frozen graph as a TF 2 SavedModel with the same signatures.

    Returns the signatures' names. For a GraphDef ``inputs`` and ``outputs`` are its signature.
    """  # fmt: skip
    import tensorflow as tf

    if os.path.isdir(path):
        loaded = load_saved_model(path, tags)
        if not loaded.signatures:
            raise CheckpointError(f"{path}: it has no signatures to save")
        made = dict(loaded.signatures)
        module = loaded
    else:
        if not inputs or not outputs:
            raise Usage(f"{path}: a GraphDef has no signature: give inputs and outputs")
        made = {signature: load_graph(path, inputs, outputs)}
        module = tf.Module()
        module.function = made[signature]
    tf.saved_model.save(module, out, signatures=made)
    return sorted(made)

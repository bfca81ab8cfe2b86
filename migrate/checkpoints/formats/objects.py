"""Object-based checkpoints of TF 2: a V2 checkpoint whose keys are paths, and a graph of objects.

tensorflow/core/protobuf/trackable_object_graph.proto describes the graph. Here a variable is
named by its path, ``model/dense/kernel``; the file adds ``/.ATTRIBUTES/VARIABLE_VALUE`` to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import wire
from migrate.checkpoints.formats.base import Content, Reader, Tensor, Writer
from migrate.checkpoints.formats.bundle import BundleReader, BundleWriter

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
ATTRIBUTES = "/.ATTRIBUTES/"
VALUE = ATTRIBUTES + "VARIABLE_VALUE"
SLOT = "/.OPTIMIZER_SLOT/"
COUNTER = "save_counter"
TABLES = (ATTRIBUTES + "table-keys", ATTRIBUTES + "table-values")


def short(key: str) -> str:
    """A key without what all variables' keys end in."""
    return key.removesuffix(VALUE)


def full_names(graph: bytes) -> dict[str, str]:
    """Keys → the variables' own names, as far as the graph of objects has them."""
    found = {}
    for field, node in wire.fields(graph):
        if field != 1:
            continue
        for part, value in wire.fields(wire.views(node)):
            if part != 2:
                continue
            name = key = ""
            for inner, held in wire.fields(wire.views(value)):
                if inner == 2:
                    name = wire.texts(held)
                elif inner == 3:
                    key = wire.texts(held)
            if name and key:
                found[key] = name
    return found


def graph_of(names: list[str], kept: Sequence[str] = ()) -> bytes:
    """A graph of objects in which every name is a path of attributes.

    What is ``kept`` is there without a value: restoring finds the object and leaves it as it is.
    """
    children: list[dict[str, int]] = [{}]
    attributes: dict[int, list[tuple[str, str]]] = {}
    for name in (*names, *kept):
        path, _, attribute = name.partition(ATTRIBUTES)
        node = 0
        for part in path.split("/"):
            if part not in children[node]:
                children.append({})
                children[node][part] = len(children) - 1
            node = children[node][part]
        if name in kept:
            continue
        key = key_of(name)
        attributes.setdefault(node, []).append((attribute or "VARIABLE_VALUE", key))
    nodes = []
    for number, below in enumerate(children):
        node_bytes = b"".join(
            wire.block(1, wire.number(1, child) + wire.string(2, _unescaped(part)))
            for part, child in below.items()
        )
        for attribute, key in attributes.get(number, []):
            node_bytes += wire.block(
                2,
                wire.string(1, attribute) + wire.string(2, short(key)) + wire.string(3, key),
            )
        nodes.append(wire.block(1, node_bytes + wire.block(5, wire.number(1, 1))))
    return b"".join(nodes)


def key_of(name: str) -> str:
    """The key of a variable's path."""
    return name if ATTRIBUTES in name or SLOT in name else name + VALUE


def _unescaped(part: str) -> str:
    return part.replace(".S", "/").replace("..", ".")


class ObjectReader(Reader):
    """A V2 checkpoint with a graph of objects; the graph is no tensor here."""

    format = "tf2"
    words = "an object-based TF 2 checkpoint"
    checksums = True

    def __init__(self, inner: BundleReader) -> None:
        super().__init__(inner.path)
        self._inner = inner
        self.shards = inner.shards
        self.graph = b""
        if inner.tensors[GRAPH].dtype != dtypes.STRING or inner.tensors[GRAPH].shape:
            raise CheckpointError(f"{self.path}: damaged: its graph of objects")
        self._keys = {}
        for key, tensor in inner.tensors.items():
            if key == GRAPH:
                continue
            name = short(key)
            self._keys[name] = key
            self.tensors[name] = Tensor(
                name, tensor.dtype, tensor.shape, tensor.nbytes, tensor.slices
            )

    def load_graph(self) -> bytes:
        """The graph of objects; also learns the variables' own names."""
        if not self.graph:
            self.graph = bytes(self._inner.strings(GRAPH).reshape(-1)[0])
            self.aliases = {short(key): name for key, name in full_names(self.graph).items()}
            for name in self.tensors:
                owner, found, slot = name.partition(SLOT)
                if found and owner in self.aliases:
                    self.aliases[name] = f"{self.aliases[owner]}/{slot.rpartition('/')[2]}"
        return self.graph

    def close(self) -> None:
        self._inner.close()

    def pieces(self, name: str) -> Iterator[bytes]:
        self[name]
        return self._inner.pieces(self._keys[name])

    def strings(self, name: str) -> Array:
        self[name]
        return self._inner.strings(self._keys[name])


class ObjectWriter(Writer):
    """Writes keys for paths; the graph is a template's, or made from the paths."""

    def __init__(
        self, prefix: str, tensors: list[Tensor], graph: bytes = b"", kept: Sequence[str] = ()
    ) -> None:
        self._inner = BundleWriter(prefix)
        self._names = [tensor.name for tensor in tensors]
        self._graph = graph
        self._kept = kept

    def add(self, content: Content) -> None:
        tensor = content.tensor
        renamed = Tensor(key_of(tensor.name), tensor.dtype, tensor.shape, tensor.nbytes)
        self._inner.add(
            Content(renamed, content.reader, content.origin, content.make, content.used)
        )

    def finish(self) -> None:
        import numpy as np

        if not self._graph:
            # Restoring through tf.train.Checkpoint looks for its counter of saves.
            if COUNTER not in self._names:
                counter = Tensor(COUNTER, "int64", ())
                self.add(Content(counter, make=lambda: np.ones((), np.int64)))
                self._names.append(COUNTER)
            self._graph = graph_of(sorted(self._names), self._kept)
        values = np.empty((), object)
        values[()] = self._graph
        self._inner.add(Content(Tensor(GRAPH, dtypes.STRING, (), 0), make=lambda: values))
        self._inner.finish()

    def close(self) -> None:
        self._inner.close()

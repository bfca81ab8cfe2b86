"""Takes the steps out of a recorded graph: the original's, or that of a program with a session.

The graph becomes functions of TensorFlow 2, which are called as the session was.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ..recorder.operations import ancestors, own_line
from ..recorder.written import dump, runtime
from .steps_writer import DRAWS, SCHEMA, StepsWriter
from .xla_kernels import first_lines


def replay(job: dict[str, Any]) -> int:
    """Build functions from a bundle's graph, call them as its session was called, write all."""
    import tensorflow as tf

    with open(os.path.join(job["bundle"], "record.json"), encoding="utf-8") as stream:
        source = json.load(stream)
    stored = np.load(os.path.join(job["bundle"], "arrays.npz"), allow_pickle=False)
    player = Player(job, tf, source["original"], stored, own_line)
    player.run()
    dump(
        job["out"],
        {"schema": SCHEMA, "runtime": runtime(tf), "exit": {"kind": "exit", "code": 0}},
        {},
    )
    return 0


class Player:
    """A recorded graph as functions of TensorFlow 2."""

    def __init__(
        self, job: dict[str, Any], tf: Any, original: dict[str, Any], stored: Any, own_line: Any
    ) -> None:
        self.tf = tf
        self.original = original
        self.stored = stored
        self.writer = StepsWriter(job["device_steps"]["out"], tf, own_line)
        self.meta = tf.compat.v1.MetaGraphDef()
        self.meta.ParseFromString(stored["original/meta_graph"].tobytes())
        self.variables = self._make_variables()
        self.wrapped = self._wrap()
        self.numbers: dict[Any, int] = {}
        self.draws: dict[Any, list[Any]] = {}

    def _make_variables(self) -> dict[str, Any]:
        made = {}
        for node in self.meta.graph_def.node:
            node.attr.pop("_output_shapes", None)
            if node.op in ("Variable", "VariableV2"):
                raise ValueError(
                    f"{node.name} is a reference variable (use_resource=False), which no function "
                    "of TensorFlow 2 can hold"
                )
            if node.op != "VarHandleOp":
                continue
            dtype = self.tf.dtypes.as_dtype(node.attr["dtype"].type)
            value = self._start(node.name)
            shape = self.tf.TensorShape(node.attr["shape"].shape)
            if value is None:
                if not shape.is_fully_defined():
                    continue
                value = np.zeros(shape.as_list(), dtype.as_numpy_dtype)
            made[node.name] = self.tf.Variable(value, dtype=dtype, shape=shape, name=node.name)
        return made

    def _start(self, name: str) -> Any:
        for key in (f"v/0/{name}", f"original/local/{name}"):
            if key in self.stored.files:
                return self.stored[key]
        return None

    def _wrap(self) -> Any:
        def build() -> None:
            graph = self.tf.compat.v1.get_default_graph()
            handles = {
                f"{name}:0": graph.capture(variable.handle)
                for name, variable in self.variables.items()
            }
            self.tf.graph_util.import_graph_def(self.meta.graph_def, input_map=handles, name="")

        return self.tf.compat.v1.wrap_function(build, [])

    def run(self) -> None:
        """Replay the calls in order, then write."""
        for name, variable in sorted(self.variables.items()):
            self.writer.know(name, variable)
        calls = self.original["calls"]
        first = next((place for place, call in enumerate(calls) if call["train"]), 0)
        for call in calls[first:]:  # the start values are those before the first training step
            if self.writer.full:
                break
            kinds = self.original["sets"][call["set"]]
            try:
                self.call(call, kinds)
            except (self.tf.errors.OpError, ValueError, LookupError) as error:
                if call["train"]:
                    raise
                self.writer.notes.append(f"a call that trains nothing: {first_lines(str(error))}")
        self.writer.end()

    def call(self, call: dict[str, Any], kinds: dict[str, Any]) -> None:
        """One recorded call of the session."""
        names = list(kinds["fetches"])
        losses = []
        for _, name in kinds["losses"]:
            if name not in names:
                names.append(name)
            losses.append(names.index(name))
        feeds = sorted(call["feeds"])
        values = [
            self.tf.constant(self.stored[call["feeds"][name]], self._dtype(name)) for name in feeds
        ]
        key = (
            call["set"],
            tuple((name, tuple(v.shape)) for name, v in zip(feeds, values, strict=True)),
        )
        if not names and not kinds["targets"]:
            return
        if key not in self.numbers:
            drawn = self._drawn(names + kinds["targets"], feeds)
            concrete = self._prune(feeds + drawn, names, kinds["targets"])
            if drawn:
                self.writer.draws = True
                self.draws[key] = self.tf.nest.flatten(
                    self._call(self._prune(feeds, drawn, []), values)
                )
            values += self.draws.get(key, [])
            if not call["train"] and is_the_hosts(concrete.graph):
                return
            self.numbers[key] = self.writer.add_function(
                f"run{call['set']}", concrete, values, self.original.get("lines", {}),
                train=call["train"],
            )  # fmt: skip
        else:
            values += self.draws.get(key, [])
        number = self.numbers[key]
        changed = self.writer.before(number)
        result = self._call(self.writer.plain[number], values)
        leaves = self.tf.nest.flatten(result)
        outputs = [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")][: len(names)]
        self.writer.after(number, values, changed, outputs, losses)

    @staticmethod
    def _call(concrete: Any, values: list[Any]) -> Any:
        return concrete._call_flat(list(values), concrete.captured_inputs)

    def _drawn(self, names: list[str], feeds: list[str]) -> list[str]:
        """Random numbers that a call draws: other devices draw others, so they become feeds."""
        graph = self.wrapped.graph
        reached = ancestors([graph.get_operation_by_name(name.split(":")[0]) for name in names])
        return sorted(
            operation.outputs[0].name
            for operation in reached
            if operation.type in DRAWS
            and operation._get_control_flow_context() is None
            and operation.outputs[0].name not in feeds
        )

    def _dtype(self, name: str) -> Any:
        return self.wrapped.graph.get_tensor_by_name(name).dtype

    def _prune(self, feeds: list[str], names: list[str], targets: list[str]) -> Any:
        graph = self.wrapped.graph
        fetches = [graph.get_tensor_by_name(name) for name in names]
        fetches += [graph.get_operation_by_name(name) for name in targets]
        inputs = [graph.get_tensor_by_name(name) for name in feeds]
        return self.wrapped.prune(inputs, fetches)


def is_the_hosts(graph: Any) -> bool:
    """Whether a call reads or writes checkpoints, or fills a queue.

    Steps get what their queues gave, so that nobody would empty one: the call would not return.
    """
    kinds = {operation.type for operation in graph.get_operations()}
    files = {"SaveV2", "RestoreV2", "SaveSlices", "Save", "MergeV2Checkpoints"}
    return bool(kinds & files) or any("QueueEnqueue" in kind for kind in kinds)

"""Takes the steps out of a program that calls ``tf.function``: it is watched while it runs.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from .. import randomness
from ..recorder.after_import import AfterImport
from ..recorder.operations import own_line
from .keras_steps import step_by_batch
from .steps_writer import StepsWriter
from .xla_kernels import operations_in

STREAM = 2**20  # random numbers that a step may draw at once where its shapes are not fixed


def capture(job: dict[str, Any], tf: Any) -> Capture:
    """Start keeping the functions of the program that this process is about to run."""
    keeper = Capture(job, tf, own_line)
    AfterImport(
        {"keras.src.backend.tensorflow.trainer": lambda module: step_by_batch(module, tf)}
    ).install()
    draw_from_streams(tf, keeper.writer)
    return keeper


class Capture:
    """Keeps what a program's outermost calls of ``tf.function`` compute."""

    def __init__(self, job: dict[str, Any], tf: Any, own_line: Any) -> None:
        self.writer = StepsWriter(job["device_steps"]["out"], tf, own_line)
        self.tf = tf
        self.inside = False
        self.numbers: dict[Any, int] = {}
        self.install()

    def install(self) -> None:
        """Watch the one place that every call of a traced function goes through."""
        from tensorflow.python.eager import context
        from tensorflow.python.eager.polymorphic_function import concrete_function

        plain = concrete_function.ConcreteFunction._call_flat
        keeper = self

        def call_flat(concrete: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
            if keeper.inside or keeper.writer.full or not context.executing_eagerly():
                return plain(concrete, tensor_inputs, captured_inputs)
            keeper.inside = True
            try:
                number = keeper.number(concrete, tensor_inputs)
                if number is None:
                    return plain(concrete, tensor_inputs, captured_inputs)
                changed = keeper.writer.before(number)
                result = plain(concrete, tensor_inputs, captured_inputs)
                keeper.writer.after(number, tensor_inputs, changed, keeper.flat(result))
                return result
            finally:
                keeper.inside = False

        concrete_function.ConcreteFunction._call_flat = call_flat

    def number(self, concrete: Any, inputs: list[Any]) -> int | None:
        """The function's number in the writer; None for what is no step, such as an iterator's."""
        tf = self.tf
        if any(item.dtype in (tf.resource, tf.variant) for item in inputs):
            return None
        key = (id(concrete), tuple((item.dtype, tuple(item.shape)) for item in inputs))
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else concrete.name
        if "initialize_variables" in name or feeds_the_step(concrete):
            return None
        if key not in self.numbers:
            variables = held_by(concrete, tf)
            if any(not has_value(variable) for variable in variables):
                return None  # the call that makes its variables; the next one is a plain step
            for variable in sorted(variables, key=made):
                self.writer.know(variable.name.split(":")[0], variable)
            name = name.removeprefix("__inference_").rsplit("_", 1)[0]
            train = updates(operations_in(concrete.graph))
            self.numbers[key] = self.writer.add_function(name, concrete, list(inputs), train=train)
        return self.numbers[key]

    def flat(self, result: Any) -> list[Any]:
        """Results in the order of the function's outputs."""
        leaves = self.tf.nest.flatten(result, expand_composites=True)
        return [leaf.numpy() for leaf in leaves if hasattr(leaf, "numpy")]

    def finish(self, ending: dict[str, Any]) -> None:
        """Write what was kept."""
        if ending.get("code"):
            self.writer.notes.append(f"the program failed: {ending.get('error')}")
        self.inside = True
        self.writer.end()


def feeds_the_step(concrete: Any) -> bool:
    """Whether a function makes or reads a dataset: the host's part of a program."""
    kinds = {operation.type for operation in concrete.graph.get_operations()}
    return any("Dataset" in kind or "Iterator" in kind for kind in kinds)


def held_by(concrete: Any, tf: Any) -> list[Any]:
    """A function's variables, also those that it only updates, such as an optimizer's slots.

    TensorFlow lists those that are read; of the others the function has handles.
    """
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    found = {variable.handle._id: variable for variable in concrete.graph.variables}
    lost = {item._id for item in concrete.captured_inputs if item.dtype == tf.resource}
    lost -= set(found)
    if lost:
        for item in gc.get_objects():
            if issubclass(type(item), BaseResourceVariable):
                key = getattr(item._handle, "_id", None)
                if key in lost:
                    found.setdefault(key, item)
    return list(found.values())


def has_value(variable: Any) -> bool:
    """Whether a variable was given its start value."""
    return bool(variable.shape.is_compatible_with(variable.numpy().shape))


def made(variable: Any) -> int:
    """When a variable was made: TensorFlow lists a function's variables in no order.

    Those without a name are told apart by it, here and in another run.
    """
    number = variable._unique_id.rpartition("_")[2]
    return int(number) if number.isdigit() else 0


def updates(operations: list[Any]) -> bool:
    """Whether a function trains: it changes variables by an optimizer's op, or by gradients."""
    kinds = {operation.type for operation in operations}
    if any(kind.startswith(("ResourceApply", "ResourceSparseApply")) for kind in kinds):
        return True
    assigns = any(kind.startswith(("AssignAdd", "AssignSub", "AssignVariable")) for kind in kinds)
    names = (operation.name for operation in operations)
    return assigns and any("gradient" in name.lower() for name in names)


def draw_from_streams(tf: Any, writer: StepsWriter) -> None:
    """Inside functions, random numbers are slices of captured constants.

    XLA's Philox gives its numbers in another order than TensorFlow's kernels, and how other devices
    order them is their own affair. What ``randomness.py`` draws depends on nothing but the shape,
    and is the beginning of one stream whatever the shape: so the stream can be an argument.
    """
    from tensorflow.python.framework import ops, tensor_util

    redirect = randomness._Redirect
    streams: dict[Any, Any] = {}

    def drawn(plain: Any) -> Any:
        def draw(self: Any, shape: Any, dtype: Any, *kind: Any) -> Any:
            if not getattr(ops.get_default_graph(), "building_function", False):
                return plain(self, shape, dtype, *kind)
            writer.draws = True
            shape = tf.convert_to_tensor(shape, tf.int32)
            static = tensor_util.constant_value(shape)
            count = STREAM if static is None else int(np.prod(static))
            key = (plain.__name__, dtype, kind, count)
            if key not in streams:
                with tf.init_scope():
                    streams[key] = plain(self, [count], dtype, *kind)
            stream = streams[key]
            if static is None:
                stream = stream[: tf.reduce_prod(shape)]
            return tf.reshape(stream, shape)

        return draw

    for name in ("uniform", "normal", "truncated"):
        setattr(redirect, name, drawn(getattr(redirect, name)))

"""``tf.layers.Layer``: calls, losses and updates on top of the scoped weights.

A TF1 layer is a callable that makes its variables through ``tf.get_variable`` below a variable
scope of its own, so names, reuse, partitioners and custom getters come from the scopes around it.
The scope is taken when the layer is built, not when it is made; its operations stand in the name
scope that belongs to it, whatever the scope of the later calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.layers import _spec
from migrate.tf1_shim.layers._base import Scoped

__all__ = ["Layer"]


def _add_new(elements: Iterable[Any], collection: str) -> None:
    """Add what the collection does not have yet."""
    there = {id(element) for element in tf.get_collection_ref(collection)}
    for element in elements:
        if id(element) not in there:
            there.add(id(element))
            tf.add_to_collection(collection, element)


class Layer(Scoped):
    """Base class of the layers with a variable scope, for use and for subclassing.

    A subclass creates its weights in `build` with `add_weight` (or in `call` with
    ``tf.get_variable``) and computes in `call`. Example::

        class Scale(Layer):
            def build(self, input_shape):
                self.factor = self.add_weight("factor", [], initializer=tf.ones_initializer())
                super().build(input_shape)

            def call(self, inputs):
                return inputs * self.factor

        y = Scale()(x)                       # makes the variable "scale/factor:0"

    Attributes:
      trainable: Whether the weights belong to TRAINABLE_VARIABLES; set it before building.
      built: Whether `build` has run.
      input_spec: None, or the `InputSpec` that each call is checked against.
    """

    # Losses and updates.

    def _regularize(self, name: str, parts: list[Any], regularizer: Any) -> None:
        def penalty(variable: Any) -> Callable[[], Any]:
            def compute() -> Any:
                with tf.name_scope(name + "/Regularizer"):
                    # Keras's ask for a dtype that a variable with a reference hasn't got.
                    if not isinstance(regularizer, tf.keras.regularizers.Regularizer):
                        return regularizer(variable)
                    value = regularizer(tf.convert_to_tensor(variable))
                    if tf.executing_eagerly() or value.op.type in ("Add", "AddV2"):
                        return value
                    return tf.add(0.0, value, name="add")  # TF 1's Keras adds to a zero

            return compute

        for part in parts:
            self.add_loss(penalty(part))

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses to the layer and to REGULARIZATION_LOSSES.

        Args:
          losses: A scalar tensor, a callable that makes one, or a list of such.
          inputs: The inputs that they depend on; None for those of the current call.
        """
        made = []
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            lazy = callable(loss) and not tf.is_tensor(loss)
            value = loss if lazy and tf.executing_eagerly() else loss() if lazy else loss
            if value is not None:
                tensor = tf.is_tensor(value) or callable(value)
                made.append(value if tensor else tf.convert_to_tensor(value))
        self._tf1.losses += [(loss, inputs) for loss in made]
        if not tf.executing_eagerly():
            _add_new(made, tf.GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add update operations; a call adds them to UPDATE_OPS in the end.

        Args:
          updates: An operation, a tensor, a callable that makes one, or a list of such. When
            executing eagerly, callables run at once.
          inputs: The inputs that they depend on; None for those of the current call.
        """
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            made = update() if callable(update) and not tf.is_tensor(update) else update
            if made is not None and not tf.executing_eagerly():
                made = getattr(made, "op", made)
                self._tf1.updates.append((made, self._tf1.inputs if inputs is None else inputs))

    @property
    def losses(self) -> list[Any]:
        """The losses added so far."""
        own = [loss for loss, _ in self._tf1.losses]
        if tf.executing_eagerly():
            own = [loss if tf.is_tensor(loss) else loss() for loss in own]
        return own

    @property
    def updates(self) -> list[Any]:
        """The update operations; none if the layer is not trainable."""
        if not self.trainable and not self.stateful:
            return []
        return [update for update, _ in self._tf1.updates]

    def _reaching(self, pairs: list[tuple[Any, Any]], inputs: Any) -> list[Any]:
        """What depends on the inputs; for None, what depends on no input."""
        if inputs is None:
            return [value for value, of in pairs if of is None]
        wanted = {id(tensor) for tensor in tf.nest.flatten(inputs)}
        return [
            value
            for value, of in pairs
            if of is not None and any(id(tensor) in wanted for tensor in tf.nest.flatten(of))
        ]

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses of the calls on those inputs; with None the unconditional ones."""
        return self._reaching(self._tf1.losses, inputs)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates of the calls on those inputs; with None the unconditional ones."""
        if not self.trainable and not self.stateful:
            return []
        return self._reaching(self._tf1.updates, inputs)

    # Calls.

    def build(self, input_shape: Any) -> None:
        """Make the weights. Subclasses override it and set `built` or call this one.

        Args:
          input_shape: The ``TensorShape`` of the input, or a nest of them.
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs. Subclasses override it.

        Args:
          inputs: A tensor, or a nest of tensors.
          *args: Whatever else the layer takes.
          **kwargs: Whatever else the layer takes.

        Returns:
          The outputs.
        """
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output for a shape of the input.

        Raises:
          NotImplementedError: If the layer does not say.
        """
        raise NotImplementedError

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The Keras mask of the output: none, since the layers of a v1 graph carry no masks."""
        return None

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self.__call__(inputs, *args, **kwargs)

    def _takes(self, keyword: str) -> bool:
        return keyword in inspect.signature(self.call).parameters

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Build the layer if this is its first call, and add its operations to the graph.

        Args:
          inputs: A tensor or a nest of tensors; arrays and numbers are converted.
          *args: For `call`.
          **kwargs: For `call`; ``scope`` is the variable scope to take on the first call.

        Returns:
          What `call` returns.

        Raises:
          ValueError: If the inputs do not fit `input_spec`.
        """
        scope = kwargs.pop("scope", None)
        self._set_scope(scope)
        if self.built:
            if self._always_reuse_variable_scope is None:
                self._always_reuse_variable_scope = tf.variable_scope(
                    self._scope, reuse=True, auxiliary_name_scope=False
                )
            manager = self._always_reuse_variable_scope
        else:
            manager = tf.variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        with manager as current:
            self._current_scope = current
            if self._takes("scope"):
                kwargs["scope"] = current
            outputs = self._call_in_scope(inputs, args, kwargs)
        if not tf.executing_eagerly():
            _add_new(self.updates, tf.GraphKeys.UPDATE_OPS)
        return outputs

    def _call_in_scope(self, inputs: Any, args: Any, kwargs: Any) -> Any:
        if any(isinstance(value, (np.ndarray, float, int)) for value in tf.nest.flatten(inputs)):
            inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        if tf.executing_eagerly():
            self._tf1.losses = [pair for pair in self._tf1.losses if not tf.is_tensor(pair[0])]
        before, self._tf1.inputs = self._tf1.inputs, inputs
        try:
            _spec.check(self.input_spec, inputs, self._name)
            with tf.name_scope(self._name_scope()):
                if not self.built:
                    self._build_for(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise ValueError(
                        f"call() of the layer {self._name!r} must return its outputs. "
                        "Received: None"
                    )
                if self._activity_regularizer:
                    self._regularize_activity(inputs, outputs)
        finally:
            self._tf1.inputs = before
        if not tf.executing_eagerly():
            self._tf1.calls.append((inputs, outputs))
        return outputs

    def _build_for(self, inputs: Any) -> None:
        flat = tf.nest.flatten(inputs)
        if self._dtype is None and flat and hasattr(flat[0], "dtype"):
            self._dtype = tf.as_dtype(flat[0].dtype).base_dtype.name
        shapes = tf.nest.map_structure(lambda tensor: getattr(tensor, "shape", None), inputs)
        self.build(shapes)
        self.built = True

    def _regularize_activity(self, inputs: Any, outputs: Any) -> None:
        with tf.name_scope("ActivityRegularizer"):
            for output in tf.nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                size = tf.cast(tf.shape(output)[0], loss.dtype)
                self.add_loss(loss / size, inputs=inputs)

    @property
    def activity_regularizer(self) -> Any:
        """From an output to a scalar loss, or None."""
        return self._activity_regularizer

    # What the calls saw.

    def _call_at(self, node: int, what: str) -> tuple[Any, Any]:
        calls = self._tf1.calls
        if not calls:
            raise AttributeError(f"Layer {self._name} is not connected, no {what} to return.")
        found: tuple[Any, Any] = calls[node]
        return found

    def _only(self, at: Callable[[int], Any], what: str) -> Any:
        if len(self._tf1.calls) > 1:
            raise AttributeError(
                f'The layer "{self._name}" was called {len(self._tf1.calls)} times, so "{what}" '
                f"is not one thing. Use get_{what}_at(node_index) instead."
            )
        return at(0)

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of the call of that number."""
        return self._call_at(node_index, "input")[0]

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of the call of that number."""
        return self._call_at(node_index, "output")[1]

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shapes of the inputs of that call, as tuples."""
        return _shapes(self.get_input_at(node_index))

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shapes of the outputs of that call, as tuples."""
        return _shapes(self.get_output_at(node_index))

    @property
    def input(self) -> Any:
        """The inputs of the only call."""
        return self._only(self.get_input_at, "input")

    @property
    def output(self) -> Any:
        """The outputs of the only call."""
        return self._only(self.get_output_at, "output")

    @property
    def input_shape(self) -> Any:
        """The shapes of the inputs of the only call."""
        return self._only(self.get_input_shape_at, "input_shape")

    @property
    def output_shape(self) -> Any:
        """The shapes of the outputs of the only call."""
        return self._only(self.get_output_shape_at, "output_shape")

    def _session(self) -> Any:
        session = tf.get_default_session()
        if session is None:
            raise ValueError(
                "get_weights and set_weights need a default session: call them inside of "
                "`with session.as_default():`."
            )
        return session

    def get_weights(self) -> list[Any]:
        """The values of `weights` in the default session, as arrays."""
        if tf.executing_eagerly():
            return [variable.numpy() for variable in self.weights]
        values: list[Any] = self._session().run(self.weights)
        return values

    def set_weights(self, weights: list[Any]) -> None:
        """Assign arrays to `weights` in the default session.

        Raises:
          ValueError: If there are not as many arrays as weights.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f'set_weights of layer "{self._name}" got {len(weights)} arrays, but the layer '
                f"has {len(self.weights)} weights."
            )
        for variable, value in zip(self.weights, weights, strict=True):
            if tf.executing_eagerly():
                variable.assign(value)
            else:
                variable.load(value, self._session())


def _shapes(tensors: Any) -> Any:
    def one(tensor: Any) -> Any:
        return tuple(tensor.shape.as_list()) if tensor.shape.rank is not None else None

    if isinstance(tensors, (list, tuple)) and len(tensors) == 1:
        return one(tensors[0])
    return tf.nest.map_structure(one, tensors)

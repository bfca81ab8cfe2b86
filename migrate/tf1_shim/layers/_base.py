"""The half of ``tf.layers.Layer`` that makes names and weights: variable scopes.

A TF1 layer is a callable that makes its variables through ``tf.get_variable`` below a variable
scope of its own, so names, reuse, partitioners and custom getters come from the scopes around it.
The scope is taken when the layer is built, not when it is made; its operations stand in the name
scope that belongs to it, whatever the scope of the later calls.

Everything is on public API: ``tf.compat.v1``, and ``tf.__internal__.tracking`` for layers as parts
of a ``tf.train.Checkpoint``.
"""

from __future__ import annotations

import copy
import re
import weakref
from typing import Any

import numpy as np
import tensorflow
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values

__all__ = ["Scoped"]

#: Per graph, how many layers of each default name were made: ``layer.name`` counts from one.
_UNIQUE: weakref.WeakKeyDictionary[Any, dict[str, int]] = weakref.WeakKeyDictionary()


#: Attributes that a copy of a layer shares with it.
_SHARED = ("_graph", "_scope", "_current_scope", "_always_reuse_variable_scope", "_rnncell_scope")


def _of_value(constraint: Any) -> Any:
    """A constraint that is given the value: Keras 3's don't take a graph's reference variable."""
    return constraint and (lambda variable: constraint(tf.convert_to_tensor(variable)))


class _State:
    """What the base class keeps to itself, out of the reach of attribute tracking."""

    def __init__(self) -> None:
        self.trainable: list[Any] = []
        self.other: list[Any] = []
        self.losses: list[tuple[Any, Any]] = []
        self.updates: list[tuple[Any, Any]] = []
        self.calls: list[tuple[Any, Any]] = []
        self.inputs: Any = None


def snake_case(name: str) -> str:
    """The default scope of a class: "Conv2DTranspose" gives "conv2d_transpose"."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    return "private" + snake if snake.startswith("_") else snake


def _numbered(base: str) -> str:
    counts = _UNIQUE.setdefault(tf.get_default_graph(), {})
    counts[base] = counts.get(base, 0) + 1
    return f"{base}_{counts[base]}"


def _parts(variable: Any) -> list[Any]:
    """The variables of a partitioned variable, or the one itself."""
    if hasattr(variable, "_get_variable_list"):
        return list(variable)
    return [variable]


class Scoped(tensorflow.__internal__.tracking.AutoTrackable):
    """A thing with a variable scope of its own, and the variables made there."""

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        """Make a layer; its variables come with the first call.

        Args:
          trainable: Whether to add its variables to TRAINABLE_VARIABLES.
          name: The scope's name, made unique; by default from the class's name.
          dtype: The dtype of its weights; by default that of its first input.
          **kwargs: ``activity_regularizer``: from an output to a scalar loss. ``_reuse``: whether
            to reuse the variables of the scope; ``_scope``: the scope itself: those two serve
            the functions ``tf.layers.*``.

        Raises:
          TypeError: If there are other keyword arguments.
        """
        object.__setattr__(self, "_tf1", _State())
        self._reuse = kwargs.pop("_reuse", None)
        scope = kwargs.pop("_scope", None)
        self._activity_regularizer = _values.regularizer(kwargs.pop("activity_regularizer", None))
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {sorted(kwargs)[0]!r}")
        self.trainable = trainable
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self.input_spec: Any = None
        self._dtype = None if dtype is None else tf.as_dtype(dtype).base_dtype.name
        own = None if isinstance(name, tf.VariableScope) else name
        self._base_name = own or snake_case(type(self).__name__)
        if isinstance(name, tf.VariableScope):
            self._base_name = name.name
        self._name = own or _numbered(snake_case(type(self).__name__))
        self._graph: Any = None if tf.executing_eagerly() else tf.get_default_graph()
        self._always_reuse_variable_scope: Any = None
        self._current_scope: Any = None
        self._scope: Any = None
        if scope:
            with tf.variable_scope(scope) as captured:
                self._scope = captured

    def __setattr__(self, name: str, value: Any) -> None:
        # Tracking would wrap tuples in proxies, which operations do not take everywhere.
        if isinstance(value, tuple):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy with variables of its own to come; of a built layer, the variables are shared."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            if name == "_tf1":
                state = _State()
                state.trainable, state.other = list(value.trainable), list(value.other)
                object.__setattr__(made, name, state)
            elif name in _SHARED or isinstance(value, (tf.Variable, tf.VariableScope)):
                object.__setattr__(made, name, value)
            else:
                setattr(made, name, copy.deepcopy(value, memo))
        return made

    # Names and scopes.

    @property
    def name(self) -> str:
        """The layer's own name; its variables' prefix is `scope_name`."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The name of the weights' dtype, or None before the first call."""
        return self._dtype

    @property
    def graph(self) -> Any:
        """The graph that the layer belongs to."""
        if tf.executing_eagerly():
            raise RuntimeError("Layers that run eagerly belong to no graph")
        return self._graph

    @property
    def scope_name(self) -> str:
        """The prefix of its variables' names.

        Raises:
          ValueError: If no scope was taken yet, that is before the first call.
        """
        if not self._scope:
            raise ValueError(f"The layer {self._name!r} has no scope before its first call")
        return str(self._scope.name)

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with tf.variable_scope(self._base_name if scope is None else scope) as captured:
                self._scope = captured
        else:
            with tf.variable_scope(scope, default_name=self._base_name) as captured:
                self._scope = captured

    def _name_scope(self) -> Any:
        """The name scope of its operations; with a final slash, so it is entered as it is."""
        return self._current_scope.original_name_scope

    # Weights.

    @property
    def _trainable_weights(self) -> list[Any]:
        own: list[Any] = self._tf1.trainable
        return own

    @property
    def _non_trainable_weights(self) -> list[Any]:
        own: list[Any] = self._tf1.other
        return own

    @property
    def trainable_weights(self) -> list[Any]:
        """Its own trainable variables, in the order of creation; not those of sub-layers."""
        return list(self._tf1.trainable) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables; all of them if the layer is not trainable."""
        other = list(self._tf1.other)
        return other if self.trainable else list(self._tf1.trainable) + other

    @property
    def weights(self) -> list[Any]:
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    def _regularize(self, name: str, parts: list[Any], regularizer: Any) -> None:
        raise NotImplementedError

    def count_params(self) -> int:
        """How many numbers its weights hold.

        Raises:
          ValueError: If the layer is not built.
        """
        if not self.built:
            raise ValueError(
                f"count_params of layer {self._name} was called before the layer was built."
            )
        return int(sum(np.prod(v.shape.as_list()) for v in self.weights))

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = tf.VariableSynchronization.AUTO,
        aggregation: Any = tf.VariableAggregation.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Make a variable in the layer's scope, or get the one of that name under reuse.

        Args:
          name: The name below the scope.
          shape: Its shape.
          dtype: Its dtype; by default the layer's, else float32.
          initializer: By default the scope's, else Glorot uniform for floats, zero otherwise.
          regularizer: From the variable to a scalar, added to REGULARIZATION_LOSSES, but only by
            the call that makes the variable.
          trainable: By default true, except with ``VariableSynchronization.ON_READ``.
          constraint: Applied by the optimizer after an update.
          use_resource: Whether to make a resource variable; by default as the scope says.
          synchronization: As for ``tf.get_variable``.
          aggregation: As for ``tf.get_variable``.
          partitioner: As for ``tf.get_variable``; by default the scope's.
          **kwargs: ``getter`` and ``collections``, as the Keras layers of TF 1.15 took them.

        Returns:
          The variable, or a ``PartitionedVariable``.

        Raises:
          TypeError: If there are other keyword arguments.
          ValueError: If it is to be both trainable and synchronized on read.
        """
        getter = kwargs.pop("getter", None) or tf.get_variable
        collections = kwargs.pop("collections", None)
        kwargs.pop("experimental_autocast", None)
        if kwargs:
            raise TypeError(f"Unknown keyword argument: {sorted(kwargs)[0]!r}")
        on_read = synchronization == tf.VariableSynchronization.ON_READ
        if on_read and trainable:
            raise ValueError(
                "A variable that is synchronized when it is read (ON_READ) can't be trainable. "
                "Received: trainable=True"
            )
        trainable = (not on_read if trainable is None else trainable) and self.trainable
        eager = tf.executing_eagerly()
        before = set() if eager else {id(v) for v in tf.global_variables()}
        self._set_scope(None)
        with tf.variable_scope(
            self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False
        ) as scope:
            self._current_scope = scope
            with tf.name_scope(self._name_scope()):
                variable = getter(
                    name,
                    shape=shape,
                    dtype=tf.as_dtype(dtype or self._dtype or tf.float32),
                    initializer=_values.initializer(initializer) or scope.initializer,
                    trainable=trainable,
                    constraint=_of_value(constraint),
                    collections=collections,
                    partitioner=partitioner,
                    use_resource=use_resource or scope.use_resource or None,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
                parts = _parts(variable)
                if regularizer and any(eager or id(v) not in before for v in [variable, *parts]):
                    self._regularize(name, parts, _values.regularizer(regularizer))
        learned = {id(v) for v in tf.trainable_variables()}
        for part in parts:
            # A custom getter or the scope may have taken it out of the trainable variables.
            kept = trainable and (eager or id(part) in learned)
            into = self._tf1.trainable if kept else self._tf1.other
            if all(part is not other for other in into):
                into.append(part)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

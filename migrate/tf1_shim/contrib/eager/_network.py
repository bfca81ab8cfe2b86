"""``tfe.Network``: layers that own the layers they were told to track."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.layers import Layer
from migrate.tf1_shim.layers._base import snake_case


def _free(base: str, taken: Iterable[str]) -> str:
    """The base, or the base with the least number from one on, that is not taken."""
    names = set(taken)
    number, name = 0, base
    while name in names:
        number += 1
        name = f"{base}_{number}"
    return name


class Network(Layer):
    """A layer made of layers, for subclassing; its variables are theirs.

    Example::

        class TwoLayers(tfe.Network):
            def __init__(self, name=None):
                super().__init__(name=name)
                self.first = self.track_layer(tf1_shim.layers.Dense(10))
                self.second = self.track_layer(tf1_shim.layers.Dense(3))

            def call(self, inputs):
                return self.second(self.first(inputs))

    The variables are called "two_layers/dense/kernel:0", "two_layers/dense_1/kernel:0" and so on.
    """

    def __init__(self, name: str | None = None) -> None:
        """Make a network.

        Args:
          name: Its name; by default from that of its class, made unique.

        Raises:
          ValueError: If the name is a scope or has a slash.
        """
        if isinstance(name, tf.VariableScope):
            raise ValueError("a Network's name must be a string, not a VariableScope")
        if name is not None and "/" in name:
            raise ValueError(f"a Network's name must not have a slash. Received: {name!r}")
        super().__init__(name=name)
        own = {
            "layers": [],
            "owned": {},
            "parent": None,
            "given": name,
            "final": None,
            "around": tf.get_variable_scope(),
        }
        # Not for tracking: checkpoints see the attributes that the subclass sets.
        object.__setattr__(self, "_network", own)

    def _finalize(self, parent: Network | None) -> None:
        """Settle the name among the parent's layers; without a parent, `_set_scope` does it."""
        own = self._network
        if own["final"] is None and (own["given"] is not None or parent is not None):
            taken = parent._network["owned"] if parent else ()
            self._name = own["given"] or _free(self._default_name(), taken)
            own["final"] = self._name
        if own["parent"] is None and parent is not None:
            own["parent"] = weakref.ref(parent)

    def _default_name(self) -> str:
        return snake_case(type(self).__name__)

    @property
    def name(self) -> str:
        """The network's name.

        Raises:
          ValueError: If it was neither called nor added to another network.
        """
        if self._network["final"] is None and self._network["given"] is None:
            raise ValueError(
                "the network has no name yet: it gets one by track_layer of another network or "
                "by its first call"
            )
        return str(self._network["final"] or self._network["given"])

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if scope is not None:
            raise ValueError("a Network cannot be called with a scope")
        own = self._network
        parent = own["parent"]() if own["parent"] else None
        self._finalize(parent)
        if parent is not None:
            parent._set_scope()
        wanted = own["final"] or self._default_name()
        inner = tf.variable_scope(None, use_resource=True, default_name=wanted)
        with tf.variable_scope(parent._scope if parent else own["around"]), inner as made:
            self._scope = made
        if own["final"] not in (None, made.name.rpartition("/")[2]):
            raise ValueError(
                f"there is already a Network or a variable scope called {own['final']!r}"
            )
        if parent is None:
            own["final"] = self._name = made.name
        for layer in own["layers"]:
            if not isinstance(layer, Network):
                self._set_scope_of(layer)

    def _set_scope_of(self, layer: Layer) -> None:
        if layer._scope is None and self._network["owned"].get(layer.name) is layer:
            inner = tf.variable_scope(None, use_resource=True, default_name=layer.name)
            with tf.variable_scope(self._scope), inner as made:
                layer._scope = made

    def track_layer(self, layer: Layer) -> Layer:
        """Make a layer a part of the network.

        Args:
          layer: A layer or another network. If it was not called yet, its variables will be in
            this network's scope.

        Returns:
          The layer.

        Raises:
          TypeError: If it is no ``tf.layers.Layer``.
          ValueError: If there is another layer of that name.
        """
        if "_network" not in self.__dict__:
            raise RuntimeError("call Network.__init__ before track_layer")
        if not isinstance(layer, Layer):
            raise TypeError(f"track_layer takes a tf.layers.Layer. Received: {type(layer)}")
        own = self._network
        if isinstance(layer, Network):
            layer._finalize(self)
            first = layer._network["parent"]() is self
        else:
            first = not layer.built and layer._scope is None and not hasattr(layer, "_owner")
            if first:
                if layer._name != layer._base_name:
                    layer._name = _free(layer._base_name, own["owned"])
                object.__setattr__(layer, "_owner", weakref.ref(self))
        if first and not layer.built:
            if own["owned"].get(layer.name, layer) is not layer:
                raise ValueError(f"there are two layers called {layer.name!r} in one Network")
            own["owned"][layer.name] = layer
        own["layers"].append(layer)
        if self._scope is not None and not isinstance(layer, Network):
            self._set_scope_of(layer)
        return layer

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """A tracked layer, by its name or by its number.

        Raises:
          ValueError: If there is no such layer, or not one of both is given.
        """
        layers: list[Layer] = self._network["layers"]
        if (name is None) == (index is None):
            raise ValueError("get_layer takes a name or an index")
        if index is not None:
            if index >= len(layers):
                raise ValueError(f"there are only {len(layers)} layers, no number {index}")
            return layers[index]
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(f"no layer is called {name!r}")

    @property
    def layers(self) -> list[Layer]:
        """The tracked layers."""
        return list(self._network["layers"])

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables of the tracked layers."""
        return [v for layer in self.layers for v in layer.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables of the tracked layers."""
        return [v for layer in self.layers for v in layer.non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        """The variables of the tracked layers, layer by layer."""
        return [v for layer in self.layers for v in layer.weights]

    @property
    def losses(self) -> list[Any]:
        """The losses of the tracked layers."""
        return [loss for layer in self.layers for loss in layer.losses]

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Not for networks: a variable belongs to a layer.

        Raises:
          RuntimeError: Always.
        """
        raise RuntimeError("a Network has no variables of its own: make them in a layer")

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Not for networks: a loss belongs to a layer.

        Raises:
          RuntimeError: Always.
        """
        raise RuntimeError("a Network has no losses of its own: add them in a layer")


class Sequential(Network):
    """Layers and functions, one after the other."""

    def __init__(self, layers_funcs: Any = None, name: str | None = None) -> None:
        """Make a sequence.

        Args:
          layers_funcs: Layers, and functions of a tensor.
          name: Its name; by default "sequential".
        """
        super().__init__(name=name)
        self._network["steps"] = []
        for step in layers_funcs or []:
            self.add(step)

    def add(self, layer_func: Any) -> None:
        """Append a layer or a function.

        Raises:
          TypeError: If it cannot be called.
        """
        if isinstance(layer_func, Layer):
            taken = inspect.signature(layer_func.call).parameters
            self.track_layer(layer_func)
        elif callable(layer_func):
            taken = inspect.signature(layer_func).parameters
        else:
            raise TypeError(f"Sequential.add takes layers and functions. Received: {layer_func!r}")
        self._network["steps"].append(("training" in taken, layer_func))

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Pass the inputs through all of them.

        Args:
          inputs: A tensor.
          training: Passed to those that take it, unless it is None.

        Returns:
          What the last one gives.
        """
        for takes_training, step in self._network["steps"]:
            if training is not None and takes_training:
                inputs = step(inputs, training)
            else:
                inputs = step(inputs)
        return inputs


def _names(network: Network, map_func: Callable[[str], str] | None) -> dict[str, Any]:
    """The variables by their names in the checkpoint: by default without the network's scope."""
    prefix = network.scope_name + "/"
    named: dict[str, Any] = {}
    for variable in network.variables:
        own = variable.name.partition(":")[0]
        name = map_func(own) if map_func else own.removeprefix(prefix)
        if named.setdefault(name, variable) is not variable:
            raise ValueError(
                f"two variables of the network are called {name!r} in the checkpoint: "
                f"{named[name].name} and {variable.name}; give map_func=lambda name: name"
            )
    return named


def _path(network: Network, save_path: str) -> str:
    if os.path.isdir(save_path):
        return os.path.join(save_path, network.name.replace("/", "_"))
    return save_path


def save_network_checkpoint(
    network: Network,
    save_path: str,
    global_step: Any = None,
    map_func: Callable[[str], str] | None = None,
) -> str:
    """Save a network's variables, by names without the network's own.

    Args:
      network: A network that was called.
      save_path: A path, or a folder, in which the file is called like the network.
      global_step: A number to append to the path; by default the global step's.
      map_func: From a variable's name to its name in the checkpoint.

    Returns:
      The path of the checkpoint.

    Raises:
      ValueError: If the network has no variables yet, or two would have the same name.
    """
    if not network.built:
        raise ValueError("the Network was not called yet, so it has no variables to save")
    step = tf.train.get_global_step() if global_step is None else global_step
    session = None if tf.executing_eagerly() else tf.get_default_session()
    return str(
        tf.train.Saver(_names(network, map_func)).save(
            session, _path(network, save_path), write_meta_graph=False, global_step=step
        )
    )


def restore_network_checkpoint(
    network: Network, save_path: str, map_func: Callable[[str], str] | None = None
) -> None:
    """Restore a network's variables.

    TF 1.15 also took a network that was not called yet and restored its variables when they were
    made; here that raises.

    Args:
      network: A network that was called.
      save_path: What `save_network_checkpoint` returned.
      map_func: What was given there.

    Raises:
      ValueError: If the network has no variables yet, or two have the same name.
    """
    if not network.built:
        raise ValueError(
            "the Network was not called yet, so it has no variables to restore: call it once first"
        )
    session = None if tf.executing_eagerly() else tf.get_default_session()
    tf.train.Saver(_names(network, map_func)).restore(session, _path(network, save_path))

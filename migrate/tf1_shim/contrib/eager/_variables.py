"""Resource variables, and what keeps, saves and restores them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow
import tensorflow.compat.v1 as tf


def _resource_variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    dtype: Any = None,
    constraint: Any = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
    shape: Any = None,
) -> Any:
    if not validate_shape:
        raise ValueError(
            "validate_shape=False has no effect on resource variables: give shape= instead"
        )
    return tf.Variable(
        initial_value,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        name=name,
        dtype=dtype,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
        shape=shape,
        use_resource=True,
    )


class _ResourceVariable(type):
    """Makes `Variable` a name for all resource variables: to make them, and for `isinstance`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _resource_variable(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, tensorflow.Variable) and hasattr(instance, "handle")


class Variable(metaclass=_ResourceVariable):
    """A resource variable, whether TensorFlow executes eagerly or not.

    Args:
      initial_value: A tensor, what can be converted to one, or a callable that makes one.
      trainable: Whether it belongs to TRAINABLE_VARIABLES; by default it does.
      collections: The graph's collections it is added to; by default GLOBAL_VARIABLES.
      validate_shape: Ignored by TF1 for resource variables; must be True.
      caching_device: The device to cache it on.
      name: Its name, made unique in a graph; by default "Variable".
      dtype: The type that the initial value is converted to.
      constraint: Applied by the optimizer after an update.
      synchronization: As for ``tf.Variable``.
      aggregation: As for ``tf.Variable``.
      shape: Its shape; by default that of the initial value.

    Returns:
      The variable: one of TensorFlow's own class.

    Raises:
      ValueError: If `validate_shape` is False.
    """


class EagerVariableStore:
    """Keeps the variables of ``tf.get_variable`` when executing eagerly, so that they are reused.

    Example::

        store = EagerVariableStore()
        for image in images:
            with store.as_default():
                logits = model(image)          # the same variables each time

    Only ``tf.get_variable`` is kept, and what is made of it, such as ``tf1_shim.layers``.
    """

    def __init__(self) -> None:
        """Make an empty store."""
        self._variables: dict[str, Any] = {}

    def _get(self, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        if name not in self._variables:
            self._variables[name] = getter(name, *args, **kwargs)
        return self._variables[name]

    @contextlib.contextmanager
    def as_default(self) -> Iterator[None]:
        """Within it ``tf.get_variable`` gives the variable of that name, made the first time."""
        with tf.variable_scope(
            tf.get_variable_scope(), custom_getter=self._get, auxiliary_name_scope=False
        ):
            yield

    def variables(self) -> list[Any]:
        """All variables, sorted by name."""
        return [self._variables[name] for name in sorted(self._variables)]

    def trainable_variables(self) -> list[Any]:
        """The trainable ones, sorted by name."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """The others, sorted by name."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with copies of all variables and of their values, when executing eagerly."""
        made = EagerVariableStore()
        for name, v in self._variables.items():
            made._variables[name] = _resource_variable(v.numpy(), trainable=v.trainable, name=name)
        return made


class Saver:
    """``tf.train.Saver`` for eager execution."""

    def __init__(self, var_list: Any) -> None:
        """Make a saver.

        Args:
          var_list: The variables, as a list or as a dictionary from names in the checkpoint.

        Raises:
          RuntimeError: If TensorFlow does not execute eagerly.
        """
        if not tf.executing_eagerly():
            raise RuntimeError(
                "tfe.Saver needs eager execution: use tf.train.Saver while building graphs"
            )
        self._saver = tf.train.Saver(var_list=var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> str:
        """Save the variables.

        Args:
          file_prefix: The path, without the step.
          global_step: None, or a number to append to it.

        Returns:
          The path of the checkpoint, for `restore`.
        """
        with tf.device("/device:CPU:0"):
            return str(
                self._saver.save(None, file_prefix, write_meta_graph=False, global_step=global_step)
            )

    def restore(self, file_prefix: str) -> None:
        """Restore the variables from the path that `save` returned."""
        with tf.device("/device:CPU:0"):
            self._saver.restore(None, file_prefix)


@contextlib.contextmanager
def restore_variables_on_create(
    save_path: str, map_func: Callable[[str], str] | None = None
) -> Iterator[None]:
    """Give each variable made within it the value that a checkpoint has under its name.

    Args:
      save_path: The checkpoint's path; nothing happens if it is empty.
      map_func: From a variable's name to its name in the checkpoint.

    Yields:
      Nothing.

    Raises:
      ValueError: If TensorFlow does not execute eagerly or `map_func` cannot be called.
      tf.errors.NotFoundError: If the checkpoint lacks a variable.
    """
    if not tf.executing_eagerly():
        raise ValueError("restore_variables_on_create needs eager execution")
    if map_func is not None and not callable(map_func):
        raise ValueError(f"map_func must be callable. Received: {map_func!r}")
    if not save_path:
        yield
        return
    reader = tf.train.load_checkpoint(save_path)
    waiting = set(reader.get_variable_to_shape_map())

    def creator(following: Callable[..., Any], **kwargs: Any) -> Any:
        made = following(**kwargs)
        own = made.name.partition(":")[0]
        name = map_func(own) if map_func else own
        if not reader.has_tensor(name):
            raise tf.errors.NotFoundError(None, None, f"{name} not found in checkpoint {save_path}")
        if name in waiting:
            waiting.discard(name)
            made.assign(reader.get_tensor(name))
        return made

    with tf.variable_creator_scope(creator):
        yield


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """The variables of an optimizer, for saving: its slots and other variables."""
    return list(optimizer.variables())

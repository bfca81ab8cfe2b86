# -*- coding: utf-8 -*-
"""Keras: histories, names of variables, slots; one training step a call."""

from __future__ import absolute_import, division, print_function

import functools
import sys

from .after_import import AfterImport


def observe_keras(recorder, eager):
    actions = {
        "tensorflow.python.keras.callbacks": lambda module: observe_history(recorder, module),
        "keras.callbacks": lambda module: (
            observe_history(recorder, module)
            if "keras.src.callbacks.history" not in sys.modules
            else None
        ),
    }
    if eager is not None:
        actions = {
            "keras.src.callbacks.history": lambda module: observe_history(recorder, module),
            "keras.src.backend.tensorflow.core": lambda module: observe_keras_variables(
                eager, module
            ),
            "keras.src.optimizers.base_optimizer": lambda module: observe_keras_slots(
                recorder, eager, module
            ),
            "tf_keras.src.optimizers.optimizer": lambda module: observe_keras_2_slots(
                recorder, eager, module
            ),
            "keras.src.trainers.trainer": single_steps,
            "keras.src.backend.tensorflow.trainer": waiting_steps,
        }
    if sys.version_info[0] < 3:
        for name, action in actions.items():
            if name in sys.modules:
                action(sys.modules[name])
        return
    AfterImport(actions).install()


def observe_history(recorder, module):
    """Record the logs of every epoch that a Keras ``History`` sees."""
    plain = module.History.on_epoch_end

    def on_epoch_end(history, epoch, logs=None):
        for key, value in sorted((logs or {}).items()):
            try:
                recorder.add("history", key, float(value))
            except (TypeError, ValueError):
                continue
        return plain(history, epoch, logs)

    module.History.on_epoch_end = on_epoch_end


def observe_keras_variables(eager, module):
    plain = module.Variable._initialize

    def initialize(variable, value):
        plain(variable, value)
        eager.rename(variable._value, getattr(variable, "_path", None) or variable.path)

    module.Variable._initialize = initialize


def observe_keras_slots(recorder, eager, module):
    plain = module.BaseOptimizer.add_variable_from_reference

    def add(optimizer, reference_variable, name=None, initializer="zeros"):
        slot = plain(optimizer, reference_variable, name=name, initializer=initializer)
        owner = eager.name_of(reference_variable)
        mine = eager.name_of(slot)
        if owner and mine:
            recorder.slots[mine] = (owner, name or "var")
        return slot

    module.BaseOptimizer.add_variable_from_reference = add


def observe_keras_2_slots(recorder, eager, module):
    """tf_keras: what it calls ``m`` in SGD is another quantity unless the class is a program's."""
    plain = module.Optimizer.add_variable_from_reference

    def add(optimizer, model_variable, variable_name, *args, **kwargs):
        slot = plain(optimizer, model_variable, variable_name, *args, **kwargs)
        owner, mine = eager.name_of(model_variable), eager.name_of(slot)
        if owner and mine:
            name = variable_name
            if name == "m" and hasattr(optimizer, "nesterov"):
                name = "m" if type(optimizer).__name__ == "SGD" else "momentum"
            recorder.slots[mine] = (owner, name)
        return slot

    module.Optimizer.add_variable_from_reference = add


def with_its_batch(step):
    """A step whose updates wait for its batch, as in the loop that runs several of them."""

    @functools.wraps(step)
    def waiting(data):
        import tensorflow as tf

        parts = tf.nest.flatten(data, expand_composites=True)
        with tf.control_dependencies([part for part in parts if part is not None]):
            return step(data)

    return waiting


def single_steps(module):
    """Run one training step a call: of those in a loop of a graph only the end would be seen."""
    plain = module.Trainer.compile

    @functools.wraps(plain)
    def compile_(trainer, *args, **kwargs):
        plain(trainer, *args, **kwargs)
        trainer._migrate_waits = trainer.steps_per_execution != 1
        trainer.steps_per_execution = 1

    module.Trainer.compile = compile_


def waiting_steps(module):
    """Let the steps of ``fit`` and ``evaluate`` wait, where ``single_steps`` made them single.

    Only there: a program that traces ``train_step`` itself has no batch to wait for.
    """
    for name, step in (("fit", "train_step"), ("evaluate", "test_step")):
        _wait_in(module.TensorFlowTrainer, name, step)


def _wait_in(kind, name, step):
    plain = getattr(kind, name)

    @functools.wraps(plain)
    def method(trainer, *args, **kwargs):
        own = vars(trainer)
        if not own.get("_migrate_waits") or step in own:
            return plain(trainer, *args, **kwargs)
        object.__setattr__(trainer, step, with_its_batch(getattr(trainer, step)))
        try:
            return plain(trainer, *args, **kwargs)
        finally:
            object.__delattr__(trainer, step)

    setattr(kind, name, method)

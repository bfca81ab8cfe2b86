"""Keras's optimizers that are equal to those of `tf.train`, as a table.

It is apart from the room of sessions, which is large and not always loaded.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keras:
    """A Keras optimizer, TF 1's arguments by its own, and what must be spelled out."""

    name: str
    arguments: dict[str, str]
    defaults: dict[str, str]
    sparse: bool = True  # right for summed sparse gradients


TABLE = {
    "GradientDescentOptimizer": Keras("SGD", {"learning_rate": "learning_rate"}, {}),
    "MomentumOptimizer": Keras(
        "SGD",
        {"learning_rate": "learning_rate", "momentum": "momentum", "use_nesterov": "nesterov"},
        {},
        sparse=False,
    ),
    "AdamOptimizer": Keras(
        "Adam",
        {
            "learning_rate": "learning_rate",
            "beta1": "beta_1",
            "beta2": "beta_2",
            "epsilon": "epsilon",
        },
        {"beta_2": "0.9990000128746033", "epsilon": "1e-08"},
    ),
    "AdagradOptimizer": Keras(
        "Adagrad",
        {
            "learning_rate": "learning_rate",
            "initial_accumulator_value": "initial_accumulator_value",
        },
        {"epsilon": "0"},
    ),
    "AdadeltaOptimizer": Keras(
        "Adadelta",
        {"learning_rate": "learning_rate", "rho": "rho", "epsilon": "epsilon"},
        {"epsilon": "1e-08"},
        sparse=False,
    ),
    "FtrlOptimizer": Keras(
        "Ftrl",
        {
            "learning_rate": "learning_rate",
            "learning_rate_power": "learning_rate_power",
            "initial_accumulator_value": "initial_accumulator_value",
            "l1_regularization_strength": "l1_regularization_strength",
            "l2_regularization_strength": "l2_regularization_strength",
            "l2_shrinkage_regularization_strength": "l2_shrinkage_regularization_strength",
        },
        {},
        sparse=False,
    ),
    "ProximalGradientDescentOptimizer": Keras(
        "ProximalSGD",
        {
            "learning_rate": "learning_rate",
            "l1_regularization_strength": "l1",
            "l2_regularization_strength": "l2",
        },
        {},
        sparse=False,
    ),
    "ProximalAdagradOptimizer": Keras(
        "ProximalAdagrad",
        {
            "learning_rate": "learning_rate",
            "initial_accumulator_value": "initial_accumulator_value",
            "l1_regularization_strength": "l1",
            "l2_regularization_strength": "l2",
        },
        {},
        sparse=False,
    ),
    "RMSPropOptimizer": Keras(
        "RMSprop",
        {
            "learning_rate": "learning_rate",
            "decay": "rho",
            "momentum": "momentum",
            "epsilon": "epsilon",
            "centered": "centered",
        },
        {"epsilon": "1e-10"},
        sparse=False,
    ),
}
# TF 1's mean square starts at one, Keras's velocity at zero.
STARTS = """class RMSprop({tf}.keras.optimizers.RMSprop):
    \"\"\"RMSprop whose mean squares start at one, as TF 1's do.\"\"\"

    def add_variable_from_reference(self, reference_variable, name=None, initializer="zeros"):
        if name == "velocity":
            initializer = "ones"
        return super().add_variable_from_reference(reference_variable, name, initializer)
"""

"""`tf.train`'s decays as Keras schedules, which count with the optimizer's own steps.

Measured equal to TF 1.15.5, all kinds, staircase and cycle included.

https://keras.io/api/optimizers/learning_rate_schedules/
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.programs.graph.made import Decay
from migrate.programs.graph.model import Blocked

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Constant)
# TF 1's name: Keras's class, its arguments in TF 1's words.
TABLE = {
    "exponential_decay": (
        "ExponentialDecay",
        {
            "learning_rate": "initial_learning_rate",
            "decay_steps": "decay_steps",
            "decay_rate": "decay_rate",
            "staircase": "staircase",
        },
    ),
    "inverse_time_decay": (
        "InverseTimeDecay",
        {
            "learning_rate": "initial_learning_rate",
            "decay_steps": "decay_steps",
            "decay_rate": "decay_rate",
            "staircase": "staircase",
        },
    ),
    "polynomial_decay": (
        "PolynomialDecay",
        {
            "learning_rate": "initial_learning_rate",
            "decay_steps": "decay_steps",
            "end_learning_rate": "end_learning_rate",
            "power": "power",
            "cycle": "cycle",
        },
    ),
    "piecewise_constant": (
        "PiecewiseConstantDecay",
        {"boundaries": "boundaries", "values": "values"},
    ),
    "piecewise_constant_decay": (
        "PiecewiseConstantDecay",
        {"boundaries": "boundaries", "values": "values"},
    ),
    "natural_exp_decay": (
        "ExponentialDecay",
        {
            "learning_rate": "initial_learning_rate",
            "decay_steps": "decay_steps",
            "decay_rate": "decay_rate",
            "staircase": "staircase",
        },
    ),
    "cosine_decay_restarts": (
        "CosineDecayRestarts",
        {
            "learning_rate": "initial_learning_rate",
            "first_decay_steps": "first_decay_steps",
            "t_mul": "t_mul",
            "m_mul": "m_mul",
            "alpha": "alpha",
        },
    ),
    "cosine_decay": (
        "CosineDecay",
        {
            "learning_rate": "initial_learning_rate",
            "decay_steps": "decay_steps",
            "alpha": "alpha",
        },
    ),
}


def source(schedule: Decay, written: Callable[[ast.expr], str], tf: str) -> str:
    """The Keras schedule's source.

    Raises:
        Blocked: none is equal.
    """
    name = schedule.endpoint.rpartition(".")[2]
    if name not in TABLE:
        raise Blocked(schedule.call, f"no Keras schedule is equal to tf.train.{name}")
    keras, arguments = TABLE[name]
    out: list[str] = []
    plain = True
    for place, (new, node) in enumerate(
        (arguments[a], n) for a, n in schedule.given.items() if a in arguments
    ):
        value = written(node)
        if name == "natural_exp_decay" and new == "decay_rate":
            value = f"{tf}.exp(-{value if isinstance(node, ATOMS) else f'({value})'})"
        plain = plain and place < 2 and new == list(arguments.values())[place]
        out.append(value if plain else f"{new}={value}")
    for argument, node in schedule.given.items():
        if argument not in arguments and argument != "name":
            if not (isinstance(node, ast.Constant) and node.value is None):
                raise Blocked(node, f"`{argument}` of tf.train.{name}")
    return f"{tf}.keras.optimizers.schedules.{keras}({', '.join(out)})"

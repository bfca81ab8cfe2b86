"""`tf.train` optimizers as Keras ones that give the same numbers.

Measured against TF 1.15.5: SGD, Adagrad with epsilon 0, Adadelta, Adam and Ftrl with TF 1's epsilon
agree to rounding; Momentum at a constant rate. RMSProp begins with a mean square of one in TF 1 and
of zero in Keras: its slots are set once. Adam's second moment is scaled by 1 - beta_2, which TF 1
computes in float32 and Keras in Python: given TF 1's float32, Keras gives the same number (1.3e-5
more otherwise, from the first step on).

https://www.tensorflow.org/guide/migrate/migrating_optimizer
"""

from __future__ import annotations

import ast
import struct
from dataclasses import dataclass

from migrate import symbols
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Optimizer, Schedule, Walker
from migrate.rewriters.sessions.text import Text

IGNORED = frozenset({"use_locking", "name"})


@dataclass(frozen=True, slots=True)
class Keras:
    """A Keras optimizer, TF 1's arguments by its own, and what must be spelled out."""

    name: str
    arguments: dict[str, str]
    defaults: dict[str, str]
    sparse: bool = True  # right for summed sparse gradients


ROUNDED = "0.999 in float32"
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
CHANGING = frozenset(
    {"MomentumOptimizer", "RMSPropOptimizer"}
)  # Keras's differ once the rate changes
# Those to which every step may give another rate.
FOLLOWING = frozenset({"GradientDescentOptimizer", "AdamOptimizer", "AdagradOptimizer"})
# TF 1's default rates where the author left them out.
RATES = {"AdamOptimizer": "0.001", "AdadeltaOptimizer": "0.001"}


def keras(optimizer: Optimizer, text: Text, sparse: bool, tf: str, walker: Walker) -> str:
    """The Keras optimizer's source.

    Raises:
        Blocked: none is equal.
    """
    name = optimizer.endpoint.rpartition(".")[2]
    known = TABLE.get(name)
    if known is None:
        raise Blocked(optimizer.call, f"no Keras optimizer is equal to tf.train.{name} yet")
    if sparse and not known.sparse:
        raise Blocked(optimizer.call, f"tf.train.{name} updates only the rows of sparse gradients")
    if any(isinstance(n, ast.Call) and id(n) in walker.schedules for n in _parts(optimizer.call)):
        raise Blocked(optimizer.call, "a decay that is made inside an optimizer's call")
    if (
        name in CHANGING
        and rate(optimizer, walker) is None
        and any(isinstance(s.value.data, Schedule) for s in optimizer.uses)
    ):
        raise Blocked(optimizer.call, f"tf.train.{name} with a rate that changes")
    given = bound(optimizer)
    if rate(optimizer, walker) is not None:
        if name not in FOLLOWING and (name != "RMSPropOptimizer" or "momentum" in given):
            raise Blocked(optimizer.call, f"tf.train.{name} with a rate that changes")
        given.pop("learning_rate", None)
    out: list[str] = []
    positional = True
    order = list(known.arguments)
    for place, (argument, node) in enumerate(given.items()):
        if argument in IGNORED:
            continue
        if argument not in known.arguments:
            raise Blocked(node, f"`{argument}` of tf.train.{name}")
        source = text.source(node)
        new = known.arguments[argument]
        if new == "beta_2" and isinstance(node, ast.Constant) and isinstance(node.value, float):
            source = repr(struct.unpack("f", struct.pack("f", node.value))[0])
        if positional and place == 0 and argument == order[0]:
            out.append(source)
        else:
            positional = False
            out.append(f"{new}={source}")
    spelled = {known.arguments.get(a, a) for a in given}
    if not given and name in RATES and rate(optimizer, walker) is None:
        out.append(RATES[name])
    out.extend(f"{k}={v}" for k, v in known.defaults.items() if k not in spelled)
    if known.name == "RMSprop":
        return f"RMSprop({', '.join(out)})"
    return f"{tf}.keras.optimizers.{known.name}({', '.join(out)})"


def rate(optimizer: Optimizer, walker: Walker) -> ast.expr | Schedule | None:
    """The learning rate that each step must set: a part of the run, or a decay that it counts."""
    if optimizer.rate is not None:
        return optimizer.rate
    for symbol in optimizer.uses:
        schedule = symbol.value.data
        if isinstance(schedule, Schedule) and not walker.counts(schedule, optimizer):
            return schedule
    return None


def _parts(call: ast.Call) -> list[ast.AST]:
    return [n for a in (*call.args, *call.keywords) for n in ast.walk(a)]


def bound(optimizer: Optimizer) -> dict[str, ast.expr]:
    """A call's arguments by TF 1's names, in order."""
    signature = symbols.signature(optimizer.endpoint)
    names = [p.name for p in signature.params if p.name != "self"] if signature else []
    given: dict[str, ast.expr] = dict(zip(names, optimizer.call.args, strict=False))
    for keyword in optimizer.call.keywords:
        if keyword.arg is None:
            raise Blocked(optimizer.call, "`**` hides an optimizer's arguments")
        given[keyword.arg] = keyword.value
    return given

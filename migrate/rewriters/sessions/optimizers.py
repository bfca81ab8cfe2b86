"""`tf.train` optimizers as Keras ones that give the same numbers.

Measured against TF 1.15.5: SGD, Adagrad with epsilon 0, Adadelta, Adam and Ftrl with TF 1's epsilon
agree to rounding, also when the rate changes; Momentum at a constant rate only. RMSProp begins with
a mean square of one in TF 1, of zero in Keras. Adam's second moment is scaled by 1 - beta_2, which
TF 1 computes in float32 and Keras in Python: given TF 1's float32, Keras gives the same number
(1.3e-5 more otherwise, from the first step on).

https://www.tensorflow.org/guide/migrate/migrating_optimizer
"""

from __future__ import annotations

import ast
import struct
import textwrap

from migrate import symbols
from migrate.programs.graph.feeding import fed_constants
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.sizing import static_dims
from migrate.programs.graph.walk import Optimizer, Schedule, Walker
from migrate.programs.graph.wording import known_branches
from migrate.rewriters.equal_optimizers import STARTS, TABLE
from migrate.rewriters.sessions import proximal_optimizers, row_optimizers, schedules
from migrate.rewriters.sessions.text import Text

IGNORED = frozenset({"use_locking", "name"})
ROUNDED = "0.999 in float32"
# TF 1's velocity is a sum of gradients, to which the rate of the step at hand is applied; Keras's
# has each step's rate in it. A sparse gradient moves its own rows only.
MOMENTUM = """class {name}({tf}.keras.optimizers.SGD):
    \"\"\"{kind} as TF 1 has it: the velocity doesn't hold the learning rate.\"\"\"

    def update_step(self, gradient, variable, learning_rate):
        velocity = self.momentums[self._get_variable_index(variable)]
        self.assign(velocity, self.momentum * velocity + gradient)
        self.assign_sub(variable, learning_rate * {step})
"""
MOMENTUM_ROWS = """class {name}({tf}.keras.optimizers.SGD):
    \"\"\"{kind} as TF 1 has it: only rows that have a gradient move.\"\"\"

    def update_step(self, gradient, variable, learning_rate):
        velocity = self.momentums[self._get_variable_index(variable)]
        if isinstance(gradient, {tf}.IndexedSlices):
{sums}            moved = self.momentum * {tf}.gather(velocity, rows) + gradient
            self.assign(velocity, {tf}.IndexedSlices(moved, rows))
            after = {tf}.gather(variable, rows) - learning_rate * {rows}
            self.assign(variable, {tf}.IndexedSlices(after, rows))
        else:
            self.assign(velocity, self.momentum * velocity + gradient)
            self.assign_sub(variable, learning_rate * {step})
"""
WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
DEPTH = 8
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
    given = bound(optimizer)
    own = momentum(optimizer, sparse) if name == "MomentumOptimizer" else None
    if own is None:
        own = proximal_optimizers.code(name, sparse)
    if sparse and own is None:
        own = row_optimizers.code(name, given)
    if sparse and not known.sparse and own is None:
        raise Blocked(optimizer.call, f"tf.train.{name} updates only the rows of sparse gradients")
    changes = rate(optimizer, walker) is not None
    if changes:
        given.pop("learning_rate", None)
    out: list[str] = []
    positional = True
    order = list(known.arguments)
    for place, (argument, node) in enumerate(given.items()):
        if argument in IGNORED:
            continue
        if name == "MomentumOptimizer" and own is not None and argument == "use_nesterov":
            continue
        if argument not in known.arguments:
            raise Blocked(node, f"`{argument}` of tf.train.{name}")
        inline = walker.schedules.get(id(node))
        source = text.source(node) if inline is None else schedules.source(inline, text.source, tf)
        new = known.arguments[argument]
        if fed_constants.is_one(walker, node):
            source = f"float({source})"  # Keras takes no tensors
        if new == "learning_rate" and inline is None and _whole(walker, node):
            literal = isinstance(node, ast.Constant)  # Keras takes no whole numbers
            source = f"{source}.0" if literal and source.isdigit() else f"float({source})"
        if new == "beta_2" and isinstance(node, ast.Constant) and isinstance(node.value, float):
            source = repr(struct.unpack("f", struct.pack("f", node.value))[0])
        if positional and place == 0 and argument == order[0]:
            out.append(source)
        else:
            positional = False
            out.append(f"{new}={source}")
    spelled = {known.arguments.get(a, a) for a in given}
    if not given and name in RATES and not changes:
        out.append(RATES[name])
    out.extend(f"{k}={v}" for k, v in known.defaults.items() if k not in spelled)
    if own is not None:
        return f"{own[0]}({', '.join(out)})"
    if known.name == "RMSprop":
        return f"RMSprop({', '.join(out)})"
    return f"{tf}.keras.optimizers.{known.name}({', '.join(out)})"


def _whole(walker: Walker, node: ast.expr | None, depth: int = 0) -> bool:
    """Whether a number is plainly a whole one, through names and what a function is given."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.BinOp) and isinstance(node.op, WHOLE):
        return _whole(walker, node.left, depth) and _whole(walker, node.right, depth)
    if not isinstance(node, (ast.Name, ast.Attribute)) or depth > DEPTH:
        return False
    symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
    target = symbol.step.node if symbol is not None else None
    if symbol is not None and isinstance(target, ast.FunctionDef):
        args = target.args.args[-len(target.args.defaults) :] if target.args.defaults else []
        defaults = dict(zip([a.arg for a in args], target.args.defaults, strict=True))
        given = (
            known_branches.place(target, c, symbol.name)
            for c in known_branches.every(walker, target)
        )
        values = [defaults.get(symbol.name) if value is None else value for value in given]
        return any(_whole(walker, v, depth + 1) for v in values or [defaults.get(symbol.name)])
    return _whole(walker, static_dims.assigned(symbol), depth + 1)


def momentum(optimizer: Optimizer, sparse: bool) -> tuple[str, str] | None:
    """The class for momentum that Keras doesn't have, its name and source; None where SGD does."""
    if not sparse and optimizer.schedule is None and optimizer.rate is None:
        return None
    given = bound(optimizer)
    nesterov = given.get("use_nesterov")
    if nesterov is not None and not isinstance(nesterov, ast.Constant):
        raise Blocked(nesterov, "whether momentum is Nesterov's is computed")
    much = given.get("momentum")
    if much is None or (isinstance(much, ast.Constant) and not much.value):
        return None
    ahead = nesterov is not None and bool(nesterov.value)
    name = "NesterovMomentum" if ahead else "Momentum"
    step = "gradient + self.momentum * velocity" if ahead else "velocity"
    rows = "gradient + self.momentum * moved" if ahead else "moved"
    source = MOMENTUM if not sparse else MOMENTUM_ROWS
    return name, source.format(
        name=name,
        tf="{tf}",
        kind="Nesterov momentum" if ahead else "Momentum",
        step=f"({step})" if ahead else step,
        rows=f"({rows})" if ahead else rows,
        sums=textwrap.indent(row_optimizers.SUMS, "    "),
    )


def defined(source: str, optimizer: Optimizer, sparse: bool) -> tuple[str, str] | None:
    """The class that an optimizer's source calls and that the module must define."""
    if own := proximal_optimizers.code(optimizer.endpoint.rpartition(".")[2], sparse):
        return own
    if sparse and (own := row_optimizers.code(optimizer.endpoint.rpartition(".")[2], {})):
        return own
    if source.startswith("RMSprop("):
        return "RMSprop", STARTS
    if source.startswith(("Momentum(", "NesterovMomentum(")):
        return momentum(optimizer, sparse)
    return None


def rate(optimizer: Optimizer, walker: Walker) -> ast.expr | Schedule | None:
    """The learning rate that each step must set: a part of the run, or a decay that it counts."""
    if optimizer.rate is not None:
        return optimizer.rate
    if optimizer.schedule is not None and not walker.counts(optimizer.schedule, optimizer):
        return optimizer.schedule
    return None


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

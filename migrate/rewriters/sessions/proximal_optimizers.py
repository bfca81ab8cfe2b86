"""TF 1's proximal optimizers, which shrink the weights after each step, as small Keras ones.

A step is gradient descent (Adagrad's, with its rate for each weight); then a weight loses
``rate * l1`` of its size, as far as it has that much, and is divided by ``1 + rate * l2``: FOBOS
(Duchi and Singer, 2009). Keras has neither. A sparse gradient moves its own rows only.
"""

from __future__ import annotations

import textwrap

from migrate.rewriters.sessions.row_optimizers import SUMS

HEAD = '''class {name}({{tf}}.keras.optimizers.{base}):
    """{doc}"""

    def __init__(self, learning_rate, {more}l1=0.0, l2=0.0):
        super().__init__(learning_rate{given})
        self.l1, self.l2 = l1, l2

    def shrunk(self, value, rate):
        if self.l1 > 0:
            size = {{tf}}.maximum({{tf}}.abs(value) - rate * self.l1, 0.0)
            value = {{tf}}.sign(value) * size
        return value / (1 + rate * self.l2)

    def update_step(self, gradient, variable, learning_rate):
'''
DESCENT = """        after = variable - learning_rate * gradient
        self.assign(variable, self.shrunk(after, learning_rate))
"""
DESCENT_ROWS = """        if isinstance(gradient, {tf}.IndexedSlices):
{sums}            after = {tf}.gather(variable, rows) - learning_rate * gradient
            after = self.shrunk(after, learning_rate)
            self.assign(variable, {tf}.IndexedSlices(after, rows))
            return
"""
ADAGRAD = """        accumulator = self._accumulators[self._get_variable_index(variable)]
        self.assign_add(accumulator, gradient**2)
        rate = learning_rate / {tf}.sqrt(accumulator)
        self.assign(variable, self.shrunk(variable - rate * gradient, rate))
"""
ADAGRAD_ROWS = """        accumulator = self._accumulators[self._get_variable_index(variable)]
        if isinstance(gradient, {tf}.IndexedSlices):
{sums}            total = {tf}.gather(accumulator, rows) + gradient**2
            self.assign(accumulator, {tf}.IndexedSlices(total, rows))
            rate = learning_rate / {tf}.sqrt(total)
            after = self.shrunk({tf}.gather(variable, rows) - rate * gradient, rate)
            self.assign(variable, {tf}.IndexedSlices(after, rows))
            return
"""


def code(name: str, sparse: bool) -> tuple[str, str] | None:
    """The class that stands for one of TF 1's optimizers, and its source with ``{tf}`` in it."""
    sums = textwrap.indent(SUMS, "    ")
    if name == "ProximalGradientDescentOptimizer":
        own = "ProximalSGD"
        head = HEAD.format(
            name=own,
            base="SGD",
            more="",
            given="",
            doc="Gradient descent that shrinks the weights after each step.",
        )
        return own, head + (DESCENT_ROWS.replace("{sums}", sums) if sparse else "") + DESCENT
    if name == "ProximalAdagradOptimizer":
        own = "ProximalAdagrad"
        head = HEAD.format(
            name=own,
            base="Adagrad",
            more="initial_accumulator_value=0.1, ",
            given=", initial_accumulator_value, epsilon=0",
            doc="Adagrad that shrinks the weights after each step.",
        )
        rows = ADAGRAD_ROWS.replace("{sums}", sums)
        return own, head + (rows + ADAGRAD.partition("\n")[2] if sparse else ADAGRAD)
    return None

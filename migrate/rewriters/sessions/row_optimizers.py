"""Optimizers of TF 1 that move only the rows of a sparse gradient, where Keras's move all.

A table whose rows are looked up has a gradient of these rows. TF 1's Momentum, RMSProp, Adadelta
and Ftrl leave the other rows and their slots alone; rows that are there twice count once, with
their sum.

Which rows are there twice isn't asked of `tf.unique`: under XLA it takes the padding of rows that
came out of another `tf.unique` for one more row. Each place of a row gets the row's sum instead,
and what is written to a row twice is the same.
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked

SUMS = """        # A row may be there twice: each of its places gets their sum.
        rows, count = gradient.indices, {tf}.size(gradient.indices)
        first = {tf}.math.unsorted_segment_min({tf}.range(count), rows, variable.shape[0])
        place = {tf}.gather(first, rows)
        sums = {tf}.math.unsorted_segment_sum(gradient.values, place, count)
        gradient = {tf}.gather(sums, place)
"""
SUMMED = SUMS + "        number = self._get_variable_index(variable)\n"
ELSEWHERE = """    def update_step(self, gradient, variable, learning_rate):
        if not isinstance(gradient, {tf}.IndexedSlices):
            return super().update_step(gradient, variable, learning_rate)
"""
RMSPROP = (
    '''class RMSprop({tf}.keras.optimizers.RMSprop):
    """RMSprop as TF 1 has it: mean squares start at one, only rows with a gradient move."""

    def add_variable_from_reference(self, reference_variable, name=None, initializer="zeros"):
        if name == "velocity":
            initializer = "ones"
        return super().add_variable_from_reference(reference_variable, name, initializer)

'''
    + ELSEWHERE
    + SUMMED
    + """        velocity = self._velocities[number]
        mean = self.rho * {tf}.gather(velocity, rows) + (1 - self.rho) * gradient**2
        self.assign(velocity, {tf}.IndexedSlices(mean, rows))
        step = learning_rate * gradient / {tf}.sqrt(mean + self.epsilon)
        if self.momentum > 0:
            momentum = self._momentums[number]
            step += self.momentum * {tf}.gather(momentum, rows)
            self.assign(momentum, {tf}.IndexedSlices(step, rows))
        self.assign(variable, {tf}.IndexedSlices({tf}.gather(variable, rows) - step, rows))
"""
)
FTRL = (
    '''class Ftrl({tf}.keras.optimizers.Ftrl):
    """Ftrl as TF 1 has it: only rows that have a gradient move."""

'''
    + ELSEWHERE
    + SUMMED
    + """        accumulator, linear = self._accumulators[number], self._linears[number]
        before, power = {tf}.gather(accumulator, rows), -self.learning_rate_power
        after = before + gradient**2
        change = (after**power - before**power) / learning_rate
        total = {tf}.gather(linear, rows) + gradient - change * {tf}.gather(variable, rows)
        strength = self.l1_regularization_strength
        moved = {tf}.clip_by_value(total, -strength, strength) - total
        moved /= after**power / learning_rate + 2 * self.l2_regularization_strength
        self.assign(accumulator, {tf}.IndexedSlices(after, rows))
        self.assign(linear, {tf}.IndexedSlices(total, rows))
        self.assign(variable, {tf}.IndexedSlices(moved, rows))
"""
)
ADADELTA = (
    '''class Adadelta({tf}.keras.optimizers.Adadelta):
    """Adadelta as TF 1 has it: only rows that have a gradient move."""

'''
    + ELSEWHERE
    + SUMMED
    + """        accumulated = self._accumulated_grads[number]
        deltas = self._accumulated_delta_vars[number]
        before = {tf}.gather(deltas, rows)
        mean = self.rho * {tf}.gather(accumulated, rows) + (1 - self.rho) * gradient**2
        delta = {tf}.sqrt(before + self.epsilon) / {tf}.sqrt(mean + self.epsilon) * gradient
        after = self.rho * before + (1 - self.rho) * delta**2
        moved = {tf}.gather(variable, rows) - learning_rate * delta
        self.assign(accumulated, {tf}.IndexedSlices(mean, rows))
        self.assign(deltas, {tf}.IndexedSlices(after, rows))
        self.assign(variable, {tf}.IndexedSlices(moved, rows))
"""
)
CODE = {
    "AdadeltaOptimizer": ("Adadelta", ADADELTA),
    "RMSPropOptimizer": ("RMSprop", RMSPROP),
    "FtrlOptimizer": ("Ftrl", FTRL),
}
# Those that need to know which rows have a gradient.
PROXIMAL = ("ProximalGradientDescentOptimizer", "ProximalAdagradOptimizer")
ROWS = frozenset({"MomentumOptimizer", *PROXIMAL, *CODE})
ODD = {"RMSPropOptimizer": "centered", "FtrlOptimizer": "l2_shrinkage_regularization_strength"}


def code(name: str, given: dict[str, ast.expr]) -> tuple[str, str] | None:
    """The class that an optimizer is with sparse gradients, and its source; None: Keras's will do.

    Raises:
        Blocked: what it is given isn't followed for rows.
    """
    node = given.get(ODD.get(name, ""))
    if node is not None and not (isinstance(node, ast.Constant) and not node.value):
        raise Blocked(node, f"`{ODD[name]}` of tf.train.{name} with sparse gradients")
    return CODE.get(name)

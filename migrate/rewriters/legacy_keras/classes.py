"""Classes that native output writes over Keras 3's, as they are over tf_keras'.

tf_keras' optimizers have no rate among what a step is given and write to variables themselves; they
sum the rows of a sparse gradient that are there twice before a step. Its batch normalization has
TF 1's fused kernel for images, with the unbiased variance.
"""

from __future__ import annotations

import textwrap

from migrate.rewriters import equal_optimizers
from migrate.rewriters.sessions import norms, optimizers, row_optimizers

STARTS = '''class RMSprop(tf_keras.optimizers.RMSprop):
    """{title}"""

    def add_variable_from_reference(self, model_variable, variable_name, *args, **kwargs):
        if variable_name == "velocity":
            kwargs["initial_value"] = {tf}.ones_like(model_variable)
        return super().add_variable_from_reference(model_variable, variable_name, *args, **kwargs)
'''
MOMENTUM = '''class {name}(tf_keras.optimizers.SGD):
    """{kind} as TF 1 has it: the velocity doesn't hold the learning rate."""

    def update_step(self, gradient, variable):
        velocity = self.momentums[self._index_dict[self._var_key(variable)]]
        velocity.assign(self.momentum * velocity + gradient)
        variable.assign_sub({tf}.cast(self.learning_rate, variable.dtype) * {step})
'''
MOMENTUM_ROWS = '''class {name}(tf_keras.optimizers.SGD):
    """{kind} as TF 1 has it: only rows that have a gradient move."""

    def update_step(self, gradient, variable):
        velocity = self.momentums[self._index_dict[self._var_key(variable)]]
        learning_rate = {tf}.cast(self.learning_rate, variable.dtype)
        if isinstance(gradient, {tf}.IndexedSlices):
            rows, gradient = gradient.indices, gradient.values
            moved = self.momentum * {tf}.gather(velocity, rows) + gradient
            velocity.scatter_update({tf}.IndexedSlices(moved, rows))
            variable.scatter_sub({tf}.IndexedSlices(learning_rate * {rows}, rows))
        else:
            velocity.assign(self.momentum * velocity + gradient)
            variable.assign_sub(learning_rate * {step})
'''
ROWS = """
    def update_step(self, gradient, variable):
        if not isinstance(gradient, {tf}.IndexedSlices):
            return super().update_step(gradient, variable)
        rows, gradient = gradient.indices, gradient.values
        number = self._index_dict[self._var_key(variable)]
        learning_rate = {tf}.cast(self.learning_rate, variable.dtype)
"""
RMSPROP_ROWS = (
    STARTS
    + ROWS
    + """        velocity = self._velocities[number]
        mean = self.rho * {tf}.gather(velocity, rows) + (1 - self.rho) * gradient**2
        velocity.scatter_update({tf}.IndexedSlices(mean, rows))
        step = learning_rate * gradient / {tf}.sqrt(mean + self.epsilon)
        if self.momentum > 0:
            momentum = self._momentums[number]
            step += self.momentum * {tf}.gather(momentum, rows)
            momentum.scatter_update({tf}.IndexedSlices(step, rows))
        variable.scatter_sub({tf}.IndexedSlices(step, rows))
"""
)
FTRL_ROWS = (
    '''class Ftrl(tf_keras.optimizers.Ftrl):
    """Ftrl as TF 1 has it: only rows that have a gradient move."""
'''
    + ROWS
    + """        accumulator, linear = self._accumulators[number], self._linears[number]
        before, power = {tf}.gather(accumulator, rows), -self.learning_rate_power
        after = before + gradient**2
        change = (after**power - before**power) / learning_rate
        total = {tf}.gather(linear, rows) + gradient - change * {tf}.gather(variable, rows)
        strength = self.l1_regularization_strength
        moved = {tf}.clip_by_value(total, -strength, strength) - total
        moved /= after**power / learning_rate + 2 * self.l2_regularization_strength
        accumulator.scatter_update({tf}.IndexedSlices(after, rows))
        linear.scatter_update({tf}.IndexedSlices(total, rows))
        variable.scatter_update({tf}.IndexedSlices(moved, rows))
"""
)
NORM = '''class BatchNormalization(tf_keras.layers.BatchNormalization):
    """Batch normalization that keeps the unbiased variance, as TF 1's fused kernel does."""

    def call(self, inputs, training=False):
        outputs = super().call(inputs, training=training)
        if training and not self.fused:  # the fused kernel keeps it by itself
            variance = {tf}.math.reduce_variance(inputs, list(range(len(inputs.shape) - 1)))
            count = {tf}.cast({tf}.size(inputs) // inputs.shape[-1], variance.dtype)
            change = (1 - self.momentum) * variance / {tf}.maximum(count - 1, 1)
            self.moving_variance.assign_add(change)
        return outputs
'''
NORM_MIXED = '''class BatchNormalization(tf_keras.layers.BatchNormalization):
    """Batch normalization that leaves its averages alone where `averages_kept` says so."""

    updates = True  # but in `averages_kept`

    def call(self, inputs, training=False):
        if training and not self.updates:
            moments = {tf}.nn.moments(inputs, list(range(len(inputs.shape) - 1)))
            return {tf}.nn.batch_normalization(
                inputs, *moments, self.beta, self.gamma, self.epsilon)
        return super().call(inputs, training=training)
'''
TITLES = (
    "RMSprop whose mean squares start at one, as TF 1's do.",
    "RMSprop as TF 1 has it: mean squares start at one, only rows with a gradient move.",
)


def pairs(tf: str) -> list[tuple[str, str]]:
    """Every class as it is written over Keras 3, and over tf_keras."""
    mixed = norms.MIXED.format(tf=tf, of=norms.OF_IMAGES)
    found = [
        (mixed[: mixed.index("\n\n\n@") + 1], NORM_MIXED.format(tf=tf)),
        (equal_optimizers.STARTS.format(tf=tf), STARTS.format(tf=tf, title=TITLES[0])),
        (row_optimizers.RMSPROP.format(tf=tf), RMSPROP_ROWS.format(tf=tf, title=TITLES[1])),
        (row_optimizers.FTRL.format(tf=tf), FTRL_ROWS.format(tf=tf)),
        (norms.SOURCE.format(tf=tf, of="", when=""), NORM.format(tf=tf)),
        (
            norms.SOURCE.format(tf=tf, of=" of images", when=" and len(inputs.shape) == 4"),
            "",  # tf_keras' own has the kernel
        ),
    ]
    sums = textwrap.indent(row_optimizers.SUMS, "    ").format(tf=tf)
    for name, kind, step, rows in (
        ("Momentum", "Momentum", "velocity", "moved"),
        (
            "NesterovMomentum",
            "Nesterov momentum",
            "(gradient + self.momentum * velocity)",
            "(gradient + self.momentum * moved)",
        ),
    ):
        given = {"tf": tf, "name": name, "kind": kind, "step": step, "rows": rows, "sums": sums}
        found.append((optimizers.MOMENTUM.format(**given), MOMENTUM.format(**given)))
        found.append((optimizers.MOMENTUM_ROWS.format(**given), MOMENTUM_ROWS.format(**given)))
    return found

"""The source of recurrent cells with TF 1's variables and numbers, and of what runs them.

Keras' cells keep two kernels where TF 1 has one for the inputs and the state together, so that they
neither start with TF 1's values nor find its checkpoints. A module gets only what it uses, and of
that only the parts that it needs: a line that ends with ``#feature`` is left out without it.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dynamic_rnn
"""

from __future__ import annotations

import re
from collections.abc import Set

IMPORTS = {"LSTMStateTuple": ("from collections import namedtuple",)}
NEEDS = {
    "BasicRNNCell": ("RNNCell",),
    "BasicLSTMCell": ("LSTMStateTuple", "RNNCell"),
    "LSTMCell": ("LSTMStateTuple", "RNNCell"),
    "GRUCell": ("RNNCell",),
    "MultiRNNCell": ("RNNCell",),
    "DropoutWrapper": ("RNNCell",),
    "ResidualWrapper": ("RNNCell",),
    "bidirectional_dynamic_rnn": ("dynamic_rnn",),
    "static_bidirectional_rnn": ("static_rnn",),
}
SOURCES = {
    "LSTMStateTuple": """LSTMStateTuple = namedtuple("LSTMStateTuple", ("c", "h"))
""",
    "RNNCell": '''class RNNCell({tf}.Module):
    """A recurrent cell; its variables are made when it is first called."""

    built = False

    def __call__(self, inputs, state, scope=""[kept|, **kept]):
        if not self.built:
            self.built = True
            with {tf}.init_scope():
                self.build(inputs.shape[-1], f"{scope}/{self.name}" if scope else self.name)
        return self.call(inputs, state)
  #zero
    def zero_state(self, batch_size, dtype={tf}.float32):  #zero
        return {tf}.nest.map_structure(  #zero
            lambda size: {tf}.zeros([batch_size, size], dtype), self.state_size)  #zero
''',
    "BasicRNNCell": '''class BasicRNNCell(RNNCell):
    """A cell whose state is its output."""

    def __init__(self, num_units, activation={tf}.tanh, name="basic_rnn_cell"):
        super().__init__(name)
        self.state_size = self.output_size = num_units
        self.activation = activation

    def build(self, depth, scope):
        glorot = {tf}.keras.initializers.GlorotUniform()
        units = self.output_size
        self.kernel = {tf}.Variable(glorot([depth + units, units]), name=scope + "/kernel")
        self.bias = {tf}.Variable({tf}.zeros([units]), name=scope + "/bias")

    def call(self, inputs, state):
        output = {tf}.matmul({tf}.concat([inputs, state], 1), self.kernel) + self.bias
        output = self.activation(output)
        return output, output
''',
    "BasicLSTMCell": '''class BasicLSTMCell(RNNCell):
    """An LSTM cell with one kernel for inputs and state, as TensorFlow 1 had it."""

    def __init__(self, num_units, forget_bias=1.0, activation={tf}.tanh, name="basic_lstm_cell"):
        super().__init__(name)
        self.output_size = num_units
        self.forget_bias, self.activation = forget_bias, activation

    @property
    def state_size(self):
        return LSTMStateTuple(self.output_size, self.output_size)

    def build(self, depth, scope):
        glorot = {tf}.keras.initializers.GlorotUniform()
        units = self.output_size
        self.kernel = {tf}.Variable(glorot([depth + units, 4 * units]), name=scope + "/kernel")
        self.bias = {tf}.Variable({tf}.zeros([4 * units]), name=scope + "/bias")

    def call(self, inputs, state):
        c, h = state
        gates = {tf}.matmul({tf}.concat([inputs, h], 1), self.kernel) + self.bias
        i, j, f, o = {tf}.split(gates, 4, axis=1)
        c = c * {tf}.sigmoid(f + self.forget_bias) + {tf}.sigmoid(i) * self.activation(j)
        h = self.activation(c) * {tf}.sigmoid(o)
        return h, LSTMStateTuple(c, h)
''',
    "LSTMCell": '''class LSTMCell(RNNCell):
    """An LSTM cell with one kernel for inputs and state, as TensorFlow 1 had it."""

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation={tf}.tanh[use_peepholes|, use_peepholes=False][cell_clip|, cell_clip=None][num_proj|, num_proj=None, proj_clip=None], name="lstm_cell"):
        super().__init__(name)
        self.num_units = num_units
        self.output_size = [num_proj|num_proj or ]num_units
        self.initializer = initializer or {tf}.keras.initializers.GlorotUniform()
        self.forget_bias, self.activation = forget_bias, activation
        self.use_peepholes = use_peepholes  #use_peepholes
        self.cell_clip = cell_clip  #cell_clip
        self.num_proj, self.proj_clip = num_proj, proj_clip  #num_proj

    @property
    def state_size(self):
        return LSTMStateTuple(self.num_units, self.output_size)

    def build(self, depth, scope):
        units = self.num_units
        shape = [depth + self.output_size, 4 * units]
        self.kernel = {tf}.Variable(self.initializer(shape), name=scope + "/kernel")
        self.bias = {tf}.Variable({tf}.zeros([4 * units]), name=scope + "/bias")
        if self.use_peepholes:  #use_peepholes
            self.w_f, self.w_i, self.w_o = [  #use_peepholes
                {tf}.Variable(self.initializer([units]), name=f"{scope}/w_{gate}_diag")  #use_peepholes
                for gate in "fio"]  #use_peepholes
        if self.num_proj:  #num_proj
            projection = self.initializer([units, self.num_proj])  #num_proj
            self.projection = {tf}.Variable(projection, name=scope + "/projection/kernel")  #num_proj

    def call(self, inputs, state):
        c, h = state
        gates = {tf}.matmul({tf}.concat([inputs, h], 1), self.kernel) + self.bias
        i, j, f, o = {tf}.split(gates, 4, axis=1)
        f = f + self.forget_bias
        if self.use_peepholes:  #use_peepholes
            f, i = f + self.w_f * c, i + self.w_i * c  #use_peepholes
        c = {tf}.sigmoid(f) * c + {tf}.sigmoid(i) * self.activation(j)
        if self.cell_clip is not None:  #cell_clip
            c = {tf}.clip_by_value(c, -self.cell_clip, self.cell_clip)  #cell_clip
        if self.use_peepholes:  #use_peepholes
            o = o + self.w_o * c  #use_peepholes
        h = {tf}.sigmoid(o) * self.activation(c)
        if self.num_proj:  #num_proj
            h = {tf}.matmul(h, self.projection)  #num_proj
            if self.proj_clip is not None:  #num_proj
                h = {tf}.clip_by_value(h, -self.proj_clip, self.proj_clip)  #num_proj
        return h, LSTMStateTuple(c, h)
''',
    "GRUCell": '''class GRUCell(RNNCell):
    """A GRU cell with kernels for inputs and state together, as TensorFlow 1 had it."""

    def __init__(self, num_units, activation={tf}.tanh, kernel_initializer=None, bias_initializer=None, name="gru_cell"):
        super().__init__(name)
        self.state_size = self.output_size = num_units
        self.activation = activation
        self.kernel_initializer = kernel_initializer or {tf}.keras.initializers.GlorotUniform()
        self.bias_initializer = bias_initializer

    def build(self, depth, scope):
        units = self.output_size
        self.gates_kernel = {tf}.Variable(
            self.kernel_initializer([depth + units, 2 * units]), name=scope + "/gates/kernel")
        ones = self.bias_initializer or {tf}.keras.initializers.Ones()
        self.gates_bias = {tf}.Variable(ones([2 * units]), name=scope + "/gates/bias")
        self.candidate_kernel = {tf}.Variable(
            self.kernel_initializer([depth + units, units]), name=scope + "/candidate/kernel")
        zeros = self.bias_initializer or {tf}.keras.initializers.Zeros()
        self.candidate_bias = {tf}.Variable(zeros([units]), name=scope + "/candidate/bias")

    def call(self, inputs, state):
        gates = {tf}.matmul({tf}.concat([inputs, state], 1), self.gates_kernel) + self.gates_bias
        r, u = {tf}.split({tf}.sigmoid(gates), 2, axis=1)
        candidate = {tf}.matmul({tf}.concat([inputs, r * state], 1), self.candidate_kernel)
        state = u * state + (1 - u) * self.activation(candidate + self.candidate_bias)
        return state, state
''',
    "MultiRNNCell": '''class MultiRNNCell(RNNCell):
    """Cells one upon the other; the state is a tuple of theirs."""

    def __init__(self, cells):
        super().__init__("multi_rnn_cell")
        self.cells = cells
        self.output_size = cells[-1].output_size

    @property
    def state_size(self):
        return tuple(cell.state_size for cell in self.cells)

    def __call__(self, inputs, state, scope=""[kept|, **kept]):
        scope = f"{scope}/{self.name}" if scope else self.name
        states = []
        for i, (cell, own) in enumerate(zip(self.cells, state)):
            inputs, own = cell(inputs, own, f"{scope}/cell_{i}"[kept|, **kept])
            states.append(own)
        return inputs, tuple(states)
''',
    "DropoutWrapper": '''class DropoutWrapper(RNNCell):
    """A cell with dropout on what goes in and what comes out.[-kept|"""]
  #kept
    A share that is None here is given at each call.  #kept
    """  #kept

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0):
        super().__init__("dropout_wrapper")
        self.cell, self.output_size = cell, cell.output_size
        self.input_keep_prob, self.output_keep_prob = input_keep_prob, output_keep_prob

    @property
    def state_size(self):
        return self.cell.state_size

    def __call__(self, inputs, state, scope=""[kept|, **kept]):
        [kept|share = kept.get("input_keep_prob", self.input_keep_prob)
        ]inputs = {tf}.nn.dropout(inputs, rate=1 - [kept|share][-kept|self.input_keep_prob])
        output, state = self.cell(inputs, state, scope[kept|, **kept])
        [kept|share = kept.get("output_keep_prob", self.output_keep_prob)
        ]return {tf}.nn.dropout(output, rate=1 - [kept|share][-kept|self.output_keep_prob]), state
''',
    "ResidualWrapper": '''class ResidualWrapper(RNNCell):
    """A cell whose inputs are added to its outputs."""

    def __init__(self, cell):
        super().__init__("residual_wrapper")
        self.cell, self.output_size = cell, cell.output_size

    @property
    def state_size(self):
        return self.cell.state_size

    def __call__(self, inputs, state, scope=""[kept|, **kept]):
        output, state = self.cell(inputs, state, scope[kept|, **kept])
        return inputs + output, state
''',
    "dynamic_rnn": '''def dynamic_rnn(cell, inputs[lengths|, sequence_length=None][initial|, initial_state=None][major|, time_major=False], scope="rnn"[kept|, **kept]):
    """The outputs of a cell over time, and its last state.[-lengths|"""]
  #lengths
    Past the end of a sequence the outputs are zero and the state stays as it was.  #lengths
    """  #lengths
    [major|if not time_major:
        ]inputs = {tf}.transpose(inputs, [1, 0, 2])
    steps, batch_size = {tf}.shape(inputs)[0], {tf}.shape(inputs)[1]
    [initial|if initial_state is None:
        ]initial_state = cell.zero_state(batch_size, inputs.dtype)
    elements = {tf}.TensorArray(inputs.dtype, steps).unstack(inputs)
    outputs = {tf}.TensorArray(inputs.dtype, steps)

    def step(t, state, outputs):
        output, new = cell(elements.read(t), state, scope[kept|, **kept])
        if sequence_length is not None:  #lengths
            alive = t < {tf}.cast(sequence_length, {tf}.int32)[:, None]  #lengths
            output = {tf}.where(alive, output, {tf}.zeros_like(output))  #lengths
            new = {tf}.nest.map_structure(lambda n, old: {tf}.where(alive, n, old), new, state)  #lengths
        return t + 1, new, outputs.write(t, output)

    _, state, outputs = {tf}.while_loop(
        lambda t, *_: t < steps, step, [0, initial_state, outputs])
    outputs = outputs.stack()
    outputs.set_shape([*inputs.shape[:2], cell.output_size])
    return [major|outputs if time_major else ]{tf}.transpose(outputs, [1, 0, 2]), state
''',
    "bidirectional_dynamic_rnn": '''def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs[lengths|, sequence_length=None][initial|, initial_state_fw=None, initial_state_bw=None][major|, time_major=False], scope="bidirectional_rnn"[kept|, **kept]):
    """The outputs and last states of a cell over time and of one that goes backwards."""
    time = 0 if time_major else 1  #major

    def backwards(x):
        if sequence_length is not None:  #lengths
            return {tf}.reverse_sequence(  #lengths
                x, sequence_length, seq_axis=[major|time][-major|1], batch_axis=[major|1 - time][-major|0])  #lengths
        return {tf}.reverse(x, [[major|time][-major|1]])

    outputs_fw, state_fw = dynamic_rnn(cell_fw, inputs[lengths|, sequence_length][initial|, initial_state_fw][major|, time_major], scope=scope + "/fw"[kept|, **kept])
    outputs_bw, state_bw = dynamic_rnn(cell_bw, backwards(inputs)[lengths|, sequence_length][initial|, initial_state_bw][major|, time_major], scope=scope + "/bw"[kept|, **kept])
    return (outputs_fw, backwards(outputs_bw)), (state_fw, state_bw)
''',
    "static_rnn": '''def static_rnn(cell, inputs[initial|, initial_state=None][lengths|, sequence_length=None], scope="rnn"[kept|, **kept]):
    """The outputs of a cell for a list of inputs, and its last state.[-lengths|"""]
  #lengths
    Past the end of a sequence the outputs are zero and the state stays as it was.  #lengths
    """  #lengths
    state = initial_state  #initial
    [initial|if state is None:
        ]state = cell.zero_state({tf}.shape(inputs[0])[0], inputs[0].dtype)
    outputs = []
    for t, element in enumerate(inputs):
        output, new = cell(element, state, scope[kept|, **kept])  #lengths
        output, state = cell(element, state, scope[kept|, **kept])  #-lengths
        if sequence_length is not None:  #lengths
            alive = t < {tf}.cast(sequence_length, {tf}.int32)[:, None]  #lengths
            output = {tf}.where(alive, output, {tf}.zeros_like(output))  #lengths
            new = {tf}.nest.map_structure(lambda n, old: {tf}.where(alive, n, old), new, state)  #lengths
        state = new  #lengths
        outputs.append(output)
    return outputs, state
''',
    "static_bidirectional_rnn": '''def static_bidirectional_rnn(cell_fw, cell_bw, inputs[initial|, initial_state_fw=None, initial_state_bw=None][lengths|, sequence_length=None], scope="bidirectional_rnn"[kept|, **kept]):
    """The outputs of two cells, one of which goes backwards, side by side, and both last states."""

    def backwards(elements):
        if sequence_length is not None:  #lengths
            return {tf}.unstack({tf}.reverse_sequence(  #lengths
                {tf}.stack(elements), sequence_length, seq_axis=0, batch_axis=1))  #lengths
        return elements[::-1]

    fw, state_fw = static_rnn(cell_fw, inputs[initial|, initial_state_fw][lengths|, sequence_length], scope=scope + "/fw"[kept|, **kept])
    bw, state_bw = static_rnn(cell_bw, backwards(inputs)[initial|, initial_state_bw][lengths|, sequence_length], scope=scope + "/bw"[kept|, **kept])
    return [{tf}.concat(pair, 1) for pair in zip(fw, backwards(bw))], state_fw, state_bw
''',
}
WIDTH = 99
_LINE = re.compile(r"  #(-?)(\w+)$")
_PART = re.compile(r"\[(-?)([a-z_]+)\|((?:[^][]|\[[^][]*\])*)\]")


def source(name: str, features: Set[str], tf: str) -> str:
    """A definition as a module that uses some features needs it."""

    def part(match: re.Match[str]) -> str:
        return match[3] if (match[2] in features) is not bool(match[1]) else ""

    text = _PART.sub(part, SOURCES[name].replace("{tf}", tf))
    lines: list[str] = []
    for line in text.splitlines():
        mark = _LINE.search(line)
        if mark is not None and (mark[2] in features) is bool(mark[1]):
            continue
        lines.extend(_wrapped(_LINE.sub("", line).rstrip(), len(tf) - len("tf")))
    return "\n".join(lines) + "\n"


def _wrapped(line: str, longer: int) -> list[str]:
    """A line, or the lines of a call that is too long for one; names may get shorter yet."""
    if len(line) - longer * line.count("__") <= WIDTH or "(" not in line:
        return [line]
    indent = " " * (line.index("(") + 1)
    at = line.rindex(", ", 0, WIDTH) + 1
    return [line[:at], *_wrapped(indent + line[at:].lstrip(), longer)]

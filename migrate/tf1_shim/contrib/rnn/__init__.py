"""``tf.contrib.rnn``: recurrent cells, fused cells and stacks of bidirectional layers."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.rnn._block import (
    FusedRNNCell,
    FusedRNNCellAdaptor,
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
    TimeReversedFusedRNN,
)
from migrate.tf1_shim.contrib.rnn._cells import (
    IndRNNCell,
    LayerNormBasicLSTMCell,
    UGRNNCell,
)
from migrate.tf1_shim.contrib.rnn._convolutional import (
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
)
from migrate.tf1_shim.contrib.rnn._frequency import (
    BidirectionalGridLSTMCell,
    GridLSTMCell,
    TimeFreqLSTMCell,
)
from migrate.tf1_shim.contrib.rnn._functions import (
    best_effort_input_batch_size,
    stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
    transpose_batch_time,
)
from migrate.tf1_shim.contrib.rnn._indy import (
    IndyGRUCell,
    IndyLSTMCell,
    SRUCell,
)
from migrate.tf1_shim.contrib.rnn._more_cells import (
    CompiledWrapper,
    CoupledInputForgetGateLSTMCell,
    GLSTMCell,
    IntersectionRNNCell,
    NASCell,
    PhasedLSTMCell,
)
from migrate.tf1_shim.contrib.rnn._wrappers import (
    AttentionCellWrapper,
    EmbeddingWrapper,
    HighwayWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from migrate.tf1_shim.nn._cell import (
    BasicRNNCell,
    GRUCell,
    LayerRNNCell,
    RNNCell,
)
from migrate.tf1_shim.nn._lstm import (
    BasicLSTMCell,
    LSTMCell,
    LSTMStateTuple,
)
from migrate.tf1_shim.nn._multi import (
    MultiRNNCell,
)
from migrate.tf1_shim.nn._wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    ResidualWrapper,
)

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "BidirectionalGridLSTMCell",
    "CompiledWrapper",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "FusedRNNCell",
    "FusedRNNCellAdaptor",
    "GLSTMCell",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "GridLSTMCell",
    "HighwayWrapper",
    "IndRNNCell",
    "IndyGRUCell",
    "IndyLSTMCell",
    "InputProjectionWrapper",
    "IntersectionRNNCell",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMBlockWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "LayerRNNCell",
    "MultiRNNCell",
    "NASCell",
    "OutputProjectionWrapper",
    "PhasedLSTMCell",
    "RNNCell",
    "ResidualWrapper",
    "SRUCell",
    "TimeFreqLSTMCell",
    "TimeReversedFusedRNN",
    "UGRNNCell",
    "best_effort_input_batch_size",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.rnn")

"""Recurrent cells: TF 1 keeps one matrix for input and state, and other orders of gates than Keras.

Measured against TF 1.15.5 (tests/checkpoints): outputs and final states agree to 2e-7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Tensor
from migrate.checkpoints.maps.expressions import Expression, Join, Source, chain
from migrate.checkpoints.maps.steps import Add, Gates, Multiply, Slice, letters

_LSTM, _KERAS_LSTM = "ijfo", "ifjo"
Parts = dict[str, Expression]  # weight of the Keras cell -> what makes it


@dataclass(frozen=True)
class _Cell:
    files: tuple[str, ...]  # variables of the TF 1 cell, below its scope
    make: Callable[[str, Mapping[str, Tensor], float | None], Parts]
    keras: str


def _tensor(tensors: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in tensors:
        raise Usage(f"the checkpoint has no {name!r}, which the cell should have")
    return tensors[name]


def _rows(tensors: Mapping[str, Tensor], name: str, gates: int) -> tuple[int, int]:
    """Sizes of input and state."""
    shape = _tensor(tensors, name).shape
    if len(shape) != 2 or shape[1] % gates or shape[0] <= shape[1] // gates:
        raise Usage(f"{name}: {list(shape)} is no matrix of a cell with {gates} gates")
    units = shape[1] // gates
    return shape[0] - units, units


def _lstm(scope: str, tensors: Mapping[str, Tensor], forget_bias: float | None) -> Parts:
    kernel, bias = f"{scope}/kernel", f"{scope}/bias"
    size, _ = _rows(tensors, kernel, 4)
    if forget_bias is None:
        raise Usage(
            f"{scope}: TF 1 adds forget_bias when it runs, so no checkpoint has it; say which: "
            "forget_bias = 1.0 is TF 1's default for LSTM cells, 0.0 Cudnn's"
        )
    for diagonal in ("w_f_diag", "w_i_diag", "w_o_diag", "projection/kernel"):
        if f"{scope}/{diagonal}" in tensors:
            raise Usage(f"{scope}: Keras has no LSTM with peepholes or projections ({diagonal})")
    gates = Gates(letters(_LSTM, _KERAS_LSTM), -1, f"{_LSTM} to {_KERAS_LSTM}")
    shift = (Add(forget_bias, (1, 4)),) if forget_bias else ()
    return {
        "kernel": chain(Source(kernel), Slice(0, 0, size), gates),
        "recurrent_kernel": chain(Source(kernel), Slice(0, size, None), gates),
        "bias": chain(Source(bias), gates, *shift),
    }


def _cudnn_lstm(scope: str, tensors: Mapping[str, Tensor], forget_bias: float | None) -> Parts:
    return _lstm(scope, tensors, forget_bias or 0.0)


def _gru_of(scope: str, tensors: Mapping[str, Tensor], names: tuple[str, str, str, str]) -> Parts:
    gate, candidate, gate_bias, candidate_bias = (f"{scope}/{name}" for name in names)
    size, _ = _rows(tensors, candidate, 1)
    swap = Gates((1, 0), -1, "ru to ur")

    def rows(start: int, stop: int | None) -> Expression:
        part = Slice(0, start, stop)
        return Join(-1, (chain(Source(gate), part, swap), chain(Source(candidate), part)))

    return {
        "kernel": rows(0, size),
        "recurrent_kernel": rows(size, None),
        "bias": Join(-1, (chain(Source(gate_bias), swap), Source(candidate_bias))),
    }


def _gru(scope: str, tensors: Mapping[str, Tensor], _: float | None) -> Parts:
    names = ("gates/kernel", "candidate/kernel", "gates/bias", "candidate/bias")
    return _gru_of(scope, tensors, names)


def _gru_block(scope: str, tensors: Mapping[str, Tensor], _: float | None) -> Parts:
    return _gru_of(scope, tensors, ("w_ru", "w_c", "b_ru", "b_c"))


def _cudnn_gru(scope: str, tensors: Mapping[str, Tensor], _: float | None) -> Parts:
    gate, bias = f"{scope}/gates/kernel", f"{scope}/gates/bias"
    inner, outer = f"{scope}/candidate/input_projection", f"{scope}/candidate/hidden_projection"
    size, _units = _rows(tensors, gate, 2)
    swap = Gates((1, 0), -1, "ru to ur")
    biases = (
        Join(-1, (chain(Source(bias), swap), Source(f"{inner}/bias"))),
        Join(-1, (chain(Source(bias), swap, Multiply(0.0)), Source(f"{outer}/bias"))),
    )
    return {
        "kernel": Join(
            -1, (chain(Source(gate), Slice(0, 0, size), swap), Source(f"{inner}/kernel"))
        ),
        "recurrent_kernel": Join(
            -1, (chain(Source(gate), Slice(0, size, None), swap), Source(f"{outer}/kernel"))
        ),
        "bias": Join(0, biases, stack=True),
    }


def _rnn(scope: str, tensors: Mapping[str, Tensor], _: float | None) -> Parts:
    kernel = f"{scope}/kernel"
    size, _units = _rows(tensors, kernel, 1)
    return {
        "kernel": chain(Source(kernel), Slice(0, 0, size)),
        "recurrent_kernel": chain(Source(kernel), Slice(0, size, None)),
        "bias": Source(f"{scope}/bias"),
    }


_TWO = ("kernel", "bias")
_GRU = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
CELLS = {
    "BasicLSTMCell": _Cell(_TWO, _lstm, "LSTM"),
    "LSTMCell": _Cell(_TWO, _lstm, "LSTM"),
    "LSTMBlockCell": _Cell(_TWO, _lstm, "LSTM"),
    "LSTMBlockFusedCell": _Cell(_TWO, _lstm, "LSTM"),
    "CudnnCompatibleLSTMCell": _Cell(_TWO, _cudnn_lstm, "LSTM"),
    "GRUCell": _Cell(_GRU, _gru, "GRU(reset_after=False)"),
    "GRUBlockCellV2": _Cell(_GRU, _gru, "GRU(reset_after=False)"),
    "GRUBlockCell": _Cell(("w_ru", "w_c", "b_ru", "b_c"), _gru_block, "GRU(reset_after=False)"),
    "CudnnCompatibleGRUCell": _Cell(
        ("gates/kernel", "gates/bias", "candidate/input_projection/kernel",
         "candidate/input_projection/bias", "candidate/hidden_projection/kernel",
         "candidate/hidden_projection/bias"),
        _cudnn_gru, "GRU",
    ),
    "BasicRNNCell": _Cell(_TWO, _rnn, "SimpleRNN"),
}  # fmt: skip


def weights(
    cell: str, scope: str, tensors: Mapping[str, Tensor], forget_bias: float | None
) -> Parts:
    """What makes the weights of the Keras cell that a TF 1 cell's scope becomes.

    Raises:
        Usage: no such cell, or the scope does not hold one.
    """
    known = CELLS.get(cell)
    if known is None:
        raise Usage(f"no cell {cell!r}; known: {', '.join(CELLS)}")
    for name in known.files:
        _tensor(tensors, f"{scope}/{name}")
    return known.make(scope, tensors, forget_bias)


def members(cell: str, scope: str) -> list[str]:
    """Names of the TF 1 cell's variables."""
    return [f"{scope}/{name}" for name in CELLS[cell].files]

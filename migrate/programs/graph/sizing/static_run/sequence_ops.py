"""The static shapes that ops on sequences give: lookups, attention, windows over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from migrate.programs.graph.sizing.static_run.sizes import pair, reduced, size, window
from migrate.programs.graph.sizing.static_run.values import OPEN, UNKNOWN, Sizes, Tensor

Given = Mapping[str, Any]


def _shape(value: Any) -> Sizes | None:
    return value.shape if isinstance(value, Tensor) else None


def _looked_up(given: Given, _: Sizes | None) -> Tensor:
    """Rows of a table: the indices' shape, and what a row has."""
    table = _shape(given.get("params"))
    places = _shape(given.get("ids", given.get("indices")))
    if not table or places is None or set(given) - {"params", "ids", "indices", "name"}:
        return OPEN
    return Tensor((*places, *table[1:]))


def _tiled(given: Given, _: Sizes | None) -> Tensor:
    below, times = _shape(given.get("input")), given.get("multiples")
    if isinstance(times, Tensor):
        times = times.told
    if below is None or not isinstance(times, (list, tuple)) or len(times) != len(below):
        return OPEN
    many = [size(t) for t in times]
    return Tensor(
        tuple(
            n * t if n is not None and t is not None else None
            for n, t in zip(below, many, strict=True)
        )
    )


def _chosen(given: Given, _: Sizes | None) -> Tensor:
    """``tf.where(c, x, y)``, both of one shape in TF 1."""
    first, second = _shape(given.get("x")), _shape(given.get("y"))
    if "x" in given and "y" in given and (first is None or second is None):
        return Tensor(first if first is not None else second)
    if first is None or second is None or len(first) != len(second):
        asked = _shape(given.get("condition"))
        alone = "x" not in given and "y" not in given and asked is not None
        return Tensor((None, len(asked))) if alone and asked is not None else OPEN
    return Tensor(tuple(a if a is not None else b for a, b in zip(first, second, strict=True)))


def _moments(given: Given, _: Sizes | None) -> Any:
    keep = given.get("keepdims", given.get("keep_dims", False))
    made = reduced(_shape(given.get("x")), given.get("axes"), keep)
    return (made, made)


def _product(given: Given, _: Sizes | None) -> Tensor:
    """A product of matrices, of as many as stand before them."""
    if set(given) - {"a", "b", "x", "weights", "biases", "name", "transpose_a", "transpose_b"}:
        return OPEN
    a, b = _shape(given.get("a", given.get("x"))), _shape(given.get("b", given.get("weights")))
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return OPEN
    turned = [given.get(f"transpose_{side}", False) for side in "ab"]
    if not all(isinstance(t, bool) for t in turned):
        return OPEN
    rows, columns = a[-1] if turned[0] else a[-2], b[-2] if turned[1] else b[-1]
    if len(a) != len(b):
        return Tensor((*a[:-2], rows, columns)) if len(b) == 2 else OPEN
    head = (m if m is not None else n for m, n in zip(a[:-2], b[:-2], strict=True))
    return Tensor((*head, rows, columns))


def _tensordot(given: Given, _: Sizes | None) -> Tensor:
    a, b, axes = _shape(given.get("a")), _shape(given.get("b")), given.get("axes")
    if a is None or b is None:
        return OPEN
    if isinstance(axes, int) and not isinstance(axes, bool) and 0 <= axes <= min(len(a), len(b)):
        return Tensor((*a[: len(a) - axes], *b[axes:]))
    if not isinstance(axes, (list, tuple)) or len(axes) != 2:
        return OPEN
    left, right = (x if isinstance(x, (list, tuple)) else [x] for x in axes)
    if not all(size(n) is not None for n in (*left, *right)):
        return OPEN
    mine, others = {n % len(a) for n in left}, {n % len(b) for n in right}
    rest = [n for i, n in enumerate(a) if i not in mine]
    return Tensor((*rest, *(n for i, n in enumerate(b) if i not in others)))


def _masked(given: Given, _: Sizes | None) -> Tensor:
    """``tf.sequence_mask(lengths, maxlen)``."""
    below = _shape(given.get("lengths"))
    return Tensor((*below, size(given.get("maxlen")))) if below is not None else OPEN


def _best(given: Given, _: Sizes | None) -> Any:
    below, k = _shape(given.get("input")), size(given.get("k", 1))
    made = Tensor((*below[:-1], k)) if below else OPEN
    return (made, made)


def _steps(given: Given, _: Sizes | None) -> Tensor:
    """``tf.range(n)``, where all of it is told."""
    said = [given.get(name) for name in ("start", "limit", "delta")]
    if said[1] is None:
        said = [0, said[0], said[2]]
    values = [size(v) for v in (said[0], said[1], 1 if said[2] is None else said[2])]
    if None in values or not values[2]:
        return Tensor((None,))
    return Tensor((len(range(values[0] or 0, values[1] or 0, values[2])),))


def _blocks(given: Given, _: Sizes | None) -> Tensor:
    """``tf.depth_to_space(x, 2)``: channels become pixels."""
    below, n = _shape(given.get("input")), size(given.get("block_size"))
    if below is None or len(below) != 4 or not n or set(given) - {"input", "block_size", "name"}:
        return OPEN
    rows, columns, depth = (v for v in below[1:])
    return Tensor(
        (
            below[0],
            rows * n if rows is not None else None,
            columns * n if columns is not None else None,
            depth // (n * n) if depth is not None else None,
        )
    )


OPS: dict[str, Callable[[Given, Sizes | None], Any]] = {
    "nn.embedding_lookup": _looked_up,
    "gather": _looked_up,
    "tile": _tiled,
    "where": _chosen,
    "nn.moments": _moments,
    "matmul": _product,
    "nn.xw_plus_b": _product,
    "tensordot": _tensordot,
    "sequence_mask": _masked,
    "nn.top_k": _best,
    "range": _steps,
    "depth_to_space": _blocks,
}


def windowed(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    """A convolution, or a pool, over time: ``tf.layers.conv1d``."""
    if below is None or len(below) != 3:
        return OPEN
    if given.get("data_format") not in (None, "NWC", "channels_last"):
        return OPEN
    pooled = "pool_size" in given
    width = pair(given.get("kernel_size", given.get("pool_size", UNKNOWN)), 1)
    strides = pair(given.get("stride", given.get("strides", UNKNOWN if pooled else 1)), 1)
    rates = pair(given.get("rate", given.get("dilation_rate", 1)), 1)
    padding = given.get("padding", "SAME" if contrib else "valid")
    out = given.get("num_outputs", given.get("filters"))
    last = below[2] if pooled else size(out)
    return Tensor((below[0], *window(below[1:2], width, strides, padding, rates), last))

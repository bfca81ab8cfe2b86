"""The static shapes that TensorFlow's functions give, by their names in 1.15."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.sizing.shapes import INPUTS, SAME
from migrate.programs.graph.sizing.static_run import input_ops, sequence_ops
from migrate.programs.graph.sizing.static_run.sizes import (
    axes_of,
    pair,
    reduced,
    rows,
    shape_of,
    size,
    sizes,
    window,
)
from migrate.programs.graph.sizing.static_run.values import (
    OPEN,
    UNKNOWN,
    Dim,
    Setting,
    Shape,
    Sizes,
    Table,
    Tensor,
    product,
    static,
)

Given = Mapping[str, Any]
CONTRIB, LAYERS = T + "contrib.layers.", T + "layers."
PAIRS = {
    *("add", "subtract", "multiply", "maximum", "minimum", "divide", "pow", "div", "sub", "mul"),
    *(
        "truediv",
        "floordiv",
        "mod",
        "squared_difference",
        "equal",
        "not_equal",
        "greater",
        "less",
        "logical_and",
    ),
}
ALIKE = {
    *(n.removeprefix(T) for n in SAME),
    *("nn.lrn", "nn.local_response_normalization", "nn.l2_normalize", "nn.log_softmax", "sign"),
    *("nn.crelu_", "floor", "round", "ones_like", "zeros_like", "log1p", "rsqrt", "pow", "Print"),
    *("nn.batch_normalization", "contrib.layers.instance_norm", "contrib.layers.softmax", "erf"),
    *("nn.softsign", "nn.swish", "to_int32", "to_int64", "check_numerics", "reverse", "argsort"),
    *(
        "contrib.layers.group_norm",
        "layers.BatchNormalization_",
        "logical_not",
        "is_nan",
        "cumsum",
        "matrix_band_part",
        "linalg.band_part",
        "reverse_v2",
    ),
}
ALIKE -= {n for n in ALIKE if n.endswith("_")} | {"pow"}
# What gives each row of its input a row, besides.
ROWWISE = {"nn.conv2d", "nn.depthwise_conv2d", "nn.max_pool", "nn.avg_pool", "nn.max_pool2d"}
ROWWISE |= {"nn.avg_pool2d", "image.resize_images", "image.resize_bilinear"}
REDUCED = {"reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_any"}
REDUCED |= {"reduce_all", "reduce_logsumexp"}
MADE = {"zeros", "ones", "fill", "placeholder", "get_variable", "truncated_normal", "random_normal"}
MADE |= {"random_uniform"}


def wider(first: Sizes | None, second: Sizes | None) -> Tensor:
    """What two tensors are together."""
    if first is None or second is None:
        return OPEN
    if len(first) < len(second):
        first, second = second, first
    found = list(first)
    for i in range(1, len(second) + 1):
        a, b = first[-i], second[-i]
        if a is not None and a == b:
            continue
        if a == 1 or b == 1:
            found[-i] = b if a == 1 else a
        elif a is None or b is None:
            found[-i] = a if a is not None else b  # it is that one: the other can be 1 at most
        else:
            found[-i] = None
    return Tensor(tuple(found))


def result(name: str, given: Given) -> Any:
    """What a function of TensorFlow gives, by its arguments' values."""
    found = _result(name, given)
    if not isinstance(found, Tensor) or found.shape is None or found.shape[:1] != (None,):
        return found
    short = name.removeprefix(T)
    if short in MADE or short == "reshape":
        return Tensor(found.shape, found.told, rows(given.get("shape", given.get("dims"))))
    first = next((given[k] for k in given if k in INPUTS), None)
    kept = short in ALIKE | ROWWISE or short.startswith(("layers.", "contrib.layers."))
    if short in PAIRS:
        return paired(given.get("x"), given.get("y"))
    if not kept or not isinstance(first, Tensor) or len(first.shape or ()) < 2:
        return found
    return Tensor(found.shape, found.told, first.rows)


def paired(first: Any, second: Any) -> Tensor:
    """What two tensors are together; the rows are those of the one that has more dimensions."""
    found = wider(shape_of(first), shape_of(second))
    if found.shape is None or found.shape[:1] != (None,):
        return found
    ranks = [len(shape_of(one) or ()) for one in (first, second)]
    one, other = (first, second) if ranks[0] >= ranks[1] else (second, first)
    known = isinstance(one, Tensor) and ranks[0] != ranks[1]
    known = known or (isinstance(other, Tensor) and one.rows == other.rows)
    return Tensor(found.shape, rows=one.rows) if known else found


def _result(name: str, given: Given) -> Any:
    name = name.replace("contrib.slim.", "contrib.layers.")
    short = name.removeprefix(T)
    first = next((given[k] for k in given if k in INPUTS), None)
    below = shape_of(first) if first is not None else None
    if short == "get_variable" and given.get("shape") is None:
        return Tensor(shape_of(given.get("initializer", UNKNOWN)))
    if short in MADE:
        return Tensor(sizes(given.get("shape", given.get("dims"))))
    if short == "Variable":
        return Tensor(shape_of(given.get("initial_value", UNKNOWN)))
    if short == "shape":
        of = shape_of(given.get("input", UNKNOWN))
        return Tensor((len(of),), of) if of is not None else Tensor((None,))
    if short == "placeholder_with_default":
        return Tensor(sizes(given.get("shape")))
    if short in PAIRS and "x" in given and "y" in given:
        return wider(shape_of(given["x"]), shape_of(given["y"]))
    if short in ALIKE or (short.startswith("contrib.layers.") and _kind(short) in SAME_LAYERS):
        return Tensor(below)
    known = OPS.get(short) or sequence_ops.OPS.get(short) or input_ops.OPS.get(short)
    if known is not None:
        return known(given, below)
    if short.startswith(("layers.", "contrib.layers.")) and _kind(short) in LAYER_OPS:
        return LAYER_OPS[_kind(short)](given, below, short.startswith("contrib"))
    if short in REDUCED:
        axis = given.get("axis", given.get("reduction_indices"))
        keep = given.get("keepdims", given.get("keep_dims", False))
        source = shape_of(given.get("input_tensor", UNKNOWN))
        return reduced(source, axis, keep)
    if short in ("train.get_or_create_global_step", "constant"):
        return _constant(given) if short == "constant" else Tensor(())
    return UNKNOWN


SAME_LAYERS = {"batch_norm", "dropout", "layer_norm", "batch_normalization", "bias_add"}


def _kind(short: str) -> str:
    return short.rpartition(".")[2]


def _constant(given: Given) -> Tensor:
    if given.get("shape") is not None:
        return Tensor(sizes(given["shape"]))
    value, found = given.get("value"), []
    while isinstance(value, (list, tuple)) and value:
        found.append(len(value))
        value = value[0]
    return Tensor(tuple(found)) if isinstance(value, (int, float, str)) else OPEN


def _reshape(given: Given, _: Sizes | None) -> Tensor:
    wanted = sizes(given.get("shape"))
    below = shape_of(given.get("tensor", UNKNOWN))
    if wanted is None:
        return OPEN
    if -1 not in wanted:
        return Tensor(wanted)
    rest = product([n for n in wanted if n != -1])
    whole = product(below) if below is not None else None
    tensor, common = given.get("tensor"), rows(given["shape"])
    if common is not None and isinstance(tensor, Tensor) and tensor.rows == common and below:
        rest, whole = product([n for n in wanted[1:] if n != -1]), product(below[1:])
    left = whole // rest if whole is not None and rest else None
    return Tensor(tuple(left if n == -1 else n for n in wanted))


def _conv(given: Given, below: Sizes | None) -> Tensor:
    kernel = shape_of(given.get("filter", UNKNOWN))
    odd = set(given) - {"input", "filter", "strides", "padding", "name", "use_cudnn_on_gpu"}
    if below is None or len(below) != 4 or kernel is None or len(kernel) != 4 or odd:
        return OPEN
    strides = pair(given.get("strides"), 4)
    return Tensor(
        (below[0], *window(below[1:3], kernel[:2], strides[1:3], given.get("padding")), kernel[3])
    )


def _depthwise(given: Given, below: Sizes | None) -> Tensor:
    kernel = shape_of(given.get("filter", UNKNOWN))
    odd = set(given) - {"input", "filter", "strides", "padding", "name"}
    if below is None or len(below) != 4 or kernel is None or len(kernel) != 4 or odd:
        return OPEN
    strides, last = pair(given.get("strides"), 4), product(kernel[2:])
    return Tensor(
        (below[0], *window(below[1:3], kernel[:2], strides[1:3], given.get("padding")), last)
    )


def _pool(given: Given, below: Sizes | None) -> Tensor:
    if below is None or len(below) != 4 or given.get("data_format", "NHWC") != "NHWC":
        return OPEN
    width, strides = pair(given.get("ksize"), 4), pair(given.get("strides"), 4)
    inner = window(below[1:3], width[1:3], strides[1:3], given.get("padding"))
    return Tensor((below[0], *inner, below[3]))


def _concat(given: Given, _: Sizes | None) -> Tensor:
    parts, axis = given.get("values"), given.get("axis")
    if not isinstance(parts, (list, tuple)) or not parts or not isinstance(axis, int):
        return OPEN
    shapes = [shape_of(p) for p in parts]
    ranks = {len(s) for s in shapes if s is not None}
    if len(ranks) != 1 or None in shapes or not ranks <= set(range(1, 9)):
        return OPEN
    rank = ranks.pop()
    found: list[int | None] = []
    for i in range(rank):
        each = [s[i] for s in shapes if s is not None]
        if i == axis % rank:
            found.append(None if None in each else sum(n for n in each if n is not None))
        else:
            found.append(next((n for n in each if n is not None), None))
    return Tensor(tuple(found))


def _expanded(given: Given, _: Sizes | None) -> Tensor:
    below, axis = shape_of(given.get("input", UNKNOWN)), given.get("axis", given.get("dim"))
    if below is None or not isinstance(axis, int):
        return OPEN
    at = axis if axis >= 0 else axis + len(below) + 1
    return Tensor((*below[:at], 1, *below[at:]))


def _squeezed(given: Given, _: Sizes | None) -> Tensor:
    below = shape_of(given.get("input", UNKNOWN))
    axis = given.get("axis", given.get("squeeze_dims"))
    if below is None:
        return OPEN
    if axis is None:
        return OPEN if None in below else Tensor(tuple(n for n in below if n != 1))
    axes = axes_of(axis, len(below))
    return OPEN if axes is None else Tensor(tuple(n for i, n in enumerate(below) if i not in axes))


def _transposed(given: Given, _: Sizes | None) -> Tensor:
    below, perm = shape_of(given.get("a", UNKNOWN)), given.get("perm")
    if below is None or set(given) - {"a", "perm", "name"}:
        return OPEN
    if perm is None and "perm" not in given:
        return Tensor(tuple(reversed(below)))
    places = sizes(perm)
    if places is None or sorted(p if p is not None else -1 for p in places) != list(
        range(len(below))
    ):
        return OPEN
    return Tensor(tuple(below[p] for p in places if p is not None))


def _padded(given: Given, _: Sizes | None) -> Tensor:
    below, more = shape_of(given.get("tensor", UNKNOWN)), given.get("paddings")
    more = more.rows if isinstance(more, Table) else more
    if below is None or not isinstance(more, (list, tuple)) or len(more) != len(below):
        return OPEN
    found: list[int | None] = []
    for n, each in zip(below, more, strict=True):
        both = sizes(each)
        total = sum(b for b in both if b is not None) if both and None not in both else None
        found.append(n if total == 0 else None if n is None or total is None else n + total)
    return Tensor(tuple(found))


def _resized(given: Given, _: Sizes | None) -> Tensor:
    below, new = shape_of(given.get("images", UNKNOWN)), pair(given.get("size", UNKNOWN))
    if below is None or len(below) not in (3, 4):
        return OPEN
    return Tensor((*below[:-3], *new, below[-1]))


def _sliced(given: Given, _: Sizes | None) -> Tensor:
    """What a slice leaves: -1 is all that is behind its beginning."""
    below, wanted, start = (given.get(k) for k in ("input_", "size", "begin"))
    whole, left, first = shape_of(below), sizes(wanted), sizes(start)
    if left is None or -1 not in left:
        return Tensor(left)
    if whole is None or first is None or not len(whole) == len(left) == len(first):
        return Tensor(tuple(None if n == -1 else n for n in left))
    pairs = zip(whole, first, strict=True)
    rest = [n - b if n is not None and b is not None else None for n, b in pairs]
    every = left[0] == -1 and first[0] == 0
    found = tuple(r if n == -1 else n for n, r in zip(left, rest, strict=True))
    return Tensor(found, rows=below.rows if every and isinstance(below, Tensor) else None)


def _one_hot(given: Given, _: Sizes | None) -> Tensor:
    below = shape_of(given.get("indices", UNKNOWN))
    if below is None or "axis" in given:
        return OPEN
    return Tensor((*below, size(given.get("depth"))))


def _split(given: Given, _: Sizes | None) -> Any:
    below, axis = shape_of(given.get("value", UNKNOWN)), given.get("axis", 0)
    how = given.get("num_or_size_splits")
    if below is None or not isinstance(axis, int) or not below:
        return UNKNOWN
    axis %= len(below)
    whole = below[axis]
    if isinstance(how, int) and not isinstance(how, bool):
        parts: list[int | None] = [whole // how if whole is not None and how else None] * how
    elif isinstance(how, (list, tuple)):
        parts = [size(h) for h in how]
    else:
        return UNKNOWN
    return [Tensor((*below[:axis], n, *below[axis + 1 :])) for n in parts]


def _unstacked(given: Given, _: Sizes | None) -> Any:
    below, axis = shape_of(given.get("value", UNKNOWN)), given.get("axis", 0)
    if not below or not isinstance(axis, int):
        return UNKNOWN
    axis %= len(below)
    number = size(given.get("num")) or below[axis]
    if number is None:
        return UNKNOWN
    return [Tensor((*below[:axis], *below[axis + 1 :]))] * number


def _stacked(given: Given, _: Sizes | None) -> Tensor:
    parts, axis = given.get("values"), given.get("axis", 0)
    if not isinstance(parts, (list, tuple)) or not parts or not isinstance(axis, int):
        return OPEN
    one = shape_of(parts[0])
    if one is None:
        return OPEN
    at = axis if axis >= 0 else axis + len(one) + 1
    return Tensor((*one[:at], len(parts), *one[at:]))


def _argmax(given: Given, _: Sizes | None) -> Tensor:
    below = shape_of(given.get("input", UNKNOWN))
    return reduced(below, given.get("axis", given.get("dimension", 0)), False)


OPS: dict[str, Callable[[Given, Sizes | None], Any]] = {
    "reshape": _reshape,
    "nn.conv2d": _conv,
    "nn.depthwise_conv2d": _depthwise,
    "nn.depthwise_conv2d_native": _depthwise,
    "nn.max_pool": _pool,
    "nn.avg_pool": _pool,
    "nn.max_pool2d": _pool,
    "nn.avg_pool2d": _pool,
    "concat": _concat,
    "expand_dims": _expanded,
    "squeeze": _squeezed,
    "transpose": _transposed,
    "pad": _padded,
    "slice": _sliced,
    "one_hot": _one_hot,
    "split": _split,
    "unstack": _unstacked,
    "stack": _stacked,
    "argmax": _argmax,
    "image.resize_images": _resized,
    "image.resize_bilinear": _resized,
    "image.resize_nearest_neighbor": _resized,
    "nn.conv2d_transpose": lambda given, _: Tensor(sizes(given.get("output_shape"))),
}


def _layer_conv(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    if below is None or len(below) != 4 or _format(given):
        return OPEN
    out = given.get("num_outputs", given.get("filters"))
    last = below[3] if out is None else size(out)
    width = pair(given.get("kernel_size"))
    strides = pair(given.get("stride", given.get("strides", 1)))
    rates = pair(given.get("rate", given.get("dilation_rate", 1)))
    padding = given.get("padding", "SAME" if contrib else "valid")
    return Tensor((below[0], *window(below[1:3], width, strides, padding, rates), last))


def _separable(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    made = _layer_conv(given, below, contrib)
    many = size(given.get("depth_multiplier", 1))
    if given.get("num_outputs", 0) is None and made.shape is not None:
        last = made.shape[-1]
        return Tensor((*made.shape[:-1], last * many if last and many else None))
    return made


def _transposed_conv(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    if below is None or len(below) != 4 or _format(given):
        return OPEN
    width = pair(given.get("kernel_size"))
    strides = pair(given.get("stride", given.get("strides", 1)))
    padding = given.get("padding", "SAME" if contrib else "valid")
    same = isinstance(padding, str) and padding.upper() == "SAME"
    valid = isinstance(padding, str) and padding.upper() == "VALID"
    found: list[int | None] = []
    for n, k, s in zip(below[1:3], width, strides, strict=True):
        if n is None or s is None or not (same or valid) or (valid and k is None):
            found.append(None)
        else:
            found.append(n * s + (0 if same else max((k or 0) - s, 0)))
    return Tensor((below[0], *found, size(given.get("num_outputs", given.get("filters")))))


def _layer_pool(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    if below is None or len(below) != 4 or _format(given):
        return OPEN
    width = pair(given.get("kernel_size", given.get("pool_size")))
    strides = pair(given.get("stride", given.get("strides", 2 if contrib else None)))
    inner = window(below[1:3], width, strides, given.get("padding", "VALID"))
    return Tensor((below[0], *inner, below[3]))


def _dense(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    last = size(given.get("num_outputs", given.get("units")))
    return Tensor((*below[:-1], last)) if below else OPEN


def _flat(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    return Tensor((below[0], product(below[1:]))) if below else OPEN


def _one_hot_layer(given: Given, below: Sizes | None, contrib: bool) -> Tensor:
    below = shape_of(given.get("labels", UNKNOWN))
    return Tensor((*below, size(given.get("num_classes")))) if below is not None else OPEN


def _format(given: Given) -> bool:
    """Whether the channels may not be the last."""
    said = given.get("data_format")
    return said not in (None, "NHWC", "channels_last")


LAYER_OPS: dict[str, Callable[[Given, Sizes | None, bool], Any]] = {
    "conv2d": _layer_conv,
    "convolution2d": _layer_conv,
    "convolution": _layer_conv,
    "separable_conv2d": _separable,
    "conv2d_transpose": _transposed_conv,
    "max_pool2d": _layer_pool,
    "avg_pool2d": _layer_pool,
    "max_pooling2d": _layer_pool,
    "average_pooling2d": _layer_pool,
    "conv1d": sequence_ops.windowed,
    "max_pooling1d": sequence_ops.windowed,
    "average_pooling1d": sequence_ops.windowed,
    "dense": _dense,
    "fully_connected": _dense,
    "linear": _dense,
    "relu": _dense,
    "flatten": _flat,
    "one_hot_encoding": _one_hot_layer,
}


def item(value: Tensor, index: Any) -> Tensor:
    """``x[:, 0]``: what a part of a tensor has of its shape."""
    parts = index if isinstance(index, tuple) else (index,)
    if value.shape is None or len(parts) > len(value.shape):
        return OPEN
    found: list[int | None] = []
    for n, part in zip(value.shape, parts, strict=False):
        if isinstance(part, slice):
            cut = len(range(n)[part]) if n is not None and _cuts(part) else None
            found.append(n if part == slice(None) else cut)
        elif not isinstance(part, (int, Tensor)) or isinstance(part, bool):
            return OPEN
    return Tensor((*found, *value.shape[len(parts) :]))


def _cuts(part: slice) -> bool:
    return all(v is None or isinstance(v, int) for v in (part.start, part.stop, part.step))


def attribute(value: Any, name: str) -> Any:
    """An attribute of a tensor, or of what its shape is made of."""
    if isinstance(value, Tensor):
        if name != "shape":
            return UNKNOWN
        return static(value)
    if isinstance(value, Dim) or (isinstance(value, int) and not isinstance(value, bool)):
        return value if name == "value" else UNKNOWN
    if isinstance(value, Setting):
        return value if name == "value" else UNKNOWN
    if isinstance(value, Shape) and name in ("ndims", "rank"):
        return len(value)
    return UNKNOWN

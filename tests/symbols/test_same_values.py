"""Arguments records, applied to calls as 1.15 wrote them, against compat.v1 on the same input.

In 2.21, ``tf.compat.v1.X`` is TF 1.15's X (bit for bit; 598 probes on the real one); so a record is
right if the rewritten call gives the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import migrate.symbols as symbols
from migrate.symbols import ALWAYS, Arguments, Renamed, Same

np = pytest.importorskip("numpy")
pytestmark = [
    pytest.mark.tf2,
    pytest.mark.skipif(find_spec("tensorflow") is None, reason="TensorFlow is not installed"),
]


@pytest.fixture(scope="module")
def tf() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow

    return tensorflow


def rewritten(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tf: Any) -> Any:
    """The call's value by the record, by the rules that its docstring states."""
    record = symbols.outcome("tensorflow." + name)
    signature = symbols.signature("tensorflow." + name)
    assert record is not None
    assert signature is not None
    assert record.target is not None
    change = record.outcome
    assert isinstance(change, Arguments | Renamed | Same)
    function = tf
    for part in record.target.split(".")[1:]:
        function = getattr(function, part)
    if not isinstance(change, Arguments):
        return function(*args, **kwargs)
    end = len(args) if change.keyword_from is None else change.keyword_from
    given = dict(zip(signature.positional[end:], args[end:], strict=False)) | kwargs
    present = {*signature.positional[: len(args)], *kwargs}
    for argument, source in change.defaults.items():
        if argument not in present:
            given[argument] = eval(source, {"tf": tf})
    written = {}
    for argument, value in given.items():
        if argument in change.removed:
            safe = change.removed[argument][1]
            assert safe == ALWAYS or (safe is not None and eval(safe) == value)
        else:
            written[change.renamed.get(argument, argument)] = value
    return function(*args[:end], **written)


def plain(value: Any) -> Any:
    if hasattr(value, "dense_shape"):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "numpy"):
        value = value.numpy()
    return [str(value.dtype), value.tolist()] if hasattr(value, "tolist") else value


Case = tuple[str, Callable[[Any], tuple[Any, ...]], dict[str, Any]]


def sparse(tf: Any) -> Any:
    return tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [3, 4])


def grid(tf: Any, *shape: int) -> Any:
    size = 1
    for s in shape:
        size *= s
    return tf.reshape(tf.range(size, dtype=tf.float32) * 0.37 % 5.0, shape)


A = "abcdefgh"
CASES: list[Case] = [
    ("argmax", lambda tf: (grid(tf, 2, 3), 1, "n"), {}),
    ("argmax", lambda tf: (grid(tf, 2, 3),), {"dimension": 1}),
    ("arg_max", lambda tf: (grid(tf, 2, 3), 1), {}),
    ("arg_min", lambda tf: (grid(tf, 2, 3),), {"dimension": 0}),
    ("argmin", lambda tf: (grid(tf, 2, 3), 0), {}),
    ("batch_to_space", lambda tf: (grid(tf, 4, 1, 1, 1), [[0, 0], [0, 0]], 2), {}),
    ("batch_to_space_nd", lambda tf: (grid(tf, 4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]), {}),
    ("boolean_mask", lambda tf: (grid(tf, 2, 3), [True, False, True], "n", 1), {}),
    ("case", lambda tf: ([(tf.constant(True), lambda: 1)], lambda: 2), {}),
    ("confusion_matrix", lambda tf: ([0, 1], [1, 1], 2, tf.int64, "n"), {}),
    ("constant", lambda tf: (0.5, tf.float32, [2, 2], "n", False), {}),
    ("convert_to_tensor", lambda tf: ([1, 2],), {"preferred_dtype": "float64"}),
    ("count_nonzero", lambda tf: (grid(tf, 2, 3), 1, True), {}),
    ("count_nonzero", lambda tf: (grid(tf, 2, 3),), {"reduction_indices": 0}),
    ("decode_csv", lambda tf: (["1;2"], [[0], [0]], ";", True, "n", "NA"), {}),
    ("decode_raw", lambda tf: (["abcd"], tf.uint8, True, "n"), {}),
    ("decode_raw", lambda tf: (), {"bytes": [A], "out_type": "uint8"}),
    ("depth_to_space", lambda tf: (grid(tf, 1, 1, 1, 4), 2, "n", "NHWC"), {}),
    ("div_no_nan", lambda tf: ([1.0], [0.0]), {}),
    ("expand_dims", lambda tf: ([1, 2],), {"dim": 0}),
    ("expand_dims", lambda tf: ([1, 2], 1, "n"), {}),
    ("extract_image_patches",
     lambda tf: (grid(tf, 1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), {}),
    ("floor_div", lambda tf: ([-3, 5], [2, -2]), {}),
    ("floormod", lambda tf: ([-3, 5], [2, -2]), {}),
    ("gather", lambda tf: (grid(tf, 2, 3), [1, 0], True, "n", 1), {}),
    ("gather_nd", lambda tf: (grid(tf, 2, 3), [[1, 0]], "n"), {}),
    ("image.crop_and_resize",
     lambda tf: (grid(tf, 1, 4, 4, 1), [[0.0, 0.0, 0.5, 0.7]], [0], [2, 2]), {}),
    ("image.crop_and_resize", lambda tf: (grid(tf, 1, 4, 4, 1), [[0.0, 0.0, 0.5, 0.7]]),
     {"box_ind": [0], "crop_size": [2, 2]}),
    ("image.draw_bounding_boxes", lambda tf: (grid(tf, 1, 4, 4, 3), [[[0.0, 0.0, 0.5, 1.0]]]), {}),
    ("linalg.norm", lambda tf: (grid(tf, 2, 3), "euclidean", 1), {"keep_dims": True}),
    ("linspace", lambda tf: (0.0, 1.0, 5), {}),
    ("lin_space", lambda tf: (0.0, 1.0, 5), {}),
    ("manip.gather_nd", lambda tf: (grid(tf, 2, 3), [[1, 0]], "n"), {}),
    ("matrix_diag", lambda tf: ([1.0, 2.0],), {}),
    ("math.in_top_k", lambda tf: (grid(tf, 2, 3), [1, 2], 1), {}),
    ("math.l2_normalize", lambda tf: (grid(tf, 2, 3),), {"dim": 1}),
    ("math.log_softmax", lambda tf: (grid(tf, 2, 3),), {"dim": 0}),
    ("nn.avg_pool", lambda tf: (grid(tf, 1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), {}),
    ("nn.avg_pool", lambda tf: (), {"value": np.ones([1, 1, 1, 1], np.float32),
                                    "ksize": 1, "strides": 1, "padding": "VALID"}),
    ("nn.conv1d", lambda tf: (grid(tf, 1, 4, 2), grid(tf, 2, 2, 1), 1, "SAME", True), {}),
    ("nn.conv2d",
     lambda tf: (grid(tf, 1, 4, 4, 2), grid(tf, 2, 2, 2, 3), [1, 1, 1, 1], "SAME", False, "NHWC"),
     {}),
    ("nn.conv2d", lambda tf: (grid(tf, 1, 4, 4, 2),),
     {"filter": [[[[1.0], [2.0]]]], "strides": [1, 1, 1, 1], "padding": "VALID",
      "use_cudnn_on_gpu": True}),
    ("nn.conv2d_transpose",
     lambda tf: (grid(tf, 1, 2, 2, 3), grid(tf, 2, 2, 1, 3), [1, 4, 4, 1], [1, 2, 2, 1]), {}),
    ("nn.conv3d",
     lambda tf: (grid(tf, 1, 2, 2, 2, 1), grid(tf, 1, 1, 1, 1, 1), [1, 1, 1, 1, 1], "SAME"), {}),
    ("nn.convolution", lambda tf: (grid(tf, 1, 6, 1), grid(tf, 2, 1, 1), "VALID", [1], [2]), {}),
    ("nn.crelu", lambda tf: ([-1.0, 2.0], "n", 0), {}),
    ("nn.depthwise_conv2d",
     lambda tf: (grid(tf, 1, 6, 6, 1), grid(tf, 2, 2, 1, 1), [1, 1, 1, 1], "VALID", [2, 2], "n"),
     {}),
    ("nn.dilation2d",
     lambda tf: (grid(tf, 1, 3, 3, 1), grid(tf, 2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), {}),
    ("nn.erosion2d",
     lambda tf: (grid(tf, 1, 3, 3, 1), grid(tf, 2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), {}),
    ("nn.max_pool", lambda tf: (grid(tf, 1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), {}),
    ("nn.max_pool_with_argmax",
     lambda tf: (grid(tf, 1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), {}),
    ("nn.moments", lambda tf: (grid(tf, 2, 3), [0], None, "n", True), {}),
    ("nn.pool", lambda tf: (grid(tf, 1, 4, 1), [2], "MAX", "VALID", [1], [2]), {}),
    ("nn.separable_conv2d",
     lambda tf: (grid(tf, 1, 6, 6, 1), grid(tf, 2, 2, 1, 1), grid(tf, 1, 1, 1, 2), [1, 1, 1, 1],
                 "VALID", [2, 2]), {}),
    ("nn.sigmoid_cross_entropy_with_logits", lambda tf: (),
     {"labels": [1.0], "logits": [0.3]}),
    ("nn.softmax", lambda tf: (grid(tf, 2, 3), 0), {}),
    ("nn.softmax", lambda tf: (grid(tf, 2, 3),), {"dim": 0}),
    ("nn.softmax_cross_entropy_with_logits_v2", lambda tf: ([[0.0, 1.0]], [[0.3, 0.1]]), {}),
    ("nn.sparse_softmax_cross_entropy_with_logits", lambda tf: (),
     {"labels": [1], "logits": [[0.3, 0.1]]}),
    ("nn.sufficient_statistics", lambda tf: (grid(tf, 2, 3), [0], None, True), {}),
    ("nn.weighted_cross_entropy_with_logits", lambda tf: ([1.0], [0.2], 2.0), {}),
    ("nn.weighted_moments", lambda tf: (grid(tf, 2, 3), [0], 1.0, "n", True), {}),
    ("norm", lambda tf: (grid(tf, 2, 3), "euclidean", 1, True), {}),
    ("ones_like", lambda tf: (), {"tensor": [1.5], "optimize": False}),
    ("pad", lambda tf: ([1, 2], [[1, 1]], "CONSTANT", "n", 7), {}),
    ("parse_single_example",
     lambda tf: (tf.train.Example().SerializeToString(),
                 {"x": tf.io.FixedLenFeature([], tf.int64, 3)}, "n"), {}),
    ("py_func", lambda tf: (lambda x: x + 1, [1.5], tf.float64, True, "n"), {}),
    ("quantize_v2", lambda tf: ([0.1, 0.9], 0.0, 1.0, tf.quint8, "MIN_FIRST", "n"), {}),
    *[
        (f"reduce_{name}", lambda tf: (grid(tf, 2, 3), 1, True), {})
        for name in ("sum", "mean", "max", "min", "prod", "logsumexp")
    ],
    *[
        (f"reduce_{name}", lambda tf: (grid(tf, 2, 3),),
         {"reduction_indices": [0], "keep_dims": True})
        for name in ("sum", "mean", "max", "min", "prod", "logsumexp")
    ],
    ("reduce_all", lambda tf: ([[True, False]], 1, None, "n"), {}),
    ("reduce_any", lambda tf: ([[True, False]],), {"axis": [1], "keep_dims": False}),
    ("reduce_join", lambda tf: ([["a", "b"]], 1, True, "-"), {}),
    ("reverse_sequence", lambda tf: (grid(tf, 2, 3), [2, 3]), {"seq_dim": 1, "batch_dim": 0}),
    ("serialize_sparse", lambda tf: (sparse(tf), "n", tf.string), {}),
    ("shape", lambda tf: (grid(tf, 2, 3), "n", tf.int64), {}),
    ("shape", lambda tf: (grid(tf, 2, 3),), {}),
    ("size", lambda tf: (grid(tf, 2, 3), "n"), {}),
    ("space_to_depth", lambda tf: (grid(tf, 1, 2, 2, 1), 2, "n"), {}),
    ("sparse.concat", lambda tf: (1, [sparse(tf), sparse(tf)], "n", False), {}),
    ("sparse.concat", lambda tf: (0,), {"sp_inputs": None, "expand_nonconcat_dim": True}),
    ("sparse_reduce_sum", lambda tf: (sparse(tf), 1, True), {}),
    ("sparse_add", lambda tf: (sparse(tf), sparse(tf)), {"thresh": 2.5}),
    ("sparse_segment_mean", lambda tf: (grid(tf, 3, 2), [0, 1], [0, 0], "n", 2), {}),
    ("sparse_split", lambda tf: (), {"sp_input": None, "num_split": 2, "axis": 1}),
    ("squeeze", lambda tf: ([[1]],), {"squeeze_dims": [0]}),
    ("string_to_hash_bucket", lambda tf: (["a"], 10, "n"), {}),
    ("string_to_number", lambda tf: (), {"string_tensor": ["1"], "out_type": "int32"}),
    ("strings.length", lambda tf: (["aé"], "n", "UTF8_CHAR"), {}),
    ("strings.substr", lambda tf: (["abc"], 1, 2, "n", "BYTE"), {}),
    ("substr", lambda tf: (["abc"], 1, 2, "n", "BYTE"), {}),
    ("tensor_scatter_add", lambda tf: ([1, 2], [[0]], [5]), {"name": "n"}),
    ("transpose", lambda tf: (grid(tf, 2, 3), [1, 0], "n"), {}),
    ("tuple", lambda tf: ([1, 2], "n"), {}),
    ("verify_tensor_all_finite", lambda tf: ([1.0], "message"), {}),
    ("verify_tensor_all_finite", lambda tf: (), {"t": [1.0], "msg": "message"}),
    ("zeros_like", lambda tf: ([1.5], "int32", "n", True), {}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)), ids=[c[0] for c in CASES])
@pytest.mark.filterwarnings("ignore")
def test_the_rewritten_call_gives_the_same(number: int, tf: Any) -> None:
    name, make, kwargs = CASES[number]
    if "sp_inputs" in kwargs:
        kwargs = kwargs | {"sp_inputs": [sparse(tf), sparse(tf)]}
    if "sp_input" in kwargs:
        kwargs = kwargs | {"sp_input": sparse(tf)}
    function = tf.compat.v1
    for part in name.split("."):
        function = getattr(function, part)
    assert plain(rewritten(name, make(tf), kwargs, tf)) == plain(function(*make(tf), **kwargs))


@pytest.mark.parametrize(
    ("name", "args"),
    [("random_poisson", ([2.0], [3])), ("multinomial", ([[0.1, 0.9]], 4)),
     ("random.stateless_multinomial", ([[0.1, 0.9]], 4, [1, 2]))],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_random_calls_with_a_seed_give_the_same(name: str, args: tuple[Any, ...], tf: Any) -> None:
    function = tf.compat.v1
    for part in name.split("."):
        function = getattr(function, part)
    kwargs = {} if "stateless" in name else {"seed": 3}
    tf.random.set_seed(1)
    first = plain(function(*args, **kwargs))
    tf.random.set_seed(1)
    assert plain(rewritten(name, args, kwargs, tf)) == first


@pytest.mark.filterwarnings("ignore")
def test_files(tf: Any, tmp_path: Any) -> None:
    call = rewritten
    folder = str(tmp_path / "a" / "b")
    call("gfile.MakeDirs", (), {"dirname": folder}, tf)
    call("gfile.MkDir", (folder + "/c",), {}, tf)
    with tf.io.gfile.GFile(folder + "/f.txt", "w") as f:
        f.write("text")
    call("gfile.Copy", (), {"oldpath": folder + "/f.txt", "newpath": folder + "/g.txt"}, tf)
    call("gfile.Rename", (folder + "/g.txt", folder + "/h.txt", True), {}, tf)
    for name, args in [
        ("gfile.Exists", (folder,)), ("gfile.Glob", (folder + "/*",)),
        ("gfile.IsDirectory", (folder,)), ("gfile.ListDirectory", (folder,)),
    ]:  # fmt: skip
        old = getattr(tf.compat.v1.gfile, name.split(".")[1])
        assert call(name, args, {}, tf) == old(*args)
    old_walk = list(tf.compat.v1.gfile.Walk(str(tmp_path), False))
    assert list(call("gfile.Walk", (str(tmp_path),), {"in_order": False}, tf)) == old_walk
    assert call("gfile.Stat", (folder + "/h.txt",), {}, tf).length == 4
    call("gfile.Remove", (), {"filename": folder + "/h.txt"}, tf)
    call("gfile.DeleteRecursively", (), {"dirname": folder}, tf)
    assert not call("gfile.Exists", (folder,), {}, tf)

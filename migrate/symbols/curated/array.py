"""Root namespace: arrays, shapes, gathering, conversion, scopes and control flow."""

from __future__ import annotations

from migrate.symbols.curated.decisions import ALWAYS, Args, Change, Decision, Equal, Lost

DECISIONS: dict[str, Decision] = {
    "Operation": Equal(constructor=False),
    "RaggedTensor": Equal(constructor=False),
    "Tensor": Change(
        "tensors compare elementwise, are not hashable, and their shape holds ints; an eager one "
        "has no op, graph, device function or consumers()"
    ),
    "TensorShape": Change("indexing and iterating give int or None in place of Dimension"),
    "DeviceSpec": Change("immutable: no merge_from; make_merged_spec and replace return a new one"),
    "OptionalSpec": Args(renamed={"value_structure": "element_spec"}),
    "batch_to_space": Args(renamed={"block_size": "block_shape"}),
    "space_to_batch": Change("block_size b is block_shape [b, b], and comes before paddings"),
    "batch_to_space_nd": Equal("batch_to_space"),
    "dimension_at_index": Equal("compat.dimension_at_index"),
    "dimension_value": Equal("compat.dimension_value"),
    "substr": Args("strings.substr"),
    "boolean_mask": Args(),
    "case": Equal(),
    "cond": Change(
        "fn1 and fn2 are true_fn and false_fn; branches that return a list of one gave its "
        "element (strict=False), now give the list"
    ),
    "constant": Args(removed={"verify_shape": ("a shape is always verified", ALWAYS)}),
    "convert_to_tensor": Args(renamed={"preferred_dtype": "dtype_hint"}),
    "device": Args(renamed={"device_name_or_function": "device_name"}),
    "executing_eagerly": Equal(),
    "expand_dims": Args(renamed={"dim": "axis"}),
    "foldl": Equal(),
    "foldr": Equal(),
    "function": Args(same_defaults=("experimental_relax_shapes",)),
    "gather": Args(),
    "gather_nd": Args(),
    "gradients": Args(
        removed={"colocate_gradients_with_ops": ("placement only, and gone", ALWAYS)}
    ),
    "hessians": Args(removed={"colocate_gradients_with_ops": ("placement only, and gone", ALWAYS)}),
    "map_fn": Equal(),
    "name_scope": Args(
        removed={
            "default_name": ("a name is required", None),
            "values": ("the graph is known without them", ALWAYS),
        }
    ),
    "ones_like": Args(
        renamed={"tensor": "input"},
        removed={"optimize": ("always on", ALWAYS)},
    ),
    "zeros_like": Args(
        renamed={"tensor": "input"},
        removed={"optimize": ("always on", ALWAYS)},
    ),
    "pad": Args(),
    "py_func": Equal("numpy_function"),
    "pywrap_tensorflow": Lost(
        "TensorFlow's private bindings", "tf.train.load_checkpoint for NewCheckpointReader"
    ),
    "reverse_sequence": Args(renamed={"seq_dim": "seq_axis", "batch_dim": "batch_axis"}),
    "scan": Equal(),
    "shape": Args(),
    "size": Args(),
    "squeeze": Args(renamed={"squeeze_dims": "axis"}),
    "transpose": Args(),
    "tuple": Args(),
    "where": Change(
        "x and y are broadcast; 1.15 picked whole rows by a vector condition (equal when all "
        "shapes are, or with the condition alone)"
    ),
    "where_v2": Equal("where"),
    "while_loop": Change(
        "a single loop variable comes back in a list (return_same_structure is always True)"
    ),
    "to_bfloat16": Change("tf.cast(x, tf.bfloat16)", "cast"),
    "to_complex128": Change("tf.cast(x, tf.complex128)", "cast"),
    "to_complex64": Change("tf.cast(x, tf.complex64)", "cast"),
    "to_double": Change("tf.cast(x, tf.float64)", "cast"),
    "to_float": Change("tf.cast(x, tf.float32)", "cast"),
    "to_int32": Change("tf.cast(x, tf.int32)", "cast"),
    "to_int64": Change("tf.cast(x, tf.int64)", "cast"),
    "autograph.experimental.set_loop_options": Args(
        removed={"back_prop": ("loops always backpropagate", "True")}
    ),
    "autograph.to_code": Args(
        removed={
            "arg_values": ("never used", ALWAYS),
            "arg_types": ("never used", ALWAYS),
            "indentation": ("layout of the text only", None),
        }
    ),
    "autograph.to_graph": Args(
        removed={"arg_values": ("never used", ALWAYS), "arg_types": ("never used", ALWAYS)}
    ),
    "config.experimental.set_virtual_device_configuration": Args(
        renamed={"virtual_devices": "logical_devices"}
    ),
    "config.experimental_list_devices": Lost("removed", "tf.config.list_logical_devices()"),
    "errors.UnknownError": Args(removed={"error_code": ("it is UNKNOWN", None)}),
}

"""tf.contrib.layers: feature columns."""

import os
import tempfile

import numpy as np


def _sparse(tf, rows):
    """Ragged rows as a sparse tensor."""
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [value for row in rows for value in row]
    return tf.SparseTensor(indices, values, [len(rows), max(len(row) for row in rows)])


def _features(tf):
    return {
        "words": _sparse(tf, [["a", "b"], [], ["c", "a", "zzz"], ["b"]]),
        "other": _sparse(tf, [["b"], ["c", "c"], [], ["x"]]),
        "ids": _sparse(tf, [[3, 12], [7], [1], [0, 5]]),
        "weights": _sparse(tf, [[0.5, 2.0], [], [1.0, -1.0, 0.25], [3.0]]),
        "age": tf.constant([[3.0], [18.0], [40.5], [65.0]]),
        "size": tf.constant([[1, 2], [3, 4], [5, 6], [7, 8]]),
        "dense": tf.constant([["a", ""], ["b", "c"], ["", ""], ["a", "a"]]),
    }


def _columns(tf, shim):
    layers = shim.contrib.layers
    words = layers.sparse_column_with_keys("words", ["a", "b", "c"], combiner="sqrtn")
    return {
        "words": words,
        "hashed": layers.sparse_column_with_hash_bucket("words", 10),
        "other": layers.sparse_column_with_hash_bucket("other", 10, combiner="mean"),
        "ids": layers.sparse_column_with_integerized_feature("ids", 8),
        "hashed_ids": layers.sparse_column_with_hash_bucket("ids", 6, dtype=tf.int64),
        "weighted": layers.weighted_sparse_column(words, "weights"),
        "age": layers.real_valued_column("age", normalizer=lambda x: x / 10.0),
        "size": layers.real_valued_column("size", dimension=2, dtype=tf.int32),
    }


def wide(tf, shim):
    columns = _columns(tf, shim)
    used = [columns[k] for k in ("words", "other", "ids", "hashed_ids", "weighted", "age", "size")]
    out, variables, bias = shim.contrib.layers.weighted_sum_from_feature_columns(
        _features(tf), used, 3, weight_collections=["mine"]
    )
    names = sorted([c.name, [v.name for v in vs]] for c, vs in variables.items())
    mine = sorted(v.name for v in tf.get_collection("mine"))
    return {"out": out, "names": names, "bias": bias.name, "mine": mine}


def wide_crosses(tf, shim):
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    age = layers.bucketized_column(columns["age"], [1.0, 2.0, 2.0, 5.0])
    size = layers.bucketized_column(columns["size"], [2.5, 6.5])
    pair = layers.crossed_column([columns["hashed"], columns["other"]], 50)
    used = [
        age,
        size,
        pair,
        layers.crossed_column([age, columns["words"]], 40, combiner="mean"),
        layers.crossed_column([pair, columns["ids"], size], 70),
        layers.crossed_column(
            [columns["hashed"], columns["ids"]],
            60,
            hash_key=layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
        ),
        layers.crossed_column([columns["hashed"], age, columns["other"]], 30, hash_key=7),
    ]
    made = layers.transform_features(_features(tf), used)
    ids = {}
    for i, column in enumerate(sorted(used, key=lambda column: column.key)):
        tensor = made[column]
        if isinstance(tensor, tf.SparseTensor):
            ids["ids%d" % i], ids["at%d" % i] = tensor.values, tensor.indices  # noqa: UP031
        else:
            ids["ids%d" % i] = tensor  # noqa: UP031
    out, variables, _ = layers.weighted_sum_from_feature_columns(_features(tf), used, 2)
    ids.update(out=out, names=sorted(c.name for c in variables))
    return ids


def joint(tf, shim):
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    age = layers.bucketized_column(columns["age"], [1.0, 2.0])
    out, variables, bias = layers.joint_weighted_sum_from_feature_columns(
        _features(tf), [columns["ids"], age], 2, scope="lin"
    )
    return {"out": out, "names": [v.name for v in variables], "bias": bias.name}


def deep(tf, shim):
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    outs = {}
    used = [
        layers.embedding_column(columns["words"], 4),
        layers.embedding_column(columns["hashed"], 3, combiner="sum", max_norm=0.5),
        layers.embedding_column(
            columns["weighted"], 2, initializer=tf.random_uniform_initializer(-1, 1)
        ),
        layers.embedding_column(layers.crossed_column([columns["ids"], columns["other"]], 20), 2),
        layers.one_hot_column(columns["ids"]),
        layers.one_hot_column(columns["weighted"]),
        layers.bucketized_column(columns["size"], [2.5, 6.5]),
        columns["age"],
        columns["size"],
    ]
    out = layers.input_from_feature_columns(_features(tf), used, cols_to_outs=outs)
    return {"out": out, "names": sorted(c.name for c in outs)}


def deep_shared(tf, shim):
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    both = layers.shared_embedding_columns([columns["hashed"], columns["other"]], 3)
    named = layers.shared_embedding_columns(
        [columns["ids"], layers.sparse_column_with_integerized_feature("more", 8)],
        2,
        shared_embedding_name="mine",
        trainable=False,
    )
    features = dict(_features(tf), more=_sparse(tf, [[1], [2, 3], [4], [5]]))
    with tf.variable_scope("net", regularizer=shim.contrib.layers.l2_regularizer(0.1)):
        out = layers.input_from_feature_columns(features, list(both) + list(named))
    names = [c.name for c in both] + [c.shared_embedding_name for c in both]
    return {"out": out, "names": names}


def scattered(tf, shim):
    layers = shim.contrib.layers
    used = [
        layers.scattered_embedding_column("words", 40, 5, 7),
        layers.scattered_embedding_column(
            "words", 31, 2, layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY, combiner="sqrtn",
            initializer=tf.random_uniform_initializer(-1, 1),
        ),
        layers.scattered_embedding_column("words", 8, 3, 1234567, combiner="sum"),
        layers.real_valued_column("age"),
    ]  # fmt: skip
    features = dict(_features(tf))
    with tf.variable_scope("whole"):
        outs = {}
        out = layers.input_from_feature_columns(features, used, cols_to_outs=outs)
    parts = tf.fixed_size_partitioner(3)
    with tf.variable_scope("parts", partitioner=parts):
        cut = layers.input_from_feature_columns(features, used[:1])
    spec = layers.create_feature_spec_for_parsing(used[:1])
    return {"out": out, "cut": cut, "names": sorted(c.name for c in outs), "spec": sorted(spec)}


def dense_strings(tf, shim):
    layers = shim.contrib.layers
    column = layers.sparse_column_with_keys("dense", ["a", "b", "c"])
    hashed = layers.sparse_column_with_hash_bucket("dense", 9, hash_keys=[[1, 2], [3, 4]])
    return {
        "hot": layers.input_from_feature_columns(_features(tf), [layers.one_hot_column(column)]),
        "ids": layers.transform_features(_features(tf), [hashed])[hashed].values,
    }


def vocabulary(tf, shim):
    layers = shim.contrib.layers
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as stream:
        stream.write("a\nc\n")
    column = layers.sparse_column_with_vocabulary_file(
        "words", path, num_oov_buckets=2, vocab_size=2
    )
    made = layers.transform_features(_features(tf), [column])[column]
    hot = layers.input_from_feature_columns(_features(tf), [layers.one_hot_column(column)])
    return {"ids": made.values, "length": column.length, "hot": hot}


def sequence(tf, shim):
    layers = shim.contrib.layers
    columns = [
        layers.embedding_column(layers.sparse_column_with_integerized_feature("ids", 8), 3),
        layers.real_valued_column("numbers"),
    ]
    features = {
        "ids": _sparse(tf, [[3, 2, 1], [7], [1, 0]]),
        "numbers": tf.constant(np.arange(9.0, dtype=np.float32).reshape(3, 3)),
    }
    return {"out": layers.sequence_input_from_feature_columns(features, columns)}


def parsing(tf, shim):
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    used = [
        columns["hashed"],
        columns["weighted"],
        layers.real_valued_column("age", default_value=2),
        layers.real_valued_column("size", dimension=2, default_value=[1.0, 2.0]),
        layers.bucketized_column(layers.real_valued_column("cost", dtype=tf.int64), [3, 5]),
    ]
    spec = layers.create_feature_spec_for_parsing(used)

    def example(**features):
        proto = tf.train.Example()
        for name, values in features.items():
            feature = proto.features.feature[name]
            if isinstance(values[0], bytes):
                feature.bytes_list.value.extend(values)
            elif isinstance(values[0], int):
                feature.int64_list.value.extend(values)
            else:
                feature.float_list.value.extend(values)
        return proto.SerializeToString()

    serialized = [
        example(words=[b"a", b"q"], weights=[1.0, 2.0], age=[7.0], cost=[4]),
        example(size=[5.0, 6.0], cost=[9]),
    ]
    parsed = layers.parse_feature_columns_from_examples(serialized, used)
    out, _, _ = layers.weighted_sum_from_feature_columns(parsed, used, 1)
    holders = layers.make_place_holder_tensors_for_base_features(used)
    return {
        "out": out,
        "spec": sorted([k, type(v).__name__, str(v[0])] for k, v in spec.items()),
        "holders": sorted(
            str(h) if not isinstance(h, tf.Tensor) else h.name for h in holders.values()
        ),
        "parsed": sorted(k if isinstance(k, str) else k.name for k in parsed),
    }


def keys(tf, shim):
    """The order of columns is that of their keys."""
    layers, columns = shim.contrib.layers, _columns(tf, shim)
    used = [v for k, v in columns.items() if k not in ("age",)]
    used += [
        layers.bucketized_column(layers.real_valued_column("x"), [1, 2]),
        layers.crossed_column([columns["words"], columns["ids"]], 10),
        layers.one_hot_column(columns["ids"]),
        layers.real_valued_column("z", dimension=2, default_value=1),
    ]
    inferred = layers.infer_real_valued_columns({"x": tf.zeros([3, 2, 4]), "y": tf.zeros([3, 1])})
    return {
        "keys": [c.key for c in used],
        "lengths": [getattr(c, "length", None) for c in used],
        "embedding": layers.embedding_column(columns["ids"], 3).key,
        "inferred": [c.key for c in inferred],
    }

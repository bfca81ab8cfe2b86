"""Smaller packages of tf.contrib."""

# ruff: noqa: B905 - also runs in Python 3.7

import os
import tempfile

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _elements(tf, dataset, count=20):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    out = []
    with tf.Session() as sess:
        try:
            for _ in range(count):
                out += [sess.run(following)]
        except tf.errors.OutOfRangeError:
            pass
    return [np.asarray(value).tolist() for value in out]


def data_batches(tf, shim):
    data = shim.contrib.data
    ten = tf.data.Dataset.range(10)
    ragged = ten.map(lambda x: tf.fill([tf.cast(x % 3, tf.int32) + 1], x))
    return {
        "drop": _elements(tf, ten.apply(data.batch_and_drop_remainder(4))),
        "padded": _elements(tf, ragged.apply(data.padded_batch_and_drop_remainder(4, [None]))),
        "map": _elements(tf, ten.apply(data.map_and_batch(lambda x: x * x, 3))),
        "window": _elements(tf, ten.apply(data.sliding_window_batch(4, window_shift=3))),
        "unbatch": _elements(tf, ten.batch(3).apply(data.unbatch())),
        "shape": _elements(tf, ten.batch(5).apply(data.assert_element_shape([5]))),
        "sparse": data.AUTOTUNE,
    }


def data_flow(tf, shim):
    data = shim.contrib.data
    ten = tf.data.Dataset.range(10)
    interleaved = ten.take(3).apply(
        data.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2)
    )
    reducer = data.Reducer(
        lambda _: np.int64(0), lambda total, value: total + value, lambda total: total
    )
    grouped = ten.apply(
        data.group_by_window(lambda x: x % 2, lambda _, rows: rows.batch(5), window_size=5)
    )
    return {
        "interleaved": sorted(_elements(tf, interleaved)),
        "enumerate": [str(e) for e in _elements(tf, ten.take(3).apply(data.enumerate_dataset(5)))],
        "scan": _elements(tf, ten.apply(data.scan(np.int64(0), lambda s, x: (s + x, s + x)))),
        "unique": _elements(tf, ten.map(lambda x: x // 2).apply(data.unique())),
        "grouped": _elements(tf, grouped),
        "reduced": data.reduce_dataset(ten, reducer),
        "single": data.get_single_element(ten.skip(3).take(1)),
        "shuffled": sorted(_elements(tf, ten.apply(data.shuffle_and_repeat(10, 1, seed=3)))),
        "counter": _elements(tf, data.Counter(3, 2).take(4)),
    }


def lookup_tables(tf, shim):
    lookup = shim.contrib.lookup
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as stream:
        stream.write("a\nb\nc\n")
    words = tf.constant([["a", "c"], ["z", "yy"]])
    numbers = tf.constant([0, 2, 7], tf.int64)
    return {
        "tensor": lookup.index_table_from_tensor(["a", "b", "c"]).lookup(words),
        "oov": lookup.index_table_from_tensor(["a", "b", "c"], 5).lookup(words),
        "file": lookup.index_table_from_file(path, default_value=9).lookup(words),
        "file_oov": lookup.index_table_from_file(path, 3, vocab_size=2).lookup(words),
        "ints": lookup.index_table_from_tensor([7, 5, 0], 2, dtype=tf.int64).lookup(numbers),
        "back": lookup.index_to_string_table_from_tensor(["a", "b", "c"]).lookup(numbers),
        "back_file": lookup.index_to_string_table_from_file(path, default_value="?").lookup(
            numbers
        ),
        "hash": lookup.HashTable(
            lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([3, 4], tf.int64)), -5
        ).lookup(words),
    }


def losses(tf, shim):
    losses = shim.contrib.losses
    logits = tf.constant(_data(4, 3))
    labels = tf.constant(np.eye(3, dtype=np.float32)[[0, 2, 1, 1]])
    weights = tf.constant([1.0, 0.0, 2.0, 0.5])
    chances = tf.nn.sigmoid(logits)
    out = {
        "abs": losses.absolute_difference(logits, labels),
        "abs_weighted": losses.absolute_difference(logits, labels, weights),
        "squared": losses.mean_squared_error(logits, labels, 0.5),
        "log": losses.log_loss(chances, labels, weights),
        "hinge": losses.hinge_loss(logits, labels),
        "cosine": losses.cosine_distance(logits, labels, axis=1),
        "sigmoid": losses.sigmoid_cross_entropy(logits, labels, label_smoothing=0.1),
        "softmax": losses.softmax_cross_entropy(logits, labels, weights, label_smoothing=0.2),
        "sparse": losses.sparse_softmax_cross_entropy(logits, tf.constant([0, 2, 1, 1]), weights),
    }
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(3.0))
    out["total"] = losses.get_total_loss()
    out["count"] = len(losses.get_losses())
    return out


def stateless(tf, shim):
    module = shim.contrib.stateless
    return {
        "normal": module.stateless_random_normal([5], [1, 2]),
        "uniform": module.stateless_random_uniform([5], [1, 2]),
        "truncated": module.stateless_truncated_normal([5], [1, 2]),
        "multinomial": module.stateless_multinomial(tf.constant([[0.0, 1.0, 2.0]]), 6, [1, 2]),
        "constant": shim.contrib.util.constant_value(tf.constant([1, 2])),
        "modes": [
            shim.contrib.learn.ModeKeys.TRAIN,
            shim.contrib.learn.ModeKeys.EVAL,
            shim.contrib.learn.ModeKeys.INFER,
        ],
    }


def tfexample_decoder(tf, shim):
    slim = shim.contrib.slim
    feature = tf.train.Feature
    image = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        png = sess.run(tf.image.encode_png(image))
    example = tf.train.Example(
        features=tf.train.Features(
            feature={
                "image/encoded": feature(bytes_list=tf.train.BytesList(value=[png])),
                "image/format": feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                "label": feature(int64_list=tf.train.Int64List(value=[3])),
                "numbers": feature(float_list=tf.train.FloatList(value=[1, 2, 3, 4, 5, 6])),
                "shape": feature(int64_list=tf.train.Int64List(value=[2, 3])),
                "b/ymin": feature(float_list=tf.train.FloatList(value=[0.1, 0.2])),
                "b/xmin": feature(float_list=tf.train.FloatList(value=[0.3, 0.4])),
                "b/ymax": feature(float_list=tf.train.FloatList(value=[0.5, 0.6])),
                "b/xmax": feature(float_list=tf.train.FloatList(value=[0.7, 0.8])),
            }
        )
    )
    decoder = slim.tfexample_decoder
    keys = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "label": tf.FixedLenFeature([1], tf.int64),
        "numbers": tf.VarLenFeature(tf.float32),
        "shape": tf.VarLenFeature(tf.int64),
        "missing": tf.VarLenFeature(tf.float32),
    }
    keys.update({"b/" + k: tf.VarLenFeature(tf.float32) for k in ("ymin", "xmin", "ymax", "xmax")})
    handlers = {
        "image": decoder.Image(shape=[4, 5, 3]),
        "label": decoder.Tensor("label", shape=[]),
        "numbers": decoder.Tensor("numbers", shape_keys="shape"),
        "flat": decoder.Tensor("numbers"),
        "boxes": decoder.BoundingBox(prefix="b/"),
        "backup": decoder.BackupHandler(decoder.Tensor("missing"), decoder.Tensor("numbers")),
        "call": decoder.ItemHandlerCallback(["label"], lambda d: d["label"] * 2),
    }
    made = decoder.TFExampleDecoder(keys, handlers)
    items = sorted(handlers)
    tensors = made.decode(tf.constant(example.SerializeToString()), items)
    source = slim.dataset.Dataset("files", None, made, 7, {"a": "b"}, extra=3)
    out = dict(zip(items, tensors))
    out["items"] = sorted(made.list_items())
    out["source"] = [source.num_samples, source.extra, source.data_sources]
    return out


def _events(tf, folder):
    out = []
    for path in sorted(os.listdir(folder)):
        for event in tf.train.summary_iterator(os.path.join(folder, path)):
            for value in event.summary.value:
                kind = value.WhichOneof("value")
                number = value.simple_value if kind == "simple_value" else 0.0
                if kind == "histo":
                    number = value.histo.sum
                out.append([event.step, value.tag, kind, round(number, 4)])
    return sorted(out)


def summaries(tf, shim):
    summary = shim.contrib.summary
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.train.get_or_create_global_step()
        forward = tf.assign_add(step, 1)
        writer = summary.create_file_writer(folder, flush_millis=1000)
        with writer.as_default():
            with summary.always_record_summaries():
                summary.scalar("loss", 0.5)
                with tf.name_scope("inner"):
                    summary.scalar("deep", step * 2, family="f")
                summary.histogram("h", tf.constant([1.0, 2.0, 3.0]))
                summary.image("i", tf.ones([2, 3, 3, 1]))
            with summary.record_summaries_every_n_global_steps(2):
                summary.scalar("often", tf.constant(2.5), step=step)
            with summary.never_record_summaries():
                summary.scalar("never", 1.0)
            summary.scalar("outside", 1.0)
            sess.run(tf.global_variables_initializer())
            summary.initialize(session=sess)
            for _ in range(4):
                sess.run(summary.all_summary_ops())
                sess.run(forward)
            sess.run(summary.flush())
        count = len(summary.all_summary_ops())
    return {"events": _events(tf, folder), "count": count}


def dataset_data_provider(tf, shim):
    slim = shim.contrib.slim
    folder = tempfile.mkdtemp()
    for number in range(2):
        path = os.path.join(folder, f"part-{number}")
        with tf.python_io.TFRecordWriter(path) as writer:
            for value in range(3):
                values = tf.train.Int64List(value=[10 * number + value])
                features = tf.train.Features(feature={"label": tf.train.Feature(int64_list=values)})
                writer.write(tf.train.Example(features=features).SerializeToString())
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {"label": tf.FixedLenFeature([], tf.int64)},
        {"label": slim.tfexample_decoder.Tensor("label")},
    )
    source = slim.dataset.Dataset(os.path.join(folder, "part-*"), tf.TFRecordReader, decoder, 6, {})
    with tf.Graph().as_default(), tf.Session() as sess:
        provider = slim.dataset_data_provider.DatasetDataProvider(
            source, shuffle=False, num_epochs=2
        )
        (label,) = provider.get(["label"])
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        labels = [int(sess.run(label)) for _ in range(12)]
        coord.request_stop()
        coord.join(threads)
    items = sorted(provider.list_items())
    return {"labels": sorted(labels), "items": items, "count": provider.num_samples()}


def slim_modules(tf, shim):
    slim = shim.contrib.slim
    logits = tf.constant(_data(4, 3))
    loss = slim.losses.softmax_cross_entropy(logits, tf.one_hot([0, 2, 1, 1], 3))
    relu = slim.fully_connected(logits, 2, outputs_collections=tf.GraphKeys.ACTIVATIONS)
    slim.fully_connected(
        logits, 2, activation_fn=tf.nn.relu6, outputs_collections=tf.GraphKeys.ACTIVATIONS
    )
    shim.contrib.layers.summarize_activations()
    shim.contrib.layers.summarize_tensors(slim.get_variables())
    shim.contrib.layers.summarize_collection(tf.GraphKeys.LOSSES)
    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
    out = {"loss": loss, "relu": relu, "_gradients": False}
    out["summaries"] = sorted(t.name for t in summaries)
    for i, summary in enumerate(summaries):
        if summary.op.type == "ScalarSummary":
            out[f"value{i}"] = summary.op.inputs[1]
    out["aliases"] = sorted(slim.utils.convert_collection_to_dict(tf.GraphKeys.ACTIVATIONS))
    out["sizes"] = [slim.utils.last_dimension(relu.shape), slim.utils.two_element_tuple(3)]
    return out

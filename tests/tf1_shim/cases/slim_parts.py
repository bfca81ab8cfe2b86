"""The small modules of slim, contrib.deprecated, contrib.tfprof, and private helpers."""

import contextlib
import io
import os
import tempfile

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _tags(tf, summary):
    """The tags of a summary and what of its values is plain."""
    with tf.Session() as sess:
        read = tf.Summary.FromString(sess.run(summary))
    return [
        [v.tag, round(v.simple_value, 5), v.image.width, round(v.histo.sum, 4), v.audio.sample_rate]
        for v in read.value
    ]


def _raised(function):
    try:
        return str(function())
    except Exception as error:
        return type(error).__name__


def _stdout(function):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = function()
    return [result, out.getvalue().splitlines()]


def layers_and_initializers(tf, shim):
    slim = shim.contrib.slim
    x = tf.constant(_data(2, 6, 6, 3))
    net = slim.layers.conv2d(
        x, 4, 3,
        weights_initializer=slim.initializers.variance_scaling_initializer(),
        weights_regularizer=slim.regularizers.l2_regularizer(0.1), scope="conv",
    )  # fmt: skip
    net = slim.layers.flatten(slim.layers.max_pool2d(net, 2))
    out = slim.layers.fully_connected(
        net, 3, weights_initializer=slim.initializers.xavier_initializer(), scope="out"
    )
    return {"out": out}


def utils(tf, shim):
    slim = shim.contrib.slim
    x = tf.constant(_data(2, 3, 4))
    aliased = slim.utils.collect_named_outputs("ends", "alias", tf.identity(x, "named"))
    slim.utils.collect_named_outputs("ends", "other", tf.nn.relu(aliased, "relu"))
    found = slim.utils.convert_collection_to_dict("ends")
    return {
        "keys": list(found),
        "last": slim.utils.last_dimension(x.shape),
        "two": list(slim.utils.two_element_tuple(3)),
        "out": list(found.values()),
        "cond": slim.utils.smart_cond(tf.constant(True), lambda: x, lambda: -x),
    }


def summaries(tf, shim):
    slim = shim.contrib.slim
    x = tf.nn.relu(tf.constant(_data(3, 4)), name="x")
    image = tf.constant(np.abs(_data(2, 5, 6, 1)), name="image")
    total = tf.reduce_sum(x, name="total")
    add = slim.summaries
    every = [
        add.add_histogram_summary(x, prefix="p"),
        add.add_histogram_summary(x, "named"),
        add.add_image_summary(image, "image", prefix="q"),
        add.add_scalar_summary(total, "total", prefix="losses"),
        add.add_scalar_summary(total, print_summary=True),
        add.add_zero_fraction_summary(x),
        add.add_zero_fraction_summary(x, "z", "p"),
    ]
    every += add.add_histogram_summaries([x, image], "h") + add.add_image_summaries([image])
    every += add.add_scalar_summaries([total], "s") + add.add_zero_fraction_summaries([x], "f")
    return {
        "tags": [_tags(tf, summary) for summary in every],
        "collected": len(tf.get_collection(tf.GraphKeys.SUMMARIES)),
    }


def queues(tf, shim):
    slim = shim.contrib.slim
    numbers = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    ready = slim.prefetch_queue.prefetch_queue([numbers, tf.cast(numbers, tf.float32) / 2])
    named = slim.prefetch_queue.prefetch_queue(
        {"b": tf.constant([1.0, 2.0]), "a": tf.constant(3)}, 4, dynamic_pad=True, name="mine"
    )
    pair, more = ready.dequeue(), named.dequeue()
    out = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        with slim.queues.QueueRunners(sess):
            out += [sess.run(pair) for _ in range(6)]
            out += [sorted(sess.run(more).items())]
            try:
                with slim.queues.QueueRunners(sess):
                    pass
            except slim.queues.NestedQueueRunnerError as error:
                out += [type(error).__name__]
    return {
        "out": str(np.array(out[:6]).tolist())
        + str([(k, np.ravel(v).tolist()) for k, v in out[6]]),
        "nested": out[7],
        "names": [ready.name, named.name],
        "summaries": [op.name for op in tf.get_collection(tf.GraphKeys.SUMMARIES)],
    }


def decoders(tf, shim):
    slim = shim.contrib.slim
    a, b = tf.constant(1), tf.constant(2)
    provider = slim.data_provider.DataProvider({"a": a, "b": b}, 7)

    class Decoder(slim.data_decoder.DataDecoder):
        def decode(self, data, items):
            return [tf.strings.to_number(data) for _ in items]

        def list_items(self):
            return ["number"]

    calls = (
        lambda: provider.get(["c"]),
        lambda: provider.get("a"),
        slim.data_decoder.DataDecoder,
    )
    return {
        "items": sorted(provider.list_items()),
        "samples": provider.num_samples(),
        "out": provider.get(["b", "a"]),
        "decoded": Decoder().decode(tf.constant("2.5"), ["number"]),
        "said": [_raised(call) for call in calls],
        "base": isinstance(
            slim.tfexample_decoder.TFExampleDecoder({}, {}), slim.data_decoder.DataDecoder
        ),
        "provider": issubclass(
            slim.dataset_data_provider.DatasetDataProvider, slim.data_provider.DataProvider
        ),
    }


def model_analyzer(tf, shim):
    analyzer = shim.contrib.slim.model_analyzer
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable(_data(4, 3), name="w")
    b = tf.Variable(np.zeros(3, np.float64), name="b")
    graph = tf.get_default_graph()
    tf.matmul(x, tf.identity(w, name="read"), name="y")
    return {
        "vars": _stdout(lambda: analyzer.analyze_vars([w, b], print_info=True)),
        "quiet": _stdout(lambda: analyzer.analyze_vars([w])),
        "described": [analyzer.tensor_description(t) for t in (x, w, b)],
        "ops": [
            line
            for line in _stdout(lambda: analyzer.analyze_ops(graph, print_info=True))[1]
            if line.startswith(("x ", "y ", "read ", "-", "Operations"))
        ],
    }


def deprecated(tf, shim):
    old = shim.contrib.deprecated
    x = tf.constant(_data(3, 4), name="x")
    with tf.name_scope("scope"):
        every = [
            old.scalar_summary(["one tag", "b"], [1.5, 2.5]),
            old.scalar_summary("c", tf.reduce_max(x), collections=["mine"], name="called"),
            old.histogram_summary("h", x),
            old.image_summary("i", np.abs(_data(2, 5, 6, 1)), max_images=1),
            old.audio_summary("a", np.clip(_data(1, 8), -1, 1), 8000.0),
        ]
        merged = old.merge_summary(every[:2])
    everything = old.merge_all_summaries()
    return {
        "tags": [_tags(tf, summary) for summary in every],
        "merged": [_tags(tf, merged), _tags(tf, everything)],
        "names": [summary.name for summary in [*every, merged]],
        "mine": [summary.name for summary in tf.get_collection("mine")],
        "none": old.merge_all_summaries("nothing") is None,
    }


def tfprof(tf, shim):
    analyzer = shim.contrib.tfprof.model_analyzer
    w = tf.get_variable("w", [4, 3])
    tf.get_variable("b", [3], trainable=False)
    tf.matmul(tf.constant(_data(2, 4)), w)
    graph = tf.get_default_graph()
    quiet = dict(analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, output="none")
    flops = dict(analyzer.FLOAT_OPS_OPTIONS, output="none")
    folder = tempfile.mkdtemp()
    shim.contrib.tfprof.tfprof_logger.write_op_log(graph, folder)
    return {
        "parameters": analyzer.print_model_analysis(graph, tfprof_options=quiet).total_parameters,
        "float_ops": analyzer.print_model_analysis(graph, tfprof_options=flops).total_float_ops,
        "options": [
            analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
            analyzer.FLOAT_OPS_OPTIONS,
            analyzer.PRINT_ALL_TIMING_MEMORY,
            analyzer.ALL_ADVICE,
        ],
        "log": os.listdir(folder),
    }


def private_linear(tf, shim):
    try:
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell
    except ImportError:
        from migrate.tf1_shim.private import core_rnn_cell

    x, y = tf.constant(_data(2, 3)), tf.constant(_data(2, 4))
    with tf.variable_scope("one"):
        one = core_rnn_cell._linear([x, y], 5, True)
    with tf.variable_scope("two"):
        two = core_rnn_cell._linear(x, 5, False, kernel_initializer=tf.constant_initializer(0.5))
    with tf.variable_scope("three"):
        map_ = core_rnn_cell._Linear([x, y], 5, True, bias_initializer=tf.ones_initializer())
    return {"one": one, "two": two, "three": map_([x, y]), "again": map_([2 * x, y])}


def private_audio(tf, shim):
    try:
        from tensorflow.contrib.framework.python.ops import audio_ops
    except ImportError:
        from migrate.tf1_shim.private import audio_ops

    sound = np.sin(np.arange(800, dtype=np.float32) * 0.3)[:, None]
    wav = audio_ops.encode_wav(sound, 8000)
    decoded, rate = audio_ops.decode_wav(wav, desired_channels=1, desired_samples=640)
    spectrogram = audio_ops.audio_spectrogram(
        decoded, window_size=128, stride=64, magnitude_squared=True
    )
    return {
        "rate": rate,
        "spectrogram": spectrogram,
        "plain": audio_ops.audio_spectrogram(decoded, 128, 64),
        "mfcc": audio_ops.mfcc(spectrogram, rate, dct_coefficient_count=10),
    }


def private_training_ops(tf, shim):
    try:
        from tensorflow.python.training import training_ops
    except ImportError:
        from migrate.tf1_shim.private import training_ops

    v = tf.get_variable("v", initializer=_data(3), use_resource=False)
    ms = tf.get_variable("ms", initializer=np.ones(3, np.float32), use_resource=False)
    mom = tf.get_variable("mom", initializer=np.zeros(3, np.float32), use_resource=False)
    w = tf.get_variable("w", initializer=_data(2, 2), use_resource=True)
    rms = training_ops.apply_rms_prop(
        v, ms, mom, 0.1, 0.9, 0.5, 1e-3, tf.constant(_data(3)), use_locking=False
    )
    down = training_ops.resource_apply_gradient_descent(w.handle, 0.5, tf.constant(_data(2, 2)))
    return {"ms": ms, "_steps": [rms.op, down], "_count": 2, "_gradients": False}


def pairwise_loss(tf, shim):
    losses = shim.contrib.slim.losses
    p = tf.get_variable("p", initializer=_data(3, 4))
    labels = tf.constant(_data(4, 3).T)
    cube = tf.constant(_data(2, 3, 2))
    pairwise = losses.mean_pairwise_squared_error
    return {
        "plain": pairwise(p, labels),
        "scalar": pairwise(p, labels, 2.0),
        "none": pairwise(p, labels, 0.0),
        "each": pairwise(p, labels, tf.constant([1.0, 0.0, 3.0])),
        "cube": pairwise(cube, cube[::-1] * 2, tf.constant([0.5, 2.0])),
        "total": losses.get_total_loss(),
        "raised": _raised(lambda: pairwise(p, cube)),
    }


def metric_learning(tf, shim):
    losses = shim.contrib.losses.metric_learning
    raw = tf.get_variable("raw", initializer=_data(8, 5))
    unit = tf.nn.l2_normalize(raw, 1)
    classes = tf.constant([0, 1, 0, 2, 1, 1, 0, 2])
    rows = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 1, 1]], np.int32)
    sparse = [
        tf.SparseTensor([[i] for i in np.flatnonzero(row)], np.ones(row.sum(), np.int32), [3])
        for row in rows
    ]
    return {
        "contrastive": losses.contrastive_loss([1, 0, 1, 0], unit[:4], unit[4:]),
        "far": losses.contrastive_loss(tf.constant([1, 0, 0, 0]), unit[:4], unit[4:], margin=2.5),
        "triplet": losses.triplet_semihard_loss(classes, unit),
        "small": losses.triplet_semihard_loss(classes, unit, margin=0.1),
        "lifted": losses.lifted_struct_loss(classes, raw),
        "npairs": losses.npairs_loss(tf.range(4), raw[:4], raw[4:]),
        "shared": losses.npairs_loss(tf.constant([0, 1, 1, 2]), raw[:4], raw[4:], 0.1),
        "multi": losses.npairs_loss_multilabel(sparse, raw[:4], raw[4:]),
        "raised": _raised(lambda: losses.npairs_loss_multilabel([[1]], raw[:4], raw[4:])),
        "_inputs": [raw],
    }


def private_attention(tf, shim):
    try:
        from tensorflow.contrib.seq2seq.python.ops import attention_wrapper as parts
        from tensorflow.contrib.seq2seq.python.ops import helper
    except ImportError:
        from migrate.tf1_shim.private import attention_wrapper as parts
        from migrate.tf1_shim.private import seq2seq_helper as helper

    memory, query = tf.constant(_data(2, 5, 3)), tf.constant(_data(2, 4))
    lengths = tf.constant([3, 5])

    class Located(shim.contrib.seq2seq.BahdanauAttention):
        def __call__(self, query, state):
            with tf.variable_scope(None, "located", [query]):
                hidden = tf.expand_dims(self.query_layer(query), 1) + self.keys
                score = tf.reduce_sum(tf.tanh(hidden), [2]) + state
            alignments = self._probability_fn(score, state)
            return alignments, alignments + state

    class Own(parts._BaseAttentionMechanism):
        def __call__(self, query, state):
            v = tf.get_variable("v", [3])
            g = tf.get_variable("g", shape=(), initializer=tf.ones_initializer())
            b = tf.get_variable("b", [3])
            query = self.query_layer(query)
            score = parts._bahdanau_score(query, self._keys, v, g, b)
            alignments = self._probability_fn(score, state)
            return alignments, alignments

    def layer(name):
        return shim.layers.Dense(3, name=name, use_bias=False, dtype=tf.float32)

    located = Located(3, memory, memory_sequence_length=lengths)
    own = Own(
        layer("q"), memory, lambda score, _: tf.nn.softmax(score), lengths, layer("m"), name="own"
    )
    first = parts._compute_attention(located, query, located.initial_state(2, tf.float32), None)
    second = parts._compute_attention(own, query, own.initial_state(2, tf.float32), layer("a"))
    with tf.variable_scope("scores"):
        score = parts._luong_score(query[:, :3], memory, tf.get_variable("scale", []))
        plain = parts._luong_score(query[:, :3], memory, None)
    ragged = tf.placeholder_with_default(_data(2, 3, 4), [None, 3, 4])
    return {
        "located": list(first),
        "own": list(second),
        "masked": parts._maybe_mask_score(score, lengths, score_mask_value=-9.0),
        "by_mask": parts._maybe_mask_score(score, None, score > 0, -9.0),
        "whole": parts._maybe_mask_score(plain),
        "hidden": parts._bahdanau_score(query[:, :3], memory, tf.get_variable("w", [3])),
        "swapped": helper._transpose_batch_time(ragged),
        "static": [str(n) for n in helper._transpose_batch_time(ragged).shape.as_list()],
        "step": helper._unstack_ta(memory).read(1),
    }

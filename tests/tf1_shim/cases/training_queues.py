"""tf.contrib.training: buckets, sampling, state saving."""

import numpy as np


def _run(tf, fetches, steps, init=()):
    """What some steps give, with the queue runners on."""
    seen = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for _ in range(steps):
                step = sess.run(fetches)
                seen.append(step)
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return seen


def _numbers(tf, count):
    """One number after the other."""
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def _text(value):
    if isinstance(value, dict):
        return {k: _text(v) for k, v in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [_text(v) for v in value]
    return np.asarray(value).tolist()


def buckets(tf, shim):
    i = _numbers(tf, 24)
    which, out = shim.contrib.training.bucket(
        [i, tf.cast(i, tf.float32) * 0.5], tf.mod(i, 3), batch_size=4, num_buckets=3
    )
    shapes = [t.shape.as_list() for t in [which, *out]]
    seen = sorted(_text(_run(tf, [which, out], 6)))
    summaries = sorted(t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES))
    return {"seen": seen, "shapes": shapes, "summaries": summaries}


def lengths(tf, shim):
    i = _numbers(tf, 12)
    length = tf.mod(i, 5) + 1
    words = tf.fill([length], i)
    sizes, out = shim.contrib.training.bucket_by_sequence_length(
        length, {"words": words, "id": i}, 2, [3, 5], dynamic_pad=True,
        allow_smaller_final_batch=True, shapes=[[], [None]], capacity=20,
    )  # fmt: skip
    seen = sorted(str(_text(s)) for s in _run(tf, [sizes, out], 20))
    return {"seen": seen, "shapes": {k: v.shape.as_list() for k, v in out.items()}}


def lengths_sizes(tf, shim):
    i = _numbers(tf, 20)
    sizes, out = shim.contrib.training.bucket_by_sequence_length(
        tf.mod(i, 4), [i], [3, 2], [2], keep_input=tf.less(i, 17)
    )
    return {"seen": sorted(str(_text(s)) for s in _run(tf, [sizes, out], 7))}


def sparse_buckets(tf, shim):
    i = _numbers(tf, 8)
    row = tf.SparseTensor(
        tf.cast(tf.expand_dims(tf.range(tf.mod(i, 3) + 1), 1), tf.int64),
        tf.fill([tf.mod(i, 3) + 1], i),
        tf.cast([tf.mod(i, 3) + 1], tf.int64),
    )
    _, out = shim.contrib.training.bucket([i, row], tf.mod(i, 2), 2, 2)
    dense = tf.sparse_tensor_to_dense(out[1])
    return {"seen": sorted(str(_text(s)) for s in _run(tf, [out[0], dense], 4))}


def rejection(tf, shim):
    i = _numbers(tf, 40)
    out = shim.contrib.training.rejection_sample(
        [i, -i], lambda t: tf.cast(tf.equal(tf.mod(t[0], 2), 0), tf.float32), 4,
        runtime_checks=True,
    )  # fmt: skip
    return {"seen": _text(_run(tf, out, 3)), "shapes": [t.shape.as_list() for t in out]}


def rejection_many(tf, shim):
    i = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue_many(5)
    out = shim.contrib.training.rejection_sample(
        [i, -i], lambda t: tf.cast(tf.less(t[0], 13), tf.float32), 3, enqueue_many=True
    )
    return {"seen": _text(_run(tf, out, 3))}


def stratified(tf, shim):
    """Of class 0 nothing is wanted, of the others all."""
    i = _numbers(tf, 60)
    out, labels = shim.contrib.training.stratified_sample(
        [i], tf.mod(i, 3), [0.0, 0.5, 0.5], 4, init_probs=[0.5, 0.25, 0.25]
    )
    return {"seen": _text(_run(tf, [out, labels], 4)), "shape": labels.shape.as_list()}


def stratified_counted(tf, shim):
    i = _numbers(tf, 60)
    out, labels = shim.contrib.training.stratified_sample(
        [i], tf.mod(i, 2), [0.0, 1.0], 3, name="mine"
    )
    names = [v.name for v in tf.global_variables()]
    # Which numbers come is a race between what is counted and what is taken.
    ((values, classes),) = _run(tf, [out, labels], 1)
    odd = (np.asarray(values) % 2).tolist()
    return {"odd": odd, "classes": _text(classes), "names": names}


def resample(tf, shim):
    training = shim.contrib.training
    x = tf.constant(np.arange(12.0, dtype=np.float32).reshape(6, 2))
    rates = tf.constant([0.5, 3.0, 0.0, 1.0, 2.0, 0.1])
    (a,) = training.resample_at_rate([x], rates, seed=3)
    out, kept = training.weighted_resample([x], rates, 1.5, seed=5)
    # TF 2.21 knows more of the shapes.
    flat = {"a": a, "out": out[0], "kept": kept}
    return dict({k: tf.reshape(v, [-1]) for k, v in flat.items()}, _gradients=False)


def placement(tf, shim):
    training = shim.contrib.training
    greedy = training.GreedyLoadBalancingStrategy(3, training.byte_size_load_fn)
    random = training.RandomStrategy(5, seed=2)
    shapes = [[10], [3, 3], [2], [4], [1], [20]]
    variables = [tf.get_variable("v%d" % i, s) for i, s in enumerate(shapes)]  # noqa: UP031
    return {
        "greedy": [int(greedy(v.op)) for v in variables],
        "random": [random(v.op) for v in variables],
        "bytes": [training.byte_size_load_fn(v.op) for v in variables],
        "_move": False,
    }


def _sequences(tf, shim, **kwargs):
    """A batch of segments, and what takes in the sequence of a fed number.

    Without threads, so that the order is known and nothing waits at the end.
    """
    i = tf.placeholder(tf.int32, [])
    length = tf.mod(i, 3) * 2 + 1
    batch = shim.contrib.training.batch_sequences_with_states(
        input_key=tf.as_string(i),
        input_sequences={
            "x": tf.cast(tf.range(length), tf.float32) + tf.cast(i, tf.float32) * 100.0,
            "y": tf.tile([[1, 2]], [length, 1]),
        },
        input_context={"id": i},
        input_length=length,
        initial_states={"sum": tf.zeros([2])},
        num_unroll=2,
        num_threads=1,
        **kwargs,
    )
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    return batch, lambda sess, n: sess.run(runner.enqueue_ops[0], {i: n})


def states(tf, shim):
    batch, take_in = _sequences(tf, shim, batch_size=2, capacity=8)
    new = batch.state("sum") + tf.reduce_sum(batch.sequences["x"], 1, keepdims=True)
    saved = batch.save_state("sum", new)
    fetches = {
        "key": batch.key,
        "next": batch.next_key,
        "length": batch.length,
        "total": batch.total_length,
        "number": batch.sequence,
        "count": batch.sequence_count,
        "x": batch.sequences["x"],
        "y": batch.sequences["y"],
        "id": batch.context["id"],
        "new": new,
        "size": batch.batch_size,
    }
    seen = []
    with tf.Session() as sess:
        for n in range(5):
            take_in(sess, n)
        for _ in range(4):
            out, _ = sess.run([fetches, saved])
            seen.append(str(_text(out)))
    shapes = [batch.sequences["x"].shape.as_list(), batch.state("sum").shape.as_list()]
    return {"seen": seen, "shapes": shapes, "index": batch.insertion_index.dtype.name}


def state_saving_rnn(tf, shim):
    """A recurrent network over the segments."""
    batch, take_in = _sequences(tf, shim, batch_size=1, allow_small_batch=False)
    cell = shim.nn.rnn_cell.BasicRNNCell(2)
    inputs = [tf.reshape(t, [1, 1]) for t in tf.unstack(batch.sequences["x"] * 0.01, axis=1)]
    out, _ = tf.nn.static_state_saving_rnn(cell, inputs, batch, "sum")
    kernel = next(v for v in tf.global_variables() if "kernel" in v.name)
    start = kernel.assign(np.linspace(-1, 1, 6).reshape(3, 2))
    keys, values = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(start)
        for n in range(5):
            take_in(sess, n)
        for _ in range(8):
            key, value = sess.run([batch.key, out[-1]])
            keys.append(key[0].decode())
            values.append(value[0])
    return {"keys": keys, "values": np.array(values)}

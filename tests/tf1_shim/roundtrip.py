"""Write a checkpoint with layers and an LSTM, or read one and evaluate.

    python roundtrip.py save FOLDER OUT.npz       train a little, save, write down the outputs
    python roundtrip.py restore FOLDER OUT.npz    restore, write down the outputs

Runs in either interpreter; see runner.py.
"""

import os
import sys

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

HERE = os.path.dirname(os.path.abspath(__file__))


def build(tf, shim):
    """Images through layers and slim, sequences through a stacked LSTM: outputs and a step."""
    random = np.random.RandomState(0)
    image = tf.constant(random.normal(size=(4, 8, 8, 3)).astype(np.float32))
    h = shim.layers.conv2d(image, 5, 3, activation=tf.nn.relu)
    h = shim.layers.batch_normalization(h, training=True)
    h = shim.layers.separable_conv2d(h, 4, 3)
    h = shim.contrib.slim.conv2d(h, 4, [3, 3], normalizer_fn=shim.contrib.slim.batch_norm)
    dense = shim.layers.dense(shim.layers.flatten(h), 3, name="logits")
    text = tf.constant(random.normal(size=(4, 6, 5)).astype(np.float32))
    cells = shim.nn.rnn_cell
    cell = cells.MultiRNNCell(
        [cells.BasicLSTMCell(7), cells.LSTMCell(6, use_peepholes=True), cells.GRUCell(5)]
    )
    sequence, _ = tf.nn.dynamic_rnn(cell, text, dtype=tf.float32)
    block = shim.contrib.rnn.LSTMBlockFusedCell(4)
    fused, _ = block(tf.transpose(text, [1, 0, 2]), dtype=tf.float32)
    outputs = {"dense": dense, "sequence": sequence, "fused": fused}
    loss = tf.add_n([tf.reduce_mean(tf.square(t - 1.0)) for t in outputs.values()])
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.AdamOptimizer(0.01).minimize(
            loss, global_step=tf.train.get_or_create_global_step()
        )
    return outputs, step


def main(what, folder, out):
    """Save or restore."""
    import tensorflow

    if tensorflow.__version__.startswith("1."):
        import tensorflow as tf
        import tensorflow.contrib as _

        shim = tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
        from migrate import tf1_shim as shim
    tf.set_random_seed(1)
    outputs, step = build(tf, shim)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        if what == "save":
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(step)
            saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=3)
        else:
            saver.restore(sess, tf.train.latest_checkpoint(folder))
        values = {"out:" + k: v for k, v in sess.run(outputs).items()}
        values.update({"var:" + v.op.name: sess.run(v) for v in tf.global_variables()})
        sess.run(step)
        values.update({"step:" + v.op.name: sess.run(v) for v in tf.global_variables()})
    np.savez(out, **values)


if __name__ == "__main__":
    main(*sys.argv[1:])

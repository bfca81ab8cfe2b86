"""tf.contrib.training and the loops of slim."""

# ruff: noqa: UP031 - also runs in Python 3.7

import os
import tempfile

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _hparams(shim):
    return shim.contrib.training.HParams(a=1, b=0.5, c=[1, 2], d="x", e=True)


def hparams_parse(tf, shim):
    out = {}
    texts = (
        "a=3,b=0.25,c=[4,5],d=yy,e=false",
        "b=1e3",
        "d=a b",
        "e=2",
        "e=0",
        "d=",
        "c=[7]",
        "c=[]",
        "b=3",
        "a= 4",
        "a=1, b=2",
        "c[1]=5",
        "q=1",
        "a=x",
        "a=1.5",
        "c=1",
        "a=[1]",
        "a=1,a=2",
        "c[5]=1",
        "=",
        "a",
    )
    for text in texts:
        hparams = _hparams(shim)
        try:
            out[text] = sorted(hparams.parse(text).values().items())
        except Exception as error:
            out[text] = [type(error).__name__]
    return out


def hparams_set(tf, shim):
    out = {}
    for key, value in (
        ("a", 2),
        ("a", 2.0),
        ("a", True),
        ("b", 2),
        ("c", [1.5]),
        ("c", [3]),
        ("d", 3),
        ("e", 0),
        ("e", False),
        ("c", 3),
        ("a", [1]),
        ("a", None),
        ("zz", 1),
    ):
        hparams = _hparams(shim)
        try:
            hparams.set_hparam(key, value)
            out["%s %s" % (key, value)] = sorted(hparams.values().items())
        except Exception as error:
            out["%s %s" % (key, value)] = [type(error).__name__]
    return out


def hparams_rest(tf, shim):
    hparams = _hparams(shim)
    text = [str(hparams), repr(hparams), hparams.to_json(sort_keys=True), "a" in hparams]
    hparams.override_from_dict({"a": 5}).parse_json('{"b": 2.5}')
    hparams.add_hparam("n", None)
    hparams.set_hparam("n", 3)
    hparams.del_hparam("d")
    hparams.a = 9
    values = sorted(hparams.values().items())
    gets = [hparams.get("a"), hparams.get("q", 4), hparams.get("q"), hparams.get("c", [3])]
    parsed = shim.contrib.training.parse_values("a=1,b=x,c=[1,2]", {"a": int, "b": str, "c": int})
    return {"text": text, "values": values, "gets": gets, "parsed": sorted(parsed.items())}


def create_train_op(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(shim.layers.dense(x, 2), training=True)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    op = shim.contrib.training.create_train_op(
        loss,
        tf.train.MomentumOptimizer(0.1, 0.9),
        transform_grads_fn=shim.contrib.training.clip_gradient_norms_fn(0.1),
        summarize_gradients=True,
    )
    return {
        "loss": loss,
        "_steps": [op],
        "_gradients": False,
        "name": op.name,
        "summaries": sorted(t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)),
        "train_op": [t.name for t in tf.get_collection(tf.GraphKeys.TRAIN_OP)],
    }


def slim_create_train_op(tf, shim):
    x = tf.constant(_data(6, 4))
    slim = shim.contrib.slim
    y = slim.fully_connected(x, 2, normalizer_fn=slim.batch_norm)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    op = slim.learning.create_train_op(
        loss,
        tf.train.GradientDescentOptimizer(0.1),
        clip_gradient_norm=0.5,
        gradient_multipliers={"fully_connected/weights": 3.0},
    )
    return {"loss": loss, "_steps": [op], "_gradients": False}


def slim_train_and_evaluate(tf, shim):
    slim = shim.contrib.slim
    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default():
            x = tf.constant(_data(6, 4))
            y = slim.fully_connected(x, 1, weights_initializer=tf.ones_initializer())
            loss = tf.reduce_mean(tf.square(y - 1.0))
            op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.05))
            # No checkpoints by the clock: the first one is a thread's, and on a busy machine it
            # was written after the last.
            last = slim.learning.train(
                op, folder, number_of_steps=5, log_every_n_steps=0, save_interval_secs=0
            )
            latest = os.path.basename(tf.train.latest_checkpoint(folder))
            names = slim.get_variables_to_restore()
            names = [v.op.name for v in names]
        with tf.Graph().as_default():
            x = tf.constant(_data(6, 4))
            y = slim.fully_connected(x, 1)
            loss = tf.reduce_mean(tf.square(y - 1.0))
            mean, update = tf.metrics.mean(loss)
            tf.train.get_or_create_global_step()
            value = slim.evaluation.evaluate_once(
                "",
                tf.train.latest_checkpoint(folder),
                folder,
                num_evals=3,
                eval_op=update,
                final_op=mean,
            )
    return {"last": np.array(last), "value": np.array(value), "latest": latest, "names": names}

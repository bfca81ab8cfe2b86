"""tf.contrib.opt: averages of workers' copies, here of one worker."""

import numpy as np


def _worker(tf, getter, make, hook):
    """A model of one worker: its collections and the variables step by step."""
    with tf.variable_scope("model", custom_getter=getter):
        w = tf.get_variable("w", [3], initializer=tf.constant_initializer([1.0, -2.0, 3.0]))
        b = tf.get_variable("b", initializer=tf.constant(0.5))
        # TF 1.15.5's getters need to be told where other variables go.
        tf.get_variable(
            "n",
            [],
            initializer=tf.zeros_initializer(),
            trainable=False,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
        )
    loss = tf.reduce_sum(tf.square(w - 1.0)) + tf.square(b)
    step = tf.train.get_or_create_global_step()
    opt = make(getter)
    train = opt.minimize(loss, global_step=step)
    every = sorted(set(tf.global_variables() + tf.local_variables()), key=lambda v: v.name)
    start = hook(opt)
    start.begin()
    rows = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        start.after_create_session(session, None)
        for _ in range(5):
            session.run(train)
            rows.append(np.concatenate([np.ravel(value) for value in session.run(every)]))
    return {
        "global": sorted(v.name for v in tf.global_variables()),
        "local": sorted(v.name for v in tf.local_variables()),
        "_move": False,
        "rows": np.array(rows),
    }


def elastic(tf, shim):
    opt = shim.contrib.opt
    return _worker(
        tf,
        opt.ElasticAverageCustomGetter("/cpu:0"),
        lambda getter: opt.ElasticAverageOptimizer(
            tf.train.MomentumOptimizer(0.1, 0.5), 1, getter, communication_period=2
        ),
        lambda opt: opt.make_session_run_hook(True, 0),
    )


def accumulated(tf, shim):
    opt = shim.contrib.opt
    return _worker(
        tf,
        opt.AGNCustomGetter("/cpu:0"),
        lambda getter: opt.AGNOptimizer(
            tf.train.AdamOptimizer(0.1), 1, getter, communication_period=2
        ),
        lambda opt: opt.make_session_run_hook(True, 0),
    )


def averaged(tf, shim):
    opt = shim.contrib.opt
    return _worker(
        tf,
        opt.ModelAverageCustomGetter("/cpu:0"),
        lambda getter: opt.ModelAverageOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 1, True, getter, interval_steps=2
        ),
        lambda opt: opt.make_session_run_hook(),
    )

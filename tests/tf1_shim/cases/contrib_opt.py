"""tf.contrib.opt."""

import sys
import types

import numpy as np


class _Result(dict):
    """As SciPy's: its values are attributes too."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _steps(tf, optimizer, sparse=False, resource=False, **kwargs):
    with tf.variable_scope("model", use_resource=resource):
        w = tf.get_variable("w", [5, 3], initializer=tf.constant_initializer(_data(5, 3)))
        b = tf.get_variable("b", [3], initializer=tf.constant_initializer([0.1, 0.2, 0.3]))
    rows = tf.nn.embedding_lookup(w, [0, 2, 2]) if sparse else w
    loss = tf.reduce_sum(tf.square(rows + b - 1.0))
    return {
        "loss": loss,
        "_steps": [optimizer.minimize(loss, **kwargs)],
        "_count": 4,
        "_move": False,
        "_gradients": False,
    }


def adam_w(tf, shim):
    return _steps(tf, shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1))


def adam_w_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1), sparse=True)


def adam_w_resource(tf, shim):
    opt = shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1)
    return _steps(tf, opt, sparse=True, resource=True)


def momentum_w(tf, shim):
    opt = shim.contrib.opt.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True)
    return _steps(tf, opt)


def extended(tf, shim):
    kind = shim.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
    return _steps(tf, kind(weight_decay=0.02, learning_rate=0.1), resource=True)


def lazy_adam(tf, shim):
    return _steps(tf, shim.contrib.opt.LazyAdamOptimizer(0.1), sparse=True)


def lazy_adam_resource(tf, shim):
    return _steps(tf, shim.contrib.opt.LazyAdamOptimizer(0.1), sparse=True, resource=True)


def moving_average(tf, shim):
    opt = shim.contrib.opt.MovingAverageOptimizer(
        tf.train.GradientDescentOptimizer(0.05), average_decay=0.5
    )
    return _steps(tf, opt)


def nadam(tf, shim):
    return _steps(tf, shim.contrib.opt.NadamOptimizer(0.1))


def nadam_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.NadamOptimizer(0.1), sparse=True)


def nadam_resource(tf, shim):
    return _steps(tf, shim.contrib.opt.NadamOptimizer(0.1), sparse=True, resource=True)


def ada_max(tf, shim):
    return _steps(tf, shim.contrib.opt.AdaMaxOptimizer(0.1, beta1=0.8))


def ada_max_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.AdaMaxOptimizer(0.1), sparse=True)


def ada_max_resource(tf, shim):
    return _steps(tf, shim.contrib.opt.AdaMaxOptimizer(0.1), sparse=True, resource=True)


def adam_gs(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.AdamGSOptimizer(step, 0.1)
    return _steps(tf, opt, sparse=True, global_step=step)


def adam_gs_resource(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.AdamGSOptimizer(step, 0.1)
    return _steps(tf, opt, resource=True, global_step=step)


def lazy_adam_gs(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.LazyAdamGSOptimizer(step, 0.1)
    return _steps(tf, opt, sparse=True, global_step=step)


def lazy_adam_gs_resource(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.LazyAdamGSOptimizer(step, 0.1)
    return _steps(tf, opt, sparse=True, resource=True, global_step=step)


def add_sign(tf, shim):
    return _steps(tf, shim.contrib.opt.AddSignOptimizer(0.1, alpha=0.7))


def add_sign_decayed(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.AddSignOptimizer(
        sign_decay_fn=lambda step: 1.0 / (1.0 + tf.cast(step, tf.float32))
    )
    return _steps(tf, opt, sparse=True, global_step=step)


def power_sign(tf, shim):
    return _steps(tf, shim.contrib.opt.PowerSignOptimizer(0.1, base=2.0), resource=True)


def power_sign_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.PowerSignOptimizer(0.1), sparse=True)


def lars(tf, shim):
    return _steps(tf, shim.contrib.opt.LARSOptimizer(0.5, eeta=0.1, skip_list=["b:"]))


def lars_resource(tf, shim):
    opt = shim.contrib.opt.LARSOptimizer(0.5, use_nesterov=True, weight_decay=0.01)
    return _steps(tf, opt, resource=True)


def lars_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.LARSOptimizer(0.1, momentum=0.8), sparse=True)


def reg_adagrad(tf, shim):
    return _steps(tf, shim.contrib.opt.RegAdagradOptimizer(0.1), sparse=True)


def reg_adagrad_without_slots(tf, shim):
    opt = shim.contrib.opt.RegAdagradOptimizer(0.1, initial_accumulator_value=0.5)
    with opt.avoid_updating_slots():
        return _steps(tf, opt, resource=True)


def variable_clipping(tf, shim):
    with tf.variable_scope("model"):
        w = tf.get_variable("w", [5, 3], initializer=tf.constant_initializer(_data(5, 3)))
    opt = shim.contrib.opt.VariableClippingOptimizer(
        tf.train.MomentumOptimizer(0.1, 0.9), {w: [1]}, 0.8
    )
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(w, [0, 2, 2]) - 1.0))
    dense = opt.minimize(tf.reduce_sum(tf.square(w)), name="dense")
    steps = [opt.minimize(loss), dense]
    with tf.control_dependencies(steps[:1]):
        return {"_steps": steps[:1], "_move": False, "names": opt.get_slot_names()}


def drop_stale(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.DropStaleGradientOptimizer(
        tf.train.GradientDescentOptimizer(0.1), staleness=1
    )
    out = _steps(tf, opt, global_step=step)
    return dict(out, summaries=[t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)])


def multitask(tf, shim):
    opt = tf.train.MomentumOptimizer(0.1, 0.9)
    wrapped = shim.contrib.opt.MultitaskOptimizerWrapper(opt)
    v = tf.get_variable("v", [3], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
    with tf.control_dependencies([count.assign_add(1.0)]):
        on = tf.cast(tf.equal(tf.mod(count.read_value(), 2.0), 1.0), tf.float32)
    step = wrapped.minimize(on * tf.reduce_sum(tf.square(v)), var_list=[v])
    return {"_steps": [step], "_count": 4, "_move": False, "slots": wrapped.get_slot_names()}


def shampoo(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.ShampooOptimizer(step, learning_rate=0.1)
    return _steps(tf, opt, global_step=step)


def shampoo_diagonal(tf, shim):
    opt = shim.contrib.opt.ShampooOptimizer(
        max_matrix_size=4, gbar_decay=0.5, gbar_weight=0.5, mat_gbar_decay=0.9, learning_rate=0.1
    )
    return _steps(tf, opt)


def shampoo_intervals(tf, shim):
    step = tf.train.get_or_create_global_step()
    opt = shim.contrib.opt.ShampooOptimizer(
        step, svd_interval=2, precond_update_interval=2, learning_rate=0.1, use_iterative_root=True
    )
    return _steps(tf, opt, global_step=step)


def shampoo_sparse(tf, shim):
    opt = shim.contrib.opt.ShampooOptimizer(max_matrix_size=4, learning_rate=0.1)
    return _steps(tf, opt, sparse=True)


def ggt(tf, shim):
    return _steps(tf, shim.contrib.opt.GGTOptimizer(0.1, window=3))


def external(tf, shim):
    """Gradient descent outside of the graph."""

    class Descent(shim.contrib.opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, packed_bounds, **kwargs):
            x = np.array(initial_val)
            for _ in range(3):
                seen.append(float(loss_grad_func(x)[0]))
                x = x - 0.1 * loss_grad_func(x)[1]
                kwargs["step_callback"](x)
            seen.append([float(kwargs["equality_funcs"][0](x)[0]), kwargs["optimizer_kwargs"]])
            low, high = np.transpose(packed_bounds)
            return np.clip(x, low, high)

    seen, steps, losses = [], [], []
    a = tf.get_variable("a", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]))
    b = tf.get_variable("b", [], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_sum(tf.square(a - b)) + tf.square(b)
    opt = Descent(loss, equalities=[tf.reduce_sum(a) - 1.0], var_to_bounds={a: (0.0, 2.5)}, n=3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        opt.minimize(session, fetches=[b], step_callback=steps.append, loss_callback=losses.append)
        after = session.run([a, b])
    return {
        "after_a": after[0], "after_b": np.asarray(after[1]), "seen": [str(s)[:7] for s in seen],
        "steps": np.array(steps), "losses": np.array(losses), "_gradients": False,
    }  # fmt: skip


def scipy(tf, shim):
    """What SciPy is asked, by a stand-in, since TensorFlow does not need SciPy."""
    asked = []

    def minimize(function, start, jac, callback, method, constraints, bounds, **options):
        x = np.array(start, np.float64)
        loss, slope = function(x)
        made = [
            [c["type"], float(np.ravel(c["fun"](x))[0]), np.ravel(c["jac"](x)).tolist()]
            for c in constraints
        ]
        asked.append([float(loss), str(slope.dtype), jac, method, made, str(bounds), options])
        callback(x)
        return _Result(x=x - 0.25 * slope, message="fine", fun=float(loss), nit=1)

    stand_in = types.ModuleType("scipy.optimize")
    stand_in.minimize = minimize
    package = types.ModuleType("scipy")
    package.optimize = stand_in
    kept = {name: sys.modules.get(name) for name in ("scipy", "scipy.optimize")}
    sys.modules.update({"scipy": package, "scipy.optimize": stand_in})
    try:
        a = tf.get_variable("a", [2], initializer=tf.constant_initializer([1.0, 2.0]))
        loss = tf.reduce_sum(tf.square(a))
        make = shim.contrib.opt.ScipyOptimizerInterface
        plain = make(loss, options={"maxiter": 3})
        bound = make(
            loss,
            equalities=[a[0] - 3.0],
            inequalities=[a[1] * 2.0],
            method="SLSQP",
            tol=0.5,
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            plain.minimize(session)
            bound.minimize(session)
            after = session.run(a)
    finally:
        for name, module in kept.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
    return {"after": after, "asked": str(asked), "_gradients": False}


def clipping(tf, shim):
    g, v = tf.constant(_data(3, 4)), tf.get_variable("v", [3, 4])
    pairs, norm = shim.contrib.opt.clip_gradients_by_global_norm([(g, v)], 0.5)
    return {"clipped": pairs[0][0], "norm": norm, "names": [pairs[0][0].name, norm.name]}

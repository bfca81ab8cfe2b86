"""tf.contrib.graph_editor: finding, rerouting, detaching, copying, replacing."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _names(elements):
    return sorted(e.name for e in elements)


def _two_scopes(tf):
    """Two small computations, with a control dependency between them."""
    x = tf.placeholder_with_default(tf.constant([1.0, 2.0, 3.0]), [3], name="x")
    with tf.name_scope("a"):
        a = tf.add(x, 1.0, name="more")
        b = tf.multiply(a, a, name="square")
    with tf.name_scope("b"), tf.control_dependencies([b.op]):
        c = tf.subtract(a, 5.0, name="less")
        d = tf.exp(c, name="exp")
    return x, a, b, c, d, tf.add(b, d, name="sum")


def selection(tf, shim):
    ge = shim.contrib.graph_editor
    with tf.Graph().as_default() as graph:
        x, a, b, c, d, total = _two_scopes(tf)
        outputs = ge.ControlOutputs(graph)
        inputs, made, inside = ge.compute_boundary_ts([a.op, b.op, c.op])
        view = ge.sgv("^a/", graph=graph)
        return {
            "scope": _names(ge.get_name_scope_ops(graph, "a/")),
            "regex": _names(ge.filter_ops_from_regex(graph, "square|less")),
            "tensors": _names(ge.filter_ts_from_regex(graph, "^b/.*:0")),
            "filtered": _names(ge.filter_ts([a.op, c.op], lambda t: t.dtype == tf.float32)),
            "ops": _names(ge.select_ops("^b/", d.op, a.op, graph=graph)),
            "ts": _names(ge.select_ts("(?#ts)exp", a, graph=graph)),
            "both": [
                _names(part) for part in ge.select_ops_and_ts("exp", "(?#ts)sum", graph=graph)
            ],
            "forward": _names(ge.get_forward_walk_ops(a)),
            "forward_control": _names(ge.get_forward_walk_ops(b.op, control_outputs=outputs)),
            "forward_stop": _names(ge.get_forward_walk_ops([x], stop_at_ts=[c], inclusive=False)),
            "backward": _names(ge.get_backward_walk_ops(d)),
            "backward_control": _names(ge.get_backward_walk_ops([d.op], control_inputs=True)),
            "backward_within": _names(
                ge.get_backward_walk_ops(total.op, within_ops=[total.op, d.op, c.op])
            ),
            "between": _names(ge.get_walks_intersection_ops([a], [d])),
            "union": _names(ge.get_walks_union_ops([c], [c.op])),
            "around": _names(ge.get_ops_ios([c.op], control_inputs=True)),
            "within": _names(ge.get_within_boundary_ops(graph, [d.op], [a.op, total.op])),
            "boundary": [_names(inputs), _names(made), _names(inside)],
            "generating": _names(ge.get_generating_ops([a, d])),
            "consuming": _names(ge.get_consuming_ops([a, d])),
            "all": len(ge.get_tensors(graph)),
            "waiting": _names(outputs.get(b.op)),
            "view": [_names(view.ops), _names(view.inputs), _names(view.outputs)],
            "placeholder": [
                ge.placeholder_name(a),
                ge.placeholder_name(a, "s"),
                ge.placeholder_name(),
            ],
        }


def views(tf, shim):
    ge = shim.contrib.graph_editor
    with tf.Graph().as_default() as graph:
        x, a, b, c, d, _ = _two_scopes(tf)
        view = ge.make_view([a.op, c.op, d.op])
        passing = ge.SubGraphView([d.op], [b])
        return {
            "inputs": [t.name for t in view.inputs],
            "outputs": [t.name for t in view.outputs],
            "remapped": [t.name for t in view.remap_outputs([1, 0, 1]).outputs],
            "by_tensor": [t.name for t in view.remap_inputs([view.inputs[1]]).inputs],
            "unique": len(view.remap_outputs([1, 1]).remap_outputs_make_unique().outputs),
            "consumed": [t.name for t in view.remap_outputs_to_consumers().outputs],
            "default": len(view.remap([0], [0]).remap_default().inputs),
            "unused": _names(ge.sgv([a.op, d.op, b.op]).remap_outputs([0]).remove_unused_ops().ops),
            "consumers": _names(view.consumers()),
            "found": view.find_op_by_name("b/exp").name,
            "passing": [[t.name for t in passing.inputs], [t.name for t in passing.passthroughs]],
            "index": [view.input_index(x), view.output_index(d), bool(ge.SubGraphView())],
            "text": str(view).split("\n", 1)[1],
            "scope": _names(ge.sgv_scope("b", graph).ops),
        }


def rerouting(tf, shim):
    ge = shim.contrib.graph_editor
    out = {}

    def pieces(prefix):
        x = tf.constant(_data(3), name=prefix + "x")
        y = tf.constant(_data(3) * 2.0 + 1.0, name=prefix + "y")
        return x, y, tf.add(x, 1.0, name=prefix + "p"), tf.multiply(y, 3.0, name=prefix + "q")

    x, y, p, q = pieces("a")
    out["count"] = ge.reroute_ts([x], [y])
    out["rerouted"] = [p, q]
    x, y, p, q = pieces("b")
    ge.swap_ts([x], [y])
    out["swapped"] = [p, q]
    x, y, p, q = pieces("c")
    other = tf.negative(y)
    ge.reroute_ts(x, y, cannot_modify=[other.op])
    out["kept"] = [p, q, other]
    x, y, p, q = pieces("d")
    top, bottom = tf.square(p), tf.exp(q)
    ge.swap_outputs(ge.sgv(p.op), ge.sgv(q.op))
    out["outputs"] = [top, bottom]
    x, y, p, q = pieces("e")
    first, second = ge.sgv(p.op).remap_inputs([0]), ge.sgv(q.op).remap_inputs([0])
    first, second = ge.swap_inputs(first, second)
    out["inputs"] = [p, q]
    out["names"] = [[t.name for t in v.inputs] for v in (first, second)]
    x, y, p, q = pieces("f")
    end = tf.square(tf.identity(x, name="fin"), name="fend")
    ge.connect(ge.sgv(q.op), ge.sgv(end.op))
    out["connected"] = end
    x, y, p, q = pieces("g")
    end = tf.square(p, name="gend")
    ge.bypass(ge.sgv(p.op).remap_inputs([0]))
    out["bypassed"] = end
    x, y, p, q = pieces("h")
    ge.add_control_inputs(p.op, [q.op])
    out["waits"] = _names(p.op.control_inputs)
    ge.remove_control_inputs(p.op, q.op)
    out["waits_no_more"] = _names(p.op.control_inputs)
    return out


def detaching(tf, shim):
    ge = shim.contrib.graph_editor
    out = {}
    with tf.Graph().as_default() as graph:
        _, _, _, c, d, total = _two_scopes(tf)
        controls = ge.ControlOutputs(graph)
        view, inputs, outputs = ge.detach(ge.sgv([c.op, d.op]), control_ios=controls)
        out["inputs"] = [[t.name, str(t.shape)] for t in inputs]
        out["outputs"] = [[t.name, str(t.shape)] for t in outputs]
        out["control"] = len(c.op.control_inputs)
        out["view"] = [t.name for t in view.inputs]
        with tf.Session() as sess:
            feed = {inputs[0]: _data(3), inputs[1]: 2.0}
            out["alone"] = sess.run(d, feed)
            out["rest"] = sess.run(total, {outputs[0]: _data(3)})
    return out


def copying(tf, shim):
    ge = shim.contrib.graph_editor
    out = {}
    with tf.Graph().as_default() as graph:
        x, a, _, c, d, total = _two_scopes(tf)
        with tf.variable_scope("v"):
            w = tf.get_variable("w", initializer=tf.constant(_data(3)))
        y = tf.multiply(total, w, name="y")
        tf.add_to_collection("mine", y)
        view, info = ge.copy(ge.sgv("^a/|^b/|^sum", graph=graph), dst_scope="copy")
        out["names"] = _names(view.ops)
        out["inputs"] = _names(view.inputs)
        out["mapped"] = [info.transformed(total).name, info.original(info.transformed(d)).name]
        out["missing"] = info.transformed([x, a])[0] is None
        out["waits"] = _names(info.transformed(c.op).control_inputs)
        _, again = ge.copy(ge.sgv(graph), dst_scope="copy")
        out["again"] = again.transformed(y).name
        out["mine"] = [t.name for t in tf.get_collection("copy_1/mine")]
        elsewhere = tf.Graph()
        _, there = ge.copy(ge.sgv(graph), elsewhere)
        out["elsewhere"] = len(elsewhere.get_operations()) == len(graph.get_operations())
        replaced, changed = ge.copy_with_input_replacements(
            ge.sgv("^b/", graph=graph), {a: tf.constant([0.5, 0.5, 4.0])}, dst_scope="new"
        )
        out["replaced_names"] = _names(replaced.ops)
        with tf.Session(graph=graph) as sess:
            sess.run(tf.global_variables_initializer())
            fed = {graph.get_tensor_by_name("copy/geph__x_0:0"): _data(3)}
            out["copied"] = sess.run(info.transformed(total), fed)
            out["replaced"] = sess.run(changed.transformed(d))
            out["initial"] = sess.run(
                again.transformed(y), {again.transformed(w.op.outputs[0]): _data(3)}
            )
    with tf.Session(graph=elsewhere) as sess:
        out["other_graph"] = sess.run(there.transformed(total))
    return out


def replacing(tf, shim):
    ge = shim.contrib.graph_editor
    x = tf.constant(_data(3), name="x")
    y = tf.constant(_data(3) * 0.5, name="y")
    w = tf.get_variable("w", initializer=tf.constant(_data(3)))
    a = tf.add(x * w, 1.0, name="a")
    b = tf.square(a, name="b")
    c = tf.exp(y, name="c")
    _, loop = tf.while_loop(
        lambda i, _: i < 3, lambda i, v: (i + 1, v * 1.5), [0, x], parallel_iterations=1
    )
    chosen = tf.cond(tf.reduce_sum(x) > 100.0, lambda: a * 2.0, lambda: a - 1.0)
    other = tf.constant([2.0, -1.0, 0.5])
    found = ge.graph_replace([b, c], {x: other})
    deep = ge.graph_replace({"b": b, "a": (a, c)}, {a: y}, dst_scope="deep")
    return {
        "replaced": found,
        "same": found[1] is c,
        "names": [found[0].name, deep["b"].name, deep["a"][0].name],
        "deep": [deep["b"], deep["a"][0]],
        "loop": ge.graph_replace(loop, {x: other}, dst_scope="loop"),
        "cond": ge.graph_replace(chosen, {a: other}, dst_scope="cond"),
        "gradient": tf.gradients(ge.graph_replace(b, {x: other * 2.0}, dst_scope="g"), [w])[0],
    }


def checkpointed_gradients(tf, shim):
    """The use of it that is most widespread: activations computed again in the backward pass."""
    ge = shim.contrib.graph_editor
    x = tf.constant(_data(4, 3))
    layers = [x]
    for i in range(4):
        w = tf.get_variable(f"w{i}", initializer=tf.constant(_data(3, 3) * 0.5))
        layers.append(tf.tanh(tf.matmul(layers[-1], w), name=f"layer{i}"))
    loss = tf.reduce_sum(tf.square(layers[-1]))
    ws = tf.trainable_variables()
    kept = layers[2]
    cut = tf.stop_gradient(kept)
    between = ge.get_forward_walk_ops([kept])
    ops = ge.get_backward_walk_ops([loss.op], stop_at_ts=[kept], within_ops=between)
    _, info = ge.copy_with_input_replacements(ge.sgv(ops), {kept: cut}, dst_scope="again")
    again = info.transformed(loss)
    upper = tf.gradients(again, [cut, *ws])
    lower = tf.gradients(kept, ws, grad_ys=upper[0])
    parts = [
        tf.zeros_like(w) + sum(g for g in pair if g is not None)
        for w, *pair in zip(ws, upper[1:], lower)  # noqa: B905 - also runs in Python 3.7
    ]
    return {"loss": again, "gradients": parts, "plain": tf.gradients(loss, ws), "_gradients": False}


def utilities(tf, shim):
    util = shim.contrib.graph_editor.util
    with tf.Graph().as_default() as graph:
        _, a, b, c, d, total = _two_scopes(tf)
    with tf.Graph().as_default() as other, tf.name_scope("inside"):
        _two_scopes(tf)
    found = util.find_corresponding({"a": [a, b.op], "d": d}, other, "inside")
    tree = util.transform_tree({"x": (1, [2, 3])}, lambda leaf: leaf + 1)
    view = util.ListView([1, 2])
    return {
        "found": [found["a"][0].name, found["a"][1].name, found["d"].graph is other],
        "tree": [tree["x"][0], tree["x"][1], sorted(util.flatten_tree(tree))],
        "unique": util.concatenate_unique([1, 2], [2, 3, 3]),
        "graph": [
            util.get_unique_graph([a, c.op, total]) is graph,
            util.get_unique_graph(graph) is graph,
            util.get_unique_graph([], none_if_empty=True) is None,
        ],
        "iterable": [util.is_iterable([a]), util.is_iterable(3)],
        "view": [len(view), view[1], list(view), bool(util.ListView([]))],
    }

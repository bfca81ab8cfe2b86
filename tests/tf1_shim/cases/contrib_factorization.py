"""tf.contrib.factorization: k-means as operations and as an Estimator."""

import logging
import tempfile

import numpy as np


def _points(seed=0):
    rs = np.random.RandomState(seed)
    centers = np.array([[0.0, 0.0, 5.0], [6.0, 1.0, 0.0], [-5.0, -5.0, -1.0]])
    return (centers[np.arange(24) % 3] + rs.normal(size=(24, 3)) * 0.4).astype(np.float32)


def _reads_first(graph):
    """Order what TF 1.15 leaves open: the counts of mini batches are read before they grow."""
    reads = [op for op in graph.get_operations() if op.type in ("Gather", "GatherV2")]
    for op in graph.get_operations():
        if op.type == "ScatterAdd":
            op._add_control_inputs(reads)


def _trained(tf, factorization, points, count, **options):
    """Initialize, take some steps, and write everything down."""
    arrays = []
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        fed = tf.placeholder(tf.float32, [None, 3])
        inputs = options.pop("inputs", lambda x: x)(fed)
        parts = factorization.KMeans(inputs, count, **options).training_graph()
        scores, indices, nearest, initialized, init_op, step = parts
        _reads_first(graph)
        variables = tf.global_variables()
        names = [[v.name, v.dtype.base_dtype.name] for v in variables]
        sess.run(tf.global_variables_initializer())
        batches = 0
        while not sess.run(initialized) and batches < 20:
            sess.run(init_op, {fed: points})
            batches += 1
        centers = variables[0]
        arrays.append(sess.run(centers))
        for i in range(4):
            sess.run(step, {fed: np.roll(points, 3 * i, 0)[: 12 + i]})
            arrays.append(sess.run(centers))
        for part in (scores, indices, nearest):
            arrays += list(sess.run(list(part), {fed: points}))
        arrays += sess.run(variables)
    flat = np.concatenate([np.asarray(a).ravel().astype(np.float64) for a in arrays])
    return flat, [names, batches, [list(np.shape(a)) for a in arrays]]


def kmeans(tf, shim):
    f = shim.contrib.factorization
    points = _points()
    first = points[[0, 3, 7]]
    cases = {
        "given": {"initial_clusters": first},
        "random": {"initial_clusters": f.RANDOM_INIT, "random_seed": 5},
        "plus_plus": {"initial_clusters": f.KMEANS_PLUS_PLUS_INIT, "random_seed": 7},
        "chains": {"initial_clusters": "kmc2", "random_seed": 3, "kmc2_chain_length": 20},
        "function": {"initial_clusters": lambda inputs, left: inputs[0][:left]},
        "cosine": {"initial_clusters": first, "distance_metric": f.COSINE_DISTANCE},
        "mini": {"initial_clusters": first, "use_mini_batch": True},
        # One point of each cluster: no point changes over, so it does not matter that TF 1.15
        # leaves open whether distances are taken before or after the centres follow.
        "mini_steps": {
            "initial_clusters": points[[0, 1, 2]],
            "use_mini_batch": True,
            "mini_batch_steps_per_iteration": 2,
        },
        "mini_cosine": {
            "initial_clusters": first,
            "use_mini_batch": True,
            "distance_metric": f.COSINE_DISTANCE,
        },
        "mini_cosine_steps": {
            "initial_clusters": f.KMEANS_PLUS_PLUS_INIT,
            "use_mini_batch": True,
            "distance_metric": f.COSINE_DISTANCE,
            "mini_batch_steps_per_iteration": 3,
        },
        "parts": {
            "initial_clusters": f.RANDOM_INIT,
            "random_seed": 2,
            "inputs": lambda x: [x[:6], x[6:]],
        },
    }
    out = {"words": [f.SQUARED_EUCLIDEAN_DISTANCE, f.COSINE_DISTANCE]}
    for name, options in cases.items():
        out[name], out[name + ":facts"] = _trained(tf, f, points, 3, **options)
    return out


def estimator(tf, shim):
    f = shim.contrib.factorization
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    points = _points()

    def whole():
        return tf.train.limit_epochs(tf.convert_to_tensor(points), num_epochs=1)

    def always():
        return {"a": tf.constant(points[:, :1]), "b": tf.constant(points[:, 1:])}

    out = {}
    with tf.Graph().as_default():
        made = f.KMeansClustering(
            3,
            model_dir=tempfile.mkdtemp(),
            initial_clusters=points[[0, 3, 7]],
            use_mini_batch=False,
            relative_tolerance=1e-4,
        )
        made.train(always, steps=20)
        out["centers"] = made.cluster_centers()
        out["score"] = made.score(always)
        out["step"] = int(made.get_variable_value("global_step"))
        out["index"] = np.array(list(made.predict_cluster_index(whole)))
        out["distances"] = np.array(list(made.transform(whole)))
        out["names"] = sorted(made.get_variable_names())
        mini = f.KMeansClustering(
            3, initial_clusters=f.KMeansClustering.KMEANS_PLUS_PLUS_INIT, random_seed=3
        )
        mini.train(always, steps=5)
        out["mini_shape"] = list(mini.cluster_centers().shape)
        out["mini_names"] = sorted(mini.get_variable_names())
    return out

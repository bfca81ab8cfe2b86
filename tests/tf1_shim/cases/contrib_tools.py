"""Small packages of tf.contrib around models: predictors, SavedModels, the projector and others."""

import os
import tempfile

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _exported(tf):
    """A SavedModel of ``y = 2 x + 1`` with two signatures."""
    folder = os.path.join(tempfile.mkdtemp(), "model")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")
        factor = tf.Variable(2.0, name="factor")
        y = tf.add(factor * x, 1.0, name="y")
        z = tf.negative(y, name="z")
        sess.run(tf.global_variables_initializer())
        make = tf.saved_model.predict_signature_def
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            sess,
            ["serve"],
            {
                "serving_default": make({"in": x}, {"out": y}),
                "default_input_alternative:other": make({"in": x}, {"out": y, "less": z}),
            },
        )
        builder.save()
    return folder


def _refused(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "made"


def predictors(tf, shim):
    predictor = shim.contrib.predictor
    folder = _exported(tf)
    first = predictor.from_saved_model(folder)
    other = predictor.from_saved_model(folder, signature_def_key="default_input_alternative:other")
    named = predictor.from_saved_model(
        folder, input_names={"a": "x:0"}, output_names={"b": "z:0"}, tags="serve"
    )
    graph = tf.Graph()
    inside = predictor.from_saved_model(folder, graph=graph)
    x = np.array([1.0, -3.0], np.float32)
    return {
        "first": first({"in": x})["out"],
        "less": other({"in": x})["less"],
        "keys": [sorted(other.feed_tensors), sorted(other.fetch_tensors)],
        "named": named({"a": x})["b"],
        "names": [t.name for t in first.fetch_tensors.values()],
        "graph": [inside.graph is graph, inside.session.graph is graph],
        "refused": [
            _refused(lambda: first({"wrong": x})),
            _refused(lambda: predictor.from_saved_model(folder, input_names={"a": "x:0"})),
            _refused(
                lambda: predictor.from_saved_model(
                    folder, "other", input_names={"a": "x:0"}, output_names={"b": "z:0"}
                )
            ),
        ],
    }


def saved_model_reader(tf, shim):
    if shim is tf:
        from tensorflow.contrib.saved_model.python.saved_model import reader
    else:
        reader = shim.contrib.saved_model.reader
    model = reader.read_saved_model(_exported(tf))
    return {
        "tags": reader.get_saved_model_tag_sets(_exported(tf)),
        "signatures": sorted(model.meta_graphs[0].signature_def),
        "inputs": model.meta_graphs[0].signature_def["serving_default"].inputs["in"].name,
        "missing": _refused(lambda: reader.read_saved_model("/nowhere/at/all")),
    }


def projector(tf, shim):
    projector = shim.contrib.tensorboard.plugins.projector
    folder = tempfile.mkdtemp()
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "words:0"
    embedding.metadata_path = "words.tsv"
    embedding.tensor_shape.extend([3, 4])
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    config.embeddings.extend([projector.EmbeddingInfo(tensor_name="b", tensor_path="c")])
    config.model_checkpoint_path = "model.ckpt"
    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(folder)
        projector.visualize_embeddings(writer, config)
    with open(os.path.join(folder, "projector_config.pbtxt")) as stream:
        text = stream.read()
    again = projector.ProjectorConfig.FromString(config.SerializeToString())
    return {
        "text": text,
        "bytes": config.SerializeToString().hex(),
        "same": again == config,
        "sprite": list(projector.SpriteMetadata(single_image_dim=[1, 2]).single_image_dim),
    }


def utilities(tf, shim):
    util = shim.contrib.util
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        tf.nn.relu(x * 2.0 + 1.0)
        used = sorted(util.ops_used_by_graph_def(graph.as_graph_def()))
    proto = util.make_tensor_proto([[1.0, 2.0]], shape=[2, 1])
    return {
        "used": used,
        "array": util.make_ndarray(proto),
        "constant": util.constant_value(tf.constant([1, 2])),
        "unknown": util.constant_value(tf.placeholder(tf.int32)) is None,
    }


def sparsemax(tf, shim):
    package = shim.contrib.sparsemax
    logits = tf.constant(_data(4, 5))
    odd = tf.constant([[0.0, np.inf, 1.0], [np.nan, 0.0, 1.0], [0.0, -np.inf, 3.0]], tf.float32)
    found = package.sparsemax(logits)
    labels = tf.constant(np.eye(5, dtype=np.float32)[[0, 3, 2, 2]])
    return {
        "_inputs": [logits],
        "probabilities": found,
        "double": package.sparsemax(tf.cast(logits, tf.float64) * 0.1, name="scope"),
        "loss": package.sparsemax_loss(logits, found, labels),
        "odd": tf.stop_gradient(package.sparsemax(odd)),
    }


def resampler(tf, shim):
    data = tf.constant(_data(2, 4, 5, 3))
    inside = tf.constant(np.random.RandomState(0).uniform(0.1, 2.9, (2, 7, 2)).astype(np.float32))
    around = tf.constant(np.random.RandomState(1).uniform(-2.0, 6.0, (2, 3, 4, 2)))
    around = tf.cast(around, tf.float32)
    module = shim.contrib.resampler
    return {
        "_inputs": [data, inside, around],
        "inside": module.resampler(data, inside),
        "around": module.resampler(data, around, name="scope"),
    }

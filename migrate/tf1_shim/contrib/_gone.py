"""The packages of ``tf.contrib`` without a home, each with the reason and what to use instead."""

from __future__ import annotations

_IO = "its kernels are not part of TF 2.21: read the data with tensorflow_io or tf.data instead"
_ESTIMATORS = "its estimators are gone with tf.estimator"
_KERNEL = "its kernel is not part of TF 2.21"

GONE = {
    "all_reduce": "use tf.distribute.MirroredStrategy, which sums gradients itself",
    "autograph": "use tf.autograph, which it became",
    "batching": "use tf.nondifferentiable_batch_function, which it became",
    "bigtable": _IO,
    "boosted_trees": "the trees are gone: use scikit-learn, XGBoost or TF Decision Forests",
    "checkpoint": "use tf.train.Checkpoint and tf.train.CheckpointManager, which it became",
    "cloud": "credentials for storage come from the environment (GOOGLE_APPLICATION_CREDENTIALS), "
    "and Bigtable is not part of TF 2.21: remove the call",
    "copy_graph": "use tf.import_graph_def with tf.Graph.as_graph_def",
    "decision_trees": "the trees are gone: use scikit-learn, XGBoost or TF Decision Forests",
    "estimator": "use migrate.estimator_shim.contrib.estimator",
    "ffmpeg": "use tf.audio.decode_wav, or decode the file before with ffmpeg itself",
    "fused_conv": f"{_KERNEL}: use tf.nn.conv2d, tf.nn.bias_add and the activation",
    "gan": "TF-GAN's code was never part of TF 1.15: rewrite the training loop, or pin TF 1.15",
    "graph_editor": "use tf.import_graph_def with an input_map",
    "hadoop": _IO,
    "ignite": _IO,
    "input_pipeline": f"{_KERNEL}: use tf.data",
    "kafka": _IO,
    "keras": "use tf.keras",
    "kernel_methods": f"{_ESTIMATORS}: use scikit-learn's RBFSampler",
    "kfac": "it was a package of its own (tensorflow_kfac): use another optimizer",
    "kinesis": _IO,
    "labeled_tensor": "use tf.Tensor with named axes of your own, or xarray",
    "libsvm": f"{_KERNEL}: read the file with scikit-learn's load_svmlight_file",
    "meta_graph_transform": "graphs are transformed by tf.lite or tf.saved_model tools",
    "mixed_precision": "use tf.keras.mixed_precision, or tf.mixed_precision's loss scales",
    "model_pruning": "masks in graphs are gone: use tensorflow_model_optimization's "
    "prune_low_magnitude, or multiply weights by a mask variable",
    "nearest_neighbor": f"{_KERNEL}: use ScaNN or FAISS",
    "optimizer_v2": "use the optimizers of tf.train, which have the same numbers",
    "periodic_resample": f"{_KERNEL}: use tf.nn.depth_to_space or tf.reshape and tf.transpose",
    "proto": "use tf.io.decode_proto and tf.io.encode_proto, which it became",
    "quantization": "use tf.quantization, and tf.raw_ops for the kernels",
    "receptive_field": "compute it from the layers' sizes and strides",
    "recurrent": "use tf.nn.dynamic_rnn",
    "reduce_slice_ops": f"{_KERNEL}: use tf.math.segment_sum",
    "remote_fused_graph": f"{_KERNEL}: use tf.lite's delegates",
    "rpc": f"{_KERNEL}: call the service from Python (tf.py_func)",
    "session_bundle": "use tf.saved_model.loader.load",
    "solvers": "use tf.linalg.experimental.conjugate_gradient and tf.linalg",
    "specs": "the language of layers is gone: write the layers out with contrib.layers",
    "staging": "use tf.data's prefetch, or tf.raw_ops.Stage and tf.raw_ops.Unstage",
    "stat_summarizer": "use tf.profiler",
    "tensorrt": "use tf.experimental.tensorrt.Converter",
    "testing": "read events with tf.train.summary_iterator",
    "text": f"{_KERNEL}: use tf.keras.preprocessing.sequence.skipgrams",
    "timeseries": f"{_ESTIMATORS}: use statsmodels or tfp.sts",
    "tpu": "use migrate.estimator_shim.contrib.tpu",
}

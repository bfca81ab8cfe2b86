"""Names of TF1's Estimators that are not here, each with what to use instead (a clause).

Modules stand for all that is in them.
"""

from __future__ import annotations

_READERS = "its queues are not here. Read and parse the files with tf.data in the input_fn"
_LOOPS = "the session loops of graph_actions are not here. Use an Estimator, or {}"
_SESSION = "a tf.train.MonitoredTrainingSession"
_FEEDERS = (
    "it fed x and y of old Estimators. Use SKCompat, tf.estimator.inputs.numpy_input_fn or tf.data"
)
_TPU_OPS = "it runs on a TPU only. Train under tf.distribute.TPUStrategy"
_GC = "a few lines of Python: sort the folders of exports by their names and delete the old ones"
_SETS = "use make_circles and make_moons of sklearn.datasets"
_READ = (
    "queue_parsed_features",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
)
_LEARN = "tf.contrib.learn"

GONE = {
    f"{_LEARN}.datasets.SYNTHETIC": _SETS,
    f"{_LEARN}.datasets.make_dataset": _SETS,
    f"{_LEARN}.datasets.synthetic": _SETS,
    f"{_LEARN}.datasets.text_datasets": "DBpedia's old address is gone. TensorFlow Datasets has "
    "dbpedia_14",
    f"{_LEARN}.evaluate": _LOOPS.format("tf.train.MonitoredSession with the metrics' updates"),
    f"{_LEARN}.extract_dask_data": "not implemented. Call compute() and take extract_pandas_data",
    f"{_LEARN}.extract_dask_labels": "not implemented. Call compute() and take "
    "extract_pandas_labels",
    f"{_LEARN}.graph_actions": _LOOPS.format(_SESSION),
    f"{_LEARN}.head.mkey": "write the metrics' names as strings",
    f"{_LEARN}.infer": _LOOPS.format("a tf.train.Saver and a session that runs the outputs"),
    f"{_LEARN}.io.dask_io": "not implemented. Call compute() and take pandas_io",
    f"{_LEARN}.io.extract_dask_data": "not implemented. Call compute() and take "
    "extract_pandas_data",
    f"{_LEARN}.io.extract_dask_labels": "not implemented. Call compute() and take "
    "extract_pandas_labels",
    f"{_LEARN}.io.data_feeder": _FEEDERS,
    f"{_LEARN}.io.generator_io.enqueue_data": "use generator_input_fn, or tf.data's from_generator",
    f"{_LEARN}.io.graph_io": _READERS,
    f"{_LEARN}.io.pandas_io.PANDAS_DTYPES": "use the dtype of the pandas columns",
    f"{_LEARN}.models": "it is contrib.layers in a few lines: write the model out in a model_fn",
    f"{_LEARN}.monitors.ExportMonitor": "session bundles are gone. Use a "
    "make_export_strategy with an Experiment",
    f"{_LEARN}.monitors.GraphDump": "use tfdbg's tf.debugging.experimental.enable_dump_debug_info",
    f"{_LEARN}.ops": "not implemented. Use tf.nn.embedding_lookup, tf.losses and "
    "tf.contrib.legacy_seq2seq",
    f"{_LEARN}.preprocessing.categorical.setup_processor_data_feeder": _FEEDERS,
    f"{_LEARN}.preprocessing.setup_processor_data_feeder": _FEEDERS,
    f"{_LEARN}.preprocessing.text.CategoricalVocabulary": "it is in preprocessing",
    f"{_LEARN}.run_feeds": _LOOPS.format("a session that runs the outputs feed by feed"),
    f"{_LEARN}.run_n": _LOOPS.format("a session that runs the outputs n times"),
    f"{_LEARN}.train": _LOOPS.format(_SESSION),
    f"{_LEARN}.utils.export": "session bundles are gone. Use Estimator.export_savedmodel",
    f"{_LEARN}.utils.export_estimator": "session bundles are gone. Use Estimator.export_savedmodel",
    f"{_LEARN}.utils.gc": _GC,
    f"{_LEARN}.utils.saved_model_export_utils.MAX_DIRECTORY_CREATION_ATTEMPTS": "it is 10",
    **{f"{_LEARN}.{name}": _READERS for name in _READ[1:]},
    **{f"{_LEARN}.io.{name}": _READERS for name in _READ},
    "tf.contrib.tpu.InfeedQueue": _TPU_OPS,
    "tf.contrib.tpu.TPUDistributionStrategy": "use tf.distribute.TPUStrategy",
    "tf.contrib.tpu.Topology": "use tf.tpu.experimental.Topology",
    "tf.contrib.tpu.device_assignment": "use tf.tpu.experimental.DeviceAssignment.build",
    "tf.contrib.tpu.export_estimator_savedmodel": "use the estimator's export_saved_model",
    "tf.contrib.tpu.keras_to_tpu_model": "build and compile the model under "
    "tf.distribute.TPUStrategy",
    "tf.contrib.tpu.profiler": "use tf.profiler.experimental",
    **{
        f"tf.contrib.tpu.{name}": _TPU_OPS
        for name in (
            "infeed_dequeue",
            "infeed_dequeue_tuple",
            "infeed_enqueue",
            "infeed_enqueue_tuple",
            "outfeed_dequeue",
            "outfeed_dequeue_tuple",
            "outfeed_enqueue",
            "outfeed_enqueue_tuple",
            "repeat",
            "while_loop",
        )
    },
    "tf.estimator.tpu.experimental": "embeddings on TPUs need a TPU. Use "
    "tf.tpu.experimental.embedding",
}


def why(endpoint: str) -> str | None:
    """What to use instead of an endpoint, or of what is in it; None if nothing is known."""
    while "." in endpoint:
        if endpoint in GONE:
            return GONE[endpoint]
        endpoint = endpoint.rpartition(".")[0]
    return None

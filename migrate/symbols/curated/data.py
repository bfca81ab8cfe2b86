"""tf.data, tf.lookup, tf.feature_column and tf.distribute."""

from __future__ import annotations

from migrate.symbols.curated.decisions import Args, Change, Decision, Equal, Lost

_DATASET = (
    "iterates by itself when eager; no make_one_shot_iterator, make_initializable_iterator, "
    "output_types, output_shapes or output_classes (tf.compat.v1.data has functions for them)"
)
_STATS = "tf.data's statistics were removed"
_STRATEGY = "experimental_run_v2 is run, experimental_make_numpy_dataset is gone"

DECISIONS: dict[str, Decision] = {
    **{
        "data." + name: Change(_DATASET)
        for name in (
            "Dataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset",
            "experimental.Counter", "experimental.CsvDataset", "experimental.RandomDataset",
            "experimental.SqlDataset", "experimental.choose_from_datasets",
            "experimental.make_batched_features_dataset", "experimental.make_csv_dataset",
            "experimental.sample_from_datasets",
        )
    },
    "data.Iterator": Change(
        "the iterator of an eager Dataset: no from_structure, from_string_handle, initializer"
    ),
    "data.Options": Change("experimental_stats and experimental_stateful_whitelist are gone"),
    "data.experimental.DistributeOptions": Change("auto_shard is auto_shard_policy"),
    "data.experimental.OptimizationOptions": Change("most of the switches are gone"),
    "data.experimental.Optional": Change(
        "none_from_structure is empty, value_structure is element_spec"
    ),
    "data.experimental.CheckpointInputPipelineHook": Lost(
        "removed", "save the iterator in a tf.train.Checkpoint"
    ),
    "data.experimental.MapVectorizationOptions": Lost("the optimisation was removed"),
    "data.experimental.StatsAggregator": Lost(_STATS),
    "data.experimental.StatsOptions": Lost(_STATS),
    "data.experimental.bytes_produced_stats": Lost(_STATS),
    "data.experimental.latency_stats": Lost(_STATS),
    "data.experimental.DatasetStructure": Equal("data.DatasetSpec"),
    "data.experimental.OptionalStructure": Args(
        "OptionalSpec", {"value_structure": "element_spec"}
    ),
    "data.experimental.RaggedTensorStructure": Args("RaggedTensorSpec"),
    "data.experimental.SparseTensorStructure": Args("SparseTensorSpec"),
    "data.experimental.shuffle_and_repeat": Change("another order for a seed"),
    "data.experimental.Structure": Equal("TypeSpec"),
    "data.experimental.TensorArrayStructure": Args("TensorArraySpec"),
    "data.experimental.TensorStructure": Args("TensorSpec"),
    "lookup.StaticHashTable": Change("initialises itself when made: no initializer"),
    "lookup.StaticVocabularyTable": Change("initialises itself when made: no initializer"),
    "feature_column.categorical_column_with_vocabulary_file": Args(),
    "feature_column.make_parse_example_spec": Equal(),
    "distribute.MirroredStrategy": Change(_STRATEGY),
    "distribute.OneDeviceStrategy": Change(_STRATEGY),
    "distribute.ReplicaContext": Equal(constructor=False),
    "distribute.Strategy": Change(_STRATEGY),
    "distribute.StrategyExtended": Change("most of the methods for graphs are gone"),
    "distribute.cluster_resolver.SlurmClusterResolver": Change(
        "reads jobs, GPUs per node and per task from Slurm unless they are given"
    ),
    "distribute.experimental.CentralStorageStrategy": Change(_STRATEGY),
    "distribute.experimental.MultiWorkerMirroredStrategy": Change(
        _STRATEGY + "; communication is an enum of its own"
    ),
    "distribute.experimental.ParameterServerStrategy": Change(
        "needs a cluster_resolver and a ClusterCoordinator; 1.15's ran between graphs"
    ),
    "distribute.experimental.TPUStrategy": Change(_STRATEGY + "; steps_per_run is gone"),
}  # fmt: skip

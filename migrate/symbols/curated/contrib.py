"""tf.contrib, where core has the very thing. The rest is by namespace (namespaces.py)."""

from __future__ import annotations

from migrate.symbols.curated.decisions import V1, Args, Change, Decision, Equal

_DATASET = "gives a Dataset of TF 2: iterates by itself, no make_one_shot_iterator"
_STEP = "keeps the global step in the graph's collections"

DECISIONS: dict[str, Decision] = {
    "contrib.autograph.to_code": Equal("autograph.to_code"),
    "contrib.autograph.to_graph": Equal("autograph.to_graph"),
    "contrib.data.AUTOTUNE": Equal("data.experimental.AUTOTUNE"),
    **{
        "contrib.data." + name: Equal("data.experimental." + name)
        for name in (
            "Reducer", "TFRecordWriter", "bucket_by_sequence_length", "copy_to_device",
            "dense_to_sparse_batch", "enumerate_dataset", "get_single_element",
            "group_by_reducer", "group_by_window", "ignore_errors",
            "make_saveable_from_iterator", "map_and_batch", "parallel_interleave",
            "parse_example_dataset", "prefetch_to_device", "rejection_resample", "scan",
            "unbatch", "unique",
        )
    },
    "contrib.data.shuffle_and_repeat": Change(
        "another order for a seed", "data.experimental.shuffle_and_repeat"
    ),
    **{
        "contrib.data." + name: Change(_DATASET, "data.experimental." + name)
        for name in (
            "Counter", "CsvDataset", "RandomDataset", "SqlDataset", "choose_from_datasets",
            "make_batched_features_dataset", "make_csv_dataset", "sample_from_datasets",
        )
    },
    "contrib.eager.Variable": Change("a resource variable; in no collection", "Variable"),
    "contrib.eager.defun": Change(
        "tf.function retraces and converts control flow (autograph=True)", "function"
    ),
    **{
        "contrib.feature_column." + name: Equal("feature_column." + name)
        for name in (
            "sequence_categorical_column_with_hash_bucket",
            "sequence_categorical_column_with_identity",
            "sequence_categorical_column_with_vocabulary_file",
            "sequence_categorical_column_with_vocabulary_list",
            "sequence_numeric_column",
        )
    },
    **{
        f"contrib.{space}.{name}": V1(_STEP, "train." + name)
        for space in ("framework", "slim")
        for name in (
            "assert_global_step", "create_global_step", "get_global_step",
            "get_or_create_global_step",
        )
    },
    "contrib.framework.list_variables": Args(
        "train.list_variables", {"checkpoint_dir": "ckpt_dir_or_file"}
    ),
    "contrib.framework.load_checkpoint": Args(
        "train.load_checkpoint", {"filepattern": "ckpt_dir_or_file"}
    ),
    "contrib.framework.load_variable": Args(
        "train.load_variable", {"checkpoint_dir": "ckpt_dir_or_file"}
    ),
    "contrib.framework.nest.is_sequence": Args("nest.is_nested", {"o": "seq"}),
    "contrib.lookup.HashTable": Change(
        "initialises itself when made, has no initializer and no shared_name",
        "lookup.StaticHashTable",
    ),
    "contrib.training.checkpoints_iterator": Equal("train.checkpoints_iterator"),
}  # fmt: skip

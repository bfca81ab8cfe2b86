"""Which endpoints tie a program to graph, session or TF 1's collections."""

# ruff: noqa: SIM905
from __future__ import annotations

from collections.abc import Iterable

# Evidence: PROBES (fails eagerly in 2.21), and what the name is for.
NAMES = frozenset(
    """
    AUTO_REUSE ConditionalAccumulator ConditionalAccumulatorBase ConfigProto FIFOQueue
    FixedLengthRecordReader GPUOptions Graph GraphKeys GraphOptions IdentityReader
    InteractiveSession LMDBReader OptimizerOptions PaddingFIFOQueue PriorityQueue QueueBase
    RandomShuffleQueue ReaderBase RunMetadata RunOptions Session SparseConditionalAccumulator
    TFRecordReader TextLineReader VariableScope WholeFileReader
    add_check_numerics_ops add_to_collection add_to_collections all_variables
    assert_variables_initialized colocate_with container count_up_to create_partitioned_variables
    data.Iterator data.make_initializable_iterator data.make_one_shot_iterator
    delete_session_tensor disable_eager_execution disable_v2_behavior
    feature_column.input_layer feature_column.linear_model
    feature_column.shared_embedding_columns
    get_collection get_collection_ref get_default_session get_local_variable
    get_session_handle get_session_tensor get_variable get_variable_scope global_variables
    global_variables_initializer gradients graph_util.convert_variables_to_constants
    graph_util.extract_sub_graph graph_util.import_graph_def graph_util.must_run_on_cpu
    graph_util.remove_training_nodes graph_util.tensor_shape_from_node_def_name
    get_default_graph hessians
    initialize_all_tables initialize_all_variables initialize_local_variables initialize_variables
    initializers.global_variables initializers.local_variables initializers.tables_initializer
    initializers.variables import_graph_def is_variable_initialized
    keras.backend.function keras.backend.get_session keras.backend.learning_phase
    keras.backend.placeholder keras.backend.set_learning_phase keras.backend.set_session
    local_variables local_variables_initializer op_scope losses.add_loss losses.get_losses
    losses.get_regularization_loss losses.get_regularization_losses losses.get_total_loss
    make_template model_variables moving_average_variables
    nn.bidirectional_dynamic_rnn nn.dynamic_rnn nn.raw_rnn nn.static_bidirectional_rnn
    nn.static_rnn nn.static_state_saving_rnn nn.rnn_cell layers parallel_stack
    placeholder placeholder_with_default profiler.Profiler profiler.advise profiler.profile
    profiler.write_op_log ragged.placeholder report_uninitialized_variables reset_default_graph
    saved_model.Builder saved_model.build_tensor_info
    saved_model.classification_signature_def saved_model.get_tensor_from_tensor_info
    saved_model.load saved_model.loader.load saved_model.main_op.main_op
    saved_model.main_op.main_op_with_restore saved_model.main_op_with_restore
    saved_model.predict_signature_def saved_model.regression_signature_def
    saved_model.simple_save saved_model.builder.SavedModelBuilder
    sparse.SparseConditionalAccumulator sparse.placeholder sparse_placeholder
    summary.FileWriter summary.FileWriterCache summary.all_v2_summary_ops summary.audio
    summary.get_summary_description summary.histogram summary.image summary.initialize
    summary.merge summary.merge_all summary.scalar summary.tensor_summary summary.text
    tables_initializer test.compute_gradient test.compute_gradient_error
    train.ChiefSessionCreator train.CheckpointSaverHook train.CheckpointSaverListener
    train.FeedFnHook train.FinalOpsHook train.GlobalStepWaiterHook train.LoggingTensorHook
    train.LooperThread train.MonitoredSession train.MonitoredTrainingSession
    train.NanTensorHook train.Optimizer train.ProfilerHook train.QueueRunner train.Saver
    train.Scaffold train.SecondOrStepTimer train.Server train.SessionCreator train.SessionManager
    train.SessionRunArgs train.SessionRunContext train.SessionRunHook train.SessionRunValues
    train.SingularMonitoredSession train.StepCounterHook train.StopAtStepHook
    train.SummarySaverHook train.Supervisor train.WorkerSessionCreator train.add_queue_runner
    train.assert_global_step train.basic_train_loop train.batch train.batch_join
    train.create_global_step train.export_meta_graph train.get_global_step
    train.get_or_create_global_step train.global_step train.import_meta_graph
    train.init_from_checkpoint train.input_producer train.limit_epochs train.maybe_batch
    train.maybe_batch_join train.maybe_shuffle_batch train.maybe_shuffle_batch_join
    train.range_input_producer train.replica_device_setter train.shuffle_batch
    train.shuffle_batch_join train.slice_input_producer train.start_queue_runners
    train.string_input_producer train.warm_start train.write_graph
    train.cosine_decay train.cosine_decay_restarts train.exponential_decay
    train.inverse_time_decay train.linear_cosine_decay train.natural_exp_decay
    train.noisy_linear_cosine_decay train.piecewise_constant train.piecewise_constant_decay
    train.polynomial_decay
    train.experimental.MixedPrecisionLossScaleOptimizer
    train.experimental.enable_mixed_precision_graph_rewrite
    trainable_variables variable_op_scope variable_scope variables_initializer
    tpu.CrossShardOptimizer tpu.batch_parallel tpu.bfloat16_scope tpu.core tpu.cross_replica_sum
    tpu.initialize_system tpu.outside_compilation tpu.replicate tpu.rewrite tpu.shard
    tpu.shutdown_system
    contrib.deprecated.audio_summary contrib.deprecated.histogram_summary
    contrib.deprecated.image_summary contrib.deprecated.merge_all_summaries
    contrib.deprecated.merge_summary contrib.deprecated.scalar_summary
    """.split()
)

PREFIXES = (
    "estimator.",
    "layers.",
    "metrics.",
    "nn.rnn_cell.",
    "train.queue_runner.",
    "contrib.cudnn_rnn.",
    "contrib.estimator.",
    "contrib.factorization.",
    "contrib.grid_rnn.",
    "contrib.layers.",
    "contrib.learn.",
    "contrib.legacy_seq2seq.",
    "contrib.metrics.",
    "contrib.opt.",
    "contrib.optimizer_v2.",
    "contrib.predictor.",
    "contrib.quantize.",
    "contrib.rnn.",
    "contrib.saved_model.",
    "contrib.seq2seq.",
    "contrib.slim.",
    "contrib.tensor_forest.",
    "contrib.timeseries.",
    "contrib.tpu.",
    "contrib.training.",
    "contrib.framework.",
    "contrib.copy_graph.",
    "contrib.graph_editor.",
)

# under those prefixes, and free of graphs all the same
FREE = frozenset(
    """
    contrib.training.HParams contrib.training.parse_values
    contrib.framework.nest contrib.framework.is_tensor contrib.framework.fuse_op
    contrib.framework.sort contrib.framework.argsort contrib.framework.CriticalSection
    contrib.framework.list_variables contrib.framework.load_checkpoint
    contrib.framework.load_variable contrib.framework.get_graph_from_inputs
    contrib.framework.deprecated contrib.framework.deprecated_args
    contrib.framework.deprecated_arg_values contrib.framework.arg_scope
    contrib.framework.add_arg_scope contrib.framework.has_arg_scope
    contrib.framework.arg_scoped_arguments contrib.framework.current_arg_scope
    contrib.slim.arg_scope contrib.slim.add_arg_scope contrib.slim.has_arg_scope
    contrib.slim.arg_scoped_arguments contrib.slim.current_arg_scope
    contrib.learn.ModeKeys estimator.ModeKeys
    """.split()
)
FREE_PREFIXES = (
    "contrib.framework.nest.",
    "contrib.slim.nest.",
    "contrib.rnn.nest.",
    "contrib.learn.datasets.",
    "contrib.training.python.",
)


def is_graph(name: str, aliases: Iterable[str]) -> bool:
    """Whether the name (or, outside contrib, another name of the object) is one of them."""
    return any(_is_graph(n) for n in (name, *(a for a in aliases if not a.startswith("contrib."))))


def _is_graph(name: str) -> bool:
    if name in FREE or name.startswith(FREE_PREFIXES):
        return False
    if name in NAMES or name.startswith(PREFIXES):
        return True
    return name.startswith("train.") and name.endswith("Optimizer")

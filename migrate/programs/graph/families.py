"""The families of endpoints that nothing else asks for: to import one is to register it."""

from __future__ import annotations

from migrate.programs.graph.data import (
    feedable,
    iterators,
    keras_arrays,
    matched_files,
    mnist,
    own_queues,
    tables,
)
from migrate.programs.graph.layering import contrib_images, distributions, losses, total_losses
from migrate.programs.graph.making import embeddings, framework_variables, scatters, uninitialized
from migrate.programs.graph.optimizing import create_train_ops, optimize_loss, scipy_minimizers
from migrate.programs.graph.recurrence import (
    attention,
    crf,
    decoders,
    legacy_decoders,
    sequence_losses,
    stacked_bidirectional,
)
from migrate.programs.graph.running import graphs
from migrate.programs.graph.saving import exports, model_builders
from migrate.programs.graph.scoping import templates
from migrate.programs.graph.sizing import told_dimensions
from migrate.programs.graph.wording import other_words, own_forms

__all__ = [
    "attention",
    "contrib_images",
    "create_train_ops",
    "crf",
    "decoders",
    "distributions",
    "embeddings",
    "exports",
    "feedable",
    "framework_variables",
    "graphs",
    "iterators",
    "keras_arrays",
    "legacy_decoders",
    "losses",
    "matched_files",
    "mnist",
    "model_builders",
    "optimize_loss",
    "other_words",
    "own_forms",
    "own_queues",
    "scatters",
    "scipy_minimizers",
    "sequence_losses",
    "stacked_bidirectional",
    "tables",
    "templates",
    "told_dimensions",
    "total_losses",
    "uninitialized",
]

"""The families of endpoints that nothing else asks for: to import one is to register it."""

from __future__ import annotations

from migrate.programs.graph import (
    attention,
    create_train_ops,
    crf,
    decoders,
    distributions,
    embeddings,
    feedable,
    graphs,
    iterators,
    keras_arrays,
    legacy_decoders,
    losses,
    mnist,
    optimize_loss,
    scatters,
    sequence_losses,
    tables,
    templates,
    total_losses,
    uninitialized,
)

__all__ = [
    "attention",
    "create_train_ops",
    "crf",
    "decoders",
    "distributions",
    "embeddings",
    "feedable",
    "graphs",
    "iterators",
    "keras_arrays",
    "legacy_decoders",
    "losses",
    "mnist",
    "optimize_loss",
    "scatters",
    "sequence_losses",
    "tables",
    "templates",
    "total_losses",
    "uninitialized",
]

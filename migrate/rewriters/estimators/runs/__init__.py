"""Training, evaluation and prediction: RunConfigs, clusters, strategies and checkpoints."""

"""Hooks: the stock ones are TensorFlow's own; these are the Estimator's."""

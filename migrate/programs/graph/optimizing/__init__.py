"""Optimizers, gradients, decays and moving averages."""

"""Optimizers, losses, gradients and moving averages."""

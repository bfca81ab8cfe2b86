"""Layers, functions that make them, the nets that are built of them, losses and metrics."""

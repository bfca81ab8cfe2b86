"""Hooks, listeners and monitors as Keras callbacks."""
